//! One request, and its response.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::config::SharedIdentityCache;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::{Client, config};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

use super::direct::{DirectPath, FailedAttempt, ReplayClient};
#[cfg(feature = "embedded")]
use super::embedded::{self, EmbeddedEngine};
use super::failure::{self, Failure};
use super::gate::{Admitted, Gate};
#[cfg(test)]
use super::request::Resend;
use super::request::{BoxFuture, Reply, Request, ServiceOperation};
use super::sdk::{self, HookExchange, UserAgentCache};
use super::server_capabilities::ServerCapabilities;
use super::tenant::TenantRule;
use super::token_life::TokenLife;
use super::wire_path::{SdkFallback, WirePath, WireTrace};

/// An SDK client, and the facts that have been learned about it.
#[derive(Clone)]
pub(crate) struct Wire {
    client: Client,
    gate: Gate,
    /// The user agent of a client that this library has built: nothing else changes it.
    agent: Option<Arc<UserAgentCache>>,
    /// The engine behind the client, for requests that can do without the client.
    #[cfg(feature = "embedded")]
    engine: Option<EmbeddedEngine>,
    /// Whether our serializer and deserializer replace those of the SDK. Otherwise the SDK's own run, and hooks replace
    /// their results by our bytes.
    swaps: bool,
    /// The direct path, on which a first attempt bypasses the SDK's orchestration, once the client is known.
    plain: Option<Arc<DirectPath>>,
    sends: Arc<ServerCapabilities>,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("swaps", &self.swaps)
            .finish_non_exhaustive()
    }
}

impl Wire {
    pub(crate) fn new(client: Client) -> Self {
        Wire {
            client,
            gate: Gate::default(),
            agent: None,
            #[cfg(feature = "embedded")]
            engine: None,
            swaps: true,
            plain: Some(Arc::default()),
            sends: Arc::default(),
        }
    }

    /// A wire without a server, for requests that are only shown.
    #[cfg(feature = "export")]
    pub(crate) fn unconnected() -> Self {
        let config = config::Builder::new()
            .behavior_version(config::BehaviorVersion::latest())
            .region(config::Region::new("us-east-1"))
            // Nothing listens there, and nothing is sent.
            .endpoint_url("http://unconnected.invalid")
            .allow_no_auth()
            .retry_config(config::retry::RetryConfig::disabled())
            .sleep_impl(sdk::AnySleep);
        Wire::new(Client::from_conf(config.build()))
    }

    /// Another client of the same server.
    pub(crate) fn beside(&self, client: Client) -> Self {
        Wire {
            // Both clients talk to one server, so its capabilities hold for both.
            sends: self.sends.clone(),
            // The facts that were learned describe the other client: its endpoint, credentials and interceptors.
            plain: self.plain.as_ref().map(|_| Arc::default()),
            gate: self.gate.of_another_client(),
            ..Wire::new(client)
        }
    }

    /// Whether both are known to lead to one server: clones of a connection do.
    pub(crate) fn is_same_server(&self, other: &Wire) -> bool {
        Arc::ptr_eq(&self.sends, &other.sends)
    }

    /// For DynamoDB itself, or a server that does as much.
    #[cfg(any(feature = "aws", feature = "embedded"))]
    pub(crate) fn sending_items(self) -> Self {
        for operation in [
            ServiceOperation::PutItem,
            ServiceOperation::UpdateItem,
            ServiceOperation::DeleteItem,
            ServiceOperation::TransactWriteItems,
        ] {
            self.learn_that_it_sends(operation);
        }
        self
    }

    /// Whether the server sends the item on which a condition of such an operation failed, if there is one.
    pub(crate) fn sends_items(&self, operation: ServiceOperation) -> bool {
        self.sends.sends_operation(operation)
    }

    /// Whether DynamoDB rejected the read that should have shown the item on which a condition failed.
    pub(crate) fn may_not_confirm(&self) -> bool {
        self.sends.is_denied()
    }

    pub(crate) fn learn_that_it_may_not_confirm(&self) {
        self.sends.learn_that_it_is_denied();
    }

    /// Notes that the server sent such an item.
    pub(crate) fn learn_that_it_sends(&self, operation: ServiceOperation) {
        self.sends.learn_operation(operation);
    }

    /// The wire of a client that this library has built.
    #[cfg(feature = "aws")]
    pub(crate) fn ours(client: Client) -> Self {
        Wire {
            gate: Gate::of_sockets(),
            agent: Some(Arc::default()),
            ..Wire::new(client)
        }
    }

    /// Calls the engine itself, without the SDK. The client is for operations that this library does not offer.
    #[cfg(feature = "embedded")]
    pub(crate) fn direct(engine: EmbeddedEngine) -> Self {
        let wire = Wire {
            engine: Some(engine.clone()),
            ..Wire::new(engine.client())
        };
        // The engine is known to return the item, so no failed condition needs the read that
        // confirms it.
        wire.sending_items()
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The engine in this process that requests go to.
    #[cfg(feature = "embedded")]
    pub(crate) fn engine(&self) -> Option<&EmbeddedEngine> {
        self.engine.as_ref()
    }

    #[cfg(all(test, feature = "aws"))]
    pub(super) fn keeps_agent(&self) -> bool {
        let agent = self.agent.as_ref();
        agent.is_some_and(|agent| agent.cached_headers().is_some())
    }

    /// Behaves as with an SDK that ignores our serializer and deserializer.
    pub(crate) fn by_hooks_alone(mut self) -> Self {
        self.swaps = false;
        self.plain = None;
        self
    }

    /// Sends every request through the SDK from the beginning.
    pub(crate) fn through_sdk(mut self) -> Self {
        self.plain = None;
        self
    }

    /// Fails where the sockets of a client that the library built would panic.
    pub(crate) fn require_runtime(&self) -> crate::error::Result<()> {
        self.gate.require_runtime()
    }

    /// The gate that every request passes before it is sent.
    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The same client for one tenant.
    pub(crate) fn for_tenant(mut self, tenant: TenantRule) -> crate::error::Result<Self> {
        self.gate = self.gate.for_tenant(tenant)?;
        Ok(self)
    }

    /// Fails for an operation that concerns all tenants, on a connection of one.
    pub(crate) fn require_no_tenant(&self, operation: &str) -> crate::error::Result<()> {
        self.gate.require_no_tenant(operation)
    }

    /// Sends a request and waits for its answer. If it is dropped before the end, the request may or may not have been
    /// executed.
    #[cfg(test)]
    pub(crate) async fn call(&self, request: &Request) -> Result<Reply, Failure> {
        let token = (request.resend == Resend::ByToken).then(Arc::default);
        self.attempt(request, token.as_ref()).await
    }

    /// Sends a request that may have been sent with this token before.
    pub(crate) async fn attempt(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        self.attempt_by(request, token, &mut WireTrace::default())
            .await
    }

    /// Sends such a request, and records its path.
    pub(crate) async fn attempt_by(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
        trace: &mut WireTrace,
    ) -> Result<Reply, Failure> {
        // The gate comes first, so that a request that it rejects reaches neither the engine nor
        // the SDK.
        let request = self.gate.admit_request(request)?;
        #[cfg(feature = "embedded")]
        if let Some(engine) = &self.engine {
            trace.path = WirePath::InProcess;
            return embedded::call_engine(engine, request).await;
        }
        // The futures of rare cases are boxed, so that a call without them reserves no room for them: this future
        // exists once for every request in flight.
        let rest: BoxFuture<'_, _> = {
            let mut begun = match &self.plain {
                None => Err(SdkFallback::Asked.into()),
                Some(plain) => plain.begin_attempt(request, token),
            };
            match &mut begun {
                Ok(attempt) => {
                    trace.path = WirePath::Direct;
                    match attempt.await {
                        Ok(reply) => return Ok(reply),
                        Err(failed) => {
                            trace.path = WirePath::Replayed;
                            Box::pin(self.replay(request, token, failed, trace))
                        }
                    }
                }
                Err(course) => {
                    // A call with credentials that were already loaded does not show how the SDK loads them, so nothing
                    // can be learned from it.
                    let teaches =
                        course.detour == SdkFallback::Learning && course.identity.is_none();
                    let learner = self.plain.as_deref().filter(|_| teaches);
                    trace.path = WirePath::Sdk(course.detour.clone());
                    let identity = course.identity.take();
                    Box::pin(self.through(request, token, learner, identity, trace))
                }
            }
        };
        rest.await
    }

    #[cfg_attr(
        not(feature = "tracing"),
        expect(unused_variables, unused_mut, reason = "only spans need them")
    )]
    fn exchange(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
        trace: &WireTrace,
    ) -> HookExchange {
        let (agent, plain) = (self.agent.as_ref(), self.plain.as_ref());
        let mut exchange = HookExchange::new(request, self.swaps, agent, token, plain);
        #[cfg(feature = "tracing")]
        exchange.set_traced(trace.is_traced);
        exchange
    }

    /// Sends the request through the SDK from the beginning, with credentials that were already loaded. The direct path
    /// may learn from it.
    async fn through(
        &self,
        request: Admitted<'_>,
        token: Option<&Arc<TokenLife>>,
        learner: Option<&DirectPath>,
        identity: Option<SharedIdentityCache>,
        trace: &mut WireTrace,
    ) -> Result<Reply, Failure> {
        let exchange = self.exchange(&request, token, trace);
        let Some(learner) = learner else {
            let settings =
                identity.map(|cache| Box::new(config::Builder::new().identity_cache(cache)));
            return sdk::send_request(&self.client, request, &Arc::new(exchange), settings, trace)
                .await;
        };
        let exchange = Arc::new(exchange.for_learning());
        let outcome = sdk::send_request(&self.client, request, &exchange, None, trace).await;
        if let Some(lesson) = exchange.take_lesson() {
            learner.learn_client(*lesson);
        }
        outcome
    }

    /// Hands the failed first attempt to the SDK, which decides whether the call is retried.
    async fn replay(
        &self,
        request: Admitted<'_>,
        token: Option<&Arc<TokenLife>>,
        failed: FailedAttempt,
        trace: &mut WireTrace,
    ) -> Result<Reply, Failure> {
        let exchange = self.exchange(&request, token, trace);
        let (route, began) = (failed.route.clone(), failed.began);
        // The limit of the whole operation counts from the first attempt. Otherwise a call could
        // take twice the time that the caller has configured.
        let limit = route.limit_of_all().map(|limit| (began, limit));
        let exchange = exchange.with_replay(&failed.result, failed.invocation.clone(), limit);
        let exchange = Arc::new(exchange);
        let client = match ReplayClient::new(failed) {
            Ok(client) => client,
            Err(over) => {
                trace.end_trace(1);
                let error = SdkError::<GetItemError, HttpResponse>::timeout_error(over);
                let site = exchange.failure_context(&request.table);
                return Err(failure::from_sdk(error, site));
            }
        };
        let mut settings = Box::new(config::Builder::new().http_client(client.clone()));
        // The SDK starts its own clock now, so it only gets the time that is left.
        settings.set_timeout_config(route.timeouts_after(began.elapsed()));
        // The replay must not load credentials again: a source that fails now would hide a response
        // that has already arrived.
        if let Some(identity) = client.identity_cache() {
            settings.set_identity_cache(identity);
        }
        let outcome =
            sdk::send_request(&self.client, request, &exchange, Some(settings), trace).await;
        // If the SDK failed before it called the replay client, it never saw the rejection, and its
        // own error says nothing about the request. The rejection is then read here.
        match client.take_untold_refusal() {
            Some(refusal) if outcome.is_err() => {
                let refusal = route.read_refusal(refusal, began).await;
                let site = exchange.failure_context(&request.table);
                Err(failure::from_answer(&refusal, site))
            }
            _ => outcome,
        }
    }
}
