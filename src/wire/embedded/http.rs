//! The engine as an HTTP client below an unchanged SDK client.

use aws_sdk_dynamodb::config::{
    BehaviorVersion, HttpClient, Region, RuntimeComponents, StalledStreamProtectionConfig,
};
use aws_sdk_dynamodb::error::ConnectorError;
use aws_sdk_dynamodb::{Client, config};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;

use super::engine::EmbeddedEngine;
use crate::wire::sdk::AnySleep;

/// Executes an SDK client's requests in an [`EmbeddedEngine`]; see [`EmbeddedEngine::http_client`].
///
/// It goes into the SDK's own settings, and serves clients of DynamoDB and of DynamoDB Streams:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
/// use dynamo_entity::embedded::EmbeddedEngine;
///
/// let engine = EmbeddedEngine::memory().await?;
/// let config = aws_sdk_dynamodb::Config::builder()
///     .behavior_version(BehaviorVersion::latest())
///     .region(Region::new("us-east-1"))
///     .credentials_provider(Credentials::new("any", "any", None, None, "test"))
///     .endpoint_url("http://embedded.invalid") // never looked up
///     .http_client(engine.http_client())
///     .build();
/// aws_sdk_dynamodb::Client::from_conf(config).list_tables().send().await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct EmbeddedHttpClient {
    engine: EmbeddedEngine,
}

impl EmbeddedEngine {
    /// The configuration that an SDK client needs to talk to this engine instead of a server.
    pub fn http_client(&self) -> EmbeddedHttpClient {
        EmbeddedHttpClient {
            engine: self.clone(),
        }
    }

    /// Settings for an SDK client of this engine. More can be added, such as timeouts, interceptors and retries.
    pub fn sdk_config(&self) -> config::Builder {
        config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .endpoint_url("http://embedded.invalid")
            .allow_no_auth()
            // The engine returns whole bodies, so no stream can stall.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .sleep_impl(AnySleep)
            .http_client(self.http_client())
    }

    /// An SDK client of this engine.
    pub fn client(&self) -> Client {
        Client::from_conf(self.sdk_config().build())
    }
}

impl HttpClient for EmbeddedHttpClient {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for EmbeddedHttpClient {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let engine = self.engine.clone();
        let id = engine.next_request_id();
        HttpConnectorFuture::new(async move {
            // `DynamoDB_20120810.GetItem`
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
            let body = ByteStream::new(request.into_body()).collect().await;
            let body = body
                .map_err(|error| ConnectorError::user(error.into()))?
                .into_bytes();
            let (status, body) = engine.call_operation(operation.into(), body).await;
            build_response(status, body, id).map_err(|error| ConnectorError::other(error, None))
        })
    }
}

fn build_response(
    status: u16,
    body: Vec<u8>,
    id: String,
) -> Result<HttpResponse, aws_sdk_dynamodb::error::BoxError> {
    let mut response = HttpResponse::new(status.try_into()?, SdkBody::from(body));
    let headers = response.headers_mut();
    headers.try_insert("content-type", "application/x-amz-json-1.0")?;
    headers.try_insert("x-amzn-requestid", id)?;
    Ok(response)
}
