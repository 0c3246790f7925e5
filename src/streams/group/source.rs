//! The requests on the stream of a table.

use std::sync::Arc;

use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::json::Writer;
use crate::streams::position::ShardId;
use crate::streams::record_stream::{ServerClock, call_once, find_stream};
use crate::streams::shard_api::{
    DescribedShard, FailureMeaning, IteratorStart, StreamAnswer, StreamRequest,
};
use crate::wire::StreamOperation;

#[derive(Debug, Clone)]
pub(super) struct StreamSource {
    db: Dynamo,
    table: String,
    arn: Arc<str>,
    clock: Arc<ServerClock>,
}

impl StreamSource {
    /// The newest stream of a table.
    pub(super) async fn of_table(table: &str, db: &Dynamo) -> Result<Self> {
        let table = db.table_name(table);
        let clock = Arc::new(ServerClock::default());
        Ok(StreamSource {
            arn: find_stream(db, &table, &clock).await?,
            db: db.clone(),
            table,
            clock,
        })
    }

    pub(super) fn arn(&self) -> &str {
        &self.arn
    }

    pub(super) async fn request_answer(&self, request: &StreamRequest) -> Result<StreamAnswer> {
        let (operation, body) = (request.operation(), request.body(&self.arn));
        let body = call_once(&self.db, &self.table, operation, body, &self.clock).await?;
        request.read_answer(&body)
    }

    /// All described shards, and whether the stream is switched off.
    pub(super) async fn describe(&self) -> Result<(Vec<DescribedShard>, bool)> {
        let mut shards = Vec::new();
        let mut after: Option<ShardId> = None;
        loop {
            let request = StreamRequest::Describe { after: after.clone() };
            let StreamAnswer::Described(page) = self.request_answer(&request).await? else {
                return Ok((shards, false));
            };
            shards.extend(page.shards);
            match page.last {
                // A page that ends where it began would be requested for ever.
                Some(last) if after.as_ref() != Some(&last) => after = Some(last),
                _ => return Ok((shards, page.is_disabled)),
            }
        }
    }

    /// The children of a shard, and whether the stream is switched off.
    pub(super) async fn children_of(&self, shard: &str) -> Result<(Vec<ShardId>, bool)> {
        let mut body = Writer::default();
        body.push_raw("{\"StreamArn\":");
        body.push_quoted(&self.arn);
        body.push_raw(",\"ShardFilter\":{\"Type\":\"CHILD_SHARDS\",\"ShardId\":");
        body.push_quoted(shard);
        body.push_raw("}}");
        let (operation, body) = (StreamOperation::DescribeStream, body.into_bytes().into());
        let answer = call_once(&self.db, &self.table, operation, body, &self.clock).await?;
        let request = StreamRequest::Describe { after: None };
        let StreamAnswer::Described(page) = request.read_answer(&answer)? else {
            return Ok((Vec::new(), false));
        };
        // Some servers ignore the filter, so the parents are checked.
        let children = page.shards.into_iter().filter(|child| child.parent.as_deref() == Some(shard));
        Ok((children.map(|child| child.id).collect(), page.is_disabled))
    }

    /// Whether a shard exists that is not described.
    pub(super) async fn has_shard(&self, shard: &str) -> Result<bool> {
        let request = StreamRequest::Iterator {
            shard: shard.into(),
            start: IteratorStart::Oldest,
        };
        match self.request_answer(&request).await {
            Ok(_) => Ok(true),
            Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => Ok(false),
            Err(error) => Err(error),
        }
    }
}
