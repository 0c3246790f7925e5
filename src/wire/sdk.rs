//! The path through the SDK: its endpoint, signature, HTTP and retries, with our bytes in place of its own.
//!
//! ```text
//! item         our items from and into the SDK's maps
//! sleep        how clients that the library builds wait
//! agent        the user agent, made once for a connection
//! naming       requests that only name their table
//! operations   the types that the SDK insists on
//! traced       failed attempts as events
//! exchange     the messages between a call and its hooks
//! hooks        our bytes in place of the SDK's
//! retry_guard  keeps an ambiguous write from being sent again
//! send         sends a request by the SDK
//! ```

mod agent;
mod exchange;
mod hooks;
mod item;
mod naming;
mod operations;
mod retry_guard;
mod send;
#[cfg(any(feature = "aws", feature = "embedded", feature = "export"))]
mod sleep;
#[cfg(feature = "tracing")]
mod traced;

pub(super) use agent::UserAgentCache;
pub(super) use exchange::HookExchange;
#[cfg(test)]
pub(super) use hooks::Hooks;
pub(super) use send::send_request;
#[cfg(any(feature = "aws", feature = "embedded", feature = "export"))]
pub(crate) use sleep::AnySleep;
