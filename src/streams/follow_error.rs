//! The errors while a stream is read.

use std::error::Error as StdError;
use std::fmt;

use super::change::UnreadChange;
use crate::clock::Timestamp;
use crate::codec::time::{Precision, utc_text};
use crate::error::{Error, ErrorKind, Stage};

/// An error while a stream is read. [`into_error`](FollowError::into_error) converts it into an [`Error`] of the same kind.
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowError {
    /// A record cannot be read as a change. The next call of `next` returns the change after it.
    Unread(UnreadChange),
    /// Changes may be lost, because the stream no longer has them. No more changes follow, unless
    /// [`continue_after_loss`](super::FollowChanges::continue_after_loss) was called.
    Lost(LostChanges),
    /// A request failed, and a retry cannot succeed, or all retries failed. No more changes follow. You can open the stream
    /// again from the [`position`](super::ChangeStream::position).
    Failed(Error),
}

/// Changes that a stream may no longer have, because DynamoDB keeps them for only 24 hours.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostChanges {
    /// The time after which changes may be lost: the time of the last change that was read before the loss, if one was
    /// read. `None` if this time is unknown.
    pub after: Option<Timestamp>,
    /// The time before which changes may be lost: the time of the first change after the loss. If no change follows yet,
    /// it is the time at which the loss was found. If all shards are affected, it is 24 hours before that time.
    pub until: Timestamp,
    /// The ID of the shard that had the changes, or of the first known shard after it. Items of its descendants are
    /// affected too. `None` if all shards are affected.
    pub shard: Option<String>,
}

impl fmt::Display for LostChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = match self.after {
            Some(after) => show_time(after),
            None => "an unknown time".to_owned(),
        };
        write!(
            f,
            "changes between {after} and {} may be lost: ",
            show_time(self.until)
        )?;
        match &self.shard {
            Some(shard) => write!(f, "shard `{shard}` of the stream no longer has them"),
            None => f.write_str("the stream no longer has them"),
        }
    }
}

impl StdError for LostChanges {}

fn show_time(time: Timestamp) -> String {
    match utc_text(time, Precision::Seconds) {
        Ok(text) => text.to_string(),
        Err(_) => format!("{} s after 1970", time.seconds()),
    }
}

impl FollowError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            FollowError::Unread(unread) => unread.kind(),
            FollowError::Lost(_) => ErrorKind::ChangesLost,
            FollowError::Failed(error) => error.kind(),
        }
    }

    /// Converts into an error of this library, with the same kind.
    pub fn into_error(self) -> Error {
        match self {
            FollowError::Unread(unread) => unread.into_error(),
            FollowError::Lost(lost) => {
                let message = lost.to_string();
                Error::new(ErrorKind::ChangesLost, Stage::Service, message).with_source(lost)
            }
            FollowError::Failed(error) => error,
        }
    }
}

impl fmt::Display for FollowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FollowError::Unread(unread) => unread.fmt(f),
            FollowError::Lost(lost) => lost.fmt(f),
            FollowError::Failed(error) => error.fmt(f),
        }
    }
}

impl StdError for FollowError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            FollowError::Unread(unread) => unread.source(),
            FollowError::Lost(lost) => Some(lost),
            FollowError::Failed(error) => error.source(),
        }
    }
}
