//! A worker whose rounds are called one by one, on an embedded engine with slow responses.

use std::sync::atomic::AtomicUsize;

use dynamo_entity_derive::DynamoEntity;
use futures_util::future::join;

use super::*;
use crate::connect::testing::{Fault, Faults};
use crate::dynamo::Dynamo;
use crate::entity::DynamoTable;
use crate::error::Result;
use crate::plan::Operation;
use crate::streams::group::drive::drive_worker;
use crate::streams::group::lease::{LeaseTable, StreamGroup};
use crate::streams::group::lineage::NewShard;
use crate::streams::group::shard_run::ShardRun;
use crate::streams::group::store::Written;
use crate::streams::parked::ParkedTable;
use crate::wire::Client;
use crate::wire::embedded::EmbeddedEngine;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = "notes", key(pk = id), stream = new_and_old_images)]
pub(in crate::streams::group) struct Note {
    pub(in crate::streams::group) id: u32,
}

const LEASE: Duration = Duration::from_secs(2);

/// A worker of a new group, and the faults of its requests.
pub(in crate::streams::group) async fn open_worker(lease_time: Duration) -> (Worker, Faults) {
    let engine = EmbeddedEngine::memory().await.expect("an engine");
    let faults = Faults::default();
    let http = faults.around(engine.http_client());
    let config = engine.sdk_config().http_client(http).build();
    let db = Dynamo::new(Client::from_conf(config));
    let tables = [LeaseTable::schema(), ParkedTable::schema(), Note::schema()];
    db.create_tables(tables).await.expect("tables");
    let source = StreamSource::find(&db, "notes", None).await;
    let settings = Settings {
        lease_time,
        longest_pause: Duration::from_secs(1),
        since: None,
        continues_after_loss: false,
        park_after: None,
        has_fewer_entities: false,
        listener: None,
    };
    let store = LeaseStore::new("g", lease_time, &db).expect("a store");
    let entities = BTreeSet::from(["Note".to_owned()]);
    let worker = Worker::join(source.expect("a stream"), settings, entities, store).await;
    (worker.expect("a worker"), faults)
}

impl Worker {
    /// Moves the start of the worker into the past.
    pub(in crate::streams::group) fn age(&mut self, time: Duration) {
        self.began = self.began.checked_sub(time).expect("a long uptime");
    }

    async fn rows(&self) -> GroupRows {
        let rows = self.store.read_rows().await;
        rows.expect("read").expect("a group")
    }

    /// Takes the lease of the discoverer, and creates rows of shards without parents.
    pub(in crate::streams::group) async fn add_shards(&self, count: usize) -> u64 {
        let group = self.rows().await.group;
        let taken = self.take_lease("", &rounds::state_of_group(&group)).await;
        let epoch = taken.expect("sent").expect("taken");
        let new: Vec<NewShard> = (0..count)
            .map(|at| NewShard {
                shard: format!("s{at:03}"),
                parent: None,
                has_parent_row: false,
            })
            .collect();
        let created = self.store.create_rows(epoch, &new, self.shard_start());
        assert_eq!(created.await.expect("sent"), Written::Done);
        epoch
    }

    /// Takes a shard. Its run does not begin.
    pub(in crate::streams::group) async fn take_one(&self, shard: &str) -> TakenLease {
        let row = self.rows().await.shards[shard].clone();
        self.take_shard(&row).await.expect("sent");
        self.take_started().pop().expect("taken")
    }
}

/// Another worker may see the effect of a request long before this worker receives the response.
#[tokio::test]
async fn a_lease_counts_from_before_its_request() {
    let (worker, faults) = open_worker(LEASE).await;
    let late = Duration::from_millis(250);
    let may_begin = |epoch, now| lock(&worker.book).may_begin("", epoch, now);
    let group = worker.rows().await.group;
    for is_renewal in [false, true] {
        let sent = worker.now();
        faults.plan([Fault::Delay(late)]);
        let epoch = match is_renewal {
            false => {
                let state = rounds::state_of_group(&group);
                let taken = worker.take_lease("", &state).await;
                taken.expect("sent").expect("taken")
            }
            true => {
                let epoch = lock(&worker.book).held_epoch("").expect("held");
                worker.renew_lease("".into(), epoch).await.expect("sent");
                epoch
            }
        };
        assert!(worker.now() >= sent + late, "the response was not late");
        assert!(may_begin(epoch, sent + LEASE - Duration::from_millis(1)));
        assert!(!may_begin(epoch, sent + LEASE + late / 2), "{is_renewal}");
    }
}

/// From the time at which the release is sent, another worker may be the owner.
#[tokio::test]
async fn no_handler_begins_while_a_lease_is_being_released() {
    let (worker, faults) = open_worker(LEASE).await;
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    assert!(worker.may_begin("s000", lease.epoch));
    let run = ShardRun::new(&worker, &lease.row, lease.epoch);
    faults.plan([Fault::Delay(Duration::from_millis(200))]);
    let look = async {
        sleep_for(Duration::from_millis(60)).await;
        assert_eq!(faults.calls(), ["UpdateItem"], "the release was sent");
        assert!(!worker.may_begin("s000", lease.epoch));
    };
    let (ended, ()) = join(run.end(Ok(ShardStopReason::Stopped)), look).await;
    ended.expect("released");
    assert_eq!(worker.rows().await.shards["s000"].owner, None);
}

/// Its last handlers may take long, and no other worker would look for new shards in the meantime.
#[tokio::test]
async fn a_worker_that_stops_is_not_the_discoverer_any_more() {
    let (worker, _) = open_worker(LEASE).await;
    worker.add_shards(1).await;
    worker.stop();
    worker.run_round().await.expect("a round");
    let rows = worker.rows().await;
    assert_eq!(rows.group.owner, None);
    assert_eq!(
        rows.shards["s000"].owner, None,
        "a stopping worker takes no shard"
    );
}

/// No other worker reads these shards until the lease time is over.
#[tokio::test]
async fn shards_that_were_handed_over_are_released_at_the_end() {
    let (worker, _) = open_worker(LEASE).await;
    worker.add_shards(2).await;
    for (shard, owner) in [("s000", worker.id()), ("s001", "another")] {
        let handed = ShardLease::key("g", shard).update();
        let handed = handed.apply(|row| (row.owner().set(owner), row.epoch().set(7)));
        handed.send(&worker.store.db).await.expect("written");
    }
    worker.leave_group().await;
    let rows = worker.rows().await;
    assert_eq!(rows.shards["s000"].owner, None);
    assert_eq!(rows.shards["s001"].owner.as_deref(), Some("another"));
    assert_eq!(rows.group.owner, None);
}

/// A worker that requested a shard and died must not get it in a later epoch.
#[tokio::test]
async fn a_request_for_a_shard_is_forgotten_with_its_row() {
    let (worker, _) = open_worker(LEASE).await;
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    let asker = || worker.asker_of("s000", lease.epoch);
    let mut rows = worker.rows().await;
    let asks = |rows: &mut GroupRows, by: Option<&str>| {
        let row = rows.shards.get_mut("s000").expect("a row");
        row.requested_by = by.map(str::to_owned);
    };
    asks(&mut rows, Some("another"));
    worker.note_rows(&rows);
    assert_eq!(asker().as_deref(), Some("another"));
    // The run that ends still has to hand the shard over.
    asks(&mut rows, None);
    worker.note_rows(&rows);
    assert_eq!(asker().as_deref(), Some("another"));
    worker.end_run(&"s000".into());
    assert_eq!(asker(), None);
    asks(&mut rows, Some(worker.id()));
    worker.note_rows(&rows);
    assert_eq!(asker(), None, "its own request");
}

/// Workers that join at once must get their shares, and the rest must not wait for the next period.
#[tokio::test]
async fn free_shards_are_taken_in_parts_and_without_a_pause() {
    let (worker, _) = open_worker(Duration::from_secs(60)).await;
    worker.add_shards(70).await;
    for (most, is_hurried) in [(64, true), (6, false)] {
        worker.is_hurried.store(false, Ordering::Relaxed);
        let rows = worker.rows().await;
        worker.note_rows(&rows);
        worker.balance(&rows).await.expect("a round");
        assert_eq!(worker.take_started().len(), most);
        assert_eq!(worker.is_hurried.load(Ordering::Relaxed), is_hurried);
    }
}

/// Otherwise, another worker would handle the same change concurrently.
#[tokio::test]
async fn leases_are_renewed_after_an_error_until_the_last_handler_has_ended() {
    let (worker, _) = open_worker(Duration::from_secs(1)).await;
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    let epoch = lease.epoch;
    lock(&worker.state).taken.push(lease);
    let group = StreamGroup::key("g").delete();
    group.send(&worker.store.db).await.expect("deleted");
    let ran = AtomicUsize::new(0);
    let handle = |_: ShardRun<'_>| async {
        sleep_for(Duration::from_millis(1_200)).await;
        ran.store(1, Ordering::Relaxed);
        assert!(worker.is_stopping(), "the coordinator has failed");
        assert!(worker.may_begin("s000", epoch), "the lease is over");
        Result::Ok(())
    };
    let ended = drive_worker(&worker, handle, std::future::pending()).await;
    assert!(ended.is_err());
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

/// A description of these shards.
fn described(shards: &[&str]) -> Fault {
    let shards: Vec<String> = shards
        .iter()
        .map(|shard| format!(r#"{{"ShardId":"{shard}"}}"#))
        .collect();
    let body = format!(
        r#"{{"StreamDescription":{{"StreamArn":"arn","StreamStatus":"ENABLED","Shards":[{}]}}}}"#,
        shards.join(",")
    );
    Fault::Reply(200, body)
}

/// Without its row, a shard that exists would be read again.
#[tokio::test]
async fn only_the_row_of_a_shard_that_is_denied_is_removed() {
    let (mut worker, faults) = open_worker(LEASE).await;
    let (shown, _) = worker.source.describe().await.expect("described");
    let epoch = worker.add_shards(1).await;
    let exists = [NewShard {
        shard: shown[0].id.to_string(),
        parent: None,
        has_parent_row: false,
    }];
    let created = worker
        .store
        .create_rows(epoch, &exists, worker.shard_start());
    assert_eq!(created.await.expect("sent"), Written::Done);
    for shard in worker.rows().await.shards.keys() {
        let finished = ShardLease::key("g", shard).update();
        let finished = finished.apply(|row| row.is_finished().set(true));
        finished.send(&worker.store.db).await.expect("written");
    }
    for _ in 0..5 {
        worker.age(Duration::from_secs(1_000));
        // The rows are read first, and the time of the survey is noted before the shards are looked up.
        let denied = Fault::refuse("ResourceNotFoundException");
        faults.plan([Fault::Pass, described(&[]), Fault::Pass, denied]);
        worker.survey_shards(epoch).await.expect("a survey");
    }
    let rows = worker.rows().await;
    let kept: Vec<&str> = rows.shards.keys().map(String::as_str).collect();
    assert_eq!(kept, [&*shown[0].id]);
}

/// A shard can be on two pages of a description.
#[tokio::test]
async fn a_shard_that_is_described_twice_gets_one_row() {
    let (worker, faults) = open_worker(LEASE).await;
    let epoch = worker.add_shards(0).await;
    faults.plan([Fault::Pass, described(&["a", "b", "a"])]);
    worker.survey_shards(epoch).await.expect("a survey");
    let rows = worker.rows().await;
    assert_eq!(rows.shards.keys().collect::<Vec<_>>(), ["a", "b"]);
}

/// The last owner may have moved the place after this worker read the rows.
#[tokio::test]
async fn a_run_begins_at_the_place_of_the_row_after_the_lease_was_taken() {
    let (worker, _) = open_worker(LEASE).await;
    worker.add_shards(1).await;
    let read = worker.rows().await.shards["s000"].clone();
    let moved = ShardLease::key("g", "s000").update();
    let moved = moved.apply(|row| row.place().set("17"));
    moved.send(&worker.store.db).await.expect("written");
    worker.take_shard(&read).await.expect("sent");
    let taken = worker.take_started().pop().expect("taken");
    assert_eq!(taken.row.place.as_deref(), Some("17"));
}

/// Otherwise, the next owner would handle the changes again.
#[tokio::test]
async fn the_place_is_saved_before_a_lease_is_released() {
    let (worker, _) = open_worker(LEASE).await;
    worker.add_shards(1).await;
    let lease = worker.take_one("s000").await;
    let mut run = ShardRun::new(&worker, &lease.row, lease.epoch);
    run.reached.sequence = Some("17".into());
    let ended = run.end(Ok(ShardStopReason::Stopped)).await;
    ended.expect("released");
    let row = worker.rows().await.shards["s000"].clone();
    assert_eq!((row.place.as_deref(), row.owner), (Some("17"), None));
}
