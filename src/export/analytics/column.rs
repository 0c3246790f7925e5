//! The types of columns, as they follow from the fields of a schema.

use std::collections::BTreeSet;

use crate::codec::may_be_compressed;
use crate::json::Tag;
use crate::schema::{
    FieldRole, FieldSchema, MomentForm, StoredType, TableSchema, ValueContent, ValueKind,
};

/// The type of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) enum ColumnType {
    Text,
    Bytes,
    Boolean,
    /// An integer of at most 64 bits with a sign.
    Integer,
    /// An integer of at most this many digits.
    Digits(u8),
    /// A number that a type of 64 bits cannot contain exactly.
    Exact,
    Double,
    Timestamp(TimeForm),
    Date,
    /// The elements of a list or a set.
    List(Box<ColumnType>, ListForm),
    /// The values of a map.
    Map(Box<ColumnType>),
    /// Everything else, in DynamoDB JSON.
    Json,
}

/// The stored form of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum TimeForm {
    /// RFC 3339.
    Zoned,
    /// A date and a time without a zone.
    Civil,
    Seconds,
    Millis,
}

/// The form of the elements of a list column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum ListForm {
    /// Each with its type, as in a list.
    Typed,
    /// A set of this type.
    Set(Tag),
}

/// Finds the types of the columns of a table.
pub(in crate::export) struct ColumnTypes<'s> {
    pub(in crate::export) table: &'s TableSchema,
}

impl ColumnTypes<'_> {
    /// The type of the column of a field.
    pub(in crate::export) fn of_field(&self, field: &FieldSchema) -> ColumnType {
        let ty = match (&field.value_type, field.stored) {
            (Some(ty), _) => self.of_type(ty, field.stored, &mut BTreeSet::new()),
            (None, tag) => of_tag(tag),
        };
        // The column contains compressed and plain values, so it shows the JSON of each.
        if field.form.as_deref().is_some_and(may_be_compressed) {
            return of_tag(None);
        }
        let is_millis = field.form.as_deref() == Some("epoch_ms");
        match ty {
            ColumnType::Timestamp(TimeForm::Seconds) if is_millis => {
                ColumnType::Timestamp(TimeForm::Millis)
            }
            // A TTL is a number of seconds, whatever its type.
            ColumnType::Integer | ColumnType::Digits(_) if field.role == FieldRole::Ttl => {
                ColumnType::Timestamp(TimeForm::Seconds)
            }
            ty => ty,
        }
    }

    /// The type of a column of these values, by the name of their type.
    fn of_type<'t>(
        &'t self,
        name: &str,
        tag: Option<Tag>,
        seen: &mut BTreeSet<&'t str>,
    ) -> ColumnType {
        let is_declared = |name: &str| self.table.value_type(name).is_some();
        self.of_stored(&StoredType::read(name, &is_declared), tag, seen)
    }

    fn of_stored<'t>(
        &'t self,
        ty: &StoredType,
        tag: Option<Tag>,
        seen: &mut BTreeSet<&'t str>,
    ) -> ColumnType {
        let mut within = |element| self.of_stored(element, None, seen);
        match (ty.name.as_str(), &ty.of[..]) {
            ("Set", [element]) => {
                let form = match tag {
                    Some(tag @ (Tag::Ss | Tag::Ns | Tag::Bs)) => ListForm::Set(tag),
                    _ => ListForm::Typed,
                };
                list_of(within(element), form)
            }
            ("Map", [_, value]) => match within(value) {
                ty if ty.is_scalar() => ColumnType::Map(Box::new(ty)),
                _ => ColumnType::Json,
            },
            ("()", _) => ColumnType::Json,
            // A `Vec` or an array.
            (_, [element]) => list_of(within(element), ListForm::Typed),
            (name, _) => self.of_name(name, tag, seen),
        }
    }

    fn of_name<'t>(
        &'t self,
        name: &str,
        tag: Option<Tag>,
        seen: &mut BTreeSet<&'t str>,
    ) -> ColumnType {
        if let Some(value) = self.table.value_type(name) {
            return match &value.content {
                // Two newtypes can contain each other in a box.
                ValueContent::Newtype(inner) if seen.insert(&value.name) => {
                    self.of_type(inner, tag, seen)
                }
                ValueContent::Names(_) => ColumnType::Text,
                ValueContent::Numbers(_) => ColumnType::Integer,
                _ => ColumnType::Json,
            };
        }
        let nullable = name.strip_prefix("Nullable<");
        match nullable.and_then(|inner| inner.strip_suffix('>')) {
            Some(inner) => self.of_type(inner, tag, seen),
            None => of_known(name, tag),
        }
    }
}

impl ColumnType {
    /// Whether it is a type for the elements of a list.
    fn is_scalar(&self) -> bool {
        !matches!(
            self,
            ColumnType::List(..) | ColumnType::Map(_) | ColumnType::Json
        )
    }

    /// The type of DynamoDB of its values; None for DynamoDB JSON, which has all.
    pub(in crate::export) fn stored_tag(&self) -> Option<Tag> {
        Some(match self {
            ColumnType::Text | ColumnType::Date => Tag::S,
            ColumnType::Timestamp(TimeForm::Zoned | TimeForm::Civil) => Tag::S,
            ColumnType::Integer | ColumnType::Digits(_) => Tag::N,
            ColumnType::Exact | ColumnType::Double => Tag::N,
            ColumnType::Timestamp(TimeForm::Seconds | TimeForm::Millis) => Tag::N,
            ColumnType::Bytes => Tag::B,
            ColumnType::Boolean => Tag::Bool,
            ColumnType::List(_, ListForm::Typed) => Tag::L,
            ColumnType::List(_, ListForm::Set(tag)) => *tag,
            ColumnType::Map(_) => Tag::M,
            ColumnType::Json => return None,
        })
    }
}

fn list_of(element: ColumnType, elements: ListForm) -> ColumnType {
    match element.is_scalar() {
        true => ColumnType::List(Box::new(element), elements),
        false => ColumnType::Json,
    }
}

/// The column of a type that the library knows. The key of a table decides how its fields are stored, so a number may
/// be stored as text.
fn of_known(name: &str, tag: Option<Tag>) -> ColumnType {
    let (kind, is_text) = (ValueKind::of_name(name), tag == Some(Tag::S));
    match kind {
        Some(ValueKind::Text | ValueKind::Char | ValueKind::Uuid | ValueKind::Ulid) => {
            ColumnType::Text
        }
        Some(ValueKind::Flag) => ColumnType::Boolean,
        Some(ValueKind::Bytes) => ColumnType::Bytes,
        Some(ValueKind::Moment(form)) => match form {
            MomentForm::Civil => ColumnType::Timestamp(TimeForm::Civil),
            MomentForm::JavaScript => ColumnType::Timestamp(TimeForm::Zoned),
            MomentForm::Timestamp if tag != Some(Tag::N) => ColumnType::Timestamp(TimeForm::Zoned),
            MomentForm::EpochSeconds | MomentForm::EpochMillis if is_text => {
                ColumnType::Timestamp(TimeForm::Zoned)
            }
            MomentForm::Timestamp | MomentForm::EpochSeconds => {
                ColumnType::Timestamp(TimeForm::Seconds)
            }
            MomentForm::EpochMillis => ColumnType::Timestamp(TimeForm::Millis),
            // Query engines do not read these texts as times.
            MomentForm::Rfc3339Seconds | MomentForm::Python | MomentForm::Pynamo => of_tag(tag),
        },
        Some(ValueKind::Day) => ColumnType::Date,
        _ if is_text => ColumnType::Text,
        Some(ValueKind::Integer { is_signed, bits }) => match bits {
            // DynamoDB stores at most 38 digits of a number.
            65.. => ColumnType::Digits(38),
            64 if !is_signed => ColumnType::Digits(20),
            _ => ColumnType::Integer,
        },
        Some(ValueKind::Float { .. }) => ColumnType::Double,
        Some(ValueKind::Number | ValueKind::Decimal) => ColumnType::Exact,
        _ => of_tag(tag),
    }
}

/// The column of values of which only the stored type is known.
fn of_tag(tag: Option<Tag>) -> ColumnType {
    match tag {
        Some(Tag::S) => ColumnType::Text,
        Some(Tag::N) => ColumnType::Exact,
        Some(Tag::B) => ColumnType::Bytes,
        Some(Tag::Bool) => ColumnType::Boolean,
        Some(tag @ Tag::Ss) => list_of(ColumnType::Text, ListForm::Set(tag)),
        Some(tag @ Tag::Ns) => list_of(ColumnType::Exact, ListForm::Set(tag)),
        Some(tag @ Tag::Bs) => list_of(ColumnType::Bytes, ListForm::Set(tag)),
        Some(Tag::Null | Tag::L | Tag::M) | None => ColumnType::Json,
    }
}
