//! A value given for a part of a key, without its type.

use std::any::Any;
use std::fmt;

use super::{KeyTarget, KeyValue, PartPlace, Role};
use crate::json::{CodecError, Name, Reader, Writer};
use crate::schema::KeyType;

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

/// A part of a template that was read from a text, and the function that writes it.
struct PartOfText<P> {
    part: P,
    write: fn(&P, PartPlace<'_, '_>) -> Result<(), CodecError>,
}

impl<P> WriteGivenPart for PartOfText<P> {
    fn write(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        (self.write)(&self.part, place)
    }

    fn write_value(&self, _: KeyTarget<'_>, _: &Name, _: Role) -> Result<(), CodecError> {
        Err(wrong_parts())
    }
}

/// A bare key that was read from a text.
struct ValueOfText<V>(V);

impl<V: KeyValue> WriteGivenPart for ValueOfText<V> {
    fn write(&self, _: PartPlace<'_, '_>) -> Result<(), CodecError> {
        Err(wrong_parts())
    }

    fn write_value(
        &self,
        target: KeyTarget<'_>,
        name: &Name,
        role: Role,
    ) -> Result<(), CodecError> {
        target.value(&self.0, name, role)
    }
}

/// A part of a template that was parsed from a text.
pub(crate) fn part_of_text<P: 'static>(
    part: Option<P>,
    write: fn(&P, PartPlace<'_, '_>) -> Result<(), CodecError>,
) -> Option<Box<dyn Any>> {
    part.map(|part| Box::new(GivenPart::new(PartOfText { part, write })) as _)
}

/// A bare key that was parsed from a text.
pub(crate) fn given_value<V: KeyValue + 'static>(value: Option<V>) -> Option<Box<dyn Any>> {
    value.map(|value| Box::new(GivenPart::new(ValueOfText(value))) as _)
}

/// A bare key from a text: a text unchanged, a number as its digits, bytes as base64.
pub(crate) fn value_of_text<V: KeyValue>(text: &str) -> Option<V> {
    let mut writer = Writer::default();
    writer.raw(match V::TYPE {
        KeyType::S => "{\"S\":",
        KeyType::N => "{\"N\":",
        KeyType::B => "{\"B\":",
    });
    writer.quoted(text);
    writer.raw("}");
    V::decode_key(&mut Reader::new(writer.as_bytes())).ok()
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

/// The error for a partition key that is queried with other parts than it has.
#[cold]
pub fn wrong_parts() -> CodecError {
    CodecError::new("a partition key is written with other parts than it has")
}
