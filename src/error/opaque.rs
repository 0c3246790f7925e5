//! The error of the library, with its parts.

use std::error::Error as StdError;
use std::fmt;

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::error::{ErrorKind, Failed, Remedy, Stage, Throttle};
use crate::json::CodecError;

/// A failure of the library.
///
/// It contains the kind of failure ([`kind`](Error::kind)), the stage ([`stage`](Error::stage)) and the names
/// concerned ([`entity`](Error::entity), [`key`](Error::key_attribute), [`attribute`](Error::attribute)). Messages
/// contain names, never values, so you can log an error as it is.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "notes", key(pk = id))]
/// # struct Note { id: String, text: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Note::schema()]).await?;
/// let note = Note { id: "n1".into(), text: "buy milk".into() };
/// note.create().send(&db).await?;
///
/// let refused = note.create().send(&db).await.unwrap_err();
/// assert!(refused.is_already_exists());
/// assert_eq!(refused.entity(), Some("Note"));
/// assert_eq!(refused.current::<Note>()?, Some(note)); // came with the error: no second read
/// # Ok(()) }
/// ```
#[derive(thiserror::Error)]
#[error(transparent)]
pub struct Error(pub(super) Box<ErrorParts>);

#[derive(thiserror::Error)]
#[error("{}{}", self.reason(), self.remedy_text())]
pub(super) struct ErrorParts {
    pub(super) kind: ErrorKind,
    pub(super) stage: Stage,
    pub(super) entity: Option<&'static str>,
    /// The id of the entity's declaration, because several may have the same name.
    pub(super) declared: Option<&'static str>,
    pub(super) key: Option<&'static str>,
    pub(super) attribute: Option<String>,
    pub(super) code: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) message: String,
    /// The ways out that are part of this library.
    pub(super) remedies: Vec<Remedy>,
    pub(super) current: Option<Current>,
    pub(super) failures: Vec<Failed>,
    /// The reasons for throttling, if DynamoDB reports them.
    pub(super) throttles: Vec<Throttle>,
    /// The item that stores a unique value.
    pub(super) holder: Option<Bytes>,
    /// The key of the item that did not decode, or that an operation of a transaction was for, as an object.
    pub(super) item_key: Option<Vec<u8>>,
    pub(super) source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The item that made a condition fail, as it came with the error.
#[derive(Clone)]
pub(super) struct Current {
    item: Bytes,
    at: Timestamp,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, stage: Stage, message: impl Into<String>) -> Self {
        Error(Box::new(ErrorParts {
            kind,
            stage,
            entity: None,
            declared: None,
            key: None,
            attribute: None,
            code: None,
            request_id: None,
            message: message.into(),
            remedies: Vec::new(),
            current: None,
            failures: Vec::new(),
            throttles: Vec::new(),
            holder: None,
            item_key: None,
            source: None,
        }))
    }

    /// A copy for another write or row to which the same happened. The source stays with the first error.
    pub(crate) fn again(&self) -> Self {
        let inner = &*self.0;
        Error(Box::new(ErrorParts {
            attribute: inner.attribute.clone(),
            code: inner.code.clone(),
            request_id: inner.request_id.clone(),
            message: inner.message.clone(),
            remedies: inner.remedies.clone(),
            current: inner.current.clone(),
            failures: inner.failures.iter().map(Failed::again).collect(),
            throttles: inner.throttles.clone(),
            holder: inner.holder.clone(),
            item_key: inner.item_key.clone(),
            // A source cannot be cloned, so the copy has none.
            source: None,
            ..*inner
        }))
    }

    /// A connection setting that cannot be used.
    pub(crate) fn config(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Config, Stage::Connect, message)
    }

    /// A fault of encoding or of a key, met before anything was sent.
    pub(crate) fn encode(entity: &'static str, fault: CodecError) -> Self {
        let (kind, stage) = match fault.key_attribute() {
            Some(_) => (ErrorKind::InvalidKey, Stage::Key),
            None => (ErrorKind::InvalidValue, Stage::Encode),
        };
        let remedy = fault.needs_expired().then_some(Remedy::IncludeExpired);
        let error = Error::from_fault(kind, stage, fault).of(entity);
        error.with_remedies(remedy)
    }

    /// A stored item that does not fit its type, or whose key does not fit its fields.
    pub(crate) fn decode(entity: &'static str, fault: CodecError) -> Self {
        let kind = match fault.key_identity() {
            _ if fault.is_newer_shape() => ErrorKind::NewerShape,
            _ if fault.is_older_shape() => ErrorKind::OlderShape,
            Some(_) => ErrorKind::KeyMismatch,
            None => ErrorKind::Decode,
        };
        Error::from_fault(kind, Stage::Decode, fault).of(entity)
    }

    /// A response that does not have the expected form.
    pub(crate) fn unreadable(fault: &CodecError) -> Self {
        let message = format!("the service's answer cannot be read: {fault}");
        Error::new(ErrorKind::Service, Stage::Service, message)
    }

    /// A response to a write that cannot be read: the write may have taken effect.
    pub(crate) fn unreadable_write(fault: &CodecError) -> Self {
        let message = format!(
            "the write was sent and its answer cannot be read, so it may have taken effect: read before \
             deciding ({fault})"
        );
        Error::new(ErrorKind::OutcomeUnknown, Stage::Service, message)
    }

    fn from_fault(kind: ErrorKind, stage: Stage, fault: CodecError) -> Self {
        let mut error = Error::new(kind, stage, fault.reason_text());
        // A value of a change or a condition is written by itself, without the name of its key.
        error.0.key = fault.key_attribute().filter(|key| !key.is_empty());
        error.0.attribute = fault.dotted_path();
        error
    }

    pub(crate) fn of(mut self, entity: &'static str) -> Self {
        self.0.entity = Some(entity);
        self
    }

    /// Names the declaration of its entity, if that is known; see [`EntityDef::id`](crate::schema::EntityDef).
    pub(crate) fn declared_as(mut self, id: Option<&'static str>) -> Self {
        self.0.declared = id;
        self
    }

    /// Names the key attribute concerned, if none is known yet.
    pub(crate) fn in_key(mut self, attribute: &'static str) -> Self {
        self.0.key.get_or_insert(attribute);
        self
    }

    pub(crate) fn at(mut self, attribute: impl Into<String>) -> Self {
        self.0.attribute = Some(attribute.into());
        self
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        self.0.kind = kind;
        self.0.message = message.into();
        self.0.remedies.clear();
        self
    }

    pub(crate) fn with_remedies(mut self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        self.0.remedies.extend(remedies);
        self
    }

    /// An error of the same kind with this one as its source and in its message, which ends with the remedies as before.
    pub(crate) fn within(self, message: impl FnOnce(&str) -> String) -> Self {
        let message = message(&self.reason());
        let remedies = self.0.remedies.clone();
        Error::new(self.kind(), self.stage(), message)
            .with_remedies(remedies)
            .with_source(self)
    }

    /// An error whose message also says what happened beside the failure.
    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.0.message.push_str("; ");
        self.0.message.push_str(note);
        self
    }

    pub(crate) fn with_code(mut self, code: Option<&str>) -> Self {
        self.0.code = code.map(str::to_owned);
        self
    }

    pub(crate) fn with_throttles(mut self, throttles: Vec<Throttle>) -> Self {
        self.0.throttles = throttles;
        self
    }

    pub(crate) fn with_request_id(mut self, id: Option<&str>) -> Self {
        self.0.request_id = id.map(str::to_owned);
        self
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Bytes that are not an item.
    pub(crate) fn undecodable(fault: CodecError) -> Self {
        Error::from_fault(ErrorKind::Decode, Stage::Decode, fault)
    }

    /// The declaration of its entity, if that is known.
    pub(crate) fn declared(&self) -> Option<&'static str> {
        self.0.declared
    }

    /// The sentinel of a unique value that another item has.
    pub(crate) fn holder_item(&self) -> Option<&Bytes> {
        self.0.holder.as_ref()
    }

    /// The item that a condition saw, and the time.
    pub(crate) fn current_seen(&self) -> Option<(&Bytes, Timestamp)> {
        let current = self.0.current.as_ref()?;
        Some((&current.item, current.at))
    }

    /// The key of an item that does not decode, as an object of DynamoDB JSON.
    pub(crate) fn with_item_key(mut self, key: Option<Vec<u8>>) -> Self {
        self.0.item_key = key;
        self
    }

    pub(crate) fn item_key_json(&self) -> Option<&[u8]> {
        self.0.item_key.as_deref()
    }

    /// The item that came with the error, live or not.
    pub(crate) fn current_bytes(&self) -> Option<Bytes> {
        self.0.current.as_ref().map(|current| current.item.clone())
    }

    pub(crate) fn with_current(mut self, item: Bytes, at: Timestamp) -> Self {
        self.0.current = Some(Current { item, at });
        self
    }

    pub(crate) fn with_holder(mut self, sentinel: Bytes) -> Self {
        self.0.holder = Some(sentinel);
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stage in which it occurred.
    pub fn stage(&self) -> Stage {
        self.0.stage
    }

    /// The entity concerned: the name of the struct.
    pub fn entity(&self) -> Option<&str> {
        self.0.entity
    }

    /// The key attribute concerned, for example `pk`. Never its value.
    pub fn key_attribute(&self) -> Option<&str> {
        self.0.key
    }

    /// The attribute or key part concerned, as a path: `lines[3].qty`.
    pub fn attribute(&self) -> Option<&str> {
        self.0.attribute.as_deref()
    }

    /// The text of the error without its [remedies](Self::remedies).
    pub fn reason(&self) -> String {
        self.0.reason()
    }

    /// The settings and calls of this library that avoid the error, if it names any.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// use dynamo_entity::error::Remedy;
    ///
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: u32, text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Note::schema()]).await?;
    /// let line = r#"{"id":1,"text":"buy milk","color":"red"}"#;
    /// let report = Note::import(line.as_bytes()).send(&db).await?;
    /// let error = report.errors()[0].error();
    /// assert_eq!(error.remedies(), [Remedy::DropUnknown, Remedy::AsIs]);
    /// assert!(error.to_string().ends_with(
    ///     "drop such attributes by `.drop_unknown()`, or store lines unchanged by `.as_is()`"
    /// ));
    /// assert!(error.reason().ends_with("the entity has no field for it, and no `rest` field that keeps it"));
    /// # Ok(()) }
    /// ```
    pub fn remedies(&self) -> &[Remedy] {
        &self.0.remedies
    }

    /// The service's error code, for example `ValidationException`.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The request ID that AWS support needs.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Whether `create` found a live item.
    pub fn is_already_exists(&self) -> bool {
        self.kind() == ErrorKind::AlreadyExists
    }

    /// Whether a write that needs an item found none.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// Whether the item exists and does not match.
    pub fn is_conflict(&self) -> bool {
        self.kind() == ErrorKind::Conflict
    }

    /// Whether another item has a unique value: [`holder`](Self::holder) has its key, and
    /// [`attribute`](Self::attribute) names the fields.
    pub fn is_unique_violation(&self) -> bool {
        self.kind() == ErrorKind::UniqueViolation
    }

    /// Whether `one` found two rows.
    pub fn is_multiple_items(&self) -> bool {
        self.kind() == ErrorKind::MultipleItems
    }

    /// Whether the stored key of an item that was read is not the one that its fields give.
    pub fn is_key_mismatch(&self) -> bool {
        self.kind() == ErrorKind::KeyMismatch
    }

    /// Whether a newer program has stored the item in a shape that this one does not know.
    pub fn is_newer_shape(&self) -> bool {
        self.kind() == ErrorKind::NewerShape
    }

    /// Whether the stored item has an older shape than the one that this write or this program needs.
    pub fn is_older_shape(&self) -> bool {
        self.kind() == ErrorKind::OlderShape
    }

    /// Whether another write was first, in any of the three forms: the item appeared
    /// ([`AlreadyExists`](ErrorKind::AlreadyExists)), disappeared ([`NotFound`](ErrorKind::NotFound)) or changed
    /// ([`Conflict`](ErrorKind::Conflict)).
    pub fn is_lost_race(&self) -> bool {
        self.is_already_exists() || self.is_not_found() || self.is_conflict()
    }

    /// Whether the write may or may not have taken effect.
    pub fn is_outcome_unknown(&self) -> bool {
        self.kind() == ErrorKind::OutcomeUnknown
    }

    /// Whether the write took effect although this is an error: only its item cannot be returned. Do not send it
    /// again.
    pub fn took_effect(&self) -> bool {
        self.kind() == ErrorKind::AppliedButUnread
    }

    /// Whether DynamoDB rejected the request because of load.
    pub fn is_throttled(&self) -> bool {
        self.kind() == ErrorKind::Throttled
    }

    /// The reason for throttling: the first of [`throttles`](Self::throttles). `None` if DynamoDB does not report it:
    /// it gives no reason for the unprocessed part of a batch or for a cancelled transaction, and other servers give
    /// none at all.
    pub fn throttle(&self) -> Option<&Throttle> {
        self.0.throttles.first()
    }

    /// All reasons for throttling; there may be several, for a table and its indexes.
    pub fn throttles(&self) -> &[Throttle] {
        &self.0.throttles
    }

    /// Whether DynamoDB or the connection to it failed, and no write is known to have taken effect.
    pub fn is_unavailable(&self) -> bool {
        self.kind() == ErrorKind::Unavailable
    }

    /// Whether the table does not exist.
    pub fn is_table_not_found(&self) -> bool {
        self.kind() == ErrorKind::TableNotFound
    }

    /// Whether the table exists, but the index does not.
    pub fn is_index_not_found(&self) -> bool {
        self.kind() == ErrorKind::IndexNotFound
    }

    /// Whether the table is being created, changed or deleted.
    pub fn is_table_in_use(&self) -> bool {
        self.kind() == ErrorKind::TableInUse
    }

    /// Whether the items of one partition key have reached the maximum size of a table with a local index.
    pub fn is_collection_full(&self) -> bool {
        self.kind() == ErrorKind::CollectionFull
    }

    /// Whether a limit of the account was reached.
    pub fn is_limit_exceeded(&self) -> bool {
        self.kind() == ErrorKind::LimitExceeded
    }
}

impl ErrorParts {
    /// Its text without the remedies.
    fn reason(&self) -> String {
        format!("{}{}", self.front(), self.message)
    }

    /// The end of its text.
    fn remedy_text(&self) -> String {
        if self.remedies.is_empty() {
            return String::new();
        }
        let remedies: Vec<String> = self.remedies.iter().map(Remedy::to_string).collect();
        format!(": {}", remedies.join(", or "))
    }

    /// The beginning of its text: the names of the entity and of what is concerned of it, as far as they are known.
    fn front(&self) -> String {
        let Some(entity) = self.entity else {
            return String::new();
        };
        let attribute = self.attribute.iter().map(|name| format!(".{name}"));
        let key = self.key.iter().map(|name| format!(" (key `{name}`)"));
        let names: String = attribute.chain(key).collect();
        format!("{entity}{names}: ")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The optional parts appear if they are known, and the items never, so this cannot be derived.
impl fmt::Debug for ErrorParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("kind", &self.kind).field("stage", &self.stage);
        for (name, value) in [
            ("entity", self.entity),
            ("key", self.key),
            ("attribute", self.attribute.as_deref()),
            ("code", self.code.as_deref()),
            ("request_id", self.request_id.as_deref()),
        ] {
            if let Some(value) = value {
                debug.field(name, &value);
            }
        }
        debug.field("message", &self.message);
        if !self.remedies.is_empty() {
            debug.field("remedies", &self.remedies);
        }
        if !self.failures.is_empty() {
            debug.field("failures", &self.failures);
        }
        if let Some(source) = &self.source {
            debug.field("source", source);
        }
        // The item itself stays out: values are shown only by asking for them with `current`.
        debug.field("current", &self.current.is_some()).finish()
    }
}
