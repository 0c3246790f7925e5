//! Gives the SDK the result of the first attempt, so that it decides what becomes of the call.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::{
    ConfigBag, HttpClient, RuntimeComponents, SharedHttpClient, SharedIdentityCache,
};
use aws_sdk_dynamodb::error::{BoxError, ConnectorError};
use aws_smithy_runtime_api::client::connection::CaptureSmithyConnection;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};

use super::attempt::FailedAttempt;
use super::identity::IdentityLoad;
use super::route::TimeLimit;
use crate::wire::failure::is_in_progress;
use crate::wire::retry;

/// The result of an attempt that brought no readable answer.
pub(crate) enum FirstResult {
    /// A rejection, or something that no one can read.
    Answer(HttpResponse),
    Broken(ConnectorError),
    /// The time limit for all attempts was over.
    TimeOver(TimeOver),
}

impl FirstResult {
    pub(super) fn late(limit: TimeLimit) -> Self {
        let over = TimeOver(limit);
        match limit.of_all {
            true => FirstResult::TimeOver(over),
            false => FirstResult::Broken(ConnectorError::timeout(over.into())),
        }
    }

    /// Whether the service is still working on an earlier attempt with the same token.
    pub(crate) fn is_going_on(&self) -> bool {
        matches!(self, FirstResult::Answer(response) if is_in_progress(response))
    }

    /// Whether the service may have heard of the request at all.
    pub(crate) fn was_sent(&self) -> bool {
        match self {
            FirstResult::Broken(error) => !retry::never_sent(error),
            FirstResult::Answer(_) | FirstResult::TimeOver(_) => true,
        }
    }

    /// Whether the service may have executed the request without saying so.
    pub(crate) fn is_ambiguous(&self) -> bool {
        match self {
            FirstResult::Answer(response) => retry::may_have_worked(response.status()),
            FirstResult::Broken(_) => self.was_sent(),
            FirstResult::TimeOver(_) => true,
        }
    }
}

/// An attempt, or all of them, took longer than this limit.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct TimeOver(pub(crate) TimeLimit);

/// Answers the first request with the result that exists already, and sends those that follow.
#[derive(Clone)]
pub(crate) struct ReplayClient {
    first: Arc<Mutex<Option<FirstAnswer>>>,
    rest: SharedHttpClient,
    /// The credentials that signed the first attempt, for the SDK's own first attempt.
    identity: Option<SharedIdentityCache>,
}

/// The result of a connector, and the connection that it used.
struct FirstAnswer {
    result: Result<HttpResponse, ConnectorError>,
    connection: CaptureSmithyConnection,
}

impl ReplayClient {
    /// Fails with a result that no connector can give: a time limit that was over for all attempts.
    pub(crate) fn new(failed: FailedAttempt) -> Result<Self, TimeOver> {
        let load = failed
            .identity
            .map(|found| IdentityLoad::Ended(Ok(Identity::clone(&found))));
        let handed = load.and_then(|load| failed.route.hand_over(load));
        let result = match failed.result {
            FirstResult::Answer(response) => Ok(response),
            FirstResult::Broken(error) => Err(error),
            FirstResult::TimeOver(over) => return Err(over),
        };
        let connection = failed.connection;
        Ok(ReplayClient {
            first: Arc::new(Mutex::new(Some(FirstAnswer { result, connection }))),
            rest: failed.route.http(),
            identity: handed.map(SharedIdentityCache::new),
        })
    }

    pub(crate) fn identity(&self) -> Option<SharedIdentityCache> {
        self.identity.clone()
    }

    /// The rejection that the SDK has not heard of, because something kept it from making its first attempt.
    pub(crate) fn take_untold_refusal(&self) -> Option<HttpResponse> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let response = first.take()?.result.ok()?;
        (!response.status().is_success()).then_some(response)
    }
}

impl fmt::Debug for ReplayClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayClient").finish_non_exhaustive()
    }
}

impl HttpClient for ReplayClient {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(ReplayConnector {
            client: self.clone(),
            settings: settings.clone(),
            components: components.clone(),
        })
    }

    fn validate_final_config(
        &self,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) -> Result<(), BoxError> {
        self.rest.validate_final_config(components, settings)
    }

    /// The metadata for the user agent.
    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.rest.connector_metadata()
    }
}

/// Gets its connector from the real client only when it is needed, because the first attempt already had one.
struct ReplayConnector {
    client: ReplayClient,
    settings: HttpConnectorSettings,
    components: RuntimeComponents,
}

impl fmt::Debug for ReplayConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayConnector").finish_non_exhaustive()
    }
}

impl HttpConnector for ReplayConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let ReplayClient { first, rest, .. } = &self.client;
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(FirstAnswer { result, connection }) = first else {
            let connector = rest.http_connector(&self.settings, &self.components);
            return connector.call(request);
        };
        // The connection is handed over, so that the SDK can close it.
        if let Some(capture) = request.extension::<CaptureSmithyConnection>() {
            capture.set_connection_retriever(move || connection.get());
        }
        HttpConnectorFuture::ready(result)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_time_that_is_over_is_told() {
        let over = TimeOver(TimeLimit {
            time: Duration::from_millis(1500),
            of_all: false,
        });
        let text = "operation attempt timeout (single attempt) occurred after 1.5s";
        assert_eq!(over.to_string(), text);
        assert!(over.source().is_none());
    }
}
