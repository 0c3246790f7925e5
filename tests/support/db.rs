//! A database for one test: it has its own tables and can be inspected without the library.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::config::{
    self, SharedHttpClient,
    retry::{RetryPartition, TokenBucket},
};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::{Dynamo, DynamoEntity, DynamoTable, Item, Key};
use serde_json::Value as Json;
use tokio::runtime::Builder;

use super::clock::HandClock;
use super::engine::Engine;
use super::faulty::{Fault, Faults};
use super::rewriting::Rewriting;

/// An item as the SDK sees it.
pub type Raw = HashMap<String, AttributeValue>;

/// The transport of a connection that fails on demand.
pub type Http = Faults;

/// The way in which requests are written, sent and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The library writes the bytes, and the first attempt goes past the SDK's orchestration.
    Raw,
    /// The library writes the bytes, and every request goes through the whole SDK.
    Sdk,
    /// The library works as with an SDK that ignores its serializer and deserializer.
    Hooks,
    /// Requests go straight to the embedded engine. Tests with faults still use the SDK, because faults are
    /// injected there.
    Direct,
    /// Like `Raw`, with a server that does not return the item when a condition fails.
    Silent,
}

/// A connection to tables that no other test uses.
#[derive(Clone)]
pub struct Db {
    dynamo: Dynamo,
    engine: Engine,
    prefix: String,
    mode: Mode,
}

impl Deref for Db {
    type Target = Dynamo;

    fn deref(&self) -> &Dynamo {
        &self.dynamo
    }
}

impl Db {
    pub async fn open(mode: Mode) -> dynamo_entity::Result<Db> {
        let engine = Engine::start().await?;
        let prefix = unique_prefix();
        let dynamo = match &engine {
            Engine::Embedded(engine) if mode == Mode::Direct => engine.connect(),
            engine if mode == Mode::Silent => {
                let http = silenced(engine.http_client());
                let config = engine.config().http_client(http);
                Dynamo::new(Client::from_conf(config.build()))
            }
            Engine::Embedded(engine) => Dynamo::new(engine.client()),
            Engine::Server(url) => Dynamo::connect(url).await?,
        };
        let dynamo = moded(dynamo, mode).with_prefix(&prefix);
        Ok(Db {
            dynamo,
            engine,
            prefix,
            mode,
        })
    }

    /// Deletes the tables of the test, because a server outlives it.
    pub async fn close(self) -> Result<(), Box<dyn std::error::Error>> {
        let Engine::Server(_) = self.engine else {
            return Ok(());
        };
        let list = self.client().list_tables();
        let list = list.exclusive_start_table_name(&self.prefix).send().await?;
        for name in list.table_names() {
            if name.starts_with(&self.prefix) {
                self.client().delete_table().table_name(name).send().await?;
            }
        }
        Ok(())
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A connection to the same tables through another client.
    pub fn through(&self, config: config::Builder) -> Dynamo {
        let dynamo = Dynamo::new(Client::from_conf(config.build()));
        moded(dynamo, self.mode).with_prefix(&self.prefix)
    }

    /// A connection like that of another process: it does not wait for writes of this one.
    pub fn of_another_process(&self) -> Dynamo {
        let config = self.engine.config();
        self.through(config.http_client(self.engine.http_client()))
    }

    /// A connection to the same tables whose requests fail as planned.
    pub fn faulty(&self, plan: impl IntoIterator<Item = Fault>) -> (Dynamo, Http) {
        let (config, http) = self.faulty_config([]);
        let dynamo = self.through(config);
        self.teach(&dynamo);
        http.plan(plan);
        (dynamo, http)
    }

    /// Sends one request, after which the connection takes the shortest way, as most requests of a program do.
    fn teach(&self, dynamo: &Dynamo) {
        use dynamo_entity::prelude::*;

        #[derive(DynamoEntity)]
        #[dynamo(table = "nobody-has-this", key(pk = id))]
        struct Nothing {
            id: String,
        }
        if matches!(self.mode, Mode::Raw | Mode::Silent) {
            // The request needs its own thread, because the runtime of the test may have only one.
            let lesson = || {
                let runtime = Builder::new_current_thread().enable_all().build();
                let get = Nothing::key("x").get();
                runtime.expect("a runtime").block_on(get.send(dynamo))
            };
            let refused = thread::scope(|scope| scope.spawn(lesson).join());
            assert!(refused.expect("no panic").is_err(), "such a table is there");
        }
    }

    pub fn faulty_config(&self, plan: impl IntoIterator<Item = Fault>) -> (config::Builder, Http) {
        let faults = Faults::new(plan);
        let http = match self.mode {
            Mode::Silent => faults.around(silenced(self.engine.http_client())),
            _ => faults.around(self.engine.http_client()),
        };
        let config = self.engine.config().http_client(http);
        // All SDK clients of a retry partition share one stock of retries. Each test gets its own partition,
        // so that the faults of one test do not use up the retries of another.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let retries = RetryPartition::custom(format!("faults-{number}"));
        // Faults must not use up the stock of retries: once it is not full, every request would go through
        // the whole SDK.
        let retries = retries.token_bucket(TokenBucket::unlimited()).build();
        (config.retry_partition(retries), faults)
    }

    /// A connection to the same tables with another clock.
    pub fn at(&self, clock: &HandClock) -> Dynamo {
        self.dynamo.clone().with_clock(clock.clone())
    }

    /// The full name of a table.
    pub fn table<T: DynamoTable>(&self) -> String {
        format!("{}-{}", self.prefix, T::schema().name)
    }

    /// The stored item, read without the library.
    pub async fn raw<E: DynamoEntity>(&self, key: &Key<E>) -> Option<Raw> {
        let key: Raw = key.to_item().expect("a key").into();
        let get = self
            .client()
            .get_item()
            .table_name(self.table::<E::Table>());
        let get = get.set_key(Some(key)).consistent_read(true);
        get.send().await.expect("an answer").item
    }

    /// The stored item, which has to exist.
    pub async fn stored<E: DynamoEntity>(&self, key: &Key<E>) -> Raw {
        self.raw(key).await.expect("a stored item")
    }

    /// Stores an item as another program would.
    pub async fn plant<E: DynamoEntity>(&self, item: impl Into<Raw>) {
        let put = self
            .client()
            .put_item()
            .table_name(self.table::<E::Table>());
        let put = put.set_item(Some(item.into())).send().await;
        put.expect("a planted item");
    }

    /// How many items the table holds.
    pub async fn count<T: DynamoTable>(&self) -> i32 {
        let scan = self.client().scan().table_name(self.table::<T>());
        let scan = scan.consistent_read(true).send().await;
        scan.expect("a scan").count()
    }
}

/// Makes the server behave as if it did not know `ReturnValuesOnConditionCheckFailure`.
fn silenced(http: SharedHttpClient) -> SharedHttpClient {
    SharedHttpClient::new(Rewriting::new(http, |answer| {
        if answer.status != 400 {
            return;
        }
        let Ok(mut body) = serde_json::from_slice::<Json>(&answer.body) else {
            return;
        };
        let reasons = body.get_mut("CancellationReasons");
        for reason in reasons.and_then(Json::as_array_mut).into_iter().flatten() {
            forget_item(reason);
        }
        forget_item(&mut body);
        answer.body = body.to_string().into_bytes();
    }))
}

fn forget_item(said: &mut Json) {
    if let Some(said) = said.as_object_mut() {
        said.remove("Item");
    }
}

fn moded(dynamo: Dynamo, mode: Mode) -> Dynamo {
    match mode {
        Mode::Raw | Mode::Direct | Mode::Silent => dynamo,
        Mode::Sdk => dynamo.through_sdk(),
        Mode::Hooks => dynamo.with_hooks_alone(),
    }
}

fn unique_prefix() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    let micros = time.expect("after 1970").as_micros();
    let process = std::process::id();
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    // `scripts/on-aws` sets a prefix, by which it finds the tables that it has to delete.
    let run = std::env::var("TEST_TABLE_PREFIX").unwrap_or_default();
    format!("{run}it{micros:x}-{process:x}-{next}")
}

pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// An item as another program writes it.
pub fn raw<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Raw {
    attributes
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

pub fn item<const N: usize>(attributes: [(&str, dynamo_entity::Value); N]) -> Item {
    attributes.into_iter().collect()
}
