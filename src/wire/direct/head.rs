//! The head of a request: its address and headers. Requests of one operation differ in few headers, so the head is
//! written once for each operation, and copied.

use std::sync::OnceLock;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::http::HttpError;
use aws_smithy_types::body::SdkBody;
use http::{HeaderName, HeaderValue};

use crate::wire::request::{CONTENT_TYPE, ServiceOperation};
use crate::wire::signing::{PlainHead, Signed};

/// The headers that describe an attempt, which are not signed.
pub(super) const INVOCATION_ID: &str = "amz-sdk-invocation-id";
pub(super) const ATTEMPT: &str = "amz-sdk-request";
pub(super) const USER_AGENTS: [&str; 2] = ["user-agent", "x-amz-user-agent"];

static LENGTH: HeaderName = http::header::CONTENT_LENGTH;
static INVOCATION: HeaderName = HeaderName::from_static(INVOCATION_ID);

/// The heads that were written already.
#[derive(Default)]
pub(super) struct RequestHeads([OnceLock<Option<RequestHead>>; ServiceOperation::COUNT]);

impl RequestHeads {
    /// The head of an operation, which its first request writes. None if it cannot be written.
    pub(super) fn head_for(
        &self,
        operation: ServiceOperation,
        write: impl FnOnce() -> Option<RequestHead>,
    ) -> Option<&RequestHead> {
        self.0.get(operation as usize)?.get_or_init(write).as_ref()
    }
}

/// The head of all requests of an operation.
pub(super) struct RequestHead {
    /// It holds every header already, so that a copy does not grow.
    request: HttpRequest,
    /// The part that is signed, if requests are.
    pub(super) signed: Option<PlainHead>,
}

impl RequestHead {
    /// None if it is not plain, so that only the SDK can sign it.
    pub(super) fn new(
        operation: ServiceOperation,
        uri: &str,
        user_agents: &[HeaderValue; 2],
        attempt: &HeaderValue,
        is_signed: bool,
    ) -> Option<Self> {
        let mut request = HttpRequest::new(SdkBody::empty());
        begin_headers(&mut request, operation, uri, user_agents).ok()?;
        let signed = match is_signed {
            true => Some(PlainHead::read_head(&request)?),
            false => None,
        };
        if is_signed {
            Signed::reserve_headers(&mut request).ok()?;
        }
        let headers = request.headers_mut();
        // These two come after the headers to sign have been read: they differ in each attempt, so
        // the SDK does not sign them either.
        headers.try_insert(INVOCATION_ID, "").ok()?;
        headers.try_insert(ATTEMPT, attempt.clone()).ok()?;
        Some(RequestHead { request, signed })
    }

    /// A request with this head, which is not signed yet.
    pub(super) fn build_request(
        &self,
        length: &str,
        body: SdkBody,
        invocation: String,
    ) -> Result<HttpRequest, HttpError> {
        // The copy never fails, because the body of the head is empty.
        let mut request = self.request.try_clone().unwrap_or_else(HttpRequest::empty);
        *request.body_mut() = body;
        let headers = request.headers_mut();
        headers.try_insert(LENGTH.clone(), length.to_owned())?;
        headers.try_insert(INVOCATION.clone(), invocation)?;
        Ok(request)
    }
}

fn begin_headers(
    request: &mut HttpRequest,
    operation: ServiceOperation,
    uri: &str,
    user_agents: &[HeaderValue; 2],
) -> Result<(), HttpError> {
    request.set_method("POST")?;
    request.set_uri(uri)?;
    let headers = request.headers_mut();
    headers.try_insert("content-type", CONTENT_TYPE)?;
    headers.try_insert("x-amz-target", operation.target_header())?;
    headers.try_insert("content-length", "0")?;
    for (name, value) in USER_AGENTS.into_iter().zip(user_agents) {
        headers.try_insert(name, value.clone())?;
    }
    Ok(())
}
