//! A value: the type of an attribute or of a part of one.

use syn::{Ident, Path, Type, Visibility};

use super::field::Field;

/// `#[derive(DynamoValue)]`.
pub(crate) struct Value {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// Type parameters only; lifetimes are rejected.
    pub(crate) generics: syn::Generics,
    pub(crate) shape: ValueShape,
}

pub(crate) enum ValueShape {
    /// Named fields: a map. Fields have the roles `Attribute`, `Skip` or `Rest` only.
    Struct(Vec<Field>),
    /// One unnamed field: stored as that.
    Newtype(Type),
    /// No variant has data: stored as its name.
    UnitEnum(Vec<UnitVariant>),
    /// No variant has data, and each has a number in the order: stored as that number.
    OrderedEnum(Vec<OrderedVariant>),
    /// Some variant has data: a map with a tag.
    DataEnum {
        tag: String,
        variants: Vec<DataVariant>,
    },
}

pub(crate) struct UnitVariant {
    pub(crate) ident: Ident,
    pub(crate) stored: String,
}

pub(crate) struct OrderedVariant {
    pub(crate) ident: Ident,
    /// The discriminant, which is stored.
    pub(crate) rank: u16,
}

pub(crate) struct DataVariant {
    pub(crate) ident: Ident,
    pub(crate) stored: String,
    pub(crate) shape: VariantShape,
}

pub(crate) enum VariantShape {
    Unit,
    /// Stored beside the tag under the name `value`: one field as itself, several as a list.
    Tuple(Vec<Type>),
    /// Stored beside the tag under their names.
    Struct(Vec<Field>),
}
