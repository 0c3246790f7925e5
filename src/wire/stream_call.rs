//! Operations of DynamoDB Streams, sent by the client of DynamoDB.
//!
//! Both services have the same protocol, signature and errors, and differ in the target and the host. Therefore, a call
//! of the SDK's smallest operation contains our body, and uses the endpoint, credentials and HTTP settings of the
//! client. The client does not retry it; the caller does.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{Config, ConfigBag, Intercept, RuntimeComponents};
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

/// Whether a stream is one of the embedded engine.
pub(crate) fn is_embedded_stream(arn: &str) -> bool {
    match arn.split(':').nth(3) {
        #[cfg(feature = "embedded")]
        Some(region) => region == super::embedded::REGION,
        _ => false,
    }
}

impl Wire {
    /// Sends an operation on the stream of a table, once. The caller can retry it, because all of them are reads.
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
        // The caller sends requests again. The retries of the client have a common limit, which a busy stream would use
        // up, so that writes would not be sent again.
        let once = Config::builder().retry_config(RetryConfig::disabled());
        let call = call.interceptor(StreamHooks(exchange.clone()));
        let call = call.config_override(once);
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use aws_sdk_dynamodb::Client;
    use aws_sdk_dynamodb::config::retry::RetryConfig;
    use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
    use aws_smithy_runtime_api::client::http::{
        HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
    };
    use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
    use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
    use aws_smithy_types::body::SdkBody;

    use super::*;

    /// Records the requests, and answers with this status.
    #[derive(Debug, Clone)]
    struct Recorded {
        requests: Arc<Mutex<Vec<HttpRequest>>>,
        status: u16,
    }

    impl HttpConnector for Recorded {
        fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
            self.requests.lock().unwrap().push(request);
            let (status, body) = (self.status.try_into().unwrap(), r#"{"Streams":[]}"#);
            let mut response = HttpResponse::new(status, SdkBody::from(body));
            let headers = response.headers_mut();
            headers.insert("date", "Thu, 29 Feb 2024 12:30:05 GMT");
            HttpConnectorFuture::ready(Ok(response))
        }
    }

    impl HttpClient for Recorded {
        fn http_connector(
            &self,
            _: &HttpConnectorSettings,
            _: &RuntimeComponents,
        ) -> SharedHttpConnector {
            SharedHttpConnector::new(self.clone())
        }
    }

    async fn sent(status: u16) -> (Result<StreamReply>, Vec<HttpRequest>) {
        let http = Recorded {
            status,
            requests: Arc::default(),
        };
        let retries = RetryConfig::standard().with_initial_backoff(std::time::Duration::ZERO);
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("eu-west-1"))
            .credentials_provider(Credentials::new(
                "id",
                "key",
                Some("token".into()),
                None,
                "test",
            ))
            .http_client(http.clone())
            .retry_config(retries);
        let wire = Wire::new(Client::from_conf(config.build()));
        let body = Bytes::from_static(br#"{"TableName":"tab"}"#);
        let call = wire.call_stream(StreamOperation::ListStreams, "tab", body);
        let reply = call.await;
        let requests = std::mem::take(&mut *http.requests.lock().unwrap());
        (reply, requests)
    }

    #[tokio::test]
    async fn a_request_is_one_of_the_streams() {
        let (reply, requests) = sent(200).await;
        let reply = reply.unwrap();
        assert_eq!(reply.body, r#"{"Streams":[]}"#);
        assert_eq!(reply.date, Some(1_709_209_805));
        let [request] = &requests[..] else {
            panic!("{requests:?}")
        };
        let header = |name| request.headers().get(name).unwrap_or_default();
        assert_eq!(
            request.uri(),
            "https://streams.dynamodb.eu-west-1.amazonaws.com/"
        );
        assert_eq!(
            header("x-amz-target"),
            "DynamoDBStreams_20120810.ListStreams"
        );
        assert_eq!(header("content-length"), "19");
        assert_eq!(header("x-amz-security-token"), "token");
        let signed = header("authorization");
        assert!(signed.contains("/eu-west-1/dynamodb/aws4_request") && signed.contains("host"));
        assert_eq!(request.body().bytes(), Some(&br#"{"TableName":"tab"}"#[..]));
    }

    #[tokio::test]
    async fn a_failed_request_is_sent_once() {
        let (reply, requests) = sent(500).await;
        assert!(reply.unwrap_err().is_unavailable());
        assert_eq!(requests.len(), 1);
    }
}
