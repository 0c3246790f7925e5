//! Workers that join, stop, die and pause at random, on a stream whose shards close and split. A model checks them.
//!
//! The variable `GROUP_STORMS` sets the number of storms, and `GROUP_SEED` the first seed.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dynamo_entity::prelude::*;
use dynamo_entity::streams::{
    ConsumerEvent, HandlerError, ParkedChange, ShardLease, ShardStopReason, StreamGroup,
};
use futures_util::future::join_all;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

use super::Parcel;
use super::simulated::{ITEMS, Simulated, simulate};
use crate::support::db::Db;
use crate::support::suite::Outcome;

crate::declare! {
    pub entity Tally(table = "group-tallies", key(pk = number)) { number: u32, sum: u64 }
}

const LEASE: Duration = Duration::from_secs(1);
const WORKERS: u64 = 3;
/// The time for which changes are written. After that, the shards are read to their ends.
const STORM: Duration = Duration::from_secs(8);

/// The error of a handler.
const FAILURE: &str = "it fails";

/// Whether an attempt at a change fails. Some changes fail often, so that some of them are parked.
fn fails(item: u32, version: u64) -> bool {
    let percent = if (u64::from(item) + version).is_multiple_of(13) {
        60
    } else {
        3
    };
    fastrand::u8(..100) < percent
}

type Storm = Simulated<SharedHttpClient>;

/// The lives of a storm have different lease times, as during a deployment that changes it.
fn lease_of(life: usize) -> Duration {
    match life % 3 {
        0 => LEASE * 2,
        _ => LEASE,
    }
}

/// The handled changes, in the order in which their handlers began.
#[derive(Default)]
struct Log {
    /// The handled versions of each item, with the runs that have handled them.
    handled: BTreeMap<u32, Vec<(u64, usize)>>,
    /// By the life of a worker and an item: the run that may handle the item, and the items of its shard.
    runs: BTreeMap<(usize, u32), (usize, Range<u32>)>,
    /// The last run that has begun to handle changes of the shard of each item.
    last_runs: BTreeMap<u32, usize>,
    began: usize,
    failed: Vec<String>,
    left: BTreeMap<&'static str, usize>,
}

type SharedLog = Arc<Mutex<Log>>;

impl Log {
    fn note_event(&mut self, life: usize, event: &ConsumerEvent<'_>, storm: &Storm) {
        match event {
            ConsumerEvent::ShardStarted { shard } => {
                self.began += 1;
                let items = storm.world().items_of(shard);
                for item in items.clone() {
                    self.runs.insert((life, item), (self.began, items.clone()));
                }
            }
            ConsumerEvent::ShardStopped { reason, .. } => {
                let reason = match reason {
                    ShardStopReason::Finished => "finished",
                    ShardStopReason::HandedOver => "handed over",
                    ShardStopReason::LeaseLost => "lost",
                    _ => "stopped",
                };
                *self.left.entry(reason).or_default() += 1;
            }
            ConsumerEvent::AttemptFailed { error, .. } if error.to_string() != FAILURE => {
                self.failed.push(error.to_string());
            }
            ConsumerEvent::ChangesLost(lost) => self.failed.push(lost.to_string()),
            _ => {}
        }
    }

    /// Notes the start of a handler. An earlier run must not start one after a later run has started.
    fn note_handler(&mut self, life: usize, item: u32, version: u64) {
        let (run, items) = self.runs[&(life, item)].clone();
        for item in items {
            let last = self.last_runs.entry(item).or_default();
            if *last > run {
                self.failed.push(format!(
                    "run {run} begins a handler after run {last} for {item}"
                ));
            }
            *last = run.max(*last);
        }
        self.handled.entry(item).or_default().push((version, run));
    }

    fn is_complete(&self, versions: &BTreeMap<u32, u64>) -> bool {
        versions.iter().all(|(item, last)| {
            let handled = self.handled.get(item);
            handled.is_some_and(|handled| handled.iter().any(|(version, _)| version == last))
        })
    }
}

/// Polls a future except during a pause, as on a machine that is suspended.
async fn with_pause<F: Future>(work: F, begin: Instant, end: Instant) -> F::Output {
    let mut work = std::pin::pin!(work);
    let mut woken = std::pin::pin!(sleep_until(end));
    poll_fn(|cx| {
        let now = Instant::now();
        if now >= begin && now < end && woken.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        work.as_mut().poll(cx)
    })
    .await
}

/// The phases of a storm.
const STORMY: usize = 0;
const CALM: usize = 1;
const DONE: usize = 2;

/// Runs one worker after the other until all is done. During the storm, each of them stops or dies.
async fn live<F: Future<Output = Result<()>>>(
    seed: u64,
    phase: &AtomicUsize,
    life: impl Fn(usize, Stop) -> F,
) {
    static LIVES: AtomicUsize = AtomicUsize::new(0);
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        let number = LIVES.fetch_add(1, Ordering::Relaxed);
        let is_calm = match phase.load(Ordering::Relaxed) {
            DONE => return,
            phase => phase == CALM,
        };
        let now = Instant::now();
        let time = now + Duration::from_millis(random.u64(200..4_500));
        let begin = now + Duration::from_millis(random.u64(100..2_500));
        let end = begin + Duration::from_millis(random.u64(..2_500));
        let end = if is_calm { begin } else { end };
        let dies = !is_calm && random.u8(..3) > 0;
        let never = now + Duration::from_secs(1_000);
        let stop = match dies || is_calm {
            true => never,
            false => time,
        };
        let death = if dies { time } else { never };
        let working = with_pause(life(number, stop), begin, end);
        match timeout_at(death, working).await {
            // The future is dropped, as if the process had died.
            Err(_) => assert!(dies, "a worker does not stop"),
            Ok(ended) => ended.expect("no error"),
        }
    }
}

/// The time at which a worker stops, if the storm does not end before.
type Stop = Instant;

/// Runs a storm of workers. `handle` runs one worker.
async fn storm<F>(
    db: &Db,
    seed: u64,
    group: &str,
    handle: impl Fn(Dynamo, usize, BoxedStop, Storm, SharedLog) -> F,
    mut is_complete: impl AsyncFnMut(&Storm, &SharedLog) -> bool,
) -> SharedLog
where
    F: Future<Output = Result<()>>,
{
    let simulated = Simulated::new(db.engine().http_client(), seed);
    let config = db.engine().config();
    let through = db.through(config.http_client(SharedHttpClient::new(simulated.clone())));
    let (log, phase) = (SharedLog::default(), Arc::new(AtomicUsize::new(STORMY)));
    let workers = (0..WORKERS).map(|worker| {
        let life = |number, stop: Stop| {
            let phase = phase.clone();
            let stopped: BoxedStop = Box::pin(async move {
                while Instant::now() < stop && phase.load(Ordering::Relaxed) != DONE {
                    sleep(Duration::from_millis(50)).await;
                }
            });
            handle(
                through.clone(),
                number,
                stopped,
                simulated.clone(),
                log.clone(),
            )
        };
        live(seed * 10 + worker, &phase, life)
    });
    let writer = async {
        let mut random = fastrand::Rng::with_seed(seed);
        let end = Instant::now() + STORM;
        while Instant::now() < end {
            sleep(Duration::from_millis(random.u64(5..60))).await;
            simulated.world().write();
            if random.u8(..25) == 0 {
                simulated.world().split();
            }
        }
        simulated.world().is_faulty = false;
        phase.store(CALM, Ordering::Relaxed);
        let complete = async {
            while !is_complete(&simulated, &log).await {
                sleep(Duration::from_millis(100)).await;
            }
        };
        if timeout(Duration::from_secs(60), complete).await.is_err() {
            let rows = ShardLease::in_partition(group).consistent().all(db).await;
            panic!("seed {seed}: changes are not handled: {rows:#?}");
        }
        // A change that is handled twice would be handled again now.
        sleep(Duration::from_millis(500)).await;
        phase.store(DONE, Ordering::Relaxed);
    };
    tokio::join!(writer, join_all(workers));
    // All late requests have arrived.
    sleep(Duration::from_millis(500)).await;
    log
}

type BoxedStop = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

fn seeds() -> impl Iterator<Item = u64> {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let first = number("GROUP_SEED").unwrap_or_else(|| fastrand::u64(..1_000_000));
    first..first + number("GROUP_STORMS").unwrap_or(2)
}

pub async fn changes_are_handled_in_order_in_a_storm(db: Db) -> Outcome {
    for seed in seeds() {
        println!("seed {seed}");
        let group = format!("each-{seed}");
        let handle = |db: Dynamo, life, stop, simulated: Storm, log: SharedLog| async move {
            let heard = log.clone();
            Parcel::consumer(format!("each-{seed}"))
                .lease_time(lease_of(life))
                .longest_pause(Duration::from_millis(200))
                .park_after(2)
                .on_event(move |event| heard.lock().unwrap().note_event(life, event, &simulated))
                .each(async |change| -> Result<(), HandlerError> {
                    let parcel = change.event.after().expect("no removals");
                    {
                        let mut log = log.lock().unwrap();
                        log.note_handler(life, parcel.number, parcel.cents);
                    }
                    sleep(Duration::from_millis(parcel.cents % 7)).await;
                    match fails(parcel.number, parcel.cents) {
                        true => Err(FAILURE.into()),
                        false => Ok(()),
                    }
                })
                .run(&db, stop)
                .await
        };
        let is_complete = async |simulated: &Storm, log: &SharedLog| {
            log.lock().unwrap().is_complete(&simulated.world().versions)
        };
        let log = storm(&db, seed, &group, handle, is_complete).await;
        let log = std::mem::take(&mut *log.lock().unwrap());
        println!("{:?}", log.left);
        assert!(log.failed.is_empty(), "seed {seed}: {:?}", log.failed);
        for (item, handled) in &log.handled {
            let mut first_seen: Vec<u64> = Vec::new();
            for (version, _) in handled {
                if !first_seen.contains(version) {
                    first_seen.push(*version);
                }
            }
            let last = first_seen.len() as u64;
            assert_eq!(
                first_seen,
                (1..=last).collect::<Vec<u64>>(),
                "seed {seed}: item {item}: {handled:?}"
            );
        }
        StreamGroup::forget(&group, &db).await?;
    }
    Ok(())
}

pub async fn writes_take_effect_once_in_a_storm(db: Db) -> Outcome {
    for seed in seeds() {
        println!("seed {seed}");
        let group = format!("in-{seed}");
        for item in 0..ITEMS {
            Tally::key(item).delete().send(&db).await?;
        }
        let handle = |db: Dynamo, life, stop, simulated: Storm, log: SharedLog| async move {
            Parcel::consumer(format!("in-{seed}"))
                .lease_time(lease_of(life))
                .longest_pause(Duration::from_millis(200))
                .park_after(2)
                .on_event(move |event| log.lock().unwrap().note_event(life, event, &simulated))
                .each_in(|change, tx| -> Result<(), HandlerError> {
                    let parcel = change.event.after().expect("no removals");
                    let version = parcel.cents;
                    if fails(parcel.number, version) {
                        return Err(FAILURE.into());
                    }
                    Ok(tx.with(
                        Tally::key(parcel.number)
                            .upsert()
                            .apply(|tally| tally.sum().add(version)),
                    )?)
                })
                .run(&db, stop)
                .await
        };
        // Each change has taken effect once or is parked, and never both.
        let sums = async |simulated: &Storm| -> Result<BTreeMap<u32, u64>> {
            let mut sums = BTreeMap::new();
            for tally in Tally::scan().consistent().all(&db).await? {
                *sums.entry(tally.number).or_default() += tally.sum;
            }
            for parked in ParkedChange::list(&group, &db).await? {
                let (item, version) = simulated.world().change_of(&parked.event_id);
                *sums.entry(item).or_default() += version;
            }
            Ok(sums)
        };
        let expected = |simulated: &Storm| -> BTreeMap<u32, u64> {
            let world = simulated.world();
            let versions = world.versions.iter();
            versions
                .map(|(item, last)| (*item, last * (last + 1) / 2))
                .collect()
        };
        let is_complete = async |simulated: &Storm, _: &SharedLog| {
            let (expected, sums) = (expected(simulated), sums(simulated).await.expect("read"));
            let more = sums.iter().find(|(item, sum)| **sum > expected[item]);
            assert!(
                more.is_none(),
                "seed {seed}: {more:?} is too much: {expected:?}"
            );
            sums == expected
        };
        let log = storm(&db, seed, &group, handle, is_complete).await;
        let log = std::mem::take(&mut *log.lock().unwrap());
        println!(
            "{:?}, {} parked",
            log.left,
            ParkedChange::list(&group, &db).await?.len()
        );
        assert!(log.failed.is_empty(), "seed {seed}: {:?}", log.failed);
        StreamGroup::forget(&group, &db).await?;
    }
    Ok(())
}

/// The first worker takes all shards, and hands half of them over to the second one between two handlers.
pub async fn shards_are_handed_over_to_a_new_worker(db: Db) -> Outcome {
    let (_, through) = simulate(&db);
    let shards = [AtomicUsize::new(0), AtomicUsize::new(0)].map(Arc::new);
    let most = (ITEMS / 2) as usize;
    let is_even = AtomicUsize::new(0);
    let work = async |worker: usize| {
        let count = shards[worker].clone();
        let consumer = Parcel::consumer("divided")
            .lease_time(LEASE)
            .longest_pause(Duration::from_millis(200))
            .on_event(move |event| match event {
                ConsumerEvent::ShardStarted { .. } => drop(count.fetch_add(1, Ordering::Relaxed)),
                ConsumerEvent::ShardStopped { .. } => drop(count.fetch_sub(1, Ordering::Relaxed)),
                _ => {}
            })
            .each(async |_| Ok::<_, Error>(()));
        let stop = async {
            while is_even.load(Ordering::Relaxed) == 0 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        consumer.run(&through, stop).await
    };
    let reach = async |first: usize, second: usize| {
        let counts = || [0, 1].map(|at| shards[at].load(Ordering::Relaxed));
        let reached = async {
            while counts() != [first, second] {
                sleep(Duration::from_millis(20)).await;
            }
        };
        let reached = timeout(Duration::from_secs(60), reached).await;
        assert!(
            reached.is_ok(),
            "{:?} instead of {first} and {second}",
            counts()
        );
    };
    let second = async {
        reach(most, 0).await;
        let check = async {
            reach(most / 2, most / 2).await;
            is_even.store(1, Ordering::Relaxed);
        };
        let (ran, ()) = tokio::join!(work(1), check);
        ran
    };
    let (one, two) = tokio::join!(work(0), second);
    one.and(two)?;
    // A worker that stops releases its shards.
    let leases = ShardLease::in_partition("divided").all(&db).await?;
    assert!(
        leases.iter().all(|lease| lease.owner.is_none()),
        "{leases:#?}"
    );
    Ok(())
}

/// Another worker has taken the shards in the meantime.
pub async fn no_handler_begins_after_a_long_pause(db: Db) -> Outcome {
    let (simulated, through) = simulate(&db);
    let (log, is_over) = (SharedLog::default(), AtomicUsize::new(0));
    let over = async || {
        while is_over.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    let work = async |life: usize| {
        let (heard, storm) = (log.clone(), simulated.clone());
        let consumer = Parcel::consumer("paused")
            .lease_time(LEASE)
            .longest_pause(Duration::from_millis(200))
            .on_event(move |event| heard.lock().unwrap().note_event(life, event, &storm))
            .each(async |change| -> Result<()> {
                let parcel = change.event.after().expect("no removals");
                let mut log = log.lock().unwrap();
                log.note_handler(life, parcel.number, parcel.cents);
                Ok(())
            });
        consumer.run(&through, over()).await
    };
    let first = async {
        let mut first = std::pin::pin!(work(0));
        let has_begun = || log.lock().unwrap().began >= ITEMS as usize / 2;
        while !has_begun() {
            drop(timeout(Duration::from_millis(20), first.as_mut()).await);
        }
        // The worker is not polled while the other one takes its shards.
        let ran = tokio::join!(work(1), async {
            sleep(Duration::from_secs(4)).await;
            drop(timeout(Duration::from_secs(1), first.as_mut()).await);
            is_over.store(1, Ordering::Relaxed);
            first.await
        });
        ran.0.and(ran.1)
    };
    let writer = async {
        while is_over.load(Ordering::Relaxed) == 0 {
            simulated.world().write();
            sleep(Duration::from_millis(5)).await;
        }
    };
    let (ran, ()) = tokio::join!(first, writer);
    ran?;
    let log = log.lock().unwrap();
    assert!(log.failed.is_empty(), "{:?}", log.failed);
    assert!(
        log.left.contains_key("lost"),
        "the first worker kept its shards: {:?}",
        log.left
    );
    Ok(())
}
