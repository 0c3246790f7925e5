//! The connection: an SDK client, a prefix for table names and a clock.

mod prefix;
mod secret;
mod turns;

use std::fmt;
use std::sync::Arc;

use crate::clock::{Clock, Moment, SharedClock, SystemClock, Timestamp};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::observe::{Observed, Observers};
use crate::schema::NamedTable;
use crate::wire::{BoxFuture, Client, Failure, Reply, Request, ServiceOperation, TokenLife, Wire};

pub(crate) use prefix::TablePrefix;
pub(crate) use secret::{CursorTag, Secret, TAG_SIZE};
pub(crate) use turns::{ItemId, ItemTurn, ItemTurns, turn_in};

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
pub struct Dynamo(Arc<Connection>);

#[derive(Clone)]
struct Connection {
    wire: Wire,
    prefix: TablePrefix,
    clock: SharedClock,
    cursor_secret: Option<Secret>,
    actor: Option<Arc<str>>,
    observers: Option<Arc<Observers>>,
    turns: Arc<ItemTurns>,
    /// Whether it leads to an engine on this machine, as far as its URL tells.
    is_local: bool,
}

impl Dynamo {
    /// Uses an SDK client with all of its settings.
    ///
    /// Make it once and clone it: clones, prefixes and actors share what was learned of the client, and each `Dynamo::new`
    /// learns it anew, see [`through_sdk`](Self::through_sdk).
    pub fn new(client: Client) -> Dynamo {
        Dynamo::over(Wire::new(client))
    }

    pub(crate) fn over(wire: Wire) -> Dynamo {
        Dynamo(Arc::new(Connection {
            wire,
            prefix: TablePrefix::default(),
            clock: SharedClock::new(SystemClock),
            cursor_secret: None,
            actor: None,
            observers: None,
            turns: Arc::default(),
            is_local: false,
        }))
    }

    /// Puts a prefix before every table's name, joined by `-` unless it ends with `-`, `_` or `.`. An empty prefix is
    /// no prefix.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<String>) -> Dynamo {
        self.with(|inner| inner.prefix = TablePrefix::new(prefix.into()))
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock) -> Dynamo {
        self.with(|inner| inner.clock = SharedClock::new(clock))
    }

    /// Signs cursors (HMAC-SHA256), and takes only those that were signed with the same secret: a client can then use
    /// only places that the service has named to it.
    ///
    /// A secret has 16 random bytes or more. A shorter one is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config), above all an empty one, which comes from a variable that is not
    /// set.
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

    /// The same connection for one actor. Its writes name the actor in the fields `created_by` and `updated_by`. This
    /// is cheap enough for every request that a service serves. An empty name means no actor.
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

    /// Tells of every request for items: what it was, how long it took, what it consumed, what became of it, which way it
    /// went.
    ///
    /// Several may watch a connection: each is told, in the order in which they came.
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
        self.with(|inner| {
            let observers = inner.observers.get_or_insert_default();
            Arc::make_mut(observers).add(observer);
        })
    }

    /// Gives every request for items a span of `tracing`, in the names of OpenTelemetry: see
    /// [the guide](crate::guide::observing#tracing).
    ///
    /// The span begins when the request is sent, and its parent is the span that the caller is in then. Its level is
    /// `INFO`. It tells the entity, the verb or the access pattern, tables and index, what was consumed and which kind of
    /// error it was, and never a value. Attempts that failed are events in it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # use dynamo_entity::Dynamo;
    /// let db = Dynamo::connect("embedded:memory").await?.with_tracing();
    /// # let _ = db; Ok(()) }
    /// ```
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn with_tracing(self) -> Dynamo {
        self.with(|inner| Arc::make_mut(inner.observers.get_or_insert_default()).trace())
    }

    /// Sends every request over the network through the whole of the SDK. An engine in this process is called directly
    /// all the same.
    ///
    /// Without it, the SDK sends the first request of a client, and those that begin before it is answered, and this
    /// library learns from them. Later requests go the plain way: they are written, signed and sent past the SDK's
    /// orchestration, by the SDK's own connections and credentials, for a fraction of the work. An attempt that fails or
    /// is refused goes back to the SDK, so that its retries, pauses and errors are the same.
    ///
    /// A client with an interceptor, a retry classifier, a signer, an endpoint resolver or an identity cache of its own, or
    /// with another retry mode than `standard`, keeps the SDK's way by itself. An endpoint URL, a number of attempts,
    /// timeouts, providers of credentials and HTTP clients of yours change nothing. Programs that listen to the SDK's
    /// spans or metrics hear them, for then everything goes through the SDK.
    /// [`Observed::path`](crate::observe::Observed::path) tells which way a request went.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// # use dynamo_entity::Dynamo;
    /// let db = Dynamo::connect("http://localhost:8000").await?.through_sdk();
    /// # let _ = db; Ok(()) }
    /// ```
    #[must_use]
    pub fn through_sdk(self) -> Dynamo {
        self.with(|inner| inner.wire = inner.wire.clone().through_sdk())
    }

    /// Behaves as with an SDK that ignores our serializer, for tests of that case.
    #[doc(hidden)]
    #[must_use]
    pub fn with_hooks_alone(self) -> Dynamo {
        self.with(|inner| {
            let client = inner.wire.client().clone();
            inner.wire = inner.wire.beside(client).by_hooks_alone();
        })
    }

    /// The same connection, but requests go through this client.
    #[cfg(feature = "testing")]
    pub(crate) fn through(self, client: Client) -> Dynamo {
        self.with(|inner| inner.wire = inner.wire.beside(client))
    }

    /// Sets whether the connection leads to an engine on this machine.
    pub(crate) fn on_this_machine(self, is_local: bool) -> Dynamo {
        self.with(|inner| inner.is_local = is_local)
    }

    fn with(mut self, change: impl FnOnce(&mut Connection)) -> Dynamo {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The SDK client, for everything this library does not do.
    pub fn client(&self) -> &Client {
        self.0.wire.client()
    }

    /// Where operations on tables go.
    pub(crate) fn table_wire(&self) -> Result<&Wire> {
        self.0.wire.require_runtime()?;
        Ok(&self.0.wire)
    }

    /// The time by this connection's clock; [`now_as`](Self::now_as) has it as a type of the fields.
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// The same time as a type of the fields: `SystemTime`, or a time of `chrono`, `time` or `jiff`. A time outside the
    /// range of the type is an error of kind [`InvalidValue`](crate::error::ErrorKind::InvalidValue).
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// use chrono::{DateTime, Utc};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let noon: DateTime<Utc> = "2024-02-29T12:00:00Z".parse().unwrap();
    /// let db = Dynamo::connect("embedded:memory").await?.with_clock(move || noon);
    /// assert_eq!(db.now_as::<DateTime<Utc>>()?, noon);
    /// # Ok(()) }
    /// ```
    pub fn now_as<T: Moment>(&self) -> Result<T> {
        T::from_timestamp(self.now()).ok_or_else(|| {
            let message = "the time of this connection's clock is outside the range of the type";
            Error::new(ErrorKind::InvalidValue, Stage::Encode, message)
        })
    }

    /// Whether the connection is known to lead to an engine on this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.0.is_local
    }

    pub(crate) fn cursor_secret(&self) -> Option<&Secret> {
        self.0.cursor_secret.as_ref()
    }

    /// The actor whom writes name.
    pub(crate) fn actor(&self) -> Option<Arc<str>> {
        self.0.actor.clone()
    }

    pub(crate) fn turns(&self) -> &ItemTurns {
        &self.0.turns
    }

    /// The full name of a table: its own name behind the [prefix](Self::with_prefix) of this connection. It takes a
    /// schema, or the name as it is declared, and asks nobody.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test");
    /// db.create_tables([Note::schema()]).await?;
    /// assert_eq!(db.table_name(&Note::schema()), "test-notes");
    ///
    /// // for requests by the raw SDK client
    /// let table = db.client().describe_table().table_name(db.table_name("notes"));
    /// # assert!(table.send().await.is_ok());
    /// # Ok(()) }
    /// ```
    pub fn table_name(&self, table: impl NamedTable) -> String {
        self.0.prefix.name(table.base_name())
    }

    pub(crate) fn call(&self, request: Request) -> BoxFuture<'_, Result<Reply, Failure>> {
        Box::pin(async move { self.attempt(&request, None).await })
    }

    /// Sends a request without a box, for callers that may have to send it again: with the same token, if it has one.
    pub(crate) async fn attempt(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        match &self.0.observers {
            None => self.0.wire.attempt(request, token).await,
            // Boxed: the rare future must not enlarge every call.
            Some(observers) => Box::pin(observers.watch(&self.0.wire, request, token)).await,
        }
    }

    /// Whether the server sends the item on which a condition failed, as far as is known.
    pub(crate) fn sends_items(&self, operation: ServiceOperation) -> bool {
        self.0.wire.sends_items(operation)
    }

    /// Whether an item may be there although it did not come with a failed condition.
    pub(crate) fn may_not_confirm(&self) -> bool {
        self.0.wire.may_not_confirm()
    }

    pub(crate) fn learn_that_it_may_not_confirm(&self) {
        self.0.wire.learn_that_it_may_not_confirm();
    }

    pub(crate) fn learn_that_it_sends(&self, operation: ServiceOperation) {
        self.0.wire.learn_that_it_sends(operation);
    }
}

impl fmt::Debug for Dynamo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client is left out: its settings may hold credentials.
        f.debug_struct("Dynamo")
            .field("prefix", &self.0.prefix.text())
            .finish_non_exhaustive()
    }
}
