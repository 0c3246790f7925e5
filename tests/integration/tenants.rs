//! Connections of one tenant: no verb reaches a row of another one, whatever the tenants are called.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dynamo_entity::export::PolicyRecorder;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::{ErrorKind, Value};

use crate::support::db::{Db, Raw};
use crate::support::suite::{NO_MULTI_ATTRIBUTE_KEYS, Outcome};
use crate::tests;

tests![
    own_rows_are_reached_by_every_verb(Realm),
    foreign_rows_are_reached_by_no_verb(Realm),
    hostile_names_reach_nothing(Realm),
    rows_of_hostile_names_stay_apart(Realm),
    bare_keys_are_compared_exactly(Ticket) unless NO_MULTI_ATTRIBUTE_KEYS,
    cursors_of_others_are_rejected(Realm),
    untyped_items_enter_no_foreign_index(Realm),
    a_batch_writes_its_other_members(Realm),
    a_transaction_is_rejected_as_a_whole(Realm),
    imports_and_jobs_report_foreign_rows(Realm),
    operations_on_tables_and_streams_are_rejected(Realm),
    tables_that_are_not_named_are_rejected(Realm, Plain),
    a_tenant_does_not_become_another,
    rejected_requests_need_no_policy(Realm),
    tables_with_blobs_are_rejected,
];

crate::declare! {
    table Realm(name = "realm", pk = "pk", sk = "sk", tenant = org, entities(User, Task), stream = new_and_old_images,
        gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), lsi(lsi1, sk = "lsi1sk"));
    entity User(table = Realm, key(pk = "ORG#{org}#USER", sk = "{name}"), unique(by_email, email, org))
        { org: String, name: String, email: String, #[dynamo(version)] version: Version }
    entity Task(table = Realm, key(pk = "ORG#{org}", sk = "{number:06}"),
        gsi(by_owner, on = gsi1, pk = "OWNER#{org}#{owner}", sk = "{number:06}"), lsi(by_title, on = lsi1, sk = "{title}"))
        { org: String, number: u32, owner: String, title: String, #[dynamo(rest)] rest: Item }
    entity Ticket(table = "tickets", tenant = org, key(pk = org, sk = number), gsi(by_state, pk = [org, state], sk = [number]))
        { org: String, number: u32, state: String }
    entity Plain(table = "plain", key(pk = id)) { id: String }
    entity Album(table = "albums", tenant = org, key(pk = "ALBUM#{org}", sk = "{id}"), blob(cover)) { org: String, id: u32 }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Realm)]
enum Everything {
    Task(Task),
    User(User),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Realm, partition(org))]
enum Work {
    Task(Task),
    #[dynamo(other)]
    Other(Item),
}

fn task(org: &str, number: u32) -> Task {
    Task {
        org: org.into(),
        number,
        owner: "ann".into(),
        title: "a title".into(),
        rest: Item::new(),
    }
}

fn user(org: &str, name: &str) -> User {
    User {
        org: org.into(),
        name: name.into(),
        email: format!("{name}@example.org"),
        version: Version::default(),
    }
}

fn tenants(db: &Dynamo) -> Result<Dynamo> {
    db.clone()
        .with_tenant_tables([Realm::schema(), Ticket::schema()])
}

type Sent = std::result::Result<(), Error>;

macro_rules! verbs {
    ($db:ident, $org:ident: $($verb:expr;)*) => {
        /// The number of verbs.
        const VERBS: usize = [$(stringify!($verb)),*].len();

        const NAMES: [&str; VERBS] = [$(stringify!($verb)),*];

        /// Sends each verb for a tenant, or only the one with this number.
        async fn send_verbs($db: &Dynamo, $org: &str, only: Option<usize>) -> Vec<(&'static str, Sent)> {
            let mut sent = Vec::new();
            let mut number = 0;
            $(
                if only.is_none_or(|only| only == number) {
                    let outcome: Sent = Box::pin(async { $verb; Ok(()) }).await;
                    sent.push((NAMES[number], outcome));
                }
                number += 1;
            )*
            assert_eq!(number, VERBS);
            sent
        }
    };
}

verbs! { db, org:
    task(org, 1).put().send(db).await?;
    task(org, 2).create().send(db).await?;
    Task::key(org, 1).get().send(db).await?;
    Task::key(org, 1).get().consistent().send(db).await?;
    Task::get_many([Task::key(org, 1), Task::key(org, 2)]).send(db).await?;
    batch_get((Task::key(org, 1).get(), User::key(org, "ann").get())).send(db).await?;
    transact_get((Task::key(org, 1).get(), User::key(org, "ann").get())).send(db).await?;
    Task::in_partition(org).all(db).await?;
    Task::in_partition(org).number().ge(1).descending().limit(1).page(db).await?;
    Task::in_partition(org).count(db).await?;
    Task::in_partition(org).first(db).await?;
    Task::in_partition(any_of([org, org])).all(db).await?;
    Task::in_partition(org).export(std::io::sink()).send(db).await?.complete()?;
    Task::by_owner(org, "ann").all(db).await?;
    Task::by_owner(org, "ann").count(db).await?;
    Task::by_title(org).all(db).await?;
    Work::in_partition(org).all(db).await?;
    Task::key(org, 1).update().apply(|t| t.title().set("b")).send(db).await?;
    Task::key(org, 1).update().apply(|t| t.owner().set("bob")).when(|t| t.number().eq(1)).send(db).await?;
    Task::key(org, 1).modify(|t| t.owner = "cat".into()).send(db).await?;
    task(org, 1).update().apply(|t| t.title().set("c")).send(db).await.map(drop).or_else(lost)?;
    Task::key(org, 7).upsert().apply(|t| (t.title().set("d"), t.owner().set("dan"))).send(db).await?;
    user(org, "ann").create().send(db).await?;
    User::by_email("ann@example.org", org).send(db).await?;
    User::key(org, "ann").modify(|u| u.email = "bea@example.org".into()).send(db).await?;
    User::key(org, "ann").delete().send(db).await?;
    Transaction::new().with(task(org, 4).put()).with(Task::key(org, 1).check().if_exists()).send(db).await?;
    Transaction::new().with(Task::key(org, 4).update().apply(|t| t.title().set("e"))).send(db).await?;
    Transaction::new().with(Task::key(org, 4).delete()).send(db).await?;
    task(org, 5).put().idempotent().send(db).await?;
    transact(db, async |tx| tx.get(Task::key(org, 1)).await).await?;
    Batch::new().with_all([task(org, 6).put()]).send(db).await?.complete()?;
    Batch::new().with_all([Task::key(org, 6).delete()]).send(db).await?.complete()?;
    put_each([task(org, 8).put()]).send(db).await?.complete()?;
    Task::in_partition(org).update_each(|t| t.update().apply(|t| t.title().set("f"))).send(db).await?.complete()?;
    Task::in_partition(org).delete_each().send(db).await?.complete()?;
    Item::in_table("realm").put(task(org, 9).to_item()?).send(db).await?;
    Item::in_table("realm").get(Task::key(org, 9).to_item()?).send(db).await?;
    Item::in_table("realm").delete(Task::key(org, 9).to_item()?).send(db).await?;
    Realm::schema().dynamic("Task")?.in_partition([org])?.all(db).await?;
    Realm::schema().dynamic("Task")?.query("by_owner", [org, "ann"])?.all(db).await?;
    task(org, 1).delete().send(db).await?;
}

/// A condition that does not hold was checked by the service, so the request was sent.
fn lost(error: Error) -> Result<()> {
    match error.is_lost_race() {
        true => Ok(()),
        false => Err(error),
    }
}

/// Verbs that read every tenant.
async fn send_scans(db: &Dynamo) -> Vec<(&'static str, Sent)> {
    let scans: [(&'static str, Sent); 6] = [
        ("scan", Task::scan().all(db).await.map(drop)),
        ("count", Task::scan().count(db).await.map(drop)),
        ("segments", Task::scan().segments(2).all(db).await.map(drop)),
        (
            "refill",
            Task::scan()
                .refill()
                .send(db)
                .await
                .and_then(|report| report.complete())
                .map(drop),
        ),
        (
            "items",
            async { Realm::schema().scan_items()?.all(db).await.map(drop) }.await,
        ),
        ("collection", Everything::scan().all(db).await.map(drop)),
    ];
    scans.into()
}

/// A connection that counts the requests with a response.
fn counted(db: &Dynamo) -> (Dynamo, Arc<AtomicUsize>) {
    let answered = Arc::new(AtomicUsize::new(0));
    let counter = answered.clone();
    let db = db.clone().with_observer(move |seen| {
        if seen.error.is_none() || seen.request_id.is_some() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    (db, answered)
}

/// Everything that is stored, by its key, read without the library.
async fn stored(db: &Db) -> BTreeMap<String, Raw> {
    let scan = db.client().scan().table_name(db.table::<Realm>());
    let found = scan.send().await.expect("a scan").items.unwrap_or_default();
    let keyed = |item: Raw| (format!("{:?} {:?}", item["pk"], item["sk"]), item);
    found.into_iter().map(keyed).collect()
}

async fn own_rows_are_reached_by_every_verb(db: Db) -> Outcome {
    for org in ["acme", "a#b", "%", "*?${x}", "\u{0}", "Ünter 1"] {
        let acme = tenants(&db)?.for_tenant(org)?;
        for (verb, sent) in send_verbs(&acme, org, None).await {
            sent.map_err(|error| format!("{org:?}: {verb}: {error:?}"))?;
        }
    }
    Ok(())
}

async fn foreign_rows_are_reached_by_no_verb(db: Db) -> Outcome {
    for number in 1..8 {
        task("acme", number).put().send(&db).await?;
    }
    user("acme", "ann").create().send(&db).await?;
    let before = stored(&db).await;
    let (watched, answered) = counted(&db);
    let foreign = tenants(&watched)?.for_tenant("globex")?;
    let mut sent = send_verbs(&foreign, "acme", None).await;
    sent.extend(send_scans(&foreign).await);
    for (verb, sent) in sent {
        assert_eq!(
            sent.err().map(|error| error.kind()),
            Some(ErrorKind::OutsideTenant),
            "{verb}"
        );
    }
    assert_eq!(answered.load(Ordering::Relaxed), 0);
    assert_eq!(stored(&db).await, before);
    Ok(())
}

/// Names that a comparison by prefix, by pattern or without escapes would confuse.
fn hostile_name(random: &mut fastrand::Rng) -> String {
    const PARTS: [&str; 28] = [
        "a", "A", "ac", "acme", "acme2", "#", "##", "%", "%23", "%25", "*", "?", "${a}", "$",
        "\u{0}", "\u{1f}", " ", ":", "ORG", "ORG#", "#USER", "USER", "OWNER#", "$UNIQUE#", "ä",
        "a\u{308}", "\u{430}", "\u{feff}",
    ];
    let length = random.usize(0..4);
    (0..length)
        .map(|_| PARTS[random.usize(..PARTS.len())])
        .collect()
}

/// Whether a verb for one tenant was kept from another. An empty name is an error of its own.
fn is_rejected(sent: &Sent) -> bool {
    let kind = sent.as_ref().err().map(Error::kind);
    matches!(kind, Some(ErrorKind::OutsideTenant | ErrorKind::InvalidKey))
}

async fn hostile_names_reach_nothing(db: Db) -> Outcome {
    let (watched, answered) = counted(&db);
    let tables = tenants(&watched)?;
    let mut random = fastrand::Rng::with_seed(68);
    for number in 0..100_000 {
        let own = hostile_name(&mut random);
        // Half of them are beginnings of one another.
        let foreign = match random.u8(..4) {
            0 => format!("{own}{}", hostile_name(&mut random)),
            1 => own.chars().skip(1).collect(),
            _ => hostile_name(&mut random),
        };
        if own == foreign {
            continue;
        }
        if own.is_empty() {
            assert_eq!(
                tables.for_tenant(&own).err().map(|it| it.kind()),
                Some(ErrorKind::InvalidKey)
            );
            continue;
        }
        let tenant = tables.for_tenant(&own)?;
        for (verb, sent) in send_verbs(&tenant, &foreign, Some(number % VERBS)).await {
            assert!(
                is_rejected(&sent),
                "{own:?} reached {foreign:?} by {verb}: {sent:?}"
            );
        }
    }
    assert_eq!(answered.load(Ordering::Relaxed), 0);
    assert_eq!(stored(&db).await, BTreeMap::new());
    Ok(())
}

/// Each tenant reads its own rows, and all of them, beside those of similar names.
async fn rows_of_hostile_names_stay_apart(db: Db) -> Outcome {
    let tables = tenants(&db)?;
    let mut random = fastrand::Rng::with_seed(69);
    let names: BTreeSet<String> = (0..60).map(|_| hostile_name(&mut random)).collect();
    let names: Vec<&String> = names.iter().filter(|name| !name.is_empty()).collect();
    for (number, org) in (0..).zip(&names) {
        let tenant = tables.for_tenant(org.as_str())?;
        task(org, number).create().send(&tenant).await?;
        user(org, "ann").create().send(&tenant).await?;
    }
    for (number, org) in (0..).zip(&names) {
        let tenant = tables.for_tenant(org.as_str())?;
        let own = [task(org, number)];
        assert_eq!(
            Task::in_partition(org.as_str()).all(&tenant).await?,
            own,
            "{org:?}"
        );
        assert_eq!(
            Task::by_owner(org.as_str(), "ann").all(&tenant).await?,
            own,
            "{org:?}"
        );
        let found = User::by_email("ann@example.org", org.as_str())
            .send(&tenant)
            .await?;
        assert_eq!(found.map(|user| user.org).as_deref(), Some(org.as_str()));
    }
    Ok(())
}

async fn bare_keys_are_compared_exactly(db: Db) -> Outcome {
    let tables = tenants(&db)?;
    let ticket = |org: &str| Ticket {
        org: org.into(),
        number: 1,
        state: "open".into(),
    };
    for org in ["a", "a#b", "a%23b"] {
        let tenant = tables.for_tenant(org)?;
        ticket(org).create().send(&tenant).await?;
        assert_eq!(
            Ticket::by_state(org, "open").all(&tenant).await?,
            [ticket(org)]
        );
        assert_eq!(
            Ticket::key(org, 1).get().send(&tenant).await?,
            Some(ticket(org))
        );
        for other in ["a", "a#b", "a%23b", "b"]
            .into_iter()
            .filter(|other| *other != org)
        {
            for error in [
                ticket(other).put().send(&tenant).await.err(),
                Ticket::key(other, 1).get().send(&tenant).await.err(),
                Ticket::by_state(other, "open").all(&tenant).await.err(),
                Ticket::in_partition(other).all(&tenant).await.err(),
            ] {
                assert_eq!(
                    error.map(|error| error.kind()),
                    Some(ErrorKind::OutsideTenant),
                    "{org} {other}"
                );
            }
        }
    }
    Ok(())
}

async fn cursors_of_others_are_rejected(db: Db) -> Outcome {
    let tables = tenants(&db)?;
    for org in ["acme", "globex"] {
        for number in 1..5 {
            task(org, number).put().send(&db).await?;
        }
    }
    let acme = tables.for_tenant("acme")?;
    let globex = tables.for_tenant("globex")?;
    let all = Task::in_partition("acme").limit(2).page(&acme).await?;
    let owned = Task::by_owner("acme", "ann").limit(2).page(&acme).await?;
    assert!(all.next.is_some() && owned.next.is_some());
    for (own, foreign) in [
        (
            Task::in_partition("globex")
                .resume(all.next.clone())
                .page(&globex)
                .await
                .map(drop),
            Task::in_partition("acme")
                .resume(all.next.clone())
                .page(&globex)
                .await
                .map(drop),
        ),
        (
            Task::by_owner("globex", "ann")
                .resume(owned.next.clone())
                .page(&globex)
                .await
                .map(drop),
            Task::by_owner("acme", "ann")
                .resume(owned.next.clone())
                .page(&globex)
                .await
                .map(drop),
        ),
    ] {
        assert_eq!(
            own.err().map(|error| error.kind()),
            Some(ErrorKind::InvalidCursor)
        );
        assert_eq!(
            foreign.err().map(|error| error.kind()),
            Some(ErrorKind::OutsideTenant)
        );
    }
    let rest = Task::in_partition("acme")
        .resume(all.next)
        .page(&acme)
        .await?;
    assert_eq!(rest.rows.len(), 2);
    Ok(())
}

async fn untyped_items_enter_no_foreign_index(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let with = |name: &str, value: Value| {
        let mut item = task("acme", 1).to_item()?;
        item.insert(name, value);
        Ok::<_, Error>(item)
    };
    let table = Item::in_table("realm");
    for item in [
        with("gsi1pk", "OWNER#globex#ann".into())?,
        with("gsi1pk", "OWNER#acme2#ann".into())?,
        with("gsi1pk", "OWNER#".into())?,
        with("gsi1pk", "elsewhere".into())?,
        with("gsi1pk", 7.into())?,
        with("pk", "ORG#acme2".into())?,
        with("pk", "OWNER#acme".into())?,
        with("pk", "$UNIQUE#User#email,org#acme#globex".into())?,
        with("pk", "$UNIQUE#User#email#acme".into())?,
    ] {
        let error = table.put(item.clone()).send(&acme).await.err();
        assert_eq!(
            error.map(|error| error.kind()),
            Some(ErrorKind::OutsideTenant),
            "{item:?}"
        );
    }
    // The unknown attributes of an entity are a door, too: a user has no key in the index.
    let mut entity = task("acme", 1);
    entity.rest.insert("note", "own");
    entity.put().send(&acme).await?;
    table
        .put(with("gsi1pk", "OWNER#acme#x".into())?)
        .send(&acme)
        .await?;
    table
        .delete(Task::key("acme", 1).to_item()?)
        .send(&acme)
        .await?;
    Ok(())
}

async fn a_batch_writes_its_other_members(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let orgs = (0..60).map(|number| if number % 7 == 3 { "globex" } else { "acme" });
    let tasks: Vec<Task> = orgs
        .zip(0..)
        .map(|(org, number)| task(org, number))
        .collect();
    let puts = tasks.iter().map(Task::put);
    let report = Batch::new().with_all(puts).send(&acme).await?;
    assert_eq!(report.errors.len(), 9);
    for error in &report.errors {
        assert_eq!(error.error.kind(), ErrorKind::OutsideTenant);
    }
    assert_eq!((report.done, report.left.len()), (51, 0));
    assert_eq!(Task::in_partition("acme").count(&acme).await?, 51);
    assert_eq!(Task::in_partition("globex").count(&db).await?, 0);
    Ok(())
}

async fn a_transaction_is_rejected_as_a_whole(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let foreign = || Task::key("globex", 1);
    let (own, theirs) = (task("acme", 1), task("globex", 1));
    let user = user("globex", "ann");
    for other in [
        Transaction::new().with(theirs.put()),
        Transaction::new().with(foreign().check().if_missing()),
        Transaction::new().with(foreign().delete()),
        Transaction::new().with(user.create()),
    ] {
        let error = other.with(own.put()).send(&acme).await.err();
        assert_eq!(
            error.map(|error| error.kind()),
            Some(ErrorKind::OutsideTenant)
        );
    }
    let read = transact_get((Task::key("acme", 1).get(), foreign().get()))
        .send(&acme)
        .await;
    assert_eq!(
        read.err().map(|error| error.kind()),
        Some(ErrorKind::OutsideTenant)
    );
    assert_eq!(stored(&db).await, BTreeMap::new());
    Ok(())
}

async fn imports_and_jobs_report_foreign_rows(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let mut lines = Vec::new();
    for (number, org) in (1..).zip(["acme", "globex", "acme"]) {
        task(org, number).put().send(&db).await?;
        Task::in_partition(org)
            .number()
            .eq(number)
            .export(&mut lines)
            .send(&db)
            .await?
            .complete()?;
        Task::key(org, number).delete().send(&db).await?;
    }
    let report = Task::import(&lines[..]).send(&acme).await?;
    assert_eq!(report.counts().written, 2, "{report:?}");
    assert_eq!(report.errors().len(), 1, "{report:?}");
    let report = Realm::schema()
        .import(&lines[..])?
        .replace()
        .send(&acme)
        .await?;
    assert_eq!(report.errors().len(), 1, "{report:?}");
    assert_eq!(Task::in_partition("globex").count(&db).await?, 0);

    let rows = [task("acme", 8), task("globex", 8)];
    let report = put_each(rows.iter().map(Task::put)).send(&acme).await?;
    assert!(report.complete().is_err());
    assert_eq!(Task::in_partition("globex").count(&db).await?, 0);
    Ok(())
}

async fn operations_on_tables_and_streams_are_rejected(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let kind = |error: Option<Error>| error.map(|error| error.kind());
    let outside = Some(ErrorKind::OutsideTenant);
    assert_eq!(
        kind(acme.create_tables([Realm::schema()]).await.err()),
        outside
    );
    assert_eq!(
        kind(acme.add_indexes([Realm::schema()]).await.err()),
        outside
    );
    assert_eq!(kind(acme.plan([Realm::schema()]).await.err()), outside);
    assert_eq!(kind(Task::changes().open(&acme).await.err()), outside);
    let export = acme.export_to_s3(Realm::schema()).bucket("exports").await;
    assert_eq!(kind(export.err()), outside);
    assert_eq!(kind(acme.serve().err()), outside);
    Ok(())
}

async fn tables_that_are_not_named_are_rejected(db: Db) -> Outcome {
    let error = Dynamo::clone(&db)
        .with_tenant_tables([Plain::schema()])
        .err();
    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::Config));
    assert_eq!(
        db.for_tenant("acme").err().map(|error| error.kind()),
        Some(ErrorKind::Config)
    );
    let acme = tenants(&db)?.for_tenant("acme")?;
    let error = Plain { id: "acme".into() }.put().send(&acme).await.err();
    assert_eq!(
        error.map(|error| error.kind()),
        Some(ErrorKind::OutsideTenant)
    );
    // A prefix that is set later names other tables.
    let other = acme.with_prefix("elsewhere");
    let error = task("acme", 1).put().send(&other).await.err();
    assert_eq!(
        error.map(|error| error.kind()),
        Some(ErrorKind::OutsideTenant)
    );
    Ok(())
}

async fn a_tenant_does_not_become_another(db: Db) -> Outcome {
    let acme = tenants(&db)?.for_tenant("acme")?;
    let error = acme.for_tenant("globex").err();
    assert_eq!(
        error.map(|error| error.kind()),
        Some(ErrorKind::OutsideTenant)
    );
    acme.for_tenant("acme")?;
    let again = tenants(&acme).err();
    assert_eq!(
        again.map(|error| error.kind()),
        Some(ErrorKind::OutsideTenant)
    );
    Ok(())
}

async fn rejected_requests_need_no_policy(db: Db) -> Outcome {
    let recorder = PolicyRecorder::default();
    let db = Dynamo::clone(&db).with_observer(recorder.observer());
    let acme = tenants(&db)?.for_tenant("acme")?;
    assert!(Task::key("globex", 1).get().send(&acme).await.is_err());
    assert!(Task::scan().all(&acme).await.is_err());
    assert_eq!(format!("{recorder:?}"), "{}");
    task("acme", 1).put().send(&acme).await?;
    assert!(format!("{recorder:?}").contains("PutItem"));
    Ok(())
}

async fn tables_with_blobs_are_rejected(db: Db) -> Outcome {
    let kind = |schema: TableSchema| {
        let named = Dynamo::clone(&db).with_tenant_tables([schema]);
        named.err().map(|error| error.kind())
    };
    assert_eq!(kind(Album::schema()), Some(ErrorKind::Config));
    Ok(())
}
