//! Operations of DynamoDB Streams, sent by the client of DynamoDB.
//!
//! Both services have the same protocol, signature and errors, and differ in the target and the host. So a call of the
//! SDK's smallest operation carries our body: its endpoint, credentials, HTTP and retries are those of the client.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
};
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_types::DateTime;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::date_time::Format;
use bytes::Bytes;

use super::call::Wire;
use super::failure::{self, FailureContext};
use super::request::is_object;
use super::stream_host::stream_uri;
use crate::error::{Error, ErrorKind, Result, Stage};

/// The operations of DynamoDB Streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamOperation {
    ListStreams,
    DescribeStream,
    GetShardIterator,
    GetRecords,
}

impl StreamOperation {
    fn operation_name(self) -> &'static str {
        match self {
            StreamOperation::ListStreams => "ListStreams",
            StreamOperation::DescribeStream => "DescribeStream",
            StreamOperation::GetShardIterator => "GetShardIterator",
            StreamOperation::GetRecords => "GetRecords",
        }
    }
}

impl Wire {
    /// Sends an operation on the stream of a table. All of them are reads, which may be sent again.
    pub(crate) async fn call_stream(
        &self,
        operation: StreamOperation,
        table: &str,
        body: Bytes,
    ) -> Result<StreamReply> {
        let name = operation.operation_name();
        let admitted = self.gate().admit_operation(name, table)?;
        let site = FailureContext {
            stage: Stage::Service,
            ..admitted.failure_context()
        };
        #[cfg(feature = "embedded")]
        if let Some(engine) = self.engine() {
            let (status, answer) = engine.call_operation(name.into(), body).await;
            return match (200..300).contains(&status) {
                true => Ok(StreamReply {
                    body: answer.into(),
                    date: None,
                }),
                false => {
                    let id = engine.next_request_id();
                    Err(failure::from_engine(status, &answer, id, site).error)
                }
            };
        }
        let exchange = Arc::new(StreamExchange {
            target: format!("DynamoDBStreams_20120810.{name}"),
            body,
            answer: Mutex::default(),
        });
        let call = self.client().list_tables().customize();
        let call = call.interceptor(StreamHooks(exchange.clone()));
        match (call.send().await, exchange.take_answer()) {
            (Ok(_), Some(answer)) => Ok(answer),
            (Ok(_), None) => {
                let message =
                    format!("{name} ended without a readable response of DynamoDB Streams");
                Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message))
            }
            (Err(error), _) => Err(failure::from_sdk(error, site).error),
        }
    }
}

/// The response to an operation on a stream.
#[derive(Debug)]
pub(crate) struct StreamReply {
    pub(crate) body: Bytes,
    /// The time of the server, in Unix seconds.
    pub(crate) date: Option<i64>,
}

/// The messages between a call and its hooks.
#[derive(Debug)]
struct StreamExchange {
    target: String,
    body: Bytes,
    answer: Mutex<Option<StreamReply>>,
}

impl StreamExchange {
    fn take_answer(&self) -> Option<StreamReply> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.take()
    }
}

#[derive(Debug)]
struct StreamHooks(Arc<StreamExchange>);

#[dyn_dispatch_hint]
impl Intercept for StreamHooks {
    fn name(&self) -> &'static str {
        "DynamoEntityStreams"
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let headers = request.headers_mut();
        headers.try_insert("x-amz-target", self.0.target.clone())?;
        headers.try_insert("content-length", self.0.body.len().to_string())?;
        *request.body_mut() = SdkBody::from(self.0.body.clone());
        Ok(())
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // The endpoint is known only now, and the signature covers the host.
        let request = context.request_mut();
        if let Some(uri) = stream_uri(request.uri()) {
            request.set_uri(uri)?;
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // The SDK reads the response as that of another operation and finds nothing in it, so its bytes are taken here.
        let response = context.response();
        let body = response.body().bytes().filter(|body| is_object(body));
        if let (true, Some(body)) = (response.status().is_success(), body) {
            let mut answer = self.0.answer.lock().unwrap_or_else(PoisonError::into_inner);
            let date = response.headers().get("date");
            let date = date.and_then(|date| DateTime::from_str(date, Format::HttpDate).ok());
            *answer = Some(StreamReply {
                body: Bytes::copy_from_slice(body),
                date: date.map(|date| date.secs()),
            });
        }
        Ok(())
    }
}
