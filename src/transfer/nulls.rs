//! The NULLs of a row in its masked copy. A value is decoded and encoded again there, and a None has only one encoding.

use std::iter::repeat;

use crate::codec::{Item, Value};
use crate::schema::{FieldModel, ShapeModel, TypeModel, TypeOf};

/// Stores NULL in the copy for each field that is NULL in the row, also within nested values. Returns whether it changed the
/// copy.
pub(super) fn add_nulls(fields: &[FieldModel], row: &Item, copy: &mut Item) -> bool {
    let mut is_changed = false;
    for field in fields {
        let name = field.attribute;
        // With two names, one of them decides, and NULL under the other one could replace the value.
        let is_simple = !name.is_empty() && field.former.is_empty();
        let Some(stored) = row.get(name).filter(|_| is_simple) else {
            continue;
        };
        is_changed |= match (stored, copy.get_mut(name)) {
            (Value::Null, None) => {
                copy.insert(name, Value::Null);
                true
            }
            (Value::Null, Some(Value::Null)) => false,
            // The default of the field, which is a pseudonym if the field is personal.
            (Value::Null, Some(copied)) if !field.is_personal => {
                *copied = Value::Null;
                true
            }
            // The closure of a mask may have replaced the whole value.
            (_, Some(_)) if field.is_personal => false,
            (stored, Some(copied)) => field
                .value_type
                .is_some_and(|ty| add_within(ty, stored, copied)),
            (_, None) => false,
        };
    }
    is_changed
}

/// The same within a value.
fn add_within(ty: TypeOf, stored: &Value, copied: &mut Value) -> bool {
    match (ty().model, stored, copied) {
        (
            TypeModel::Of {
                name: "Nullable",
                elements: [inner],
            },
            stored,
            copied,
        ) => add_within(*inner, stored, copied),
        (
            TypeModel::Of {
                name: "Map",
                elements: [.., element],
            },
            Value::M(stored),
            Value::M(copied),
        ) => {
            let entries = stored.iter().map(|(name, stored)| {
                let copied = copied.get_mut(name);
                copied.is_some_and(|copied| add_within(*element, stored, copied))
            });
            entries.fold(false, |is_changed, it| is_changed | it)
        }
        (
            TypeModel::Of {
                elements: [element],
                ..
            },
            Value::L(stored),
            Value::L(copied),
        ) => add_to_list(repeat(*element), stored, copied),
        (TypeModel::Array { element, .. }, Value::L(stored), Value::L(copied)) => {
            add_to_list(repeat(element), stored, copied)
        }
        (TypeModel::Tuple { elements }, Value::L(stored), Value::L(copied)) => {
            add_to_list(elements.iter().copied(), stored, copied)
        }
        (TypeModel::Declared { value }, stored, copied) => match (value.shape, stored, copied) {
            (ShapeModel::Newtype { inner }, stored, copied) => add_within(inner, stored, copied),
            (ShapeModel::Struct { fields }, Value::M(stored), Value::M(copied)) => {
                add_nulls(fields, stored, copied)
            }
            (ShapeModel::Tagged { tag, variants }, Value::M(stored), Value::M(copied)) => {
                let name = stored.get(tag).and_then(Value::as_text);
                let mut variants = variants.iter();
                let variant = variants.find(|variant| Some(variant.stored) == name);
                variant.is_some_and(|variant| add_nulls(variant.fields, stored, copied))
            }
            _ => false,
        },
        _ => false,
    }
}

/// The same in the elements of a list of which nothing was omitted.
fn add_to_list(
    types: impl Iterator<Item = TypeOf>,
    stored: &[Value],
    copied: &mut [Value],
) -> bool {
    if stored.len() != copied.len() {
        return false;
    }
    let pairs = types.zip(stored.iter().zip(copied));
    pairs.fold(false, |is_changed, (ty, (stored, copied))| {
        is_changed | add_within(ty, stored, copied)
    })
}
