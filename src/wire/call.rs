//! One request, one answer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_dynamodb::Client;
use aws_smithy_types::byte_stream::ByteStream;

use super::agent::Agent;
#[cfg(feature = "embedded")]
use super::direct;
use super::failure::{self, Failure, Site};
use super::swap::{Answer, Exchange, Hooks};
use super::{Operation, Reply, Request, Resend, TokenLife, retry, typed};
use crate::codec::Fault;
#[cfg(feature = "embedded")]
use crate::connect::embedded::EmbeddedEngine;
use crate::error::{Error, ErrorKind, Stage};
use crate::runtime;

/// An SDK client, and what we have learned of it.
#[derive(Clone)]
pub(crate) struct Wire {
    client: Client,
    /// Of a client that this library has built: nobody else has a say in its user agent.
    agent: Option<Arc<Agent>>,
    /// Behind the client, for what can do without it.
    #[cfg(feature = "embedded")]
    engine: Option<EmbeddedEngine>,
    /// The SDK does not take our serializer or deserializer: use its typed builders.
    typed: Arc<AtomicBool>,
    sends: Arc<Sends>,
}

/// Whether the server is known to send the item with a condition that failed: of single writes, and of those in
/// transactions. Not every server that speaks DynamoDB's language does.
#[derive(Debug, Default)]
struct Sends {
    alone: AtomicBool,
    together: AtomicBool,
}

impl Sends {
    fn of(&self, operation: Operation) -> &AtomicBool {
        match operation {
            Operation::TransactWriteItems => &self.together,
            _ => &self.alone,
        }
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("typed", &self.is_typed())
            .finish_non_exhaustive()
    }
}

impl Wire {
    pub(crate) fn new(client: Client) -> Self {
        Wire {
            client,
            agent: None,
            #[cfg(feature = "embedded")]
            engine: None,
            typed: Arc::default(),
            sends: Arc::default(),
        }
    }

    /// Another client of the same server.
    pub(crate) fn beside(&self, client: Client) -> Self {
        Wire {
            sends: self.sends.clone(),
            ..Wire::new(client)
        }
    }

    /// The server is DynamoDB itself, or as good.
    #[cfg(any(feature = "aws", feature = "embedded"))]
    pub(crate) fn sending_items(self) -> Self {
        for operation in [Operation::PutItem, Operation::TransactWriteItems] {
            self.learn_that_it_sends(operation);
        }
        self
    }

    /// Whether the server sends the item on which a condition of such an operation failed, if there is one.
    pub(crate) fn sends_items(&self, operation: Operation) -> bool {
        self.sends.of(operation).load(Ordering::Relaxed)
    }

    /// It did.
    pub(crate) fn learn_that_it_sends(&self, operation: Operation) {
        self.sends.of(operation).store(true, Ordering::Relaxed);
    }

    /// For a client that this library has built.
    #[cfg(feature = "aws")]
    pub(crate) fn ours(client: Client) -> Self {
        Wire {
            agent: Some(Arc::default()),
            ..Wire::new(client)
        }
    }

    /// Past the SDK, to the engine itself; the client is for what this library does not do.
    #[cfg(feature = "embedded")]
    pub(crate) fn direct(engine: EmbeddedEngine) -> Self {
        let wire = Wire {
            engine: Some(engine.clone()),
            ..Wire::new(engine.client())
        };
        wire.sending_items()
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn is_typed(&self) -> bool {
        self.typed.load(Ordering::Relaxed)
    }

    #[cfg(all(test, feature = "aws"))]
    pub(super) fn keeps_agent(&self) -> bool {
        let agent = self.agent.as_ref();
        agent.is_some_and(|agent| agent.headers().is_some())
    }

    /// For good: an SDK that ignores us once ignores us always.
    pub(crate) fn use_typed(&self) {
        self.typed.store(true, Ordering::Relaxed);
    }

    /// Refuses to be called where the sockets of a client that the library built would panic.
    pub(crate) fn require_runtime(&self) -> crate::error::Result<()> {
        match self.agent {
            Some(_) => runtime::require_tokio(),
            None => Ok(()),
        }
    }

    /// Sends a request and waits for its answer. Dropped before the end, the request may or may not
    /// have been executed.
    #[cfg(test)]
    pub(crate) async fn call(&self, request: &Request) -> Result<Reply, Failure> {
        let token = (request.resend == Resend::ByToken).then(Arc::default);
        self.attempt(request, token.as_ref()).await
    }

    /// The same of a request that may have been sent with this token before.
    pub(crate) async fn attempt(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<Reply, Failure> {
        self.require_runtime()?;
        #[cfg(feature = "embedded")]
        if let Some(engine) = &self.engine {
            return direct::call(engine, request).await;
        }
        if !self.is_typed() {
            let exchange = self.exchange(request, true, token);
            let outcome = self.send(request, &exchange).await;
            if !exchange.was_ignored() {
                return self.reply(outcome?).await;
            }
            // The SDK sent a request of its own, which names the table and nothing else. No write of
            // that kind exists, so nothing has happened yet.
            self.use_typed();
        }
        let exchange = self.exchange(request, false, token);
        self.reply(self.send(request, &exchange).await?).await
    }

    fn exchange(
        &self,
        request: &Request,
        swaps: bool,
        token: Option<&Arc<TokenLife>>,
    ) -> Arc<Exchange> {
        Exchange::new(request, swaps, self.agent.as_ref(), token)
    }

    async fn reply(&self, outcome: Outcome) -> Result<Reply, Failure> {
        match outcome {
            Outcome::Raw(Answer { body, request_id }) => {
                let body = ByteStream::new(body).collect().await.map_err(unreadable)?;
                Ok(Reply {
                    body: body.into_bytes(),
                    request_id,
                })
            }
            Outcome::Typed(reply) => {
                self.use_typed();
                Ok(reply)
            }
        }
    }

    async fn send(&self, request: &Request, exchange: &Arc<Exchange>) -> Result<Outcome, Failure> {
        let Request {
            operation,
            table,
            body,
            ..
        } = request;
        // The builders differ in type and nothing else.
        macro_rules! send {
            ($method:ident) => {
                send!($method, self.client.$method().table_name(table))
            };
            ($method:ident, $naming:expr) => {{
                let builder = match exchange.swaps() {
                    true => $naming,
                    false => typed::$method(self.client.$method(), body)
                        .map_err(|fault| unsupported(*operation, fault))?,
                };
                let mut call = builder.customize().interceptor(Hooks(exchange.clone()));
                if exchange.resend() == Resend::UnlessAmbiguous {
                    call = call.config_override(retry::guard(exchange));
                }
                match (call.send().await, exchange.take_answer()) {
                    (Ok(_), Some(answer)) => Ok(Outcome::Raw(answer)),
                    (Ok(output), None) => Ok(Outcome::Typed(typed::reply(&output))),
                    (Err(error), _) => Err(failure::from_sdk(
                        error,
                        Site::of(*operation, table, exchange),
                    )),
                }
            }};
        }
        match operation {
            Operation::GetItem => send!(get_item),
            Operation::PutItem => send!(put_item),
            Operation::UpdateItem => send!(update_item),
            Operation::DeleteItem => send!(delete_item),
            Operation::Query => send!(query),
            Operation::Scan => send!(scan),
            Operation::BatchGetItem => send!(
                batch_get_item,
                typed::naming_keys(self.client.batch_get_item(), table)
            ),
            Operation::BatchWriteItem => send!(
                batch_write_item,
                typed::naming_writes(self.client.batch_write_item(), table)
            ),
            Operation::TransactWriteItems => send!(
                transact_write_items,
                typed::naming(self.client.transact_write_items(), table)
            ),
            Operation::TransactGetItems => send!(
                transact_get_items,
                typed::naming_read(self.client.transact_get_items(), table)
            ),
        }
    }
}

enum Outcome {
    Raw(Answer),
    Typed(Reply),
}

fn unreadable(error: aws_smithy_types::byte_stream::error::Error) -> Failure {
    let message = "the body of the answer could not be read";
    Error::new(ErrorKind::Unavailable, Stage::Wire, message)
        .with_source(error)
        .into()
}

fn unsupported(operation: Operation, fault: Fault) -> Failure {
    let message = format!(
        "{} cannot be sent through the SDK's builders: {fault}",
        operation.name()
    );
    Error::new(ErrorKind::Rejected, Stage::Wire, message).into()
}
