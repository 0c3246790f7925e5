//! Entities with the same keys, whose rows are identified by their types: `identify_by = type`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, StreamEvent};
use dynamo_entity::{Error, ErrorKind, Item, Value};

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::engine::Kind as Engine;
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    rows_of_pynamo_db_are_read_and_kept(Zoo),
    random_writes_change_only_rows_of_their_entity(Animals),
    concurrent_programs_keep_their_rows(Animals),
    jobs_leave_rows_that_become_others(Animals),
    rows_that_become_others_are_not_deleted(Animals),
    a_failed_write_returns_the_item_of_the_other_entity(Animals),
    writes_without_a_response_are_sent_again(Animals),
    items_without_a_type_belong_to_no_entity(Animals),
    reads_of_other_rows_are_errors(Animals),
    lines_and_copies_replace_no_other_row(Animals),
    keys_without_images_are_shown_to_all(Animals),
    expired_rows_of_others_are_kept(Leases),
    constants_distinguish_rows_of_one_type(Editions),
];

/// Polymorphic models of PynamoDB, with `cls = DiscriminatorAttribute()`.
#[derive(DynamoTable)]
#[dynamo(name = "zoo", pk = "id", verbatim, type_attribute = "cls", identify_by = type, entities(Cat, Dog))]
struct Zoo;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Zoo, key(pk = id))]
struct Cat {
    id: String,
    lives: u8,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Zoo, key(pk = id))]
struct Dog {
    id: String,
    owner: Option<String>,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Zoo)]
enum Animal {
    Cat(Cat),
    Dog(Dog),
}

async fn rows_of_pynamo_db_are_read_and_kept(db: Db) -> Outcome {
    let rows = [
        raw([("id", s("1")), ("cls", s("Cat")), ("lives", n(9))]),
        raw([("id", s("2")), ("cls", s("Dog")), ("owner", s("ann"))]),
        raw([
            ("id", s("3")),
            ("cls", s("Cat")),
            ("lives", n(7)),
            ("fur", s("red")),
        ]),
        raw([("id", s("4")), ("cls", s("Bird")), ("song", s("x"))]),
    ];
    for row in &rows {
        db.plant::<Cat>(row.clone()).await;
    }
    let dog = Dog::key("2").get().send(&db).await?.ok_or("a dog")?;
    assert_eq!(dog.owner.as_deref(), Some("ann"));
    assert_eq!(Cat::scan().count(&db).await?, 2);
    assert_eq!(Dog::scan().all(&db).await?, [dog.clone()]);
    let animals = Animal::scan().lenient().all(&db).await?;
    // The bird is no variant, and is reported.
    assert_eq!(animals.iter().filter(|row| row.is_ok()).count(), 3);
    assert_eq!(animals.len(), 4);

    let cat = |id: &str| Cat {
        id: id.into(),
        lives: 1,
        rest: Item::new(),
    };
    for id in ["2", "4"] {
        assert!(
            cat(id)
                .put()
                .send(&db)
                .await
                .is_err_and(|error| error.is_conflict())
        );
        let created = cat(id).create().send(&db).await;
        assert!(created.is_err_and(|error| error.is_already_exists()));
        assert!(
            Cat::key(id)
                .delete()
                .send(&db)
                .await
                .is_err_and(|error| error.is_conflict())
        );
        let kept = rows.iter().find(|row| row["id"] == s(id));
        assert_eq!(db.raw(&Cat::key(id)).await.as_ref(), kept);
    }
    let cat = Cat::key("3")
        .update()
        .apply(|c| c.lives().set(6))
        .send(&db)
        .await?;
    assert_eq!(
        (cat.lives, cat.rest.get("fur")),
        (6, Some(&Value::S("red".into())))
    );
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(
    name = "animals",
    pk = "pk",
    sk = "sk",
    type_attribute = "cls",
    identify_by = type,
    entities(Mouse, Horse, Fish),
    stream = new_and_old_images
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk", project = keys))]
struct Animals;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"))]
#[dynamo(gsi(mice_by_count, on = gsi1, pk = "COUNT#{count}", sk = "{name}"))]
struct Mouse {
    owner: String,
    name: String,
    count: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"))]
#[dynamo(gsi(horses_by_count, on = gsi1, pk = "COUNT#{count}", sk = "{name}"))]
struct Horse {
    owner: String,
    name: String,
    count: u32,
    #[dynamo(version)]
    version: Version,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"), unique(by_tag, tag))]
struct Fish {
    owner: String,
    name: String,
    count: u32,
    tag: String,
}

#[derive(Debug, Clone, PartialEq, DynamoProjection)]
#[dynamo(entity = Mouse)]
struct Count {
    count: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Animals, partition(owner))]
enum Owned {
    Mouse(Mouse),
    Horse(Horse),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Mouse,
    Horse,
    Fish,
    /// No type, so no entity.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verb {
    Put,
    Create,
    Idempotent,
    Update,
    Upsert,
    Modify,
    Transact,
    Delete,
    DeleteLoaded,
    Unit,
    PutEach,
}

const VERBS: [Verb; 11] = [
    Verb::Put,
    Verb::Create,
    Verb::Idempotent,
    Verb::Update,
    Verb::Upsert,
    Verb::Modify,
    Verb::Transact,
    Verb::Delete,
    Verb::DeleteLoaded,
    Verb::Unit,
    Verb::PutEach,
];

const KINDS: [Kind; 3] = [Kind::Mouse, Kind::Horse, Kind::Fish];
const OWNERS: [&str; 2] = ["ann", "bob"];
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The owner and the name.
type Place = (&'static str, &'static str);

/// The description of what was done.
type Described = std::result::Result<String, Box<dyn std::error::Error>>;

/// A row: its kind and its count.
type Row = (Kind, u32);

/// Another writer of the table, which may be a process without the library.
fn untyped(place: Place) -> Raw {
    let (owner, name) = place;
    raw([
        ("pk", s(&format!("OWNER#{owner}"))),
        ("sk", s(name)),
        ("count", n(7)),
    ])
}

fn mouse((owner, name): Place, count: u32) -> Mouse {
    Mouse {
        owner: owner.into(),
        name: name.into(),
        count,
    }
}

fn horse((owner, name): Place, count: u32) -> Horse {
    Horse {
        owner: owner.into(),
        name: name.into(),
        count,
        version: Version::default(),
    }
}

fn fish((owner, name): Place, count: u32) -> Fish {
    let tag = format!("{owner}/{name}");
    Fish {
        owner: owner.into(),
        name: name.into(),
        count,
        tag,
    }
}

async fn upsert_mouse(db: &Dynamo, new: Mouse) -> Result<()> {
    let upsert = new.key().upsert().apply(|p| p.count().set(new.count));
    upsert.send(db).await.map(drop)
}

async fn upsert_horse(db: &Dynamo, new: Horse) -> Result<()> {
    let upsert = new.key().upsert().apply(|p| p.count().set(new.count));
    upsert.send(db).await.map(drop)
}

async fn upsert_fish(db: &Dynamo, new: Fish) -> Result<()> {
    let changed =
        |p: <Fish as DynamoEntity>::Paths| (p.count().set(new.count), p.tag().set(new.tag.clone()));
    new.key().upsert().apply(changed).send(db).await.map(drop)
}

macro_rules! kinds {
    ($($function:ident $new:ident $upsert:ident [$($unchecked:tt)*])*) => {$(
        async fn $function(db: &Dynamo, verb: Verb, place: Place, count: u32) -> Result<()> {
            let new = $new(place, count);
            let key = new.key();
            match verb {
                Verb::Put => new.put()$($unchecked)*.send(db).await.map(drop),
                Verb::Create => new.create().send(db).await.map(drop),
                Verb::Idempotent => new.create().idempotent().send(db).await,
                Verb::Update => key.update().apply(|p| p.count().set(count)).send(db).await.map(drop),
                Verb::Upsert => $upsert(db, new).await,
                Verb::Modify => key.modify(|p| p.count = count).send(db).await.map(drop),
                Verb::Transact => {
                    let update = key.update().apply(|p| p.count().set(count));
                    Transaction::new().with(update).send(db).await.map(drop)
                }
                Verb::Delete => key.delete().send(db).await.map(drop),
                Verb::DeleteLoaded => match key.get().send(db).await? {
                    Some(found) => found.delete().send(db).await.map(drop),
                    None => Ok(()),
                },
                Verb::Unit => {
                    transact(db, async |tx| {
                        match tx.get(new.key()).await? {
                            Some(mut found) => {
                                found.count = count;
                                tx.put(&found)
                            }
                            None => tx.create(&new),
                        }
                    })
                    .await
                }
                Verb::PutEach => {
                    let report = put_each([new.put()$($unchecked)*]).send(db).await?;
                    report.complete().map(drop)
                }
            }
        }
    )*};
}

kinds! {
    of_mouse mouse upsert_mouse []
    of_horse horse upsert_horse [.unchecked()]
    of_fish fish upsert_fish []
}

async fn write(db: &Dynamo, kind: Kind, verb: Verb, place: Place, count: u32) -> Result<()> {
    match kind {
        Kind::Mouse => of_mouse(db, verb, place, count).await,
        Kind::Horse => of_horse(db, verb, place, count).await,
        Kind::Fish => of_fish(db, verb, place, count).await,
        Kind::None => Ok(()),
    }
}

/// The row after a write, or the kind of its error; `None` for the error of a job.
fn expected(
    kind: Kind,
    verb: Verb,
    before: Option<Row>,
    count: u32,
) -> std::result::Result<Option<Row>, Option<ErrorKind>> {
    let own = Ok(Some((kind, count)));
    let is_own = before.is_some_and(|(stored, _)| stored == kind);
    match (verb, before) {
        (Verb::Create | Verb::Idempotent, None) => own,
        (Verb::Create | Verb::Idempotent, Some(_)) => Err(Some(ErrorKind::AlreadyExists)),
        (Verb::Put | Verb::Upsert | Verb::PutEach | Verb::Unit, None) => own,
        (Verb::Update | Verb::Modify | Verb::Transact, None) => Err(Some(ErrorKind::NotFound)),
        (Verb::Delete | Verb::DeleteLoaded, None) => Ok(None),
        (Verb::Delete | Verb::DeleteLoaded, Some(_)) if is_own => Ok(None),
        (_, Some(_)) if is_own => own,
        (Verb::Modify | Verb::DeleteLoaded | Verb::Unit, Some(_)) => Err(Some(ErrorKind::Decode)),
        (Verb::PutEach, Some(_)) => Err(None),
        (_, Some(_)) => Err(Some(ErrorKind::Conflict)),
    }
}

/// All items of the table by their keys, read without the library.
async fn dump(db: &Db) -> BTreeMap<(String, String), Raw> {
    let scan = db.client().scan().table_name(db.table::<Animals>());
    let scan = scan.consistent_read(true).send().await.expect("a scan");
    let text = |row: &Raw, name: &str| row[name].as_s().expect("a text").clone();
    let rows = scan.items.unwrap_or_default().into_iter();
    rows.map(|row| ((text(&row, "pk"), text(&row, "sk")), row))
        .collect()
}

fn kind_of(row: &Raw) -> Kind {
    match row
        .get("cls")
        .and_then(|name| name.as_s().ok())
        .map(String::as_str)
    {
        Some("Mouse") => Kind::Mouse,
        Some("Horse") => Kind::Horse,
        Some("Fish") => Kind::Fish,
        _ => Kind::None,
    }
}

/// The rows of a dump as the model knows them. Items of unique values are no rows: each belongs to a fish.
fn rows_of(dump: &BTreeMap<(String, String), Raw>) -> BTreeMap<Place, Row> {
    let mut rows = BTreeMap::new();
    for owner in OWNERS {
        for name in NAMES {
            if let Some(row) = dump.get(&(format!("OWNER#{owner}"), name.to_owned())) {
                let count = row["count"]
                    .as_n()
                    .expect("a number")
                    .parse()
                    .expect("a count");
                rows.insert((owner, name), (kind_of(row), count));
            }
        }
    }
    let fish = rows
        .values()
        .filter(|(kind, _)| *kind == Kind::Fish)
        .count();
    assert_eq!(
        dump.len(),
        rows.len() + fish,
        "each fish has one item of its unique value"
    );
    rows
}

/// No write of one entity changes an item of another one.
fn require_kept(
    before: &BTreeMap<(String, String), Raw>,
    after: &BTreeMap<(String, String), Raw>,
    kind: Kind,
    what: &str,
) {
    let is_of_fish = |row: &Raw| kind == Kind::Fish && row.contains_key("$unique");
    for (key, row) in before {
        if kind_of(row) != kind && !is_of_fish(row) {
            assert_eq!(after.get(key), Some(row), "{what}");
        }
    }
    for (key, row) in after {
        let is_new = !before.contains_key(key);
        assert!(
            !is_new || kind_of(row) == kind || is_of_fish(row),
            "{what}: {row:?}"
        );
    }
}

async fn random_writes_change_only_rows_of_their_entity(db: Db) -> Outcome {
    let (seeds, steps) = match Engine::here().is_server() {
        true => (0..2, 60),
        false => (0..6, 120),
    };
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut model: BTreeMap<Place, Row> = BTreeMap::new();
        for step in 0..steps {
            let place = (OWNERS[random.usize(..2)], NAMES[random.usize(..3)]);
            let kind = KINDS[random.usize(..3)];
            let before = dump(&db).await;
            let what = match random.u8(..12) {
                0 => job(&db, kind, place.0, &mut random, &mut model).await?,
                1 => transaction(&db, kind, step, &mut random, &mut model).await?,
                2 => {
                    other_program(&db, place, &mut random, &mut model).await?;
                    continue;
                }
                _ => {
                    let verb = VERBS[random.usize(..VERBS.len())];
                    let what =
                        format!("seed {seed}, step {step}: {verb:?} of a {kind:?} at {place:?}");
                    let written = write(&db, kind, verb, place, step).await;
                    match (
                        expected(kind, verb, model.get(&place).copied(), step),
                        written,
                    ) {
                        (Ok(row), Ok(())) => match row {
                            Some(row) => drop(model.insert(place, row)),
                            None => drop(model.remove(&place)),
                        },
                        (Err(kind), Err(error)) => {
                            assert_eq!(
                                kind.unwrap_or(error.kind()),
                                error.kind(),
                                "{what}: {error}"
                            );
                        }
                        (expected, found) => panic!("{what}: {expected:?} is not {found:?}"),
                    }
                    what
                }
            };
            let after = dump(&db).await;
            require_kept(&before, &after, kind, &what);
            assert_eq!(rows_of(&after), model, "{what}");
            check_reads(&db, &model).await?;
        }
        let client = db.client();
        for row in dump(&db).await.into_values() {
            let key = raw([("pk", row["pk"].clone()), ("sk", row["sk"].clone())]);
            let delete = client.delete_item().table_name(db.table::<Animals>());
            delete.set_key(Some(key)).send().await?;
        }
    }
    Ok(())
}

/// Another program stores or deletes an item without a type, or deletes one that has a type and no unique value.
async fn other_program(
    db: &Db,
    place: Place,
    random: &mut fastrand::Rng,
    model: &mut BTreeMap<Place, Row>,
) -> Outcome {
    let key = mouse(place, 0).key();
    match model.get(&place) {
        None if random.bool() => {
            db.plant::<Mouse>(untyped(place)).await;
            model.insert(place, (Kind::None, 7));
        }
        Some((Kind::None | Kind::Mouse | Kind::Horse, _)) => {
            let delete = db.client().delete_item().table_name(db.table::<Animals>());
            delete.set_key(Some(key.to_item()?.into())).send().await?;
            model.remove(&place);
        }
        _ => {}
    }
    Ok(())
}

/// A job over the rows of an entity in one partition. An item without a type is an error of the job, which is not tested here.
async fn job(
    db: &Db,
    kind: Kind,
    owner: &'static str,
    random: &mut fastrand::Rng,
    model: &mut BTreeMap<Place, Row>,
) -> Described {
    let is_whole = !model
        .iter()
        .any(|(place, row)| place.0 == owner && row.0 == Kind::None);
    let which = random.u8(..4);
    let what = format!("the job {which} of {kind:?} in {owner}");
    if !is_whole {
        return Ok(what);
    }
    macro_rules! jobs {
        ($($kind:ident)*) => {
            match kind {
                $(Kind::$kind => match which {
                    0 => $kind::in_partition(owner).update_each(|row| {
                        let count = row.count + 100;
                        row.update().apply(|p| p.count().set(count))
                    }).send(db).await?.complete()?,
                    1 => $kind::in_partition(owner).delete_each().send(db).await?.complete()?,
                    2 => $kind::in_partition(owner).delete_each_unchecked().send(db).await?.complete()?,
                    _ => $kind::in_partition(owner).transact_each(|row: &$kind| {
                        let count = row.count + 100;
                        Transaction::new().with(row.update().apply(|p| p.count().set(count)))
                    }).send(db).await?.complete()?,
                },)*
                Kind::None => return Ok(what),
            }
        };
    }
    let counts = jobs!(Mouse Horse Fish);
    let rows = model
        .iter_mut()
        .filter(|(place, row)| place.0 == owner && row.0 == kind);
    assert_eq!(counts.written, rows.count() as u64, "{what}");
    match which {
        1 | 2 => model.retain(|place, row| place.0 != owner || row.0 != kind),
        _ => {
            for (place, row) in model.iter_mut() {
                if place.0 == owner && row.0 == kind {
                    row.1 += 100;
                }
            }
        }
    }
    Ok(what)
}

/// Two operations that take effect together, or not at all.
async fn transaction(
    db: &Db,
    kind: Kind,
    count: u32,
    random: &mut fastrand::Rng,
    model: &mut BTreeMap<Place, Row>,
) -> Described {
    let owner = OWNERS[random.usize(..2)];
    let at = random.usize(..3);
    let (first, second) = ((owner, NAMES[at]), (owner, NAMES[(at + 1) % 3]));
    let verb = random.u8(..3);
    let what = format!("the transaction {verb} of {kind:?} at {first:?} and {second:?}");
    macro_rules! transactions {
        ($($kind:ident $new:ident)*) => {
            match kind {
                $(Kind::$kind => {
                    let transaction = Transaction::new().with($new(first, count).into_create());
                    let key = $new(second, count).key();
                    match verb {
                        0 => transaction.with(key.update().apply(|p| p.count().set(count))),
                        1 => transaction.with(key.check().if_missing()),
                        _ => transaction.with(key.check().if_exists()),
                    }.send(db).await.map(drop)
                })*
                Kind::None => Ok(()),
            }
        };
    }
    let sent = transactions!(Mouse mouse Horse horse Fish fish);
    let is_own = model.get(&second).is_some_and(|row| row.0 == kind);
    let is_right = match verb {
        1 => !model.contains_key(&second),
        _ => is_own,
    };
    assert_eq!(
        sent.is_ok(),
        is_right && !model.contains_key(&first),
        "{what}: {sent:?}"
    );
    if sent.is_ok() {
        model.insert(first, (kind, count));
        if verb == 0 {
            model.insert(second, (kind, count));
        }
    }
    Ok(what)
}

async fn check_reads(db: &Db, model: &BTreeMap<Place, Row>) -> Outcome {
    let of = |kind: Kind| model.iter().filter(move |(_, row)| row.0 == kind);
    let untyped = of(Kind::None).count();
    let rows = Mouse::scan().consistent().lenient().all(db).await?;
    assert_eq!(rows.len(), of(Kind::Mouse).count() + untyped);
    assert_eq!(rows.iter().filter(|row| row.is_err()).count(), untyped);
    for owner in OWNERS {
        let here = |place: &Place| place.0 == owner;
        let horses: Vec<u32> = of(Kind::Horse)
            .filter(|(place, _)| here(place))
            .map(|(_, row)| row.1)
            .collect();
        let untyped = of(Kind::None).filter(|(place, _)| here(place)).count();
        let query = Horse::in_partition(owner).consistent();
        let found = query.clone().lenient().all(db).await?;
        let counts: Vec<u32> = found.iter().flatten().map(|row| row.count).collect();
        assert_eq!(counts, horses);
        assert_eq!(found.len(), horses.len() + untyped);
        assert_eq!(query.clone().count(db).await?, found.len() as u64);
        let first = query.lenient().limit(2).page(db).await?;
        assert_eq!(first.rows.len(), found.len().min(2));
        let owned = Owned::in_partition(owner)
            .consistent()
            .lenient()
            .all(db)
            .await?;
        let mice = of(Kind::Mouse).filter(|(place, _)| here(place)).count();
        assert_eq!(
            owned.iter().filter(|row| row.is_ok()).count(),
            mice + horses.len()
        );
    }
    Ok(())
}

/// Each task writes one entity, and only this task changes the rows of its entity. So each row must be as the task left it.
async fn concurrent_programs_keep_their_rows(db: Db) -> Outcome {
    let steps = if Engine::here().is_server() { 60 } else { 150 };
    let tasks = KINDS.map(|kind| tokio::spawn(own_rows_are_kept(db.clone(), kind, steps)));
    for task in tasks {
        task.await?;
    }
    rows_of(&dump(&db).await);
    Ok(())
}

async fn own_rows_are_kept(db: Db, kind: Kind, steps: u32) {
    let mut random = fastrand::Rng::with_seed(kind as u64);
    let mut own: BTreeMap<Place, Row> = BTreeMap::new();
    for step in 0..steps {
        let place = (OWNERS[random.usize(..2)], NAMES[random.usize(..3)]);
        let verb = VERBS[random.usize(..VERBS.len())];
        let what = format!("step {step}: {verb:?} of a {kind:?} at {place:?}");
        let before = own.get(&place).copied();
        let written = write(&db, kind, verb, place, step).await;
        match (expected(kind, verb, before, step), written) {
            (Ok(Some(row)), Ok(())) => drop(own.insert(place, row)),
            (Ok(None), Ok(())) => drop(own.remove(&place)),
            (Err(_), Err(_)) => {}
            // A transaction of another task may hold the item for too long, and then nothing is written.
            (_, Err(error)) if error.is_unavailable() => {}
            // The key may belong to another entity.
            (Ok(_), Err(_)) if before.is_none() => {}
            (expected, found) => panic!("{what}: {expected:?} is not {found:?}"),
        }
        let stored = db.raw(&mouse(place, 0).key()).await;
        let stored = stored.filter(|row| kind_of(row) == kind);
        let count = stored.map(|row| row["count"].as_n().expect("a number").clone());
        let kept = own.get(&place).map(|row| row.1.to_string());
        assert_eq!(count, kept, "{what}");
    }
}

/// A row is deleted while a job is about to write it, and a row of another entity gets its key.
async fn jobs_leave_rows_that_become_others(db: Db) -> Outcome {
    let place = ("ann", "a");
    let key = mouse(place, 0).key();
    let replace = async || {
        let delete = db.client().delete_item().table_name(db.table::<Animals>());
        delete
            .set_key(Some(key.to_item().expect("a key").into()))
            .send()
            .await
            .expect("a delete");
        horse(place, 9).create().send(&db).await.expect("a horse");
    };
    let mut kept = Vec::new();
    for job in 0..3 {
        Item::in_table("animals")
            .delete(key.to_item()?)
            .send(&db)
            .await?;
        mouse(place, 1).create().send(&db).await?;
        let mice = Mouse::in_partition("ann");
        let counts = match job {
            0 => {
                let update = mice.update_each(|row| {
                    meanwhile(replace());
                    row.update().apply(|p| p.count().set(5))
                });
                update.send(&db).await?.complete()?
            }
            1 => {
                let change = mice.transact_each(|row: &Mouse| {
                    meanwhile(replace());
                    Transaction::new().with(row.delete())
                });
                change.send(&db).await?.complete()?
            }
            _ => {
                let writes = std::iter::once(mouse(place, 2)).map(|row| {
                    meanwhile(replace());
                    row.into_put()
                });
                let report = put_each(writes).send(&db).await?;
                assert_eq!(report.errors().len(), 1);
                report.counts()
            }
        };
        assert_eq!(counts.written, 0, "{job}: {counts:?}");
        kept.push(db.stored(&key).await);
    }
    for row in &kept {
        assert_eq!(row["cls"], s("Horse"));
        assert_eq!(row["count"], n(9));
    }
    Ok(())
}

/// A row is deleted after a job has read it, and a row of another entity gets its key.
async fn rows_that_become_others_are_not_deleted(db: Db) -> Outcome {
    let place = ("ann", "a");
    let key = mouse(place, 0).key();
    for job in 0..4 {
        Item::in_table("animals")
            .delete(key.to_item()?)
            .send(&db)
            .await?;
        // Without the keys of its index, the row differs from a fresh put.
        let mut row = untyped(place);
        row.extend(raw([
            ("cls", s("Mouse")),
            ("owner", s("ann")),
            ("name", s("a")),
        ]));
        db.plant::<Mouse>(row).await;
        let (writer, has_read) = (db.clone(), AtomicBool::new(false));
        let watched = (*db).clone().with_observer(move |seen| {
            let is_read = matches!(seen.operation, "Query" | "Scan");
            if is_read && !has_read.swap(true, Ordering::Relaxed) {
                meanwhile(async {
                    let key = mouse(place, 0).key();
                    let deleted = key.delete().send(&*writer).await;
                    deleted.expect("the mouse is deleted");
                    horse(place, 9)
                        .create()
                        .send(&*writer)
                        .await
                        .expect("a horse");
                });
            }
        });
        let mice = Mouse::in_partition("ann");
        let report = match job {
            0 => mice.delete_each().send(&watched).await?,
            1 => mice.delete_each_unchecked().send(&watched).await?,
            2 => mice.touch_each().send(&watched).await?,
            _ => Mouse::scan().refill().send(&watched).await?,
        };
        let counts = report.complete()?;
        assert_eq!(
            (counts.written, counts.left_query),
            (0, 1),
            "{job}: {counts:?}"
        );
        let row = db.stored(&key).await;
        assert_eq!((&row["cls"], &row["count"]), (&s("Horse"), &n(9)), "{job}");
    }
    Ok(())
}

async fn a_failed_write_returns_the_item_of_the_other_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = mouse(place, 3).create().send(&db).await?;
    let error = horse(place, 1)
        .put()
        .unchecked()
        .send(&db)
        .await
        .expect_err("another entity");
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(
        error.to_string().contains("belongs to another entity"),
        "{error}"
    );
    assert_eq!(error.current::<Mouse>()?, Some(stored.clone()));
    assert_eq!(error.current::<Horse>()?, None);
    assert_eq!(error.current_item()?, Some(stored.to_item()?));
    let error = fish(place, 1)
        .put()
        .send(&db)
        .await
        .expect_err("another entity");
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.current::<Mouse>()?, Some(stored.clone()));
    // No unique value was taken.
    fish(("ann", "b"), 1).create().send(&db).await?;
    assert_eq!(Fish::by_tag("ann/a").send(&db).await?, None);

    let put = mouse(place, 4).put().explain(&db)?;
    assert!(
        put.requests[0].contains("attribute_not_exists(#n0) OR #n1 = :v0"),
        "{put:?}"
    );
    let update = mouse(place, 4)
        .key()
        .update()
        .apply(|p| p.count().set(4))
        .explain(&db)?;
    assert!(update.requests[0].contains("cls"), "{update:?}");
    let create = mouse(place, 4).create().explain(&db)?;
    assert!(!create.requests[0].contains(" OR "), "{create:?}");
    Ok(())
}

/// The condition on the type still holds after the first attempt, unlike other conditions.
async fn writes_without_a_response_are_sent_again(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = mouse(place, 1);
    let (faulty, _) = db.faulty([Fault::Lose]);
    assert_eq!(stored.put().send(&faulty).await?, stored);
    let (faulty, _) = db.faulty([Fault::Lose]);
    stored.key().delete().send(&faulty).await?;
    assert_eq!(stored.key().get().send(&db).await?, None);

    // The second attempt would return what the first one has left.
    stored.put().send(&db).await?;
    let (faulty, _) = db.faulty([Fault::Lose]);
    let old = stored.key().delete().returning_old().send(&faulty).await;
    assert!(old.is_err_and(|error| error.is_outcome_unknown()));

    // The first attempt may have taken effect before the item of another entity came.
    horse(place, 1).create().send(&db).await?;
    let (faulty, _) = db.faulty([Fault::Timeout]);
    let error = stored
        .put()
        .send(&faulty)
        .await
        .expect_err("another entity");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(db.stored(&stored.key()).await["cls"], s("Horse"));
    Ok(())
}

async fn items_without_a_type_belong_to_no_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    db.plant::<Mouse>(untyped(place)).await;
    let key = mouse(place, 0).key();
    let error = key.clone().get().send(&db).await.expect_err("no type");
    assert!(
        error.to_string().contains("an item without a type"),
        "{error}"
    );
    assert!(key.clone().get().select::<Count>().send(&db).await.is_err());
    assert!(Mouse::from_item(Item::from(untyped(place))).is_err());
    let error = mouse(place, 1).put().send(&db).await.expect_err("no type");
    assert!(error.to_string().contains("has no type"), "{error}");
    let report = Mouse::in_partition("ann").delete_each().send(&db).await;
    assert!(report.is_err() || report.is_ok_and(|report| report.complete().is_err()));
    assert_eq!(db.stored(&key).await, untyped(place));
    assert_eq!(Mouse::in_partition("ann").count(&db).await?, 1);
    assert_eq!(
        Owned::in_partition("ann").lenient().all(&db).await?.len(),
        1
    );

    let typed = Item::from_iter([("cls", Value::S("Mouse".into()))]);
    let mut item = Item::from(untyped(place));
    item.extend(typed);
    Item::in_table("animals").put(item).send(&db).await?;
    assert_eq!(key.get().send(&db).await?, Some(mouse(place, 7)));
    Ok(())
}

async fn reads_of_other_rows_are_errors(db: Db) -> Outcome {
    let place = ("ann", "a");
    horse(place, 1).create().send(&db).await?;
    let key = mouse(place, 0).key();
    let kind = |error: Error| error.kind();
    assert_eq!(
        key.clone().get().send(&db).await.map_err(kind),
        Err(ErrorKind::Decode)
    );
    let partial = key.clone().get().select::<Count>().send(&db).await;
    assert_eq!(partial.map_err(kind), Err(ErrorKind::Decode));
    let many = Mouse::get_many([key.clone()]).send(&db).await;
    assert_eq!(many.map_err(kind), Err(ErrorKind::Decode));
    let both = batch_get((key.clone().get(), horse(place, 0).key().get()))
        .send(&db)
        .await;
    assert_eq!(both.map_err(kind), Err(ErrorKind::Decode));
    assert_eq!(
        transact_get((key.get(),)).send(&db).await.map_err(kind),
        Err(ErrorKind::Decode)
    );

    // An index that contains only keys contains the type too.
    mouse(("bob", "a"), 1).create().send(&db).await?;
    assert_eq!(Mouse::mice_by_count(1).count(&db).await?, 1);
    assert_eq!(
        Mouse::mice_by_count(1).hydrate().all(&db).await?,
        [mouse(("bob", "a"), 1)]
    );
    assert_eq!(
        Horse::horses_by_count(1).all(&db).await?,
        [horse(place, 0).key()]
    );
    Ok(())
}

async fn lines_and_copies_replace_no_other_row(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = horse(place, 1).create().send(&db).await?;
    let lines = "{\"pk\":\"OWNER#ann\",\"sk\":\"a\",\"count\":5}\n{\"pk\":\"OWNER#ann\",\"sk\":\"b\",\"count\":6}\n";
    for as_is in [false, true] {
        let mut import = Mouse::import(lines.as_bytes()).replace();
        if as_is {
            import = import.as_is();
        }
        let report = import.send(&db).await?;
        // A line without a type is a line of the entity, unless it is stored as it is.
        assert_eq!(report.counts().written, u64::from(!as_is), "{report:?}");
    }
    let typed = "{\"pk\":\"OWNER#ann\",\"sk\":\"a\",\"count\":5,\"cls\":\"Mouse\"}\n";
    let report = Mouse::import(typed.as_bytes())
        .replace()
        .as_is()
        .send(&db)
        .await?;
    assert_eq!(report.counts().written, 0, "{report:?}");
    assert_eq!(stored.key().get().send(&db).await?, Some(stored.clone()));
    assert_eq!(Mouse::scan().all(&db).await?, [mouse(("ann", "b"), 6)]);

    let target = (*db).clone().with_prefix(&format!("{}-copy", db.prefix()));
    target.create_tables([Animals::schema()]).await?;
    let kept = horse(("ann", "b"), 4).create().send(&target).await?;
    let report = Mouse::scan().copy_to(&target).replace().send(&db).await?;
    assert_eq!(report.counts().written, 0, "{report:?}");
    assert_eq!(kept.key().get().send(&target).await?, Some(kept));
    let client = db.client();
    client
        .delete_table()
        .table_name(format!("{}-copy-animals", db.prefix()))
        .send()
        .await?;
    Ok(())
}

async fn keys_without_images_are_shown_to_all(db: Db) -> Outcome {
    let event = |view: &str, image: &str| {
        let json = format!(
            r#"{{"Records": [{{"eventName": "REMOVE", "dynamodb": {{"Keys": {{"pk": {{"S": "OWNER#ann"}}, "sk": {{"S": "a"}}}}, {image} "StreamViewType": "{view}"}}}}]}}"#
        );
        StreamEvent::from_json(json.as_bytes())
    };
    let removed = event("KEYS_ONLY", "")?;
    assert_eq!(Mouse::keys_of(&removed).count(), 1);
    assert_eq!(Horse::keys_of(&removed).count(), 1);
    for change in Owned::keys_of(&removed) {
        let ChangeEvent::Removed { old, .. } = change.expect("a key").event else {
            return Err("a removal".into());
        };
        assert_eq!(old.entity(), "Item");
        assert_eq!(old.of::<Horse>()?, Some(Horse::key("ann", "a")));
        assert_eq!(old.of::<Mouse>()?, Some(Mouse::key("ann", "a")));
    }
    let image = r#""OldImage": {"pk": {"S": "OWNER#ann"}, "sk": {"S": "a"}, "cls": {"S": "Mouse"}, "count": {"N": "1"}},"#;
    let removed = event("NEW_AND_OLD_IMAGES", image)?;
    assert_eq!(Mouse::changes_of(&removed).count(), 1);
    assert_eq!(Horse::changes_of(&removed).count(), 0);
    drop(db);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "leases", pk = "pk", identify_by = type, entities(Car, Boat))]
struct Leases;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Leases, key(pk = "LEASE#{id}"))]
struct Car {
    id: u32,
    #[dynamo(ttl)]
    until: u64,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Leases, key(pk = "LEASE#{id}"))]
struct Boat {
    id: u32,
    #[dynamo(ttl)]
    until: u64,
}

async fn expired_rows_of_others_are_kept(db: Db) -> Outcome {
    let boat = Boat { id: 1, until: 5 };
    boat.put().send(&db).await?;
    let stored = db.stored(&boat.key()).await;
    let car = Car {
        id: 1,
        until: 4_000_000_000,
    };
    assert!(
        car.create()
            .send(&db)
            .await
            .is_err_and(|error| error.is_already_exists())
    );
    assert!(
        car.put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert_eq!(db.stored(&car.key()).await, stored);
    // Its own expired items are replaced.
    Boat {
        id: 1,
        until: 4_000_000_000,
    }
    .create()
    .send(&db)
    .await?;
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "editions", pk = "pk", identify_by = type, entities(First, Second))]
struct Editions;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Editions, rename = "book", constant("edition" = 1), key(pk = "BOOK#{id}"))]
struct First {
    id: u32,
    pages: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Editions, rename = "book", constant("edition" = 2), key(pk = "BOOK#{id}"))]
struct Second {
    id: u32,
    pages: u32,
}

async fn constants_distinguish_rows_of_one_type(db: Db) -> Outcome {
    let first = First { id: 1, pages: 10 }.create().send(&db).await?;
    let second = Second { id: 1, pages: 20 };
    assert!(
        second
            .put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert!(
        second
            .delete()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert_eq!(First::scan().all(&db).await?, [first]);
    assert_eq!(Second::scan().count(&db).await?, 0);
    Ok(())
}
