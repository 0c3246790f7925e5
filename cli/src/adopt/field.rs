//! The fields of structs, and the types that they have.

use dynamo_entity::{Item, Number, Value};

use super::time_text::TimeForm;

/// A field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdoptedField {
    /// The stored name; for a field that is only in the key, the name that its place gave it.
    pub(crate) attribute: String,
    /// The name in Rust.
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) presence: Presence,
    pub(crate) role: AdoptedRole,
    /// The guesses about it.
    pub(crate) unsure: Vec<String>,
}

/// In which items an attribute is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    /// Absent in some items.
    Optional,
    /// NULL in some items, and absent in none.
    Null,
    /// NULL in some items and absent in others.
    NullOrAbsent,
}

/// The role of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdoptedRole {
    Attribute,
    /// Without an attribute: read from the key.
    KeyOnly,
    CreatedAt,
    UpdatedAt,
    Version,
    Ttl,
    /// An attribute with one text in all items, which the declaration writes without a field.
    Constant,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldKind {
    Text,
    Unsigned,
    Signed,
    Float,
    /// Any number, with all its digits.
    Exact,
    Bool,
    Bytes,
    Time(TimeForm),
    /// A type of the library for a time that is a key attribute itself.
    KeyTime(TimeForm),
    TextSet,
    UnsignedSet,
    SignedSet,
    NumberSet,
    BytesSet,
    List(Box<FieldKind>, Nulls),
    Map(Box<FieldKind>, Nulls),
    Struct(NestedStruct),
    /// Any value.
    Any,
}

/// Whether elements may be NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    None,
    Some,
}

/// A map with named members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NestedStruct {
    /// The name of the type, which the declarations make unique.
    pub(crate) name: String,
    pub(crate) fields: Vec<AdoptedField>,
}

impl AdoptedField {
    /// Whether the struct writes this attribute as it read it.
    pub(crate) fn keeps(&self, row: &Item) -> bool {
        if self.role == AdoptedRole::KeyOnly {
            return true;
        }
        match (row.get(&self.attribute), self.presence) {
            (None, presence) => matches!(presence, Presence::Optional | Presence::NullOrAbsent),
            (Some(Value::Null), Presence::Null | Presence::NullOrAbsent) => true,
            (Some(Value::Null), _) => self.kind == FieldKind::Any,
            (Some(value), _) => self.kind.keeps(value),
        }
    }
}

impl FieldKind {
    /// Whether it is a set, which is an absent attribute if it is empty.
    pub(crate) fn is_set(&self) -> bool {
        matches!(
            self,
            FieldKind::TextSet
                | FieldKind::UnsignedSet
                | FieldKind::SignedSet
                | FieldKind::NumberSet
                | FieldKind::BytesSet
        )
    }

    /// Whether the type reads the value, and writes it back as it is.
    pub(crate) fn keeps(&self, value: &Value) -> bool {
        match (self, value) {
            (FieldKind::Any, _)
            | (FieldKind::Text, Value::S(_))
            | (FieldKind::Exact, Value::N(_))
            | (FieldKind::Bool, Value::Bool(_))
            | (FieldKind::Bytes, Value::B(_))
            | (FieldKind::TextSet, Value::Ss(_))
            | (FieldKind::NumberSet, Value::Ns(_))
            | (FieldKind::BytesSet, Value::Bs(_)) => true,
            (FieldKind::Unsigned, Value::N(number)) => is_canonical::<u64>(number),
            (FieldKind::Signed, Value::N(number)) => is_canonical::<i64>(number),
            (FieldKind::Float, Value::N(number)) => is_float(number),
            (FieldKind::Time(form) | FieldKind::KeyTime(form), value) => form.has_value(value),
            (FieldKind::UnsignedSet, Value::Ns(set)) => set.iter().all(is_canonical::<u64>),
            (FieldKind::SignedSet, Value::Ns(set)) => set.iter().all(is_canonical::<i64>),
            (FieldKind::List(kind, nulls), Value::L(list)) => {
                list.iter().all(|value| kind.keeps_element(*nulls, value))
            }
            (FieldKind::Map(kind, nulls), Value::M(map)) => map
                .iter()
                .all(|(_, value)| kind.keeps_element(*nulls, value)),
            (FieldKind::Struct(nested), Value::M(map)) => {
                nested.fields.iter().all(|field| field.keeps(map))
            }
            _ => false,
        }
    }

    fn keeps_element(&self, nulls: Nulls, value: &Value) -> bool {
        match value {
            Value::Null => nulls == Nulls::Some || *self == FieldKind::Any,
            value => self.keeps(value),
        }
    }
}

/// Whether the integer is written as this number.
pub(crate) fn is_canonical<T: std::str::FromStr + ToString>(number: &Number) -> bool {
    let integer = number.as_str().parse::<T>();
    integer.is_ok_and(|integer| integer.to_string() == number.as_str())
}

/// Whether the float is written as this number.
pub(crate) fn is_float(number: &Number) -> bool {
    let float: Option<f64> = number
        .as_str()
        .parse()
        .ok()
        .filter(|float: &f64| float.is_finite());
    // A short text of few digits is the same number again; longer ones may be those of a decimal type.
    float.is_some_and(|float| {
        format!("{float:e}")
            .parse::<Number>()
            .is_ok_and(|again| again == *number)
    })
}
