//! The log of a reader.

use crate::clock::Timestamp;
use crate::streams::position::{PlacedShard, ShardId, ShardPlace, StreamPosition};
use crate::streams::record::StreamRecord;

/// An entry of the log of a reader. It is applied to the position when it is delivered, so that the position follows the
/// delivered records, and not the received ones.
#[derive(Debug, Clone)]
pub(in crate::streams) enum ReaderEntry {
    /// A shard was found.
    Found { shard: ShardId, placed: PlacedShard },
    /// The latest record of a shard was found, and the shard begins there.
    Fixed { shard: ShardId, place: ShardPlace },
    Record {
        shard: ShardId,
        record: StreamRecord,
        /// Whether the record is wanted, because it is not older than the start.
        is_requested: bool,
        /// Whether the position moves past it.
        moves: bool,
    },
    /// Changes of a shard, or of the whole stream, are lost.
    Lost {
        shard: Option<ShardId>,
        lost: LostTimes,
        /// Whether no more records of the shard can be read.
        is_end: bool,
    },
    /// A shard was read to its end.
    End { shard: ShardId },
    /// A shard that was read is no longer described.
    Forgotten { shard: ShardId },
    /// All shards that a survey has described are in the position. The survey began at this time.
    Surveyed { at: i64 },
}

impl ReaderEntry {
    /// Applies the entries about surveys and found shards to a position, up to the first loss, and returns the others.
    /// A loss must be delivered before the shards that were found after it.
    pub(in crate::streams) fn apply_surveys<C>(entries: C, position: &mut StreamPosition) -> C
    where
        C: IntoIterator<Item = ReaderEntry> + FromIterator<ReaderEntry>,
    {
        let mut is_lost = false;
        let mut is_applied = |entry: &ReaderEntry| {
            is_lost |= matches!(entry, ReaderEntry::Lost { .. });
            let is_survey = matches!(
                entry,
                ReaderEntry::Found { .. }
                    | ReaderEntry::Fixed { .. }
                    | ReaderEntry::Surveyed { .. }
            );
            if is_survey && !is_lost {
                entry.apply_to(position);
            }
            is_survey && !is_lost
        };
        let entries = entries.into_iter();
        entries.filter(|entry| !is_applied(entry)).collect()
    }

    /// Moves a position past this entry.
    pub(in crate::streams) fn apply_to(&self, position: &mut StreamPosition) {
        match self {
            ReaderEntry::Found { shard, placed } => {
                position.add_shard(shard.clone(), placed.clone())
            }
            ReaderEntry::Fixed { shard, place } => position.move_shard(shard, place.clone()),
            ReaderEntry::Record {
                shard,
                record,
                moves,
                ..
            } => {
                if let (true, Some(place)) = (*moves, place_after(record)) {
                    position.move_shard(shard, place);
                }
            }
            ReaderEntry::Lost {
                shard,
                lost,
                is_end,
            } => {
                let place = match is_end {
                    true => ShardPlace::End,
                    false => ShardPlace::Oldest { since: lost.until },
                };
                if let Some(shard) = shard {
                    position.move_shard(shard, place);
                }
            }
            ReaderEntry::End { shard } => position.move_shard(shard, ShardPlace::End),
            ReaderEntry::Forgotten { shard } => position.remove_shard(shard),
            ReaderEntry::Surveyed { at } => position.surveyed = Some(*at),
        }
    }
}

/// The place after a record.
pub(super) fn place_after(record: &StreamRecord) -> Option<ShardPlace> {
    let sequence = record.sequence()?.clone();
    let at = record.at().map(Timestamp::seconds);
    Some(ShardPlace::After { sequence, at })
}

/// The times between which changes may be lost, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::streams) struct LostTimes {
    pub(in crate::streams) after: Option<i64>,
    pub(in crate::streams) until: i64,
}
