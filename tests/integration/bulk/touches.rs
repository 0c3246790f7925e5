//! A touch writes each row once and changes nothing of it, and the change is shown to those who follow the table.

use std::collections::BTreeSet;

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::ChangeEvent;

use super::{Entry, Row, State, entries, rows};
use crate::followed::{both_images, event};
use crate::support::db::{Db, Raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_touch_changes_its_mark_alone,
    a_touch_is_shown_as_a_change,
    a_touch_reaches_the_rows_of_its_query,
    a_touch_makes_no_row,
    a_touch_goes_on_where_it_was_stopped,
];

const MARK: &str = "_job.+touch";

async fn stored(db: &Db, number: u32) -> Raw {
    db.stored(&Row::key("a", number)).await
}

/// The marks of all rows.
async fn marks(db: &Db, count: u32) -> BTreeSet<Option<String>> {
    let mut marks = BTreeSet::new();
    for number in 0..count {
        let mark = stored(db, number).await.remove(MARK);
        marks.insert(mark.map(|mark| mark.as_s().expect("a text").clone()));
    }
    marks
}

async fn a_touch_changes_its_mark_alone(db: Db) -> Outcome {
    entries(&db, 3).await?;
    let before = Entry::in_partition("a").consistent().all(&db).await?;
    let mut runs = BTreeSet::new();
    for _ in 0..2 {
        for entry in &before {
            let old = db.stored(&entry.key()).await;
            let job = Entry::in_partition("a")
                .number()
                .eq(entry.number)
                .touch_each();
            let report = job.send(&db).await?.complete()?;
            assert_eq!((report.found, report.written), (1, 1));
            let mut new = db.stored(&entry.key()).await;
            let mark = new.remove(MARK).expect("a mark");
            assert!(
                runs.insert(mark.as_s().expect("a text").clone()),
                "another run"
            );
            let old: Raw = old.into_iter().filter(|(name, _)| name != MARK).collect();
            assert_eq!(new, old);
        }
    }
    // Those who have loaded a row before are in no conflict.
    for entry in before {
        entry.update().apply(|e| e.cents().add(1)).send(&db).await?;
    }
    Ok(())
}

async fn a_touch_is_shown_as_a_change(db: Db) -> Outcome {
    rows(&db, 1).await?;
    let plain = stored(&db, 0).await;
    Row::scan().touch_each().send(&db).await?.complete()?;
    let touched = stored(&db, 0).await;
    Row::scan().touch_each().send(&db).await?.complete()?;
    let again = stored(&db, 0).await;
    for (old, new) in [(&plain, &touched), (&touched, &again)] {
        let shown: Vec<_> =
            Row::changes_of(&both_images(old, new)).collect::<std::result::Result<_, _>>()?;
        let [change] = &*shown else {
            panic!("one is shown: {shown:?}")
        };
        let ChangeEvent::Changed { old, new } = &change.event else {
            panic!("a change: {change:?}")
        };
        assert_eq!((old, new), (&super::row(0), &super::row(0)));
        for view in ["NEW_IMAGE", "KEYS_ONLY"] {
            let event = event(view, Some(&plain), Some(&touched));
            assert_eq!(
                Row::keys_of(&event).filter_map(Result::ok).count(),
                1,
                "{view}"
            );
        }
    }
    // The mark of another job, and an equal item that a put has stored, are no changes.
    let mut marked = touched.clone();
    marked.insert("_job.prices".into(), s("7f"));
    for (old, new) in [
        (&touched, &marked),
        (&touched, &plain),
        (&touched, &touched),
    ] {
        assert_eq!(Row::changes_of(&both_images(old, new)).count(), 0);
    }
    Ok(())
}

async fn a_touch_reaches_the_rows_of_its_query(db: Db) -> Outcome {
    rows(&db, 6).await?;
    for number in 0..2 {
        let update = Row::key("a", number)
            .update()
            .apply(|r| r.state().set(State::Done));
        update.send(&db).await?;
    }
    let job = Row::by_state(State::Open).rank().ge(4).touch_each();
    assert_eq!(job.send(&db).await?.complete()?.written, 2);
    let keys = Row::keys_by_state(State::Done).touch_each();
    assert_eq!(keys.send(&db).await?.complete()?.written, 2);
    let filtered = Row::in_partition("a")
        .filter(|r| r.rank().eq(3))
        .touch_each();
    assert_eq!(filtered.send(&db).await?.complete()?.written, 1);
    for number in 0..6 {
        let is_touched = stored(&db, number).await.contains_key(MARK);
        assert_eq!(is_touched, number != 2, "{number}");
    }
    Ok(())
}

async fn a_touch_makes_no_row(db: Db) -> Outcome {
    rows(&db, 5).await?;
    let last = Row::key("a", 4);
    let mut is_there = true;
    let job = Row::in_partition("a").touch_each().concurrency(1);
    let job = job.on_progress(|_| {
        if std::mem::take(&mut is_there) {
            meanwhile(last.clone().delete().send(&db)).expect("deleted");
        }
    });
    let report = job.send(&db).await?.complete()?;
    assert_eq!((report.written, report.vanished), (4, 1));
    assert_eq!(Row::key("a", 4).get().consistent().send(&db).await?, None);
    Ok(())
}

async fn a_touch_goes_on_where_it_was_stopped(db: Db) -> Outcome {
    const COUNT: u32 = 40;
    rows(&db, COUNT).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("touch");
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut plan: Vec<Fault> = (0..25)
            .map(|_| match random.u8(..8) {
                0 => Fault::Lose,
                1 => Fault::throttle(),
                2 => Fault::internal(),
                _ => Fault::Pass,
            })
            .collect();
        plan.push(Fault::refuse("AccessDeniedException"));
        let (faulty, http) = db.faulty(plan);
        let job = Row::in_partition("a").page_size(10).touch_each();
        let job = job.checkpoint("again", FileCheckpoint::new(&path));
        let job = job.concurrency(4).rate(10_000);
        let report = job.send(&faulty).await?;
        http.deliver().await;
        // All that was touched was touched by one run.
        let marks = marks(&db, COUNT).await;
        assert!(marks.iter().flatten().count() == 1, "{marks:?}");
        // The next run tries again what has failed.
        if report.stopped().is_none() && report.errors().is_empty() {
            assert_eq!(marks.len(), 1, "each row: {marks:?}");
            assert_eq!(report.counts().found, u64::from(COUNT));
            assert!(seed > 0, "it was stopped before");
            return Ok(());
        }
    }
    Err("it never ends".into())
}
