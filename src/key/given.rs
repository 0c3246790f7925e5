//! A value given for a part of a key, without its type.

use std::fmt;

use super::{KeyTarget, PartPlace, Role};
use crate::json::{CodecError, Name};

/// A value of a part, ready to be written.
pub struct GivenPart(Box<dyn WriteGivenPart>);

impl GivenPart {
    pub(crate) fn new(value: impl WriteGivenPart + 'static) -> Self {
        GivenPart(Box::new(value))
    }

    /// Writes a part of a template.
    pub fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        self.0.write(place)
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

impl fmt::Debug for GivenPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenPart")
    }
}

/// Hides the type of the value, so that code about partitions is not compiled once for each type.
pub(crate) trait WriteGivenPart {
    fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError>;
    fn write_value(&self, target: KeyTarget<'_>, name: &Name, role: Role)
    -> Result<(), CodecError>;
}

/// The error for a partition key that is asked for with other parts than it has.
#[cold]
pub fn wrong_parts() -> CodecError {
    CodecError::new("a partition key is written with other parts than it has")
}
