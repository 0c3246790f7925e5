//! The path of a field: it knows how its type is stored.

use super::DynamoField;
use crate::path::{Absent, AtPath, Mode, Path, Place};

impl<R, T: DynamoField, M: Mode> AtPath for Path<R, T, M> {
    fn at_place(place: Place) -> Self {
        Path::stored_as(place, T::encode_field)
    }

    fn or_default(self, default: Absent) -> Self {
        self.defaulting_to(default)
    }
}
