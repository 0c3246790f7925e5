//! Whether tables can be used: `db.ready(..)` finds what is wrong, of each kind, and sends nothing but reads.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, future};
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use dynamo_entity::prelude::*;
use dynamo_entity::ready::{Look, Readiness, ReadinessFinding};
use dynamo_entity::schema::{KeyType, ProjectionSchema, StreamView, TableSchema};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::model::{Note, RequestCount, Session, Shop};
use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::faulty::Fault;
use crate::support::suite::{Gap, NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::{random, tests};

tests![
    tables_are_ready_once_they_are_created,
    it_only_reads(Ware),
    it_costs_what_it_says(Ware) unless COUNTS_OTHERWISE,
    it_differs_where_creating_tables_refuses(Ware),
    an_index_that_is_not_there_is_named,
    an_index_that_comes_is_not_active(Note),
    a_key_that_is_not_as_declared_is_found_once(Ware),
    an_index_of_several_attributes_is_asked(Hall) unless NO_MULTI_ATTRIBUTE_KEYS,
    each_refusal_is_a_finding(Ware),
    a_table_that_may_not_be_described_is_told_from_one_that_is_missing,
    what_may_not_be_read_is_named(Ware),
    a_table_that_is_not_active_is_not_read(Note),
    it_ends_in_time(Ware, Note),
    no_connection_is_an_answer,
    no_credentials_are_an_answer(Note),
    two_declarations_of_a_table_are_an_answer,
    each_table_has_its_own_answer(Note),
    a_global_table_is_a_finding(Handle),
    a_declared_global_table_is_ready(Handle),
];

const COUNTS_OTHERWISE: Gap = Gap {
    engines: &[Kind::OtherServer],
    why: "may count units in its own way",
};

crate::declare! {
    /// Keys of all three types, an index of each kind.
    entity Ware(table = "wares", key(pk = id, sk = no), stream = keys_only,
        gsi(by_owner, pk = owner, sk = rank, rename = "by-owner"),
        gsi(by_label, pk = "LABEL#{label}", project = keys), lsi(by_rank, sk = rank, project = [label]))
        { id: u64, no: u64, owner: Option<Vec<u8>>, rank: Option<i32>, label: Option<String>,
          #[dynamo(ttl)] expires: Option<u64> }
    entity Hall(table = "halls", key(pk = id), gsi(by_place, pk = [city, street], sk = [house]))
        { id: String, city: String, street: String, house: u32 }
}

fn everything() -> [TableSchema; 5] {
    [
        Shop::schema(),
        Ware::schema(),
        Session::schema(),
        RequestCount::schema(),
        Note::schema(),
    ]
}

async fn tables_are_ready_once_they_are_created(db: Db) -> Outcome {
    let before = db.ready(everything()).await;
    assert!(!before.is_ready());
    assert_eq!(before.tables.len(), 5);
    for (table, schema) in before.tables.iter().zip(everything()) {
        assert_eq!(table.table, format!("{}-{}", db.prefix(), schema.name));
        assert!(matches!(table.findings[..], [ReadinessFinding::Missing]));
        assert!(table.proven.is_empty());
    }
    assert_eq!(before.to_string().lines().count(), 5);

    db.create_tables(everything()).await?;
    let after = db.ready(everything()).await;
    assert!(after.is_ready(), "{after}");
    let ware = &after.tables[1];
    assert_eq!(
        ware.to_string(),
        format!(
            "{}: ready (DescribeTable, DescribeTimeToLive, GetItem, Query, Query of indexes)",
            db.table::<Ware>()
        )
    );
    // A table without a sort key has no partition to query, and no index.
    let described = [Look::DescribeTable, Look::DescribeTimeToLive, Look::GetItem];
    assert_eq!(after.tables[4].proven, described);

    let empty = db.ready([]).await;
    assert!(empty.is_ready() && empty.tables.is_empty());
    let twice = db.ready([Note::schema(), Note::schema()]).await;
    assert_eq!(twice.tables.len(), 1);
    Ok(())
}

/// The requests of each look, and no others.
async fn it_only_reads(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let all = [
        (Look::DescribeTable, vec!["DescribeTable"]),
        (Look::DescribeTimeToLive, vec!["DescribeTimeToLive"]),
        (Look::GetItem, vec!["GetItem"]),
        (Look::Query, vec!["Query"]),
        (Look::QueryIndexes, vec!["Query"; 3]),
    ];
    for (look, calls) in &all {
        http.plan([]);
        let readiness = faulty.ready([Ware::schema()]).looking_at([*look]).await;
        assert!(readiness.is_ready(), "{readiness}");
        assert_eq!(readiness.tables[0].proven, [*look]);
        assert_eq!(http.calls(), *calls);
    }
    http.plan([]);
    assert!(faulty.ready([Ware::schema()]).await.is_ready());
    let every: Vec<&str> = all.iter().flat_map(|(_, calls)| calls.clone()).collect();
    assert_eq!(http.calls(), every);
    http.plan([]);
    let nothing = faulty.ready([Ware::schema()]).looking_at([]).await;
    assert!(nothing.is_ready() && nothing.tables[0].proven.is_empty());
    assert_eq!(http.calls(), [""; 0]);
    Ok(())
}

async fn it_costs_what_it_says(db: Db) -> Outcome {
    let units = Arc::new(Mutex::new(0.0));
    let sum = units.clone();
    let watched = (*db)
        .clone()
        .with_observer(move |seen| *sum.lock().unwrap() += seen.units());
    assert!(watched.ready([Ware::schema()]).await.is_ready());
    // DynamoDB Local counts nothing for a query that finds nothing.
    let of_query = match Kind::here() {
        Kind::Embedded => 0.5,
        _ => 0.0,
    };
    assert_eq!(*units.lock().unwrap(), 1.0 + 4.0 * of_query);
    Ok(())
}

type Change = fn(&mut TableSchema);

/// What two programs that declare the same table may disagree about.
const CHANGES: [Change; 14] = [
    |t| t.pk.name = "key".into(),
    |t| t.pk.ty = KeyType::S,
    |t| t.sk = None,
    |t| t.global_indexes.clear(),
    |t| {
        if let Some(mut index) = t.global_indexes.first().cloned() {
            index.name = "by_date".into();
            t.global_indexes.push(index);
        }
    },
    |t| {
        for index in &mut t.global_indexes {
            index.sk.clear();
        }
    },
    |t| {
        for index in &mut t.global_indexes {
            index.projection = ProjectionSchema::All;
        }
    },
    |t| t.local_indexes.clear(),
    |t| {
        for index in &mut t.local_indexes {
            index.projection = ProjectionSchema::Keys;
        }
    },
    |t| {
        if let Some(mut index) = t.local_indexes.pop() {
            index.name = "by_time".into();
            t.local_indexes.push(index);
        }
    },
    |t| t.ttl = None,
    |t| t.ttl = Some("gone".into()),
    |t| t.stream = None,
    |t| t.stream = Some(StreamView::NewImage),
];

/// The descriptions find a difference exactly where `create_tables` refuses.
async fn it_differs_where_creating_tables_refuses(db: Db) -> Outcome {
    let handle = tokio::runtime::Handle::current();
    let some = prop::collection::vec(0..CHANGES.len(), 0..4);
    let mut runner = TestRunner::new(random(200));
    tokio::task::block_in_place(|| {
        runner.run(&some, |chosen| {
            let mut schema = Ware::schema();
            for at in chosen {
                CHANGES[at](&mut schema);
            }
            let described = [Look::DescribeTable, Look::DescribeTimeToLive];
            let ready = db.ready([schema.clone()]).looking_at(described);
            let ready = handle.block_on(async move { ready.await });
            let created = handle.block_on(db.create_tables([schema]));
            prop_assert_eq!(
                ready.is_ready(),
                created.is_ok(),
                "{}\n{:?}",
                ready,
                created
            );
            if let Err(refused) = created {
                for finding in ready.findings() {
                    let said = match finding {
                        ReadinessFinding::IndexMissing { index } => {
                            format!("index `{index}` is missing")
                        }
                        finding => finding.to_string(),
                    };
                    let refused = refused.to_string();
                    prop_assert!(refused.contains(&said), "no {} in: {}", said, refused);
                }
            }
            Ok(())
        })
    })?;
    Ok(())
}

async fn an_index_that_is_not_there_is_named(db: Db) -> Outcome {
    let mut bare = Ware::schema();
    bare.global_indexes.retain(|index| index.name != "by-owner");
    db.create_tables([bare]).await?;
    let found = db.ready([Ware::schema()]).await;
    let [ReadinessFinding::IndexMissing { index }] = &found.tables[0].findings[..] else {
        return Err(found.to_string().into());
    };
    assert_eq!(index, "by-owner");
    let others = [Look::DescribeTimeToLive, Look::GetItem, Look::Query];
    assert_eq!(found.tables[0].proven, others);

    let reads = db.ready([Ware::schema()]);
    let found = reads.looking_at([Look::GetItem, Look::QueryIndexes]).await;
    let [ReadinessFinding::IndexRefused { index, .. }] = &found.tables[0].findings[..] else {
        return Err(found.to_string().into());
    };
    assert_eq!(index, "by-owner");
    assert_eq!(found.tables[0].proven, [Look::GetItem]);
    Ok(())
}

/// A description as the service gives it while it is at work.
fn described(db: &Db, table: &str, index: &str) -> Fault {
    let name = db.table::<Note>();
    Fault::Reply(
        200,
        format!(
            r#"{{"Table":{{"TableName":"{name}","TableStatus":"{table}","KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],
            "AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}},{{"AttributeName":"author","AttributeType":"S"}}],
            "GlobalSecondaryIndexes":[{{"IndexName":"by_author","IndexStatus":"{index}",
            "KeySchema":[{{"AttributeName":"author","KeyType":"HASH"}}],"Projection":{{"ProjectionType":"ALL"}}}}]}}}}"#
        ),
    )
}

/// Notes with an index, which is described above.
fn indexed() -> TableSchema {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "notes", key(pk = id), gsi(by_author, pk = author))]
    struct Written {
        id: String,
        author: String,
    }
    let mut schema = Written::schema();
    schema.name = Note::schema().name;
    schema
}

async fn an_index_that_comes_is_not_active(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    for status in ["CREATING", "DELETING"] {
        http.plan([described(&db, "UPDATING", status)]);
        let found = faulty.ready([indexed()]).await;
        let [ReadinessFinding::IndexNotActive { index }] = &found.tables[0].findings[..] else {
            return Err(found.to_string().into());
        };
        assert_eq!(index, "by_author");
        let calls = http.calls();
        assert_eq!(calls, ["DescribeTable", "DescribeTimeToLive", "GetItem"]);
    }
    Ok(())
}

async fn a_table_that_is_not_active_is_not_read(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let broken = "INACCESSIBLE_ENCRYPTION_CREDENTIALS";
    for wanted in ["CREATING", "DELETING", "ARCHIVED", broken] {
        http.plan([described(&db, wanted, "ACTIVE")]);
        let found = faulty.ready([indexed()]).await;
        let [ReadinessFinding::NotActive { status }] = &found.tables[0].findings[..] else {
            return Err(found.to_string().into());
        };
        assert_eq!(status, wanted);
        assert_eq!(http.calls(), ["DescribeTable"]);
    }
    Ok(())
}

async fn a_key_that_is_not_as_declared_is_found_once(db: Db) -> Outcome {
    let mut other = Ware::schema();
    other.pk.name = "key".into();
    let found = db.ready([other.clone()]).await;
    assert!(found.tables[0].differs_once("`key` (N)"), "{found}");
    // Without a description the service's refusal is what there is.
    let found = db.ready([other]).looking_at([Look::GetItem]).await;
    let [ReadinessFinding::Failed(error)] = &found.tables[0].findings[..] else {
        return Err(found.to_string().into());
    };
    assert_eq!(error.kind(), ErrorKind::Rejected);
    Ok(())
}

trait Once {
    fn differs_once(&self, says: &str) -> bool;
}

impl Once for dynamo_entity::ready::TableReadiness {
    fn differs_once(&self, says: &str) -> bool {
        let differs = |finding: &ReadinessFinding| matches!(finding, ReadinessFinding::Differs(_));
        self.findings.iter().all(differs)
            && self
                .findings
                .iter()
                .filter(|one| one.to_string().contains(says))
                .count()
                == 1
    }
}

async fn an_index_of_several_attributes_is_asked(db: Db) -> Outcome {
    let found = db.ready([Hall::schema()]).await;
    assert!(found.is_ready(), "{found}");
    assert!(found.tables[0].proven.contains(&Look::QueryIndexes));
    Ok(())
}

/// What is found, in a word.
fn word(finding: &ReadinessFinding) -> &'static str {
    match finding {
        ReadinessFinding::Missing => "missing",
        ReadinessFinding::Denied { .. } => "denied",
        ReadinessFinding::Credentials(_) => "credentials",
        ReadinessFinding::Throttled(_) => "throttled",
        ReadinessFinding::Unreachable(_) => "unreachable",
        ReadinessFinding::Failed(_) => "failed",
        ReadinessFinding::IndexRefused { .. } => "index refused",
        _ => "another",
    }
}

/// Each look by itself meets each refusal, as often as the client tries again.
async fn each_refusal_is_a_finding(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let proxy = Fault::Reply(403, "<html>no</html>".into());
    let faults = [
        (Fault::refuse("AccessDeniedException"), "denied"),
        (Fault::refuse("UnrecognizedClientException"), "credentials"),
        (Fault::refuse("ExpiredTokenException"), "credentials"),
        (Fault::refuse("InvalidSignatureException"), "credentials"),
        (Fault::refuse("ResourceNotFoundException"), "missing"),
        (Fault::refuse("SomethingNewException"), "failed"),
        (proxy, "failed"),
        (Fault::throttle(), "throttled"),
        (Fault::internal(), "unreachable"),
        (Fault::Io, "unreachable"),
        (Fault::Refused, "unreachable"),
        (Fault::Lose, "unreachable"),
    ];
    for (fault, wanted) in faults {
        for look in [
            Look::DescribeTable,
            Look::DescribeTimeToLive,
            Look::GetItem,
            Look::Query,
            Look::QueryIndexes,
        ] {
            http.plan(std::iter::repeat_n(fault.clone(), 9));
            let found = faulty.ready([Ware::schema()]).looking_at([look]).await;
            let found = &found.tables[0];
            let words: Vec<&str> = found.findings.iter().map(word).collect();
            let of_each = look == Look::QueryIndexes && matches!(wanted, "denied" | "failed");
            let times = if of_each { 3 } else { 1 };
            assert_eq!(words, vec![wanted; times], "{fault:?} {look:?}");
            assert!(found.proven.is_empty());
            let says = found.to_string();
            assert!(says.starts_with(&db.table::<Ware>()), "{says}");
            let calls = http.calls();
            assert!(
                calls.iter().all(|call| look.to_string().starts_with(call)),
                "{calls:?}"
            );
        }
    }
    Ok(())
}

async fn a_table_that_may_not_be_described_is_told_from_one_that_is_missing(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let denied = || [Fault::refuse("AccessDeniedException")];
    http.plan(denied());
    let found = faulty.ready([Ware::schema()]).await;
    let words: Vec<&str> = found.findings().map(word).collect();
    assert_eq!(words, ["denied", "missing"], "{found}");

    db.create_tables([Ware::schema()]).await?;
    http.plan(denied());
    let found = faulty.ready([Ware::schema()]).await;
    let [
        ReadinessFinding::Denied {
            action,
            index,
            error,
        },
    ] = &found.tables[0].findings[..]
    else {
        return Err(found.to_string().into());
    };
    assert_eq!((*action, index), ("DescribeTable", &None));
    assert_eq!(error.kind(), ErrorKind::AccessDenied);
    let others = [
        Look::DescribeTimeToLive,
        Look::GetItem,
        Look::Query,
        Look::QueryIndexes,
    ];
    assert_eq!(found.tables[0].proven, others);
    assert!(
        found
            .to_string()
            .contains("dynamodb:DescribeTable is not allowed")
    );
    Ok(())
}

async fn what_may_not_be_read_is_named(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let plan = (0..7).map(|at| match at {
        2 | 5 => Fault::refuse("AccessDeniedException"),
        _ => Fault::Pass,
    });
    http.plan(plan);
    let found = faulty.ready([Ware::schema()]).await;
    let said: Vec<(&str, Option<&str>)> = found
        .findings()
        .filter_map(|finding| match finding {
            ReadinessFinding::Denied { action, index, .. } => Some((*action, index.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        [("GetItem", None), ("Query", Some("by_label"))],
        "{found}"
    );
    let others = [Look::DescribeTable, Look::DescribeTimeToLive, Look::Query];
    assert_eq!(found.tables[0].proven, others);
    Ok(())
}

async fn it_ends_in_time(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let short = Duration::from_millis(100);
    for passed in 0..4 {
        let plan = std::iter::repeat_n(Fault::Pass, passed);
        http.plan(plan.chain(std::iter::repeat_n(Fault::Hang, 9)));
        let began = Instant::now();
        let found = faulty.ready([Ware::schema()]).within(short).await;
        assert!(began.elapsed() < Duration::from_secs(4), "{passed}");
        assert_eq!(
            found.findings().map(word).collect::<Vec<_>>(),
            ["unreachable"],
            "{found}"
        );
        assert_eq!(found.tables[0].proven.len(), passed);
        assert!(
            found.to_string().contains("got no response within 100ms"),
            "{found}"
        );
    }
    let patient = db.ready([Ware::schema()]).within(Duration::MAX).await;
    assert!(patient.is_ready());
    let no_time = db.ready([Ware::schema()]).within(Duration::ZERO).await;
    assert!(matches!(
        no_time.findings().next(),
        None | Some(ReadinessFinding::Unreachable(_))
    ));
    Ok(())
}

async fn no_connection_is_an_answer(_: Db) -> Outcome {
    let nobody = Dynamo::connect("http://127.0.0.1:1").await?;
    let found = nobody.ready([Ware::schema(), Note::schema()]).await;
    let words: Vec<&str> = found.findings().map(word).collect();
    assert_eq!(words, ["unreachable"; 2], "{found}");
    Ok(())
}

async fn no_credentials_are_an_answer(db: Db) -> Outcome {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .endpoint_url("http://127.0.0.1:1")
        .http_client(db.engine().http_client())
        .retry_config(RetryConfig::disabled())
        .credentials_provider(NoCredentials);
    let found = db.through(config).ready([Note::schema()]).await;
    let words: Vec<&str> = found.findings().map(word).collect();
    assert_eq!(words, ["credentials"], "{found}");
    Ok(())
}

/// A provider that has none, as on a machine without a role.
#[derive(Debug)]
struct NoCredentials;

impl ProvideCredentials for NoCredentials {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let none = CredentialsError::not_loaded("there are none");
        future::ProvideCredentials::ready(Err(none))
    }
}

async fn two_declarations_of_a_table_are_an_answer(db: Db) -> Outcome {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "wares", key(pk = id))]
    struct Other {
        id: String,
    }
    let found: Readiness = db.ready([Ware::schema(), Other::schema()]).await;
    let words: Vec<&str> = found.findings().map(word).collect();
    assert_eq!(words, ["failed"; 2], "{found}");
    let error = found.findings().next().and_then(ReadinessFinding::error);
    assert_eq!(error.map(Error::kind), Some(ErrorKind::Config));
    Ok(())
}

async fn each_table_has_its_own_answer(db: Db) -> Outcome {
    let found = db.ready([Ware::schema(), Note::schema()]).await;
    assert!(!found.is_ready());
    assert!(
        !found.tables[0].is_ready() && found.tables[1].is_ready(),
        "{found}"
    );
    let lines: Vec<String> = found.to_string().lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with(&format!(
        "{}: this table does not exist",
        db.table::<Ware>()
    )));
    assert!(lines[1].starts_with(&format!("{}: ready (", db.table::<Note>())));
    Ok(())
}

#[derive(Debug, Clone, DynamoEntity)]
#[dynamo(table = "handles", key(pk = "ID#{id}"), unique(by_name, name))]
struct Handle {
    id: u32,
    name: String,
    #[dynamo(version)]
    version: Version,
    #[dynamo(ttl)]
    expires_at: Option<std::time::SystemTime>,
}

/// A description as AWS gives it of a table with replicas, which no engine here has.
fn replicated(db: &Db, more: &str) -> Fault {
    let name = db.table::<Handle>();
    Fault::Reply(
        200,
        format!(
            r#"{{"Table":{{"TableName":"{name}","TableStatus":"ACTIVE","TableArn":"arn:aws:dynamodb:eu-west-1:1:table/{name}",
            "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],
            "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}]{more}}}}}"#
        ),
    )
}

const EVENTUAL: &str = r#","Replicas":[{"RegionName":"us-east-1","ReplicaStatus":"ACTIVE"}]"#;
const STRONG: &str = r#","Replicas":[{"RegionName":"eu-west-2","ReplicaStatus":"ACTIVE"}],"MultiRegionConsistency":"STRONG",
    "GlobalTableWitnesses":[{"RegionName":"eu-west-3","WitnessStatus":"ACTIVE"}]"#;

async fn a_global_table_is_a_finding(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let handle = || Handle {
        id: 1,
        name: "ann".into(),
        version: Version::default(),
        expires_at: None,
    };
    for (description, shown, gaps) in [
        (EVENTUAL, "eventually consistent in eu-west-1, us-east-1", 3),
        (
            STRONG,
            "strongly consistent in eu-west-1, eu-west-2, witnessed by eu-west-3",
            2,
        ),
    ] {
        http.plan([replicated(&db, description)]);
        let found = faulty.ready([Handle::schema()]).await;
        let [ReadinessFinding::Replicated(finding)] = &found.tables[0].findings[..] else {
            return Err(found.to_string().into());
        };
        let replicas = finding.found.as_ref().map(ToString::to_string);
        assert_eq!(replicas.as_deref(), Some(shown));
        assert_eq!((finding.gaps.len(), &finding.declared), (gaps, &None));
        let said = found.to_string();
        assert!(
            said.contains("Global tables") && said.contains("`by_name` of `Handle`"),
            "{said}"
        );
    }
    // By now it is known that the table has no transactions, so none is sent.
    http.plan([]);
    let error = handle().create().send(&faulty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoTransactions);
    assert!(http.calls().is_empty());
    Ok(())
}

async fn a_declared_global_table_is_ready(db: Db) -> Outcome {
    use dynamo_entity::schema::Replicas;

    let (faulty, http) = db.faulty([]);
    let there = || Replicas::eventual(["eu-west-1", "us-east-1"]);
    http.plan([replicated(&db, EVENTUAL)]);
    let found = faulty.ready([Handle::schema().replicated(there())]).await;
    assert!(found.is_ready(), "{found}");
    for (declared, description, says) in [
        (
            Replicas::eventual(["eu-west-1", "eu-west-2"]),
            EVENTUAL,
            "declared: eventually consistent in eu-west-1, eu-west-2",
        ),
        (there(), "", "it has no replicas"),
        (there(), STRONG, "is a global table, strongly"),
        // What fails in every region is said of a table that is as declared, too.
        (
            Replicas::strong(["eu-west-1", "eu-west-2"]).with_witness("eu-west-3"),
            STRONG,
            "no TTL",
        ),
    ] {
        http.plan([replicated(&db, description)]);
        let found = faulty.ready([Handle::schema().replicated(declared)]).await;
        let said = found.to_string();
        assert!(
            matches!(
                found.tables[0].findings[..],
                [ReadinessFinding::Replicated(_)]
            ),
            "{said}"
        );
        assert!(said.contains(says), "{said}");
    }
    // An engine for tests has no replicas, and is no worse for it.
    let found = db.ready([Handle::schema().replicated(there())]).await;
    assert!(found.is_ready(), "{found}");
    let plan = db.plan([Handle::schema().replicated(there())]).await?;
    assert_eq!(
        (
            plan.tables[0].unknown.contains(&"replicas"),
            plan.is_empty()
        ),
        (true, true)
    );
    // A plan tells the same, and changes nothing.
    http.plan([replicated(&db, EVENTUAL)]);
    let plan = faulty.plan([Handle::schema()]).await?;
    let finding = plan.tables[0].replicas.as_ref().ok_or("no finding")?;
    assert_eq!(finding.gaps.len(), 3);
    assert!(
        plan.to_string().contains("replicas: it is a global table"),
        "{plan}"
    );
    assert!(
        plan.to_json().contains("\"replicas\""),
        "{}",
        plan.to_json()
    );
    Ok(())
}
