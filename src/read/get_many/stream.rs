//! The items of a stream of keys, in the order of the keys.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::asked::next_found;
use super::input::PrimaryKeys;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::key::json::KeyJson;
use crate::plan::RunningRequest;
use crate::read::{BATCH, BatchReader, Failing, FoundItem, KeyList};

/// The number of responses that wait for each concurrent request, so that one slow request does not delay the others
/// at once.
const WAITING: usize = 4;

/// Items by their keys, as they arrive: a `Stream`, or `while let Some(item) = items.next().await`. It has one item
/// for each key; see [`GetMany::stream`](super::GetMany::stream).
#[must_use = "nothing is read until items are requested"]
pub struct FoundStream<Row> {
    keys: Option<PrimaryKeys>,
    /// The keys of the next request.
    next: Vec<Result<KeyJson>>,
    /// The requests, in the order of their keys.
    requests: VecDeque<StreamProgress>,
    ready: VecDeque<FoundItem>,
    read: ReadStreamItem<Row>,
    batch: Arc<BatchReader>,
}

type ReadStreamItem<Row> = Box<dyn Fn(FoundItem, Timestamp) -> Result<Option<Row>> + Send + Sync>;

enum StreamProgress {
    Asked(RunningRequest<Vec<FoundItem>>),
    Answered(Vec<FoundItem>),
}

impl<Row> FoundStream<Row> {
    pub(super) fn new(keys: PrimaryKeys, read: ReadStreamItem<Row>, batch: BatchReader) -> Self {
        FoundStream {
            keys: Some(keys),
            next: Vec::new(),
            requests: VecDeque::new(),
            ready: VecDeque::new(),
            read,
            batch: Arc::new(batch),
        }
    }

    /// Returns the next item: `Some(Ok(None))` for a missing one, and `None` after the last key.
    pub async fn next(&mut self) -> Option<Result<Option<Row>>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    fn has_room(&self) -> bool {
        let under_way = self.requests.iter();
        let under_way = under_way.filter(|request| matches!(request, StreamProgress::Asked(_)));
        under_way.count() < self.batch.concurrency
            && self.requests.len() < WAITING * self.batch.concurrency
    }

    /// Begins requests while keys and room remain. A request is sent before it is full only if its keys are the last
    /// ones, or if nothing else can be done before other keys arrive.
    fn request_keys(&mut self, cx: &mut Context<'_>) {
        while self.has_room() {
            let more = self.take_keys(cx);
            let is_idle = self.requests.is_empty() && self.ready.is_empty();
            // A slow stream of keys would otherwise cost a request for each key. If nothing else is
            // in progress, waiting would only delay.
            if self.next.is_empty() || (more.is_pending() && !is_idle) {
                return;
            }
            let keys = std::mem::take(&mut self.next);
            let task = RunningRequest::start_work(read_keys(self.batch.clone(), keys));
            self.requests.push_back(StreamProgress::Asked(task));
        }
    }

    /// Takes keys for the next request. Pending if it is not full and more keys may arrive.
    fn take_keys(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.next.len() < BATCH
            && let Some(keys) = &mut self.keys
        {
            match keys.0.as_mut().poll_next(cx) {
                Poll::Ready(Some(key)) => self.next.push(key),
                Poll::Ready(None) => self.keys = None,
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(())
    }

    /// Polls all requests, so that each wakes this task. Returns whether one has completed.
    fn poll_requests(&mut self, cx: &mut Context<'_>) -> Result<bool> {
        let mut answered = false;
        for request in &mut self.requests {
            if let StreamProgress::Asked(task) = request
                && let Poll::Ready(found) = task.poll(cx)
            {
                *request = StreamProgress::Answered(found?);
                answered = true;
            }
        }
        Ok(answered)
    }

    fn is_at_its_end(&self) -> bool {
        self.keys.is_none() && self.next.is_empty() && self.requests.is_empty()
    }
}

async fn read_keys(batch: Arc<BatchReader>, keys: Vec<Result<KeyJson>>) -> Vec<FoundItem> {
    let mut wanted = KeyList::new();
    let asked = keys.into_iter().map(|key| {
        wanted.push_json(&key?);
        Ok(())
    });
    let asked: Vec<Result<()>> = asked.collect();
    let count = wanted.len();
    let found = match batch.read_keys(wanted, Failing::Apart).await {
        Ok(found) => found,
        Err(error) => (0..count).map(|_| Err(error.again())).collect(),
    };
    let mut found = found.into_iter();
    let next = |asked: Result<()>| asked.and_then(|()| next_found(&mut found));
    asked.into_iter().map(next).collect()
}

impl<Row> Unpin for FoundStream<Row> {}

impl<Row> Stream for FoundStream<Row> {
    type Item = Result<Option<Row>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            this.request_keys(cx);
            if let Some(found) = this.ready.pop_front() {
                let now = this.batch.db.now();
                return Poll::Ready(Some((this.read)(found, now)));
            }
            let answered = match this.poll_requests(cx) {
                Ok(answered) => answered,
                Err(error) => {
                    // The runtime has stopped, and all requests with it.
                    (this.keys, this.next) = (None, Vec::new());
                    this.requests.clear();
                    return Poll::Ready(Some(Err(error)));
                }
            };
            if let Some(StreamProgress::Answered(found)) = this.requests.front_mut() {
                this.ready.extend(std::mem::take(found));
                this.requests.pop_front();
                continue;
            }
            if this.is_at_its_end() {
                return Poll::Ready(None);
            }
            if !answered {
                return Poll::Pending;
            }
        }
    }
}

impl<Row> fmt::Debug for FoundStream<Row> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FoundStream")
    }
}
