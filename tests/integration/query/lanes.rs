//! Merged lanes: several are asked at once, each no more often than it has answers.

use std::time::Duration;

use dynamo_entity::Error;
use dynamo_entity::prelude::*;
use dynamo_entity::query::RowStream;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::requests::limits;
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    lanes_are_asked_together_until_the_end,
    what_is_asked_early_is_asked_once,
    large_answers_wait_for_each_other,
    nothing_is_asked_early_for_a_part_of_the_rows,
    an_error_waits_for_its_turn,
    an_error_leaves_the_rows_of_other_lanes,
    a_stream_cursor_never_skips_rows(Mark),
];

const LANES: u32 = 12;
const EACH: u32 = 40;
const PAGE: u32 = 10;

crate::declare! { entity Mark(table = "marks", key(pk = lane, sk = "{at:05}")) { lane: u32, at: u32, kept: bool } }

async fn put(db: &Db, marks: &[Mark]) -> Outcome {
    db.create_tables([Mark::schema()]).await?;
    let puts = marks.iter().map(|mark| mark.put());
    Batch::new().with_all(puts).send(db).await?.complete()?;
    Ok(())
}

/// Stores rows that belong to the lanes in turn.
async fn in_turns(db: &Db, lanes: u32, each: u32) -> Result<Vec<Mark>, Box<dyn std::error::Error>> {
    let mark = |at| Mark {
        lane: at % lanes,
        at,
        kept: true,
    };
    let marks: Vec<Mark> = (0..lanes * each).map(mark).collect();
    put(db, &marks).await?;
    Ok(marks)
}

fn marks() -> Query<Mark> {
    let marks = Mark::in_partition(any_of(0..LANES));
    marks.page_size(PAGE as usize).into()
}

/// Reads the rows until the end or the first error.
async fn read(rows: &mut RowStream<Mark>) -> (Vec<Mark>, Option<Error>) {
    let mut seen = Vec::new();
    loop {
        match rows.next().await {
            Some(Ok(row)) => seen.push(row),
            Some(Err(error)) => return (seen, Some(error)),
            None => return (seen, None),
        }
    }
}

/// After the first answers, the empty lane is asked together with those that will be empty next.
async fn lanes_are_asked_together_until_the_end(db: Db) -> Outcome {
    in_turns(&db, LANES, EACH).await?;
    let first = LANES as usize;
    let (faulty, http) = db.faulty(
        (0..first)
            .map(|_| Fault::Pass)
            .chain((0..8).map(|_| Fault::Hang)),
    );
    let mut rows = marks().stream(&faulty);
    let asking = async {
        for _ in 0..400 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            if http.calls().len() >= first + 8 {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    tokio::select! {
        (seen, _) = read(&mut rows) => return Err(format!("{} rows came", seen.len()).into()),
        () = asking => {}
    }
    assert_eq!(http.calls().len(), first + 8);
    Ok(())
}

async fn what_is_asked_early_is_asked_once(db: Db) -> Outcome {
    let expected = in_turns(&db, LANES, EACH).await?;
    let (faulty, http) = db.faulty([]);
    assert_eq!(
        marks().by_partition().all(&faulty).await?.len(),
        expected.len()
    );
    let one_by_one = limits(&http);
    assert!(one_by_one.len() >= (LANES * EACH / PAGE) as usize);
    assert!(marks().all(&faulty).await? == expected);
    assert_eq!(limits(&http), one_by_one);
    let mut rows = marks().descending().stream(&faulty);
    for expected in expected.iter().rev() {
        assert_eq!(rows.next().await.transpose()?.as_ref(), Some(expected));
    }
    assert_eq!(rows.next().await.transpose()?, None);
    assert_eq!(limits(&http), one_by_one);
    Ok(())
}

/// Large answers of other lanes wait until the rows before theirs are read.
async fn large_answers_wait_for_each_other(db: Db) -> Outcome {
    let expected = in_turns(&db, 3, 900).await?;
    for page in [260, 290, 450] {
        let marks = Mark::in_partition(any_of(0..3)).page_size(page);
        assert!(marks.clone().all(&db).await? == expected, "{page}");
        let (seen, error) = read(&mut marks.stream(&db)).await;
        assert!(seen == expected && error.is_none(), "{page}");
    }
    Ok(())
}

/// A page, even one without a limit, asks no lane ahead of need.
async fn nothing_is_asked_early_for_a_part_of_the_rows(db: Db) -> Outcome {
    in_turns(&db, LANES, EACH).await?;
    let (faulty, http) = db.faulty([]);
    let first = LANES as usize;
    let page = marks().page(&faulty).await?;
    // So many rows come before the first lane needs another request.
    let rows = (PAGE - 1) * LANES + 1;
    assert_eq!(
        (page.rows.len(), limits(&http).len()),
        (rows as usize, first + 1)
    );
    assert_eq!(
        marks().limit(rows as usize).all(&faulty).await?.len(),
        rows as usize
    );
    assert_eq!(limits(&http).len(), first);
    let mut some = marks().limit(rows as usize + 1).stream(&faulty);
    while some.next().await.transpose()?.is_some() {}
    assert_eq!(limits(&http).len(), first + 1);
    let some = marks().max_scanned(rows as usize + 20).all(&faulty).await?;
    assert!(some.len() >= rows as usize, "{} rows", some.len());
    Ok(())
}

/// The rows before the error come first.
async fn an_error_waits_for_its_turn(db: Db) -> Outcome {
    let expected = in_turns(&db, LANES, EACH).await?;
    for last in [0, 3, 7] {
        let plan = (0..LANES + last).map(|_| Fault::Pass);
        let (faulty, _) = db.faulty(plan.chain([Fault::refuse("AccessDeniedException")]));
        let mut rows = marks().stream(&faulty);
        let (seen, error) = read(&mut rows).await;
        assert_eq!(error.ok_or("an error")?.kind(), ErrorKind::AccessDenied);
        // The last row at hand of the lane whose request fails.
        let end = ((PAGE - 1) * LANES + last + 1) as usize;
        assert!(seen == expected[..end], "{last}: {} rows", seen.len());
        assert!(rows.next().await.is_none());
        let rest = marks().resume(rows.cursor()?).all(&db).await?;
        assert!(rest == expected[end..]);
        assert_eq!(marks().all(&faulty).await?.len(), expected.len());
    }
    Ok(())
}

/// The error waits, too, when the rows of its lane were all dropped for some time.
async fn an_error_leaves_the_rows_of_other_lanes(db: Db) -> Outcome {
    let mark = |lane, at| Mark {
        lane,
        at,
        kept: lane == 0,
    };
    let kept: Vec<Mark> = (0..35).map(|at| mark(0, at)).collect();
    let dropped: Vec<Mark> = (50..90).map(|at| mark(1, at)).collect();
    put(&db, &[kept.clone(), dropped].concat()).await?;
    let q = || marks().filter(|mark| mark.kept().eq(true));
    // Twelve lanes begin. The second one fails when it is asked again, since its rows were dropped.
    for fails in 13..17 {
        let plan = (0..fails).map(|_| Fault::Pass);
        let (faulty, _) = db.faulty(plan.chain([Fault::refuse("AccessDeniedException")]));
        let mut rows = q().stream(&faulty);
        let (seen, error) = read(&mut rows).await;
        assert_eq!(error.ok_or("an error")?.kind(), ErrorKind::AccessDenied);
        assert!(
            kept.starts_with(&seen) && seen.len() >= 20,
            "{}",
            seen.len()
        );
        let rest = q().resume(rows.cursor()?).all(&db).await?;
        assert!(rest == kept[seen.len()..]);
    }
    Ok(())
}

/// Wherever a stream is left or breaks, its cursor brings the remaining rows and none twice, whatever rows
/// the lanes have.
async fn a_stream_cursor_never_skips_rows(db: Db) -> Outcome {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    // The filter keeps so few rows that many answers have none.
    let kept = proptest::bool::weighted(0.06);
    let rows = proptest::collection::btree_map((0..LANES, 0..60_u32), kept, 100..150);
    let q = || marks().page_size(2).filter(|mark| mark.kept().eq(true));
    for _ in 0..2 {
        let sample = rows.new_tree(&mut runner);
        let rows = sample.map_err(|reason| reason.to_string())?.current();
        let mark = |((lane, at), kept)| Mark { lane, at, kept };
        let stored: Vec<Mark> = rows.into_iter().map(mark).collect();
        Mark::scan().delete_each().send(&db).await?.complete()?;
        put(&db, &stored).await?;
        let mut expected: Vec<Mark> = stored.into_iter().filter(|mark| mark.kept).collect();
        expected.sort_by_key(|mark| (mark.at, mark.lane));

        for requests in 0..100 {
            let plan = (0..requests).map(|_| Fault::Pass);
            let (faulty, _) = db.faulty(plan.chain([Fault::refuse("AccessDeniedException")]));
            let mut rows = q().stream(&faulty);
            let (seen, error) = read(&mut rows).await;
            assert!(expected.starts_with(&seen), "{requests}");
            let rest = q().resume(rows.cursor()?).all(&db).await?;
            assert!(rest == expected[seen.len()..], "{requests}");
            if error.is_none() {
                break;
            }
        }
        let mut rows = q().stream(&db);
        for passed in 0..=expected.len() {
            let rest = q().resume(rows.cursor()?).all(&db).await?;
            assert!(rest == expected[passed..], "behind {passed}");
            let next = rows.next().await.transpose()?;
            assert_eq!(next.as_ref(), expected.get(passed));
        }
    }
    Ok(())
}
