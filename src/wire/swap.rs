//! Our bytes in place of the SDK's, by the SDK's own hooks.
//!
//! The fluent builder carries only the table's name, which the endpoint rules read. Before it would be serialized, our
//! serializer is put in place of the SDK's, and it sends the body as planned. Once an answer of 2xx is there, our
//! deserializer is put in place of the SDK's: it keeps the body as it came and hands the SDK an empty output. The SDK
//! still reads rejections, so that its retries see them.
//!
//! An SDK that does not use ours only does its work twice: what its own serializer made is replaced before the first
//! attempt, and the body is kept behind its own deserializer.
//!
//! The same hooks watch each attempt for law W6: an attempt that was sent and has no answer is ambiguous.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use aws_runtime::invocation_id::InvocationId;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::{BoxError, ErrorMetadata};
use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeDeserializationInterceptorContextMut,
    BeforeSerializationInterceptorContextMut, BeforeTransmitInterceptorContextMut,
    BeforeTransmitInterceptorContextRef, Error, FinalizerInterceptorContextRef, Input, Output,
};
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{
    DeserializeResponse, SerializeRequest, SharedRequestSerializer, SharedResponseDeserializer,
};
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;

use super::agent::UserAgentCache;
use super::failure::{self, request_id};
use super::plain::{ClientProbe, DirectPath, FirstResult, TimeLimit};
use super::{Request, Resend, ServiceOperation, TokenLife, retry};

pub(super) const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

/// The messages between a call and its hooks.
pub(super) struct HookExchange {
    operation: ServiceOperation,
    body: Bytes,
    resend: Resend,
    /// Whether our serializer and deserializer are offered to the SDK.
    swaps: bool,
    serialized: AtomicBool,
    /// Whether the current attempt was handed to a connection.
    transmitted: AtomicBool,
    /// When that was, by the client's clock.
    transmitted_at: Mutex<Option<SystemTime>>,
    /// Whether the service may have heard of an earlier attempt.
    was_sent: AtomicBool,
    /// How many attempts went out.
    attempts: AtomicU32,
    /// Whether the current attempt is ambiguous.
    ambiguous: AtomicBool,
    /// Whether any attempt that ended was ambiguous.
    was_ambiguous: AtomicBool,
    /// Whether an attempt before the current one was ambiguous.
    has_stray: AtomicBool,
    /// Whether the current attempt is the first one, which was made without the SDK: the SDK is told its result.
    replays: AtomicBool,
    /// Facts about the client.
    plain: Option<Arc<DirectPath>>,
    /// Whether later requests may learn from this one.
    teaches: bool,
    /// Boxed, because few requests are lessons.
    lesson: Mutex<Option<Box<Result<ClientProbe, String>>>>,
    /// The id of the first attempt, which those that follow share.
    invocation: Option<String>,
    /// When a request whose first attempt was made without the SDK is over as a whole.
    limit: Option<(Instant, TimeLimit)>,
    /// The age of the token, if the request has one.
    token: Option<Arc<TokenLife>>,
    /// The user agent of the connection, if it keeps one.
    agent: Option<Arc<UserAgentCache>>,
    /// Whether this request already has it; otherwise the SDK makes one.
    has_agent: bool,
    answer: Mutex<Option<CapturedBody>>,
    /// Whether failed attempts are events of the request's span.
    #[cfg(feature = "tracing")]
    is_traced: bool,
}

/// A body of 2xx as it came, in memory.
pub(super) struct CapturedBody {
    pub(super) body: SdkBody,
    pub(super) request_id: Option<String>,
}

impl HookExchange {
    pub(super) fn new(
        request: &Request,
        swaps: bool,
        agent: Option<&Arc<UserAgentCache>>,
        token: Option<&Arc<TokenLife>>,
        plain: Option<&Arc<DirectPath>>,
    ) -> Self {
        HookExchange {
            agent: agent.cloned(),
            has_agent: agent.is_some_and(|agent| agent.headers().is_some()),
            operation: request.operation,
            body: request.body.clone(),
            resend: request.resend,
            swaps,
            serialized: AtomicBool::new(false),
            transmitted: AtomicBool::new(false),
            transmitted_at: Mutex::new(None),
            was_sent: AtomicBool::new(false),
            attempts: AtomicU32::new(0),
            ambiguous: AtomicBool::new(false),
            was_ambiguous: AtomicBool::new(false),
            has_stray: AtomicBool::new(false),
            replays: AtomicBool::new(false),
            plain: plain.cloned(),
            teaches: false,
            lesson: Mutex::new(None),
            invocation: None,
            limit: None,
            token: token.cloned(),
            answer: Mutex::new(None),
            #[cfg(feature = "tracing")]
            is_traced: false,
        }
    }

    #[cfg(feature = "tracing")]
    pub(super) fn trace(&mut self, is_traced: bool) {
        self.is_traced = is_traced;
    }

    /// For a request from which later ones may learn.
    pub(super) fn teaching(mut self) -> Self {
        self.teaches = true;
        self
    }

    /// For a request whose first attempt was made without the SDK.
    pub(super) fn replaying(
        mut self,
        first: &FirstResult,
        invocation: String,
        limit: Option<(Instant, TimeLimit)>,
    ) -> Self {
        let ambiguous =
            first.is_ambiguous() || self.resend == Resend::ByToken && first.is_going_on();
        self.was_sent = AtomicBool::new(first.was_sent());
        self.ambiguous = AtomicBool::new(ambiguous);
        self.attempts = AtomicU32::new(1);
        self.replays = AtomicBool::new(true);
        self.invocation = Some(invocation);
        self.limit = limit;
        self
    }

    /// The limit that is over, if the SDK was given only what the first attempt had left of it.
    pub(super) fn limit_that_is_over(&self) -> Option<TimeLimit> {
        let (began, limit) = self.limit?;
        limit.is_over_since(began).then_some(limit)
    }

    pub(super) fn take_lesson(&self) -> Option<Box<Result<ClientProbe, String>>> {
        let mut lesson = self.lesson.lock().unwrap_or_else(PoisonError::into_inner);
        lesson.take()
    }

    fn learn(&self, request: &HttpRequest, components: &RuntimeComponents, cfg: &ConfigBag) {
        if !self.teaches || !self.plain.as_ref().is_some_and(|plain| plain.is_curious()) {
            return;
        }
        let Some(plain) = &self.plain else {
            return;
        };
        let lesson = ClientProbe::read(self.operation, &self.body, request, components, cfg, plain);
        if let Some(lesson) = lesson {
            let lesson = Some(Box::new(lesson));
            *self.lesson.lock().unwrap_or_else(PoisonError::into_inner) = lesson;
        }
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    pub(super) fn resend(&self) -> Resend {
        self.resend
    }

    /// Whether the service may have heard of any attempt.
    pub(super) fn was_sent(&self) -> bool {
        get(&self.was_sent) || get(&self.transmitted)
    }

    /// How often it was sent. A first attempt that is replayed counts: the SDK takes it for its own.
    pub(super) fn attempts(&self) -> u64 {
        self.attempts.load(Ordering::Relaxed).into()
    }

    /// Whether the last attempt was sent and no answer tells what became of it.
    pub(super) fn ambiguous(&self) -> bool {
        get(&self.ambiguous)
    }

    /// Whether any attempt was ambiguous.
    pub(super) fn was_ambiguous(&self) -> bool {
        get(&self.was_ambiguous) || self.ambiguous()
    }

    /// Whether an attempt before the last one was ambiguous, so that it may still be under way.
    pub(super) fn has_stray(&self) -> bool {
        get(&self.has_stray)
    }

    pub(super) fn take_answer(&self) -> Option<CapturedBody> {
        self.answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Gives a request the body as it was planned.
    fn fill(&self, request: &mut HttpRequest) -> Result<(), BoxError> {
        let mut length = itoa::Buffer::new();
        let length = length.format(self.body.len()).to_owned();
        request.headers_mut().try_insert("content-length", length)?;
        *request.body_mut() = SdkBody::from(self.body.clone());
        Ok(())
    }

    /// Notes when the attempt was sent, for those that follow the clock.
    fn note_time(&self, components: &RuntimeComponents) {
        if self.plain.is_some() {
            let mut sent = self
                .transmitted_at
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *sent = Some(now(components));
        }
    }

    fn follow_clock(&self, response: &HttpResponse, components: &RuntimeComponents) {
        let mut sent = self
            .transmitted_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let (Some(plain), Some(sent)) = (&self.plain, sent.take()) {
            plain.follow_clock(response, sent, now(components));
        }
    }

    fn has_answer(&self) -> bool {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.is_some()
    }

    /// Keeps the answer, if the body is one.
    fn keep_body(&self, response: &HttpResponse) -> bool {
        let body = response.body();
        let is_json = body.bytes().is_some_and(is_object);
        match body.try_clone().filter(|_| is_json) {
            Some(body) => {
                let request_id = request_id(response);
                self.keep(CapturedBody { body, request_id });
                true
            }
            None => false,
        }
    }

    fn keep(&self, answer: CapturedBody) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

fn get(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

fn set(flag: &AtomicBool, value: bool) {
    flag.store(value, Ordering::Relaxed);
}

/// Leaves the body out, because the SDK prints its parts when it logs.
impl fmt::Debug for HookExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookExchange")
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}

/// The hooks of one call.
#[derive(Debug)]
pub(super) struct Hooks(pub(super) Arc<HookExchange>);

#[dyn_dispatch_hint]
impl Intercept for Hooks {
    fn name(&self) -> &'static str {
        "DynamoEntity"
    }

    fn modify_before_serialization(
        &self,
        _: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if self.0.swaps {
            let serializer = SharedRequestSerializer::new(Serializer(self.0.clone()));
            cfg.interceptor_state().store_put(serializer);
        }
        if self.0.has_agent {
            UserAgentCache::stand_in(cfg);
        }
        Ok(())
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(id) = &self.0.invocation {
            cfg.interceptor_state()
                .store_put(InvocationId::new(id.clone()));
        }
        match get(&self.0.serialized) {
            true => Ok(()),
            false => self.0.fill(context.request_mut()),
        }
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        match &self.0.agent {
            Some(agent) if self.0.has_agent => agent.write(context.request_mut()),
            _ => Ok(()),
        }
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // This comes before the answer of this attempt, which counts as ambiguous too, see `is_ambiguous`.
        set(&self.0.has_stray, get(&self.0.was_ambiguous));
        set(&self.0.transmitted, false);
        // An attempt that is replayed was sent, whatever keeps the SDK from hearing of it.
        if !get(&self.0.replays) {
            set(&self.0.ambiguous, false);
        }
        Ok(())
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // A replayed attempt may have outlived its token, but its answer still counts.
        if let Some(token) = &self.0.token
            && !get(&self.0.replays)
            && !token.is_remembered(now(components))
        {
            return Err("its token is eight minutes old, so it is not sent again".into());
        }
        if let Some(agent) = &self.0.agent {
            agent.learn(context.request(), components);
        }
        self.0.learn(context.request(), components, cfg);
        self.0.note_time(components);
        set(&self.0.transmitted, true);
        set(&self.0.ambiguous, true);
        if !get(&self.0.replays) {
            self.0.attempts.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        components: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.follow_clock(context.response(), components);
        if self.0.swaps && context.response().status().is_success() {
            let deserializer = SharedResponseDeserializer::new(Deserializer(self.0.clone()));
            cfg.interceptor_state().store_put(deserializer);
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response();
        if response.status().is_success() && !self.0.has_answer() {
            self.0.keep_body(response);
        }
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        #[cfg(feature = "tracing")]
        if self.0.is_traced {
            super::traced::attempt(self.0.attempts(), context);
        }
        // An error of an attempt that did not come so far says nothing about one that was sent before: a first attempt
        // of which the SDK could not be told keeps the verdict that it came with.
        if get(&self.0.transmitted) {
            let ambiguous = retry::is_ambiguous(context)
                || self.0.resend == Resend::ByToken && retry::is_going_on(context);
            set(&self.0.ambiguous, ambiguous);
            if retry::was_sent(context) {
                set(&self.0.was_sent, true);
            }
            set(&self.0.transmitted, false);
        }
        if self.0.ambiguous() {
            set(&self.0.was_ambiguous, true);
        }
        set(&self.0.replays, false);
        Ok(())
    }
}

/// The time of the client's clock.
fn now(components: &RuntimeComponents) -> SystemTime {
    match components.time_source() {
        Some(source) => source.now(),
        None => SystemTime::now(),
    }
}

#[derive(Debug)]
struct Serializer(Arc<HookExchange>);

impl SerializeRequest for Serializer {
    fn serialize_input(&self, _: Input, _: &mut ConfigBag) -> Result<HttpRequest, BoxError> {
        set(&self.0.serialized, true);
        let mut request = HttpRequest::new(SdkBody::empty());
        request.set_method("POST")?;
        let headers = request.headers_mut();
        headers.try_insert("content-type", CONTENT_TYPE)?;
        headers.try_insert("x-amz-target", self.0.operation.target())?;
        self.0.fill(&mut request)?;
        Ok(request)
    }
}

#[derive(Debug)]
struct Deserializer(Arc<HookExchange>);

impl DeserializeResponse for Deserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> Result<Output, OrchestratorError<Error>> {
        if !response.status().is_success() {
            // This happens only after a retry: an earlier attempt had 2xx and a body that broke off, and our
            // deserializer stays in the SDK's state.
            let refusal = failure::metadata(response);
            return Err(OrchestratorError::operation(
                self.0.operation.refusal(refusal),
            ));
        }
        if self.0.keep_body(response) {
            Ok(self.0.operation.blank_output())
        } else {
            Err(OrchestratorError::response(
                "the answer is not DynamoDB JSON".into(),
            ))
        }
    }
}

pub(super) fn is_object(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    body.len() >= 2 && body.starts_with(b"{") && body.ends_with(b"}")
}

/// The types that the SDK insists on, one line per operation: its own output and error.
macro_rules! operations {
    ($($operation:ident: $module:ident, $output:ident, $error:ident;)+) => {
        impl ServiceOperation {
            /// The operation's name in DynamoDB's API.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(ServiceOperation::$operation => stringify!($operation),)+ }
            }

            pub(super) const fn target(self) -> &'static str {
                match self {
                    $(ServiceOperation::$operation => concat!("DynamoDB_20120810.", stringify!($operation)),)+
                }
            }

            fn blank_output(self) -> Output {
                match self {
                    $(ServiceOperation::$operation => Output::erase(
                        aws_sdk_dynamodb::operation::$module::$output::builder().build(),
                    ),)+
                }
            }

            fn refusal(self, refusal: ErrorMetadata) -> Error {
                match self {
                    $(ServiceOperation::$operation => Error::erase(
                        aws_sdk_dynamodb::operation::$module::$error::generic(refusal),
                    ),)+
                }
            }
        }
    };
}

operations! {
    GetItem: get_item, GetItemOutput, GetItemError;
    PutItem: put_item, PutItemOutput, PutItemError;
    UpdateItem: update_item, UpdateItemOutput, UpdateItemError;
    DeleteItem: delete_item, DeleteItemOutput, DeleteItemError;
    Query: query, QueryOutput, QueryError;
    Scan: scan, ScanOutput, ScanError;
    BatchGetItem: batch_get_item, BatchGetItemOutput, BatchGetItemError;
    BatchWriteItem: batch_write_item, BatchWriteItemOutput, BatchWriteItemError;
    TransactWriteItems: transact_write_items, TransactWriteItemsOutput, TransactWriteItemsError;
    TransactGetItems: transact_get_items, TransactGetItemsOutput, TransactGetItemsError;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::failure::FailureContext;
    use crate::wire::tests::create;

    /// This holds for every source of retry decisions, and however the last attempt ended.
    #[test]
    fn an_answer_that_was_lost_once_stays_lost() {
        for resend in [Resend::UnlessAmbiguous, Resend::Repeatable] {
            let request = Request { resend, ..create() };
            let exchange = Arc::new(HookExchange::new(&request, true, None, None, None));
            set(&exchange.transmitted, true);
            let site = FailureContext::of(ServiceOperation::PutItem, "tab", &exchange);
            assert!(!site.unknown);
            set(&exchange.was_ambiguous, true);
            let site = FailureContext::of(ServiceOperation::PutItem, "tab", &exchange);
            assert!(site.unknown, "{resend:?}");
        }
    }
}
