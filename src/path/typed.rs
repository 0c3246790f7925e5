//! A typed path to an attribute, or to something inside one.

use std::fmt;
use std::marker::PhantomData;

use crate::json::{CodecError, Name, Writer};
use crate::path::Place;

/// Writes a value as the field at the path would store it, or nothing if the value means absence.
pub type Encode<T> = fn(&T, &Name, &mut Writer) -> Result<(), CodecError>;

/// Writes a value in the format of a key, whether it is a valid key or not: for a comparison that does not matter.
pub(crate) type Compared<T> = fn(&T, &mut Writer) -> Result<(), CodecError>;

/// The location of a value of type `T` in items of the entity `R`; `M` determines the operations there.
pub struct Path<R, T, M> {
    at: ValuePlace<T>,
    kind: PathMarker<R, T, M>,
}

/// The location of a value and its stored form: a path without its entity, so that code is compiled once for each
/// type of value and not for each entity.
pub(crate) struct ValuePlace<T> {
    place: Place,
    encode: Encode<T>,
    /// Writes a value to compare with, if that may be one that cannot be stored there.
    compared: Option<Compared<T>>,
    /// The value of a missing attribute.
    default: Option<Absent>,
}

/// Owns nothing, so that a path can be sent to other threads.
type PathMarker<R, T, M> = PhantomData<fn() -> (R, T, M)>;

/// Writes the default of a field.
pub type Absent = fn() -> Result<Option<Vec<u8>>, CodecError>;

/// A path, or a struct that derefs to one.
pub trait AtPath {
    /// The path to this place.
    #[doc(hidden)]
    fn at_place(place: Place) -> Self;

    /// The path with the value of a missing attribute.
    #[doc(hidden)]
    #[must_use]
    fn or_default(self, _default: Absent) -> Self
    where
        Self: Sized,
    {
        self
    }
}

impl<R, T, M> Path<R, T, M> {
    /// The path of a field that has its own way to store values.
    #[doc(hidden)]
    pub fn stored_as(place: Place, encode: Encode<T>) -> Self {
        Path {
            at: ValuePlace {
                place,
                encode,
                compared: None,
                default: None,
            },
            kind: PhantomData,
        }
    }

    /// The same path of a field that is a key, with its way to write values to compare with.
    #[doc(hidden)]
    #[must_use]
    pub fn compared_as(mut self, compared: Compared<T>) -> Self {
        self.at.compared = Some(compared);
        self
    }

    /// The same path with the value of a missing attribute.
    #[must_use]
    pub(crate) fn defaulting_to(mut self, default: Absent) -> Self {
        self.at.default = Some(default);
        self
    }

    #[doc(hidden)]
    pub fn place(&self) -> &Place {
        &self.at.place
    }

    /// The path without its entity.
    pub(crate) fn value_place(&self) -> &ValuePlace<T> {
        &self.at
    }
}

impl<T> ValuePlace<T> {
    pub(crate) fn inner_place(&self) -> &Place {
        &self.place
    }

    /// The default of the field, in DynamoDB JSON.
    pub(crate) fn default(&self) -> Result<Option<Vec<u8>>, CodecError> {
        self.default.map_or(Ok(None), |default| default())
    }

    /// The value in DynamoDB JSON; `None` if the value means absence, such as an empty set.
    pub(crate) fn encode_value(&self, value: &T) -> Result<Option<Vec<u8>>, CodecError> {
        json(|name, writer| (self.encode)(value, name, writer))
            .map_err(|fault| fault.at(self.place.to_string()))
    }

    /// The value in DynamoDB JSON, to compare with; `None` if the value means absence.
    pub(crate) fn encode_compared(&self, value: &T) -> Result<Option<Vec<u8>>, CodecError> {
        let Some(compared) = self.compared else {
            return self.encode_value(value);
        };
        let mut writer = Writer::for_request(32);
        let written = compared(value, &mut writer);
        written.map_err(|fault| fault.at(self.place.to_string()))?;
        Ok(Some(writer.into_bytes()))
    }
}

/// The value that a field writes, without its name.
pub fn json(
    encode: impl FnOnce(&Name, &mut Writer) -> Result<(), CodecError>,
) -> Result<Option<Vec<u8>>, CodecError> {
    const NAME: Name = Name::new("", "\"\":");
    let mut writer = Writer::for_request(32);
    encode(&NAME, &mut writer)?;
    let mut json = writer.into_bytes();
    if json.is_empty() {
        return Ok(None);
    }
    json.drain(..NAME.json.len().min(json.len()));
    Ok(Some(json))
}

impl<R, T, M> Clone for Path<R, T, M> {
    fn clone(&self) -> Self {
        Path {
            at: ValuePlace {
                place: self.at.place.clone(),
                ..self.at
            },
            kind: PhantomData,
        }
    }
}

impl<R, T, M> fmt::Debug for Path<R, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({})", self.at.place)
    }
}
