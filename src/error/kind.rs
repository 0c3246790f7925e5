//! The kinds of errors, and the stages at which they occur.

/// The kind of failure. Match on this, never on a message. The guide lists [causes and
/// remedies](crate::guide::troubleshooting#all-error-kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `create`: a live item with this key exists.
    AlreadyExists,
    /// A write that needs an item found no live one.
    NotFound,
    /// The item exists and does not match: its version or a condition differs.
    Conflict,
    /// A write was sent, and no response tells whether it took effect, or it may still do so. Read the item before you
    /// decide. If a later attempt was rejected, the `source` is that error, which does not determine the outcome of the
    /// attempt without a response.
    OutcomeUnknown,
    /// The write took effect, but its item cannot be returned: it could not be read back, or was deleted since. Only
    /// writes that change unique values read back, because a transaction returns nothing.
    AppliedButUnread,
    /// A key part does not fit its template or DynamoDB's limits, or is not known: an update does not know a part of
    /// a key of an index or of a unique value. Nothing was sent.
    InvalidKey,
    /// A value cannot be stored. Nothing was sent.
    InvalidValue,
    /// The item is over DynamoDB's 400 KB, or a transaction over its 4 MB. Nothing was sent, except the parts of an append to a list
    /// beside an item, which are deleted again.
    TooLarge,
    /// The text is not a cursor, or is a cursor of another query. Nothing was sent.
    InvalidCursor,
    /// A connection of [one tenant](crate::Dynamo::for_tenant) was given a key of another tenant, or a request that concerns
    /// several, such as a scan. Nothing of this request was sent.
    OutsideTenant,
    /// Another item has a value that is declared `unique`, and nothing was written.
    UniqueViolation,
    /// [`one`](crate::QueryExt::one) found two rows.
    MultipleItems,
    /// A stream no longer has changes that were not delivered: DynamoDB keeps them for 24 hours.
    ChangesLost,
    /// A stored item cannot be decoded into the requested type; [`key_of`](super::Error::key_of) has its key.
    Decode,
    /// The stored primary key of an item is not, byte for byte, the key that its fields give: another format of a
    /// time or a UUID, a number that was rounded, a field that was changed without its key, or a text that does not
    /// follow the template because the template, a type or a width was changed. Writing the item back would create a
    /// second item, so reading it is an error. A query of an index also returns it for a row whose bare sort key in the
    /// index has another format. [`item_key`](super::Error::item_key) is the stored key.
    KeyMismatch,
    /// A newer program has stored the item in a shape that this one does not know: the item has the reserved attribute
    /// `_shape`. Its attributes may mean something else, so it is rejected on reading, before anything is changed.
    /// [`item_key`](super::Error::item_key) has its key.
    NewerShape,
    /// The stored item has an older shape, so its attributes do not mean what a change or a condition of this write says;
    /// nothing was written. Or it has a shape that this program no longer reads.
    /// [`current`](super::Error::current) is the item in the present shape; upgrade it by `modify` or by a `refill`.
    OlderShape,
    /// The connection URL, a file or a setting is wrong.
    Config,
    /// The file, of the embedded database or of a checkpoint, is in use by another process.
    Locked,
    /// A checkpoint cannot be read or written, or belongs to another job; or a write of a job waits for an earlier
    /// write of its item that the next run retries.
    Checkpoint,
    /// The storage of a list or blob that is declared `outside` failed, and the source is its error. If it was a write, the list or
    /// blob is unchanged.
    Storage,
    /// A closure of the caller returned an error for a row; that error is the source.
    CallbackError,
    /// Rows of a job failed: more than its `max_failures`, which stopped it, or some in an earlier run. The reports
    /// of the runs contain them.
    RowsFailed,
    /// The table does not exist.
    TableNotFound,
    /// The table exists, but the index does not.
    IndexNotFound,
    /// The table is being created, changed or deleted, and this did not end in time.
    TableInUse,
    /// Items with one partition key, and their copies in local indexes, cannot grow further: a table with a local index
    /// can store at most 10 GB for one partition key. Updates and deletes that make them smaller are accepted.
    CollectionFull,
    /// A transaction with a table that has none: a strongly consistent global table. Unique values, `.idempotent()`,
    /// `transact` and `transact_get` are transactions. Nothing was written.
    NoTransactions,
    /// A limit of the account: the number of its tables, or of concurrent changes of tables.
    LimitExceeded,
    /// The table exists with another schema.
    SchemaMismatch,
    /// DynamoDB rejected the request because of load; the retries are used up. [`throttle`](super::Error::throttle) returns
    /// the resource and the limit, if DynamoDB reports them.
    Throttled,
    /// DynamoDB or the connection to it failed; no write is known to have taken effect.
    Unavailable,
    /// Credentials are missing, wrong or not allowed to do this.
    AccessDenied,
    /// The request is invalid: DynamoDB rejected it, or it was not sent.
    Rejected,
    /// Any other response of DynamoDB.
    Service,
}

/// The stage in which the failure occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Opening a connection.
    Connect,
    /// Creating or checking a table.
    Schema,
    /// Building or parsing a key.
    Key,
    /// Writing values.
    Encode,
    /// Planning a request.
    Request,
    /// Sending it.
    Wire,
    /// The response of DynamoDB.
    Service,
    /// Reading values.
    Decode,
}
