//! The version of an item: optimistic locking.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::entropy;
use crate::error::Result;
use crate::json::CodecError;

/// The version of an item, for a field with `#[dynamo(version)]`.
///
/// Every write changes it, and a write from a loaded entity takes effect only if it is still the one that was loaded.
/// The default is *new*: never stored. A row that others wrote without a version decodes to *unversioned*, and its
/// first write gives it one.
///
/// A new item has 1, and each write adds one. Only a put that checks no version cannot count, because it does not know
/// the stored number. Therefore it writes a number that no caller has, chosen at random between 2^52 and 2^53, which
/// JavaScript can still represent exactly. Anyone still holding the old item gets a conflict, and later writes count
/// from there. Compare versions for equality only, not by size.
///
/// A deleted item that is created again begins at 1 again. If that can happen while other programs hold the deleted
/// one, give the entity a `created_at`, which is then checked too.
///
/// ```
/// use dynamo_entity::Version;
/// assert_eq!(Version::default().number(), None);
/// assert_eq!(Version::from(3).number(), Some(3));
/// ```
///
/// ```
/// # use dynamo_entity::prelude::*;
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "pages", key(pk = id))]
/// struct Page { id: u32, text: String, #[dynamo(version)] version: Version }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Page::schema()]).await?;
/// let draft = Page { id: 1, text: "a".into(), version: Version::default() };
/// let first = draft.create().send(&db).await?;
/// let mine = Page { text: "mine".into(), ..first.clone() }.put().send(&db).await?;
/// assert_eq!(mine.version, Version::from(2));
///
/// // An older copy, whatever is stored. What I hold is not what is stored now, and I am told.
/// let forced = first.put().unchecked().send(&db).await?;
/// assert!(mine.put().send(&db).await.unwrap_err().is_conflict());
///
/// let next = forced.put().send(&db).await?;
/// assert_eq!(next.version.number(), forced.version.number().map(|number| number + 1));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Default)]
pub struct Version(pub(crate) VersionState);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum VersionState {
    #[default]
    New,
    Unversioned,
    /// The version of an item that was read or written.
    Number(u64),
    /// A version given by the program, which knows nothing else about the item.
    Given(u64),
}

/// Numbers from here on are drawn; counting never gets as far. Half of the range up to 2^53 is left to count on in.
const DRAWN: u64 = 1 << 52;

impl Version {
    /// A version that no caller holds, for a write that does not know what it replaces.
    pub(crate) fn drawn() -> Result<u64> {
        Ok(DRAWN | (entropy::random_half()? & (DRAWN / 2 - 1)))
    }

    /// The number, if the item has one.
    pub fn number(self) -> Option<u64> {
        match self.0 {
            VersionState::Number(number) | VersionState::Given(number) => Some(number),
            VersionState::New | VersionState::Unversioned => None,
        }
    }

    /// The version of a stored item.
    pub(crate) fn stored(number: u64) -> Self {
        Version(VersionState::Number(number))
    }

    /// The version after a write.
    pub(crate) fn next(self) -> Result<u64, CodecError> {
        let next = self.number().unwrap_or(0).checked_add(1);
        next.ok_or_else(|| CodecError::new("the version has reached its highest number"))
    }
}

/// Versions are equal if their numbers are. New and unversioned ones have no number and are equal: they differ
/// only in what a write expects to find.
impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.number() == other.number()
    }
}

impl Eq for Version {}

impl std::hash::Hash for Version {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.number().hash(state);
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number().cmp(&other.number())
    }
}

/// The version that an item was seen with, for example from an ETag. If the entity also has a `created_at` of None,
/// that is not checked, whereas in a loaded entity it says that the item has none.
impl From<u64> for Version {
    fn from(number: u64) -> Self {
        Version(VersionState::Given(number))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            VersionState::New => f.write_str("Version(new)"),
            VersionState::Unversioned => f.write_str("Version(unversioned)"),
            VersionState::Number(number) | VersionState::Given(number) => {
                write!(f, "Version({number})")
            }
        }
    }
}

/// The number, or nothing.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().map_or(Ok(()), |number| number.fmt(f))
    }
}

/// The number, or null: the form for an API, where a client shows which version it has seen.
///
/// ```
/// use dynamo_entity::Version;
/// assert_eq!(serde_json::to_string(&Version::from(3)).unwrap(), "3");
/// assert_eq!(serde_json::to_string(&Version::default()).unwrap(), "null");
/// ```
impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

/// A number is the version that an item was seen with, as by `Version::from(3)`; null is a new one.
impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Option::<u64>::deserialize(deserializer)?;
        Ok(number.map_or_else(Version::default, Version::from))
    }
}
