//! Which rows are meant where rows of several entities stand together: told by the type attribute, which the service
//! looks at, and where a row of another program has none by its key, as they come.
//!
//! A row that is left out is one of another entity, or evidently of none. One that may be of this entity, with its key in
//! another spelling, is refused in its place: nobody else would ever tell of it.

use super::source::QuerySource;
use crate::entity::refused_row;
use crate::entity::sentinel::MARK;
use crate::error::Error;
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, KeyIdentity, Reader, Writer, member};
use crate::path::Place;
use crate::schema::{EntityDef, KeySource, TableDef, has_uniques, others_may_be_among};

/// How rows without a type are told.
#[derive(Debug, Clone)]
pub(crate) struct ByKey {
    /// The type attribute.
    pub(super) attribute: &'static str,
    table: &'static TableDef,
    whose: Whose,
}

/// What a row without a type is.
#[derive(Debug)]
pub(super) enum RowKind {
    /// One of those that are meant.
    Meant,
    /// One of others.
    Other,
    /// It may be one of those that are meant, and has no key of theirs.
    Unlike(Box<Error>),
}

/// A key fits one entity of the table at most.
#[derive(Debug, Clone)]
enum Whose {
    /// Those of this entity are meant.
    Of(RowClaim),
    /// All but those of these.
    OfNone(Vec<&'static EntityDef>),
}

/// An entity among all of its table.
#[derive(Debug, Clone, Copy)]
struct RowClaim {
    entity: &'static EntityDef,
    entities: &'static [&'static EntityDef],
}

impl RowClaim {
    /// Why a row that may be one of the entity has no key of it. None if it has one, or is of something else.
    fn unlike(self, item: &[u8]) -> Result<Option<CodecError>, NotOurs> {
        let Some(fault) = (self.entity.key_fault)(item).filter(|fault| !fault.is_other_spelling())
        else {
            return Ok(None);
        };
        let own = self.entity.likeness(item).ok_or(NotOurs)?;
        let mut others = self.entities.iter().filter(|it| it.id != self.entity.id);
        // What is more like another entity is refused where that is read.
        let is_of =
            |other: &&'static EntityDef| other.has_key(item) || other.likeness(item) > Some(own);
        match others.any(is_of) {
            true => Err(NotOurs),
            false => Ok(Some(fault)),
        }
    }
}

/// The row is of another entity, or evidently of none.
struct NotOurs;

impl ByKey {
    /// What a row is that has no type.
    pub(super) fn tell(&self, item: &[u8]) -> RowKind {
        match &self.whose {
            Whose::Of(claim) => match claim.unlike(item) {
                Ok(None) => RowKind::Meant,
                Ok(Some(fault)) => {
                    let fault = fault.of_identity(KeyIdentity::Unlike);
                    RowKind::Unlike(Box::new(refused_row(self.table, claim.entity, item, fault)))
                }
                Err(NotOurs) => RowKind::Other,
            },
            Whose::OfNone(left_out) => match left_out.iter().any(|entity| entity.has_key(item)) {
                true => RowKind::Other,
                false => RowKind::Meant,
            },
        }
    }
}

impl QuerySource {
    /// Refuses a row that is not to be taken away, for no read would return it as one of those that are asked for: one
    /// of another type, and one without a type whose key is not as this library writes it. A table that an entity has
    /// alone has no types.
    pub(super) fn check_row(&self, item: &[u8]) -> Result<(), Error> {
        let Some(attribute) = self.table.type_attribute else {
            return Ok(());
        };
        if let Some(members) = self.members {
            return members.refused(item).map_or(Ok(()), Err);
        }
        let stored = member(item, attribute).ok().flatten();
        let Some(stored) = stored else {
            return match (self.entity.key_fault)(item) {
                Some(fault) => {
                    let fault = fault.of_identity(KeyIdentity::Unlike);
                    Err(refused_row(self.table, self.entity, item, fault))
                }
                None => Ok(()),
            };
        };
        let found = Reader::new(stored).text();
        if found.is_ok_and(|found| found == self.entity.stored_name) {
            return Ok(());
        }
        let message = format!(
            "an item of another type than `{}` stands under a key of it, and is left alone",
            self.entity.stored_name
        );
        let fault = CodecError::new(message).at(attribute);
        Err(refused_row(self.table, self.entity, item, fault))
    }

    /// How rows without a type are told, where the type is asked for.
    pub(super) fn by_key(&self, parts: usize, is_scan: bool) -> Option<ByKey> {
        let attribute = self.table.type_attribute?;
        let whose = match self.members {
            Some(_) => Whose::OfNone(self.left_out(is_scan)),
            None => Whose::Of(RowClaim {
                entity: self.entity,
                entities: self.entities,
            }),
        };
        let is_asked = match &whose {
            Whose::Of(_) => is_scan || self.has_others(parts),
            Whose::OfNone(left_out) => !left_out.is_empty(),
        };
        is_asked.then_some(ByKey {
            attribute,
            table: self.table,
            whose,
        })
    }

    /// What the type has to be, of rows whose sort key begins with so many parts. Nothing where no
    /// other entity may have rows.
    pub(super) fn types(&self, parts: usize, is_scan: bool) -> Option<Node> {
        let types = self.types_of_entities(parts, is_scan);
        let no_sentinels = self
            .may_meet_sentinels(is_scan)
            .then(|| Node::Missing(Place::of(MARK)));
        match (types, no_sentinels) {
            // A sentinel has a type, and that of no entity.
            (Some(types), _) if self.members.is_none() => Some(types),
            (None, None) => None,
            (types, no_sentinels) => Some(Node::all(types.into_iter().chain(no_sentinels))),
        }
    }

    /// Whether items that keep unique values may stand among the rows. Their partition key is that of no template,
    /// and they are in no index but one whose keys they have: those of the table, and the TTL.
    pub(super) fn may_meet_sentinels(&self, is_scan: bool) -> bool {
        let is_bare = matches!(self.entity.pk.source, KeySource::Field(_));
        has_uniques(self.entities)
            && (is_scan
                || match self.index.filter(|index| !index.pk.is_empty()) {
                    Some(index) => {
                        let mut keys = index.pk.iter().chain(index.sk);
                        keys.all(|key| self.is_of_sentinels(key.attribute))
                    }
                    None => is_bare,
                })
    }

    fn is_of_sentinels(&self, attribute: &str) -> bool {
        let known = [Some(self.table.pk), self.table.sk, self.ttl()];
        known.contains(&Some(attribute))
    }

    fn types_of_entities(&self, parts: usize, is_scan: bool) -> Option<Node> {
        let ByKey {
            attribute, whose, ..
        } = self.by_key(parts, is_scan)?;
        let place = Place::of(attribute);
        let stored = Term::Place(place.clone());
        Some(match whose {
            Whose::Of(claim) => Node::any([
                Node::Missing(place),
                Node::Compare(stored, Comparison::Eq, Term::Value(json(claim.entity))),
            ]),
            // This holds of a missing type too.
            Whose::OfNone(left_out) => {
                let types = left_out.iter().map(|entity| json(entity)).collect();
                Node::In(stored, types).not()
            }
        })
    }

    /// The entities of the table that are in no collection of this kind and may stand among its rows.
    pub(super) fn left_out(&self, is_scan: bool) -> Vec<&'static EntityDef> {
        let Some(members) = self.members else {
            return Vec::new();
        };
        let may_be_among = |other: &'static EntityDef| {
            is_scan || others_may_be_among(self.table, &[other], self.entity, None, &[])
        };
        let others = self.entities.iter().copied();
        others
            .filter(|other| !members.take(other) && may_be_among(other))
            .collect()
    }
}

/// The type in DynamoDB JSON.
fn json(entity: &EntityDef) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text(entity.stored_name);
    writer.into_bytes()
}
