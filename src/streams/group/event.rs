//! The events of a consumer: its progress, and everything that a person may want to know.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::Error;
use crate::streams::each::HandlerError;
use crate::streams::follow_error::LostChanges;
use crate::streams::record::StreamRecord;

/// An event of a consumer; see [`Consumer::on_event`](super::Consumer::on_event).
#[derive(Debug)]
#[non_exhaustive]
pub enum ConsumerEvent<'e> {
    /// Other groups read the same stream. DynamoDB allows two readers of a stream, and throttles more. A Lambda function
    /// is not among these groups, but counts.
    OtherGroups(&'e [String]),
    /// This worker reads a shard from now on.
    Began {
        /// The ID of the shard.
        shard: &'e str,
    },
    /// This worker no longer reads a shard.
    Left {
        /// The ID of the shard.
        shard: &'e str,
        /// The reason.
        reason: LeftReason,
    },
    /// Records of a shard were handled.
    Progress(ShardProgress<'e>),
    /// An attempt failed, and will be repeated after a pause.
    Failed {
        /// The record.
        record: &'e StreamRecord,
        /// The error of the handler, or of the record that cannot be read.
        error: &'e HandlerError,
        /// The number of attempts of this worker.
        attempts: usize,
    },
    /// A change failed too often and was parked.
    Parked {
        /// The record.
        record: &'e StreamRecord,
        /// The last error.
        error: &'e HandlerError,
    },
    /// The stream no longer has some changes, and [`continue_after_loss`](super::Consumer::continue_after_loss) was
    /// called.
    Lost(&'e LostChanges),
    /// A request about the stream or its leases failed, and will be repeated.
    RequestFailed(&'e Error),
}

/// The progress of a shard.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShardProgress<'e> {
    /// The ID of the shard.
    pub shard: &'e str,
    /// The number of records that were handled since the last event, also those that are not shown.
    pub records: usize,
    /// The time of the last one.
    pub at: Option<Timestamp>,
    /// The age of the last record by the machine's clock: how far the consumer is behind. Zero if no more records are
    /// known.
    pub lag: Duration,
}

/// The reason why a worker no longer reads a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftReason {
    /// All of its records were handled.
    Finished,
    /// Another worker had fewer shards.
    HandedOver,
    /// The lease ended before it could be renewed.
    Lost,
    /// The worker stops.
    Stopped,
}
