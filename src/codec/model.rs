//! The declared storage of the values of a type. Only
//! [`schema()`](crate::DynamoTable::schema) names these constants, so a program that does not call it does not hold them.
//! However, masked copies use them too, and so do `modify`, `changes_to` and `upsert` of an entity with a field that is a map or has
//! `null`.
//!
//! A type names others by functions, not by constants, because a value may hold values of its own type.

use std::any::type_name;

use crate::json::Tag;
use crate::path::FormerUse;

/// How the values of a type are stored, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub enum TypeModel {
    /// A type with code of its own, of which only the name is known.
    Unseen,
    /// A type of the library: all types that are stored alike have one name.
    Known {
        /// The name, one of `KNOWN`.
        name: &'static str,
    },
    /// A collection of other values.
    Of {
        /// `Vec`, `Set`, `Map` or `Nullable`.
        name: &'static str,
        /// The types of its elements.
        elements: &'static [TypeOf],
    },
    /// A list of a fixed length.
    Array {
        /// The type of its elements.
        element: TypeOf,
        /// Their number.
        len: usize,
    },
    /// A list of values of different types.
    Tuple {
        /// The types, in their order.
        elements: &'static [TypeOf],
    },
    /// A type with `#[derive(DynamoValue)]`.
    Declared {
        /// Its declaration.
        value: &'static ValueModel,
    },
}

/// The names of [`TypeModel::Known`] and [`TypeModel::Of`], which no declared type has without its module, and the kind of
/// their values.
const KNOWN: [(&str, ValueKind); 40] = {
    use MomentForm::{
        Civil, EpochMillis, EpochSeconds, JavaScript, Pynamo, Python, Rfc3339Seconds, Timestamp,
    };
    use ValueKind as Kind;

    [
        ("String", Kind::Text),
        ("bool", Kind::Flag),
        ("char", Kind::Char),
        ("bytes", Kind::Bytes),
        ("i8", Kind::signed(8)),
        ("i16", Kind::signed(16)),
        ("i32", Kind::signed(32)),
        ("i64", Kind::signed(64)),
        ("i128", Kind::signed(128)),
        ("isize", Kind::signed(64)),
        ("u8", Kind::unsigned(8)),
        ("u16", Kind::unsigned(16)),
        ("u32", Kind::unsigned(32)),
        ("u64", Kind::unsigned(64)),
        ("u128", Kind::unsigned(128)),
        ("usize", Kind::unsigned(64)),
        ("f32", Kind::Float { bits: 32 }),
        ("f64", Kind::Float { bits: 64 }),
        ("Number", Kind::Number),
        ("Decimal", Kind::Decimal),
        ("BigDecimal", Kind::Number),
        ("Uuid", Kind::Uuid),
        ("UppercaseUuid", Kind::UppercaseUuid),
        ("Ulid", Kind::Ulid),
        ("timestamp", Kind::Moment(Timestamp)),
        ("date", Kind::Day),
        ("civil_time", Kind::Moment(Civil)),
        ("EpochSeconds", Kind::Moment(EpochSeconds)),
        ("EpochMillis", Kind::Moment(EpochMillis)),
        ("JavaScriptTime", Kind::Moment(JavaScript)),
        ("Rfc3339Seconds", Kind::Moment(Rfc3339Seconds)),
        ("PythonTime", Kind::Moment(Python)),
        ("PynamoTime", Kind::Moment(Pynamo)),
        ("PagePosition", Kind::PagePosition),
        ("Value", Kind::Any),
        ("Item", Kind::Map),
        ("Nullable", Kind::Collection),
        ("Vec", Kind::Collection),
        ("Set", Kind::Collection),
        ("Map", Kind::Collection),
    ]
};

/// The types of this library that are declared like those of a program.
const DECLARED: [(&str, ValueKind); 3] = [
    ("dynamo_entity::YearMonth", ValueKind::Month),
    ("dynamo_entity::Year", ValueKind::Year),
    ("dynamo_entity::Version", ValueKind::Version),
];

/// Whether a declared type needs its module before this name.
pub(crate) fn is_known_name(name: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == name)
}

/// The kind of the values of a type that the library knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueKind {
    /// A text of any length.
    Text,
    /// One character.
    Char,
    /// True or false.
    Flag,
    /// Bytes.
    Bytes,
    /// An integer.
    Integer {
        /// Whether it may be negative.
        is_signed: bool,
        /// Its size.
        bits: u16,
    },
    /// A binary floating-point number.
    Float {
        /// Its size.
        bits: u16,
    },
    /// A decimal number of 96 bits.
    Decimal,
    /// A decimal number of any length.
    Number,
    /// The version of an item.
    Version,
    /// A UUID.
    Uuid,
    /// A UUID with capital letters.
    UppercaseUuid,
    /// A ULID.
    Ulid,
    /// A point in time.
    Moment(MomentForm),
    /// A date.
    Day,
    /// A year and a month.
    Month,
    /// A year.
    Year,
    /// The position of a page of a list.
    PagePosition,
    /// A value of any type of DynamoDB.
    Any,
    /// A map of values of any type.
    Map,
    /// A list, a set or a map of values of one type, or an optional value.
    Collection,
}

/// The stored form of a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MomentForm {
    /// RFC 3339 of variable or fixed precision.
    Timestamp,
    /// A date and a time without a zone.
    Civil,
    /// The number of seconds since 1970.
    EpochSeconds,
    /// The number of milliseconds since 1970.
    EpochMillis,
    /// The text of JavaScript's `toISOString`.
    JavaScript,
    /// RFC 3339 without a fraction.
    Rfc3339Seconds,
    /// The text of Python's `isoformat`.
    Python,
    /// The text of PynamoDB.
    Pynamo,
}

impl ValueKind {
    /// The kind of a type by its name, as in [`FieldSchema::value_type`](crate::schema::FieldSchema::value_type),
    /// without parameters.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut all = KNOWN.iter().chain(&DECLARED);
        all.find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    const fn signed(bits: u16) -> Self {
        ValueKind::Integer {
            is_signed: true,
            bits,
        }
    }

    const fn unsigned(bits: u16) -> Self {
        ValueKind::Integer {
            is_signed: false,
            bits,
        }
    }
}

/// Names a type and says how its values are stored.
pub type TypeOf = fn() -> NamedType;

/// A type and its model.
#[derive(Debug, Clone, Copy)]
pub struct NamedType {
    /// Its path, as the compiler tells it.
    pub path: &'static str,
    /// How its values are stored.
    pub model: TypeModel,
}

/// A type with `#[derive(DynamoValue)]`.
#[derive(Debug, Clone, Copy)]
pub struct ValueModel {
    /// Its name.
    pub name: &'static str,
    /// The doc comment.
    pub doc: &'static str,
    /// The types that it is given.
    pub params: &'static [TypeOf],
    /// Its content.
    pub shape: ShapeModel,
}

/// The content of a declared value.
#[derive(Debug, Clone, Copy)]
pub enum ShapeModel {
    /// A map of its fields.
    Struct {
        /// All fields, in their order.
        fields: &'static [FieldModel],
    },
    /// A newtype, which is stored as the type within.
    Newtype {
        /// The type within.
        inner: TypeOf,
    },
    /// An enum that is stored as the name of the variant.
    Names {
        /// All variants, in their order.
        variants: &'static [VariantModel],
    },
    /// An enum that is stored as the number of the variant.
    Numbers {
        /// All variants, in their order.
        variants: &'static [VariantModel],
    },
    /// An enum that is stored as a map of the variant's fields, and a tag.
    Tagged {
        /// The name of the tag.
        tag: &'static str,
        /// All variants, in their order.
        variants: &'static [VariantModel],
    },
}

/// A variant of an enum.
#[derive(Debug, Clone, Copy)]
pub struct VariantModel {
    /// Its name.
    pub name: &'static str,
    /// The name or number that is stored.
    pub stored: &'static str,
    /// Its fields; the content of a tuple variant is one field.
    pub fields: &'static [FieldModel],
}

/// A field of an entity, of a value struct or of a variant.
#[derive(Debug, Clone, Copy)]
pub struct FieldModel {
    /// Its name.
    pub name: &'static str,
    /// The attribute; empty if it has none of its own.
    pub attribute: &'static str,
    /// Its type, as it is written.
    pub rust_type: &'static str,
    /// Its type by what it stores; None if only serde knows that.
    pub value_type: Option<TypeOf>,
    /// The type that it is always stored as, unless it is a key attribute, whose definition says so.
    pub stored: Option<Tag>,
    /// Its role in the library.
    pub role: FieldRole,
    /// Whether a value can be read without it; None for fields of entities, which have this from their contract.
    pub may_be_absent: Option<fn() -> bool>,
    /// `serde` or the name of a `format`, else empty.
    pub form: &'static str,
    /// The default, as it is written; empty if there is none.
    pub default: &'static str,
    /// The name under which older programs store it; empty if there is none.
    pub former: &'static str,
    /// The part that the former name plays.
    pub former_use: FormerUse,
    /// Whether masked copies replace its value by a pseudonym.
    pub is_personal: bool,
    /// The doc comment.
    pub doc: &'static str,
}

impl FieldModel {
    /// No field, for constants that are filled later.
    pub(crate) const NONE: FieldModel = FieldModel {
        name: "",
        attribute: "",
        rust_type: "",
        value_type: None,
        stored: None,
        role: FieldRole::Attribute,
        may_be_absent: None,
        form: "",
        default: "",
        former: "",
        former_use: FormerUse::First,
        is_personal: false,
        doc: "",
    };
}

/// The role of a field in the library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldRole {
    /// An attribute like any other.
    #[default]
    Attribute,
    /// It has no attribute: it is read from the key, or is its default.
    Skip,
    /// It holds all attributes that no other field has.
    Rest,
    /// The version.
    Version,
    /// When the item expires.
    Ttl,
    /// When the item was created.
    CreatedAt,
    /// When the item was last written.
    UpdatedAt,
    /// The creator of the item.
    CreatedBy,
    /// The last writer of the item.
    UpdatedBy,
}

/// A type of which only the name is known.
pub(crate) fn unseen_type<T>() -> NamedType {
    NamedType {
        path: type_name::<T>(),
        model: TypeModel::Unseen,
    }
}
