//! The credentials that sign a first attempt, and how they reach the SDK.
//!
//! Credentials may be slow to load, and a source may count how often it is called. Therefore a load that has begun is
//! never abandoned: if it takes time, the SDK waits for it and signs with its result. A replay also gets the
//! credentials of its first attempt, so that a source that fails cannot hide a response that has arrived.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use aws_sdk_dynamodb::config::{
    ConfigBag, ResolveCachedIdentity, RuntimeComponents, SharedIdentityCache,
};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::identity::{Identity, IdentityFuture, SharedIdentityResolver};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use tokio::task::coop::unconstrained;

use super::credentials::Signing;
use crate::wire::request::BoxFuture;

/// A load of credentials that has begun.
pub(super) enum IdentityLoad {
    Ended(Result<Identity, BoxError>),
    UnderWay(BoxFuture<'static, Result<Identity, BoxError>>),
}

impl IdentityLoad {
    /// Calls the client's cache, which returns the credentials or begins to load them.
    pub(super) fn start_load(signing: &Arc<Signing>) -> Self {
        let signing = signing.clone();
        let mut load: BoxFuture<'static, _> =
            Box::pin(async move { signing.load_identity().await });
        // The SDK polls it again before the task rests, so this poll needs no waker.
        let mut context = Context::from_waker(Waker::noop());
        // The cache uses tokio's locks, which return "pending" to a task that has used up its budget, even if they are
        // free. That would look like a load.
        match pin!(unconstrained(load.as_mut())).poll(&mut context) {
            Poll::Ready(result) => IdentityLoad::Ended(result),
            Poll::Pending => IdentityLoad::UnderWay(load),
        }
    }
}

/// A cache for one call of the SDK: its first attempt gets the credentials that already exist, and the others call the
/// client's own cache.
pub(super) struct HandedIdentity {
    first: Mutex<Option<IdentityLoad>>,
    rest: SharedIdentityCache,
}

impl HandedIdentity {
    pub(super) fn new(first: IdentityLoad, rest: SharedIdentityCache) -> Self {
        HandedIdentity {
            first: Mutex::new(Some(first)),
            rest,
        }
    }
}

impl fmt::Debug for HandedIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandedIdentity").finish_non_exhaustive()
    }
}

impl ResolveCachedIdentity for HandedIdentity {
    fn resolve_cached_identity<'a>(
        &'a self,
        resolver: SharedIdentityResolver,
        components: &'a RuntimeComponents,
        settings: &'a ConfigBag,
    ) -> IdentityFuture<'a> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.take() {
            Some(IdentityLoad::Ended(result)) => IdentityFuture::ready(result),
            Some(IdentityLoad::UnderWay(load)) => IdentityFuture::new(load),
            // A later attempt must see credentials that were rotated meanwhile, so it goes to the
            // real cache.
            None => self
                .rest
                .resolve_cached_identity(resolver, components, settings),
        }
    }

    fn validate_base_client_config(
        &self,
        components: &RuntimeComponentsBuilder,
        settings: &ConfigBag,
    ) -> Result<(), BoxError> {
        self.rest.validate_base_client_config(components, settings)
    }

    fn validate_final_config(
        &self,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) -> Result<(), BoxError> {
        self.rest.validate_final_config(components, settings)
    }
}
