//! A test is an async function of a database; a module lists its tests with [`tests!`].
//!
//! A test that an engine cannot run is reported as ignored, with a name that says why.

use std::error::Error;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use dynamo_entity::schema::TableSchema;
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Builder;
use tokio::task::block_in_place;

use super::db::{Db, Mode};
use super::engine::Kind;

/// How long a test may take. No test takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long a test may take if an environment variable asks for a long run.
const LONG_PATIENCE: Duration = Duration::from_secs(6 * 3_600);
const LONG_RUNS: [&str; 4] = [
    "UPKEEP_SEQUENCES",
    "FAULTS_OPERATIONS",
    "EVOLUTION_HISTORIES",
    "PLANS",
];

pub type Outcome = Result<(), Box<dyn Error>>;

type Run = fn(Db) -> Pin<Box<dyn Future<Output = Outcome>>>;

/// Something that some engines cannot do.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    pub engines: &'static [Kind],
    pub why: &'static str,
}

pub const NO_MULTI_ATTRIBUTE_KEYS: Gap = Gap {
    engines: &[Kind::OldDynamoDbLocal],
    why: "has no multi-attribute keys",
};

pub struct Test {
    pub name: &'static str,
    /// The tables that exist when the test begins.
    pub tables: fn() -> Vec<TableSchema>,
    pub run: Run,
    pub gap: Option<Gap>,
}

/// `tests![a_function, another(Order, User) unless A_GAP]` lists the tests of a module, and the tables that
/// exist when a test begins.
#[macro_export]
macro_rules! tests {
    ($($name:ident $(($($table:ty),+))? $(unless $gap:expr)?),* $(,)?) => {
        pub fn tests() -> Vec<$crate::support::suite::Test> {
            vec![$($crate::support::suite::Test {
                name: stringify!($name),
                tables: || vec![$($(<$table as dynamo_entity::DynamoTable>::schema()),+)?],
                run: |db| Box::pin($name(db)),
                gap: None$(.or(Some($gap)))?,
            }),*]
        }
    };
}

/// Turns the tests of a module into trials of the test runner.
pub fn trials(module: &str, mode: Mode, tests: Vec<Test>) -> Vec<Trial> {
    tests
        .into_iter()
        .map(|test| trial(module, mode, test))
        .collect()
}

fn trial(module: &str, mode: Mode, test: Test) -> Trial {
    let here = Kind::here();
    let gap = test.gap.filter(|gap| gap.engines.contains(&here));
    let name = match gap {
        None => format!("{module}::{}", test.name),
        Some(gap) => format!("{module}::{} ({:?}: {})", test.name, here, gap.why),
    };
    Trial::test(name, move || run(mode, &test)).with_ignored_flag(gap.is_some())
}

fn run(mode: Mode, test: &Test) -> Result<(), Failed> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let db = Db::open(mode).await.map_err(failed)?;
        let done = tokio::time::timeout(patience(), with_tables(test, db.clone())).await;
        done.map_err(failed)?.map_err(failed)?;
        db.close().await.map_err(failed)
    })
}

async fn with_tables(test: &Test, db: Db) -> Outcome {
    let tables = (test.tables)();
    if !tables.is_empty() {
        db.create_tables(tables).await?;
    }
    (test.run)(db).await
}

fn patience() -> Duration {
    let is_long = LONG_RUNS
        .iter()
        .any(|variable| std::env::var_os(variable).is_some());
    if is_long { LONG_PATIENCE } else { PATIENCE }
}

fn failed(error: impl std::fmt::Debug) -> Failed {
    format!("{error:?}").into()
}

/// Runs a future to its end inside a closure that is not async, while a task of the same thread waits.
///
/// The runtime's own `block_on` would take the wakes of that task: what it waited for beside this would never wake it.
pub fn meanwhile<T>(work: impl Future<Output = T>) -> T {
    block_in_place(|| block_on(work))
}

/// A minimal executor that supports only wakers.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Arc::new(Unpark(thread::current())).into();
    let mut cx = Context::from_waker(&waker);
    let mut work = pin!(work);
    loop {
        match work.as_mut().poll(&mut cx) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}
