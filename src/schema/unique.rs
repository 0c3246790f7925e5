//! Lets the compiler check that no entity can have the key of an item that stores a unique value.
//!
//! The partition key of such an item begins with `$UNIQUE#`, and no key from a template contains `$`. If the
//! partition key of an entity can be any text, the sort key distinguishes them: that of such an item is `$`.

use super::likeness::is_row;
use super::overlap::{is_fallback, key_may_meet, may_begin, same_text};
use super::{
    ConstantDef, ConstantValue, EntityDef, KeyDef, KeySource, KeyType, Piece, Style, TableDef,
    UniqueRowDef,
};
use crate::json::{Reader, find_member};

/// Whether the partition key is text.
pub const fn has_text_partition(entity: &EntityDef) -> bool {
    is_fallback(entity) || matches!(entity.pk.ty, KeyType::S)
}

/// Whether no attribute of the entity is the TTL of another entity in the table: DynamoDB deletes every item by it.
pub const fn has_no_ttl_of(entity: &EntityDef, others: &[&EntityDef]) -> bool {
    let mut at = 0;
    while at < others.len() {
        // Its own `ttl` is another mistake.
        if let Some(ttl) = others[at].ttl
            && !same_text(others[at].id, entity.id)
        {
            let mut field = 0;
            while field < entity.attributes.len() {
                if same_text(entity.attributes[field].stored, ttl) {
                    return false;
                }
                field += 1;
            }
        }
        at += 1;
    }
    true
}

/// Whether no entity of the table can have the key of an item that stores a unique value.
pub const fn leaves_room_for_uniques(entities: &[&EntityDef], style: Style) -> bool {
    let mut at = 0;
    while at < entities.len() {
        let entity = entities[at];
        let is_apart = match &entity.sk {
            // The items of unique values have the mark in both keys, so it is enough that one of
            // them differs.
            Some(sk) => has_no_dollar(&entity.pk, style) || has_no_dollar(sk, style),
            None => has_no_dollar(&entity.pk, style),
        };
        if !is_apart && !is_fallback(entity) {
            return false;
        }
        at += 1;
    }
    true
}

impl EntityDef {
    /// Whether it has values that are stored in items of this library: unique ones, lists or blobs.
    pub(crate) fn has_rows_beside(&self) -> bool {
        !self.large.is_empty() || self.has_sentinels()
    }

    /// Whether it has unique values that are stored in items of this library.
    pub(crate) fn has_sentinels(&self) -> bool {
        self.uniques.iter().any(|unique| unique.row.is_none())
    }
}

/// Whether any of the entities has values that are stored in items of this library: unique ones, lists or blobs. All of
/// these items have the same mark.
pub(crate) fn has_uniques(entities: &[&EntityDef]) -> bool {
    entities.iter().any(|entity| entity.has_rows_beside())
}

/// The rows in which other programs store unique values of the entities.
fn unique_rows(entities: &[&'static EntityDef]) -> impl Iterator<Item = &'static UniqueRowDef> {
    let uniques = entities.iter().flat_map(|entity| entity.uniques);
    uniques.filter_map(|unique| unique.row.as_ref())
}

/// Whether other programs store unique values of the entities in rows of the table.
pub(crate) fn has_unique_rows(entities: &[&'static EntityDef]) -> bool {
    unique_rows(entities).next().is_some()
}

/// Whether an item is the row of a unique value of the entities. Its key tells, which no item of an entity can have. An item
/// with the type of an entity is not hidden in any case.
pub(crate) fn is_unique_row(
    table: &TableDef,
    entities: &[&'static EntityDef],
    item: &[u8],
) -> bool {
    unique_rows(entities).any(|row| is_row(row, table.style, item))
        && !has_type_of_any(table, entities, item)
}

/// Whether an item has the type of one of the entities.
pub(crate) fn has_type_of_any(
    table: &TableDef,
    entities: &[&'static EntityDef],
    item: &[u8],
) -> bool {
    entities.iter().any(|entity| {
        let attribute = entity.type_attribute_in(table);
        let stored = attribute.and_then(|name| find_member(item, name).ok().flatten());
        let stored = stored.and_then(|json| Reader::new(json).text().ok());
        stored.is_some_and(|stored| stored == entity.stored_name)
    })
}

/// The row of the unique value with this number.
const fn row_of(entity: &'static EntityDef, number: usize) -> Option<&'static UniqueRowDef> {
    if number >= entity.uniques.len() {
        return None;
    }
    entity.uniques[number].row.as_ref()
}

/// Whether the row has a sort key if the table has one.
pub const fn row_fills_keys(table: &TableDef, entity: &'static EntityDef, number: usize) -> bool {
    match row_of(entity, number) {
        Some(row) => table.name.is_empty() || row.sk.is_some() == table.sk.is_some(),
        None => true,
    }
}

/// Whether no item of the table, and no item that stores a unique value, has the partition key of the row.
pub const fn row_is_no_item(
    entities: &[&EntityDef],
    entity: &'static EntityDef,
    number: usize,
    style: Style,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    if may_begin(&[Piece::Literal("$UNIQUE#")], &row.pk, style)
        || may_begin(&[Piece::Literal("$LARGE#")], &row.pk, style)
    {
        return false;
    }
    let mut at = 0;
    while at < entities.len() {
        let other = entities[at];
        if !is_fallback(other) && key_may_meet(&row.pk, &other.pk, style) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether no row of another unique value has the key of the row.
pub const fn rows_differ(
    entities: &[&'static EntityDef],
    entity: &'static EntityDef,
    number: usize,
    style: Style,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    let mut at = 0;
    while at < entities.len() {
        let other = entities[at];
        let mut unique = 0;
        while unique < other.uniques.len() {
            let is_itself = unique == number && same_text(other.id, entity.id);
            if let Some(found) = &other.uniques[unique].row
                && !is_itself
                && rows_may_meet(row, found, style)
            {
                return false;
            }
            unique += 1;
        }
        at += 1;
    }
    true
}

const fn rows_may_meet(one: &UniqueRowDef, other: &UniqueRowDef, style: Style) -> bool {
    if !key_may_meet(&one.pk, &other.pk, style) {
        return false;
    }
    match (&one.sk, &other.sk) {
        (Some(one), Some(other)) => key_may_meet(one, other, style),
        _ => true,
    }
}

/// Whether the constants of the row have other names than the keys of the table.
pub const fn row_has_free_constants(
    table: &TableDef,
    entity: &'static EntityDef,
    number: usize,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    let mut at = 0;
    while at < row.constants.len() {
        let name = row.constants[at].attribute;
        let is_sort = match table.sk {
            Some(sk) => same_text(sk, name),
            None => false,
        };
        if is_sort || same_text(table.pk, name) {
            return false;
        }
        at += 1;
    }
    true
}

/// Each constant of the row with each entity, by number.
const fn constant_beside<'e>(
    row: &UniqueRowDef,
    entities: &[&'e EntityDef],
    number: usize,
) -> Option<(ConstantDef, &'e EntityDef)> {
    if number >= row.constants.len() * entities.len() {
        return None;
    }
    let constant = row.constants[number % row.constants.len()];
    Some((constant, entities[number / row.constants.len()]))
}

/// Whether no constant of the row is the type of an entity, whose reads would return the row.
pub const fn row_has_own_type(
    table: &TableDef,
    entities: &[&EntityDef],
    entity: &'static EntityDef,
    number: usize,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    let mut at = 0;
    while let Some((constant, other)) = constant_beside(row, entities, at) {
        let attribute = other.type_attribute_in(table);
        if let (ConstantValue::Text(text), Some(attribute)) = (constant.value, attribute)
            && same_text(attribute, constant.attribute)
            && same_text(text, other.stored_name)
        {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether no constant of the row is the expiry time of an entity, by which DynamoDB would delete the row.
pub const fn row_never_expires(
    entities: &[&EntityDef],
    entity: &'static EntityDef,
    number: usize,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    let mut at = 0;
    while let Some((constant, other)) = constant_beside(row, entities, at) {
        if let Some(ttl) = other.ttl
            && same_text(ttl, constant.attribute)
        {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether each constant of the row that is a key of an index has the type of this key. DynamoDB rejects another one.
pub const fn row_fits_indexes(
    entities: &[&EntityDef],
    entity: &'static EntityDef,
    number: usize,
) -> bool {
    let Some(row) = row_of(entity, number) else {
        return true;
    };
    let mut at = 0;
    while let Some((constant, other)) = constant_beside(row, entities, at) {
        let indexes = other.indexes;
        let mut index = 0;
        while index < indexes.len() {
            if is_unlike_key(constant, indexes[index].pk)
                || is_unlike_key(constant, indexes[index].sk)
            {
                return false;
            }
            index += 1;
        }
        at += 1;
    }
    true
}

/// Whether one of the keys has the name of the constant and another type.
const fn is_unlike_key(constant: ConstantDef, keys: &[KeyDef]) -> bool {
    let mut at = 0;
    while at < keys.len() {
        let is_same = matches!(
            (constant.value, keys[at].ty),
            (ConstantValue::Text(_), KeyType::S) | (ConstantValue::Number(_), KeyType::N)
        );
        if same_text(constant.attribute, keys[at].attribute) && !is_same {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether the key never begins with `$`.
const fn has_no_dollar(key: &KeyDef, style: Style) -> bool {
    let KeySource::Template(pieces) = key.source else {
        return false;
    };
    match style {
        // The dollar sign is escaped in parts, and a template cannot begin with it.
        Style::Escaped => true,
        Style::Verbatim(_) => match pieces.first() {
            Some(Piece::Literal(text)) => !text.is_empty() && text.as_bytes()[0] != b'$',
            _ => false,
        },
    }
}
