//! The meaning of a declaration, after its attributes are read and checked.
//!
//! `parse` fills these types from tokens, `check` compares their parts, `expand` turns them into
//! code. Nothing here emits and nothing here reads tokens.

mod collection;
mod entity;
mod field;
mod index;
mod key;
mod large;
mod projection;
mod table;
mod value;
mod vector;
mod words;

pub(crate) use collection::{Collection, CollectionVariant, Partition};
pub(crate) use entity::{
    Constant, ConstantValue, Entity, ItemShape, OwnTable, SecondKey, SecondKeyUse, TableRef,
    Unique, UniqueKept, UniqueRow,
};
pub(crate) use field::{
    DefaultValue, Expiry, ExpirySource, Field, FieldRole, Form, FormerName, FormerUse,
};
pub(crate) use index::{Index, IndexKind, IndexProjection, When, WhenTest, WhenValue};
pub(crate) use key::{
    DerivedPart, Format, KeySource, NoneSide, Piece, Style, Template, TextFormat, parts_that_end,
};
pub(crate) use large::LargeValue;
pub(crate) use projection::{Projected, Projection};
pub(crate) use table::{IdentifyBy, StreamView, Table, TableIndex};
pub(crate) use value::{DataVariant, OrderedVariant, UnitVariant, Value, ValueShape, VariantShape};
pub(crate) use vector::{Distance, FieldUse, VectorIndex};
pub(crate) use words::Words;
