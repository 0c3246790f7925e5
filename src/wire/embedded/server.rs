//! The embedded engine as a server on this machine, for other programs (feature `serve`).
//!
//! ```text
//! reply    responses as DynamoDB writes them, with their checksum
//! limits   sizes and times that one client cannot exceed
//! respond  one request: checks its host and its signature, and passes it to the engine
//! socket   a connection that ends if its client does not read
//! accept   the connections, and their end
//! ```

mod accept;
mod limits;
mod reply;
mod respond;
mod socket;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::engine::EmbeddedEngine;
use crate::entropy::{random_bits, random_half};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::wire::signing::AcceptedKey;
use accept::accept_connections;
use limits::ServerLimits;
use respond::Responder;

/// The region that clients are told. Requests that are signed for other regions are accepted too.
const SERVED_REGION: &str = "us-east-1";

/// Variables that select another key or another endpoint, or that belong to another key.
const OTHER_KEYS: [&str; 5] = [
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_CREDENTIAL_EXPIRATION",
    "AWS_PROFILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
];

/// Starts an [`EmbeddedServer`]; see [`EmbeddedEngine::serve`].
#[must_use = "nothing is served until `.start().await`"]
pub struct ServeEngine {
    engine: EmbeddedEngine,
    port: u16,
    key: Option<(String, String)>,
    limits: ServerLimits,
}

/// Does not show the secret.
impl fmt::Debug for ServeEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeEngine")
            .field("port", &self.port)
            .field("key", &self.key.as_ref().map(|(id, _)| id))
            .finish_non_exhaustive()
    }
}

impl EmbeddedEngine {
    /// Makes this engine available to other programs on this machine, through the protocol of DynamoDB: to the AWS
    /// command line, NoSQL Workbench, programs in other languages, and a second process of the same program.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use dynamo_entity::embedded::EmbeddedEngine;
    ///
    /// let engine = EmbeddedEngine::memory().await?;
    /// let server = engine.serve().start().await?;
    /// assert!(server.url().starts_with("http://127.0.0.1:"));
    ///
    /// // for a program that finds DynamoDB by the usual environment variables
    /// let mut aws = std::process::Command::new("aws");
    /// server.configure_command(&mut aws).args(["dynamodb", "list-tables"]);
    /// server.stop().await;
    /// # Ok(()) }
    /// ```
    ///
    /// The server listens on 127.0.0.1 only, over HTTP without TLS. It accepts only requests that are signed with its
    /// key and whose `Host` is this machine, so web pages in a browser cannot use it. It runs on a thread of its own.
    pub fn serve(&self) -> ServeEngine {
        ServeEngine {
            engine: self.clone(),
            port: 0,
            key: None,
            limits: ServerLimits::default(),
        }
    }
}

impl ServeEngine {
    /// Sets the port. By default, and with 0, the operating system chooses a free port.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the key with which requests must be signed. By default, the server creates a random key.
    ///
    /// The ID may contain letters, digits, `-` and `_`. The secret must have at least 16 characters, without spaces.
    pub fn key(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.key = Some((id.into(), secret.into()));
        self
    }

    #[cfg(test)]
    fn limits(mut self, limits: ServerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Starts the server.
    ///
    /// Fails with [`ErrorKind::Config`] if the port is in use, or if the key breaks the rules of [`key`](Self::key).
    pub async fn start(self) -> Result<EmbeddedServer> {
        let (id, secret) = match self.key {
            Some(key) => key,
            None => draw_key()?,
        };
        let key = AcceptedKey::new(id, secret).ok_or_else(|| {
            Error::config(
                "the key of the server is not usable: its ID needs letters, digits, `-` or `_`, and its secret at least \
                 16 characters without spaces",
            )
        })?;
        let key = Arc::new(key);
        let responder = Responder::new(self.engine, key.clone(), self.limits);
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = oneshot::channel();
        let (ending, ended) = oneshot::channel();
        let port = self.port;
        let serve = move || {
            let listening = listen(port);
            let runtime = match listening {
                Ok((runtime, listener, address)) => {
                    if ready.send(Ok(address)).is_ok() {
                        runtime.block_on(accept_connections(
                            listener,
                            Arc::new(responder),
                            stopped,
                        ));
                    }
                    runtime
                }
                Err(error) => return drop(ready.send(Err(error))),
            };
            // Connections that did not end in time are closed here.
            drop(runtime);
            // Nothing waits for it if the server was dropped.
            let _ = ending.send(());
        };
        thread::Builder::new()
            .name("dynamo-serve".into())
            .spawn(serve)
            .map_err(|error| cannot_serve(port, &error))?;
        let started = started.await;
        let address = started.map_err(|_| cannot_serve(port, &"its thread ended"))??;
        Ok(EmbeddedServer {
            address,
            key,
            stop: Some(stop),
            ended,
        })
    }
}

/// A key of random numbers of the operating system.
fn draw_key() -> Result<(String, String)> {
    let id = format!("LOCAL{:015X}", random_half()? >> 4);
    Ok((
        id,
        format!("{:032x}{:08x}", random_bits()?, random_half()? >> 32),
    ))
}

fn listen(port: u16) -> Result<(tokio::runtime::Runtime, TcpListener, SocketAddr)> {
    let failed = |error| cannot_serve(port, &error);
    // Only the timers and the sockets of this runtime are used, whatever runtime the caller has.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((runtime, listener, address))
}

fn cannot_serve(port: u16, why: &dyn fmt::Display) -> Error {
    let message = format!("the embedded engine cannot be served at 127.0.0.1:{port}: {why}");
    Error::new(ErrorKind::Config, Stage::Connect, message)
}

/// The embedded engine as a server on this machine. Dropping it stops the server.
#[must_use = "dropping it stops the server"]
pub struct EmbeddedServer {
    address: SocketAddr,
    key: Arc<AcceptedKey>,
    stop: Option<oneshot::Sender<()>>,
    ended: oneshot::Receiver<()>,
}

impl EmbeddedServer {
    /// The address of the server, such as `http://127.0.0.1:8000`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port of the server.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A region for clients that need one to sign requests. The server accepts every region.
    pub fn region(&self) -> &str {
        SERVED_REGION
    }

    /// The ID of the key with which requests must be signed.
    pub fn access_key_id(&self) -> &str {
        self.key.id()
    }

    /// The secret of the key with which requests must be signed.
    pub fn secret_access_key(&self) -> &str {
        self.key.secret()
    }

    /// The environment variables by which the AWS command line, the SDKs and [`Dynamo::from_env`] find this server. A
    /// variable without a value must be removed, because it would take precedence over the others.
    ///
    /// [`Dynamo::from_env`]: crate::Dynamo::from_env
    pub fn variables(&self) -> Vec<(&'static str, Option<String>)> {
        let text = |value: &str| Some(value.to_owned());
        let mut variables = vec![
            ("DYNAMO_URL", Some(self.url())),
            ("AWS_ENDPOINT_URL_DYNAMODB", Some(self.url())),
            ("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", Some(self.url())),
            ("AWS_REGION", text(self.region())),
            // Older programs read only this one.
            ("AWS_DEFAULT_REGION", text(self.region())),
            ("AWS_ACCESS_KEY_ID", text(self.access_key_id())),
            ("AWS_SECRET_ACCESS_KEY", text(self.secret_access_key())),
        ];
        variables.extend(OTHER_KEYS.map(|name| (name, None)));
        variables
    }

    /// Sets and removes these [`variables`](Self::variables) for a program, so that it uses this server.
    pub fn configure_command<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for (name, value) in self.variables() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Stops the server: it accepts no further connections, completes the requests that it is executing, and closes
    /// all connections. After five seconds, it also closes connections that are still busy.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        // The sender is dropped unused if the thread ended by itself.
        let ended = (&mut self.ended).await;
        drop(ended);
    }
}

/// Does not show the secret.
impl fmt::Debug for EmbeddedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedServer")
            .field("url", &self.url())
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
