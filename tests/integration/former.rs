//! An attribute gets another name while programs of five declarations share the table: the old name, both names of which
//! the old one is read, both names, the new one with the old one dropped, and the new one alone. Those that may run at the same time lose no write of each other.

use std::collections::{BTreeMap, BTreeSet};

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use fastrand::Rng;

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    neighbours_lose_no_write(old::Parcel),
    forbidden_neighbours_lose_writes(old::Parcel),
    each_write_leaves_the_names_that_it_should(old::Parcel),
    whichever_name_exists_is_read(old::Parcel),
    null_under_the_former_name_is_no_value(old::Parcel),
    the_rest_holds_no_former_name(old::Parcel),
    parts_are_changed_as_a_whole(old::Parcel),
    unique_values_follow(unique_old::User),
];

/// The content of a row, without the declaration of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    id: String,
    state: String,
    count: Option<i64>,
    lives: u8,
    words: Vec<String>,
    tags: BTreeSet<String>,
}

/// A write of one program.
#[derive(Debug, Clone)]
pub enum Write {
    Put(Content),
    BatchPut(Content),
    TransactPut(Content),
    SetCount(Option<i64>),
    AddCount(i64),
    SubLives(u8),
    CountUnlessPresent(i64),
    Push(String),
    PushFront(String),
    SetState(String),
    SetTags(BTreeSet<String>),
    CopyCount,
    /// Sets the words if the count is this one.
    WordsIfCount(Option<i64>, Vec<String>),
    /// Sets the words unless the count is less than this one.
    WordsUnlessLess(i64, Vec<String>),
    ModifyCount(Option<i64>),
    ModifyState(String),
    /// From a loaded entity, compared with a changed one.
    Lives(u8),
    Delete,
}

/// A program of one declaration.
macro_rules! program {
    ($program:ident, $state:meta, $count:meta, $lives:meta, $words:meta, $tags:meta) => {
        #[allow(dead_code, reason = "not every program fills or compares")]
        pub mod $program {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "parcels", key(pk = id))]
            #[dynamo(gsi(by_state, pk = "STATE#{state}", sk = "{id}"))]
            pub struct Parcel {
                pub id: String,
                #[$state]
                pub state: String,
                #[$count]
                pub count: Option<i64>,
                pub seen: Option<i64>,
                #[$lives]
                pub lives: u8,
                #[$words]
                pub words: Vec<String>,
                #[$tags]
                pub tags: BTreeSet<String>,
            }

            #[derive(Debug, PartialEq, DynamoProjection)]
            #[dynamo(entity = Parcel)]
            pub struct Part {
                tags: BTreeSet<String>,
                count: Option<i64>,
                state: String,
                lives: u8,
            }

            pub fn part_of(parcel: Parcel) -> Part {
                let Parcel {
                    tags,
                    count,
                    state,
                    lives,
                    ..
                } = parcel;
                Part {
                    tags,
                    count,
                    state,
                    lives,
                }
            }

            fn of(content: &Content) -> Parcel {
                let Content {
                    id,
                    state,
                    count,
                    lives,
                    words,
                    tags,
                } = content.clone();
                Parcel {
                    id,
                    state,
                    count,
                    seen: None,
                    lives,
                    words,
                    tags,
                }
            }

            fn content(parcel: Parcel) -> Content {
                let Parcel {
                    id,
                    state,
                    count,
                    lives,
                    words,
                    tags,
                    ..
                } = parcel;
                Content {
                    id,
                    state,
                    count,
                    lives,
                    words,
                    tags,
                }
            }

            pub async fn write(db: &Db, id: &str, write: &Write) -> Result<()> {
                let key = Parcel::key(id);
                match write.clone() {
                    Write::Put(content) => of(&content).put().send(db).await.map(drop),
                    Write::BatchPut(content) => {
                        let parcel = of(&content);
                        let report = Batch::new().with(parcel.put()).send(db).await?;
                        assert_eq!(report.errors.len(), 0);
                        Ok(())
                    }
                    Write::TransactPut(content) => {
                        let parcel = of(&content);
                        Transaction::new()
                            .with(parcel.put())
                            .send(db)
                            .await
                            .map(drop)
                    }
                    Write::SetCount(count) => {
                        let update = key.update().apply(|p| p.count().set_or_remove(count));
                        update.send(db).await.map(drop)
                    }
                    Write::AddCount(by) => key
                        .update()
                        .apply(|p| p.count().add(by))
                        .send(db)
                        .await
                        .map(drop),
                    Write::SubLives(by) => key
                        .update()
                        .apply(|p| p.lives().sub(by))
                        .send(db)
                        .await
                        .map(drop),
                    Write::CountUnlessPresent(count) => {
                        let update = key.update().apply(|p| p.count().set_if_absent(count));
                        update.send(db).await.map(drop)
                    }
                    Write::Push(word) => key
                        .update()
                        .apply(|p| p.words().push(word))
                        .send(db)
                        .await
                        .map(drop),
                    Write::PushFront(word) => {
                        let update = key.update().apply(|p| p.words().push_front(word));
                        update.send(db).await.map(drop)
                    }
                    Write::SetState(state) => key
                        .update()
                        .apply(|p| p.state().set(state))
                        .send(db)
                        .await
                        .map(drop),
                    Write::SetTags(tags) => key
                        .update()
                        .apply(|p| p.tags().set(tags))
                        .send(db)
                        .await
                        .map(drop),
                    Write::CopyCount => {
                        let update = key.update().apply(|p| p.seen().set(p.count()));
                        let parcel = update.send(db).await?;
                        assert_eq!(parcel.seen, parcel.count);
                        Ok(())
                    }
                    Write::WordsIfCount(count, words) => {
                        let update = key.update().when(|p| match count {
                            Some(count) => p.count().eq(count),
                            None => p.count().missing(),
                        });
                        update
                            .apply(|p| p.words().set(words))
                            .send(db)
                            .await
                            .map(drop)
                    }
                    Write::WordsUnlessLess(count, words) => {
                        let update = key.update().when(|p| !p.count().lt(count));
                        update
                            .apply(|p| p.words().set(words))
                            .send(db)
                            .await
                            .map(drop)
                    }
                    Write::ModifyCount(count) => {
                        key.modify(|p| p.count = count).send(db).await.map(drop)
                    }
                    Write::ModifyState(state) => key
                        .modify(|p| p.state.clone_from(&state))
                        .send(db)
                        .await
                        .map(drop),
                    Write::Lives(lives) => {
                        let Some(before) = key.get().send(db).await? else {
                            return Ok(());
                        };
                        let after = Parcel {
                            lives,
                            ..before.clone()
                        };
                        before.changes_to(&after).send(db).await.map(drop)
                    }
                    Write::Delete => key.delete().send(db).await.map(drop),
                }
            }

            /// Everything that this program reads, in every form.
            pub async fn check(db: &Db, rows: &BTreeMap<String, Content>) -> Outcome {
                let mut stored = BTreeMap::new();
                for parcel in Parcel::scan().all(db).await? {
                    stored.insert(parcel.id.clone(), content(parcel));
                }
                assert_eq!(&stored, rows, "{}", stringify!($program));
                for (id, row) in rows {
                    let found = Parcel::key(id).get().consistent().send(db).await?;
                    assert_eq!(found.map(content).as_ref(), Some(row));
                    let part = Parcel::key(id).get().select::<Part>().send(db).await?;
                    let Content {
                        tags,
                        count,
                        state,
                        lives,
                        ..
                    } = row.clone();
                    assert_eq!(
                        part,
                        Some(Part {
                            tags,
                            count,
                            state,
                            lives
                        })
                    );
                }
                let ids = |parcels: Vec<Parcel>| -> BTreeSet<String> {
                    parcels.into_iter().map(|parcel| parcel.id).collect()
                };
                let expected = |holds: &dyn Fn(&Content) -> bool| -> BTreeSet<String> {
                    let rows = rows.values().filter(|row| holds(row));
                    rows.map(|row| row.id.clone()).collect()
                };
                for bound in [0, 2] {
                    let found = Parcel::scan()
                        .filter(|p| p.count().ge(bound))
                        .all(db)
                        .await?;
                    let is = |row: &Content| row.count.is_some_and(|count| count >= bound);
                    assert_eq!(
                        ids(found),
                        expected(&is),
                        "{} >= {bound}",
                        stringify!($program)
                    );
                    let filter =
                        Parcel::scan().filter(|p| !p.count().ge(bound) & p.words().contains("a"));
                    let is = |row: &Content| {
                        row.count.is_none_or(|count| count < bound)
                            && row.words.iter().any(|word| word == "a")
                    };
                    assert_eq!(ids(filter.all(db).await?), expected(&is));
                    let found = Parcel::scan()
                        .filter(|p| p.count().ne(bound))
                        .all(db)
                        .await?;
                    assert_eq!(ids(found), expected(&|row| row.count != Some(bound)));
                }
                let found = Parcel::scan().filter(|p| p.count().missing() | p.tags().len().gt(1));
                let is = |row: &Content| row.count.is_none() || row.tags.len() > 1;
                assert_eq!(ids(found.all(db).await?), expected(&is));
                for state in ["new", "sent"] {
                    let found = Parcel::by_state(state).all(db).await?;
                    assert_eq!(ids(found), expected(&|row| row.state == state), "{state}");
                }
                Ok(())
            }

            /// Gives every row the names that it should have, between two deployments.
            pub async fn fill(db: &Db) -> Outcome {
                Parcel::scan().refill().send(db).await?.complete()?;
                assert_eq!(Parcel::scan().unfilled(db).await?, 0);
                Ok(())
            }
        }
    };
}

program!(
    old,
    dynamo(rename = "s"),
    dynamo(rename = "c"),
    dynamo(rename = "l", default = 9),
    dynamo(rename = "w"),
    dynamo(rename = "t")
);
program!(
    keeps,
    dynamo(was("s", keep)),
    dynamo(was("c", keep)),
    dynamo(was("l", keep), default = 9),
    dynamo(was("w", keep)),
    dynamo(was("t", keep))
);
program!(
    both,
    dynamo(was = "s"),
    dynamo(was = "c"),
    dynamo(was = "l", default = 9),
    dynamo(was = "w"),
    dynamo(was = "t")
);
program!(
    drops,
    dynamo(was("s", drop)),
    dynamo(was("c", drop)),
    dynamo(was("l", drop), default = 9),
    dynamo(was("w", drop)),
    dynamo(was("t", drop))
);
program!(
    new,
    dynamo(rename = "state"),
    dynamo(rename = "count"),
    dynamo(default = 9),
    dynamo(rename = "words"),
    dynamo(rename = "tags")
);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Program {
    Old,
    Keeps,
    Both,
    Drops,
    New,
}

use Program::{Both, Drops, Keeps, New, Old};

impl Program {
    async fn write(self, db: &Db, id: &str, write: &Write) -> Result<()> {
        match self {
            Old => old::write(db, id, write).await,
            Keeps => keeps::write(db, id, write).await,
            Both => both::write(db, id, write).await,
            Drops => drops::write(db, id, write).await,
            New => new::write(db, id, write).await,
        }
    }

    async fn check(self, db: &Db, rows: &BTreeMap<String, Content>) -> Outcome {
        match self {
            Old => old::check(db, rows).await,
            Keeps => keeps::check(db, rows).await,
            Both => both::check(db, rows).await,
            Drops => drops::check(db, rows).await,
            New => new::check(db, rows).await,
        }
    }
}

fn text(rng: &mut Rng) -> String {
    ["a", "b", "c"][rng.usize(..3)].to_owned()
}

fn some(rng: &mut Rng) -> Option<i64> {
    rng.bool().then(|| rng.i64(0..4))
}

fn words(rng: &mut Rng) -> Vec<String> {
    (0..rng.usize(..3)).map(|_| text(rng)).collect()
}

fn state(rng: &mut Rng) -> String {
    ["new", "sent"][rng.usize(..2)].to_owned()
}

fn content(rng: &mut Rng, id: &str) -> Content {
    Content {
        id: id.to_owned(),
        state: state(rng),
        count: some(rng),
        lives: rng.u8(..12),
        words: words(rng),
        tags: words(rng).into_iter().collect(),
    }
}

fn random(rng: &mut Rng, id: &str) -> Write {
    match rng.u8(..18) {
        0 => Write::Put(content(rng, id)),
        1 => Write::BatchPut(content(rng, id)),
        2 => Write::TransactPut(content(rng, id)),
        3 => Write::SetCount(some(rng)),
        4 | 5 => Write::AddCount(rng.i64(-2..3)),
        6 => Write::SubLives(rng.u8(..4)),
        7 => Write::CountUnlessPresent(rng.i64(0..4)),
        8 => Write::Push(text(rng)),
        9 => Write::PushFront(text(rng)),
        10 => Write::SetState(state(rng)),
        11 => Write::SetTags(words(rng).into_iter().collect()),
        12 => Write::CopyCount,
        13 => Write::WordsIfCount(some(rng), words(rng)),
        14 => Write::WordsUnlessLess(rng.i64(0..4), words(rng)),
        15 => Write::ModifyCount(some(rng)),
        16 => Write::ModifyState(state(rng)),
        _ if rng.u8(..8) == 0 => Write::Delete,
        _ => Write::Lives(rng.u8(..12)),
    }
}

/// The row after a write. None if the write fails.
fn expected(row: Option<&Content>, write: &Write) -> Option<Option<Content>> {
    if let Write::Put(content) | Write::BatchPut(content) | Write::TransactPut(content) = write {
        return Some(Some(content.clone()));
    }
    if let Write::Delete = write {
        return Some(None);
    }
    let Some(mut row) = row.cloned() else {
        return matches!(write, Write::Lives(_)).then_some(None);
    };
    match write.clone() {
        Write::SetCount(count) | Write::ModifyCount(count) => row.count = count,
        Write::AddCount(by) => row.count = Some(row.count.unwrap_or(0) + by),
        Write::SubLives(by) => row.lives = row.lives.checked_sub(by)?,
        Write::CountUnlessPresent(count) => row.count = row.count.or(Some(count)),
        Write::Push(word) => row.words.push(word),
        Write::PushFront(word) => row.words.insert(0, word),
        Write::SetState(state) | Write::ModifyState(state) => row.state = state,
        Write::SetTags(tags) => row.tags = tags,
        Write::CopyCount => drop(row.count?),
        Write::WordsIfCount(count, words) if row.count == count => row.words = words,
        Write::WordsIfCount(..) => return None,
        Write::WordsUnlessLess(count, _) if row.count.is_some_and(|held| held < count) => {
            return None;
        }
        Write::WordsUnlessLess(_, words) => row.words = words,
        Write::Lives(lives) => row.lives = lives,
        Write::Put(_) | Write::BatchPut(_) | Write::TransactPut(_) | Write::Delete => {}
    }
    Some(Some(row))
}

/// Random writes by these programs; each of them reads everything that the others wrote.
async fn write_by(
    db: &Db,
    rng: &mut Rng,
    programs: [Program; 2],
    rows: &mut BTreeMap<String, Content>,
    count: usize,
) -> Outcome {
    let mut history = Vec::new();
    for _ in 0..count {
        let (program, id) = (programs[rng.usize(..2)], text(rng));
        let write = random(rng, &id);
        let wanted = expected(rows.get(&id), &write);
        history.push(format!("{program:?} {id} {write:?}"));
        let done = program.write(db, &id, &write).await;
        assert_eq!(
            done.is_ok(),
            wanted.is_some(),
            "{done:?} after {history:#?}"
        );
        match wanted {
            Some(Some(row)) => drop(rows.insert(id, row)),
            Some(None) => drop(rows.remove(&id)),
            None => {}
        }
        for program in programs {
            let checked = program.check(db, rows).await;
            checked.map_err(|error| format!("{error} after {history:#?}"))?;
        }
    }
    Ok(())
}

async fn neighbours_lose_no_write(db: Db) -> Outcome {
    let seeds = std::env::var("FORMER_HISTORIES")
        .ok()
        .and_then(|count| count.parse().ok());
    let first = fastrand::u64(..);
    for seed in first..first.wrapping_add(seeds.unwrap_or(6)) {
        eprintln!("seed {seed}");
        let mut rng = Rng::with_seed(seed);
        let mut rows = BTreeMap::new();
        write_by(&db, &mut rng, [Old, Keeps], &mut rows, 20).await?;
        // An old program that removed a value left the new name as it was.
        keeps::fill(&db).await?;
        write_by(&db, &mut rng, [Keeps, Both], &mut rows, 10).await?;
        // Before the former name was dropped, each program may come back.
        write_by(&db, &mut rng, [Old, Keeps], &mut rows, 10).await?;
        // An old program that removed a value left the new name as it was.
        keeps::fill(&db).await?;
        write_by(&db, &mut rng, [Keeps, Both], &mut rows, 10).await?;
        write_by(&db, &mut rng, [Both, Drops], &mut rows, 20).await?;
        drops::fill(&db).await?;
        write_by(&db, &mut rng, [Drops, New], &mut rows, 20).await?;
        new::check(&db, &rows).await?;
        for id in rows.keys() {
            new::write(&db, id, &Write::Delete).await?;
        }
    }
    Ok(())
}

fn parcel(count: i64) -> Content {
    Content {
        id: "a".to_owned(),
        state: "new".to_owned(),
        count: Some(count),
        ..Content::default()
    }
}

/// The counts that the programs read, after each of them wrote in this order.
async fn counts_after(db: &Db, writes: [(Program, Write); 2], reader: Program) -> Option<i64> {
    for (program, write) in writes {
        // Some of them cannot read what they left.
        let written = program.write(db, "a", &write).await;
        assert!(
            written.is_ok() || [Old, New].contains(&program),
            "{written:?}"
        );
    }
    let count = match reader {
        Old => old::Parcel::key("a")
            .get()
            .send(db)
            .await
            .map(|row| row?.count),
        Keeps => keeps::Parcel::key("a")
            .get()
            .send(db)
            .await
            .map(|row| row?.count),
        Both => both::Parcel::key("a")
            .get()
            .send(db)
            .await
            .map(|row| row?.count),
        Drops => drops::Parcel::key("a")
            .get()
            .send(db)
            .await
            .map(|row| row?.count),
        New => new::Parcel::key("a")
            .get()
            .send(db)
            .await
            .map(|row| row?.count),
    };
    count.unwrap_or(None)
}

async fn forbidden_neighbours_lose_writes(db: Db) -> Outcome {
    let set = Write::SetCount(Some(2));
    let put = |program, count| (program, Write::Put(parcel(count)));
    // An old program beside one that drops the name, or after one.
    assert_eq!(
        counts_after(&db, [put(Old, 1), (Drops, set.clone())], Old).await,
        None
    );
    assert_eq!(
        counts_after(&db, [put(Both, 1), (Drops, set.clone())], Old).await,
        None
    );
    // The same beside one that reads the former name alone.
    assert_eq!(
        counts_after(&db, [put(Keeps, 1), (Drops, set.clone())], Keeps).await,
        None
    );
    // A value that an old program removes, beside one that reads the new name too.
    let remove = Write::SetCount(None);
    assert_eq!(
        counts_after(&db, [put(Both, 1), (Old, remove.clone())], Both).await,
        Some(1)
    );
    assert_eq!(
        counts_after(&db, [put(Both, 1), (Old, remove)], Keeps).await,
        None
    );
    // A program that reads the former name first, beside one that does not know it.
    assert_eq!(
        counts_after(&db, [put(Both, 1), (New, set.clone())], Both).await,
        Some(1)
    );
    // The first and the last.
    assert_eq!(
        counts_after(&db, [put(Old, 1), (New, set.clone())], Old).await,
        Some(1)
    );
    // The last one, while a row has the former name.
    assert_eq!(
        counts_after(&db, [put(Both, 1), (New, set.clone())], Drops).await,
        Some(1)
    );
    // The allowed ones.
    for writers in [
        [Old, Keeps],
        [Keeps, Old],
        [Old, Both],
        [Both, Old],
        [Both, Drops],
        [Drops, Both],
    ] {
        let writes = [put(writers[0], 1), (writers[1], set.clone())];
        for reader in writers {
            assert_eq!(
                counts_after(&db, writes.clone(), reader).await,
                Some(2),
                "{writers:?}"
            );
        }
    }
    Ok(())
}

async fn names(db: &Db) -> Vec<String> {
    let stored = db.stored(&old::Parcel::key("a")).await;
    let renamed = [
        "c", "count", "l", "lives", "s", "state", "t", "tags", "w", "words",
    ];
    let names = stored
        .keys()
        .map(String::as_str)
        .filter(|name| renamed.contains(name));
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort();
    names
}

const OLD: [&str; 5] = ["c", "l", "s", "t", "w"];
const NEW: [&str; 5] = ["count", "lives", "state", "tags", "words"];

async fn each_write_leaves_the_names_that_it_should(db: Db) -> Outcome {
    let full = Content {
        words: vec!["a".to_owned()],
        tags: ["b".to_owned()].into(),
        ..parcel(1)
    };
    let all = [OLD, NEW].concat();
    for (program, left) in [
        (Keeps, &all[..]),
        (Both, &all),
        (Drops, &NEW),
        (New, &NEW),
        (Old, &OLD),
    ] {
        let mut left: Vec<_> = left.to_vec();
        left.sort();
        for put in [Write::Put, Write::BatchPut, Write::TransactPut] {
            program.write(&db, "a", &put(full.clone())).await?;
            assert_eq!(names(&db).await, left, "{program:?}");
        }
    }
    // Absence is stored under neither name.
    let empty = Content {
        count: None,
        words: Vec::new(),
        ..parcel(1)
    };
    both::write(&db, "a", &Write::Put(full.clone())).await?;
    both::write(&db, "a", &Write::SetCount(None)).await?;
    both::write(&db, "a", &Write::SetTags(BTreeSet::new())).await?;
    assert_eq!(names(&db).await, ["l", "lives", "s", "state", "w", "words"]);
    both::write(&db, "a", &Write::Put(empty)).await?;
    assert_eq!(names(&db).await, ["l", "lives", "s", "state", "w", "words"]);
    // Partial changes of a row of an old program.
    let changes = [
        Write::SetCount(Some(3)),
        Write::SubLives(0),
        Write::SetState("sent".to_owned()),
        Write::SetTags(full.tags.clone()),
        Write::Push("b".to_owned()),
    ];
    for (program, left) in [(Keeps, &all[..]), (Both, &all), (Drops, &NEW)] {
        old::write(&db, "a", &Write::Put(full.clone())).await?;
        for change in &changes {
            program.write(&db, "a", change).await?;
        }
        let mut left: Vec<_> = left.to_vec();
        left.sort();
        assert_eq!(names(&db).await, left, "{program:?}");
    }
    Ok(())
}

async fn plant<const N: usize>(db: &Db, attributes: [(&str, AttributeValue); N]) {
    let mut item = raw([
        ("id", s("a")),
        ("s", s("new")),
        ("w", AttributeValue::L(Vec::new())),
    ]);
    item.extend(raw(attributes));
    db.plant::<old::Parcel>(item).await;
}

async fn counts(db: &Db) -> [Option<i64>; 2] {
    let both = both::Parcel::key("a")
        .get()
        .send(db)
        .await
        .expect("a read")
        .expect("a row");
    let drops = drops::Parcel::key("a")
        .get()
        .send(db)
        .await
        .expect("a read")
        .expect("a row");
    [both.count, drops.count]
}

async fn whichever_name_exists_is_read(db: Db) -> Outcome {
    for (attributes, count) in [
        ([("c", n(1)), ("count", n(2))], 1),
        ([("count", n(2)), ("c", n(1))], 1),
        ([("count", n(2)), ("unknown", n(1))], 2),
        ([("c", n(1)), ("unknown", n(1))], 1),
    ] {
        plant(&db, attributes).await;
        assert_eq!(counts(&db).await, [Some(count); 2]);
    }
    // A current item of an error.
    plant(&db, [("c", n(1)), ("count", n(2))]).await;
    let update = both::Parcel::key("a").update().when(|p| p.count().eq(2));
    let error = update
        .apply(|p| p.lives().set(1))
        .send(&db)
        .await
        .unwrap_err();
    let current: Option<both::Parcel> = error.current()?;
    assert_eq!(current.and_then(|row| row.count), Some(1));
    Ok(())
}

async fn null_under_the_former_name_is_no_value(db: Db) -> Outcome {
    let null = || AttributeValue::Null(true);
    plant(
        &db,
        [
            ("c", null()),
            ("count", n(2)),
            ("l", null()),
            ("lives", n(1)),
        ],
    )
    .await;
    assert_eq!(counts(&db).await, [None; 2]);
    let row = both::Parcel::key("a")
        .get()
        .send(&db)
        .await?
        .ok_or("a row")?;
    assert_eq!(row.lives, 9);
    let part = drops::Parcel::key("a")
        .get()
        .select::<drops::Part>()
        .send(&db)
        .await?;
    assert_eq!(
        part,
        drops::Parcel::key("a")
            .get()
            .send(&db)
            .await?
            .map(drops::part_of)
    );
    let found = both::Parcel::scan()
        .filter(|p| p.count().eq(2))
        .all(&db)
        .await?;
    assert_eq!(found, []);
    Ok(())
}

crate::declare! {
    entity Kept(table = "parcels", key(pk = id))
        { id: String, #[dynamo(was("c", drop))] count: Option<i64>, #[dynamo(was = "place")] address: Option<Address>,
          #[dynamo(was = "t")] tags: BTreeSet<String>, #[dynamo(rest)] rest: Item }
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Address {
    city: String,
    lines: Vec<String>,
}

async fn the_rest_holds_no_former_name(db: Db) -> Outcome {
    plant(
        &db,
        [
            ("c", n(1)),
            ("place", AttributeValue::Null(true)),
            ("other", n(7)),
        ],
    )
    .await;
    let row = Kept::key("a").get().send(&db).await?.ok_or("a row")?;
    let rest: Vec<_> = row.rest.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(
        (row.count, rest),
        (Some(1), ["other", "s", "w"].map(str::to_owned).to_vec())
    );
    row.put().send(&db).await?;
    let stored = db.stored(&Kept::key("a")).await;
    let mut names: Vec<_> = stored.keys().collect();
    names.sort();
    assert_eq!(names, ["count", "id", "other", "s", "w"]);
    // An item of a program that puts the former name into the rest.
    let mut wrong = row.clone();
    wrong.rest.insert("c", dynamo_entity::Value::from(1));
    let refused = wrong.put().send(&db).await.unwrap_err();
    assert_eq!(refused.attribute(), Some("c"), "{refused}");
    let update = Kept::key("a")
        .update()
        .apply(|k| k.rest().entry("c").remove());
    let refused = update.send(&db).await.unwrap_err().to_string();
    assert!(refused.contains("`c` is the field `count`"), "{refused}");
    Ok(())
}

async fn parts_are_changed_as_a_whole(db: Db) -> Outcome {
    let city = |city: &str| Address {
        city: city.to_owned(),
        lines: Vec::new(),
    };
    let kept = Kept {
        id: "a".to_owned(),
        count: None,
        address: Some(city("Oslo")),
        tags: BTreeSet::new(),
        rest: Item::new(),
    };
    kept.put().send(&db).await?;
    let update = || Kept::key("a").update();
    for refused in [
        update().apply(|k| k.address().city().set("Rome")),
        update().apply(|k| k.address().lines().push("x")),
        update().apply(|k| k.tags().insert("x")),
        update().apply(|k| k.tags().discard("x")),
    ] {
        let error = refused.send(&db).await.unwrap_err();
        let says = error.to_string();
        assert!(
            says.contains("under both names") && says.contains("`modify`"),
            "{says}"
        );
    }
    let done = update().apply(|k| {
        (
            k.address().set(city("Rome")),
            k.tags().set(BTreeSet::from(["x".to_owned()])),
        )
    });
    done.send(&db).await?;
    // A condition may look into it, under whichever name it is stored.
    for drop in ["", "address", "place"] {
        let mut stored = db.stored(&Kept::key("a")).await;
        stored.remove(drop);
        db.plant::<Kept>(stored.clone()).await;
        let found = Kept::scan()
            .filter(|k| k.address().city().eq("Rome") & k.address().lines().len().eq(0))
            .all(&db)
            .await?;
        assert_eq!(found.len(), 1, "without {drop:?}");
        let found = Kept::scan()
            .filter(|k| k.address().city().ne("Rome"))
            .all(&db)
            .await?;
        assert_eq!(found.len(), 0, "without {drop:?}");
        let modified = Kept::key("a").modify(|k| {
            k.address = Some(city("Rome"));
            k.tags.insert("y".to_owned());
        });
        assert!(modified.send(&db).await?.tags.contains("y"));
        db.plant::<Kept>(stored).await;
        both_names(&db).await?;
    }
    Ok(())
}

/// Writes the whole again.
async fn both_names(db: &Db) -> Outcome {
    let row = Kept::key("a").get().send(db).await?.ok_or("a row")?;
    Ok(row.put().send(db).await.map(drop)?)
}

mod unique_old {
    crate::declare! {
        pub entity User(table = "users", key(pk = "U#{id}", sk = "U"), unique(by_mail, email))
            { pub id: u32, #[dynamo(rename = "mail")] pub email: String }
    }
}

mod unique_both {
    crate::declare! {
        pub entity User(table = "users", key(pk = "U#{id}", sk = "U"), unique(by_mail, email, rename = "mail"))
            { pub id: u32, #[dynamo(was = "mail")] pub email: String }
    }
}

async fn unique_values_follow(db: Db) -> Outcome {
    use unique_both::User as Both;
    use unique_old::User as Old;
    let old = |email: &str| Old {
        id: 1,
        email: email.to_owned(),
    };
    Both {
        id: 1,
        email: "a".to_owned(),
    }
    .put()
    .send(&db)
    .await?;
    // The old program leaves the new name as it was.
    Old::key(1)
        .get()
        .send(&db)
        .await?
        .ok_or("a row")?
        .update()
        .apply(|u| u.email().set("b"))
        .send(&db)
        .await?;
    assert_eq!(
        Both::by_mail("b").send(&db).await?.map(|user| user.id),
        Some(1)
    );
    assert_eq!(Both::by_mail("a").send(&db).await?, None);
    Both {
        id: 2,
        email: "a".to_owned(),
    }
    .create()
    .send(&db)
    .await?;
    // What is given up is the value under the former name.
    Both {
        id: 1,
        email: "c".to_owned(),
    }
    .put()
    .send(&db)
    .await?;
    Both {
        id: 3,
        email: "b".to_owned(),
    }
    .create()
    .send(&db)
    .await?;
    let taken = old("b").put().send(&db).await.unwrap_err();
    assert!(taken.is_unique_violation(), "{taken}");
    Old::key(1)
        .get()
        .send(&db)
        .await?
        .ok_or("a row")?
        .update()
        .apply(|u| u.email().set("d"))
        .send(&db)
        .await?;
    Both::key(1).delete().send(&db).await?;
    for (id, email) in [(4, "c"), (5, "d")] {
        Both {
            id,
            email: email.to_owned(),
        }
        .create()
        .send(&db)
        .await?;
    }
    // A job that deletes by what its rows hold.
    let report = Both::scan().delete_each().send(&db).await?;
    assert_eq!(report.written, 4, "{report:?}");
    assert_eq!(db.count::<Both>().await, 0);
    Ok(())
}
