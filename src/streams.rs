//! Consuming streams: the records of a DynamoDB stream as typed changes of entities (feature `streams`).
//!
//! The stream of a table has a record of each change of an item. You can consume it in three ways:
//!
//! - A Lambda function receives a [`StreamEvent`], reads it as [`ItemChange`]s of an entity or a collection with
//!   [`changes_of`](EntityChanges::changes_of), and returns a [`BatchResponse`].
//! - A single process reads all shards of the stream with [`changes`](EntityChanges::changes), which opens a
//!   [`ChangeStream`].
//! - The workers of a group divide the shards, in one process or in many; see [`consumer`](EntityChanges::consumer).
//!
//! [`once`] runs an effect outside DynamoDB at most once. See [the guide](crate::guide::streams) for an introduction.
//!
//! ```
//! use dynamo_entity::prelude::*;
//! use dynamo_entity::streams::{ChangeEvent, StreamEvent};
//!
//! #[derive(Debug, PartialEq, DynamoEntity)]
//! #[dynamo(table = "orders", key(pk = number))]
//! struct Order { number: u32, cents: u64 }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let event: StreamEvent = serde_json::from_str(
//!     r#"{"Records": [{"eventID": "c81e", "eventName": "INSERT", "dynamodb": {
//!         "Keys": {"number": {"N": "7"}},
//!         "NewImage": {"number": {"N": "7"}, "cents": {"N": "1250"}},
//!         "SequenceNumber": "100000000003498069978", "StreamViewType": "NEW_AND_OLD_IMAGES"}}]}"#,
//! ).unwrap();
//! let response = Order::changes_of(&event)
//!     .each(async |change| -> Result<()> {
//!         assert_eq!(change.event, ChangeEvent::Created(Order { number: 7, cents: 1250 }));
//!         Ok(())
//!     })
//!     .await;
//! assert_eq!(serde_json::to_string(&response).unwrap(), r#"{"batchItemFailures":[]}"#);
//! # Ok(()) }
//! ```

mod change;
mod each;
mod event;
mod follow;
mod follow_changes;
mod follow_error;
mod form;
mod group;
mod kind;
#[cfg(feature = "aws_lambda_events")]
mod lambda_events;
mod member_key;
mod once;
mod panics;
mod parked;
mod parking;
mod position;
mod record;
mod record_stream;
mod replay;
mod sequence;
mod shard_api;
mod shard_reader;
mod stream_source;
mod text;
mod verbs;

pub use change::{ChangeEvent, ItemChange, UnreadChange};
pub use each::{BatchResponse, EachParking, FailedChange, HandlerError};
pub use event::StreamEvent;
pub use follow::ItemChanges;
pub use follow_changes::{ChangeStream, FollowChanges};
pub use follow_error::{FollowError, LostChanges};
pub use group::{
    ChangeTransaction, Consumer, ConsumerEach, ConsumerEachIn, ConsumerEvent, GroupRoots, IdleCost,
    LeaseTable, ShardLease, ShardProgress, ShardStopReason, StreamGroup, StreamReader,
};
pub use member_key::MemberKey;
pub use once::{Once, OnceEffect, OnceError, OnceResult, Ran, once};
pub use parked::{ParkedChange, ParkedPart, ParkedTable};
pub use position::StreamPosition;
pub use record::StreamRecord;
pub use record_stream::{FollowRecords, RecordStream, StreamStart, follow_records};
pub use replay::{FailedReplay, ReplayReport};
pub use sequence::SequenceNumber;
pub use verbs::{CollectionChanges, EntityChanges};
