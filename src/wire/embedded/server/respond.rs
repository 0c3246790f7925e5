//! One request to the server: its checks, the engine's work, the response.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use http::header::{EXPECT, HOST};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body::Body;
use hyper::body::Incoming;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::limits::ServerLimits;
use super::reply::{rejection, signature_rejection, write_response};
use crate::wire::embedded::answer::EngineAnswer;
use crate::wire::embedded::engine::EmbeddedEngine;
use crate::wire::signing::{AcceptedKey, SignatureFault, SignedHead};

const STREAM_OPERATIONS: [&str; 4] = [
    "DescribeStream",
    "GetRecords",
    "GetShardIterator",
    "ListStreams",
];
/// Requests of the library to its own engine, which are not part of the protocol.
const INNER_OPERATIONS: [&str; 2] = ["SweepExpiredItems", "Panic"];

/// The time for which the rest of a rejected request is read.
const DISCARD_TIME: Duration = Duration::from_secs(2);

/// A body, its hash, and its share of the memory.
type ReadBody<'r> = (Bytes, [u8; 32], SemaphorePermit<'r>);

/// The status of a request whose body did not arrive in time.
const TIMEOUT: u16 = 408;

/// Answers requests, each after it has passed all checks.
pub(super) struct Responder {
    engine: EmbeddedEngine,
    key: Arc<AcceptedKey>,
    pub(super) limits: ServerLimits,
    /// The bytes that are left for bodies.
    memory: Semaphore,
}

impl Responder {
    pub(super) fn new(engine: EmbeddedEngine, key: Arc<AcceptedKey>, limits: ServerLimits) -> Self {
        Responder {
            engine,
            key,
            memory: Semaphore::new(limits.all_bytes),
            limits,
        }
    }

    /// If the connection breaks, this future is dropped: a request that waits in the engine's queue is not executed then.
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<String>, Infallible> {
        let id = self.engine.next_request_id();
        let (parts, mut body) = request.into_parts();
        let answer = match self.answer(&parts, &mut body).await {
            Ok(answer) => answer,
            Err(rejected) => {
                // Most clients read the response only after they have sent their request. Reading from a client that
                // expects a status first would tell it to send the body.
                if rejected.0 != TIMEOUT && !parts.headers.contains_key(EXPECT) {
                    drop(timeout(DISCARD_TIME, self.discard(&mut body)).await);
                }
                rejected
            }
        };
        Ok(write_response(answer, &id))
    }

    /// Executes the request. An error is an answer too, for which the body may be unread.
    async fn answer(
        &self,
        parts: &Parts,
        body: &mut Incoming,
    ) -> Result<EngineAnswer, EngineAnswer> {
        check_host(&parts.headers, &parts.uri)?;
        check_target(parts)?;
        let refused = |fault: SignatureFault| signature_rejection(&fault);
        let head = SignedHead::read_head(&parts.headers, &self.key, SystemTime::now());
        let head = head.map_err(refused)?;
        let read = timeout(self.limits.body_time, self.read_body(body)).await;
        let (body, hash, _held) = read.unwrap_or_else(|_| Err(slow_body()))?;
        head.check_body(&hash, &self.key).map_err(refused)?;
        let operation = operation_of(&parts.headers)?;
        Ok(self.engine.call_operation(operation.into(), body).await)
    }

    /// Reads a body of limited size, with its hash and its share of the memory.
    async fn read_body(&self, body: &mut Incoming) -> Result<ReadBody<'_>, EngineAnswer> {
        let limit = self.limits.body_bytes;
        // A length that a client announces is rejected before anything is kept.
        if usize::try_from(body.size_hint().lower()).map_or(true, |length| length > limit) {
            return Err(large_body());
        }
        let (mut bytes, mut hash) = (BytesMut::new(), Sha256::new());
        let mut held = self.take_memory(0)?;
        while let Some(data) = next_data(body).await? {
            if bytes.len() + data.len() > limit {
                return Err(large_body());
            }
            held.merge(self.take_memory(data.len())?);
            hash.update(&data);
            bytes.extend_from_slice(&data);
        }
        Ok((bytes.freeze(), hash.finalize().into(), held))
    }

    /// A client that knows only the ID of the key could otherwise fill the memory with many bodies.
    fn take_memory(&self, bytes: usize) -> Result<SemaphorePermit<'_>, EngineAnswer> {
        let taken = self
            .memory
            .try_acquire_many(u32::try_from(bytes).unwrap_or(u32::MAX));
        taken.map_err(|_| {
            let message = "the server reads too many large requests at the same time";
            rejection(503, "ServiceUnavailableException", message)
        })
    }

    /// Reads the rest of a body without keeping it, up to twice the limit.
    async fn discard(&self, body: &mut Incoming) {
        let mut left = 2 * self.limits.body_bytes;
        while let Ok(Some(data)) = next_data(body).await {
            match left.checked_sub(data.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    }
}

/// The next bytes of a body. Trailers are ignored.
async fn next_data(body: &mut Incoming) -> Result<Option<Bytes>, EngineAnswer> {
    loop {
        let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await;
        match frame {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(_)) => {
                return Err(rejection(
                    400,
                    "SerializationException",
                    "the body is cut off",
                ));
            }
        }
    }
}

fn large_body() -> EngineAnswer {
    rejection(
        413,
        "RequestEntityTooLargeException",
        "the request is larger than 16 MB",
    )
}

fn slow_body() -> EngineAnswer {
    rejection(
        TIMEOUT,
        "RequestTimeoutException",
        "the body did not arrive in time",
    )
}

/// Accepts only names of this machine. A page of a browser can give a name of its own to the address 127.0.0.1, and would
/// then have the origin of this server.
fn check_host(headers: &HeaderMap, uri: &Uri) -> Result<(), EngineAnswer> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    // The port may be that of a tunnel.
    let name = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    let is_here =
        name.is_some_and(|name| name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"));
    if is_here && hosts.next().is_none() && uri.authority().is_none() {
        return Ok(());
    }
    Err(rejection(
        403,
        "AccessDeniedException",
        "the host of the request must be 127.0.0.1 or localhost",
    ))
}

/// Accepts a POST to `/` without a query.
fn check_target(parts: &Parts) -> Result<(), EngineAnswer> {
    let query = parts.uri.query().unwrap_or_default();
    if query.to_ascii_lowercase().contains("x-amz-") {
        return Err(signature_rejection(&SignatureFault::incomplete(
            "Presigned requests are not accepted: sign with the header 'Authorization'.",
        )));
    }
    if parts.method != Method::POST || parts.uri.path() != "/" || parts.uri.query().is_some() {
        let message = "a request is a POST to `/` without a query";
        return Err(rejection(404, "UnknownOperationException", message));
    }
    Ok(())
}

/// The operation that the client requests.
fn operation_of(headers: &HeaderMap) -> Result<String, EngineAnswer> {
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| {
        let (service, operation) = target.split_once('.')?;
        let is_of_streams = STREAM_OPERATIONS.contains(&operation);
        let is_known = match service {
            "DynamoDB_20120810" => !is_of_streams && !INNER_OPERATIONS.contains(&operation),
            "DynamoDBStreams_20120810" => is_of_streams,
            _ => false,
        };
        is_known.then(|| operation.to_owned())
    });
    operation.ok_or_else(|| {
        let message = "the header `X-Amz-Target` names no operation of this server";
        rejection(400, "UnknownOperationException", message)
    })
}
