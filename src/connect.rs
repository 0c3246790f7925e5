//! From a connection URL to a connection.
//!
//! [`url`] reads the URL, without any other access. Then one module for each kind of connection
//! opens it: [`embedded`] in this process, `endpoint` for an HTTP address, `aws` for AWS.

#[cfg(feature = "aws")]
mod aws;
#[cfg(feature = "embedded")]
mod embedded;
#[cfg(feature = "aws")]
mod endpoint;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(feature = "testing"), allow(dead_code, unreachable_pub))]
pub mod testing;
mod url;

use url::FORMS;

use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
#[cfg(feature = "aws")]
use crate::runtime;
use crate::wire::Wire;
use url::ConnectTarget;

/// The environment variable that [`Dynamo::from_env`] reads.
const VARIABLE: &str = "DYNAMO_URL";

impl Dynamo {
    /// Opens a connection:
    ///
    /// | URL | engine |
    /// |---|---|
    /// | `embedded:memory` | in this process, gone with the last clone (feature `embedded`) |
    /// | `embedded:PATH` | in this process, stored in a file (feature `embedded`) |
    /// | `http://HOST:PORT`, `https://HOST` | DynamoDB Local, ScyllaDB Alternator and the like; `?region=` |
    /// | `aws` | AWS, with region, profile and credentials from the environment |
    /// | `aws://REGION` | AWS in that region; `?profile=` and `&endpoint=` |
    ///
    /// Only resources of this machine are checked: a wrong URL or file is an error here, but a server that does not
    /// respond, or missing credentials, are an error of the first operation.
    pub async fn connect(url: &str) -> Result<Dynamo> {
        let db = Dynamo::over_wire(open_wire(url).await?);
        Ok(db.on_this_machine(is_local(url)))
    }

    /// Opens the connection that the environment variable `DYNAMO_URL` names.
    pub async fn from_env() -> Result<Dynamo> {
        match std::env::var(VARIABLE) {
            Ok(url) => Dynamo::connect(&url).await,
            Err(std::env::VarError::NotPresent) => Err(Error::config(format!(
                "the environment variable {VARIABLE} is not set; {}",
                FORMS
            ))),
            Err(std::env::VarError::NotUnicode(_)) => Err(Error::config(format!(
                "the environment variable {VARIABLE} is not UTF-8"
            ))),
        }
    }

    /// Opens the connection that the environment variable `DYNAMO_URL` names, or else the one of this
    /// URL: `Dynamo::from_env_or("embedded:memory")` for a program that runs anywhere.
    pub async fn from_env_or(url: &str) -> Result<Dynamo> {
        match std::env::var_os(VARIABLE) {
            Some(named) if !named.is_empty() => Dynamo::from_env().await,
            _ => Dynamo::connect(url).await,
        }
    }
}

async fn open_wire(url: &str) -> Result<Wire> {
    match url::parse(url)? {
        #[cfg(feature = "embedded")]
        ConnectTarget::Memory => Ok(Wire::direct(
            crate::wire::embedded::EmbeddedEngine::memory().await?,
        )),
        #[cfg(feature = "embedded")]
        ConnectTarget::File(path) => Ok(Wire::direct(
            crate::wire::embedded::EmbeddedEngine::open(path).await?,
        )),
        #[cfg(not(feature = "embedded"))]
        ConnectTarget::Memory | ConnectTarget::File(_) => {
            Err(missing_feature("embedded", "the embedded engine"))
        }
        #[cfg(feature = "aws")]
        ConnectTarget::Endpoint { url, region } => {
            Ok(Wire::ours(endpoint::build_client(url, region)))
        }
        #[cfg(feature = "aws")]
        ConnectTarget::Aws {
            region,
            profile,
            endpoint,
        } => {
            // The search for region and credentials may need sockets too, and those panic outside of a Tokio runtime.
            runtime::require_tokio()?;
            let is_aws = endpoint.is_none();
            let wire = Wire::ours(aws::build_client(region, profile, endpoint).await?);
            Ok(if is_aws { wire.sending_items() } else { wire })
        }
        #[cfg(not(feature = "aws"))]
        ConnectTarget::Endpoint { .. } | ConnectTarget::Aws { .. } => {
            Err(missing_feature("aws", "a connection over the network"))
        }
    }
}

/// Whether the URL is of an engine on this machine.
fn is_local(url: &str) -> bool {
    url::parse(url).is_ok_and(|target| target.is_local())
}

#[cfg(not(all(feature = "aws", feature = "embedded")))]
fn missing_feature(feature: &str, what: &str) -> Error {
    Error::config(format!(
        "{what} needs the feature `{feature}`: write features = [\"{feature}\"] at the dependency \
         on dynamo-entity"
    ))
}
