//! Which rows are meant where rows of several entities stand together: told by the type attribute, which the service
//! looks at, and where a row of another program has none by its key, as they come.

use super::source::Source;
use crate::codec::Writer;
use crate::expr::{Comparison, Node, Place, Term};
use crate::request::MARK;
use crate::schema::{EntityDef, KeySource, has_uniques, others_may_be_among};

/// How rows without a type are told.
#[derive(Debug, Clone)]
pub(crate) struct ByKey {
    /// The type attribute.
    pub(super) attribute: &'static str,
    whose: Whose,
}

/// A key fits one entity of the table at most.
#[derive(Debug, Clone)]
enum Whose {
    /// Those of this entity are meant.
    Of(&'static EntityDef),
    /// All but those of these.
    OfNone(Vec<&'static EntityDef>),
}

impl ByKey {
    /// Whether a row that has no type is meant.
    pub(super) fn takes(&self, item: &[u8]) -> bool {
        match &self.whose {
            Whose::Of(entity) => (entity.has_key)(item),
            Whose::OfNone(left_out) => !left_out.iter().any(|entity| (entity.has_key)(item)),
        }
    }
}

impl Source {
    /// How rows without a type are told, where the type is asked for.
    pub(super) fn by_key(&self, parts: usize, is_scan: bool) -> Option<ByKey> {
        let attribute = self.table.type_attribute?;
        let whose = match self.members {
            Some(_) => Whose::OfNone(self.left_out(is_scan)),
            None => Whose::Of(self.entity),
        };
        let is_asked = match &whose {
            Whose::Of(_) => is_scan || self.has_others(parts),
            Whose::OfNone(left_out) => !left_out.is_empty(),
        };
        is_asked.then_some(ByKey { attribute, whose })
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
        let ByKey { attribute, whose } = self.by_key(parts, is_scan)?;
        let place = Place::of(attribute);
        let stored = Term::Place(place.clone());
        Some(match whose {
            Whose::Of(entity) => Node::any([
                Node::Missing(place),
                Node::Compare(stored, Comparison::Eq, Term::Value(json(entity))),
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
