//! Writes, signs and sends a request as learned from the SDK.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aws_credential_types::attributes::AccountId;
use aws_sdk_dynamodb::config::{AsyncSleep, RuntimeComponents, SharedAsyncSleep, Sleep};
use aws_smithy_runtime::client::http::body::minimum_throughput::MinimumThroughputDownloadBody;
use aws_smithy_runtime::client::retries::TokenBucket;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_runtime_api::http::HttpError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::{AggregatedBytes, ByteStream};
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::sdk_config::SharedTimeSource;
use bytes::Bytes;
use futures_util::future::{Either, select};
use http::HeaderValue;

use super::clock::{ClockFollowers, ServiceClock};
use super::credentials::Signing;
use super::head::{RequestHead, RequestHeads};
use super::identity::{HandedIdentity, IdentityLoad};
use super::time_limit::TimeLimit;
use crate::wire::request::ServiceOperation;
use crate::wire::signing::Date;
use crate::wire::wire_path::SdkFallback;

/// The SDK watches whether the upload of a longer body makes progress. A shorter one fits into the buffers of a
/// connection at once.
const LARGE: usize = 64 * 1024;
/// The wait for the rest of a rejection, if there is no other limit.
const PATIENCE: Duration = Duration::from_secs(5);
/// The variable in which Lambda describes the invocation of a function.
const TRACE: &str = "_X_AMZN_TRACE_ID";

/// A request as a route has written it.
pub(super) struct RouteRequest {
    pub(super) request: HttpRequest,
    /// Its id, which the SDK's later attempts share.
    pub(super) invocation: String,
}

/// How a client sends its first attempts.
pub(crate) struct Route {
    pub(super) http: SharedHttpClient,
    /// The settings with which `http` is called for a connector.
    pub(super) connecting: HttpConnectorSettings,
    pub(super) components: RuntimeComponents,
    pub(super) time: SharedTimeSource,
    pub(super) sleep: Option<SharedAsyncSleep>,
    pub(super) uri: String,
    pub(super) user_agents: [HeaderValue; 2],
    /// The header with which the SDK describes first attempts.
    pub(super) attempt: HeaderValue,
    pub(super) signing: Option<Arc<Signing>>,
    pub(super) heads: RequestHeads,
    pub(super) clock: Arc<ServiceClock>,
    /// The destination of reports of clock drift.
    pub(super) followers: ClockFollowers,
    pub(super) quota: TokenBucket,
    pub(super) timeouts: TimeoutConfig,
    /// The limit for a response that makes no progress.
    pub(super) stalled: Option<StalledStreamProtectionConfig>,
    /// Whether an upload that makes no progress is given up as well.
    pub(super) guards_uploads: bool,
    /// The time after which an upload that has not begun is given up, if nothing else ends the wait for a connection
    /// earlier.
    pub(super) upload_begins_within: Option<Duration>,
    /// Whether requests carry the trace header of a Lambda function.
    pub(super) in_lambda: bool,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route").finish_non_exhaustive()
    }
}

impl Route {
    pub(crate) fn corrected_now(&self) -> SystemTime {
        self.time.now()
    }

    pub(crate) fn http_client(&self) -> SharedHttpClient {
        self.http.clone()
    }

    /// Begins to load credentials, if the client signs. They are usually in the cache.
    pub(super) fn start_identity(&self) -> Option<IdentityLoad> {
        self.signing.as_ref().map(IdentityLoad::start_load)
    }

    /// Shares the memory of credentials with other calls.
    pub(super) fn share_identity(&self, identity: Identity) -> Arc<Identity> {
        match &self.signing {
            Some(signing) => signing.share_identity(identity),
            None => Arc::new(identity),
        }
    }

    /// A cache for a call of the SDK, whose first attempt gets the credentials of this load.
    pub(super) fn hand_over(&self, load: IdentityLoad) -> Option<HandedIdentity> {
        let signing = self.signing.as_ref()?;
        let rest = signing.components.identity_cache();
        Some(HandedIdentity::new(load, rest))
    }

    /// The date of a request that is signed now.
    pub(super) fn signing_date(&self, now: SystemTime) -> Option<Date> {
        Date::new(self.clock.correct_time(now))
    }

    /// Follows the service's clock by an answer.
    pub(super) fn follow_clock(&self, response: &HttpResponse, sent: SystemTime) {
        // A client that disables the correction of clocks signs with its own clock on the SDK's
        // path, so it does so here too.
        if !self.followers.is_empty() {
            let (received, followers) = (self.time.now(), &self.followers);
            self.clock
                .follow_response(response, sent, received, followers, &self.components);
        }
    }

    pub(super) fn is_too_large(&self, body: &[u8]) -> bool {
        self.guards_uploads && body.len() > LARGE
    }

    pub(super) fn has_full_quota(&self) -> bool {
        self.quota.is_full()
    }

    /// Writes the request as the SDK would.
    pub(super) fn write_request(
        &self,
        operation: ServiceOperation,
        body: &Bytes,
        identity: Option<&Identity>,
        date: Option<Date>,
    ) -> Result<RouteRequest, SdkFallback> {
        let strange = |_| SdkFallback::Unusual("its headers".into());
        let head = self
            .heads
            .head_for(operation, || self.request_head(operation));
        let head = head.ok_or(SdkFallback::Unusual("its headers or its signature".into()))?;
        let (mut digits, invocation) = (itoa::Buffer::new(), invocation_id());
        let length = digits.format(body.len());
        let request = head.build_request(length, SdkBody::from(body.clone()), invocation.clone());
        let mut request = request.map_err(strange)?;
        if let (Some(signing), Some(signed)) = (&self.signing, &head.signed) {
            let date = date.ok_or(SdkFallback::Clock)?;
            let identity = identity.ok_or(SdkFallback::Credentials)?;
            // The account is a part of the host name on AWS, and the learned URI contains that of
            // the lesson.
            let account = identity.property::<AccountId>();
            if signing
                .account
                .get()
                .is_some_and(|known| known.as_ref() != account)
            {
                return Err(SdkFallback::Account);
            }
            let plain =
                |token: Option<&str>| Some(signed.canonical_request(length, token, &date, body));
            signing
                .sign_request(&mut request, plain, identity, &date)
                .ok_or(SdkFallback::Unusual("its signature".into()))?;
        }
        // The trace changes with each invocation of the function, so it is read for each request.
        // The SDK adds it after signing, and does not sign it.
        if self.in_lambda {
            write_trace(&mut request).map_err(strange)?;
        }
        Ok(RouteRequest {
            request,
            invocation,
        })
    }

    fn request_head(&self, operation: ServiceOperation) -> Option<RequestHead> {
        RequestHead::new(
            operation,
            &self.uri,
            &self.user_agents,
            &self.attempt,
            self.signing.is_some(),
        )
    }

    /// The connector for one request. The client is called each time, as the SDK does, because it may return different
    /// ones.
    pub(super) fn http_connector(&self) -> SharedHttpConnector {
        self.http.http_connector(&self.connecting, &self.components)
    }

    /// The time limit of an attempt that begins now.
    pub(super) fn attempt_end(&self) -> Option<(TimeLimit, Sleep)> {
        let (sleep, limit) = self.sleep.as_ref().zip(self.time_limit())?;
        Some((limit, sleep.sleep(limit.time)))
    }

    /// A body that fails if it makes no progress.
    pub(super) fn watch_upload(&self, body: SdkBody) -> SdkBody {
        match (&self.stalled, &self.sleep) {
            (Some(guard), Some(sleep)) => {
                SdkBody::from_body_1_x(MinimumThroughputDownloadBody::new(
                    self.time.clone(),
                    sleep.clone(),
                    body,
                    guard.clone().into(),
                ))
            }
            _ => body,
        }
    }

    /// The shorter of the limits for one attempt and for all attempts.
    fn time_limit(&self) -> Option<TimeLimit> {
        let limit = |of_all| move |time| TimeLimit { time, of_all };
        let all = self.timeouts.operation_timeout().map(limit(true));
        let one = self.timeouts.operation_attempt_timeout();
        let one = one.map(limit(false));
        // If both are equal, `min_by_key` returns the first, so the limit of all attempts ends the call without a
        // retry.
        all.into_iter().chain(one).min_by_key(|limit| limit.time)
    }

    /// A rejection with its body in memory, as far as it comes before the time is over.
    pub(crate) async fn read_refusal(
        &self,
        mut refusal: HttpResponse,
        began: Instant,
    ) -> HttpResponse {
        let body = std::mem::replace(refusal.body_mut(), SdkBody::taken());
        let left = self
            .timeouts
            .operation_timeout()
            .map_or(PATIENCE, |all| all.saturating_sub(began.elapsed()));
        // Without a body, the rejection still has its status. Therefore a body that does not arrive
        // in time counts as empty.
        let whole = pin!(ByteStream::new(self.watch_upload(body)).collect());
        let body = match &self.sleep {
            Some(sleep) => match select(whole, sleep.sleep(left)).await {
                Either::Left((body, _)) => body.ok(),
                Either::Right(_) => None,
            },
            None => whole.await.ok(),
        };
        *refusal.body_mut() =
            SdkBody::from(body.map(AggregatedBytes::into_bytes).unwrap_or_default());
        refusal
    }

    /// The limit for all attempts together.
    pub(crate) fn limit_of_all(&self) -> Option<TimeLimit> {
        self.sleep.as_ref()?;
        let time = self.timeouts.operation_timeout()?;
        Some(TimeLimit { time, of_all: true })
    }

    /// The timeouts with the remaining time for all attempts.
    pub(crate) fn timeouts_after(&self, spent: Duration) -> Option<TimeoutConfig> {
        let all = self.timeouts.operation_timeout()?;
        // A timeout of zero would mean no timeout.
        let left = all.saturating_sub(spent).max(Duration::from_micros(1));
        Some(self.timeouts.to_builder().operation_timeout(left).build())
    }
}

/// Adds the trace header of the invocation, as the SDK does after signing.
fn write_trace(request: &mut HttpRequest) -> Result<(), HttpError> {
    if let Some(trace) = std::env::var_os(TRACE)
        && let Some(trace) = trace.to_str()
    {
        let headers = request.headers_mut();
        headers.try_insert("x-amzn-trace-id", percent_encoded(trace))?;
    }
    Ok(())
}

/// A random UUID, as the SDK makes one for each request.
fn invocation_id() -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = fastrand::u128(..).to_be_bytes();
    // The bits of the version and the variant, so that the ID has the same form as the SDK's.
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.into_iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0xf] {
            text.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
    text
}

/// The text with control characters and non-ASCII characters encoded as the SDK does for the header.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}
