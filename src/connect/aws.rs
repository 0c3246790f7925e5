//! AWS, with region, profile and credentials found by the SDK's rules.

use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::{Client, config};

use crate::error::{Error, Result};
use crate::wire::{AnySleep, signing};

pub(super) async fn build_client(
    region: Option<String>,
    profile: Option<String>,
    endpoint: Option<String>,
) -> Result<Client> {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(region) = region {
        loader = loader.region(Region::new(region));
    }
    if let Some(profile) = profile {
        // A named profile must be used. In the SDK's own chain, keys in the environment come before it.
        let provider = ProfileFileCredentialsProvider::builder().profile_name(&profile);
        loader = loader
            .credentials_provider(provider.build())
            .profile_name(profile);
    }
    if let Some(endpoint) = endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    let config = loader.load().await;
    if config.region().is_none() {
        return Err(Error::config(
            "no region is configured: write aws://REGION, set AWS_REGION, or set one in the profile",
        ));
    }
    let config = signing::install_scheme(config::Builder::from(&config)).sleep_impl(AnySleep);
    Ok(Client::from_conf(config.build()))
}
