//! The headers that requests have, with and without ours kept.

use std::sync::{Arc, Mutex};

use aws_runtime::user_agent::UserAgentInterceptor;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{self, AppName, ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextRef;

use super::NAMES;
use crate::wire::Wire;
use crate::wire::tests::{engine_of_tab, get, put};

/// All values of both headers, request by request.
#[derive(Debug, Clone, Default)]
struct RecordedRequest(Arc<Mutex<Vec<Vec<String>>>>);

impl Intercept for RecordedRequest {
    fn name(&self) -> &'static str {
        "what is sent"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let headers = context.request().headers();
        let values = NAMES.into_iter().flat_map(|name| headers.get_all(name));
        self.0
            .lock()
            .unwrap()
            .push(values.map(str::to_owned).collect());
        Ok(())
    }
}

/// Sends a few requests. Returns their headers, and whether the later ones had ours.
async fn sent(
    wire: fn(Client) -> Wire,
    change: impl FnOnce(config::Builder) -> config::Builder,
) -> (Vec<Vec<String>>, bool) {
    let seen = RecordedRequest::default();
    let engine = engine_of_tab().await;
    let config = engine.sdk_config().interceptor(seen.clone());
    let wire = wire(Client::from_conf(change(config).build()));
    for request in [put(), get(), put(), get()] {
        wire.call(&request).await.unwrap();
    }
    let keeps = wire.keeps_agent();
    let seen = std::mem::take(&mut *seen.0.lock().unwrap());
    (seen, keeps)
}

fn named(config: config::Builder) -> config::Builder {
    config.app_name(AppName::new("shop").unwrap())
}

#[tokio::test]
async fn headers_are_those_of_the_sdk() {
    let (kept, keeps) = sent(Wire::ours, named).await;
    let (stock, never) = sent(Wire::new, named).await;
    assert!(keeps && !never);
    assert_eq!(kept, stock);
    assert!(kept.iter().all(|values| values.len() == 2));
    assert!(kept[3][1].contains("app/shop"), "{:?}", kept[3]);
}

/// Two interceptors write the headers. Nothing is known of the second one, so both go on.
#[tokio::test]
async fn what_cannot_be_left_out_goes_on() {
    let twice = |config: config::Builder| config.interceptor(UserAgentInterceptor::new());
    let (seen, keeps) = sent(Wire::ours, twice).await;
    assert!(!keeps);
    assert!(seen.iter().all(|values| values.len() == 4));
}
