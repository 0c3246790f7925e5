//! The entity of an item by its type attribute and the constants of the entity. Reads, jobs, streams, imports and copies
//! all use these functions; only an item without a type has to be identified by its key, and every item of a table with
//! `identify_by = key`. In a table with `identify_by = type`, an item without a type belongs to no entity.

use std::fmt;

use super::agree::{is_table_key, is_type};
use super::overlap::{is_fallback, same_text};
use super::{
    ConstantDef, ConstantSchema, ConstantValue, EntityDef, EntitySchema, IdentifyBy, KeyType,
    Style, TableDef,
};
use crate::codec::{Item, Value};
use crate::json::{Number, Reader, find_member, is_null};

/// The relation of an item to an entity, by its type and its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeMatch {
    /// The type and all constants are those of the entity.
    Own,
    /// The same in a table that identifies its rows by their keys. Its key decides.
    Typed,
    /// The item has no type, and no constant with another value. Its key decides.
    Untyped,
    /// The item belongs to another entity or to none, because of this attribute.
    Foreign(&'static str),
    /// The item has no type, in a table that identifies its rows by their types alone: it belongs to no entity.
    Typeless(&'static str),
}

/// The type of an item, found once for all entities that are compared with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundType<'i> {
    item: &'i [u8],
    is_by_key: bool,
    /// The type attribute, if it alone identifies rows.
    by_type: Option<&'static str>,
    /// The type attribute of the table and its value in DynamoDB JSON, if the item has one.
    stored: Option<(&'static str, &'i [u8])>,
}

/// An attribute of an item with its value in DynamoDB JSON.
fn stored_type<'i>(item: &'i [u8], attribute: &'static str) -> Option<(&'static str, &'i [u8])> {
    let json = find_member(item, attribute).ok().flatten()?;
    Some((attribute, json))
}

impl<'i> FoundType<'i> {
    pub(crate) fn of_item(table: &TableDef, item: &'i [u8]) -> Self {
        let attribute = table.type_attribute;
        FoundType {
            item,
            is_by_key: is_identified_by_key(table),
            by_type: table.identifying_type(),
            stored: attribute.and_then(|attribute| stored_type(item, attribute)),
        }
    }

    /// The type of the item for an entity, which may have a type attribute of its own.
    fn type_for(self, entity: &EntityDef) -> Option<(&'static str, &'i [u8])> {
        match entity.type_attribute {
            Some(own) => stored_type(self.item, own),
            None => self.stored,
        }
    }

    /// Whether the item has a type that is not the one of the entity, or a type without its constants.
    pub(crate) fn is_typed_otherwise(self, entity: &EntityDef) -> bool {
        self.type_for(entity).is_some()
            && matches!(self.matched_with(entity), TypeMatch::Foreign(_))
    }

    /// Whether the filter of a query of the entity excludes the item. A NULL in the place of a type is none, so the key
    /// decides whether a query returns the item as an error.
    pub(crate) fn is_filtered_out(self, table: &TableDef, entity: &EntityDef) -> bool {
        let is_null = || {
            let stored = self.type_for(entity);
            stored.is_some_and(|(_, json)| is_null(json))
        };
        self.is_typed_otherwise(entity) && !(may_have_null_type(table, entity) && is_null())
    }

    /// Whether the item belongs to the entity: by its type and constants, or by its key if it has no type.
    pub(crate) fn is_of(self, entity: &EntityDef) -> bool {
        match self.matched_with(entity) {
            TypeMatch::Own => true,
            TypeMatch::Typed | TypeMatch::Untyped => entity.has_key(self.item),
            TypeMatch::Foreign(_) | TypeMatch::Typeless(_) => false,
        }
    }

    /// Whether the item has no type, although its type alone identifies it.
    pub(crate) fn is_typeless(self) -> bool {
        self.by_type.is_some() && self.stored.is_none()
    }

    pub(crate) fn matched_with(self, entity: &EntityDef) -> TypeMatch {
        let item = self.item;
        let own_type = self.type_for(entity).map(|(attribute, json)| {
            let found = Reader::new(json).text();
            (
                attribute,
                found.is_ok_and(|found| found == entity.stored_name),
            )
        });
        if let Some((attribute, false)) = own_type {
            return TypeMatch::Foreign(attribute);
        }
        let foreign = entity.constants.iter().find(|constant| {
            let stored = find_member(item, constant.attribute).ok().flatten();
            match stored {
                Some(json) => !constant.is_stored(&mut Reader::new(json)).unwrap_or(false),
                None => own_type.is_some(),
            }
        });
        match (foreign, own_type) {
            (Some(constant), _) => TypeMatch::Foreign(constant.attribute),
            (None, Some(_)) if self.is_by_key => TypeMatch::Typed,
            (None, Some(_)) => TypeMatch::Own,
            (None, None) => self.by_type.map_or(TypeMatch::Untyped, TypeMatch::Typeless),
        }
    }
}

/// Whether another program writes the types of the entity, so that a type or a constant may be NULL. The queries of other
/// entities do without the longer filter.
pub(crate) fn may_have_null_type(table: &TableDef, entity: &EntityDef) -> bool {
    table.style != Style::Escaped
        || table.identify_by.is_some()
        || entity.type_attribute.is_some()
        || !entity.constants.is_empty()
}

/// Whether an item with this key, of which no attribute is known, may be one of the entity. In a table with
/// `identify_by = type`, this can be true for several entities.
pub(crate) fn may_be_key_of(table: &TableDef, entity: &EntityDef, keys: &[u8]) -> bool {
    match is_identified_by_type(table) {
        true => entity.has_key(keys),
        false => entity.owns(table, keys),
    }
}

impl EntityDef {
    /// Compares the type and the constants of an item with those of the entity.
    pub(crate) fn type_match(&self, table: &TableDef, item: &[u8]) -> TypeMatch {
        FoundType::of_item(table, item).matched_with(self)
    }

    /// Whether an item belongs to the entity: by its type and constants, or by its key if it has no type.
    pub(crate) fn owns(&self, table: &TableDef, item: &[u8]) -> bool {
        FoundType::of_item(table, item).is_of(self)
    }

    /// The names of its constants.
    pub(crate) fn constant_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.constants.iter().map(|constant| constant.attribute)
    }
}

impl EntitySchema {
    /// Whether the key of an item fits the templates of the entity. If the schema has no declaration, only the literals of
    /// the templates are compared.
    pub fn has_key_of(&self, item: &Item) -> bool {
        let Ok(json) = item.to_dynamo_json() else {
            return false;
        };
        match self.origin.0 {
            Some(declared) => declared.entity.has_key(&json),
            None => self.is_like(&json),
        }
    }

    /// Whether an item with the type of the entity has its constants too.
    pub fn has_constants_of(&self, item: &Item) -> bool {
        self.constants.iter().all(
            |constant| match (constant.ty, item.get(&constant.attribute)) {
                (KeyType::S, Some(Value::S(text))) => *text == constant.value,
                (KeyType::N, Some(Value::N(number))) => constant
                    .value
                    .parse::<Number>()
                    .is_ok_and(|own| own == *number),
                _ => false,
            },
        )
    }
}

impl ConstantDef {
    pub(super) fn schema(&self) -> ConstantSchema {
        let (ty, value) = match self.value {
            ConstantValue::Text(text) => (KeyType::S, text.to_owned()),
            ConstantValue::Number(number) => (KeyType::N, number.to_string()),
        };
        ConstantSchema {
            attribute: self.attribute.to_owned(),
            ty,
            value,
        }
    }
}

/// The value, as it is written in the declaration.
impl fmt::Display for ConstantSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            KeyType::S => write!(f, "{:?}", self.value),
            KeyType::N | KeyType::B => f.write_str(&self.value),
        }
    }
}

/// Whether no item can belong to both entities: they have other types, or a constant with another value.
pub const fn are_distinct(a: &EntityDef, b: &EntityDef) -> bool {
    if is_fallback(a) || is_fallback(b) || !same_text(a.stored_name, b.stored_name) {
        return true;
    }
    let mut at = 0;
    while at < a.constants.len() {
        let mut other = 0;
        while other < b.constants.len() {
            let (own, others) = (&a.constants[at], &b.constants[other]);
            if same_text(own.attribute, others.attribute) && !same_value(own, others) {
                return true;
            }
            other += 1;
        }
        at += 1;
    }
    false
}

/// Whether the table identifies its rows by their keys, so that its entities may have one type.
pub const fn is_identified_by_key(table: &TableDef) -> bool {
    matches!(table.identify_by, Some(IdentifyBy::Key))
}

/// Whether the table identifies its rows by their types alone, so that its entities may have one key.
pub const fn is_identified_by_type(table: &TableDef) -> bool {
    matches!(table.identify_by, Some(IdentifyBy::Type))
}

impl TableDef {
    /// The type attribute, if it alone identifies the rows of the table.
    pub(crate) const fn identifying_type(&self) -> Option<&'static str> {
        match is_identified_by_type(self) {
            true => self.type_attribute,
            false => None,
        }
    }
}

/// Whether two shapes of one entity have the same constants and the same type attribute.
pub const fn same_constants(a: &EntityDef, b: &EntityDef) -> bool {
    let is_same_type = match (a.type_attribute, b.type_attribute) {
        (Some(a), Some(b)) => same_text(a, b),
        (None, None) => true,
        _ => is_fallback(a) || is_fallback(b),
    };
    is_same_type && a.constants.len() == b.constants.len() && has_constants_of(a, b)
}

const fn has_constants_of(a: &EntityDef, b: &EntityDef) -> bool {
    let mut at = 0;
    while at < a.constants.len() {
        let mut other = 0;
        let mut is_found = false;
        while other < b.constants.len() {
            let (own, others) = (&a.constants[at], &b.constants[other]);
            is_found |= same_text(own.attribute, others.attribute) && same_value(own, others);
            other += 1;
        }
        if !is_found {
            return false;
        }
        at += 1;
    }
    true
}

const fn same_value(a: &ConstantDef, b: &ConstantDef) -> bool {
    match (a.value, b.value) {
        (ConstantValue::Text(a), ConstantValue::Text(b)) => same_text(a, b),
        (ConstantValue::Number(a), ConstantValue::Number(b)) => a == b,
        _ => false,
    }
}

/// Whether the type attribute of an entity is neither a key of the table nor one of its constants.
pub const fn has_free_type(entity: &EntityDef, table: &TableDef) -> bool {
    match entity.type_attribute {
        Some(own) => !is_table_key(own, table) && has_free_constants(entity, table),
        None => true,
    }
}

/// Whether two entities store their types in one attribute.
pub(crate) fn share_type_attribute(a: &EntityDef, b: &EntityDef) -> bool {
    a.type_attribute == b.type_attribute
}

/// Whether the constants have other names than the keys and the type of the table.
pub const fn has_free_constants(entity: &EntityDef, table: &TableDef) -> bool {
    let mut at = 0;
    while at < entity.constants.len() {
        let name = entity.constants[at].attribute;
        if is_table_key(name, table) || is_type(name, entity, table) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether two entities of one type would store a unique value in the same item.
pub const fn share_uniques(a: &EntityDef, b: &EntityDef) -> bool {
    if is_fallback(a) || is_fallback(b) {
        return false;
    }
    let mut at = 0;
    while at < a.uniques.len() {
        let mut other = 0;
        while other < b.uniques.len() {
            // Rows of other programs have no front. Their templates are compared instead.
            let is_sentinel = a.uniques[at].row.is_none();
            if is_sentinel && same_text(a.uniques[at].front, b.uniques[other].front) {
                return true;
            }
            other += 1;
        }
        at += 1;
    }
    false
}
