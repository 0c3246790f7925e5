//! From a connection URL to a connection.
//!
//! [`url`] reads the URL, without looking at the world. One module for each kind of connection then
//! makes it: [`embedded`] in this process, `endpoint` for an HTTP address, `aws` for AWS.

#[cfg(feature = "aws")]
mod aws;
#[cfg(feature = "embedded")]
pub mod embedded;
#[cfg(feature = "aws")]
mod endpoint;
#[cfg(any(feature = "aws", feature = "embedded"))]
mod sleep;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(feature = "testing"), allow(dead_code, unreachable_pub))]
pub mod testing;
mod url;

pub(crate) use url::FORMS;

use crate::error::Result;
#[cfg(feature = "aws")]
use crate::runtime;
use crate::wire::Wire;
use url::Target;

pub(crate) async fn open(url: &str) -> Result<Wire> {
    match url::parse(url)? {
        #[cfg(feature = "embedded")]
        Target::Memory => Ok(Wire::direct(embedded::EmbeddedEngine::memory().await?)),
        #[cfg(feature = "embedded")]
        Target::File(path) => Ok(Wire::direct(embedded::EmbeddedEngine::open(path).await?)),
        #[cfg(not(feature = "embedded"))]
        Target::Memory | Target::File(_) => Err(needs("embedded", "the embedded engine")),
        #[cfg(feature = "aws")]
        Target::Endpoint { url, region } => Ok(Wire::ours(endpoint::client(url, region))),
        #[cfg(feature = "aws")]
        Target::Aws {
            region,
            profile,
            endpoint,
        } => {
            // Where region and credentials are looked for there may be sockets, too.
            runtime::require_tokio()?;
            let is_aws = endpoint.is_none();
            let wire = Wire::ours(aws::client(region, profile, endpoint).await?);
            Ok(if is_aws { wire.sending_items() } else { wire })
        }
        #[cfg(not(feature = "aws"))]
        Target::Endpoint { .. } | Target::Aws { .. } => {
            Err(needs("aws", "a connection over the network"))
        }
    }
}

/// Whether it leads to an engine on this machine.
pub(crate) fn is_local(url: &str) -> bool {
    url::parse(url).is_ok_and(|target| target.is_local())
}

#[cfg(not(all(feature = "aws", feature = "embedded")))]
fn needs(feature: &str, what: &str) -> crate::error::Error {
    crate::error::Error::config(format!(
        "{what} needs the feature `{feature}`: write features = [\"{feature}\"] at the dependency \
         on dynamo-entity"
    ))
}
