//! Gives the SDK the result of the first attempt, so that it decides whether the call is retried.

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
use super::first_result::FirstResult;
use super::identity::IdentityLoad;
use super::time_limit::TimeOver;

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
    /// Fails with the one result that no connector can give: the time limit for all attempts was over.
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
            rest: failed.route.http_client(),
            identity: handed.map(SharedIdentityCache::new),
        })
    }

    pub(crate) fn identity_cache(&self) -> Option<SharedIdentityCache> {
        self.identity.clone()
    }

    /// The rejection that the SDK has not seen, because something prevented its first attempt.
    pub(crate) fn take_untold_refusal(&self) -> Option<HttpResponse> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        // The SDK takes the result when it makes its first attempt, so a result that is still here
        // was never seen.
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
        // A connector is requested for each attempt, because the client may return another one
        // then.
        let Some(FirstAnswer { result, connection }) = first else {
            let connector = rest.http_connector(&self.settings, &self.components);
            return connector.call(request);
        };
        // The SDK closes a connection after some errors. It can only do so for the connection that it knows, and the
        // first attempt used this one.
        if let Some(capture) = request.extension::<CaptureSmithyConnection>() {
            capture.set_connection_retriever(move || connection.get());
        }
        HttpConnectorFuture::ready(result)
    }
}
