//! The request that failed, and whether it may have been executed.

use crate::error::Stage;
#[cfg(feature = "embedded")]
use crate::wire::request::{Request, Resend};

/// The subject of the failure, for messages and for law W6.
#[derive(Debug, Clone, Copy)]
pub(in crate::wire) struct FailureContext<'a> {
    /// The name of the operation.
    pub(in crate::wire) operation: &'a str,
    /// The request; its values stay out of messages.
    pub(in crate::wire) body: &'a [u8],
    pub(in crate::wire) table: &'a str,
    pub(in crate::wire) stage: Stage,
    /// Whether the service may have received an attempt, as far as that is known.
    pub(in crate::wire) sent: bool,
    /// Whether the request may have been executed and that matters.
    pub(in crate::wire) unknown: bool,
    /// Whether an earlier attempt was ambiguous. A condition that failed then may have met the effect of that attempt, or
    /// may hold when that attempt arrives.
    pub(in crate::wire) has_stray: bool,
}

impl<'a> FailureContext<'a> {
    /// The site of a request to an engine in this process. No response is lost there, but an engine that fails may have
    /// executed the request before.
    #[cfg(feature = "embedded")]
    pub(in crate::wire) fn in_process(request: &'a Request, status: u16) -> Self {
        FailureContext {
            operation: request.operation.operation_name(),
            body: &request.body,
            table: &request.table,
            stage: Stage::Service,
            sent: true,
            unknown: status >= 500 && request.resend != Resend::Always,
            has_stray: false,
        }
    }

    /// The site of a request that can be sent again without harm, as every operation on tables can.
    pub(in crate::wire) fn of_harmless(operation: &'a str, table: &'a str) -> Self {
        let stage = Stage::Schema;
        FailureContext {
            operation,
            body: &[],
            table,
            stage,
            sent: true,
            unknown: false,
            has_stray: false,
        }
    }
}
