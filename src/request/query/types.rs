//! Which rows are meant where rows of several entities stand together, told by the type attribute.

use super::source::Source;
use crate::codec::Writer;
use crate::expr::{Comparison, Node, Place, Term};
use crate::request::MARK;
use crate::schema::{EntityDef, KeySource, has_uniques, others_may_be_among};

impl Source {
    /// What the type has to be, of rows whose sort key begins with so many parts. Nothing where no
    /// other entity may have rows.
    pub(super) fn types(&self, parts: usize, is_scan: bool) -> Option<Node> {
        let types = self.types_of_entities(parts, is_scan);
        let no_sentinels = self
            .may_meet_sentinels(is_scan)
            .then(|| Node::Missing(Place::of(MARK)));
        match (types, no_sentinels) {
            // One type is none of a sentinel.
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
        let attribute = Term::Place(Place::of(self.table.type_attribute?));
        if self.members.is_some() {
            let left_out = self.left_out(is_scan);
            let types = left_out.iter().map(|entity| json(entity)).collect();
            // Of a missing type nothing is known, so such rows come.
            return (!left_out.is_empty()).then(|| Node::In(attribute, types).not());
        }
        let is_mixed = is_scan || self.has_others(parts);
        let own = Term::Value(json(self.entity));
        is_mixed.then_some(Node::Compare(attribute, Comparison::Eq, own))
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
