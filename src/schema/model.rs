//! The declarations that the library does not need to read and write rows. Only
//! [`schema()`](crate::DynamoTable::schema) names these constants, so a program that does not call it does not hold them.
//! However, masked copies use them too, and so do `modify`, `changes_to` and `upsert` of an entity with a field that is a map or has
//! `null`.

use std::any::Any;

use super::{FieldModel, LargeModel, Pad, Pattern, Piece, SEVERAL, VectorDef};
use crate::json::Name;

/// The declaration of a table besides its [`TableDef`](super::TableDef).
#[derive(Debug, Clone, Copy)]
pub struct TableModel {
    /// The doc comment.
    pub doc: &'static str,
    /// Its entities, in the order of their definitions.
    pub entities: &'static [&'static EntityModel],
    /// The lints that are silent about it.
    pub allows: &'static [AllowModel],
}

impl TableModel {
    /// That of a declaration with mistakes.
    pub const EMPTY: TableModel = TableModel {
        doc: "",
        entities: &[],
        allows: &[],
    };
}

/// The declaration of an entity besides its [`EntityDef`](super::EntityDef).
#[derive(Debug, Clone, Copy)]
pub struct EntityModel {
    /// The doc comment.
    pub doc: &'static str,
    /// All fields, in their order.
    pub fields: &'static [FieldModel],
    /// All parts of all key attributes, bare fields among them: those of the primary key, then index by index.
    pub parts: &'static [PartModel],
    /// The keys of the items that keep its unique values, in the order of the definitions.
    pub uniques: &'static [UniqueModel],
    /// The vector indexes that it declares.
    pub vectors: &'static [&'static VectorDef],
    /// The subject of its queries: its table, or the access pattern at this position of the declaration.
    pub pattern: fn(Option<usize>) -> &'static Pattern,
    /// The lists and blobs beside its items, in the order of the definitions.
    pub large: &'static [LargeModel],
    /// Whether an item can be read without this attribute, by its number in the definition.
    pub may_be_absent: fn(usize) -> bool,
    /// The lints that are silent about it.
    pub allows: &'static [AllowModel],
}

impl EntityModel {
    /// That of a declaration with mistakes.
    pub const EMPTY: EntityModel = EntityModel {
        doc: "",
        fields: &[],
        parts: &[],
        uniques: &[],
        vectors: &[],
        large: &[],
        pattern: |_| &SEVERAL.batch,
        may_be_absent: |_| true,
        allows: &[],
    };
}

/// The key of the item that stores a unique value.
#[derive(Debug, Clone, Copy)]
pub struct UniqueModel {
    /// The pieces of the partition key, and of the sort key of a row of another program.
    pub pieces: &'static [Piece],
    /// The formats of their parts, as they are written; none if no part has one.
    pub formats: &'static [&'static str],
}

/// The declaration of a collection besides its entities.
#[derive(Debug, Clone, Copy)]
pub struct CollectionModel {
    /// The doc comment.
    pub doc: &'static str,
    /// The parts of the partition key; None if it reads the whole table.
    pub partition: Option<&'static [&'static str]>,
}

impl CollectionModel {
    /// That of a declaration with mistakes.
    pub const EMPTY: CollectionModel = CollectionModel {
        doc: "",
        partition: None,
    };
}

/// `allow(rule)` of a declaration or of a part of it.
#[derive(Debug, Clone, Copy)]
pub struct AllowModel {
    /// The field, access pattern, unique value or index; empty if it is the whole declaration.
    pub of: &'static str,
    /// The name of the lint.
    pub rule: &'static str,
}

/// A part of a key.
#[derive(Debug, Clone, Copy)]
pub struct PartModel {
    /// The text after the colon in the template, such as `08` or `date:last`; else empty.
    pub format: &'static str,
    /// The attribute of a field that is a key by itself; else empty.
    pub name: Name,
    /// The conditions that it supports.
    pub ranges: PartRanges,
    /// Makes the part out of a text that a person writes; `None` if the text is no value of its type.
    pub given: GivenOfText,
}

impl PartModel {
    /// Whether the key holds less than the field.
    pub(crate) fn is_cut(&self) -> bool {
        !self.format.is_empty() && self.pad().is_none()
    }

    /// The digits that its format sets.
    pub(crate) fn pad(&self) -> Option<Pad> {
        Pad::read_pad(self.format)
    }
}

/// The name of a key without an attribute.
pub const NO_NAME: Name = Name::new("", "");

/// Makes a part of a key out of a text. The result is a [`GivenPart`](crate::key::GivenPart), which this room does not
/// know, because keys are made by what it says.
pub type GivenOfText = fn(&str, TextOf) -> Option<Box<dyn Any>>;

/// The type that a text is read as.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOf {
    /// The part: of `{at:date}`, a date.
    Part,
    /// The field, which the part is cut from: of `{at:date}`, a time.
    Field,
}

/// The conditions that a query may put on a part besides equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartRanges {
    /// Nothing: its texts do not sort as its values do.
    Nothing,
    /// A range.
    Comparable,
    /// A range, whatever follows the part: no text of a value begins with that of another value.
    PrefixFree,
    /// A range, and what it begins with.
    Text,
    /// A range if the template sets the width and the decimals of its texts, and otherwise nothing: numbers with a
    /// fraction.
    Fixed,
}

/// The conditions that a part supports with the digits that its template sets.
pub const fn ranges_in(natural: PartRanges, pad: Option<Pad>) -> PartRanges {
    match (natural, pad) {
        (
            PartRanges::Fixed,
            Some(Pad {
                width: 1..,
                decimals: Some(_),
            }),
        ) => PartRanges::Comparable,
        (PartRanges::Fixed, _) => PartRanges::Nothing,
        _ => natural,
    }
}
