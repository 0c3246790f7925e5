//! The material of a client's signatures: credentials, key, region and account.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use aws_credential_types::attributes::AccountId;
use aws_sdk_dynamodb::config::{ConfigBag, Credentials, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::identity::{
    Identity, ResolveCachedIdentity, SharedIdentityResolver,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

use crate::wire::signing::{Date, Plain, PlainSigner, Scope};

/// Everything that is needed to sign a request.
pub(super) struct Signing {
    pub(super) region: Box<str>,
    pub(super) name: Box<str>,
    pub(super) signer: PlainSigner,
    pub(super) resolver: SharedIdentityResolver,
    pub(super) components: RuntimeComponents,
    pub(super) settings: ConfigBag,
    /// The last credentials, which calls under way share.
    pub(super) last: RwLock<Option<Arc<Identity>>>,
    /// The account whose endpoint it is: another account may have another one.
    pub(super) account: OnceLock<Option<AccountId>>,
}

impl Signing {
    /// The same credentials, in the memory that other calls hold already if they are the same.
    pub(super) fn share_identity(&self, identity: Identity) -> Arc<Identity> {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        // Thousands of requests may be in flight, and each of them would otherwise own a copy of
        // the credentials.
        if let Some(last) = &*last
            && is_same(last, &identity)
        {
            return last.clone();
        }
        // The read lock must end before the write lock is taken, because the standard lock
        // deadlocks otherwise.
        drop(last);
        let identity = Arc::new(identity);
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        *last = Some(identity.clone());
        identity
    }

    pub(super) async fn load_identity(&self) -> Result<Identity, BoxError> {
        let cache = self.components.identity_cache();
        let resolver = self.resolver.clone();
        let load = cache.resolve_cached_identity(resolver, &self.components, &self.settings);
        load.await
    }

    /// Signs a request, given its canonical form with a token. None if that or the credentials are unusual.
    pub(super) fn sign_request(
        &self,
        request: &mut HttpRequest,
        plain: impl FnOnce(Option<&str>) -> Option<Plain>,
        identity: &Identity,
        date: &Date,
    ) -> Option<()> {
        let scope = Scope {
            region: &self.region,
            name: &self.name,
        };
        let signed = self.signer.sign_plain(plain, identity, scope, date)?;
        signed.apply_to(request).ok()
    }
}

fn is_same(one: &Identity, other: &Identity) -> bool {
    let is_same = match (one.data::<Credentials>(), other.data::<Credentials>()) {
        (Some(one), Some(other)) => {
            one.access_key_id() == other.access_key_id()
                && one.secret_access_key() == other.secret_access_key()
                && one.session_token() == other.session_token()
        }
        _ => false,
    };
    is_same
        // The expiration decides when the SDK loads them again, so a renewed one is not the same.
        && one.expiration() == other.expiration()
        && one.property::<AccountId>() == other.property::<AccountId>()
}
