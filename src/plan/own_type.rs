//! The condition that a write changes no item of another entity, in a table with `identify_by = type`: there, an item of
//! another entity may have the key that is written.
//!
//! An item without a type belongs to no entity, so the condition does not hold for it either. It holds for a missing item,
//! unless the other conditions of the write need an item.

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::entity::EntityDeclaration;
use crate::error::{Error, ErrorKind, Stage};
use crate::expr::{Comparison, Node, Term};
use crate::json::Writer;
use crate::path::Place;
use crate::schema::{EntityDef, TableDef, TypeMatch, is_identified_by_type};

/// Holds for items with the type and the constants of an entity. The attribute is that of the table.
pub(crate) fn typed_condition(attribute: &'static str, entity: &EntityDef) -> Node {
    let attribute = entity.type_attribute.unwrap_or(attribute);
    let is_equal = |name: &'static str, value: Vec<u8>| {
        let place = Term::Place(Place::of(name));
        Node::Compare(place, Comparison::Eq, Term::Value(value))
    };
    let own = is_equal(attribute, type_value(entity));
    let constants = entity.constants.iter();
    let constants = constants.map(|constant| is_equal(constant.attribute, constant.json()));
    Node::all([own].into_iter().chain(constants))
}

/// The type attribute of an entity, as DynamoDB JSON.
pub(crate) fn type_value(entity: &EntityDef) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text(entity.stored_name);
    writer.into_bytes()
}

/// Holds for items of the entity. `None` if the key of an item identifies it.
pub(crate) fn own_condition(table: &TableDef, entity: &EntityDef) -> Option<Node> {
    let attribute = table.identifying_type()?;
    Some(typed_condition(attribute, entity))
}

/// The condition that a write with this other condition needs so that it changes no item of another entity. `None` if the
/// keys of the table identify its items.
pub(super) fn guard_for(table: &TableDef, entity: &EntityDef, condition: &Node) -> Option<Node> {
    let own = own_condition(table, entity)?;
    let parts = condition.top_level();
    let is_pk = |place: &Place| place.attribute_name() == table.pk;
    let is_new = |part: &Node| matches!(part, Node::Missing(place) if is_pk(place));
    if parts.iter().any(is_new) {
        return Some(Node::all([]));
    }
    let needs_item = |part: &Node| match part {
        Node::Exists(place) => is_pk(place),
        Node::Compare(Term::Place(_), comparison, Term::Value(_) | Term::AsRead(_)) => {
            *comparison == Comparison::Eq
        }
        _ => false,
    };
    Some(match parts.iter().any(needs_item) {
        true => own,
        false => Node::any([Node::Missing(Place::of(table.pk)), own]),
    })
}

/// Whether an item belongs to another entity, or to none, although it has a key of this one.
pub(crate) fn is_of_other(table: &TableDef, entity: &EntityDef, item: &[u8]) -> bool {
    is_identified_by_type(table) && entity.type_match(table, item) != TypeMatch::Own
}

/// The reason why a write of an entity does not take effect on this item of another one.
pub(crate) fn meaning_of_other(table: &TableDef, entity: &EntityDef, item: &[u8]) -> &'static str {
    match entity.type_match(table, item) {
        TypeMatch::Typeless(_) => {
            "the item with this key has no type, so it belongs to no entity of a table with `identify_by = type`, and it is left as it is: add its type by a write of `Item::in_table`"
        }
        _ => "the item with this key belongs to another entity, and it is left as it is",
    }
}

/// Returns an error if the item belongs to another entity than the one that is written.
pub(crate) fn require_own(
    declared: &EntityDeclaration,
    item: &Bytes,
    now: Timestamp,
) -> Result<(), Error> {
    let (table, def) = (declared.table, declared.def);
    if !is_of_other(table, def, item) {
        return Ok(());
    }
    let message = meaning_of_other(table, def, item);
    let error = Error::new(ErrorKind::Conflict, Stage::Request, message);
    let error = error.of(def.type_name).declared_as(Some(def.id));
    Err(error.with_current(item.clone(), now))
}
