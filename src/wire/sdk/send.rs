//! Sends a request through the SDK, with our bytes.

use std::sync::Arc;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::{Client, config};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::byte_stream::ByteStream;

use super::exchange::{CapturedBody, HookExchange};
use super::hooks::Hooks;
use super::{naming, retry_guard};
use crate::error::{Error, ErrorKind, Stage};
use crate::wire::direct::TimeOver;
use crate::wire::failure::{self, Failure};
use crate::wire::gate::Admitted;
use crate::wire::request::{Reply, Request, Resend, ServiceOperation};
use crate::wire::wire_path::WireTrace;

/// Sends a request, and waits for the end of the SDK's last attempt.
pub(in crate::wire) async fn send_request(
    client: &Client,
    request: Admitted<'_>,
    exchange: &Arc<HookExchange>,
    settings: Option<Box<config::Builder>>,
    trace: &mut WireTrace,
) -> Result<Reply, Failure> {
    let sent = send_by_sdk(client, request, exchange, settings).await;
    // The count is recorded before the error is returned, because observers count failed requests
    // too.
    trace.end_trace(exchange.attempt_count());
    let CapturedBody { body, request_id } = sent?;
    let body = ByteStream::new(body)
        .collect()
        .await
        .map_err(unreadable_body)?;
    Ok(Reply {
        body: body.into_bytes(),
        request_id,
        has_stray: exchange.has_stray(),
    })
}

async fn send_by_sdk(
    client: &Client,
    request: Admitted<'_>,
    exchange: &Arc<HookExchange>,
    settings: Option<Box<config::Builder>>,
) -> Result<CapturedBody, Failure> {
    let settings = match exchange.resend_rule() {
        // Other writes may be sent again: they are harmless, or their token makes DynamoDB
        // recognize them. They keep all retries of the client.
        Resend::UnlessAmbiguous => {
            let mut settings = settings.unwrap_or_default();
            retry_guard::guard_retries(&mut settings, exchange);
            Some(settings)
        }
        _ => settings,
    };
    let Request {
        operation, table, ..
    } = &*request;
    // The builders have the same methods, but each operation has its own type without a common trait.
    macro_rules! send {
        ($method:ident) => {
            send!($method, client.$method().table_name(table))
        };
        ($method:ident, $naming:expr) => {{
            let mut call = $naming.customize().interceptor(Hooks(exchange.clone()));
            if let Some(settings) = settings {
                call = call.config_override(*settings);
            }
            match (call.send().await, exchange.take_answer()) {
                (Ok(_), Some(answer)) => Ok(answer),
                (Ok(_), None) => Err(hidden_response(&request)),
                (Err(error), _) => {
                    let error = name_limit(error, exchange);
                    Err(failure::from_sdk(error, exchange.failure_context(table)))
                }
            }
        }};
    }
    match operation {
        ServiceOperation::GetItem => send!(get_item),
        ServiceOperation::PutItem => send!(put_item),
        ServiceOperation::UpdateItem => send!(update_item),
        ServiceOperation::DeleteItem => send!(delete_item),
        ServiceOperation::Query => send!(query),
        ServiceOperation::Scan => send!(scan),
        ServiceOperation::BatchGetItem => send!(
            batch_get_item,
            naming::batch_get(client.batch_get_item(), table)
        ),
        ServiceOperation::BatchWriteItem => send!(
            batch_write_item,
            naming::batch_write(client.batch_write_item(), table)
        ),
        ServiceOperation::TransactWriteItems => send!(
            transact_write_items,
            naming::transact_write(client.transact_write_items(), table)
        ),
        ServiceOperation::TransactGetItems => send!(
            transact_get_items,
            naming::transact_get(client.transact_get_items(), table)
        ),
        #[cfg(feature = "vectors")]
        ServiceOperation::SearchVectors => send!(search_vectors),
    }
}

/// Names the whole limit for all attempts, because the SDK names only the time that the first attempt had left.
fn name_limit<E>(
    error: SdkError<E, HttpResponse>,
    exchange: &HookExchange,
) -> SdkError<E, HttpResponse> {
    match (&error, exchange.limit_that_is_over()) {
        (SdkError::TimeoutError(_), Some(limit)) => SdkError::timeout_error(TimeOver(limit)),
        _ => error,
    }
}

fn unreadable_body(error: aws_smithy_types::byte_stream::error::Error) -> Failure {
    let message = "the body of the answer could not be read";
    Error::new(ErrorKind::Unavailable, Stage::Wire, message)
        .with_source(error)
        .into()
}

/// The failure if the SDK has an output, but no response of the service: an interceptor has replaced it.
fn hidden_response(request: &Request) -> Failure {
    let kind = match request.resend {
        Resend::Always => ErrorKind::Unavailable,
        _ => ErrorKind::OutcomeUnknown,
    };
    let message = format!(
        "{} ended without a readable response of DynamoDB: does an interceptor of the client replace it?",
        request.operation.operation_name()
    );
    Error::new(kind, Stage::Wire, message).into()
}
