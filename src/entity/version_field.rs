//! The field of a version: how it is stored.

use super::managed::ManagedValues;
use super::version::{Version, VersionState};

use crate::codec::{DynamoField, DynamoValue};
use crate::error::Result;
use crate::json::{CodecError, Name, Reader, Writer};

/// The type of a version field: [`Version`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a version",
    label = "expected `Version`",
    note = "write `Version`: it distinguishes an entity that was never stored from one that was loaded, which a number cannot"
)]
pub trait VersionField: Sized {
    /// The version the struct holds.
    #[doc(hidden)]
    fn held_version(&self) -> Version;

    /// Writes the version that the item has after a write.
    #[doc(hidden)]
    fn encode_version(
        &self,
        stamp: &ManagedValues,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError>;

    /// Reads the version.
    #[doc(hidden)]
    fn decode_version(reader: &mut Reader<'_>) -> Result<Self, CodecError>;

    /// The meaning of a missing attribute.
    #[doc(hidden)]
    fn absent_version() -> Option<Self>;

    /// The version that is read after a write.
    #[doc(hidden)]
    fn stamped_version(&self, stamp: &ManagedValues) -> Self;
}

#[diagnostic::do_not_recommend]
impl VersionField for Version {
    fn held_version(&self) -> Version {
        *self
    }

    fn encode_version(
        &self,
        stamp: &ManagedValues,
        name: &Name,
        writer: &mut Writer,
    ) -> Result<(), CodecError> {
        let number = stamp.version(*self).number();
        number.map_or(Ok(()), |number| number.encode_field(name, writer))
    }

    fn decode_version(reader: &mut Reader<'_>) -> Result<Self, CodecError> {
        if reader.take_null()? {
            return Ok(Version(VersionState::Unversioned));
        }
        u64::decode(reader).map(Version::stored)
    }

    fn absent_version() -> Option<Self> {
        Some(Version(VersionState::Unversioned))
    }

    fn stamped_version(&self, stamp: &ManagedValues) -> Self {
        let number = stamp.version(*self).number();
        number.map_or(Version(VersionState::Unversioned), Version::stored)
    }
}
