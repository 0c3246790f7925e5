//! The narrow waist: an operation's name and a body of DynamoDB JSON go down, bytes come back.
//!
//! Nothing below this line is generic, and nothing above it knows the AWS SDK. A planned operation becomes a
//! [`Request`]; the response of the service becomes a [`Reply`].
//!
//! ```text
//! Request -> call -> gate -> direct (a first attempt without the SDK's orchestration)
//!                              |  a failed attempt, or a client that is not known yet
//!                              v
//!                            sdk (our bytes for the SDK's: endpoint, signing, HTTP, retries)
//!
//! Reply   <- the body as it came
//! Failure <- failure <- ambiguity (may an attempt without an answer have worked?)
//! ```
//!
//! An engine in this process receives the bytes through `embedded` instead, without the SDK. `table` sends operations
//! on tables, which pass the same gate. So does `stream_call`, for operations on the streams of tables.

mod ambiguity;
mod call;
mod capacity;
mod direct;
#[cfg(feature = "embedded")]
pub mod embedded;
mod failure;
mod gate;
mod partition_key;
mod request;
mod sdk;
mod server_capabilities;
pub(crate) mod signing;
#[cfg(feature = "streams")]
mod stream_call;
#[cfg(feature = "streams")]
mod stream_host;
pub(crate) mod table;
mod tenant;
mod tenant_table;
mod token_life;
mod wire_path;

#[cfg(test)]
mod tests;

pub(crate) use aws_sdk_dynamodb::Client;
pub(crate) use call::Wire;
pub(crate) use capacity::{RETURN_CONSUMED, find_amount, sum_units};
pub(crate) use failure::{ConditionFailed, Failure, Reason};
pub(crate) use partition_key::PartitionFinder;
pub use partition_key::PartitionKey;
pub(crate) use request::{BoxFuture, Reply, Request, Resend, ServiceOperation};
#[cfg(any(feature = "aws", all(test, feature = "embedded")))]
pub(crate) use sdk::AnySleep;
#[cfg(feature = "streams")]
pub(crate) use stream_call::{StreamOperation, is_embedded_stream};
pub(crate) use tenant::TenantRule;
pub(crate) use tenant_table::TenantTable;
pub(crate) use token_life::TokenLife;
pub(crate) use wire_path::WireTrace;
pub use wire_path::{SdkFallback, WirePath};
