//! The connection: an SDK client, a prefix for table names and a clock.

use std::fmt;
use std::sync::Arc;

use crate::clock::{Clock, SharedClock, SystemClock, Timestamp};
use crate::error::{Error, Result};
use crate::observe::{Observed, Observer};
use crate::request::Truncate;
use crate::request::query::Secret;
use crate::schema::TableSchema;
use crate::wire::{BoxFuture, Client, Failure, Reply, Request, Wire};
use crate::{connect, table};

/// The environment variable that [`Dynamo::from_env`] reads.
const VARIABLE: &str = "DYNAMO_URL";

/// A connection to DynamoDB, or to something that speaks its language.
///
/// Clones share one client; cloning is cheap. The settings, `with_prefix` and the like, give a new
/// connection and leave the old one as it is.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> dynamo_entity::Result<()> {
/// use dynamo_entity::Dynamo;
/// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test");
/// # let _ = db; Ok(()) }
/// ```
#[derive(Clone)]
pub struct Dynamo(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    wire: Wire,
    prefix: String,
    clock: SharedClock,
    cursor_secret: Option<Secret>,
    actor: Option<Arc<str>>,
    observer: Option<Observer>,
    /// It leads to an engine on this machine, as far as its URL tells.
    is_local: bool,
}

impl Dynamo {
    /// Opens a connection:
    ///
    /// | URL | what it is |
    /// |---|---|
    /// | `embedded:memory` | in this process, gone with the last clone (feature `embedded`) |
    /// | `embedded:PATH` | in this process, stored in a file (feature `embedded`) |
    /// | `http://HOST:PORT`, `https://HOST` | DynamoDB Local, ScyllaDB Alternator and the like; `?region=` |
    /// | `aws` | AWS as the environment says: region, profile, credentials |
    /// | `aws://REGION` | AWS in that region; `?profile=` and `&endpoint=` |
    ///
    /// Only what lies on this machine is tried: a wrong URL or file is an error here, a server
    /// that does not answer, or credentials that cannot be had, are one of the first operation.
    pub async fn connect(url: &str) -> Result<Dynamo> {
        let db = Dynamo::over(connect::open(url).await?);
        Ok(db.with(|inner| inner.is_local = connect::is_local(url)))
    }

    /// Opens the connection that the environment variable `DYNAMO_URL` names.
    pub async fn from_env() -> Result<Dynamo> {
        match std::env::var(VARIABLE) {
            Ok(url) => Dynamo::connect(&url).await,
            Err(std::env::VarError::NotPresent) => Err(Error::config(format!(
                "the environment variable {VARIABLE} is not set; {}",
                connect::FORMS
            ))),
            Err(std::env::VarError::NotUnicode(_)) => Err(Error::config(format!(
                "the environment variable {VARIABLE} is not UTF-8"
            ))),
        }
    }

    /// Opens the connection that the environment variable `DYNAMO_URL` names, or this one if it names
    /// none: `Dynamo::from_env_or("embedded:memory")` for a program that runs anywhere.
    pub async fn from_env_or(url: &str) -> Result<Dynamo> {
        match std::env::var_os(VARIABLE) {
            Some(named) if !named.is_empty() => Dynamo::from_env().await,
            _ => Dynamo::connect(url).await,
        }
    }

    /// Uses an SDK client with all of its settings.
    pub fn new(client: Client) -> Dynamo {
        Dynamo::over(Wire::new(client))
    }

    pub(crate) fn over(wire: Wire) -> Dynamo {
        Dynamo(Arc::new(Inner {
            wire,
            prefix: String::new(),
            clock: SharedClock::new(SystemClock),
            cursor_secret: None,
            actor: None,
            observer: None,
            is_local: false,
        }))
    }

    /// Puts a prefix before every table's name, joined by `-` unless it ends with `-`, `_` or `.`.
    /// An empty one is none.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<String>) -> Dynamo {
        let mut prefix = prefix.into();
        if !prefix.is_empty() && !prefix.ends_with(['-', '_', '.']) {
            prefix.push('-');
        }
        self.with(|inner| inner.prefix = prefix)
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock) -> Dynamo {
        self.with(|inner| inner.clock = SharedClock::new(clock))
    }

    /// Signs cursors (HMAC-SHA256), and takes only those that were signed with the same secret: a
    /// client can then use no place that the service has not named to it.
    ///
    /// A secret has 16 random bytes or more. A shorter one is an error of kind [`Config`](crate::ErrorKind::Config), above
    /// all an empty one: a variable that is not set.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # use dynamo_entity::Dynamo;
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// let unset = std::env::var("CURSOR_SECRET").unwrap_or_default();
    /// assert!(db.clone().with_cursor_secret(unset).is_err());
    /// let db = db.with_cursor_secret("8f1d7c02b95e4a6e")?;
    /// # let _ = db; Ok(()) }
    /// ```
    pub fn with_cursor_secret(self, secret: impl AsRef<[u8]>) -> Result<Dynamo> {
        let secret = Secret::new(secret.as_ref())?;
        Ok(self.with(|inner| inner.cursor_secret = Some(secret)))
    }

    /// The same connection for one actor, whom its writes name in the fields `created_by` and
    /// `updated_by`. Cheap enough for every request that a service serves. An empty name is none.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "pages", key(pk = id))]
    /// struct Page {
    ///     id: String,
    ///     #[dynamo(created_by)]
    ///     created_by: Option<String>,
    ///     #[dynamo(updated_by)]
    ///     updated_by: Option<String>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Page::schema()]).await?;
    /// let page = Page { id: "p1".into(), created_by: None, updated_by: None };
    /// let page = page.create().send(&db.with_actor("ann")).await?;
    /// let page = page.put().send(&db.with_actor("bob")).await?;
    /// assert_eq!(page.created_by.as_deref(), Some("ann"));
    /// assert_eq!(page.updated_by.as_deref(), Some("bob"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_actor(&self, actor: impl Into<Arc<str>>) -> Dynamo {
        let actor = Some(actor.into()).filter(|actor| !actor.is_empty());
        self.clone().with(|inner| inner.actor = actor)
    }

    /// Tells of every request for items: what it was, how long it took, what it consumed, what became of it.
    ///
    /// The observer is called when an answer is there, by the task that waits for it, so it should only count or log.
    /// It hears nothing of a request that was dropped before. The requests ask for their consumed capacity, which costs
    /// nothing but a few bytes; without an observer they do not.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::sync::atomic::{AtomicU64, Ordering};
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// let milliunits = Arc::new(AtomicU64::new(0));
    /// let sum = milliunits.clone();
    /// let db = db.with_observer(move |seen| {
    ///     sum.fetch_add((seen.units() * 1000.0) as u64, Ordering::Relaxed);
    /// });
    /// Note { id: "n1".into() }.put().send(&db).await?;
    /// Note::key("n1").get().send(&db).await?;
    /// assert_eq!(milliunits.load(Ordering::Relaxed), 1500); // one written, half a unit read
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_observer(self, observer: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Dynamo {
        self.with(|inner| inner.observer = Some(Observer::new(observer)))
    }

    /// The same connection with faults between it and the engine; see [`testing`](crate::testing).
    ///
    /// For connections to the embedded engine, and for SDK clients that were given an HTTP client.
    #[cfg(feature = "testing")]
    pub fn with_faults(&self, faults: &connect::testing::Faults) -> Result<Dynamo> {
        let client = faults.client(self.client())?;
        Ok(self.clone().with(|inner| inner.wire = Wire::new(client)))
    }

    /// Sends everything through the SDK's typed builders. For tests of that path.
    #[doc(hidden)]
    #[must_use]
    pub fn with_typed_wire(self) -> Dynamo {
        self.with(|inner| {
            inner.wire = Wire::new(inner.wire.client().clone());
            inner.wire.use_typed();
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Dynamo {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The SDK client, for everything this library does not do.
    pub fn client(&self) -> &Client {
        self.0.wire.client()
    }

    /// The time by this connection's clock.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// Creates the tables that are not there, and waits until they can be used.
    ///
    /// A table that is there is never changed: if it is as declared, nothing happens; if it differs,
    /// the error of kind [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) names every difference
    /// and what to do about it. Indexes beyond the declared ones do not matter. It may be called at
    /// every start, by many processes at once. Dropped before the end, it has created some of the
    /// tables; call it again.
    ///
    /// A table has one declaration. Two of one name, such as `table = "shop"` on two entities, are refused
    /// before anything is sent, with an error of kind [`Config`](crate::ErrorKind::Config), so give it all
    /// schemas of a program at once. The same schema may come twice.
    pub fn create_tables(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<()>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { table::create(self, schemas).await }
    }

    /// Adds the global indexes that the tables lack, one after the other, and waits until each is
    /// filled; with much data that takes long. Nothing else is changed.
    ///
    /// An index of the same name with another key or projection is an error of kind
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch). Dropped before the end, the service goes
    /// on with the index it has begun; call it again for the others.
    pub fn add_indexes(
        &self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> impl Future<Output = Result<()>> + Send {
        let schemas: Vec<TableSchema> = schemas.into_iter().collect();
        async move { table::add_indexes(self, schemas).await }
    }

    /// Deletes all items of these tables, and returns how many there were: for tests. The tables stay.
    ///
    /// Only on an engine that is known to be on this machine: `embedded:..`, or an address such as
    /// `http://localhost:8000`. Anything else is refused, SDK clients of one's own included, unless one writes
    /// [`even_on_aws`](Truncate::even_on_aws). Dropped before the end, it has deleted some of them.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test");
    /// db.create_tables([Note::schema()]).await?;
    /// Note { id: "n1".into() }.put().send(&db).await?;
    /// assert_eq!(db.truncate([Note::schema()]).await?, 1);
    /// # Ok(()) }
    /// ```
    pub fn truncate(&self, schemas: impl IntoIterator<Item = TableSchema>) -> Truncate<'_> {
        Truncate::new(self, schemas.into_iter().collect())
    }

    /// Whether it is known to lead to an engine on this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.0.is_local
    }

    pub(crate) fn cursor_secret(&self) -> Option<&Secret> {
        self.0.cursor_secret.as_ref()
    }

    /// Who writes.
    pub(crate) fn actor(&self) -> Option<Arc<str>> {
        self.0.actor.clone()
    }

    pub(crate) fn table_name(&self, base: &str) -> String {
        format!("{}{base}", self.0.prefix)
    }

    pub(crate) fn call(&self, request: Request) -> BoxFuture<'_, Result<Reply, Failure>> {
        Box::pin(async move { self.attempt(&request).await })
    }

    /// The same without a box, for who may have to send it again.
    pub(crate) async fn attempt(&self, request: &Request) -> Result<Reply, Failure> {
        match &self.0.observer {
            None => self.0.wire.call(request).await,
            // In a box, so that who does not watch has no room for it.
            Some(observer) => Box::pin(observer.watch(&self.0.wire, request)).await,
        }
    }
}

impl fmt::Debug for Dynamo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client is left out: its settings may hold credentials.
        f.debug_struct("Dynamo")
            .field("prefix", &self.0.prefix)
            .finish_non_exhaustive()
    }
}
