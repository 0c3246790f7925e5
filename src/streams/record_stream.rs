//! The records of the stream of a table, from all of its shards.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures_core::Stream;
use futures_util::stream::FuturesUnordered;

use super::follow_error::{FollowError, LostChanges};
use super::position::{FirstWanted, StreamPosition};
use super::record::StreamRecord;
use super::shard_reader::{LostTimes, ReaderEntry, ReaderStep, ReaderTime, ShardReader};
use super::stream_source::{RETENTION, SentRequest, StreamSource};
use crate::clock::{Moment, Timestamp};
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::runtime::{Sleep, sleep_until};
use crate::schema::NamedTable;

/// The number of concurrent requests.
const CONCURRENT: usize = 8;
/// Servers round the times of records, DynamoDB Local to a minute, so records that are older by this much are wanted too.
const ROUNDED: i64 = 60;
/// The longest time for which received records wait for the responses to other requests.
const LAST_RESPONSES: Duration = Duration::from_secs(1);

/// The first change to deliver.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StreamStart {
    /// The oldest change that the stream still has. DynamoDB keeps changes for 24 hours.
    Oldest,
    /// The first change after `open` has returned. This is the default.
    Latest,
    /// The first change after this position.
    Position(StreamPosition),
    /// The first change at or after this time; see [`since`](StreamStart::since).
    Time(Timestamp),
}

impl StreamStart {
    /// Starts with the first change at or after this time, which is a `SystemTime` or a time of `chrono`, `time` or
    /// `jiff`.
    ///
    /// DynamoDB cannot search a stream by time. Therefore, the library reads the stream from its oldest record on and
    /// skips earlier records, which can cost the requests of a whole day. Servers round the times of records, so up to a
    /// minute of earlier changes is delivered too. A time that is more than 24 hours ago is reported as a
    /// [loss](LostChanges).
    pub fn since(time: impl Moment) -> Self {
        StreamStart::Time(time.to_timestamp())
    }
}

/// The default is [`StreamStart::Latest`].
impl Default for StreamStart {
    fn default() -> Self {
        StreamStart::Latest
    }
}

/// Follows the records of a whole table, of all entities. The first request is sent by [`open`](FollowRecords::open).
///
/// The records contain the items as stored. They include items that store unique values, and writes that change no field
/// of an entity. See [`EntityChanges::changes`](super::EntityChanges::changes) for the typed changes of an entity.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::streams::{HandlerError, StreamStart, follow_records};
///
/// #[derive(Debug, DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
/// struct Order { number: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), HandlerError> {
/// let db = Dynamo::connect("embedded:memory").await?;
/// db.create_tables([Order::schema()]).await?;
/// Order { number: 7 }.put().send(&db).await?;
///
/// let mut records = follow_records(&Order::schema()).start(StreamStart::Oldest).open(&db).await?;
/// let record = records.next().await.expect("a record")?;
/// assert!(record.old_image().is_none() && record.new_image().is_some());
/// # Ok(()) }
/// ```
pub fn follow_records(table: impl NamedTable) -> FollowRecords {
    FollowRecords {
        table: table.base_name().to_owned(),
        start: StreamStart::default(),
        stops_at_loss: true,
        longest_idle: Duration::from_secs(5),
    }
}

/// The options for reading the records of a table; see [`follow_records`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read until `.open(&db)`"]
pub struct FollowRecords {
    table: String,
    start: StreamStart,
    stops_at_loss: bool,
    longest_idle: Duration,
}

impl FollowRecords {
    /// Sets the first record to deliver. The default is [`StreamStart::Latest`].
    pub fn start(mut self, start: StreamStart) -> Self {
        self.start = start;
        self
    }

    /// Continues after a [loss](LostChanges): `next` returns the error, and then the oldest records that the stream still
    /// has. Without this option, the records end with the error, each time that you start from the same position.
    pub fn continue_after_loss(mut self) -> Self {
        self.stops_at_loss = false;
        self
    }

    /// Sets the longest pause between two requests for a shard that has no new records. The default is 5 seconds, and
    /// the minimum 100 milliseconds. A shorter pause delivers changes sooner. However, DynamoDB charges each request.
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest_idle = pause;
        self
    }

    /// Finds the stream and its shards, and returns the records. With [`StreamStart::Latest`], they include the records of
    /// all changes that begin after `open` has returned.
    ///
    /// Fails if the table has no stream, or with the kind [`InvalidCursor`](crate::error::ErrorKind::InvalidCursor) if the
    /// stream of the position no longer exists.
    pub async fn open(self, db: &Dynamo) -> Result<RecordStream> {
        let position = match &self.start {
            StreamStart::Position(position) => Some(position),
            _ => None,
        };
        let source = StreamSource::find(db, &self.table, position).await?;
        let (mut reader, position) = match self.start {
            StreamStart::Position(position) => (ShardReader::at_position(&position), position),
            start => {
                let first = match &start {
                    StreamStart::Time(time) => {
                        FirstWanted::Since(time.seconds().saturating_sub(ROUNDED))
                    }
                    StreamStart::Latest => FirstWanted::Latest,
                    _ => FirstWanted::Oldest,
                };
                let position = StreamPosition::at_start(source.arn.clone(), first);
                (ShardReader::at_start(first), position)
            }
        };
        reader.set_retention((!source.keeps_all()).then_some(RETENTION));
        reader.set_longest_idle(self.longest_idle);
        let mut stream = RecordStream {
            source,
            reader,
            position,
            in_flight: FuturesUnordered::new(),
            entries: VecDeque::new(),
            pause: None,
            began: Instant::now(),
            stops_at_loss: self.stops_at_loss,
            failure: None,
            is_over: false,
            waits_until: None,
        };
        std::future::poll_fn(|cx| stream.poll_placed(cx)).await?;
        // The position contains the shards from the start, so that a reader which continues from it has the same ones.
        let entries = std::mem::take(&mut stream.entries);
        stream.entries = ReaderEntry::apply_surveys(entries, &mut stream.position);
        Ok(stream)
    }
}

/// The records of a table as they arrive. Use `while let Some(record) = records.next().await`, or the trait `Stream`.
///
/// The records of one item arrive in the order of its writes. They end when the stream of the table was switched off and
/// all of it was read, or after an error that ends them; see [`FollowError`].
///
/// Requests are sent only while the future of `next` is polled. Dropping this future loses no record.
#[must_use = "nothing is read until records are requested"]
pub struct RecordStream {
    source: StreamSource,
    reader: ShardReader,
    position: StreamPosition,
    in_flight: FuturesUnordered<SentRequest>,
    entries: VecDeque<ReaderEntry>,
    pause: Option<Sleep>,
    began: Instant,
    stops_at_loss: bool,
    /// The error that follows the available entries.
    failure: Option<Error>,
    is_over: bool,
    /// The time until which received records wait for other responses, because requests make no progress while the
    /// program handles records.
    waits_until: Option<Instant>,
}

impl RecordStream {
    /// Waits for the next record. Returns `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<StreamRecord, FollowError>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the position after the records that `next` has returned.
    pub fn position(&self) -> StreamPosition {
        self.position.clone()
    }

    fn reader_time(&self) -> ReaderTime {
        ReaderTime {
            now: self.began.elapsed(),
            wall: self.source.now(),
        }
    }

    /// Waits until the shards are known. If the start is the latest record, also waits until it was found in each shard.
    fn poll_placed(&mut self, cx: &mut Context<'_>) -> Poll<Result<()>> {
        while !self.reader.is_placed() && !self.is_over {
            ready!(self.poll_progress(cx));
        }
        Poll::Ready(self.failure.take().map_or(Ok(()), Err))
    }

    /// Sends requests, takes one response, or waits. Ready if something has changed.
    fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let step = loop {
            if self.in_flight.len() >= CONCURRENT {
                break ReaderStep::Await;
            }
            match self.reader.next_step(self.reader_time()) {
                ReaderStep::Send(request) => self.in_flight.push(self.source.send_request(request)),
                step => break step,
            }
        };
        if self.poll_answer(cx).is_ready() {
            return Poll::Ready(());
        }
        match step {
            ReaderStep::Ended => {
                self.end_with(None);
                Poll::Ready(())
            }
            ReaderStep::WaitUntil(time) => {
                let pause = self.pause.insert(sleep_until(self.began + time));
                Pin::new(pause).poll(cx)
            }
            ReaderStep::Send(_) | ReaderStep::Await => Poll::Pending,
        }
    }

    /// Takes the response to a request that was sent.
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Poll::Ready(Some((request, answer))) = Pin::new(&mut self.in_flight).poll_next(cx)
        else {
            return Poll::Pending;
        };
        let mut log = Vec::new();
        let time = self.reader_time();
        let taken = self.reader.take_answer(&request, answer, time, &mut log);
        self.entries.extend(log);
        if let Err(error) = taken {
            self.end_with(Some(self.source.name_stream(error)));
        }
        Poll::Ready(())
    }

    /// Waits shortly for the requests that were sent, before records are delivered.
    fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.poll_answer(cx).is_ready() {}
        if self.in_flight.is_empty() {
            return Poll::Ready(());
        }
        let until = *self
            .waits_until
            .get_or_insert_with(|| Instant::now() + LAST_RESPONSES);
        if Instant::now() >= until {
            return Poll::Ready(());
        }
        let pause = self.pause.insert(sleep_until(until));
        Pin::new(pause).poll(cx)
    }

    fn end_with(&mut self, failure: Option<Error>) {
        self.is_over = true;
        self.failure = failure;
        self.in_flight.clear();
    }

    /// Applies an entry to the position, and returns the part of it that is delivered.
    fn deliver_entry(&mut self, entry: ReaderEntry) -> Option<Result<StreamRecord, FollowError>> {
        // If the records end at a loss, the position stays before it, so that the next reader reports the loss again.
        if !(self.stops_at_loss && matches!(entry, ReaderEntry::Lost { .. })) {
            entry.apply_to(&mut self.position);
        }
        match entry {
            ReaderEntry::Record {
                record,
                is_requested,
                ..
            } => is_requested.then_some(Ok(record)),
            ReaderEntry::Lost { shard, lost, .. } => {
                if self.stops_at_loss {
                    self.end_with(None);
                    self.entries.clear();
                }
                Some(Err(FollowError::Lost(lost_changes(lost, shard.as_deref()))))
            }
            _ => None,
        }
    }
}

fn lost_changes(LostTimes { after, until }: LostTimes, shard: Option<&str>) -> LostChanges {
    let time = |seconds| Timestamp::from_unix(seconds, 0);
    LostChanges {
        after: after.and_then(time),
        until: time(until).unwrap_or(Timestamp::EPOCH),
        shard: shard.map(str::to_owned),
    }
}

impl Stream for RecordStream {
    type Item = Result<StreamRecord, FollowError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if !self.entries.is_empty() {
                ready!(self.poll_sent(cx));
            }
            while let Some(entry) = self.entries.pop_front() {
                if let Some(delivered) = self.deliver_entry(entry) {
                    return Poll::Ready(Some(delivered));
                }
            }
            self.waits_until = None;
            if let Some(error) = self.failure.take() {
                return Poll::Ready(Some(Err(FollowError::Failed(error))));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            ready!(self.poll_progress(cx));
        }
    }
}

impl fmt::Debug for RecordStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordStream")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
