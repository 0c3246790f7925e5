//! The user agent, made once for a connection.
//!
//! The SDK writes both headers again for every request, from parts that do not change, which costs as much as
//! encoding an item. Therefore the headers of the first request are kept, and the SDK's interceptor is configured to
//! skip later requests. If it cannot be configured, it works as before.

use std::sync::OnceLock;

use aws_runtime::user_agent::UserAgentInterceptor;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::disable_interceptor;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::config_bag::Layer;
use http::HeaderValue;

const NAMES: [&str; 2] = ["user-agent", "x-amz-user-agent"];

/// The headers of a connection, once a request had them; None if the SDK insists on its own.
#[derive(Debug, Default)]
pub(in crate::wire) struct UserAgentCache(OnceLock<Option<Headers>>);

#[derive(Debug)]
pub(in crate::wire) struct Headers([HeaderValue; 2]);

impl UserAgentCache {
    /// The headers never change after they are set.
    pub(in crate::wire) fn cached_headers(&self) -> Option<&Headers> {
        self.0.get()?.as_ref()
    }

    /// Keeps the headers of a request that the SDK has completed.
    pub(super) fn learn_headers(&self, request: &HttpRequest, components: &RuntimeComponents) {
        self.0.get_or_init(|| {
            let value = |name| {
                let mut values = request.headers().get_all(name);
                let value = HeaderValue::from_str(values.next()?).ok()?;
                // A second value comes from someone else's interceptor, and must then be written by
                // it each time.
                values.next().is_none().then_some(value)
            };
            let [user_agent, of_aws] = NAMES.map(value);
            let headers = Headers([user_agent?, of_aws?]);
            can_be_left_out(components).then_some(headers)
        });
    }

    /// Keeps the SDK from writing the headers into this request.
    pub(super) fn stand_in(cfg: &mut ConfigBag) {
        let left_out = disable_interceptor::<UserAgentInterceptor>("the headers are kept");
        cfg.interceptor_state().store_put(left_out);
    }

    pub(super) fn write_headers(&self, request: &mut HttpRequest) -> Result<(), BoxError> {
        let values = self
            .cached_headers()
            .into_iter()
            .flat_map(|headers| &headers.0);
        for (name, value) in NAMES.into_iter().zip(values) {
            request.headers_mut().try_insert(name, value.clone())?;
        }
        Ok(())
    }
}

/// Whether the SDK has exactly one such interceptor and allows disabling it. An interceptor may declare itself
/// permanent, and then panics in debug builds if it is disabled.
fn can_be_left_out(components: &RuntimeComponents) -> bool {
    let ours = UserAgentInterceptor::new();
    let mut same = components
        .interceptors()
        .filter(|interceptor| interceptor.name() == ours.name());
    let (Some(one), None) = (same.next(), same.next()) else {
        return false;
    };
    // The flag is private, so the printed form is the only way to read it. If that form changes,
    // the SDK's own interceptor keeps running.
    if !format!("{one:?}").contains("permanent: false") {
        return false;
    }
    let mut told = Layer::new("told");
    told.store_put(disable_interceptor::<UserAgentInterceptor>("a question"));
    !one.enabled(&ConfigBag::of_layers(vec![told]))
}

#[cfg(all(test, feature = "aws"))]
mod tests;
