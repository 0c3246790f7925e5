//! Checks the 400 KB limit before sending.

use crate::codec::{DynamoValue, Value};
use crate::entity::EntityDeclaration;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{UpdateAction, UpdateActions};
use crate::json::{CodecError, Reader};
use crate::schema::{IndexDef, IndexKind, Projection};

/// The maximum size of an item in bytes, names and values together.
const MAX_ITEM_SIZE: usize = 400 * 1024;

/// Returns an error for an item that DynamoDB would reject because of its size. `size` was counted while it was
/// written.
pub(crate) fn check_size(declared: &EntityDeclaration, item: &[u8], size: usize) -> Result<()> {
    let table = declared.table;
    let locals = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Local);
    // DynamoDB counts the copies in local indexes too. Measuring them needs a pass over the item, so it is done only if
    // they could exceed the limit.
    let most = size.saturating_mul(1 + locals.clone().count());
    let total = if most <= MAX_ITEM_SIZE {
        most
    } else {
        let ttl = declared.entities.iter().find_map(|entity| entity.ttl);
        let copies = locals
            .map(|index| copy_size(declared, ttl, index, item, size))
            .sum::<Result<usize, _>>();
        size + copies.map_err(|fault| declared.unwritten(fault))?
    };
    if total <= MAX_ITEM_SIZE {
        return Ok(());
    }
    let copies = if total > size {
        ", its copies in local indexes included"
    } else {
        ""
    };
    Err(too_large(
        declared.def.type_name,
        &format!("the item has {total} bytes{copies}"),
    ))
}

/// Rejects an item without a type for its size.
pub(crate) fn check_item(entity: &'static str, size: usize) -> Result<()> {
    match size <= MAX_ITEM_SIZE {
        true => Ok(()),
        false => Err(too_large(entity, &format!("the item has {size} bytes"))),
    }
}

fn too_large(entity: &'static str, what: &str) -> Error {
    let message = format!(
        "{what}; DynamoDB allows {MAX_ITEM_SIZE} (400 KB): split it, or store the large part elsewhere"
    );
    Error::new(ErrorKind::TooLarge, Stage::Encode, message).of(entity)
}

/// Rejects names and values that are too large for any item. A name may be empty if it is not known.
pub(crate) fn check_least<'a>(
    entity: &'static str,
    parts: impl Iterator<Item = (&'a str, &'a [u8])> + Clone,
) -> Result<()> {
    // A value is never larger than its JSON, so most updates need no decoding here.
    let most: usize = parts
        .clone()
        .map(|(name, json)| name.len() + json.len())
        .sum();
    if most <= MAX_ITEM_SIZE {
        return Ok(());
    }
    let size = |(name, json): (&str, &[u8])| {
        Value::decode(&mut Reader::new(json)).map(|value| name.len() + value.size())
    };
    let least = parts.map(size).sum::<Result<usize, CodecError>>();
    let least = least.map_err(|fault| Error::encode(entity, fault))?;
    if least <= MAX_ITEM_SIZE {
        return Ok(());
    }
    let what = format!("the item would have at least {least} bytes");
    Err(too_large(entity, &what))
}

/// Checks the values that an update sets in the same way.
pub(crate) fn check_update(entity: &'static str, update: &UpdateActions) -> Result<()> {
    let set = update.place_actions().filter_map(|(place, action)| {
        let name = if place.is_attribute() {
            &**place.attribute_name()
        } else {
            ""
        };
        match action {
            UpdateAction::Set(json) => Some((name, &**json)),
            _ => None,
        }
    });
    check_least(entity, set)
}

/// The bytes of an item's copy in a local index; 0 if the index does not contain the item.
fn copy_size(
    declared: &EntityDeclaration,
    ttl: Option<&str>,
    index: &IndexDef,
    item: &[u8],
    size: usize,
) -> Result<usize, CodecError> {
    let table = declared.table;
    let mut reader = Reader::new(item);
    reader.open_object()?;
    let (mut first, mut keys, mut copied) = (true, 0, 0);
    while let Some(name) = reader.next_name(&mut first)? {
        let bytes = name.len() + Value::decode(&mut reader)?.size();
        let is_sort_key = index.sk.contains(&&*name);
        keys += usize::from(is_sort_key);
        let is_key = is_sort_key || name == table.pk || table.sk.is_some_and(|sk| name == sk);
        let is_included = match index.project {
            Projection::All => true,
            Projection::Keys => false,
            Projection::Include(listed) => listed.contains(&&*name),
        };
        let mut constants = declared.def.constant_names();
        let is_always = [declared.def.type_attribute_in(table), ttl].contains(&Some(&*name))
            || constants.any(|constant| constant == name);
        copied += if is_key || is_included || is_always {
            bytes
        } else {
            0
        };
    }
    Ok(if keys == index.sk.len() {
        copied.min(size)
    } else {
        0
    })
}
