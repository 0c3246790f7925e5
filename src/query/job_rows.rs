//! The rows of a query for a job: one after the other, each with its position, and with the condition that makes it a
//! row of the query.

use std::collections::BTreeSet;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::expr::{Comparison, Node, Term};
use crate::json::{CodecError, find_member};
use crate::path::Place;
use crate::plan::{Explanation, check};
use crate::query::chain::Query;
use crate::query::cursor::Cursor;
use crate::query::engine::{Places, Walk, explain_query};
use crate::query::keys::QuerySource;
use crate::query::request::{Hydration, Selection, Wanted};
use crate::retry::RetryBudget;
use crate::schema::{EntityIndexDef, SHAPE, shape_number};
use crate::write::attributes_of;

/// The rows of a job.
#[derive(Debug, Clone)]
pub(crate) struct JobRows(Selection);

impl JobRows {
    pub(crate) fn of_query<Row, From>(query: Query<Row, From>) -> Self {
        let mut selection = query.into_selection();
        // A job uses the bytes of its rows, so decoding them ahead would be wasted.
        selection.options.ahead = None;
        JobRows(selection)
    }

    /// Reads only the attributes that a delete needs: the keys, and the unique values of rows that have some. If an
    /// index does not contain them, they are read from the items.
    pub(crate) fn for_deletes(mut self) -> Self {
        let mut needed = self.needed_by_deletes();
        let source = *self.query_source();
        let options = &mut self.0.options;
        let is_held = needed.iter().all(|name| source.holds_attribute(name));
        if source.is_whole() || options.hydration.is_some() || !is_held {
            // A delete must not remove an item of a newer program. An index may not contain the
            // shape, and then the condition of the delete checks it.
            needed.push(SHAPE);
        }
        match &mut options.hydration {
            Some(items) => items.attributes = Some(needed),
            None if is_held => options.projection = Some(needed),
            None => {
                options.projection = Some(Vec::new());
                // The index lacks the unique values that the delete must release, so they are read
                // from the items.
                options.hydration = Some(Hydration {
                    attributes: Some(needed),
                });
            }
        }
        self
    }

    /// A refill leaves expired rows alone: they are about to be deleted. A scan finds the sentinels of unique values too,
    /// and the rows under another key.
    pub(crate) fn for_refill(mut self) -> Self {
        self.0.options.include_expired = false;
        self.0.options.sentinels = self.query_source().entity.has_sentinels();
        self.0.options.other_rows = self
            .query_source()
            .entity
            .second_key
            .map(|second| second.other);
        self
    }

    /// The attributes that a delete needs: it releases unique values by them, and the type identifies the entity of a
    /// row.
    fn needed_by_deletes(&self) -> Vec<&'static str> {
        let source = self.query_source();
        let mut entities: Vec<_> = match source.members {
            Some(members) => source
                .entities
                .iter()
                .copied()
                .filter(|entity| members.takes_entity(entity))
                .collect(),
            None => vec![source.entity],
        };
        entities.retain(|entity| !entity.uniques.is_empty());
        let all = source.entities.iter();
        let own_types = source.entities.iter().filter_map(|it| it.type_attribute);
        let identity = source.table.type_attribute.into_iter().chain(own_types);
        let mut needed: Vec<&'static str> = identity
            .chain(all.flat_map(|entity| entity.constant_names()))
            .collect();
        needed.sort_unstable();
        needed.dedup();
        let values = entities.into_iter().flat_map(attributes_of);
        needed.extend(values);
        needed
    }

    pub(crate) fn query_source(&self) -> &QuerySource {
        self.0.query_source()
    }

    pub(crate) fn entity_name(&self) -> &'static str {
        self.0.entity_name()
    }

    /// Whether a row may be found again at another position. This is possible in an index, because the keys of an
    /// index change; those of a table do not.
    pub(crate) fn may_repeat(&self) -> bool {
        self.query_source().index.is_some()
    }

    /// The requests that read its rows.
    pub(crate) fn explain_reads(self, db: &Dynamo) -> Result<Explanation> {
        explain_query(self.0, db, Wanted::Items)
    }

    /// Creates the cursors of its rows.
    pub(crate) fn row_places(&self, db: &Dynamo) -> Places {
        Places::of_selection(&self.0, db)
    }

    /// Continues after a row. The bounds of the cursor apply to all following rows.
    pub(crate) fn resume_at(&mut self, cursor: Cursor) {
        self.0.options.resume = Some(cursor);
    }

    /// The maximum number of rows, if there is one.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.0.options.limit
    }

    /// The number of segments, if this is a scan in segments.
    pub(crate) fn segments(&self) -> Option<u32> {
        self.0.options.segments
    }

    /// Lowers the limit by rows that were delivered before.
    pub(crate) fn leave_out(&mut self, rows: u64) {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        if let Some(limit) = &mut self.0.options.limit {
            *limit = limit.saturating_sub(rows);
        }
    }

    /// Returns an error for a row that may belong to something else and must not be deleted.
    pub(crate) fn check_row(&self, item: &[u8]) -> Result<()> {
        self.query_source().check_row(item)
    }

    /// Whether the query has more conditions than its keys.
    pub(crate) fn has_filter(&self) -> bool {
        self.0.options.filter.is_some()
    }

    /// The condition under which the stored item is still a row of the query, for the condition of a write. None if
    /// this item is no longer one.
    pub(crate) fn row_claim(
        &self,
        item: &[u8],
        now: Timestamp,
    ) -> Result<Option<Node>, CodecError> {
        match self.untyped_claim(item, now)? {
            Some(claim) => Ok(Some(Node::all(self.as_typed(item)?).and(claim))),
            None => Ok(None),
        }
    }

    /// The same for a write that compares the type of the item itself.
    pub(crate) fn untyped_claim(
        &self,
        item: &[u8],
        now: Timestamp,
    ) -> Result<Option<Node>, CodecError> {
        let is_row = self.0.keys_match(item)? && !check::is_expired(item, self.0.hidden_by(), now);
        if !is_row || self.0.has_become_other(item) {
            return Ok(None);
        }
        let table = self.query_source().table;
        let index = self.query_source().index.into_iter();
        let keys = index.flat_map(EntityIndexDef::keys);
        let mut asked = Vec::new();
        for name in keys.map(|key| key.attribute) {
            // The request names the item by its primary key, so a condition on it would always
            // hold.
            let is_primary = name == table.pk || table.sk == Some(name);
            if let Some(json) = find_member(item, name)?.filter(|_| !is_primary) {
                asked.push(check::value_condition(name, json));
            }
        }
        asked.extend(self.0.options.filter.clone());
        Ok(Some(Node::all(asked)))
    }

    /// The condition that the item still has the type that was read, if an item of another entity may take its key.
    fn as_typed(&self, item: &[u8]) -> Result<Vec<Node>, CodecError> {
        let table = self.query_source().table;
        let attribute = table.identifying_type();
        let constants = self.query_source().entities.iter();
        let constants = constants.flat_map(|entity| entity.constant_names());
        let names: BTreeSet<&str> = match attribute {
            Some(attribute) => constants.chain([attribute]).collect(),
            None => BTreeSet::new(),
        };
        let as_read = names.into_iter().map(|name| {
            Ok(match find_member(item, name)? {
                Some(json) => check::value_condition(name, json),
                None => Node::Missing(Place::of(name)),
            })
        });
        as_read.collect()
    }

    /// The condition of a delete. Rows of an index may not say whether their items have a newer shape, so the service is
    /// asked.
    pub(crate) fn claim_of_delete(&self, claim: Node) -> Node {
        match self.query_source().is_whole() || self.0.options.hydration.is_some() {
            true => claim,
            false => claim.and(self.known_shape()),
        }
    }

    /// The condition that no newer program has stored the item.
    fn known_shape(&self) -> Node {
        let first = Node::Missing(Place::of(SHAPE));
        let number = match self.query_source().members {
            // Each entity of a collection has its own shapes, so only the first shape is known to be readable.
            Some(_) => 1,
            None => shape_number(self.query_source().entity),
        };
        if number == 1 {
            return first;
        }
        let (shape, json) = (
            Term::Place(Place::of(SHAPE)),
            format!("{{\"N\":\"{number}\"}}"),
        );
        let known = Node::Compare(shape, Comparison::Le, Term::Value(json.into_bytes()));
        Node::any([first, known])
    }

    /// Begins to read. If this fails, nothing is sent.
    pub(crate) fn start_walk(&self, db: &Dynamo, budget: RetryBudget) -> Result<Walk> {
        Walk::new(&self.0, db, budget)
    }
}
