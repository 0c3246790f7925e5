//! Lists the shards of a stream, and the children of a shard.

use bytes::Bytes;

use crate::error::Result;
use crate::json::Writer;
use crate::schema::StreamView;
use crate::streams::position::ShardId;
use crate::streams::shard_api::{
    DescribedShard, FailureMeaning, IteratorStart, StreamAnswer, StreamRequest,
};
use crate::streams::stream_source::{StreamSource, repeat_busy};
use crate::wire::StreamOperation;

impl StreamSource {
    /// The view of the stream; `None` if the server does not name it.
    pub(super) async fn read_view(&self) -> Result<Option<StreamView>> {
        let request = StreamRequest::Describe { after: None };
        match self.request_answer(&request).await? {
            StreamAnswer::Described(page) => Ok(page.view),
            _ => Ok(None),
        }
    }

    /// All described shards, and whether the stream is switched off.
    pub(super) async fn describe(&self) -> Result<(Vec<DescribedShard>, bool)> {
        self.describe_pages(|after| StreamRequest::Describe { after }.body(&self.arn))
            .await
    }

    /// The children of a shard, and whether the stream is switched off.
    pub(super) async fn children_of(&self, shard: &str) -> Result<(Vec<ShardId>, bool)> {
        let described = match self
            .describe_pages(|after| self.children_body(shard, after))
            .await
        {
            // The server may not know the filter.
            Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Fatal => {
                self.describe().await
            }
            described => described,
        };
        let (shards, is_disabled) = described?;
        // Some servers ignore the filter, so the parents are checked.
        let children = shards
            .into_iter()
            .filter(|child| child.parent.as_deref() == Some(shard));
        Ok((children.map(|child| child.id).collect(), is_disabled))
    }

    fn children_body(&self, shard: &str, after: Option<ShardId>) -> Bytes {
        let mut body = Writer::default();
        body.push_raw("{\"StreamArn\":");
        body.push_quoted(&self.arn);
        if let Some(after) = after {
            body.push_raw(",\"ExclusiveStartShardId\":");
            body.push_quoted(&after);
        }
        body.push_raw(",\"ShardFilter\":{\"Type\":\"CHILD_SHARDS\",\"ShardId\":");
        body.push_quoted(shard);
        body.push_raw("}}");
        body.into_bytes().into()
    }

    async fn describe_pages(
        &self,
        body_after: impl Fn(Option<ShardId>) -> Bytes,
    ) -> Result<(Vec<DescribedShard>, bool)> {
        let mut shards = Vec::new();
        let mut after: Option<ShardId> = None;
        loop {
            let (operation, body) = (StreamOperation::DescribeStream, body_after(after.clone()));
            // A page that is throttled does not begin the description again.
            let answer = repeat_busy(|| self.call_once(operation, body.clone())).await?;
            let request = StreamRequest::Describe { after: None };
            let StreamAnswer::Described(page) = request.read_answer(&answer)? else {
                return Ok((shards, false));
            };
            shards.extend(page.shards);
            match page.last {
                // A server that returns the same last shard again would be queried without end.
                Some(last) if after.as_ref() != Some(&last) => after = Some(last),
                _ => return Ok((shards, page.is_disabled)),
            }
        }
    }

    /// Whether a shard exists, although descriptions omit it.
    pub(super) async fn has_shard(&self, shard: &str) -> Result<bool> {
        let request = StreamRequest::Iterator {
            shard: shard.into(),
            start: IteratorStart::Oldest,
        };
        match repeat_busy(|| self.request_answer(&request)).await {
            Ok(_) => Ok(true),
            Err(error) if FailureMeaning::of_error(&error) == FailureMeaning::Gone => Ok(false),
            Err(error) => Err(error),
        }
    }
}
