//! A typed path to an attribute, or into one.

use std::fmt;
use std::marker::PhantomData;

use super::mode::{Mode, Optional};
use super::place::Place;
use crate::codec::{DynamoField, Fault, Name, Value, Writer};

/// Writes a value as the field at the path would store it, or nothing if it is absent then.
pub type Encode<T> = fn(&T, &Name, &mut Writer) -> Result<(), Fault>;

/// Writes a value as a key holds it, whether it fits one or not: in a comparison it is a value like any other.
pub(super) type Compared<T> = fn(&T, &mut Writer) -> Result<(), Fault>;

/// Where a value of type `T` is in items of the entity `R`; `M` says what may be done there.
pub struct Path<R, T, M> {
    place: Place,
    encode: Encode<T>,
    /// Writes a value to compare with, where that may be one that is not stored there.
    compared: Option<Compared<T>>,
    /// What a missing attribute means to the entity.
    default: Option<Absent>,
    kind: Kind<R, T, M>,
}

/// Owns nothing: a path can be sent wherever its entity is.
type Kind<R, T, M> = PhantomData<fn() -> (R, T, M)>;

/// Writes the default of a field.
pub type Absent = fn() -> Result<Option<Vec<u8>>, Fault>;

/// A path, or a struct that derefs to one.
pub trait AtPath {
    /// The path to this place.
    #[doc(hidden)]
    fn at_place(place: Place) -> Self;

    /// A missing attribute means this.
    #[doc(hidden)]
    #[must_use]
    fn or_default(self, _default: Absent) -> Self
    where
        Self: Sized,
    {
        self
    }
}

impl<R, T: DynamoField, M: Mode> AtPath for Path<R, T, M> {
    fn at_place(place: Place) -> Self {
        Path::stored_as(place, T::encode_field)
    }

    fn or_default(mut self, default: Absent) -> Self {
        self.default = Some(default);
        self
    }
}

impl<R, T, M> Path<R, T, M> {
    /// The path of a field that is stored in a way of its own.
    #[doc(hidden)]
    pub fn stored_as(place: Place, encode: Encode<T>) -> Self {
        Path {
            place,
            encode,
            compared: None,
            default: None,
            kind: PhantomData,
        }
    }

    /// The same of a field that is a key.
    #[doc(hidden)]
    #[must_use]
    pub fn compared_as(mut self, compared: Compared<T>) -> Self {
        self.compared = Some(compared);
        self
    }

    #[doc(hidden)]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The default of the field, in DynamoDB JSON.
    pub(super) fn default(&self) -> Result<Option<Vec<u8>>, Fault> {
        self.default.map_or(Ok(None), |default| default())
    }

    /// The value in DynamoDB JSON; `None` if it is an absent one, such as an empty set.
    pub(super) fn json(&self, value: &T) -> Result<Option<Vec<u8>>, Fault> {
        json(|name, writer| (self.encode)(value, name, writer))
            .map_err(|fault| fault.at(self.place.to_string()))
    }
}

impl<R, T, M> Path<R, T, M> {
    /// The value in DynamoDB JSON, to compare with; `None` if it is an absent one.
    pub(super) fn compared(&self, value: &T) -> Result<Option<Vec<u8>>, Fault> {
        let Some(compared) = self.compared else {
            return self.json(value);
        };
        let mut writer = Writer::for_request(32);
        let written = compared(value, &mut writer);
        written.map_err(|fault| fault.at(self.place.to_string()))?;
        Ok(Some(writer.into_bytes()))
    }
}

/// What a field writes, without its name.
pub fn json(
    encode: impl FnOnce(&Name, &mut Writer) -> Result<(), Fault>,
) -> Result<Option<Vec<u8>>, Fault> {
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

/// The attributes that no field knows: those of a `rest` field.
pub struct RestPath<R> {
    /// The map that they are in, if it is not the item.
    within: Option<Place>,
    kind: PhantomData<fn() -> R>,
}

impl<R> RestPath<R> {
    #[doc(hidden)]
    pub fn of_item() -> Self {
        RestPath {
            within: None,
            kind: PhantomData,
        }
    }

    #[doc(hidden)]
    pub fn within(place: &Place) -> Self {
        RestPath {
            within: Some(place.clone()),
            kind: PhantomData,
        }
    }

    /// The attribute of this name. A change of one that a field of the entity knows is refused: the
    /// field has a path of its own.
    pub fn entry(&self, name: impl Into<String>) -> Path<R, Value, Optional> {
        let name = name.into();
        Path::at_place(match &self.within {
            Some(map) => map.entry(name),
            None => Place::of_rest(name),
        })
    }
}

impl<R> fmt::Debug for RestPath<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RestPath")
    }
}

impl<R, T, M> Clone for Path<R, T, M> {
    fn clone(&self) -> Self {
        Path {
            place: self.place.clone(),
            encode: self.encode,
            compared: self.compared,
            default: self.default,
            kind: PhantomData,
        }
    }
}

impl<R, T, M> fmt::Debug for Path<R, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({})", self.place)
    }
}
