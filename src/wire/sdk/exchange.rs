//! The messages between a call and its hooks, and the result of each attempt.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use aws_sdk_dynamodb::config::{ConfigBag, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::FinalizerInterceptorContextRef;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;

use super::agent::UserAgentCache;
use crate::error::Stage;
use crate::wire::ambiguity;
use crate::wire::direct::{ClientProbe, DirectPath, FirstResult, TimeLimit};
use crate::wire::failure::{FailureContext, request_id};
use crate::wire::request::{Request, Resend, ServiceOperation, is_object};
use crate::wire::token_life::TokenLife;

/// The data that a call and its hooks share.
pub(in crate::wire) struct HookExchange {
    operation: ServiceOperation,
    body: Bytes,
    resend: Resend,
    /// Whether our serializer and deserializer are offered to the SDK.
    pub(super) swaps: bool,
    serialized: AtomicBool,
    /// Whether the current attempt was handed to a connection.
    transmitted: AtomicBool,
    /// When that was, by the client's clock.
    transmitted_at: Mutex<Option<SystemTime>>,
    /// Whether the service may have received an earlier attempt.
    was_sent: AtomicBool,
    /// The number of attempts that were sent.
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
    pub(super) invocation: Option<String>,
    /// The end of the whole operation, for a request whose first attempt was made without the SDK.
    limit: Option<(Instant, TimeLimit)>,
    /// The age of the token, if the request has one.
    token: Option<Arc<TokenLife>>,
    /// The user agent of the connection, if it keeps one.
    pub(super) agent: Option<Arc<UserAgentCache>>,
    /// Whether this request already has it; otherwise the SDK makes one.
    pub(super) has_agent: bool,
    answer: Mutex<Option<CapturedBody>>,
    /// Whether failed attempts are events of the request's span.
    #[cfg(feature = "tracing")]
    pub(super) is_traced: bool,
}

/// A body of 2xx as it came, in memory.
pub(super) struct CapturedBody {
    pub(super) body: SdkBody,
    pub(super) request_id: Option<String>,
}

impl HookExchange {
    pub(in crate::wire) fn new(
        request: &Request,
        swaps: bool,
        agent: Option<&Arc<UserAgentCache>>,
        token: Option<&Arc<TokenLife>>,
        plain: Option<&Arc<DirectPath>>,
    ) -> Self {
        HookExchange {
            agent: agent.cloned(),
            has_agent: agent.is_some_and(|agent| agent.cached_headers().is_some()),
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
    pub(in crate::wire) fn set_traced(&mut self, is_traced: bool) {
        self.is_traced = is_traced;
    }

    /// For a request from which later ones may learn.
    pub(in crate::wire) fn for_learning(mut self) -> Self {
        self.teaches = true;
        self
    }

    /// For a request whose first attempt was made without the SDK.
    pub(in crate::wire) fn with_replay(
        mut self,
        first: &FirstResult,
        invocation: String,
        limit: Option<(Instant, TimeLimit)>,
    ) -> Self {
        // DynamoDB reports that an earlier attempt with the same token is still executing, so its
        // result is open. Only requests with a token can get this response.
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

    /// The limit that is over, if the SDK was given only the remaining time.
    pub(super) fn limit_that_is_over(&self) -> Option<TimeLimit> {
        let (began, limit) = self.limit?;
        limit.is_over_since(began).then_some(limit)
    }

    pub(in crate::wire) fn take_lesson(&self) -> Option<Box<Result<ClientProbe, String>>> {
        let mut lesson = self.lesson.lock().unwrap_or_else(PoisonError::into_inner);
        lesson.take()
    }

    pub(super) fn service_operation(&self) -> ServiceOperation {
        self.operation
    }

    /// Notes that the request has the body as it was planned.
    pub(super) fn note_serialized(&self) {
        write_flag(&self.serialized, true);
    }

    pub(super) fn is_serialized(&self) -> bool {
        read_flag(&self.serialized)
    }

    pub(super) fn begin_attempt(&self) {
        // This comes before the response of this attempt: a stray is an earlier attempt, and this one may count as
        // ambiguous too, see `is_ambiguous`.
        write_flag(&self.has_stray, read_flag(&self.was_ambiguous));
        write_flag(&self.transmitted, false);
        // A replayed attempt was sent, even if something prevents the SDK from seeing its result. Therefore it keeps
        // its verdict.
        if !read_flag(&self.replays) {
            write_flag(&self.ambiguous, false);
        }
    }

    /// Fails if the service may have forgotten the token of the request.
    pub(super) fn require_young_token(
        &self,
        components: &RuntimeComponents,
    ) -> Result<(), BoxError> {
        // A replayed attempt has already been sent. Its token may be too old by now, but its response still counts.
        if let Some(token) = &self.token
            && !read_flag(&self.replays)
            && !token.is_remembered(current_time(components))
        {
            return Err("its token is eight minutes old, so it is not sent again".into());
        }
        Ok(())
    }

    /// Notes that an attempt is handed to a connection, and learns from it.
    pub(super) fn note_sending(
        &self,
        request: &HttpRequest,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) {
        // This hook runs after all that change the request, so the headers are complete here.
        if let Some(agent) = &self.agent {
            agent.learn_headers(request, components);
        }
        self.learn_client(request, components, settings);
        self.note_time(components);
        write_flag(&self.transmitted, true);
        // If the call is dropped from here on, nothing else will judge the attempt.
        write_flag(&self.ambiguous, true);
        if !read_flag(&self.replays) {
            self.attempts.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn end_attempt(&self, attempt: &FinalizerInterceptorContextRef<'_>) {
        // An attempt that failed before it was sent says nothing about one that was sent earlier. Therefore a first
        // attempt whose result the SDK could not be given keeps its verdict.
        if read_flag(&self.transmitted) {
            let ambiguous = ambiguity::is_ambiguous(attempt)
                || self.resend == Resend::ByToken && ambiguity::is_going_on(attempt);
            write_flag(&self.ambiguous, ambiguous);
            if ambiguity::was_sent(attempt) {
                write_flag(&self.was_sent, true);
            }
            write_flag(&self.transmitted, false);
        }
        if self.is_ambiguous() {
            write_flag(&self.was_ambiguous, true);
        }
        // Only the first attempt of the SDK is a replay; those after it are really sent.
        write_flag(&self.replays, false);
    }

    fn learn_client(&self, request: &HttpRequest, components: &RuntimeComponents, cfg: &ConfigBag) {
        if !self.teaches || !self.plain.as_ref().is_some_and(|plain| plain.is_curious()) {
            return;
        }
        let Some(plain) = &self.plain else {
            return;
        };
        // A retried request may be read more than once. A later attempt is no lesson, so it does
        // not replace that of the first.
        let lesson = plain.read_lesson(self.operation, &self.body, request, components, cfg);
        if let Some(lesson) = lesson {
            let lesson = Some(Box::new(lesson));
            *self.lesson.lock().unwrap_or_else(PoisonError::into_inner) = lesson;
        }
    }

    /// The site of a failure of this call.
    pub(in crate::wire) fn failure_context<'a>(&'a self, table: &'a str) -> FailureContext<'a> {
        let was_ambiguous = self.was_ambiguous();
        // All attempts count, because a retry strategy of the user need not consult our classifier. A token changes
        // nothing: it shows that an earlier attempt was not executed before this one, but not that it never will be.
        let unknown = was_ambiguous && self.resend != Resend::Always;
        FailureContext {
            operation: self.operation.operation_name(),
            body: &self.body,
            table,
            stage: Stage::Service,
            sent: self.was_sent(),
            unknown,
            has_stray: was_ambiguous,
        }
    }

    pub(super) fn resend_rule(&self) -> Resend {
        self.resend
    }

    /// Whether the service may have received any attempt.
    pub(super) fn was_sent(&self) -> bool {
        read_flag(&self.was_sent) || read_flag(&self.transmitted)
    }

    /// The number of attempts. A replayed first attempt counts, because the SDK regards it as its own.
    pub(super) fn attempt_count(&self) -> u64 {
        self.attempts.load(Ordering::Relaxed).into()
    }

    /// Whether the last attempt was sent and its result is not known.
    pub(super) fn is_ambiguous(&self) -> bool {
        read_flag(&self.ambiguous)
    }

    /// Whether any attempt was ambiguous.
    pub(super) fn was_ambiguous(&self) -> bool {
        read_flag(&self.was_ambiguous) || self.is_ambiguous()
    }

    /// Whether an attempt before the last one was ambiguous, so that it may still be under way.
    pub(super) fn has_stray(&self) -> bool {
        read_flag(&self.has_stray)
    }

    pub(super) fn take_answer(&self) -> Option<CapturedBody> {
        self.answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Gives a request the body as it was planned.
    pub(super) fn fill_request(&self, request: &mut HttpRequest) -> Result<(), BoxError> {
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
            *sent = Some(current_time(components));
        }
    }

    pub(super) fn follow_clock(&self, response: &HttpResponse, components: &RuntimeComponents) {
        let mut sent = self
            .transmitted_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let (Some(plain), Some(sent)) = (&self.plain, sent.take()) {
            plain.follow_clock(response, sent, current_time(components));
        }
    }

    pub(super) fn has_answer(&self) -> bool {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.is_some()
    }

    /// Keeps the response, if its body is one.
    pub(super) fn keep_body(&self, response: &HttpResponse) -> bool {
        let body = response.body();
        let is_json = body.bytes().is_some_and(is_object);
        match body.try_clone().filter(|_| is_json) {
            Some(body) => {
                let request_id = request_id(response);
                self.capture_body(CapturedBody { body, request_id });
                true
            }
            None => false,
        }
    }

    fn capture_body(&self, answer: CapturedBody) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

fn read_flag(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

fn write_flag(flag: &AtomicBool, value: bool) {
    flag.store(value, Ordering::Relaxed);
}

/// The time of the client's clock.
fn current_time(components: &RuntimeComponents) -> SystemTime {
    match components.time_source() {
        Some(source) => source.now(),
        None => SystemTime::now(),
    }
}

/// Leaves the body out, because the SDK prints its parts when it logs.
impl fmt::Debug for HookExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookExchange")
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::create;

    /// This holds for every source of retry decisions, and however the last attempt ended.
    #[test]
    fn an_answer_that_was_lost_once_stays_lost() {
        for resend in [Resend::UnlessAmbiguous, Resend::RetrySafe] {
            let request = Request { resend, ..create() };
            let exchange = Arc::new(HookExchange::new(&request, true, None, None, None));
            write_flag(&exchange.transmitted, true);
            let site = exchange.failure_context("tab");
            assert!(!site.unknown);
            write_flag(&exchange.was_ambiguous, true);
            let site = exchange.failure_context("tab");
            assert!(site.unknown, "{resend:?}");
        }
    }
}
