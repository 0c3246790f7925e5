//! `Dynamo`, with its settings, which clones share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::{Clock, Moment, SharedClock, SystemClock, Timestamp};
use crate::dynamo::{ItemTurns, Secret, StrongTables, TablePrefix};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::observe::{Observers, RequestEvent};
use crate::schema::{NamedTable, TableSchema};
use crate::storage::{ObjectStorage, SharedStorage};
#[cfg(feature = "serve")]
use crate::wire::embedded::EmbeddedEngine;
use crate::wire::{
    BoxFuture, Client, Failure, Reply, Request, Resend, ServiceOperation, TenantRule, TenantTable,
    TokenLife, Wire,
};

/// A connection to DynamoDB, or to a server with the same protocol.
///
/// Clones share one client; cloning is cheap. Settings such as `with_prefix` return a new connection and do not
/// change the old one.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> dynamo_entity::Result<()> {
/// use dynamo_entity::Dynamo;
/// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test");
/// # let _ = db; Ok(()) }
/// ```
#[derive(Clone)]
pub struct Dynamo(Arc<Connection>, Option<StrayWatch>);

/// Set when a write may still take effect after its call has ended.
type StrayWatch = Arc<AtomicBool>;

#[derive(Clone)]
struct Connection {
    wire: Wire,
    prefix: TablePrefix,
    clock: SharedClock,
    cursor_secret: Option<Secret>,
    actor: Option<Arc<str>>,
    observers: Option<Arc<Observers>>,
    /// The storage of lists and blobs that are declared `outside`.
    object_storage: Option<SharedStorage>,
    turns: Arc<ItemTurns>,
    /// Tables without transactions.
    strong_tables: Arc<StrongTables>,
    /// Whether it leads to an engine on this machine, as far as its URL shows.
    is_local: bool,
    /// The tables of `for_tenant`.
    tenant_tables: Option<Arc<[TenantTable]>>,
}

impl Dynamo {
    /// Uses an SDK client with all of its settings.
    ///
    /// Create it once and clone it: clones, prefixes and actors share the knowledge about the client, and each
    /// `Dynamo::new` has to learn it again, see [`through_sdk`](Self::through_sdk).
    pub fn new(client: Client) -> Dynamo {
        Dynamo::over_wire(Wire::new(client))
    }

    /// A connection that leads nowhere, for requests that are only shown.
    #[cfg(feature = "export")]
    pub(crate) fn without_connection() -> Dynamo {
        Dynamo::over_wire(Wire::unconnected())
    }

    pub(crate) fn over_wire(wire: Wire) -> Dynamo {
        let connection = Connection {
            wire,
            prefix: TablePrefix::default(),
            clock: SharedClock::new(SystemClock),
            cursor_secret: None,
            actor: None,
            observers: None,
            object_storage: None,
            turns: Arc::default(),
            strong_tables: Arc::default(),
            is_local: false,
            tenant_tables: None,
        };
        Dynamo(Arc::new(connection), None)
    }

    /// Adds a prefix to every table name, joined by `-` unless it ends with `-`, `_` or `.`. An empty prefix is no
    /// prefix.
    #[must_use]
    pub fn with_prefix(self, prefix: impl Into<String>) -> Dynamo {
        self.with_change(|inner| inner.prefix = TablePrefix::new(prefix.into()))
    }

    /// Takes the time from another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock) -> Dynamo {
        self.with_change(|inner| inner.clock = SharedClock::new(clock))
    }

    /// Signs cursors (HMAC-SHA256), and accepts only cursors that were signed with the same secret. A client can then
    /// use only positions that the service has given to it.
    ///
    /// A secret must have at least 16 random bytes. A shorter one is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config), in particular an empty one from a variable that is not set.
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
        Ok(self.with_change(|inner| inner.cursor_secret = Some(secret)))
    }

    /// Returns the same connection for one actor. Its writes store the actor in the fields `created_by` and
    /// `updated_by`. You can call this for every request that a service handles, because it is cheap. An empty name
    /// means no actor.
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
        // DynamoDB accepts an empty text, but as an actor it would look like a known one.
        let actor = Some(actor.into()).filter(|actor| !actor.is_empty());
        self.clone().with_change(|inner| inner.actor = actor)
    }

    /// Stores lists and blobs that are declared `outside`, as in `blob(plan, outside)`, in this storage. See
    /// [the guide](crate::guide::large_values#storage-outside-of-dynamodb).
    ///
    /// Use one storage for all connections to a table.
    #[must_use]
    pub fn with_object_storage(self, storage: impl ObjectStorage) -> Dynamo {
        self.with_change(|inner| inner.object_storage = Some(SharedStorage::new(storage)))
    }

    /// Names the tables of [`for_tenant`](Self::for_tenant), by their schemas. Call it once, after
    /// [`with_prefix`](Self::with_prefix).
    ///
    /// A table without `tenant = ..` is an error of kind [`Config`](crate::error::ErrorKind::Config), and so are two different
    /// declarations of one table. The connection of a tenant keeps its tables, so it returns an error.
    pub fn with_tenant_tables(
        self,
        schemas: impl IntoIterator<Item = TableSchema>,
    ) -> Result<Dynamo> {
        self.require_no_tenant("with_tenant_tables")?;
        let schemas = schemas.into_iter();
        let named = schemas.map(|schema| (self.table_name(&schema), schema));
        let tables = TenantTable::of_schemas(named)?;
        Ok(self.with_change(|inner| inner.tenant_tables = Some(tables.into())))
    }

    /// Returns the same connection for one tenant: the keys of every request are compared with it before anything is sent,
    /// and a request that reaches beyond it is an error of kind
    /// [`OutsideTenant`](crate::error::ErrorKind::OutsideTenant). You can call this for every request that a service
    /// handles, because it is cheap. See [the guide](crate::guide::tenants) for the rejected requests.
    ///
    /// The tenant is the text of the field that the tables declare by `tenant = ..`; an empty one is an error of kind
    /// [`InvalidKey`](crate::error::ErrorKind::InvalidKey). [`client`](Self::client) returns the SDK client, which compares
    /// nothing.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "notes", tenant = org, key(pk = "{org}", sk = "{number:06}"))]
    /// struct Note { org: String, number: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// let db = db.with_tenant_tables([Note::schema()])?;
    /// let acme = db.for_tenant("acme")?;
    /// Note { org: "acme".into(), number: 1 }.create().send(&acme).await?;
    ///
    /// let foreign = Note::key("globex", 1).get().send(&acme).await.err();
    /// assert_eq!(foreign.map(|error| error.kind()), Some(ErrorKind::OutsideTenant));
    /// # Ok(()) }
    /// ```
    pub fn for_tenant(&self, tenant: impl AsRef<str>) -> Result<Dynamo> {
        let tables = self.0.tenant_tables.clone().ok_or_else(|| {
            Error::config("name the tables before: `db.with_tenant_tables([Shop::schema()])?`")
        })?;
        let rule = TenantRule::new(tables, tenant.as_ref())?;
        let wire = self.0.wire.clone().for_tenant(rule)?;
        Ok(self.clone().with_change(|inner| inner.wire = wire))
    }

    /// Calls the observer for every request for items, with its purpose, duration, consumption, result and path.
    ///
    /// A connection may have several observers: each is called, in the order in which they were added.
    ///
    /// The observer is called when a response has arrived, by the task that waits for it, so it should only count or
    /// log. It is not called for a request that was dropped before. With an observer, each request also requests its
    /// consumed capacity, which costs only a few bytes.
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
    pub fn with_observer(
        self,
        observer: impl Fn(&RequestEvent<'_>) + Send + Sync + 'static,
    ) -> Dynamo {
        self.with_change(|inner| {
            let observers = inner.observers.get_or_insert_default();
            Arc::make_mut(observers).add_observer(observer);
        })
    }

    /// Gives every request for items a span of `tracing`, with the names of OpenTelemetry: see [the
    /// guide](crate::guide::observing#tracing).
    ///
    /// The span begins when the request is sent, and its parent is the current span of the caller. Its level is
    /// `INFO`. It contains the entity, the operation or the access pattern, tables and index, the consumed capacity
    /// and the kind of error, and never a value. Failed attempts are events in it.
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
        self.with_change(|inner| {
            Arc::make_mut(inner.observers.get_or_insert_default()).enable_tracing()
        })
    }

    /// Sends every network request through the whole SDK. An engine in this process is still called directly.
    ///
    /// Without it, the SDK sends the first request of a client, and those that begin before its response, and this
    /// library learns from them. Later requests use the direct path: they are written, signed and sent without the
    /// SDK's orchestration, with the SDK's own connections and credentials, for a fraction of the work. An attempt
    /// that fails or is rejected goes back to the SDK, so that its retries, pauses and errors are the same.
    ///
    /// A client with its own interceptor, retry classifier, signer, endpoint resolver or identity cache, or with a
    /// retry mode other than `standard`, stays on the SDK's path automatically. An endpoint URL, a number of
    /// attempts, timeouts, credential providers and your own HTTP clients have no effect. Programs that listen to the
    /// SDK's spans or metrics receive them, because everything then goes through the SDK.
    /// [`RequestEvent::path`](crate::observe::RequestEvent::path) reports the path of a request.
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
        self.with_change(|inner| inner.wire = inner.wire.clone().through_sdk())
    }

    /// Behaves as with an SDK that ignores our serializer, for tests of that case.
    #[doc(hidden)]
    #[must_use]
    pub fn with_hooks_alone(self) -> Dynamo {
        self.with_change(|inner| {
            let client = inner.wire.client().clone();
            inner.wire = inner.wire.beside(client).by_hooks_alone();
        })
    }

    /// The same connection, but requests go through this client.
    #[cfg(feature = "testing")]
    pub(crate) fn through_client(self, client: Client) -> Dynamo {
        self.with_change(|inner| inner.wire = inner.wire.beside(client))
    }

    /// Sets whether the connection leads to an engine on this machine.
    pub(crate) fn on_this_machine(self, is_local: bool) -> Dynamo {
        self.with_change(|inner| inner.is_local = is_local)
    }

    fn with_change(mut self, change: impl FnOnce(&mut Connection)) -> Dynamo {
        // Clones share the connection, so a changed setting must not reach those that were made
        // before.
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Returns the SDK client, for features that this library does not have.
    pub fn client(&self) -> &Client {
        self.0.wire.client()
    }

    /// The engine in this process that the connection leads to.
    #[cfg(feature = "serve")]
    pub(crate) fn engine(&self) -> Option<&EmbeddedEngine> {
        self.0.wire.engine()
    }

    /// Fails for an operation that concerns all tenants, on a connection of one.
    pub(crate) fn require_no_tenant(&self, operation: &str) -> Result<()> {
        self.0.wire.require_no_tenant(operation)
    }

    /// The wire for operations on tables.
    pub(crate) fn table_wire(&self) -> Result<&Wire> {
        self.0.wire.require_runtime()?;
        Ok(&self.0.wire)
    }

    /// Returns the time of this connection's clock; [`now_as`](Self::now_as) returns it as a type of the fields.
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

    /// Whether both connections are known to lead to one server.
    pub(crate) fn is_same_server(&self, other: &Dynamo) -> bool {
        self.0.wire.is_same_server(&other.0.wire)
    }

    /// Whether the connection is known to lead to an engine on this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.0.is_local
    }

    pub(crate) fn cursor_secret(&self) -> Option<&Secret> {
        self.0.cursor_secret.as_ref()
    }

    /// The storage of lists and blobs outside of DynamoDB.
    pub(crate) fn object_storage(&self) -> Option<&SharedStorage> {
        self.0.object_storage.as_ref()
    }

    /// The actor whom writes name.
    pub(crate) fn current_actor(&self) -> Option<Arc<str>> {
        self.0.actor.clone()
    }

    pub(crate) fn item_turns(&self) -> &ItemTurns {
        &self.0.turns
    }

    /// The full name of a table: its own name behind the [prefix](Self::with_prefix) of this connection. It takes a
    /// schema, or the name as it is declared, and sends no request.
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
        self.0.prefix.full_name(table.base_name())
    }

    pub(crate) fn call_service(&self, request: Request) -> BoxFuture<'_, Result<Reply, Failure>> {
        Box::pin(async move { self.call_once(&request, None).await })
    }

    /// Sends a request without a box, for callers that may have to send it again: with the same token, if it has one.
    pub(crate) async fn call_once(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        match &self.0.observers {
            None => self.0.wire.attempt(request, token).await,
            // Boxed: the rare future must not enlarge every call.
            Some(observers) => {
                Box::pin(observers.watch_request(&self.0.wire, request, token)).await
            }
        }
    }

    pub(crate) fn strong_tables(&self) -> &StrongTables {
        &self.0.strong_tables
    }

    /// The same connection for one write, and what tells whether a request of that write may still take effect.
    pub(crate) fn watching_strays(&self) -> (Dynamo, StrayWatch) {
        let watch = StrayWatch::default();
        (Dynamo(self.0.clone(), Some(watch.clone())), watch)
    }

    /// Notes that a write may still take effect, if anybody watches.
    pub(crate) fn note_stray(&self, request: &Request, sent: &Result<Reply, Failure>) {
        let Some(watch) = &self.1 else { return };
        let is_stray = match sent {
            // DynamoDB recognizes all attempts by the token as one write, so no second one takes effect.
            Ok(reply) => reply.has_stray && request.resend != Resend::ByToken,
            Err(failure) => failure.has_stray,
        };
        if is_stray {
            watch.store(true, Ordering::Relaxed);
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
            .field("prefix", &self.0.prefix.prefix_text())
            .finish_non_exhaustive()
    }
}
