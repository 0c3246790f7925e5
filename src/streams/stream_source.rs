//! The stream of a table: finds it, and sends requests to it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::{Either, select};

use super::position::StreamPosition;
use super::shard_api::{
    FailureMeaning, StreamAnswer, StreamPage, StreamRequest, list_body, read_streams,
};
use super::shard_reader::{MOST_FAILURES, failure_pause};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::runtime::sleep_for;
use crate::wire::{BoxFuture, StreamOperation, is_embedded_stream};

/// The time for which DynamoDB keeps the records of a stream, in seconds.
pub(super) const RETENTION: i64 = 24 * 3_600;
/// The longest time of a request.
const REQUEST_TIME: Duration = Duration::from_secs(60);

pub(super) type SentRequest = BoxFuture<'static, (StreamRequest, Result<StreamAnswer>)>;

/// A stream of a table.
#[derive(Clone)]
pub(super) struct StreamSource {
    table: StreamedTable,
    pub(super) arn: Arc<str>,
}

/// A table with its streams.
#[derive(Clone)]
struct StreamedTable {
    db: Dynamo,
    name: Arc<str>,
    clock: Arc<ServerClock>,
}

impl StreamSource {
    /// The stream of a position, or else the newest stream of the table.
    pub(super) async fn find(
        db: &Dynamo,
        table: &str,
        position: Option<&StreamPosition>,
    ) -> Result<Self> {
        let table = StreamedTable {
            db: db.clone(),
            name: db.table_name(table).into(),
            clock: Arc::default(),
        };
        let arn = match position {
            Some(position) => table.stream_of(position).await?,
            None => table.newest_stream().await?,
        };
        Ok(StreamSource { table, arn })
    }

    /// Whether the server keeps all records, as servers on this machine do. The ARN shows DynamoDB Local on another machine,
    /// and the embedded engine, which keeps them for a day.
    pub(super) fn keeps_all(&self) -> bool {
        let is_server = self.table.db.is_local() && !is_embedded_stream(&self.arn);
        is_server || self.arn.contains(":ddblocal:")
    }

    /// The time of the server, in Unix seconds.
    pub(super) fn now(&self) -> i64 {
        self.table.clock.now()
    }

    pub(super) fn send_request(&self, request: StreamRequest) -> SentRequest {
        let source = self.clone();
        Box::pin(async move {
            let answer = source.request_answer(&request).await;
            (request, answer)
        })
    }

    pub(super) async fn request_answer(&self, request: &StreamRequest) -> Result<StreamAnswer> {
        let body = request.body(&self.arn);
        let body = self.call_once(request.operation(), body).await?;
        request.read_answer(&body)
    }

    pub(super) async fn call_once(&self, operation: StreamOperation, body: Bytes) -> Result<Bytes> {
        self.table.call_once(operation, body).await
    }

    /// Another stream of the table that can still be read.
    pub(super) async fn older_stream(&self, arn: &str) -> Result<Option<Self>> {
        let streams = self.table.list_streams().await?;
        let found = streams.into_iter().find(|(_, listed)| **listed == *arn);
        Ok(found.map(|(_, arn)| StreamSource {
            table: self.table.clone(),
            arn,
        }))
    }

    /// The stream that is the newest one of the table now.
    pub(super) async fn newest_arn(&self) -> Result<Arc<str>> {
        self.table.newest_stream().await
    }

    /// Names the stream in an error, because the error of the server looks like that of a missing table.
    pub(super) fn name_stream(&self, error: Error) -> Error {
        if error.code() == Some("UnknownOperationException") {
            let message = "the server does not know DynamoDB Streams: on AWS, the library derives the host of the \
                           streams from the host of DynamoDB, which must be a public endpoint";
            return error.with_kind(ErrorKind::Config, message);
        }
        if FailureMeaning::of_error(&error) != FailureMeaning::Gone {
            return error;
        }
        let message = format!(
            "the stream `{}` of table `{}` no longer exists",
            self.arn, self.table.name
        );
        error.with_kind(ErrorKind::TableNotFound, message)
    }
}

impl StreamedTable {
    /// The newest stream of a table.
    async fn newest_stream(&self) -> Result<Arc<str>> {
        // The label of a stream is the time at which it was created.
        let newest = self.list_streams().await?.into_iter().max();
        newest.map(|(_, arn)| arn).ok_or_else(|| {
            let message = format!(
                "table `{}` has no stream: declare `stream = new_and_old_images` and apply the plan, or check the \
                 prefix, the region and the account of this connection",
                self.name
            );
            Error::new(ErrorKind::Config, Stage::Request, message)
        })
    }

    /// The stream of a position. A stream that was switched off is listed for a day, and can be read to its end.
    async fn stream_of(&self, position: &StreamPosition) -> Result<Arc<str>> {
        let streams = self.list_streams().await?;
        if streams
            .iter()
            .any(|(_, arn)| **arn == *position.stream_arn())
        {
            return Ok(position.arn.clone());
        }
        let found = match streams.into_iter().max() {
            Some((_, arn)) => format!("the stream `{arn}`"),
            None => "no stream".to_owned(),
        };
        let message = format!(
            "the position belongs to the stream `{}`, but table `{}` has {found}: either the position is that of another \
             table, or the stream was replaced and changes after the position may be lost",
            position.stream_arn(),
            self.name
        );
        Err(Error::new(
            ErrorKind::InvalidCursor,
            Stage::Request,
            message,
        ))
    }

    async fn list_streams(&self) -> Result<Vec<(String, Arc<str>)>> {
        let mut streams = Vec::new();
        let mut after: Option<Arc<str>> = None;
        loop {
            let body = list_body(&self.name, after.as_deref());
            let page = self.request_page(body).await?;
            streams.extend(page.streams);
            match page.last {
                Some(last) if after.as_ref() != Some(&last) => after = Some(last),
                _ => return Ok(streams),
            }
        }
    }

    /// Requests a page of the streams of a table, and retries failures that may be temporary.
    async fn request_page(&self, body: Bytes) -> Result<StreamPage> {
        repeat_busy(|| async {
            let call = self.call_once(StreamOperation::ListStreams, body.clone());
            call.await.and_then(|body| read_streams(&body))
        })
        .await
    }

    /// Sends a request, and waits a limited time for the response.
    async fn call_once(&self, operation: StreamOperation, body: Bytes) -> Result<Bytes> {
        let wire = self.db.table_wire()?;
        let call = pin!(wire.call_stream(operation, &self.name, body));
        // A half-open connection never returns a response, and the client may have no timeout.
        match select(call, sleep_for(REQUEST_TIME)).await {
            Either::Left((reply, _)) => {
                let reply = reply?;
                self.clock.follow_date(reply.date);
                Ok(reply.body)
            }
            Either::Right(_) => {
                let message = "a request to the stream got no response within a minute";
                Err(Error::new(ErrorKind::Unavailable, Stage::Wire, message))
            }
        }
    }
}

/// Sends a request again while the server is busy.
pub(super) async fn repeat_busy<T, Fut: Future<Output = Result<T>>>(
    send: impl Fn() -> Fut,
) -> Result<T> {
    let mut failures = 0;
    loop {
        match send().await {
            Err(error)
                if FailureMeaning::of_error(&error) == FailureMeaning::Busy
                    && failures < MOST_FAILURES =>
            {
                failures += 1;
                sleep_for(failure_pause(failures)).await;
            }
            ended => return ended,
        }
    }
}

/// The clock of the server, from the dates of its responses. Before the first response, it is the clock of this machine.
#[derive(Debug, Default)]
struct ServerClock {
    /// The seconds by which the server is ahead of this machine.
    ahead: AtomicI64,
}

impl ServerClock {
    fn follow_date(&self, date: Option<i64>) {
        if let Some(date) = date {
            let ahead = date.saturating_sub(machine_time());
            self.ahead.store(ahead, Ordering::Relaxed);
        }
    }

    /// Unix seconds.
    fn now(&self) -> i64 {
        machine_time().saturating_add(self.ahead.load(Ordering::Relaxed))
    }
}

/// Unix seconds. The clock of the connection is not used, because a test may have replaced it.
fn machine_time() -> i64 {
    Timestamp::from(SystemTime::now()).seconds()
}
