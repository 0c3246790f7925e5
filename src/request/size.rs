//! The 400 KB limit, before sending.

use crate::codec::{DynamoValue, Fault, MAX_ITEM_SIZE, Reader, Value};
use crate::entity::{DynamoEntity, DynamoTable};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::schema::{IndexDef, IndexKind, Projection, TableDef};

/// Refuses an item that DynamoDB would refuse for its size. `size` was counted while it was written.
pub(crate) fn check<E: DynamoEntity>(item: &[u8], size: usize) -> Result<()> {
    let table = &<E::Table as DynamoTable>::TABLE;
    let locals = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Local);
    // Copies in local indexes count. They are measured only where they could matter.
    let most = size.saturating_mul(1 + locals.clone().count());
    let total = if most <= MAX_ITEM_SIZE {
        most
    } else {
        let entities = <E::Table as DynamoTable>::ENTITIES;
        let ttl = entities.iter().find_map(|entity| entity.ttl);
        let copies = locals
            .map(|index| copy_size(table, ttl, index, item, size))
            .sum::<Result<usize, _>>();
        size + copies.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?
    };
    if total <= MAX_ITEM_SIZE {
        return Ok(());
    }
    let copies = if total > size {
        ", its copies in local indexes included"
    } else {
        ""
    };
    let message = format!(
        "the item has {total} bytes{copies}; DynamoDB allows {MAX_ITEM_SIZE} (400 KB): split it, or store the large part elsewhere"
    );
    Err(Error::new(ErrorKind::TooLarge, Stage::Encode, message).of(E::ENTITY.type_name))
}

/// The bytes of an item's copy in a local index; none if it is not in it.
fn copy_size(
    table: &TableDef,
    ttl: Option<&str>,
    index: &IndexDef,
    item: &[u8],
    size: usize,
) -> Result<usize, Fault> {
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
        let is_always = [table.type_attribute, ttl].contains(&Some(&*name));
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
