//! Whether a type is a field.

use std::marker::PhantomData;

use crate::codec::DynamoField;
use crate::codec::model::{TypeOf, unseen_type};

/// Finds out whether a type is a field, without requiring it: a key need not be one.
///
/// The constant of this type is found before that of the trait [`UnseenType`], if its condition holds.
#[derive(Debug)]
pub struct TypeProbe<T>(PhantomData<T>);

impl<T: DynamoField> TypeProbe<T> {
    /// The type of the field.
    pub const TYPE: TypeOf = T::TYPE;
}

/// Stands in for [`TypeProbe`] where a type is no field.
pub trait UnseenType {
    /// A type of which only the name is known.
    const TYPE: TypeOf;
}

impl<T> UnseenType for TypeProbe<T> {
    const TYPE: TypeOf = unseen_type::<T>;
}
