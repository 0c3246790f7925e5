//! The fields of flattened structs as fields of their entity, in its constants.

use super::overlap::same_text;
use super::reserved::is_reserved;
use super::{AttributeDef, EntityDef, FieldModel, TableDef, is_free};

/// Counts the fields of flattened structs that have attributes.
pub const fn count_flattened(structs: &[&[FieldModel]]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < structs.len() {
        let mut field = 0;
        while field < structs[at].len() {
            if !structs[at][field].attribute.is_empty() {
                count += 1;
            }
            field += 1;
        }
        at += 1;
    }
    count
}

/// The field of this number among those that have attributes.
const fn flattened_field(structs: &[&[FieldModel]], number: usize) -> Option<FieldModel> {
    let (mut count, mut at) = (0, 0);
    while at < structs.len() {
        let mut field = 0;
        while field < structs[at].len() {
            let model = structs[at][field];
            if !model.attribute.is_empty() {
                if count == number {
                    return Some(model);
                }
                count += 1;
            }
            field += 1;
        }
        at += 1;
    }
    None
}

/// The attributes of an entity: its own, then those of its flattened structs.
pub const fn with_flattened<const N: usize>(
    own: &[AttributeDef],
    structs: &[&[FieldModel]],
) -> [AttributeDef; N] {
    let mut all = [AttributeDef {
        field: "",
        stored: "",
        former: None,
    }; N];
    let mut at = 0;
    while at < N {
        if at < own.len() {
            all[at] = own[at];
        } else if let Some(field) = flattened_field(structs, at - own.len()) {
            all[at].field = field.name;
            all[at].stored = field.attribute;
        }
        at += 1;
    }
    all
}

/// The fields of an entity: its own, then those of its flattened structs.
pub const fn with_flattened_fields<const N: usize>(
    own: &[FieldModel],
    structs: &[&[FieldModel]],
) -> [FieldModel; N] {
    let mut all = [FieldModel::NONE; N];
    let mut at = 0;
    while at < N {
        if at < own.len() {
            all[at] = own[at];
        } else if let Some(field) = flattened_field(structs, at - own.len()) {
            all[at] = field;
        }
        at += 1;
    }
    all
}

/// Whether an item can be read without a field of a flattened struct, by the number of its attribute among theirs.
pub fn may_lack_flattened(structs: &[&[FieldModel]], number: usize) -> bool {
    flattened_field(structs, number).is_none_or(|field| {
        let may_be_absent = field.may_be_absent;
        !field.default.is_empty() || may_be_absent.is_none_or(|may_be_absent| may_be_absent())
    })
}

/// Whether no field of a flattened struct has the name or the attribute of another field, of a key, of a constant or of
/// the type, or a reserved one. `own` is the number of attributes that the entity has itself, and `unstored` names its fields
/// without one.
pub const fn flattened_fit(
    own: usize,
    unstored: &[&str],
    entity: &EntityDef,
    table: &TableDef,
) -> bool {
    let all = entity.attributes;
    let mut at = own;
    while at < all.len() {
        let it = &all[at];
        if !is_free(it.stored, entity, table)
            || is_constant(it.stored, entity)
            || is_reserved(it.stored)
        {
            return false;
        }
        let mut other = 0;
        while other < unstored.len() {
            if same_text(it.field, unstored[other]) {
                return false;
            }
            other += 1;
        }
        let mut other = 0;
        while other < at {
            if same_text(it.stored, all[other].stored) || same_text(it.field, all[other].field) {
                return false;
            }
            // An older program stores the other field under this name.
            if let Some(former) = all[other].former
                && same_text(it.stored, former.name)
            {
                return false;
            }
            other += 1;
        }
        at += 1;
    }
    true
}

const fn is_constant(stored: &str, entity: &EntityDef) -> bool {
    let mut at = 0;
    while at < entity.constants.len() {
        if same_text(stored, entity.constants[at].attribute) {
            return true;
        }
        at += 1;
    }
    false
}
