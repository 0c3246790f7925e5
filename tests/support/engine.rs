//! The engine under test: the embedded one, or the server that `DYNAMO_URL` names. `DYNAMODB_LOCAL`, which
//! `scripts/dynamodb-local` sets, says which server that is.

use std::env;

use aws_smithy_http_client::Builder;
use aws_smithy_types::retry::RetrySpec;
use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::aws_sdk_dynamodb::config::{
    self, BehaviorVersion, Credentials, Region, SharedHttpClient,
};
use dynamo_entity::embedded::EmbeddedEngine;
use std::time::Duration;

/// The kind of engine under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Embedded,
    DynamoDbLocal,
    /// DynamoDB Local 1.25.1 of 2024.
    OldDynamoDbLocal,
    /// An unknown server, for which no test is skipped.
    OtherServer,
}

impl Kind {
    pub fn here() -> Kind {
        let version = env::var("DYNAMODB_LOCAL").ok();
        match (url(), version.as_deref()) {
            (None, _) => Kind::Embedded,
            (Some(_), Some("3.3.1")) => Kind::DynamoDbLocal,
            (Some(_), Some("1.25.1")) => Kind::OldDynamoDbLocal,
            (Some(_), _) => Kind::OtherServer,
        }
    }

    /// Whether requests go to another process.
    pub fn is_server(self) -> bool {
        self != Kind::Embedded
    }
}

/// One engine: an in-memory database for each test, or one server for all tests.
#[derive(Debug, Clone)]
pub enum Engine {
    Embedded(EmbeddedEngine),
    Server(String),
}

impl Engine {
    pub async fn start() -> dynamo_entity::Result<Engine> {
        match url() {
            Some(url) => Ok(Engine::Server(url)),
            None => EmbeddedEngine::memory().await.map(Engine::Embedded),
        }
    }

    /// The transport, for tests that build their own clients.
    pub fn http_client(&self) -> SharedHttpClient {
        match self {
            Engine::Embedded(engine) => SharedHttpClient::new(engine.http_client()),
            Engine::Server(_) => Builder::new().build_http(),
        }
    }

    /// A configuration as users write it, but with short pauses between retries.
    pub fn config(&self) -> config::Builder {
        let url = match self {
            Engine::Embedded(_) => "http://embedded.invalid",
            Engine::Server(url) => url,
        };
        config::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            // The same credentials as those of `Dynamo::connect`, because DynamoDB Local may keep accounts
            // apart.
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url(url)
            .retry_config(retries())
            .http_client(self.http_client())
    }
}

/// Short pauses, and with `AWS_NEW_RETRIES_2026=true` the rules that the SDK's loader would set, but for the number of
/// attempts, which tests count.
fn retries() -> RetryConfig {
    let short = Duration::from_millis(5);
    let retries = RetryConfig::standard().with_initial_backoff(short);
    let is_new =
        env::var("AWS_NEW_RETRIES_2026").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    match is_new {
        true => {
            let spec = RetrySpec::v2_1().with_non_throttling_initial_backoff(short);
            retries.with_retry_spec(spec)
        }
        false => retries,
    }
}

fn url() -> Option<String> {
    env::var("DYNAMO_URL").ok().filter(|url| !url.is_empty())
}
