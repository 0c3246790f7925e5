//! A server at an HTTP address: DynamoDB Local, ScyllaDB Alternator, a tunnel.

use std::env;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::{Client, Config};

use crate::wire::{AnySleep, signing};

/// Takes region and credentials from the URL and the environment. Such servers rarely check them, so
/// missing ones are made up.
pub(super) fn build_client(url: String, region: Option<String>) -> Client {
    let region = region
        .or_else(|| read_variable("AWS_REGION"))
        .or_else(|| read_variable("AWS_DEFAULT_REGION"))
        // The SDK cannot sign without a region.
        .unwrap_or_else(|| "us-east-1".into());
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region))
        .credentials_provider(default_credentials())
        .endpoint_url(url)
        .retry_config(RetryConfig::standard())
        .sleep_impl(AnySleep);
    Client::from_conf(signing::install_scheme(config).build())
}

fn default_credentials() -> Credentials {
    let key = read_variable("AWS_ACCESS_KEY_ID").zip(read_variable("AWS_SECRET_ACCESS_KEY"));
    match key {
        Some((id, secret)) => Credentials::new(
            id,
            secret,
            read_variable("AWS_SESSION_TOKEN"),
            None,
            "environment",
        ),
        // Local servers accept any credentials, but the SDK cannot sign without some.
        None => Credentials::new("local", "local", None, None, "made up"),
    }
}

fn read_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
