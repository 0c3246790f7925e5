//! The bytes of vector indexes, which DynamoDB bills instead of units: those that a search reads, and those of entries that a
//! write changes.

use std::collections::BTreeMap;

use super::amount::{Cost, CostAssumption};
use super::asked::AskedRows;
use super::billed::{vector_of, vector_size};
use super::estimate::{Estimate, USUAL_SIZE};
use super::touched::ChangedFields;
use crate::codec::Item;
use crate::schema::{ProjectionSchema, TableSchema, VectorIndexSchema};

/// Every search and every write of an entry costs at least these bytes.
const LEAST: usize = 1024;

/// An item before or after a write, as far as a vector index depends on it.
#[derive(Clone, Copy)]
pub(super) enum VectorItem<'i> {
    Nothing,
    Known(&'i Item),
    /// An item of this many bytes.
    Sized(usize),
}

impl Estimate {
    /// The bytes of a search, and the number of its hits.
    pub(super) fn add_search(&self, search: &AskedRows, cost: &mut Cost) -> u64 {
        let hits = search.limit.unwrap_or_default();
        let rows = self.rows.unwrap_or_else(|| {
            cost.note_assumption(CostAssumption::Rows { rows: hits });
            hits
        });
        let index = self.vector_index(search);
        let size = self.item_size.unwrap_or_else(|| {
            let bytes = index.map_or(USUAL_SIZE, usual_entry);
            cost.note_assumption(CostAssumption::ItemSize { bytes });
            bytes
        });
        let bytes = (rows as usize).saturating_mul(size).max(LEAST);
        cost.add_vector_bytes(&search.table, search.index.as_deref(), bytes);
        hits.min(rows)
    }

    fn vector_index(&self, search: &AskedRows) -> Option<&VectorIndexSchema> {
        self.table_schema(&search.table)?
            .vector_index(search.index.as_deref()?)
    }

    /// The bytes that a write costs in the vector indexes of its table.
    pub(super) fn add_vector_writes(
        &self,
        schema: &TableSchema,
        (before, after): (VectorItem<'_>, VectorItem<'_>),
        touched: &BTreeMap<String, ChangedFields>,
        cost: &mut Cost,
    ) {
        for index in &schema.vector_indexes {
            let entries = VectorEntries { schema, index };
            let bytes = entries.written_bytes(before, after, touched, cost);
            if bytes > 0 {
                cost.add_vector_bytes(&schema.name, Some(&index.name), bytes.max(LEAST));
            }
        }
    }
}

/// The size of an entry of an unknown item.
fn usual_entry(index: &VectorIndexSchema) -> usize {
    let rest = match index.projection {
        ProjectionSchema::All => USUAL_SIZE,
        ProjectionSchema::Keys | ProjectionSchema::Include(_) => 0,
    };
    vector_size(index) + index.attribute.len() + rest
}

/// The entries of an item in a vector index.
struct VectorEntries<'i> {
    schema: &'i TableSchema,
    index: &'i VectorIndexSchema,
}

impl VectorEntries<'_> {
    /// The bytes of the larger entry, if it changes.
    fn written_bytes(
        &self,
        before: VectorItem<'_>,
        after: VectorItem<'_>,
        touched: &BTreeMap<String, ChangedFields>,
        cost: &mut Cost,
    ) -> usize {
        let is_unknown = |item: VectorItem<'_>| matches!(item, VectorItem::Sized(_));
        if !is_unknown(before) && !is_unknown(after) {
            let (before, after) = (self.known_entry(before), self.known_entry(after));
            return match before == after {
                true => 0,
                false => self.entry_size(before).max(self.entry_size(after)),
            };
        }
        let is_delete = matches!(after, VectorItem::Nothing);
        if !is_delete && !touched.keys().any(|name| self.holds_attribute(name)) {
            return 0;
        }
        let index = self.index.name.clone();
        cost.note_assumption(CostAssumption::InIndex { index });
        let size = |item: VectorItem<'_>| match item {
            VectorItem::Nothing => 0,
            VectorItem::Known(_) => self.entry_size(self.known_entry(item)),
            VectorItem::Sized(size) => {
                let rest = match self.index.projection {
                    ProjectionSchema::All => size,
                    ProjectionSchema::Keys | ProjectionSchema::Include(_) => 0,
                };
                rest.max(vector_size(self.index) + self.index.attribute.len())
            }
        };
        size(before).max(size(after))
    }

    /// The entry of a known item, if the index contains it.
    fn known_entry(&self, item: VectorItem<'_>) -> Option<Item> {
        let VectorItem::Known(item) = item else {
            return None;
        };
        let within = self.index.within.as_ref();
        let is_in = vector_of(item, self.index).is_some()
            && within.is_none_or(|within| item.contains(&within.name));
        let held = item.iter().filter(|(name, _)| self.holds_attribute(name));
        is_in.then(|| {
            held.map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        })
    }

    fn entry_size(&self, entry: Option<Item>) -> usize {
        entry.map_or(0, |entry| {
            let others = entry
                .iter()
                .filter(|(name, _)| **name != self.index.attribute);
            let others: usize = others.map(|(name, value)| name.len() + value.size()).sum();
            vector_size(self.index) + self.index.attribute.len() + others
        })
    }

    /// Whether entries have this attribute.
    fn holds_attribute(&self, name: &str) -> bool {
        let mut keys = self.schema.keys().chain(self.index.keys());
        match &self.index.projection {
            ProjectionSchema::All => true,
            ProjectionSchema::Include(names) if names.iter().any(|held| held == name) => true,
            _ => name == self.index.attribute || keys.any(|key| key.name == name),
        }
    }
}
