//! The path to the attributes that have no field.

use std::fmt;
use std::marker::PhantomData;

use crate::codec::Value;
use crate::path::{AtPath, Optional, Path, Place};

/// The attributes that have no field: those of a `rest` field.
pub struct RestPath<R> {
    /// The map that contains them, if it is not the item.
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

    /// The attribute of this name. A change is an error if a field covers the attribute: use the path of the field
    /// instead.
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
