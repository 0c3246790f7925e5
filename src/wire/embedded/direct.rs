//! Calls an engine in this process directly: no HTTP, no signature, none of the SDK's orchestration.
//!
//! The engine gets the bytes that a server would get. The code that reads the service's rejections also reads those of
//! the engine. The engine neither throttles nor loses responses, so nothing is sent twice.

use bytes::Bytes;

use super::engine::EmbeddedEngine;
use crate::wire::failure::{self, Failure, FailureContext};
use crate::wire::gate::Admitted;
use crate::wire::request::Reply;

pub(in crate::wire) async fn call_engine(
    engine: &EmbeddedEngine,
    request: Admitted<'_>,
) -> Result<Reply, Failure> {
    let operation = request.operation.operation_name();
    let request_id = engine.next_request_id();
    let (status, body) = engine
        .call_operation(operation.into(), request.body.clone())
        .await;
    if (200..300).contains(&status) {
        return Ok(Reply {
            body: Bytes::from(body),
            request_id: Some(request_id),
            has_stray: false,
        });
    }
    let site = FailureContext::in_process(&request, status);
    Err(failure::from_engine(status, &body, request_id, site))
}
