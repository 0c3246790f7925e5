//! Versions: a checked write takes effect only on the item that its writer holds, whatever unchecked writes
//! there were.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Error, Operation, put_each};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::model::{Draft, draft};
use crate::support::clock::HandClock;
use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_version_goes_through_json(Draft),
    a_checked_write_only_changes_the_version_it_read(Document),
    an_unchecked_put_leaves_a_version_that_nobody_holds(Leaf),
    every_unchecked_put_draws_a_new_version(Leaf),
    a_drawn_version_is_exact_everywhere,
    unchecked_puts_go_on_after_the_highest_version(Leaf),
    a_recreated_item_is_reported_as_another_item(Document),
];

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "documents", key(pk = id))]
struct Document {
    id: u32,
    /// Each write has another text.
    text: String,
    #[dynamo(version)]
    version: Version,
    #[dynamo(created_at)]
    created_at: Option<DateTime<Utc>>,
}

crate::declare! {
    /// This entity has no creation time, so nothing tells a row from one that was created anew.
    entity Leaf(table = "leaves", key(pk = id)) { id: u32, text: String, #[dynamo(version)] version: Version }
}

fn document(text: &str) -> Document {
    Document {
        id: 1,
        text: text.into(),
        version: Version::default(),
        created_at: None,
    }
}

/// What one of three writers does, mostly with its own copy of the item.
#[derive(Debug, Clone, Copy)]
enum Step {
    Load,
    Create,
    PutNew,
    // These steps check the version of the copy.
    Put,
    PutWhen,
    Update,
    Delete,
    PutInTransaction,
    PutInJob,
    // These steps do not check it.
    Unchecked,
    UncheckedIfExists,
    UncheckedIfMissing,
    UncheckedInBatch,
    UncheckedInTransaction,
    UncheckedInJob,
    UncheckedOnce,
    UpdateUnchecked,
    UpdateByKey,
    Upsert,
    Modify,
    DeleteByKey,
}

const STEPS: [Step; 21] = [
    Step::Load,
    Step::Create,
    Step::PutNew,
    Step::Put,
    Step::PutWhen,
    Step::Update,
    Step::Delete,
    Step::PutInTransaction,
    Step::PutInJob,
    Step::Unchecked,
    Step::UncheckedIfExists,
    Step::UncheckedIfMissing,
    Step::UncheckedInBatch,
    Step::UncheckedInTransaction,
    Step::UncheckedInJob,
    Step::UncheckedOnce,
    Step::UpdateUnchecked,
    Step::UpdateByKey,
    Step::Upsert,
    Step::Modify,
    Step::DeleteByKey,
];

impl Step {
    fn is_checked(self) -> bool {
        matches!(
            self,
            Step::Put
                | Step::PutWhen
                | Step::Update
                | Step::Delete
                | Step::PutInTransaction
                | Step::PutInJob
        )
    }
}

/// The number of the writer, its step, and whether it goes on with the item that the write returned.
type Act = (usize, Step, bool);

fn acts() -> impl Strategy<Value = Vec<Act>> {
    // Loads and puts are more frequent, so that writers have copies and these become old.
    let step = prop_oneof![
        2 => Just(Step::Load),
        2 => Just(Step::Put),
        2 => Just(Step::Unchecked),
        10 => prop::sample::select(&STEPS[..]),
    ];
    vec((0..3_usize, step, any::<bool>()), 1..30)
}

/// Does the write. Returns the new item, if the verb returns it.
async fn write(db: &Dynamo, step: Step, copy: &Document, text: &str) -> Result<Option<Document>> {
    let new = Document {
        text: text.into(),
        ..copy.clone()
    };
    let key = Document::key(1);
    match step {
        Step::Load => return Ok(None),
        Step::Create => return new.create().send(db).await.map(Some),
        Step::PutNew => return document(text).put().send(db).await.map(Some),
        Step::Put => return new.put().send(db).await.map(Some),
        Step::PutWhen => {
            let put = new.put().when(|d| d.text().exists());
            return put.send(db).await.map(Some);
        }
        Step::Update => {
            let update = copy.update().apply(|d| d.text().set(text));
            return update.send(db).await.map(Some);
        }
        Step::Delete => copy.delete().send(db).await?,
        Step::PutInTransaction => drop(Transaction::new().with(new.put()).send(db).await?),
        Step::PutInJob => each(put_each([new.put()]).send(db).await?)?,
        Step::Unchecked => return new.put().unchecked().send(db).await.map(Some),
        Step::UncheckedIfExists => {
            let put = new.put().unchecked().if_exists();
            return put.send(db).await.map(Some);
        }
        Step::UncheckedIfMissing => {
            let put = new.put().unchecked().if_missing();
            return put.send(db).await.map(Some);
        }
        Step::UncheckedInBatch => {
            let batch = Batch::new().with(new.put().unchecked());
            batch.send(db).await?.complete()?;
        }
        Step::UncheckedInTransaction => {
            let put = new.put().unchecked();
            drop(Transaction::new().with(put).send(db).await?);
        }
        Step::UncheckedInJob => each(put_each([new.put().unchecked()]).send(db).await?)?,
        Step::UncheckedOnce => new.put().unchecked().idempotent().send(db).await?,
        Step::UpdateUnchecked => {
            let update = copy.update().unchecked().apply(|d| d.text().set(text));
            return update.send(db).await.map(Some);
        }
        Step::UpdateByKey => {
            let update = key.update().apply(|d| d.text().set(text));
            return update.send(db).await.map(Some);
        }
        Step::Upsert => {
            let upsert = key.upsert().apply(|d| d.text().set(text));
            return upsert.send(db).await.map(Some);
        }
        Step::Modify => {
            let modify = key.modify(|d| d.text = text.to_owned());
            return modify.send(db).await.map(Some);
        }
        Step::DeleteByKey => key.delete().send(db).await?,
    }
    Ok(None)
}

/// The result of a job with one write.
fn each(report: dynamo_entity::bulk::BulkReport) -> Result<()> {
    match report.errors().first() {
        Some(failed) if failed.error().is_lost_race() => {
            Err(dynamo_entity::testing::failure(failed.error().kind()))
        }
        _ => report.complete().map(drop),
    }
}

async fn stored(db: &Dynamo) -> Result<Option<Document>> {
    Document::key(1).get().consistent().send(db).await
}

async fn play(db: &Dynamo, clock: &HandClock, acts: &[Act]) -> Result<Result<(), String>> {
    Document::key(1).delete().send(db).await?;
    let mut copies: [Option<Document>; 3] = Default::default();
    let mut before: Option<Document> = None;
    for (at, &(who, step, keeps)) in acts.iter().enumerate() {
        clock.advance(1);
        if matches!(step, Step::Load) {
            copies[who].clone_from(&before);
            continue;
        }
        let held = copies[who].clone();
        let Some(copy) = held.or_else(|| (!step.is_checked()).then(|| document(""))) else {
            continue;
        };
        let text = format!("{at}");
        let outcome = write(db, step, &copy, &text).await;
        let after = stored(db).await?;
        let is_held = before.as_ref() == Some(&copy);
        let told =
            |what: &str| format!("{at}: {step:?} of {copy:?} on {before:?} {what}, now {after:?}");
        match &outcome {
            Ok(returned) => {
                if step.is_checked() && !is_held {
                    return Ok(Err(told("passed")));
                }
                if returned.is_some() && *returned != after {
                    return Ok(Err(told("returned something else")));
                }
            }
            Err(error) if error.is_lost_race() => {
                if step.is_checked() && is_held {
                    return Ok(Err(told("was refused")));
                }
                if after != before {
                    return Ok(Err(told("was refused and took effect")));
                }
            }
            Err(error) => return Ok(Err(told(&format!("failed: {error:?}")))),
        }
        if let Ok(Some(returned)) = outcome
            && keeps
        {
            copies[who] = Some(returned);
        }
        before = after;
    }
    Ok(Ok(()))
}

/// Compares three writers, whose copies may be old, with a model of what is stored.
async fn a_checked_write_only_changes_the_version_it_read(db: Db) -> Outcome {
    let clock = HandClock::at("2124-06-01T10:00:00Z");
    let now = db.at(&clock);
    let config = Config {
        source_file: Some(file!()),
        ..crate::random(150)
    };
    let fail = |error: Error| TestCaseError::fail(format!("{error:?}"));
    TestRunner::new(config).run(&acts(), |acts| {
        let played = block_in_place(|| Handle::current().block_on(play(&now, &clock, &acts)));
        played.map_err(fail)?.map_err(TestCaseError::fail)
    })?;
    Ok(())
}

fn leaf(text: &str) -> Leaf {
    Leaf {
        id: 1,
        text: text.into(),
        version: Version::default(),
    }
}

/// An old copy is written over a newer one without a check. The holder of the newer one must notice.
async fn an_unchecked_put_leaves_a_version_that_nobody_holds(db: Db) -> Outcome {
    let old = leaf("a").create().send(&db).await?;
    let mine = Leaf {
        text: "mine".into(),
        ..old.clone()
    };
    let mine = mine.put().send(&db).await?;
    let forced = Leaf {
        text: "forced".into(),
        ..old
    };
    let forced = forced.put().unchecked().send(&db).await?;
    assert_ne!(forced.version, mine.version);
    let lost = mine.put().send(&db).await.unwrap_err();
    assert!(lost.is_conflict());
    assert_eq!(lost.current::<Leaf>()?, Some(forced.clone()));
    // Later writes count on from the drawn version.
    let next = forced.put().send(&db).await?;
    let one_more = |version: Version| version.number().map(|number| number + 1);
    assert_eq!(next.version.number(), one_more(forced.version));
    let update = Leaf::key(1).update().apply(|l| l.text().set("x"));
    let raised = update.send(&db).await?;
    assert_eq!(raised.version.number(), one_more(next.version));
    Ok(())
}

async fn every_unchecked_put_draws_a_new_version(db: Db) -> Outcome {
    let old = leaf("a").create().send(&db).await?;
    let mut seen = vec![old.version];
    let put = || old.put().unchecked();
    for way in 0..8 {
        match way {
            0 => drop(put().send(&db).await?),
            1 => drop(put().if_exists().send(&db).await?),
            2 => drop(put().when(|l| l.text().eq("a")).send(&db).await?),
            3 => put().idempotent().send(&db).await?,
            4 => drop(Batch::new().with(put()).send(&db).await?.complete()?),
            5 => drop(Transaction::new().with(put()).send(&db).await?),
            6 => drop(put_each([put()]).send(&db).await?.complete()?),
            _ => {
                // The row is deleted and put again. The holder of the deleted row is told, too.
                Leaf::key(1).delete().send(&db).await?;
                drop(put().if_missing().send(&db).await?);
            }
        }
        let stored = Leaf::key(1).get().consistent().send(&db).await?;
        let version = stored.ok_or("a leaf")?.version;
        assert!(!seen.contains(&version), "way {way}: {version:?}");
        seen.push(version);
    }
    Ok(())
}

/// Numbers in JavaScript are exact below 2^53, and those in Java are signed.
async fn a_drawn_version_is_exact_everywhere(db: Db) -> Outcome {
    for _ in 0..200 {
        let explained = leaf("a").put().unchecked().explain(&db)?;
        let item: serde_json::Value = serde_json::from_str(&explained.requests[0])?;
        let drawn = item["Item"]["version"]["N"].as_str().ok_or("a version")?;
        let drawn: u64 = drawn.parse()?;
        assert!((1 << 52..(1 << 53) - (1 << 50)).contains(&drawn), "{drawn}");
    }
    Ok(())
}

async fn unchecked_puts_go_on_after_the_highest_version(db: Db) -> Outcome {
    let last = Leaf {
        version: Version::from(u64::MAX),
        ..leaf("a")
    };
    let put = last.put().unchecked().send(&db).await?;
    put.put().send(&db).await?;
    Ok(())
}

/// The new item has the same version, but another creation time.
async fn a_recreated_item_is_reported_as_another_item(db: Db) -> Outcome {
    let loaded = document("a").create().send(&db).await?;
    let updated = || loaded.update().apply(|d| d.text().set("x"));
    let refused = async || -> Vec<Error> {
        [
            loaded.put().send(&db).await.map(drop),
            loaded
                .put()
                .when(|d| d.text().ne("b"))
                .send(&db)
                .await
                .map(drop),
            loaded.delete().when(|d| d.text().ne("b")).send(&db).await,
            updated().send(&db).await.map(drop),
            updated()
                .when(|d| d.text().ne("b"))
                .send(&db)
                .await
                .map(drop),
            Transaction::new()
                .with(updated().when(|d| d.text().ne("b")))
                .send(&db)
                .await
                .map(drop),
        ]
        .map(Result::unwrap_err)
        .into()
    };
    let told = |error: &Error| {
        let shown = error.to_string();
        assert!(error.is_conflict(), "{shown}");
        (
            shown.contains("another time of creation"),
            shown.contains("does not fit"),
        )
    };
    // Another program's item has the same version and no creation time.
    let version = loaded.version.number().expect("a stored version");
    let foreign = raw([("id", n(1)), ("text", s("b")), ("version", n(version))]);
    db.plant::<Document>(foreign).await;
    for refused in refused().await {
        assert_eq!(told(&refused), (true, false), "{refused}");
    }
    Document::key(1).delete().send(&db).await?;
    let other = document("b").create().send(&db).await?;
    assert_eq!(other.version, loaded.version);
    for refused in refused().await {
        assert_eq!(told(&refused), (true, false), "{refused}");
    }
    // If the item is the loaded one, the caller's own condition has failed.
    let refused = other
        .update()
        .apply(|d| d.text().set("x"))
        .when(|d| d.text().eq("a"));
    let refused = refused.send(&db).await.unwrap_err();
    assert_eq!(told(&refused), (false, true), "{refused}");
    // If the version differs, somebody else has written.
    other.put().send(&db).await?;
    let late = other
        .put()
        .when(|d| d.text().eq("a"))
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(told(&late), (false, false), "{late}");
    Ok(())
}

/// A client shows which version it has seen, and one that has seen none may only create.
async fn a_version_goes_through_json(db: Db) -> Outcome {
    let stored = draft("d1", "x").create().send(&db).await?;
    let json = serde_json::to_string(&stored.version)?;
    assert_eq!(json, "1");
    let seen = Draft {
        version: serde_json::from_str(&json)?,
        ..stored.clone()
    };
    let newer = seen.put().send(&db).await?;
    assert_eq!(serde_json::to_string(&newer.version)?, "2");
    assert!(
        seen.put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );

    assert_eq!(serde_json::to_string(&Version::default())?, "null");
    let unseen = Draft {
        version: serde_json::from_str("null")?,
        ..stored
    };
    assert!(
        unseen
            .put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert!(serde_json::from_str::<Version>("\"1\"").is_err());
    Ok(())
}
