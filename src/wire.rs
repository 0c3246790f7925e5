//! The narrow waist: an operation's name and a body of DynamoDB JSON go down, bytes come back.
//!
//! Nothing below this line is generic, and nothing above it knows the AWS SDK. A [`Request`] is all that is left of an
//! operation once it is planned; a [`Reply`] is what the service said.
//!
//! ```text
//! Request -> call -> swap (our bytes for the SDK's)  -> SDK: endpoint, signing, HTTP, retries
//!                                                                |
//! Reply   <- call <- swap (the body as it came)      <-----------+
//! Failure <- failure <- retry (was an attempt ambiguous?) <------+
//! ```
//!
//! An engine in this process gets the bytes by `direct` instead, past the SDK. Once a client is known, `plain` makes
//! the first attempt without the SDK's orchestration, and leaves the rest to the SDK.

mod agent;
mod call;
mod capacity;
#[cfg(feature = "embedded")]
mod direct;
#[cfg(feature = "embedded")]
pub mod embedded;
mod failure;
mod naming;
mod plain;
mod retry;
mod sdk_item;
pub(crate) mod signing;
#[cfg(any(feature = "aws", feature = "embedded"))]
pub(crate) mod sleep;
mod swap;
pub(crate) mod table;
mod token_life;
#[cfg(feature = "tracing")]
mod traced;

#[cfg(test)]
mod tests;

use std::pin::Pin;

use bytes::Bytes;

use crate::json::Writer;
use crate::schema::Pattern;

pub(crate) use aws_sdk_dynamodb::Client;
pub(crate) use call::Wire;
pub(crate) use capacity::{RETURN_CONSUMED, units};
pub(crate) use failure::{ConditionFailed, Failure, Reason};
pub(crate) use plain::WireTrace;
pub use plain::{SdkFallback, WirePath};
pub(crate) use token_life::TokenLife;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The operations of DynamoDB that carry items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub(crate) enum ServiceOperation {
    /// `GetItem`
    GetItem,
    /// `PutItem`
    PutItem,
    /// `UpdateItem`
    UpdateItem,
    /// `DeleteItem`
    DeleteItem,
    /// `Query`
    Query,
    /// `Scan`
    Scan,
    /// `BatchGetItem`
    BatchGetItem,
    /// `BatchWriteItem`
    BatchWriteItem,
    /// `TransactWriteItems`
    TransactWriteItems,
    /// `TransactGetItems`
    TransactGetItems,
}

impl ServiceOperation {
    /// Whether another transaction can be in its way. That goes for all writes, and for reads that are transactions.
    pub(crate) fn meets_transactions(self) -> bool {
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
    /// It is always sent again, because doing it twice is doing it once: reads, and unconditional puts and deletes by
    /// key.
    Always,
    /// It is never sent again once ambiguous, because a second attempt could meet the first one's effect.
    UnlessAmbiguous,
    /// It is sent again, although a second attempt could meet the first one's effect: the caller does not mind.
    Repeatable,
    /// It is sent again while the service remembers its token, because the service knows a second attempt by that.
    ByToken,
}

/// A planned operation, with all that the wire needs.
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
        // It is held until the answer is there, and was made with room to spare.
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
    /// Whether an earlier attempt had no answer, so that it may still be under way.
    pub(crate) has_stray: bool,
}
