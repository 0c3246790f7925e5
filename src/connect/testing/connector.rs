//! Carries out the plan, between the SDK and an HTTP client that works.

use std::io;

use aws_sdk_dynamodb::config::{HttpClient, RuntimeComponents, SharedHttpClient};
use aws_sdk_dynamodb::error::ConnectorError;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;

use super::{Fault, Faults, RecordedRequest, unprocessed};
use crate::runtime;

/// An HTTP client, or one of its connectors, behind faults.
#[derive(Debug, Clone)]
pub(super) struct Connector<C> {
    pub(super) inner: C,
    pub(super) faults: Faults,
}

/// Uses the client's own connector, so that it may be any client: the embedded engine or one with sockets.
impl HttpClient for Connector<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Connector {
            inner: self.inner.http_connector(settings, components),
            faults: self.faults.clone(),
        })
    }
}

impl HttpConnector for Connector<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let fault = self.faults.next(record_request(&request));
        let (inner, faults) = (self.inner.clone(), self.faults.clone());
        HttpConnectorFuture::new(async move {
            let answer = match fault {
                Fault::Late(after) => {
                    faults.hold(LateRequest {
                        inner,
                        request,
                        // `due` counts this request too, after it was held.
                        after: after + 1,
                    });
                    Err(timed_out())
                }
                fault => run_fault(fault, inner, request).await,
            };
            for late in faults.due() {
                late.deliver_late().await;
            }
            answer
        })
    }
}

/// A request that its client has given up, and that is still to arrive.
pub(super) struct LateRequest {
    inner: SharedHttpConnector,
    request: HttpRequest,
    /// How many requests are answered before.
    pub(super) after: usize,
}

impl LateRequest {
    /// Is executed; there is no one to take the answer.
    pub(super) async fn deliver_late(self) {
        drop(self.inner.call(self.request).await);
    }
}

fn timed_out() -> ConnectorError {
    ConnectorError::timeout("read timed out".into())
}

fn record_request(request: &HttpRequest) -> RecordedRequest {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    RecordedRequest {
        operation: target.rsplit('.').next().unwrap_or_default().to_owned(),
        body: request.body().bytes().unwrap_or_default().to_vec(),
        headers: request
            .headers()
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    }
}

async fn run_fault(
    fault: Fault,
    inner: SharedHttpConnector,
    request: HttpRequest,
) -> Result<HttpResponse, ConnectorError> {
    match fault {
        Fault::Pass => inner.call(request).await,
        Fault::Reply(status, body) => build_response(status, body.into_bytes()),
        Fault::Io => Err(broken_connection(
            io::ErrorKind::ConnectionReset,
            "connection reset",
        )),
        Fault::Refused => Err(broken_connection(
            io::ErrorKind::ConnectionRefused,
            "connection refused",
        )),
        Fault::Timeout | Fault::Late(_) => Err(timed_out()),
        Fault::Hang => std::future::pending().await,
        Fault::Delay(time) => {
            runtime::sleep_for(time).await;
            inner.call(request).await
        }
        // The request is executed, and only its response is lost. That is the case that a retry
        // must survive.
        Fault::Lose => {
            inner.call(request).await?;
            Err(broken_connection(
                io::ErrorKind::ConnectionReset,
                "connection reset",
            ))
        }
        Fault::Cut(length) => {
            let answer = inner.call(request).await?;
            let status = answer.status().as_u16();
            let mut body = whole_body(answer).await?;
            body.truncate(length);
            build_response(status, body)
        }
        Fault::Unprocessed(count) => split_batch(count, inner, request).await,
    }
}

/// Forwards the first part of a batch and answers for the rest. Other requests are passed on.
async fn split_batch(
    count: usize,
    inner: SharedHttpConnector,
    mut request: HttpRequest,
) -> Result<HttpResponse, ConnectorError> {
    let body = request.body().bytes().unwrap_or_default();
    let Some(split) = unprocessed::split_request(body, count) else {
        return inner.call(request).await;
    };
    let answer = match &split.forwarded {
        Some(forwarded) => {
            let length = forwarded.len().to_string();
            *request.body_mut() = SdkBody::from(forwarded.as_str());
            request.headers_mut().insert("content-length", length);
            let answer = inner.call(request).await?;
            if !answer.status().is_success() {
                return Ok(answer);
            }
            whole_body(answer).await?
        }
        None => b"{\"Responses\":{}}".to_vec(),
    };
    match split.answer_with(&answer) {
        Some(answer) => build_response(200, answer.into_bytes()),
        None => build_response(200, answer),
    }
}

fn broken_connection(kind: io::ErrorKind, text: &str) -> ConnectorError {
    ConnectorError::io(io::Error::new(kind, text).into())
}

/// The whole body; a client with sockets has not read it yet.
async fn whole_body(answer: HttpResponse) -> Result<Vec<u8>, ConnectorError> {
    let body = ByteStream::new(answer.into_body()).collect().await;
    let body = body.map_err(|error| ConnectorError::io(error.into()))?;
    Ok(body.to_vec())
}

fn build_response(status: u16, body: Vec<u8>) -> Result<HttpResponse, ConnectorError> {
    let status = status.try_into().map_err(|_| {
        ConnectorError::user("a fault with a status that HTTP does not have".into())
    })?;
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response
        .headers_mut()
        .insert("x-amzn-requestid", "scripted");
    Ok(response)
}
