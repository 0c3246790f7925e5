//! The first attempt of a request, without the SDK's orchestration.
//!
//! The SDK does most of the work of a small request, and its result is the same for every request of a client.
//! Therefore the first request goes through the SDK, and the library learns from it. Later requests are written, signed
//! and sent here, with the SDK's own connector. A response that can be read is returned. Everything else is given to
//! the SDK as the result of its first attempt, so that the SDK still decides about retries, pauses, quotas and errors.
//!
//! ```text
//! clock         the service's clock, by which requests are signed
//! time_limit    how long an attempt may take
//! credentials   the material of signatures
//! identity      the credentials that sign a request, and how they reach the SDK
//! head          the part of a request that all requests of an operation share
//! route         writes and signs a request as it was learned
//! upload        gives up a request that no connection takes
//! first_result  the result of an attempt without a readable answer
//! attempt       sends it, and reads the answer
//! replay        gives the SDK the result of the first attempt
//! client_probe  what the SDK's request shows, and whether all of it is understood
//! direct_path   what is known of a client, and which way a request goes
//! ```
//!
//! Requests that are not understood go through the SDK, and so do requests for which the SDK has additional work. See
//! [`SdkFallback`](super::SdkFallback) for the reasons.

mod attempt;
mod client_probe;
mod clock;
mod credentials;
mod direct_path;
mod first_result;
mod head;
mod identity;
mod replay;
mod route;
#[cfg(test)]
mod tests;
mod time_limit;
mod upload;

pub(super) use attempt::FailedAttempt;
pub(super) use client_probe::ClientProbe;
pub(super) use direct_path::DirectPath;
pub(super) use first_result::FirstResult;
pub(super) use replay::ReplayClient;
pub(super) use time_limit::{TimeLimit, TimeOver};
