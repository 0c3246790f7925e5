//! Shards that no longer exist, or seem not to exist.

use super::super::worker::tests::open_worker;
use super::super::worker::{TakenLease, Worker};
use super::*;
use crate::error::{ErrorKind, Stage};

/// The age of the worker, in seconds.
const AGE: u64 = 1_000;

async fn aged_worker() -> (Worker, TakenLease) {
    let (mut worker, _) = open_worker(Duration::from_secs(30)).await;
    worker.age(Duration::from_secs(AGE));
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    (worker, lease)
}

fn answers(count: u32, seconds: u64, omissions: u32) -> GoneAnswers {
    GoneAnswers {
        since: Duration::from_secs(AGE - seconds),
        count,
        omissions,
    }
}

/// A single description may omit a shard, and a replica of the service may deny it for a while.
#[tokio::test]
async fn a_shard_is_gone_after_three_descriptions_or_after_ten_minutes() {
    let (worker, lease) = aged_worker().await;
    let (described, _) = worker.source.describe().await.expect("described");
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    for (count, seconds) in [(2, 100), (9, 20)] {
        let mut gone = answers(count, seconds, 2);
        assert!(!run.is_gone(&mut gone).await, "{count} in {seconds} s");
        assert_eq!(gone.omissions, 2, "it was described too soon");
    }
    let mut gone = answers(3, 35, 0);
    for is_gone in [false, false, true] {
        assert_eq!(run.is_gone(&mut gone).await, is_gone, "{gone:?}");
    }
    run.name = described[0].id.clone();
    let mut gone = answers(5, 100, 2);
    assert!(!run.is_gone(&mut gone).await);
    assert_eq!(gone.omissions, 0, "the shard was described");
    for (count, seconds, is_gone) in [(9, 700, false), (10, 590, false), (10, 610, true)] {
        let mut gone = answers(count, seconds, 0);
        assert_eq!(
            run.is_gone(&mut gone).await,
            is_gone,
            "{count} in {seconds} s"
        );
    }
}

/// Only records from before the start of the group can be gone without a loss.
#[tokio::test]
async fn a_shard_that_is_gone_is_a_loss_unless_the_group_began_with_it() {
    let (worker, lease) = aged_worker().await;
    for (is_initial, is_old, is_lost) in [
        (true, false, false),
        (true, true, true),
        (false, false, true),
        (false, true, true),
    ] {
        let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
        let age = if is_old { RETENTION + 10 } else { 3_600 };
        run.start.unread_since = worker.source.now() - age;
        run.start.is_initial = is_initial;
        let mut reading = ShardReading {
            gone: Some(answers(9, 700, 0)),
            ..ShardReading::default()
        };
        let error = Error::new(ErrorKind::TableNotFound, Stage::Service, "gone")
            .with_code(Some("ResourceNotFoundException"));
        let noted = reading.note_failure(&mut run, error).await;
        let kind = noted.err().map(|error| error.kind());
        let expected = is_lost.then_some(ErrorKind::ChangesLost);
        assert_eq!(kind, expected, "{is_initial} {is_old}");
        assert_eq!(reading.is_over, !is_lost, "{is_initial} {is_old}");
    }
}
