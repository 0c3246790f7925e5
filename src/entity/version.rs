//! The version of an item: optimistic locking.

use std::fmt;

use super::Stamp;
use crate::codec::{DynamoField, DynamoValue, Fault, Name, Reader, Writer};

/// The version of an item, for a field with `#[dynamo(version)]`.
///
/// Every write raises it, and a write from a loaded entity takes effect only if it is still the one
/// that was loaded. The default is *new*: never stored. A row that others wrote without a version
/// decodes to *unversioned* and is adopted by its first write.
///
/// ```
/// use dynamo_entity::Version;
/// assert_eq!(Version::default().number(), None);
/// assert_eq!(Version::from(3).number(), Some(3));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Version(pub(crate) State);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum State {
    #[default]
    New,
    Unversioned,
    Number(u64),
}

impl Version {
    /// The number, if the item has one.
    pub fn number(self) -> Option<u64> {
        match self.0 {
            State::Number(number) => Some(number),
            State::New | State::Unversioned => None,
        }
    }

    /// The version after a write.
    pub(crate) fn next(self) -> Result<u64, Fault> {
        let next = self.number().unwrap_or(0).checked_add(1);
        next.ok_or_else(|| Fault::new("the version is at its highest number"))
    }
}

/// Equal by number. New and unversioned have none and are equal: they differ only in what a write
/// expects to find.
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

/// The version that an item was seen with, out of an ETag say.
impl From<u64> for Version {
    fn from(number: u64) -> Self {
        Version(State::Number(number))
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            State::New => f.write_str("Version(new)"),
            State::Unversioned => f.write_str("Version(unversioned)"),
            State::Number(number) => write!(f, "Version({number})"),
        }
    }
}

/// The number, or nothing.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().map_or(Ok(()), |number| number.fmt(f))
    }
}

/// The type of a version field: [`Version`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a version",
    label = "expected `Version`",
    note = "write `Version`: it tells an entity that was never stored from one that was loaded, which a number cannot"
)]
pub trait VersionField: Sized {
    /// The version the struct holds.
    #[doc(hidden)]
    fn held_version(&self) -> Version;

    /// Writes the version that a write leaves.
    #[doc(hidden)]
    fn encode_version(&self, stamp: &Stamp, name: &Name, writer: &mut Writer) -> Result<(), Fault>;

    /// Reads the version.
    #[doc(hidden)]
    fn decode_version(reader: &mut Reader<'_>) -> Result<Self, Fault>;

    /// What a missing attribute means.
    #[doc(hidden)]
    fn absent_version() -> Option<Self>;

    /// The version that is read after a write.
    #[doc(hidden)]
    fn stamped_version(&self, stamp: &Stamp) -> Self;
}

#[diagnostic::do_not_recommend]
impl VersionField for Version {
    fn held_version(&self) -> Version {
        *self
    }

    fn encode_version(&self, stamp: &Stamp, name: &Name, writer: &mut Writer) -> Result<(), Fault> {
        let number = stamp.version(*self).number();
        number.map_or(Ok(()), |number| number.encode_field(name, writer))
    }

    fn decode_version(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        if reader.take_null()? {
            return Ok(Version(State::Unversioned));
        }
        u64::decode(reader).map(Version::from)
    }

    fn absent_version() -> Option<Self> {
        Some(Version(State::Unversioned))
    }

    fn stamped_version(&self, stamp: &Stamp) -> Self {
        let number = stamp.version(*self).number();
        number.map_or(Version(State::Unversioned), Version::from)
    }
}
