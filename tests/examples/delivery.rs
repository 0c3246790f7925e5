//! Every recipient is served exactly once, although workers die: at every request, at random, and by `kill -9`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader};
use std::iter::{repeat_n, zip};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::testing::{Fault, Faults};

use crate::message_delivery::{self, Mailbox, Messages, Outside, deliver, publish};
use crate::support::db::{Db, Mode};
use crate::support::engine::Engine;
use crate::support::suite::Outcome;

type Crash = Box<dyn std::error::Error + Send + Sync>;

/// The size of a page. It is so small that a message has three pages with a few recipients each.
const PAGE: usize = 60;

/// A message with its own id and its own recipients.
struct Delivery {
    id: String,
    recipients: BTreeSet<String>,
    /// How often each recipient was served outside of the store.
    tried: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Delivery {
    fn new(id: impl Into<String>, recipients: usize) -> Self {
        let id = id.into();
        Delivery {
            recipients: (0..recipients).map(|n| format!("{id}-{n:04}")).collect(),
            tried: Arc::default(),
            id,
        }
    }

    /// Lets a worker run until it is done or dies.
    async fn work(&self, db: &Dynamo) -> Result<(), Crash> {
        let tried = self.tried.clone();
        let outside: Outside = Arc::new(move |waiting| {
            let mut tried = tried.lock().expect("no panic");
            *tried.entry(waiting.recipient.clone()).or_default() += 1;
        });
        publish(db, &self.id, "Hello", &self.recipients, PAGE).await?;
        deliver(db, &self.id, &outside).await
    }

    /// Checks that everybody was served once in the store and at least once outside. Returns the highest
    /// count outside.
    async fn check(&self, db: &Dynamo, when: &str) -> Result<u32> {
        let mailboxes = Mailbox::scan().consistent().all(db).await?;
        let mine = mailboxes.into_iter();
        let mine = mine.filter(|mailbox| self.recipients.contains(&mailbox.recipient));
        let served: BTreeMap<_, _> = mine.map(|mine| (mine.recipient, mine.unread)).collect();
        let once: BTreeMap<_, _> = self.recipients.iter().map(|r| (r.clone(), 1)).collect();
        assert_eq!(served, once, "{when}");
        let tried = self.tried.lock().expect("no panic");
        assert!(
            tried.keys().eq(&self.recipients),
            "{when}: nobody is left out"
        );
        Ok(tried.values().copied().max().unwrap_or(0))
    }
}

async fn open() -> Result<Db> {
    let db = Db::open(Mode::Raw).await?;
    db.create_tables([Messages::schema(), Mailbox::schema()])
        .await?;
    Ok(db)
}

/// A fault after this number of requests. From then on, no request gets through.
fn death(after: usize, by: Fault) -> impl Iterator<Item = Fault> {
    let dead = repeat_n(Fault::Refused, 100);
    repeat_n(Fault::Pass, after).chain([by]).chain(dead)
}

#[tokio::test]
async fn two_workers_go_on_where_one_died() -> Outcome {
    let db = Db::open(Mode::Raw).await?;
    let facts = message_delivery::run(&db, 150)
        .await
        .map_err(|error| error.to_string())?;
    assert_eq!(facts.mailboxes.len(), 150);
    assert!(facts.mailboxes.iter().all(|mailbox| mailbox.unread == 1));
    assert!(facts.pages > 1 && facts.interrupted <= 150);
    db.close().await
}

#[tokio::test]
async fn a_message_is_published_once() -> Outcome {
    let db = open().await?;
    let mut delivery = Delivery::new("once", 11);
    let first = delivery.recipients.clone();
    publish(&db, "once", "Hello", &first, PAGE).await?;
    // A second list under the same id comes too late, so it changes nothing.
    delivery.recipients = Delivery::new("other", 30).recipients;
    delivery
        .work(&db)
        .await
        .map_err(|error| error.to_string())?;
    delivery.recipients = first;
    delivery.check(&db, "published again").await?;
    db.close().await
}

/// The worker dies before the request is executed, after it, or while it runs. In the last case the worker's
/// future is dropped; in the others it meets an error and ends.
#[tokio::test]
async fn a_worker_may_die_at_every_request() -> Outcome {
    let db = open().await?;
    let mut most = 0;
    for by in [Fault::Refused, Fault::Lose, Fault::Hang] {
        for after in 0.. {
            let when = format!("after {after} requests, {by:?}");
            let delivery = Delivery::new(format!("{after}{by:?}"), 11);
            let (dying, faults) = db.faulty(death(after, by.clone()));
            let survived = tokio::select! {
                ended = delivery.work(&dying) => ended.is_ok(),
                () = hangs(&faults, &by, after) => false,
            };
            assert_eq!(survived, faults.calls().len() <= after, "{when}");
            delivery
                .work(&db)
                .await
                .map_err(|error| error.to_string())?;
            most = most.max(delivery.check(&db, &when).await?);
            if survived {
                assert!(after > 20, "there were requests to die at: {after}");
                break;
            }
        }
    }
    assert!(
        most > 1,
        "an effect outside is repeated if its record is lost"
    );
    db.close().await
}

/// Ends shortly after the worker began to hang.
async fn hangs(faults: &Faults, by: &Fault, after: usize) {
    while !matches!(by, Fault::Hang) || faults.calls().len() <= after {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(3)).await;
}

/// A worker needs at least six requests to make progress: the check that the message is published, the
/// message, the waiting recipients, the head of the list, a page, and the step itself.
#[tokio::test]
async fn delivery_ends_although_every_worker_dies_early() -> Outcome {
    let db = open().await?;
    for after in [6, 7, 9, 13] {
        let delivery = Delivery::new(format!("young{after}"), 40);
        publish(&db, &delivery.id, "Hello", &delivery.recipients, PAGE).await?;
        let mut lives = 1;
        loop {
            let (dying, _) = db.faulty(death(after, Fault::Lose));
            if delivery.work(&dying).await.is_ok() {
                break;
            }
            lives += 1;
            assert!(lives < 200, "each life gets on");
        }
        assert!(lives > 2, "{lives} lives");
        delivery
            .check(&db, &format!("a life is {after} requests"))
            .await?;
    }
    db.close().await
}

/// A worker finds nobody waiting. Before it looks again, another one takes the last recipients and dies.
#[tokio::test]
async fn a_worker_that_ends_has_left_nobody_behind() -> Outcome {
    let db = open().await?;
    let delivery = Delivery::new("behind", 2);
    publish(&db, "behind", "Hello", &delivery.recipients, PAGE).await?;
    let dies: Outside = Arc::new(|_| panic!("it dies"));
    // The first three requests pass: the check, the message, and the waiting recipients. The fourth one, for
    // the list, is so late that the other worker is faster.
    let late = repeat_n(Fault::Pass, 3).chain([Fault::Delay(Duration::from_secs(2))]);
    let (slow, at) = db.faulty(late);
    let (ended, died) = tokio::join!(delivery.work(&slow), async {
        while at.calls().len() < 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        deliver(&db, "behind", &dies).await
    });
    ended.map_err(|error| error.to_string())?;
    assert!(died.is_err(), "it had somebody to serve");
    delivery.check(&db, "left behind").await?;
    db.close().await
}

#[tokio::test]
async fn many_workers_may_be_unlucky_at_once() -> Outcome {
    let db = open().await?;
    for seed in 0..8 {
        let delivery = Delivery::new(format!("unlucky{seed}"), 30);
        let workers = (0..3).map(|worker| unlucky(&db, &delivery, seed * 3 + worker));
        let [first, second, third] =
            <[_; 3]>::try_from(workers.collect::<Vec<_>>()).map_err(|_| "three workers")?;
        tokio::try_join!(first, second, third)?;
    }
    db.close().await
}

/// Runs workers until one of them finds nothing left to do.
async fn unlucky(db: &Db, delivery: &Delivery, seed: u64) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..200 {
        let fault = |number| match number {
            0 => Fault::Lose,
            1 => Fault::Refused,
            2 => Fault::throttle(),
            3 => Fault::internal(),
            4 => Fault::Cut(7),
            _ => Fault::Pass,
        };
        let plan: Vec<Fault> = (0..100).map(|_| fault(random.u8(..16))).collect();
        let (unlucky, _) = db.faulty(plan);
        if delivery.work(&unlucky).await.is_ok() {
            // This worker says that all is done, so everybody has been served, whatever the other workers do.
            let done = delivery.check(db, &format!("seed {seed}")).await;
            return done.map(drop).map_err(|error| error.to_string());
        }
    }
    Err(format!("seed {seed}: no end"))
}

/// How the test tells a worker process where the store is and which prefix its tables have.
const URL: &str = "DYNAMO_ENTITY_TEST_DELIVERY_URL";
const PREFIX: &str = "DYNAMO_ENTITY_TEST_DELIVERY_PREFIX";
const TO_KILL: usize = 300;

/// A worker as a program would run it. The test below starts it as a process, which prints whom it serves.
#[tokio::test]
async fn a_worker_delivers() -> Outcome {
    let url = env::var(URL).unwrap_or_else(|_| "embedded:memory".into());
    let db = Dynamo::connect(&url).await?;
    let db = db.with_prefix(env::var(PREFIX).unwrap_or_default());
    db.create_tables([Messages::schema(), Mailbox::schema()])
        .await?;
    let names = Delivery::new("killed", TO_KILL).recipients;
    let outside: Outside = Arc::new(|waiting| println!("serves {}", waiting.recipient));
    let done = async {
        publish(&db, "killed", "Hello", &names, 400).await?;
        deliver(&db, "killed", &outside).await
    };
    done.await.map_err(|error| error.to_string())?;
    assert_eq!(
        Mailbox::scan().consistent().count(&db).await?,
        TO_KILL as u64
    );
    Ok(())
}

fn start(url: &str, prefix: &str) -> std::io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(["--exact", "delivery::a_worker_delivers", "--nocapture"])
        .env(URL, url)
        .env(PREFIX, prefix)
        .stdout(Stdio::piped())
        .spawn()
}

/// Reads until the worker has begun to serve this many, and returns how many it was. They are fewer if the
/// process ends.
fn watch(worker: &mut Child, served: usize, tried: &mut BTreeMap<String, u32>) -> usize {
    let Some(output) = worker.stdout.as_mut() else {
        return 0;
    };
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    let names = lines.filter_map(|line| Some(line.split_once("serves ")?.1.to_owned()));
    let names = names.take(served);
    names
        .map(|name| *tried.entry(name).or_default() += 1)
        .count()
}

/// Workers are killed by SIGKILL at random. By turns, this happens after a short time, which also hits the
/// reading of the list, and after a number of recipients.
#[tokio::test]
async fn a_worker_may_be_killed() -> Outcome {
    let db = open().await?;
    let folder = tempfile::tempdir()?;
    let (url, prefix) = match db.engine() {
        Engine::Server(url) => (url.clone(), db.prefix()),
        Engine::Embedded(_) => (
            format!("embedded:{}", folder.path().join("delivery.db").display()),
            "",
        ),
    };
    // The tables are created first, because the embedded engine does not create a table atomically. A kill in
    // between leaves a table that fails every write.
    let store = Dynamo::connect(&url).await?.with_prefix(prefix);
    store
        .create_tables([Messages::schema(), Mailbox::schema()])
        .await?;
    drop(store);
    let (mut kills, mut within) = (0, 0);
    let mut tried = BTreeMap::new();
    loop {
        let mut worker = start(&url, prefix)?;
        let wanted = if kills % 2 == 0 {
            0
        } else {
            fastrand::usize(1..40)
        };
        let served = watch(&mut worker, wanted, &mut tried);
        if wanted == 0 {
            std::thread::sleep(Duration::from_millis(fastrand::u64(1..40)));
        } else if served < wanted {
            assert!(worker.wait()?.success(), "nobody killed this one");
            break;
        }
        worker.kill()?;
        worker.wait()?;
        kills += 1;
        within += usize::from(wanted > 0);
        assert!(kills < 100, "each life gets on");
    }
    println!(
        "{kills} killed, {within} of them while they served; tried at most {:?} times",
        tried.values().max()
    );
    assert!(within >= 2, "killed while it served: {within}");
    let store = Dynamo::connect(&url).await?.with_prefix(prefix);
    let mailboxes = Mailbox::scan().consistent().all(&store).await?;
    let served = mailboxes
        .iter()
        .map(|mailbox| (&mailbox.recipient, mailbox.unread));
    let names = Delivery::new("killed", TO_KILL).recipients;
    let once: Vec<_> = zip(&names, repeat_n(1, TO_KILL)).collect();
    let mut served: Vec<_> = served.collect();
    served.sort();
    assert_eq!(served, once);
    db.close().await
}
