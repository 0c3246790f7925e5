//! The events of a worker, for logs and metrics.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::Error;
use crate::streams::each::HandlerError;
use crate::streams::follow_error::LostChanges;
use crate::streams::record::StreamRecord;

/// An event of a worker; see [`Consumer::on_event`](super::Consumer::on_event).
#[derive(Debug)]
#[non_exhaustive]
pub enum ConsumerEvent<'e> {
    /// Other groups read the same stream, or did so before. Reported when the worker joins its group.
    ///
    /// DynamoDB allows two readers of a shard, and may throttle more. A Lambda function also counts as a reader, but is not
    /// among these groups.
    OtherGroups(&'e [String]),
    /// This worker has begun to read a shard.
    ShardStarted {
        /// The ID of the shard.
        shard: &'e str,
    },
    /// This worker has stopped reading a shard.
    ShardStopped {
        /// The ID of the shard.
        shard: &'e str,
        /// The reason.
        reason: ShardStopReason,
    },
    /// Records of a shard were handled.
    Progress(ShardProgress<'e>),
    /// An attempt at a change failed. The worker retries it after a pause.
    AttemptFailed {
        /// The record.
        record: &'e StreamRecord,
        /// The error of the handler, or of the record that cannot be read.
        error: &'e HandlerError,
        /// The number of failed attempts at the change by this worker.
        attempts: usize,
    },
    /// A change was parked, because it has failed too often.
    Parked {
        /// The record.
        record: &'e StreamRecord,
        /// The last error.
        error: &'e HandlerError,
    },
    /// Changes may be lost, because the stream no longer has them. Reported only after
    /// [`continue_after_loss`](super::Consumer::continue_after_loss).
    ChangesLost(&'e LostChanges),
    /// A request to the stream or to a table of the group failed. The worker retries it.
    RequestFailed(&'e Error),
}

/// The progress of a shard.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShardProgress<'e> {
    /// The ID of the shard.
    pub shard: &'e str,
    /// The number of records that were handled since the last event, including those that are not shown.
    pub records: usize,
    /// The time of the last handled record.
    pub at: Option<Timestamp>,
    /// The age of the last handled record, by the clock of the server: how far the worker is behind. Zero if the last
    /// response had no records.
    pub lag: Duration,
}

/// The reason why a worker has stopped reading a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardStopReason {
    /// All records of the shard were handled.
    Finished,
    /// The worker handed the shard over to a worker with fewer shards.
    HandedOver,
    /// The lease was lost, for example because it was not renewed in time.
    LeaseLost,
    /// The worker is stopping.
    Stopped,
}
