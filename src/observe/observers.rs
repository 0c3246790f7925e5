//! The observers of a connection, which are called for each request.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
#[cfg(feature = "tracing")]
use tracing::Instrument;

use crate::observe::answer_counts::AnswerCounts;
use crate::observe::event::{ObservedBody, RequestEvent};
#[cfg(feature = "tracing")]
use crate::observe::span;
use crate::wire::{Failure, RETURN_CONSUMED, Reply, Request, TokenLife, Wire, WireTrace};

type Watcher = Arc<dyn Fn(&RequestEvent<'_>) + Send + Sync>;

/// The observers of a connection, at least one; see
/// [`Dynamo::with_observer`](crate::dynamo::Dynamo::with_observer).
#[derive(Clone, Default)]
pub(crate) struct Observers {
    all: Vec<Watcher>,
    /// Whether each request has a span.
    #[cfg(feature = "tracing")]
    is_traced: bool,
}

impl Observers {
    /// Adds one more.
    pub(crate) fn add_observer(
        &mut self,
        observer: impl Fn(&RequestEvent<'_>) + Send + Sync + 'static,
    ) {
        self.all.push(Arc::new(observer));
    }

    /// Gives each request a span.
    #[cfg(feature = "tracing")]
    pub(crate) fn enable_tracing(&mut self) {
        self.is_traced = true;
    }

    /// Sends a request that also requests its units, and calls the observers.
    #[cfg(feature = "tracing")]
    pub(crate) async fn watch_request(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        let span = match self.is_traced {
            true => span::begin_span(request),
            false => tracing::Span::none(),
        };
        if span.is_disabled() && self.all.is_empty() {
            return wire.attempt(request, token).await;
        }
        let mut trace = WireTrace::default();
        trace.is_traced = !span.is_disabled();
        let sent = self.tell_observers(wire, request, token, trace, |seen| {
            span::end_span(&span, seen)
        });
        sent.instrument(span.clone()).await
    }

    /// Sends a request that also requests its units, and calls the observers.
    #[cfg(not(feature = "tracing"))]
    pub(crate) async fn watch_request(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        self.tell_observers(wire, request, token, WireTrace::default(), |_| ())
            .await
    }

    async fn tell_observers(
        &self,
        wire: &Wire,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
        mut trace: WireTrace,
        first: impl FnOnce(&RequestEvent<'_>),
    ) -> Result<Reply, Failure> {
        let began = Instant::now();
        let asking = with_capacity_request(request);
        let outcome = wire.attempt_by(&asking, token, &mut trace).await;
        let duration = began.elapsed();
        let (body, request_id, error) = match &outcome {
            Ok(reply) => (&*reply.body, reply.request_id.as_deref(), None),
            Err(failure) => (&[][..], failure.error.request_id(), Some(&failure.error)),
        };
        let answer = AnswerCounts::read_counts(body, &request.table);
        let observed = RequestEvent {
            pattern: request.pattern,
            operation: request.operation.operation_name(),
            table: &request.table,
            duration,
            attempts: trace.attempt_count(),
            rows: answer.rows,
            looked_at: answer.looked_at,
            request_bytes: asking.body.len(),
            answer_bytes: body.len(),
            request_id,
            consumed: &answer.consumed,
            error,
            path: &trace.path,
            body: ObservedBody(request),
        };
        // The span is completed before the observers run, because they may take time or panic.
        first(&observed);
        for observer in &self.all {
            observer(&observed);
        }
        outcome
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Observers({})", self.all.len())
    }
}

/// The same request, which also requests its consumed capacity.
fn with_capacity_request(request: &Request) -> Request {
    let mut request = request.clone();
    // Every body of this library ends with the brace of its object, so the parameter can be added
    // without parsing.
    if let (false, Some(open)) = (request.is_metered, request.body.strip_suffix(b"}")) {
        let body = [open, RETURN_CONSUMED.as_bytes(), b"}"].concat();
        request.body = Bytes::from(body);
    }
    request
}
