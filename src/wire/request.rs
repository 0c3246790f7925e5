//! A planned operation as bytes, and its response: everything that the rooms above and below the waist share.

use std::pin::Pin;

use bytes::Bytes;

use crate::json::Writer;
use crate::schema::Pattern;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The media type of requests and answers.
pub(super) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

macro_rules! operations {
    ($($(#[$meta:meta])* $operation:ident,)+) => {
        /// The operations of DynamoDB that carry items.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub(crate) enum ServiceOperation {
            $($(#[$meta])* $operation,)+
        }

        impl ServiceOperation {
            /// How many there are.
            pub(super) const COUNT: usize = [$($(#[$meta])* ServiceOperation::$operation),+].len();

            /// The operation's name in DynamoDB's API.
            pub(crate) const fn operation_name(self) -> &'static str {
                match self { $($(#[$meta])* ServiceOperation::$operation => stringify!($operation),)+ }
            }

            /// The value of the header `x-amz-target`.
            pub(super) const fn target_header(self) -> &'static str {
                match self {
                    $($(#[$meta])* ServiceOperation::$operation => concat!("DynamoDB_20120810.", stringify!($operation)),)+
                }
            }
        }
    };
}

operations! {
    GetItem,
    PutItem,
    UpdateItem,
    DeleteItem,
    Query,
    Scan,
    BatchGetItem,
    BatchWriteItem,
    TransactWriteItems,
    TransactGetItems,
    #[cfg(feature = "vectors")]
    SearchVectors,
}

impl ServiceOperation {
    /// Whether another transaction can conflict with it. This applies to all writes, and to reads that are
    /// transactions.
    pub(crate) fn meets_transactions(self) -> bool {
        // A batch write never reports a conflict: DynamoDB returns the write as unprocessed. Plain
        // reads do not wait for transactions.
        use ServiceOperation::{
            DeleteItem, PutItem, TransactGetItems, TransactWriteItems, UpdateItem,
        };
        matches!(
            self,
            PutItem | UpdateItem | DeleteItem | TransactWriteItems | TransactGetItems
        )
    }
}

/// Whether a request may be sent again after an attempt whose answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resend {
    /// It is always sent again, because doing it twice has the same effect as doing it once: reads, and unconditional
    /// puts and deletes by key.
    Always,
    /// It is never sent again once ambiguous, because a second attempt could meet the first one's effect.
    UnlessAmbiguous,
    /// It is sent again, although a second attempt could meet the first one's effect: the caller has declared that this
    /// is harmless.
    RetrySafe,
    /// It is sent again while DynamoDB remembers its token, because DynamoDB recognizes a second attempt by the token.
    ByToken,
}

/// A planned operation, with everything that the wire needs.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) operation: ServiceOperation,
    /// Its purpose.
    pub(crate) pattern: &'static Pattern,
    /// The table's full name, which also is in the body; the SDK's endpoint rules read it here.
    pub(crate) table: String,
    pub(crate) body: Bytes,
    pub(crate) resend: Resend,
    /// Whether it requests its consumption.
    pub(crate) is_metered: bool,
}

impl Request {
    pub(crate) fn new(
        operation: ServiceOperation,
        pattern: &'static Pattern,
        table: String,
        body: Writer,
        resend: Resend,
    ) -> Self {
        let mut body = body.into_bytes();
        // The body is kept until the response has arrived, so that it can be sent again, and the writer reserved more
        // room than it needed.
        body.shrink_to_fit();
        Request {
            operation,
            pattern,
            table,
            body: Bytes::from(body),
            resend,
            is_metered: false,
        }
    }
}

/// A successful answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// DynamoDB JSON as it came, at least `{}`.
    pub(crate) body: Bytes,
    pub(crate) request_id: Option<String>,
    /// Whether an earlier attempt had no response, so that it may still be under way.
    pub(crate) has_stray: bool,
}

/// Whether the body of an answer is a whole JSON object, as far as its ends show.
pub(super) fn is_object(body: &[u8]) -> bool {
    // A body that broke off, or a page of a proxy, may come with a status of 200. Looking at both
    // ends detects that without parsing the body a second time.
    let body = body.trim_ascii();
    body.len() >= 2 && body.starts_with(b"{") && body.ends_with(b"}")
}
