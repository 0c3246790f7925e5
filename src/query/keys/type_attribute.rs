//! The rows of a query if its range may contain rows of several entities. DynamoDB filters by the type attribute; a
//! row of another program without a type is identified here by its key, as is every row if several entities may have its
//! type.
//!
//! A row is omitted if it belongs to another entity, or clearly to none. A row that may belong to this entity, with
//! its key in another format, is an error in its position, because nothing else would ever report it.

use super::source::QuerySource;
use crate::entity::refused_row;
use crate::entity::sentinel::MARK;
use crate::entity::shape::stored_shape;
use crate::error::Error;
use crate::expr::{Comparison, NULL, Node, Term};
use crate::json::{CodecError, KeyIdentity, find_member, is_null};
use crate::path::Place;
use crate::plan::check;
use crate::plan::own_type::{type_value, typed_condition};
use crate::schema::{
    EntityDef, FoundType, KeySource, SHAPE, Style, TableDef, TypeMatch, are_distinct, has_uniques,
    is_identified_by_key, is_unique_row, may_have_null_type, others_may_be_among, shape_number,
    share_type_attribute,
};

/// How to identify rows without a type.
#[derive(Debug, Clone)]
pub(crate) struct ByKey {
    /// The type attribute.
    pub(crate) attribute: &'static str,
    table: &'static TableDef,
    whose: EntityMatch,
    /// The index, if the rows are those of one, which may not contain the types of its items.
    index: Option<&'static str>,
}

/// The kind of a row without a type.
#[derive(Debug)]
pub(crate) enum RowKind {
    /// A row of the query.
    Meant,
    /// A row of another entity, or of none.
    Other,
    /// A row that may belong to the query, but whose key has another format.
    Unlike(Box<Error>),
}

/// The entities whose keys decide. A key fits at most one entity of the table.
#[derive(Debug, Clone)]
enum EntityMatch {
    /// Rows with a key of this entity belong to the query.
    Of(RowClaim),
    /// All rows belong to the query except those with a key of these entities.
    OfNone(Vec<&'static EntityDef>),
}

/// An entity, and all entities of its table.
#[derive(Debug, Clone, Copy)]
struct RowClaim {
    table: &'static TableDef,
    entity: &'static EntityDef,
    entities: &'static [&'static EntityDef],
}

impl RowClaim {
    /// The reason why a row that may belong to the entity does not have its key. None if it has.
    fn unlike_item(self, item: &[u8]) -> Result<Option<CodecError>, ForeignRow> {
        let Some(fault) = (self.entity.key_fault)(item).filter(|fault| !fault.is_other_spelling())
        else {
            return Ok(None);
        };
        let own = self.entity.likeness(item).ok_or(ForeignRow)?;
        // The literals of keys are compared without case, and those of unique rows are not keys of an item.
        if is_unique_row(self.table, self.entities, item) {
            return Err(ForeignRow);
        }
        let found = FoundType::of_item(self.table, item);
        let others = self.entities.iter().filter(|it| it.id != self.entity.id);
        // The reads of an entity with another type do not return the row, so its key does not matter.
        let mut others = others.filter(|other| !found.is_filtered_out(self.table, other));
        // A row that resembles another entity more is reported by the reads of that entity, so it is reported once.
        let is_of =
            |other: &&'static EntityDef| other.has_key(item) || other.likeness(item) > Some(own);
        match others.any(is_of) {
            true => Err(ForeignRow),
            false => Ok(Some(fault)),
        }
    }
}

/// The row belongs to another entity, or clearly to none.
struct ForeignRow;

impl ByKey {
    /// The attributes that identify rows, in addition to their keys.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &'static str> {
        let compared = match &self.whose {
            // The keys of all entities with one type are compared, and each row is first compared with the type.
            EntityMatch::Of(claim) if self.decides_of_typed() => claim.entities,
            // DynamoDB compares the constants of one entity with the rows.
            EntityMatch::Of(_) => &[][..],
            EntityMatch::OfNone(left_out) => left_out,
        };
        let constants = compared.iter().flat_map(|entity| {
            let own_type = entity.type_attribute.into_iter();
            own_type.chain(entity.constant_names())
        });
        [self.attribute].into_iter().chain(constants)
    }

    /// Whether rows with a type are identified by their keys too.
    pub(crate) fn decides_of_typed(&self) -> bool {
        is_identified_by_key(self.table)
    }

    /// Whether the type of the row is NULL, so that it decides no more than a missing one.
    pub(crate) fn has_null_type(&self, item: &[u8]) -> bool {
        let stored = find_member(item, self.attribute).ok().flatten();
        stored.is_some_and(is_null)
    }

    fn is_requested_in_addition(&self, claim: &RowClaim, item: &[u8]) -> bool {
        // The item of a unique value has no type for an entity with a type attribute of its own.
        let may_be_sentinel = claim.entity.type_attribute.is_some();
        FoundType::of_item(self.table, item).is_filtered_out(self.table, claim.entity)
            || may_be_sentinel && matches!(find_member(item, MARK), Ok(Some(_)))
    }

    /// Identifies a row that has no type, or whose type does not decide.
    pub(crate) fn row_kind(&self, item: &[u8]) -> RowKind {
        match &self.whose {
            // A row of another type was requested in addition, for example the item of a unique value.
            EntityMatch::Of(claim) if self.is_requested_in_addition(claim, item) => RowKind::Meant,
            EntityMatch::Of(claim) => match claim.unlike_item(item) {
                Ok(None) if FoundType::of_item(self.table, item).is_typeless() => {
                    let fault = match self.index {
                        Some(index) => CodecError::typeless_in(index),
                        None => CodecError::typeless(),
                    };
                    let fault = fault.at(self.attribute);
                    RowKind::Unlike(Box::new(refused_row(self.table, claim.entity, item, fault)))
                }
                Ok(None) => RowKind::Meant,
                Ok(Some(fault)) => {
                    let fault = fault.of_identity(KeyIdentity::Unlike);
                    RowKind::Unlike(Box::new(refused_row(self.table, claim.entity, item, fault)))
                }
                Err(ForeignRow) => RowKind::Other,
            },
            EntityMatch::OfNone(left_out) => {
                let found = FoundType::of_item(self.table, item);
                match left_out.iter().any(|entity| found.is_of(entity)) {
                    true => RowKind::Other,
                    false => RowKind::Meant,
                }
            }
        }
    }
}

impl QuerySource {
    /// Returns an error for a row that a job must not delete, because no read returns it as a row of the query: it
    /// has another type, or a key in another format and a type that does not decide. A table with one entity has no types.
    pub(crate) fn check_row(&self, item: &[u8]) -> Result<(), Error> {
        if let Ok(Some(_)) = find_member(item, SHAPE)
            && self.is_newer_shape(item)
        {
            let fault = CodecError::newer_shape(SHAPE);
            return Err(refused_row(self.table, self.entity, item, fault));
        }
        self.check_identity(item)
    }

    /// The same for a write that leaves the attributes of the row as they are, so that its shape does not matter.
    pub(crate) fn check_identity(&self, item: &[u8]) -> Result<(), Error> {
        let Some(attribute) = self.entity.type_attribute_in(self.table) else {
            return Ok(());
        };
        if let Some(members) = self.members {
            return members.foreign_member(item).map_or(Ok(()), Err);
        }
        let foreign = match self.entity.type_match(self.table, item) {
            TypeMatch::Own => return Ok(()),
            TypeMatch::Typed | TypeMatch::Untyped => {
                return match (self.entity.key_fault)(item) {
                    Some(fault) => {
                        let fault = fault.of_identity(KeyIdentity::Unlike);
                        Err(refused_row(self.table, self.entity, item, fault))
                    }
                    None => Ok(()),
                };
            }
            TypeMatch::Typeless(attribute) => {
                let fault = CodecError::typeless().at(attribute);
                return Err(refused_row(self.table, self.entity, item, fault));
            }
            TypeMatch::Foreign(foreign) => foreign,
        };
        let differs = match foreign == attribute {
            true => "of another type",
            false => "with other constants",
        };
        let message = format!(
            "an item {differs} than `{}` is stored under a key of it, and is not touched",
            self.entity.stored_name
        );
        let fault = CodecError::new(message).at(foreign);
        Err(refused_row(self.table, self.entity, item, fault))
    }

    /// Whether an item has the type of the entity or of a member of the collection, or no type at all.
    pub(crate) fn is_asked_type(&self, item: &[u8]) -> bool {
        let found = FoundType::of_item(self.table, item);
        let mut entities = self.entities.iter();
        let is_left_out = |entity: &EntityDef| match self.members {
            Some(members) => !members.takes_entity(entity),
            None => entity.id != self.entity.id,
        };
        match self.members {
            None => !found.is_filtered_out(self.table, self.entity),
            Some(_) => !entities.any(|entity| is_left_out(entity) && found.is_of(entity)),
        }
    }

    /// Whether no read returns the row, because a newer program has stored it.
    fn is_newer_shape(&self, item: &[u8]) -> bool {
        let entity = self.entity_of(item).ok().flatten();
        let number = entity.map_or(1, shape_number);
        !stored_shape(item).is_ok_and(|stored| stored <= number)
    }

    /// How to identify rows without a type, if the query filters by type.
    pub(crate) fn by_key(&self, parts: usize, is_scan: bool) -> Option<ByKey> {
        let (attribute, whose) = match self.members {
            Some(_) => {
                let left_out = EntityMatch::OfNone(self.left_out(is_scan));
                (self.table.type_attribute?, left_out)
            }
            None => {
                let claim = EntityMatch::Of(RowClaim {
                    table: self.table,
                    entity: self.entity,
                    entities: self.entities,
                });
                (self.entity.type_attribute_in(self.table)?, claim)
            }
        };
        let is_asked = match &whose {
            EntityMatch::Of(_) => is_scan || self.has_others(parts),
            EntityMatch::OfNone(left_out) => !left_out.is_empty(),
        };
        is_asked.then_some(ByKey {
            attribute,
            table: self.table,
            whose,
            index: self.index.filter(|_| !self.is_whole()).map(|it| it.index),
        })
    }

    /// The condition on the type of rows whose sort key begins with `parts` parts. None if no other entity can have
    /// rows.
    pub(crate) fn type_condition(&self, parts: usize, is_scan: bool) -> Option<Node> {
        let types = self.types_of_entities(parts, is_scan);
        let no_sentinels = self
            .may_meet_sentinels(is_scan)
            .then(|| Node::Missing(Place::of(MARK)));
        match (types, no_sentinels) {
            // The type of a sentinel belongs to no entity, so this condition excludes sentinels too.
            (Some(types), _) if self.members.is_none() && self.entity.type_attribute.is_none() => {
                Some(types)
            }
            (None, None) => None,
            (types, no_sentinels) => Some(Node::all(types.into_iter().chain(no_sentinels))),
        }
    }

    /// Whether sentinels of unique values may be among the rows. No template writes their partition key, and they are
    /// only in indexes whose keys are the keys or the TTL of the table.
    pub(crate) fn may_meet_sentinels(&self, is_scan: bool) -> bool {
        let is_bare = matches!(self.entity.pk.source, KeySource::Field(_));
        has_uniques(self.entities)
            && (is_scan
                || match self.index.filter(|index| !index.pk.is_empty()) {
                    Some(index) => index.keys().all(|key| self.is_of_sentinels(key.attribute)),
                    None => is_bare,
                })
    }

    /// Whether no unique value is declared, and a newer declaration may have one: then the partition key is a template, which
    /// never gives the key of a sentinel.
    pub(crate) fn may_get_uniques(&self) -> bool {
        let mut keys = self.entities.iter().map(|entity| &entity.pk.source);
        !has_uniques(self.entities)
            && self.table.style == Style::Escaped
            && keys.all(|source| matches!(source, KeySource::Template(_)))
    }

    fn is_of_sentinels(&self, attribute: &str) -> bool {
        let known = [Some(self.table.pk), self.table.sk, self.ttl_attribute()];
        known.contains(&Some(attribute))
    }

    /// A condition on types that also holds for the rows of another entity.
    pub(crate) fn or_rows_of(&self, types: Node, other: &EntityDef) -> Node {
        match self.table.type_attribute {
            Some(attribute) => Node::any([types, typed_condition(attribute, other)]),
            None => types,
        }
    }

    fn types_of_entities(&self, parts: usize, is_scan: bool) -> Option<Node> {
        let ByKey {
            attribute, whose, ..
        } = self.by_key(parts, is_scan)?;
        Some(match whose {
            EntityMatch::Of(claim) if may_have_null_type(claim.table, claim.entity) => Node::any([
                untyped_condition(attribute, claim.entity, check::absent_condition),
                typed_or_null(attribute, claim.entity),
            ]),
            EntityMatch::Of(claim) => Node::any([
                untyped_condition(attribute, claim.entity, Node::Missing),
                typed_condition(attribute, claim.entity),
            ]),
            // A missing type also fulfils this condition; such rows are identified by their keys.
            EntityMatch::OfNone(mut left_out) => {
                // Rows with the type of a member are read: only their keys tell whether they are of the other entity.
                left_out.retain(|entity| self.has_own_type(entity));
                let is_plain = |entity: &&&EntityDef| {
                    entity.constants.is_empty() && entity.type_attribute.is_none()
                };
                let plain = left_out.iter().filter(is_plain);
                let types: Vec<_> = plain.map(|entity| type_value(entity)).collect();
                let stored = Term::Place(Place::of(attribute));
                let types = (!types.is_empty()).then(|| Node::In(stored, types).not());
                let others = left_out.iter().filter(|entity| !is_plain(entity));
                let others = others.map(|entity| typed_condition(attribute, entity).not());
                Node::all(types.into_iter().chain(others))
            }
        })
    }

    /// Whether no entity of the collection shares the type and the constants of this one.
    fn has_own_type(&self, entity: &EntityDef) -> bool {
        let mut others = self.entities.iter();
        let is_member = |other: &EntityDef| self.members.is_some_and(|it| it.takes_entity(other));
        let is_apart = |other: &EntityDef| {
            // An item may have several type attributes, so each tells only its own entities apart.
            share_type_attribute(entity, other) && are_distinct(entity, other)
        };
        others.all(|other| !is_member(other) || is_apart(other))
    }

    /// The entities of the table that are in no collection of this kind and may have rows in its range.
    pub(crate) fn left_out(&self, is_scan: bool) -> Vec<&'static EntityDef> {
        let Some(members) = self.members else {
            return Vec::new();
        };
        let may_be_among = |other: &'static EntityDef| {
            is_scan || others_may_be_among(self.table, &[other], self.entity, self.index, &[])
        };
        let others = self.entities.iter().copied();
        others
            .filter(|other| !members.takes_entity(other) && may_be_among(other))
            .collect()
    }
}

/// Holds for items without a type, whose keys decide, unless a constant has another value.
fn untyped_condition(
    attribute: &'static str,
    entity: &EntityDef,
    absent: fn(Place) -> Node,
) -> Node {
    let constants = entity.constants.iter().map(|constant| {
        let place = Place::of(constant.attribute);
        let stored = Term::Place(place.clone());
        let is_own = Node::Compare(stored, Comparison::Eq, Term::Value(constant.json()));
        Node::any([absent(place), is_own])
    });
    let untyped = absent(Place::of(attribute));
    Node::all([untyped].into_iter().chain(constants))
}

/// Holds for items with the type of the entity whose constants are its own or NULL. A read of such an item is an error, so
/// a query must not hide it.
fn typed_or_null(attribute: &'static str, entity: &EntityDef) -> Node {
    let stored = Term::Place(Place::of(attribute));
    let own = Node::Compare(stored, Comparison::Eq, Term::Value(type_value(entity)));
    let constants = entity.constants.iter().map(|constant| {
        let stored = Term::Place(Place::of(constant.attribute));
        Node::In(stored, vec![constant.json(), NULL.to_vec()])
    });
    Node::all([own].into_iter().chain(constants))
}
