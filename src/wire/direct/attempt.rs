//! A first attempt that is under way.
//!
//! It is polled manually: thousands of calls may wait at once, and a future made by the compiler would also keep the
//! request and the response in memory.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Instant, SystemTime};

use aws_sdk_dynamodb::config::Sleep;
use aws_sdk_dynamodb::error::{BoxError, ConnectorError};
use aws_smithy_runtime_api::client::connection::CaptureSmithyConnection;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use bytes::Bytes;
use http_body::{Body, Frame};

use super::first_result::FirstResult;
use super::route::{Route, RouteRequest};
use super::time_limit::TimeLimit;
use super::upload::UploadWatch;
use crate::wire::failure::request_id;
use crate::wire::request::{BoxFuture, Reply, is_object};

/// A request that was handed to the SDK's connector, and waits for its response. The SDK gets every result that is not
/// a readable response.
pub(crate) struct DirectAttempt {
    route: Arc<Route>,
    began: Instant,
    /// The time of the client's clock when it was sent.
    sent_at: SystemTime,
    /// The credentials that signed it.
    identity: Option<Arc<Identity>>,
    sent: HttpConnectorFuture,
    /// The rest of an answer whose body was not there at once.
    rest: Option<BoxFuture<'static, Result<Reply, Box<FirstResult>>>>,
    /// When it is given up.
    end: Option<(TimeLimit, Sleep)>,
    upload: Option<Box<UploadWatch>>,
    connection: CaptureSmithyConnection,
    invocation: String,
}

/// A first attempt without a response that can be read.
pub(crate) struct FailedAttempt {
    pub(crate) result: FirstResult,
    pub(crate) route: Arc<Route>,
    /// When it began.
    pub(crate) began: Instant,
    /// The credentials that signed it.
    pub(super) identity: Option<Arc<Identity>>,
    /// The connection that it used, which the SDK closes after some failures.
    pub(crate) connection: CaptureSmithyConnection,
    /// The id of the request, which its later attempts share.
    pub(crate) invocation: String,
}

/// The known part of a response when it begins.
enum FirstLook {
    Whole(Result<Reply, Box<FirstResult>>),
    Part(BoxFuture<'static, Result<Reply, Box<FirstResult>>>),
}

impl DirectAttempt {
    /// Sends a request once.
    pub(super) fn new(
        route: &Arc<Route>,
        request: RouteRequest,
        identity: Option<Arc<Identity>>,
        sent_at: SystemTime,
    ) -> Self {
        let (route, began) = (route.clone(), Instant::now());
        let RouteRequest {
            mut request,
            invocation,
        } = request;
        let upload = UploadWatch::start_watch(&route, &mut request).map(Box::new);
        let connection = CaptureSmithyConnection::new();
        request.add_extension(connection.clone());
        DirectAttempt {
            sent: route.http_connector().call(request),
            rest: None,
            end: route.attempt_end(),
            route,
            began,
            sent_at,
            identity,
            upload,
            connection,
            invocation,
        }
    }

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<Reply, Box<FirstResult>>> {
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.as_mut().poll(context);
            }
            let response = ready!(Pin::new(&mut self.sent).poll(context));
            // A response ends the watch over the upload: a server may reject a request before it
            // has read all of it.
            self.upload = None;
            // Rejections count too: a rejection because of a wrong clock is the response whose date
            // is needed most.
            if let Ok(response) = &response {
                self.route.follow_clock(response, self.sent_at);
            }
            match first_look(&self.route, response, context) {
                FirstLook::Whole(result) => return Poll::Ready(result),
                FirstLook::Part(rest) => self.rest = Some(rest),
            }
        }
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Box<FirstResult>> {
        if let Some(upload) = &mut self.upload
            && let Poll::Ready(stalled) = upload.poll_stalled(context)
        {
            return Poll::Ready(Box::new(FirstResult::Broken(stalled)));
        }
        match &mut self.end {
            Some((limit, sleep)) => Pin::new(sleep)
                .poll(context)
                .map(|()| Box::new(FirstResult::timed_out(*limit))),
            None => Poll::Pending,
        }
    }
}

impl Future for DirectAttempt {
    type Output = Result<Reply, FailedAttempt>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The response is polled before the time limit, so one that arrives at the last moment
        // still counts.
        let result = match self.poll_answer(context) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(ready!(self.poll_end(context))),
        };
        Poll::Ready(result.map_err(|result| FailedAttempt {
            result: *result,
            route: self.route.clone(),
            began: self.began,
            identity: self.identity.take(),
            connection: self.connection.clone(),
            invocation: std::mem::take(&mut self.invocation),
        }))
    }
}

/// Reads the available part of a response. Most bodies are available at once; the others are watched as the SDK would
/// watch them.
fn first_look(
    route: &Arc<Route>,
    response: Result<HttpResponse, ConnectorError>,
    context: &mut Context<'_>,
) -> FirstLook {
    // Only the body of a success is read here. The SDK reads that of a rejection, which it needs to
    // classify the error.
    let mut response = match response {
        Ok(response) if response.status().is_success() => response,
        Ok(refusal) => return FirstLook::Whole(Err(Box::new(FirstResult::Answer(refusal)))),
        Err(error) => return FirstLook::Whole(Err(Box::new(FirstResult::Broken(error)))),
    };
    let body = std::mem::replace(response.body_mut(), SdkBody::taken());
    let (mut stream, mut read) = (ByteStream::new(body), Vec::new());
    // Most bodies are already in the buffers of the connection when the head arrives. Reading them
    // in place saves a boxed future and the guard against stalled streams.
    let whole = loop {
        let next = pin!(stream.next()).poll(context);
        match next {
            Poll::Ready(Some(Ok(piece))) => read.push(piece),
            Poll::Ready(Some(Err(error))) => break Err(error.into()),
            Poll::Ready(None) => break Ok(join_pieces(read)),
            Poll::Pending => {
                let route = route.clone();
                // The watch counts from here on, as the SDK's does: it measures the throughput of a
                // body that lets its reader wait.
                return FirstLook::Part(Box::pin(async move {
                    let body = route.watch_upload(stream.into_inner());
                    let whole = read_rest(body, read).await;
                    finish_response(response, whole)
                }));
            }
        }
    };
    FirstLook::Whole(finish_response(response, whole))
}

async fn read_rest(body: SdkBody, mut read: Vec<Bytes>) -> Result<Bytes, BoxError> {
    let mut stream = ByteStream::new(body);
    while let Some(piece) = stream.next().await {
        read.push(piece?);
    }
    Ok(join_pieces(read))
}

fn finish_response(
    mut response: HttpResponse,
    body: Result<Bytes, BoxError>,
) -> Result<Reply, Box<FirstResult>> {
    *response.body_mut() = match body {
        Ok(body) if is_object(&body) => {
            return Ok(Reply {
                body,
                request_id: request_id(&response),
                has_stray: false,
            });
        }
        Ok(body) => SdkBody::from(body),
        Err(error) => SdkBody::from_body_1_x(BrokenBody(Some(error))),
    };
    Err(Box::new(FirstResult::Answer(response)))
}

/// A body that gives only its error, so that the SDK meets the error where it would have.
struct BrokenBody(Option<BoxError>);

impl Body for BrokenBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Poll::Ready(self.0.take().map(Err))
    }
}

/// The pieces of a body as one. Most bodies come in one piece.
fn join_pieces(mut pieces: Vec<Bytes>) -> Bytes {
    match pieces.len() {
        0 | 1 => pieces.pop().unwrap_or_default(),
        _ => Bytes::from(pieces.concat()),
    }
}
