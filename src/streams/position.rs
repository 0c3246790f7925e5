//! The position in a stream as text. It contains the place of each shard: how far the shard has been delivered.
//!
//! ```text
//! base64url of lines:
//! 1 COUNT                             the version of the format, and the number of shards
//! ARN of the stream
//! oldest - TIME | since SECONDS TIME | latest - TIME     the start, and the time up to which all shards are known
//! SHARD PARENT oldest SECONDS         nothing delivered since the start or a loss; only later records can be lost
//! SHARD PARENT latest SECONDS         nothing delivered; records from before this time are not wanted
//! SHARD PARENT unread SECONDS         nothing delivered; created after this time
//! SHARD PARENT after NUMBER SECONDS   delivered up to this record, with its time
//! SHARD PARENT end                    delivered to its end
//! ```
//!
//! PARENT and the SECONDS of a record are `-` if they are unknown.

use std::collections::BTreeMap;
use std::fmt;
use std::str::{FromStr, SplitWhitespace};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::sequence::SequenceNumber;
use crate::error::{Error, ErrorKind, Result, Stage};

const VERSION: &str = "1";
const UNKNOWN: &str = "-";

/// The ID of a shard.
pub(super) type ShardId = Arc<str>;

/// The first changes that are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstWanted {
    Oldest,
    /// Changes since this time, in Unix seconds.
    Since(i64),
    /// Changes after the stream was opened.
    Latest,
}

/// The place of a shard: how far it has been delivered. Times are Unix seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShardPlace {
    /// Nothing was delivered, and records from before this time may be gone.
    Oldest { since: i64 },
    /// Nothing was delivered, and records from before this time are not wanted.
    Latest { since: i64 },
    /// Nothing was delivered. The shard was created after this time, so all of its records are wanted.
    Unread { since: i64 },
    /// The shard was delivered up to this record.
    After {
        sequence: SequenceNumber,
        at: Option<i64>,
    },
    /// The shard was delivered to its end.
    End,
}

/// A shard in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedShard {
    pub(super) parent: Option<ShardId>,
    pub(super) place: ShardPlace,
}

/// A position in a stream, after the changes that were delivered.
///
/// You can save it as text (`Display`, `FromStr`) or with serde. To continue from it, pass
/// [`StreamStart::Position`](super::StreamStart) to [`start`](super::FollowChanges::start).
///
/// A position belongs to one stream. If the stream of a table is switched off and on again, or the table is created
/// again, the position still opens the old stream for a day. After that, `open` rejects it.
///
/// The text contains the IDs of the stream and of its shards, and no values of items. It has 100 to 150 bytes for each
/// shard of the last day.
#[derive(Clone, PartialEq, Eq)]
pub struct StreamPosition {
    pub(super) arn: Arc<str>,
    pub(super) first: FirstWanted,
    /// The time at which the last complete survey began whose shards are all in the position.
    pub(super) surveyed: Option<i64>,
    pub(super) shards: BTreeMap<ShardId, PlacedShard>,
}

impl StreamPosition {
    /// The position before the first change.
    pub(super) fn at_start(arn: Arc<str>, first: FirstWanted) -> Self {
        StreamPosition {
            arn,
            first,
            surveyed: None,
            shards: BTreeMap::new(),
        }
    }

    /// Returns the ARN of the stream.
    pub fn stream_arn(&self) -> &str {
        &self.arn
    }

    /// Sets the place of a shard.
    pub(super) fn move_shard(&mut self, shard: &ShardId, place: ShardPlace) {
        if let Some(placed) = self.shards.get_mut(shard) {
            placed.place = place;
        }
    }

    /// Adds a shard that was found. If it is known already, adds its parent.
    pub(super) fn add_shard(&mut self, shard: ShardId, placed: PlacedShard) {
        let parent = placed.parent.clone();
        let known = self.shards.entry(shard).or_insert(placed);
        known.parent = known.parent.take().or(parent);
    }

    /// Removes a shard that no longer exists.
    pub(super) fn remove_shard(&mut self, shard: &ShardId) {
        self.shards.remove(shard);
    }
}

/// The text that [`FromStr`] reads.
impl fmt::Display for StreamPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = format!("{VERSION} {}\n{}\n", self.shards.len(), self.arn);
        let surveyed = show_time(self.surveyed);
        lines.push_str(&match self.first {
            FirstWanted::Oldest => format!("oldest - {surveyed}\n"),
            FirstWanted::Since(time) => format!("since {time} {surveyed}\n"),
            FirstWanted::Latest => format!("latest - {surveyed}\n"),
        });
        for (id, PlacedShard { parent, place }) in &self.shards {
            let parent = parent.as_deref().unwrap_or(UNKNOWN);
            lines.push_str(&format!("{id} {parent} "));
            lines.push_str(&match place {
                ShardPlace::Oldest { since } => format!("oldest {since}\n"),
                ShardPlace::Latest { since } => format!("latest {since}\n"),
                ShardPlace::Unread { since } => format!("unread {since}\n"),
                ShardPlace::After { sequence, at } => {
                    format!("after {sequence} {}\n", show_time(*at))
                }
                ShardPlace::End => "end\n".to_owned(),
            });
        }
        f.write_str(&base64_simd::URL_SAFE_NO_PAD.encode_to_string(&lines))
    }
}

fn show_time(time: Option<i64>) -> String {
    time.map_or_else(|| UNKNOWN.to_owned(), |time| time.to_string())
}

fn read_time(text: &str) -> Option<Option<i64>> {
    match text {
        UNKNOWN => Some(None),
        time => time.parse().ok().map(Some),
    }
}

/// Fails if the text is not a position, with an error of kind [`InvalidCursor`](ErrorKind::InvalidCursor).
impl FromStr for StreamPosition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        read_position(text).ok_or_else(|| {
            let message = "this text is not a position of a stream, or it is incomplete";
            Error::new(ErrorKind::InvalidCursor, Stage::Decode, message)
        })
    }
}

fn read_position(text: &str) -> Option<StreamPosition> {
    let bytes = base64_simd::URL_SAFE_NO_PAD
        .decode_to_vec(text.trim())
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let mut lines = text.strip_suffix('\n')?.split('\n');
    let (version, count) = lines.next()?.split_once(' ')?;
    if version != VERSION {
        return None;
    }
    let arn = lines.next().filter(|arn| !arn.is_empty())?;
    let mut start = lines.next()?.split(' ');
    let first = match (start.next()?, start.next()?) {
        ("oldest", UNKNOWN) => FirstWanted::Oldest,
        ("since", time) => FirstWanted::Since(time.parse().ok()?),
        ("latest", UNKNOWN) => FirstWanted::Latest,
        _ => return None,
    };
    let mut position = StreamPosition::at_start(arn.into(), first);
    position.surveyed = read_time(start.next()?)?;
    for line in lines {
        let mut words = line.split_whitespace();
        let id = words.next()?.into();
        let parent = words.next()?;
        let placed = PlacedShard {
            parent: (parent != UNKNOWN).then(|| parent.into()),
            place: read_place(&mut words)?,
        };
        if words.next().is_some() || position.shards.insert(id, placed).is_some() {
            return None;
        }
    }
    // A truncated text would otherwise be a position with fewer shards, and the records of the others would be delivered
    // again.
    (count.parse() == Ok(position.shards.len())).then_some(position)
}

fn read_place(words: &mut SplitWhitespace<'_>) -> Option<ShardPlace> {
    Some(match words.next()? {
        "oldest" => ShardPlace::Oldest {
            since: words.next()?.parse().ok()?,
        },
        "latest" => ShardPlace::Latest {
            since: words.next()?.parse().ok()?,
        },
        "unread" => ShardPlace::Unread {
            since: words.next()?.parse().ok()?,
        },
        "after" => {
            let sequence = words.next()?;
            if !sequence.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let at = read_time(words.next()?)?;
            ShardPlace::After {
                sequence: SequenceNumber::new(sequence),
                at,
            }
        }
        "end" => ShardPlace::End,
        _ => return None,
    })
}

/// Shows the ARN of the stream and the number of shards.
impl fmt::Debug for StreamPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shards = self.shards.len();
        write!(f, "StreamPosition({}, {shards} shards)", self.arn)
    }
}

impl Serialize for StreamPosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StreamPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn any_place() -> impl Strategy<Value = ShardPlace> {
        prop_oneof![
            any::<i64>().prop_map(|since| ShardPlace::Unread { since }),
            any::<i64>().prop_map(|since| ShardPlace::Oldest { since }),
            any::<i64>().prop_map(|since| ShardPlace::Latest { since }),
            ("[0-9]{1,40}", option::of(any::<i64>())).prop_map(|(sequence, at)| {
                ShardPlace::After {
                    sequence: SequenceNumber::new(sequence),
                    at,
                }
            }),
            Just(ShardPlace::End),
        ]
    }

    fn any_position() -> impl Strategy<Value = StreamPosition> {
        let first = prop_oneof![
            Just(FirstWanted::Oldest),
            any::<i64>().prop_map(FirstWanted::Since),
            Just(FirstWanted::Latest)
        ];
        let id = "shardId-[0-9]{20}-[0-9a-f]{8}";
        let placed = (option::of(id), any_place()).prop_map(|(parent, place)| PlacedShard {
            parent: parent.map(Into::into),
            place,
        });
        let shards = btree_map(id.prop_map(ShardId::from), placed, 0..6);
        (first, option::of(any::<i64>()), shards).prop_map(|(first, surveyed, shards)| {
            StreamPosition {
                surveyed,
                arn: "arn:aws:dynamodb:eu-west-1:1:table/t/stream/2026".into(),
                first,
                shards,
            }
        })
    }

    proptest! {
        #[test]
        fn a_position_is_read_as_it_was_written(position in any_position()) {
            prop_assert_eq!(position.to_string().parse::<StreamPosition>().unwrap(), position);
        }

        #[test]
        fn a_text_that_was_cut_is_an_error(position in any_position(), cut in any::<prop::sample::Index>()) {
            let text = position.to_string();
            let cut = &text[..cut.index(text.len())];
            prop_assert!(cut.parse::<StreamPosition>().is_err());
        }

        #[test]
        fn other_texts_are_errors(text in "\\PC{0,60}") {
            prop_assert!(text.parse::<StreamPosition>().is_err());
        }
    }
}
