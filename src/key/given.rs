//! A value given for a part of a key, without its type.

use std::any::Any;
use std::fmt;

use super::role::Role;
use super::writer::{KeyTarget, PartPlace};
use crate::json::{CodecError, Name};

/// A value of a part, ready to be written.
pub struct GivenPart(Box<dyn WriteGivenPart>);

impl GivenPart {
    pub(crate) fn new(value: impl WriteGivenPart + 'static) -> Self {
        GivenPart(Box::new(value))
    }

    /// Writes a part of a template.
    pub fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        self.0.write_part(place)
    }

    /// Writes an attribute that is a plain field.
    pub fn write_value(&self, target: KeyTarget<'_>, name: &Name) -> Result<(), CodecError> {
        self.0.write_value(target, name, Role::Partition)
    }

    /// Writes a sort key that is a plain field.
    pub(crate) fn write_sort_value(
        &self,
        target: KeyTarget<'_>,
        name: &Name,
    ) -> Result<(), CodecError> {
        self.0.write_value(target, name, Role::Sort)
    }
}

/// A part of a template that was read from a text, and the function that writes it.
struct PartOfText<P> {
    part: P,
    write: fn(&P, PartPlace<'_, '_>) -> Result<(), CodecError>,
}

impl<P> WriteGivenPart for PartOfText<P> {
    fn write_part(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        (self.write)(&self.part, place)
    }

    fn write_value(&self, _: KeyTarget<'_>, _: &Name, _: Role) -> Result<(), CodecError> {
        Err(wrong_parts())
    }
}

/// A part of a template that was parsed from a text.
pub(crate) fn part_of_text<P: 'static>(
    part: Option<P>,
    write: fn(&P, PartPlace<'_, '_>) -> Result<(), CodecError>,
) -> Option<Box<dyn Any>> {
    part.map(|part| Box::new(GivenPart::new(PartOfText { part, write })) as _)
}

impl fmt::Debug for GivenPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenPart")
    }
}

/// Hides the type of the value, so that code about partitions is not compiled once for each type.
pub(crate) trait WriteGivenPart {
    fn write_part(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError>;
    fn write_value(&self, target: KeyTarget<'_>, name: &Name, role: Role)
    -> Result<(), CodecError>;
}

/// The error for a partition key that is queried with other parts than it has.
#[cold]
pub fn wrong_parts() -> CodecError {
    CodecError::new("a partition key is written with other parts than it has")
}
