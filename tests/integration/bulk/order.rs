//! With `put_each`, several writes of one item take effect once each and in the given order, whatever happens
//! on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, SystemTime};

use dynamo_entity::bulk::{FileCheckpoint, SingleWrite};
use dynamo_entity::prelude::*;
use dynamo_entity::{Bulk, RetryBudget};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::support::db::{Db, Http};
use crate::support::faulty::Fault;
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_lost_answer_is_matched_to_its_write,
    a_crash_repeats_no_write_of_an_item,
    a_later_write_waits_for_the_earlier_one,
    a_delete_waits_for_what_it_takes_away,
    writes_of_other_items_go_on,
    the_fate_of_a_refused_write_is_kept,
    a_write_waits_for_one_that_failed,
    a_mended_write_is_refused_after_a_later_one(super::Row),
    a_mended_write_brings_back_no_deleted_item(super::Row),
    a_mended_write_is_not_taken_for_done(super::Row),
    an_overtaken_write_stays_overtaken(super::Row),
    later_writes_wait_for_one_that_cannot_be_stored(Weight),
    any_job_does_each_write_once_in_order,
    any_mended_job_tells_what_was_not_done,
    an_older_checkpoint_leaves_the_same_items,
];

const JOB: &str = "in-order";

crate::declare! {
    /// The trail lists the number of each write that took effect.
    entity Coin(table = "coins", key(pk = id)) { id: u32, trail: Vec<u64>, note: Option<String> }
    /// A coin with a unique value, so that its writes are transactions.
    entity Badge(table = "badges", key(pk = "BADGE#{id}"), unique(by_code, code))
        { id: u32, trail: Vec<u64>, code: String }
    /// An entity that cannot always be stored: NaN is not a DynamoDB number.
    entity Weight(table = "weights", key(pk = id)) { id: u32, grams: f64 }
}

fn coin(id: u32, number: u64) -> Coin {
    Coin {
        id,
        trail: vec![number],
        note: None,
    }
}

fn badge(id: u32, number: u64) -> Badge {
    Badge {
        id,
        trail: vec![number],
        code: format!("{id}-{number}"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Put,
    Create,
    Push,
    Delete,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// Items from the number `BADGES` on are badges, those below are coins.
    id: u32,
    verb: Verb,
}

const BADGES: u32 = 3;

/// The writes of a job, and the entities that they write.
struct Given {
    steps: Vec<Step>,
    coins: Vec<Coin>,
    badges: Vec<Badge>,
}

impl Given {
    fn new(steps: &[Step]) -> Self {
        let numbered = || steps.iter().zip(0..);
        Given {
            steps: steps.to_vec(),
            coins: numbered().map(|(step, n)| coin(step.id, n)).collect(),
            badges: numbered().map(|(step, n)| badge(step.id, n)).collect(),
        }
    }

    fn write(&self, number: u64) -> Box<dyn SingleWrite + '_> {
        let at = number as usize;
        let Step { id, verb } = self.steps[at];
        match (id < BADGES, verb) {
            (true, Verb::Put) => Box::new(self.coins[at].put()),
            (true, Verb::Create) => Box::new(self.coins[at].create()),
            (true, Verb::Push) => {
                let update = Coin::key(id).update();
                Box::new(update.apply(|coin| coin.trail().push(number)))
            }
            (true, Verb::Delete) => Box::new(Coin::key(id).delete()),
            (false, Verb::Put) => Box::new(self.badges[at].put()),
            (false, Verb::Create) => Box::new(self.badges[at].create()),
            (false, Verb::Push) => {
                let update = Badge::key(id).update();
                Box::new(update.apply(|badge| badge.trail().push(number)))
            }
            (false, Verb::Delete) => Box::new(Badge::key(id).delete()),
        }
    }

    fn job(&self, path: &Path) -> Bulk<'_> {
        self.as_job(
            (0..self.steps.len() as u64).map(|number| self.write(number)),
            path,
        )
    }

    fn as_job<'j>(
        &self,
        writes: impl Iterator<Item = Box<dyn SingleWrite + 'j>>,
        path: &Path,
    ) -> Bulk<'j> {
        put_each(Vec::from_iter(writes))
            .checkpoint(JOB, FileCheckpoint::new(path))
            .budget(RetryBudget::rounds(60))
            .max_failures(usize::MAX)
    }
}

type Trails = BTreeMap<u32, Vec<u64>>;

/// The trails that the job should leave, and the numbers of the writes that should be refused.
fn model(steps: &[Step], trails: Trails) -> (Trails, BTreeSet<u64>) {
    model_without(steps, trails, &BTreeSet::new())
}

fn model_without(
    steps: &[Step],
    mut trails: Trails,
    without: &BTreeSet<u64>,
) -> (Trails, BTreeSet<u64>) {
    let mut refused = BTreeSet::new();
    let is_done = |(number, _): &(u64, &Step)| !without.contains(number);
    for (number, step) in (0..).zip(steps).filter(is_done) {
        match (step.verb, trails.get_mut(&step.id)) {
            (Verb::Put, _) | (Verb::Create, None) => drop(trails.insert(step.id, vec![number])),
            (Verb::Push, Some(trail)) => trail.push(number),
            (Verb::Delete, _) => drop(trails.remove(&step.id)),
            (Verb::Create, Some(_)) | (Verb::Push, None) => drop(refused.insert(number)),
        }
    }
    (trails, refused)
}

async fn trails(db: &Db) -> Result<Trails> {
    let coins = Coin::scan().consistent().all(db).await?;
    let badges = Badge::scan().consistent().all(db).await?;
    assert_eq!(
        db.count::<Badge>().await as usize,
        2 * badges.len(),
        "each badge, and its value"
    );
    for badge in &badges {
        let first = badge.trail.first().copied().unwrap_or_default();
        assert_eq!(badge.code, format!("{}-{first}", badge.id));
    }
    let coins = coins.into_iter().map(|coin| (coin.id, coin.trail));
    let badges = badges.into_iter().map(|badge| (badge.id, badge.trail));
    Ok(coins.chain(badges).collect())
}

/// The trail entry of an item that existed before the job.
const BEFORE: u64 = 1_000_000;

/// Empties the tables, then stores one coin and one badge.
async fn begin(db: &Db) -> Result<Trails> {
    db.create_tables([Coin::schema(), Badge::schema()]).await?;
    db.truncate([Coin::schema(), Badge::schema()])
        .even_on_aws()
        .await?;
    coin(0, BEFORE).put().send(db).await?;
    badge(BADGES, BEFORE).put().send(db).await?;
    Ok([(0, vec![BEFORE]), (BADGES, vec![BEFORE])].into())
}

fn pushes(id: u32, count: usize) -> Vec<Step> {
    vec![
        Step {
            id,
            verb: Verb::Push
        };
        count
    ]
}

/// Several writes of one item are given at once, and one answer is lost.
async fn a_lost_answer_is_matched_to_its_write(db: Db) -> Outcome {
    for lost in 0..3 {
        begin(&db).await?;
        let folder = tempfile::tempdir()?;
        let plan = std::iter::repeat_n(Fault::Pass, lost).chain([Fault::Lose]);
        let (faulty, _) = db.faulty(plan);
        let given = Given::new(&pushes(0, 3));
        let report = given.job(&folder.path().join("job")).concurrency(3);
        let report = report.send(&faulty).await?.complete()?;
        assert_eq!((report.written, report.failed), (3, 0));
        assert_eq!(trails(&db).await?[&0], [BEFORE, 0, 1, 2], "{lost}");
    }
    Ok(())
}

/// Runs the job until the service stops answering after so many requests; then drops it, like a killed
/// program.
pub(super) async fn killed(db: &Db, requests: usize, job: Bulk<'_>) -> Result<bool> {
    let plan = std::iter::repeat_n(Fault::Pass, requests);
    let (faulty, http) = db.faulty(plan.chain(std::iter::repeat_n(Fault::Hang, 500)));
    run_until(&faulty, &http, requests, job).await
}

/// Runs the job until it ends or hangs. Returns whether it came to its end.
pub(super) async fn run_until(
    db: &Dynamo,
    http: &Http,
    requests: usize,
    job: Bulk<'_>,
) -> Result<bool> {
    let hangs = async {
        while http.calls().len() <= requests {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    };
    tokio::select! {
        biased;
        report = job.send(db) => report.map(|report| report.stopped().is_none()),
        () = hangs => Ok(false),
    }
}

async fn a_crash_repeats_no_write_of_an_item(db: Db) -> Outcome {
    let steps = pushes(0, 2);
    for requests in 0..3 {
        begin(&db).await?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("job");
        let given = Given::new(&steps);
        let is_done = killed(&db, requests, given.job(&path)).await?;
        assert_eq!(is_done, requests == 2);
        given.job(&path).send(&db).await?.complete()?;
        assert_eq!(trails(&db).await?[&0], [BEFORE, 0, 1]);
    }
    Ok(())
}

async fn a_later_write_waits_for_the_earlier_one(db: Db) -> Outcome {
    begin(&db).await?;
    // The order is kept without a checkpoint, too.
    let given = Given::new(&pushes(0, 20));
    let writes = (0..20).map(|number| given.write(number));
    let (slow, _) = db.faulty([Fault::Delay(Duration::from_millis(50))]);
    let report = put_each(Vec::from_iter(writes)).concurrency(20);
    report.send(&slow).await?.complete()?;
    let expected: Vec<u64> = [BEFORE].into_iter().chain(0..20).collect();
    assert_eq!(trails(&db).await?[&0], expected);
    Ok(())
}

/// A deleted item has no mark. So the checkpoint saves what was done before the delete, and the delete itself
/// before later writes.
async fn a_delete_waits_for_what_it_takes_away(db: Db) -> Outcome {
    use Verb::{Create, Delete, Push, Put};
    let orders: [&[Verb]; 5] = [
        &[Push, Delete],
        &[Delete, Put],
        &[Put, Delete, Put],
        &[Push, Delete, Create, Push],
        &[Delete, Create, Delete, Create],
    ];
    for (id, verbs) in [0, BADGES]
        .into_iter()
        .flat_map(|id| orders.map(|verbs| (id, verbs)))
    {
        let steps: Vec<Step> = verbs.iter().map(|&verb| Step { id, verb }).collect();
        for requests in 0.. {
            let before = begin(&db).await?;
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("job");
            let given = Given::new(&steps);
            let job = given.job(&path).save_every(Duration::from_secs(3_600));
            let is_done = killed(&db, requests, job).await?;
            let report = given.job(&path).send(&db).await?.complete()?;
            assert_eq!(
                (report.found, report.failed),
                (steps.len() as u64, 0),
                "{verbs:?} after {requests}"
            );
            assert_eq!(trails(&db).await?, model(&steps, before).0);
            if is_done {
                break;
            }
        }
    }
    Ok(())
}

/// Writes that wait for an earlier one do not block writes of other items.
async fn writes_of_other_items_go_on(db: Db) -> Outcome {
    begin(&db).await?;
    let folder = tempfile::tempdir()?;
    let coins: Vec<Coin> = (0..60).map(|n| coin(1_000 + n, 0)).collect();
    let given = Given::new(&pushes(0, 60));
    let mut writes: Vec<Box<dyn SingleWrite + '_>> = Vec::new();
    for (number, coin) in (0..).zip(&coins) {
        writes.push(given.write(number));
        writes.push(Box::new(coin.put()));
    }
    let (stuck, http) = db.faulty([Fault::Hang]);
    let file = FileCheckpoint::new(folder.path().join("job"));
    let job = put_each(writes).concurrency(4).checkpoint(JOB, file);
    let others = async {
        let is_put = |call: &&String| *call == "PutItem";
        while http.calls().iter().filter(is_put).count() < 60 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        _ = job.send(&stuck) => unreachable!("the first push has no answer"),
        () = others => {}
    }
    assert_eq!(http.calls().len(), 61, "none of the pushes behind it began");
    assert_eq!(trails(&db).await?[&0], [BEFORE]);
    Ok(())
}

/// A create is refused because the item exists, then an update succeeds. The mark of the update must not make
/// the create look done.
async fn the_fate_of_a_refused_write_is_kept(db: Db) -> Outcome {
    let steps = [Verb::Create, Verb::Push].map(|verb| Step { id: 0, verb });
    for requests in 0..3 {
        begin(&db).await?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("job");
        let given = Given::new(&steps);
        let job = given.job(&path).save_every(Duration::from_secs(3_600));
        killed(&db, requests, job).await?;
        let report = given.job(&path).send(&db).await?;
        assert_eq!(
            (
                report.found,
                report.failed,
                report.written + report.already_done
            ),
            (2, 1, 1),
            "after {requests}"
        );
        assert_eq!(trails(&db).await?[&0], [BEFORE, 1]);
    }
    Ok(())
}

/// The next run tries the failed write again, and then the later write of the same item.
async fn a_write_waits_for_one_that_failed(db: Db) -> Outcome {
    begin(&db).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let given = Given::new(&[
        Step {
            id: 1,
            verb: Verb::Put,
        },
        Step {
            id: 1,
            verb: Verb::Push,
        },
        Step {
            id: 2,
            verb: Verb::Put,
        },
    ]);
    for _ in 0..2 {
        let (faulty, _) = db.faulty([Fault::refuse("ValidationException")]);
        let report = given.job(&path).concurrency(1).send(&faulty).await?;
        assert_eq!((report.written, report.failed), (1, 2));
        let failed = report.errors().iter();
        let failed: Vec<_> = failed
            .map(|row| (row.index(), row.error().kind()))
            .collect();
        assert_eq!(
            failed,
            [
                (Some(0), ErrorKind::Rejected),
                (Some(1), ErrorKind::Checkpoint)
            ]
        );
        assert!(report.errors()[1].error().to_string().contains("number 0"));
    }
    let report = given.job(&path).send(&db).await?;
    assert_eq!(report.complete()?.written, 3);
    assert_eq!(trails(&db).await?[&1], [0, 1]);
    Ok(())
}

/// The first write had no valid key, so nobody knew its item, and a later write of that item was done.
async fn a_mended_write_is_refused_after_a_later_one(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let good = super::Row {
        count: 7,
        ..super::row(1)
    };
    let run = async |first: &super::Row| {
        let job = put_each([first.put(), good.put()]);
        let job = job.checkpoint(JOB, FileCheckpoint::new(&path));
        job.send(&db).await
    };
    let bad = super::Row {
        group: "x".repeat(3000),
        ..super::row(1)
    };
    let report = run(&bad).await?;
    assert_eq!((report.written, report.failed), (1, 1));
    for _ in 0..2 {
        let report = run(&super::row(1)).await?;
        assert_eq!((report.written, report.failed), (1, 1));
        let error = report.errors()[0].error();
        assert_eq!(error.kind(), ErrorKind::Checkpoint);
        assert!(error.to_string().contains("number 1"), "{error}");
        let stored = super::Row::key("a", 1u32).get().send(&db).await?;
        assert_eq!(stored, Some(good.clone()));
    }
    // If the mended write is for another item, it is done.
    assert_eq!(run(&super::row(2)).await?.complete()?.written, 2);
    Ok(())
}

/// A later write deleted the item of the mended one, and nothing that is stored shows this.
async fn a_mended_write_brings_back_no_deleted_item(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    super::row(1).put().send(&db).await?;
    let run = async |first: &super::Row| {
        let writes: [Box<dyn SingleWrite + '_>; 3] = [
            Box::new(first.put()),
            Box::new(super::Row::key("a", 1u32).delete()),
            Box::new(super::Row::key("a", 3u32).delete()),
        ];
        let job = put_each(writes).checkpoint(JOB, FileCheckpoint::new(&path));
        job.send(&db).await
    };
    let bad = super::Row {
        group: "x".repeat(3000),
        ..super::row(1)
    };
    let report = run(&bad).await?;
    assert_eq!((report.written, report.failed), (2, 1));
    for _ in 0..2 {
        let report = run(&super::row(1)).await?;
        assert_eq!((report.written, report.failed), (2, 1));
        let error = report.errors()[0].error();
        assert_eq!(error.kind(), ErrorKind::Checkpoint);
        assert!(error.to_string().contains("number 1"), "{error}");
        let stored = super::Row::key("a", 1u32).get().send(&db).await?;
        assert_eq!(stored, None, "deleted by a later write");
    }
    // If the mended write is for an item of its own, it is done.
    assert_eq!(run(&super::row(2)).await?.complete()?.written, 3);
    Ok(())
}

/// The write failed beyond the saved place, so the checkpoint does not know of it. A later write has changed
/// the item that it now belongs to.
async fn a_mended_write_is_not_taken_for_done(db: Db) -> Outcome {
    let key = || super::Row::key("a", 1u32);
    let (other, mended) = (super::row(2), super::row(1));
    let bad = super::Row {
        group: "x".repeat(3000),
        ..super::row(1)
    };
    for fault in [Fault::refuse("AccessDeniedException"), Fault::Hang] {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("job");
        let before = super::Row {
            count: 7,
            ..super::row(1)
        };
        before.put().send(&db).await?;
        let job = |second| {
            let writes: [Box<dyn SingleWrite + '_>; 3] = [
                Box::new(other.put()),
                Box::new(super::Row::put(second)),
                Box::new(key().update().apply(|row| row.count().add(1))),
            ];
            put_each(writes).checkpoint(JOB, FileCheckpoint::new(&path))
        };
        let (faulty, _) = db.faulty([fault]);
        let is_changed = async {
            while key().get().send(&db).await?.map(|row| row.count) != Some(8) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok::<_, Error>(())
        };
        tokio::select! {
            biased;
            changed = is_changed => changed?,
            report = job(&bad).send(&faulty) => drop(report?),
        }
        let report = job(&mended).send(&db).await?;
        assert_eq!(
            (report.written, report.already_done, report.failed),
            (1, 1, 1)
        );
        let [failed] = report.errors() else {
            panic!("one failed");
        };
        assert_eq!(failed.index(), Some(1));
        assert_eq!(failed.error().kind(), ErrorKind::Checkpoint);
        let stored = key().get().send(&db).await?;
        assert_eq!(stored.map(|row| row.count), Some(8));
        other.delete().send(&db).await?;
    }
    Ok(())
}

/// The mark of a later write told that the turn of the mended one was over. Then a delete took the mark away.
async fn an_overtaken_write_stays_overtaken(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let key = || super::Row::key("a", 1u32);
    let (first, later) = (super::row(2), super::row(1));
    let unstorable = super::Row {
        group: "x".repeat(3000),
        ..super::row(1)
    };
    let job = |second| {
        let writes: [Box<dyn SingleWrite + '_>; 4] = [
            Box::new(first.put()),
            Box::new(super::Row::put(second)),
            Box::new(later.put()),
            Box::new(key().delete()),
        ];
        put_each(writes).checkpoint(JOB, FileCheckpoint::new(&path))
    };
    let is_there = async {
        while key().get().send(&db).await?.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok::<_, Error>(())
    };
    // Nothing is saved while the first write has no answer.
    let (faulty, _) = db.faulty([Fault::Hang]);
    tokio::select! {
        biased;
        there = is_there => there?,
        report = job(&unstorable).send(&faulty) => drop(report?),
    }
    let mended = super::Row {
        count: 7,
        ..super::row(1)
    };
    for last in [2, 3, 3] {
        let report = job(&mended).send(&db).await?;
        let done = report.written + report.already_done;
        assert_eq!((done, report.failed), (3, 1));
        let [failed] = report.errors() else {
            panic!("one failed");
        };
        assert_eq!(failed.index(), Some(1));
        let message = failed.error().to_string();
        assert!(message.contains(&format!("number {last} of")), "{message}");
        assert_eq!(key().get().send(&db).await?, None);
    }
    Ok(())
}

/// The entity cannot be stored, but its key is known, so later writes of its item wait for it.
async fn later_writes_wait_for_one_that_cannot_be_stored(db: Db) -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let run = async |grams: f64| {
        let weight = Weight { id: 1, grams };
        let writes: [Box<dyn SingleWrite + '_>; 2] =
            [Box::new(weight.put()), Box::new(Weight::key(1u32).delete())];
        let job = put_each(writes).checkpoint(JOB, FileCheckpoint::new(&path));
        job.send(&db).await
    };
    let report = run(f64::NAN).await?;
    assert_eq!((report.written, report.failed), (0, 2));
    let [unplanned, held] = report.errors() else {
        panic!("both failed");
    };
    assert_eq!(unplanned.key(), held.key());
    assert_ne!(unplanned.error().kind(), ErrorKind::Checkpoint);
    assert_eq!(held.error().kind(), ErrorKind::Checkpoint);
    let report = run(1.5).await?.complete()?;
    assert_eq!((report.written, report.failed), (2, 0));
    assert_eq!(Weight::key(1u32).get().send(&db).await?, None);
    Ok(())
}

fn verb() -> impl Strategy<Value = Verb> {
    prop_oneof![
        3 => Just(Verb::Push),
        2 => Just(Verb::Put),
        1 => Just(Verb::Create),
        2 => Just(Verb::Delete),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..2 * BADGES, verb()).prop_map(|(id, verb)| Step { id, verb });
    prop::collection::vec(step, 1..40)
}

#[derive(Debug, Clone)]
struct Run {
    /// The run is killed after this number of requests.
    requests: usize,
    faults: Vec<Fault>,
    concurrency: usize,
    /// Whether progress is saved each time, or only where it has to be.
    saves_always: bool,
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        12 => Just(Fault::Pass),
        3 => Just(Fault::Lose),
        1 => Just(Fault::Io),
        1 => Just(Fault::internal()),
        1 => Just(Fault::throttle()),
        1 => Just(Fault::Refused),
        1 => Just(Fault::Timeout),
        1 => Just(Fault::refuse("TransactionConflictException")),
        1 => Just(Fault::refuse("ValidationException")),
        1 => Just(Fault::Delay(Duration::from_millis(2))),
        2 => (0..8_usize).prop_map(Fault::Late),
    ]
}

fn run() -> impl Strategy<Value = Run> {
    let faults = prop::collection::vec(fault(), 60);
    (0..60_usize, faults, 1..9_usize, any::<bool>()).prop_map(
        |(requests, faults, concurrency, saves_always)| Run {
            requests,
            faults,
            concurrency,
            saves_always,
        },
    )
}

impl Run {
    fn of<'j>(&self, job: Bulk<'j>) -> Bulk<'j> {
        let every = if self.saves_always { 0 } else { 3_600 };
        job.concurrency(self.concurrency)
            .save_every(Duration::from_secs(every))
    }
}

pub(super) fn runner(cases: u32) -> TestRunner {
    let cases = std::env::var("ORDER_CASES").map_or(cases, |cases| cases.parse().expect("cases"));
    TestRunner::new(Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    })
}

/// The connection at a time when no request of an earlier run can arrive any more.
fn later(db: &Dynamo) -> Dynamo {
    let later = SystemTime::now() + Duration::from_secs(3_600);
    db.clone().with_clock(move || later)
}

/// Compares random jobs with a model that does one write after the other.
async fn any_job_does_each_write_once_in_order(db: Db) -> Outcome {
    let cases = (steps(), prop::collection::vec(run(), 0..5));
    let checked = runner(40).run(&cases, |(steps, runs)| {
        let work = checked(&db, &steps, &runs);
        meanwhile(work).map_err(|error| TestCaseError::fail(error.to_string()))
    });
    Ok(checked?)
}

async fn checked(db: &Db, steps: &[Step], runs: &[Run]) -> Outcome {
    let before = begin(db).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let given = Given::new(steps);
    for run in runs {
        let hang = std::iter::repeat_n(Fault::Hang, 1000);
        let faults = run.faults[..run.requests].iter().cloned();
        let (faulty, http) = db.faulty(faults.chain(hang));
        run_until(&faulty, &http, run.requests, run.of(given.job(&path))).await?;
        http.deliver().await;
    }
    let last = given.job(&path).send(&later(db)).await?;
    let (expected, refused) = model(steps, before);
    let found = trails(db).await?;
    if found != expected {
        return Err(format!("{found:?} and not {expected:?}").into());
    }
    let counts = (last.found, last.failed, last.written + last.already_done);
    let (all, failed) = (steps.len() as u64, refused.len() as u64);
    if last.stopped().is_some() || counts != (all, failed, all - failed) {
        return Err(format!("{last:?} where {refused:?} are refused").into());
    }
    Ok(())
}

/// Some writes have invalid keys until they are mended. Each is then done in its order, or reported as not
/// done.
async fn any_mended_job_tells_what_was_not_done(db: Db) -> Outcome {
    let runs = || prop::collection::vec(run(), 0..4);
    let bad = prop::collection::btree_set(0..40_u64, 1..6);
    let checked = runner(40).run(
        &(steps(), bad, runs(), runs()),
        |(steps, bad, first, then)| {
            let work = mended(&db, &steps, &bad, &first, &then);
            meanwhile(work).map_err(|error| TestCaseError::fail(error.to_string()))
        },
    );
    Ok(checked?)
}

async fn mended(
    db: &Db,
    steps: &[Step],
    bad: &BTreeSet<u64>,
    first: &[Run],
    then: &[Run],
) -> Outcome {
    let before = begin(db).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("job");
    let given = Given::new(steps);
    let unstorable = super::Row {
        group: "x".repeat(3000),
        ..super::row(1)
    };
    let broken = || {
        let writes = (0..steps.len() as u64).map(|number| match bad.contains(&number) {
            true => Box::new(unstorable.put()),
            false => given.write(number),
        });
        given.as_job(writes, &path)
    };
    for (run, is_mended) in first
        .iter()
        .zip([false; 4])
        .chain(then.iter().zip([true; 4]))
    {
        let hang = std::iter::repeat_n(Fault::Hang, 1000);
        let faults = run.faults[..run.requests].iter().cloned();
        let (faulty, http) = db.faulty(faults.chain(hang));
        let job = if is_mended {
            given.job(&path)
        } else {
            broken()
        };
        run_until(&faulty, &http, run.requests, run.of(job)).await?;
        http.deliver().await;
    }
    let last = given.job(&path).send(&later(db)).await?;
    let overtaken = last.errors().iter();
    let overtaken = overtaken.filter(|row| row.error().kind() == ErrorKind::Checkpoint);
    let overtaken: BTreeSet<u64> = overtaken
        .filter_map(|row| row.index().map(|at| at as u64))
        .collect();
    if let Some(other) = overtaken.iter().find(|at| !bad.contains(at)) {
        return Err(format!("{other} was never broken: {last:?}").into());
    }
    let (expected, refused) = model_without(steps, before, &overtaken);
    let found = trails(db).await?;
    if found != expected {
        return Err(format!("{found:?} and not {expected:?} without {overtaken:?}").into());
    }
    // A delete that took effect in a run that was cut before it could tell is repeated behind the mended write. That
    // write may have found no item, and then an update fails and a create does not.
    let is_open = |at: &&u64| {
        let mut later = steps.iter().skip(**at as usize);
        later.next().is_some_and(|bad| {
            matches!(bad.verb, Verb::Push | Verb::Create)
                && later.any(|step| step.id == bad.id && step.verb == Verb::Delete)
        })
    };
    let open = bad.iter().filter(is_open).count() as u64;
    let certain = (refused.len() + overtaken.len()) as u64;
    let may_fail = certain.saturating_sub(open)..=certain + open;
    let (all, done) = (steps.len() as u64, last.written + last.already_done);
    if last.stopped().is_some()
        || (last.found, done + last.failed) != (all, all)
        || !may_fail.contains(&last.failed)
    {
        return Err(format!("{last:?} where {refused:?} are refused").into());
    }
    Ok(())
}

/// With an old checkpoint, say from a backup, the report may be wrong about single writes, but the items are
/// right.
async fn an_older_checkpoint_leaves_the_same_items(db: Db) -> Outcome {
    let cases = (steps(), 0..40_usize, any::<bool>());
    let checked = runner(15).run(&cases, |(steps, requests, is_finished)| {
        let work = async {
            let before = begin(&db).await?;
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("job");
            let given = Given::new(&steps);
            killed(&db, 0, given.job(&path)).await?;
            let older = std::fs::read(&path)?;
            match is_finished {
                true => drop(given.job(&path).send(&db).await?),
                false => drop(killed(&db, requests, given.job(&path)).await?),
            }
            std::fs::write(&path, older)?;
            drop(given.job(&path).send(&db).await?);
            let (found, expected) = (trails(&db).await?, model(&steps, before).0);
            match found == expected {
                true => Ok(()),
                false => Err(format!("{found:?} and not {expected:?}").into()),
            }
        };
        let done: Outcome = meanwhile(work);
        done.map_err(|error| TestCaseError::fail(error.to_string()))
    });
    Ok(checked?)
}
