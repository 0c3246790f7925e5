//! Connections whose requests wait until the test releases them, one at a time, in an order that the test chooses.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use tokio::sync::oneshot;

type Response = Result<HttpResponse, ConnectorError>;

/// A request that waits, or whose client has stopped waiting for it.
pub struct Waiting {
    inner: SharedHttpConnector,
    request: HttpRequest,
    reply: oneshot::Sender<Response>,
}

/// The effect of a request on the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    Wrote,
    Rejected,
}

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    /// It takes effect, and its response is lost.
    Lose,
    /// It never arrives, which its client does not know.
    Vanish,
}

impl Waiting {
    pub fn operation(&self) -> String {
        let target = self.request.headers().get("x-amz-target");
        let operation = target.unwrap_or_default().rsplit('.').next();
        operation.unwrap_or_default().to_owned()
    }

    pub fn writes(&self) -> bool {
        let operation = self.operation();
        ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"].contains(&&*operation)
    }

    /// Executes it. Returns `None` if it never arrives.
    pub async fn release(self, fate: Fate) -> Option<Effect> {
        if fate == Fate::Vanish {
            drop(self.reply.send(Err(reset())));
            return None;
        }
        let writes = self.writes();
        let response = self.inner.call(self.request).await;
        let is_done = response.as_ref().is_ok_and(|r| r.status().is_success());
        let response = if fate == Fate::Lose {
            Err(reset())
        } else {
            response
        };
        drop(self.reply.send(response));
        Some(match (writes, is_done) {
            (false, _) => Effect::Read,
            (true, true) => Effect::Wrote,
            (true, false) => Effect::Rejected,
        })
    }

    /// Shows a lost connection to the client. The request arrives later.
    pub fn delayed(self) -> Waiting {
        drop(self.reply.send(Err(reset())));
        Waiting {
            inner: self.inner,
            request: self.request,
            reply: oneshot::channel().0,
        }
    }
}

fn reset() -> ConnectorError {
    ConnectorError::io(io::Error::new(io::ErrorKind::ConnectionReset, "connection reset").into())
}

#[derive(Default)]
struct State {
    is_closed: bool,
    waiting: Vec<Waiting>,
    waker: Option<Waker>,
}

/// The requests of one connection. While the gate is open, they pass.
#[derive(Clone, Default)]
pub struct Gate(Arc<Mutex<State>>);

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gate")
    }
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn close(&self) {
        self.state().is_closed = true;
    }

    /// The next request.
    pub fn take(&self) -> Option<Waiting> {
        let mut state = self.state();
        (!state.waiting.is_empty()).then(|| state.waiting.remove(0))
    }

    /// Forgets the requests of a client that no longer exists.
    pub fn clear(&self) {
        self.state().waiting.clear();
    }

    /// Polls until the future is ready, or until one of its requests waits.
    pub async fn advance<F: Future + Unpin>(&self, future: &mut F) -> Option<F::Output> {
        std::future::poll_fn(|context| {
            self.state().waker = Some(context.waker().clone());
            if let Poll::Ready(output) = std::pin::Pin::new(&mut *future).poll(context) {
                return Poll::Ready(Some(output));
            }
            match self.state().waiting.is_empty() {
                true => Poll::Pending,
                false => Poll::Ready(None),
            }
        })
        .await
    }

    pub fn around(&self, inner: SharedHttpClient) -> SharedHttpClient {
        SharedHttpClient::new(Gated {
            inner,
            gate: self.clone(),
        })
    }
}

#[derive(Debug)]
struct Gated<C> {
    inner: C,
    gate: Gate,
}

impl HttpClient for Gated<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Gated {
            inner: self.inner.http_connector(settings, components),
            gate: self.gate.clone(),
        })
    }
}

impl HttpConnector for Gated<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let inner = self.inner.clone();
        let mut state = self.gate.state();
        if !state.is_closed {
            return HttpConnectorFuture::new(async move { inner.call(request).await });
        }
        let (reply, response) = oneshot::channel();
        state.waiting.push(Waiting {
            inner,
            request,
            reply,
        });
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
        HttpConnectorFuture::new(async move {
            let gone = |_| ConnectorError::io("the gate is gone".into());
            response.await.map_err(gone)?
        })
    }
}
