//! Limits of requests, warm throughput and encryption: on a model of the service, and on the engines as far as they keep them.

use dynamo_entity::deploy::{ChangeKind, TableChange, TablePlan};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Billing, Encryption, OnDemandMaximum, TableSchema, WarmThroughput};
use fastrand::Rng;
use serde_json::Value as Json;

use super::service::{Keeps, MANAGED, Service};
use super::{apply, assert_no_writes};
use crate::support::db::Db;
use crate::support::suite::Outcome;

#[derive(DynamoEntity)]
#[dynamo(table = "limited", key(pk = id), gsi(by_city, pk = city))]
#[allow(dead_code)]
struct Limited {
    id: u32,
    city: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "limited", key(pk = id), gsi(by_city, pk = city), gsi(by_street, pk = street))]
#[allow(dead_code)]
struct Wider {
    id: u32,
    city: String,
    street: String,
}

const KEYS: [&str; 2] = [
    "arn:aws:kms:eu-west-1:111122223333:key/one",
    "arn:aws:kms:eu-west-1:111122223333:key/two",
];

/// A declaration, of which each setting may be missing.
fn random(rng: &mut Rng, is_wide: bool) -> TableSchema {
    let schema = if is_wide {
        Wider::schema()
    } else {
        Limited::schema()
    };
    let mut schema = match rng.u8(..5) {
        0 => schema,
        1 => schema.provisioned(rng.u64(1..4), rng.u64(1..4)),
        _ => schema.on_demand(),
    };
    let few = |rng: &mut Rng| rng.u64(1..4) * 100;
    let has_units = matches!(schema.settings.billing, Some(Billing::Provisioned { .. }));
    // Without a declared billing, whether a maximum fits depends on the table.
    if !has_units && schema.settings.billing.is_some() {
        schema = match rng.u8(..4) {
            0 => schema,
            1 => schema.without_on_demand_maximum(),
            _ => schema.on_demand_maximum(few(rng), few(rng)),
        };
        if rng.u8(..3) == 0 {
            schema = schema.on_demand_maximum_of("by_city", few(rng), few(rng));
        }
    }
    let warm = |rng: &mut Rng| rng.u64(1..40) * 1_000;
    if rng.u8(..3) == 0 {
        schema = schema.warm_throughput(warm(rng), warm(rng));
    }
    if rng.u8(..4) == 0 {
        schema = schema.warm_throughput_of("by_city", warm(rng), warm(rng));
    }
    match rng.u8(..6) {
        0 | 1 => schema,
        2 => schema.encryption(Encryption::AwsOwned),
        3 => schema.encryption(Encryption::AwsManaged),
        _ => schema.encryption(Encryption::key(KEYS[rng.usize(..2)])),
    }
}

fn connect(db: &Db, service: &Service) -> Dynamo {
    db.through(db.engine().config().http_client(service.clone()))
}

/// The member of the table, or of its index.
fn member<'j>(table: &'j Json, index: Option<&str>, name: &str) -> &'j Json {
    let Some(index) = index else {
        return &table[name];
    };
    let mut indexes = table["GlobalSecondaryIndexes"]
        .as_array()
        .into_iter()
        .flatten();
    let found = indexes.find(|found| found["IndexName"] == *index);
    found.map_or(&Json::Null, |found| &found[name])
}

/// Declared settings are there, the others are as they were, and nothing else was requested.
fn assert_settings(declared: &TableSchema, before: &Json, after: &Json) {
    let settings = &declared.settings;
    let indexes = declared
        .global_indexes
        .iter()
        .map(|index| Some(index.name.as_str()));
    for place in [None].into_iter().chain(indexes) {
        let own = place.and_then(|name| settings.indexes.get(name));
        let maximum = own.and_then(|own| own.on_demand_maximum);
        let maximum = maximum.or(settings.on_demand_maximum);
        let there = member(after, place, "OnDemandThroughput");
        match maximum {
            Some(OnDemandMaximum::Units { reads, writes }) => {
                assert_eq!(there["MaxReadRequestUnits"], reads, "{place:?}");
                assert_eq!(there["MaxWriteRequestUnits"], writes, "{place:?}");
            }
            Some(_) => assert!(there.is_null(), "{place:?}: {there}"),
            // Billing by units has no maximum, so a change to it takes what was there.
            None if settings
                .billing
                .is_some_and(|billing| billing.units().is_some()) =>
            {
                assert!(there.is_null(), "{place:?}: {there}");
            }
            None => {
                let was = member(before, place, "OnDemandThroughput");
                assert_eq!(was, there, "{place:?}");
            }
        }
        let warm = own
            .and_then(|own| own.warm_throughput)
            .or(settings.warm_throughput);
        let there = member(after, place, "WarmThroughput");
        let was = member(before, place, "WarmThroughput");
        let WarmThroughput { reads, writes } = warm.unwrap_or_default();
        for (name, least) in [
            ("ReadUnitsPerSecond", reads),
            ("WriteUnitsPerSecond", writes),
        ] {
            let (was, is) = (was[name].as_u64().unwrap_or_default(), there[name].as_u64());
            let is = is.expect("units");
            assert!(
                is >= least.max(was),
                "{place:?}: {is} of {least}, was {was}"
            );
            // Nobody pays for more than was declared.
            let is_new = member(before, place, "IndexName").is_null() && place.is_some();
            assert!(
                is == was || is == least || is_new || before.is_null(),
                "{place:?}: {is}"
            );
        }
    }
    let key = after["SSEDescription"]["KMSMasterKeyArn"].as_str();
    let was = before["SSEDescription"]["KMSMasterKeyArn"].as_str();
    match &settings.encryption {
        None => assert_eq!(key, was),
        Some(Encryption::AwsOwned) => assert_eq!(key, None),
        // A key of the account may be that of AWS.
        Some(Encryption::AwsManaged) => assert_eq!(key, was.or(Some(MANAGED))),
        Some(Encryption::Key(arn)) => assert_eq!(key, Some(arn.as_str())),
        Some(other) => panic!("{other:?}"),
    }
}

/// Any declaration after any other is reached by plans, each of whose steps the service takes, and then nothing is left.
pub(super) async fn random_settings_follow_each_other(db: Db) -> Outcome {
    if !matches!(db.engine(), crate::support::engine::Engine::Embedded(_)) {
        return Ok(());
    }
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let service = Service::new(Keeps::All, seed);
        let aws = connect(&db, &service);
        let mut is_wide = false;
        for at in 0..5 {
            is_wide |= rng.u8(..4) == 0;
            let declared = random(&mut rng, is_wide);
            if rng.bool() {
                service.grow();
            }
            let before = service.table();
            let place = format!("seed {seed}, declaration {at}");
            if before.is_null() && rng.bool() {
                aws.create_tables([declared.clone()]).await?;
            }
            let plan = aws.plan([declared.clone()]).await?;
            service.take_writes();
            apply(&aws, &plan)
                .await
                .map_err(|error| format!("{place}: {error}\n{plan}\n{before:#}"))?;
            let (writes, steps) = (service.take_writes().len(), plan.steps().count());
            assert_eq!(writes, steps, "{place}: {plan}");
            // Nothing is left, also while DynamoDB still prepares the warm throughput.
            let left = aws.plan([declared.clone()]).await?;
            assert!(left.is_empty(), "{place}: {plan}\nand then\n{left}");
            service.end_warming();
            let left = aws.plan([declared.clone()]).await?;
            assert!(left.is_empty(), "{place}: {plan}\nand then\n{left}");
            assert!(left.tables[0].unknown.is_empty(), "{place}: {left}");
            assert_settings(&declared, &before, &service.table());
        }
    }
    Ok(())
}

/// An increase of the warm throughput can take hours. Neither a plan nor another change waits for it.
pub(super) async fn nothing_waits_for_warm_throughput(db: Db) -> Outcome {
    if !matches!(db.engine(), crate::support::engine::Engine::Embedded(_)) {
        return Ok(());
    }
    let service = Service::new(Keeps::All, 3);
    let aws = connect(&db, &service);
    aws.create_tables([Limited::schema()]).await?;
    service.warm_for_ever();
    let declared = Limited::schema()
        .warm_throughput(40_000, 20_000)
        .on_demand_maximum(400, 200);
    let work = async {
        let plan = aws.plan([declared.clone()]).await?;
        // The table is being warmed, so its own step is not needed now; that of the index is the last one.
        let steps = says(&plan);
        assert_eq!(steps.len(), 3, "{plan}");
        assert!(
            steps[2].contains("warm throughput of index `by_city`"),
            "{plan}"
        );
        apply(&aws, &plan).await?;
        assert!(aws.plan([declared.clone()]).await?.is_empty());
        Ok::<_, Error>(())
    };
    let limit = std::time::Duration::from_secs(20);
    tokio::time::timeout(limit, work).await??;
    Ok(())
}

/// The load increases one of two values after the table was described. The other one is requested again alone.
pub(super) async fn a_table_may_warm_before_the_request(db: Db) -> Outcome {
    if !matches!(db.engine(), crate::support::engine::Engine::Embedded(_)) {
        return Ok(());
    }
    let service = Service::new(Keeps::All, 5);
    let aws = connect(&db, &service);
    aws.create_tables([Limited::schema()]).await?;
    let declared = Limited::schema().warm_throughput(40_000, 20_000);
    let plan = aws.plan([declared.clone()]).await?;
    service.take_writes();
    service.grow_at_the_next_request();
    apply(&aws, &plan).await?;
    service.end_warming();
    let warm = &service.table()["WarmThroughput"];
    assert_eq!(warm["ReadUnitsPerSecond"], 60_000);
    assert_eq!(warm["WriteUnitsPerSecond"], 20_000);
    let writes = service.take_writes();
    assert_eq!(
        writes[1]["WarmThroughput"].to_string(),
        r#"{"WriteUnitsPerSecond":20000}"#
    );
    Ok(())
}

/// On a server that forgets settings, they are named, and a plan is applied once and not for ever.
pub(super) async fn forgotten_settings_are_named(db: Db) -> Outcome {
    if !matches!(db.engine(), crate::support::engine::Engine::Embedded(_)) {
        return Ok(());
    }
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let service = Service::new(Keeps::MaximumOnly, seed);
        let local = connect(&db, &service);
        for _ in 0..3 {
            let declared = random(&mut rng, false);
            let plan = local.plan([declared.clone()]).await?;
            apply(&local, &plan)
                .await
                .map_err(|error| format!("seed {seed}: {error}\n{plan}"))?;
            let left = local.plan([declared.clone()]).await?;
            assert!(left.is_empty(), "seed {seed}: {left}");
            let settings = &declared.settings;
            let of_index = settings.indexes.get("by_city").copied().unwrap_or_default();
            let warm = settings.warm_throughput.or(of_index.warm_throughput);
            let maximum = settings.on_demand_maximum.or(of_index.on_demand_maximum);
            let expected = [
                ("maximum on demand of indexes", maximum.is_some()),
                ("warm throughput", warm.is_some()),
                ("encryption", settings.encryption.is_some()),
            ];
            let expected = expected.into_iter().filter(|(_, is_declared)| *is_declared);
            let expected: Vec<&str> = expected.map(|(name, _)| name).collect();
            assert_eq!(left.tables[0].unknown, expected, "seed {seed}");
        }
    }
    Ok(())
}

fn says(plan: &TablePlan) -> Vec<String> {
    plan.steps().map(|step| step.change.to_string()).collect()
}

/// The engines keep the maximum of a table. They forget the rest, so it is named and is no difference.
pub(super) async fn engines_keep_the_maximum_of_a_table(db: Db) -> Outcome {
    let everything = Limited::schema()
        .on_demand_maximum(400, 200)
        .warm_throughput(40_000, 20_000)
        .encryption(Encryption::key(KEYS[0]));
    let unknown = [
        "maximum on demand of indexes",
        "warm throughput",
        "encryption",
    ];
    apply(&db, &db.plan([everything.clone()]).await?).await?;
    let left = db.plan([everything.clone()]).await?;
    assert!(left.is_empty(), "{left}");
    assert_eq!(left.tables[0].unknown, unknown);
    db.create_tables([everything.clone()]).await?;
    for (declared, expected) in [
        (
            everything.clone().on_demand_maximum(300, 500),
            &["limit requests to 300 read units and 500 write units per second"][..],
        ),
        (
            everything.clone().without_on_demand_maximum(),
            &["limit requests no longer"],
        ),
        (Limited::schema(), &[]),
        (
            everything,
            &["limit requests to 400 read units and 200 write units per second"],
        ),
    ] {
        let plan = db.plan([declared.clone()]).await?;
        assert_eq!(says(&plan), expected);
        apply(&db, &plan).await?;
        let left = db.plan([declared]).await?;
        assert!(left.is_empty(), "{left}");
    }
    // DynamoDB Local also keeps the maximum with which it created the index.
    let plan = db.plan([Limited::schema()]).await?;
    assert_eq!(
        plan.tables[0].not_ours[0],
        "limits of its requests on demand"
    );
    Ok(())
}

/// A maximum and units contradict each other, in one declaration or between a declaration and a table.
pub(super) async fn a_maximum_needs_billing_by_requests(db: Db) -> Outcome {
    for declared in [
        Limited::schema().provisioned(5, 5).on_demand_maximum(5, 5),
        Limited::schema()
            .scaled(5, 5)
            .on_demand_maximum_of("by_city", 5, 5),
    ] {
        let refused = db.plan([declared]).await.expect_err("a contradiction");
        assert_eq!(refused.kind(), ErrorKind::Config, "{refused}");
        assert!(refused.to_string().contains("billed by units"), "{refused}");
    }
    db.create_tables([Limited::schema().provisioned(5, 5)])
        .await?;
    let declared = Limited::schema().on_demand_maximum(400, 200);
    let plan = db.plan([declared.clone()]).await?;
    let kinds: Vec<ChangeKind> = plan.steps().map(|step| step.kind).collect();
    assert_eq!(kinds, [ChangeKind::Replace], "{plan}");
    let (watched, http) = db.faulty([]);
    let refused = plan.apply(&watched).await.expect_err("it has units");
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
    assert_no_writes(&http, "a refused plan writes");
    assert!(
        refused.to_string().contains("declare `.on_demand()` too"),
        "{refused}"
    );
    // Programs that only start do not compare settings.
    db.create_tables([declared.clone()]).await?;
    db.add_indexes([declared.clone()]).await?;
    let plan = db.plan([declared.clone().on_demand()]).await?;
    let changes: Vec<&TableChange> = plan.steps().map(|step| &step.change).collect();
    assert_eq!(*changes[0], TableChange::SetBilling(Billing::OnDemand));
    apply(&db, &plan).await?;
    let left = db.plan([declared]).await?;
    assert!(left.is_empty(), "{left}");
    Ok(())
}

/// The text of the plan about costs and permissions.
pub(super) async fn a_plan_names_costs_and_permissions(db: Db) -> Outcome {
    if !matches!(db.engine(), crate::support::engine::Engine::Embedded(_)) {
        return Ok(());
    }
    let service = Service::new(Keeps::All, 7);
    let aws = connect(&db, &service);
    aws.create_tables([Limited::schema()]).await?;
    let declared = Limited::schema()
        .on_demand_maximum(400, 200)
        .on_demand_maximum_of("by_city", 50, 200)
        .warm_throughput(40_000, 1)
        .encryption(Encryption::key(KEYS[0]));
    let plan = aws.plan([declared.clone()]).await?;
    let text = plan.to_string();
    for words in [
        "encrypt the table by the key arn:aws:kms:eu-west-1:111122223333:key/one",
        "kms:CreateGrant",
        "limit requests to 400 read units and 200 write units per second",
        "limit requests of index `by_city` to 50 read units",
        "raise the warm throughput to 40000 read units and 1 write units per second",
        "raise the warm throughput of index `by_city`",
        "DynamoDB charges once for each unit that is added",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    service.take_writes();
    apply(&aws, &plan).await?;
    // Of the writes it has more, so they are not requested.
    let raised: Vec<String> = service
        .take_writes()
        .iter()
        .filter(|write| write.to_string().contains("WarmThroughput"))
        .map(|write| write["WarmThroughput"].to_string())
        .collect();
    assert_eq!(raised[0], r#"{"ReadUnitsPerSecond":40000}"#);
    // A managed key is not told from another one.
    let managed = aws
        .plan([declared.encryption(Encryption::AwsManaged)])
        .await?;
    assert!(managed.is_empty(), "{managed}");
    let note = managed.tables[0].not_ours.join(", ");
    assert!(
        note.contains("key/one is the one that AWS manages"),
        "{note}"
    );
    Ok(())
}

/// Mistakes are found before anything is sent.
pub(super) async fn settings_that_cannot_be_are_refused(db: Db) -> Outcome {
    let (watched, http) = db.faulty([]);
    for (declared, words) in [
        (Limited::schema().on_demand_maximum(0, 5), "0 read units"),
        (Limited::schema().warm_throughput(5, 0), "0 write units"),
        (
            Limited::schema().warm_throughput_of("by_city", 0, 9),
            "0 read units",
        ),
        (
            Limited::schema().on_demand_maximum_of("by_town", 5, 5),
            "`by_town`",
        ),
        (
            Limited::schema().encryption(Encryption::key("alias/orders")),
            "alias",
        ),
        (
            Limited::schema().encryption(Encryption::key(
                "arn:aws:kms:eu-west-1:111122223333:alias/orders",
            )),
            "alias",
        ),
        (
            Limited::schema().encryption(Encryption::key("1234abcd")),
            "`1234abcd`",
        ),
    ] {
        for refused in [
            watched.plan([declared.clone()]).await.map(drop),
            watched.create_tables([declared.clone()]).await,
        ] {
            let refused = refused.expect_err(words);
            assert_eq!(refused.kind(), ErrorKind::Config, "{refused}");
            assert!(refused.to_string().contains(words), "{refused}");
        }
    }
    assert!(http.calls().is_empty(), "{:?}", http.calls());
    Ok(())
}
