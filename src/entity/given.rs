//! Items that a person or another program gives as data. They get the names and the shape that a program of this
//! declaration reads.

use crate::codec::{DynamoValue as _, Item, Value};
use crate::json::{CodecError, Reader};
use crate::path::FormerUse;
use crate::schema::{AttributeDef, EntityDef, SHAPE, TableDef, shape_number};

/// Gives the attributes of a written item the names by which they are read, and adds the shape of the item. Rejects an
/// item that could be read in two ways.
pub(crate) fn complete_given(def: &EntityDef, item: &mut Item) -> Result<(), CodecError> {
    let read_by = older_shape_of(def, item).filter(|_| item.contains(SHAPE));
    if def.shape.is_some() && !item.contains(SHAPE) {
        let number = shape_number(def);
        if def.reads_older_shapes() {
            let message = format!(
                "it is missing, and items without it have shape 1: add `\"{SHAPE}\": {number}` if the item has the declared fields, or `\"{SHAPE}\": 1` if it has the first ones"
            );
            return Err(CodecError::new(message).at(SHAPE));
        }
        item.insert(SHAPE, i64::from(number));
    }
    // Items of the first shape are stored without a number.
    if read_by.is_some_and(|older| older.shape.is_none()) {
        item.remove(SHAPE);
    }
    let is_stored = def.version.is_some_and(|version| item.contains(version));
    for attribute in read_by.unwrap_or(def).attributes {
        use_read_name(attribute, is_stored, item)?;
    }
    Ok(())
}

/// Gives an item without a type that of the entity that the caller has named, if types alone identify the items of its
/// table. In other tables, the key does.
pub(crate) fn add_own_type(
    def: &EntityDef,
    table: &TableDef,
    item: &mut Item,
) -> Result<(), CodecError> {
    let attribute = table.identifying_type();
    let Some(attribute) = attribute.filter(|attribute| !item.contains(attribute)) else {
        return Ok(());
    };
    item.insert(attribute, def.stored_name);
    for constant in def.constants {
        if !item.contains(constant.attribute) {
            let value = Value::decode(&mut Reader::new(&constant.json()))?;
            item.insert(constant.attribute, value);
        }
    }
    Ok(())
}

fn use_read_name(
    attribute: &AttributeDef,
    is_stored: bool,
    item: &mut Item,
) -> Result<(), CodecError> {
    let Some(former) = attribute.former else {
        return Ok(());
    };
    match (item.get(attribute.stored), item.get(former.name)) {
        (Some(new), Some(value)) if new != value => {
            let message = format!(
                "it and its former name `{}` have different values: omit one of them",
                former.name
            );
            Err(CodecError::new(message).at(attribute.stored))
        }
        // An older program has removed the value of an item that was stored before.
        (Some(_), None) if former.usage == FormerUse::Alone && is_stored => {
            let message = format!(
                "it is read by its former name alone: name it `{}`, or omit it if the item has no value",
                former.name
            );
            Err(CodecError::new(message).at(attribute.stored))
        }
        (Some(_), None) if former.usage == FormerUse::Alone => {
            let value = item.remove(attribute.stored);
            item.insert(former.name, value.unwrap_or(Value::Null));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The attributes of an item that the program does not read, because it reads their fields only by the former names.
/// Returns each one with its former name.
pub(crate) fn unread_names(def: &EntityDef, item: &Item) -> Vec<(&'static str, &'static str)> {
    let read_by = older_shape_of(def, item).unwrap_or(def);
    let renamed = read_by.attributes.iter().filter_map(|attribute| {
        let former = attribute.former?;
        let is_unread = former.usage == FormerUse::Alone && !item.contains(former.name);
        (is_unread && item.contains(attribute.stored)).then_some((attribute.stored, former.name))
    });
    renamed.collect()
}

/// The older declaration that reads the item, if the item has an older shape.
pub(crate) fn older_shape_of(def: &EntityDef, item: &Item) -> Option<&'static EntityDef> {
    let number = match item.get(SHAPE) {
        Some(Value::N(number)) => number.as_str().parse().ok()?,
        Some(_) => return None,
        None => 1,
    };
    let mut older = def.older_shapes();
    older.find(|older| shape_number(older) == number)
}
