//! Random histories of writes of three entities with the same keys, beside a model of their rows.

use std::collections::BTreeMap;

use dynamo_entity::ErrorKind;
use dynamo_entity::prelude::*;

use super::{Animals, Fish, Horse, Mouse, Owned, Place, fish, horse, mouse, untyped};
use crate::support::db::{Db, Raw, raw};
use crate::support::engine::Kind as Engine;
use crate::support::suite::Outcome;

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

/// The description of what was done.
type Described = std::result::Result<String, Box<dyn std::error::Error>>;

/// A row: its kind and its count.
type Row = (Kind, u32);

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
        (Verb::DeleteLoaded | Verb::Unit, Some(_)) => Err(Some(ErrorKind::Decode)),
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

pub(super) async fn random_writes_change_only_rows_of_their_entity(db: Db) -> Outcome {
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
pub(super) async fn concurrent_programs_keep_their_rows(db: Db) -> Outcome {
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
