//! Items that a person or another program gives as data. They get the names and the shape that a program of this
//! declaration reads.

use crate::codec::{Item, Value};
use crate::json::CodecError;
use crate::path::FormerUse;
use crate::schema::{AttributeDef, EntityDef, SHAPE, shape_number};

/// Gives the attributes of a written item the names by which they are read, and adds the shape of the item. Rejects an
/// item that could be read in two ways.
pub(crate) fn complete_given(def: &EntityDef, item: &mut Item) -> Result<(), CodecError> {
    if def.shape.is_some() && !item.contains(SHAPE) {
        let number = shape_number(def);
        if def.reads_older_shapes() {
            let message = format!(
                "it is missing, and items without it have shape 1: add `\"{SHAPE}\": {number}` if the item has the declared fields"
            );
            return Err(CodecError::new(message).at(SHAPE));
        }
        item.insert(SHAPE, i64::from(number));
    }
    for attribute in def.attributes {
        use_read_name(attribute, item)?;
    }
    Ok(())
}

fn use_read_name(attribute: &AttributeDef, item: &mut Item) -> Result<(), CodecError> {
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
    let renamed = def.attributes.iter().filter_map(|attribute| {
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
