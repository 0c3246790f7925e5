//! The units of writes. The larger of the items before and after counts; an index costs its changed entries, by their
//! own size, and its part is not doubled in transactions.

use std::collections::BTreeMap;

use super::amount::{Cost, CostAssumption};
use super::asked::{AskedChange, AskedWrite};
use super::billed::billed_size;
use super::estimate::Estimate;
use super::touched::ChangedFields;
use super::vectors::VectorItem;
use crate::codec::Item;
use crate::schema::{IndexSchema, KeyAttribute, ProjectionSchema, TableSchema};

/// A write is counted in steps of this number of bytes.
const WRITE_STEP: usize = 1024;

/// An item, as far as it is known.
#[derive(Clone, Copy)]
enum ItemSnapshot<'i> {
    Nothing,
    Known(&'i Item),
    /// An item of this many bytes.
    Sized(usize),
}

impl<'i> ItemSnapshot<'i> {
    fn item_size(self, schema: Option<&TableSchema>) -> usize {
        match self {
            ItemSnapshot::Nothing => 0,
            ItemSnapshot::Known(item) => billed_size(item, schema),
            ItemSnapshot::Sized(size) => size,
        }
    }

    fn in_vector_indexes(self) -> VectorItem<'i> {
        match self {
            ItemSnapshot::Nothing => VectorItem::Nothing,
            ItemSnapshot::Known(item) => VectorItem::Known(item),
            ItemSnapshot::Sized(size) => VectorItem::Sized(size),
        }
    }
}

impl Estimate {
    pub(super) fn add_write(&self, write: &AskedWrite, cost: &mut Cost) {
        if write.has_condition {
            cost.note_assumption(CostAssumption::ConditionsHold);
        }
        let nothing = BTreeMap::new();
        let (before, after, touched) = match &write.change {
            AskedChange::Put(item) => {
                let before = self.replaced_item(&write.table, item, cost);
                (before, ItemSnapshot::Known(item), &nothing)
            }
            AskedChange::Update(key, touched) => {
                let before = self.stored_item(&write.table, key, cost);
                (before, self.updated_item(&write.table, key, cost), touched)
            }
            AskedChange::Delete(key) => (
                self.stored_item(&write.table, key, cost),
                ItemSnapshot::Nothing,
                &nothing,
            ),
            AskedChange::Check(key) => {
                let before = self.stored_item(&write.table, key, cost);
                (before, before, &nothing)
            }
        };
        let factor = if write.in_transaction { 2.0 } else { 1.0 };
        let schema = self.table_schema(&write.table);
        let units = write_steps(before.item_size(schema).max(after.item_size(schema)));
        cost.add_units(&write.table, None, 0.0, units * factor);
        if matches!(write.change, AskedChange::Check(_)) {
            return;
        }
        let Some(schema) = schema else {
            let table = write.table.clone();
            return cost.note_assumption(CostAssumption::NoIndexes { table });
        };
        for index in schema.indexes() {
            let entries = IndexEntries { schema, index };
            let units = entries.write_units(before, after, touched, cost);
            if units > 0.0 {
                cost.add_units(&write.table, Some(&index.name), 0.0, units);
            }
        }
        let images = (before.in_vector_indexes(), after.in_vector_indexes());
        self.add_vector_writes(schema, images, touched, cost);
    }

    /// The item that a put replaces.
    fn replaced_item(&self, table: &str, item: &Item, cost: &mut Cost) -> ItemSnapshot<'_> {
        match self.known_item(&self.stored, table, item) {
            Some(known) => ItemSnapshot::Known(known),
            None => {
                if !self.is_empty {
                    cost.note_assumption(CostAssumption::NothingReplaced);
                }
                ItemSnapshot::Nothing
            }
        }
    }

    fn stored_item(&self, table: &str, key: &Item, cost: &mut Cost) -> ItemSnapshot<'_> {
        match self.known_item(&self.stored, table, key) {
            Some(known) => ItemSnapshot::Known(known),
            None if self.is_empty => ItemSnapshot::Nothing,
            None => ItemSnapshot::Sized(self.usual_size(cost)),
        }
    }

    fn updated_item(&self, table: &str, key: &Item, cost: &mut Cost) -> ItemSnapshot<'_> {
        match self.known_item(&self.becoming, table, key) {
            Some(known) => ItemSnapshot::Known(known),
            None => ItemSnapshot::Sized(self.usual_size(cost)),
        }
    }
}

/// The entries of an item in an index.
struct IndexEntries<'i> {
    schema: &'i TableSchema,
    index: &'i IndexSchema,
}

impl IndexEntries<'_> {
    fn write_units(
        &self,
        before: ItemSnapshot<'_>,
        after: ItemSnapshot<'_>,
        touched: &BTreeMap<String, ChangedFields>,
        cost: &mut Cost,
    ) -> f64 {
        match (before, after) {
            (ItemSnapshot::Sized(_), _) | (_, ItemSnapshot::Sized(_)) => {
                self.units_of_unknown(before, after, touched, cost)
            }
            _ => self.units_of_known(self.index_entry(before), self.index_entry(after)),
        }
    }

    fn units_of_known(&self, before: Option<Item>, after: Option<Item>) -> f64 {
        match (before, after) {
            (None, None) => 0.0,
            (Some(one), None) | (None, Some(one)) => write_steps(one.size()),
            (Some(before), Some(after)) if before == after => 0.0,
            (Some(before), Some(after)) => {
                let (old, new) = (write_steps(before.size()), write_steps(after.size()));
                let same = |key: &KeyAttribute| before.get(&key.name) == after.get(&key.name);
                // An entry with another key is a delete and a put, and DynamoDB charges both.
                match self.index.keys().all(same) {
                    true => old.max(new),
                    false => old + new,
                }
            }
        }
    }

    /// The units if the items before and after are not both known, by the attributes that change.
    fn units_of_unknown(
        &self,
        before: ItemSnapshot<'_>,
        after: ItemSnapshot<'_>,
        touched: &BTreeMap<String, ChangedFields>,
        cost: &mut Cost,
    ) -> f64 {
        let of_keys: Vec<ChangedFields> = self
            .index
            .keys()
            .filter_map(|key| touched.get(&key.name).copied())
            .collect();
        let (old, new) = (self.entry_size(before), self.entry_size(after));
        let is_set = |name: &str| touched.get(name) == Some(&ChangedFields::Set);
        // For a known item outside the index, the new attributes decide whether it enters the index.
        if let Some(has) = self.names_outside(before) {
            let comes = self
                .index
                .keys()
                .all(|key| is_set(&key.name) || has(&key.name));
            return if comes { write_steps(new) } else { 0.0 };
        }
        let is_delete = matches!(after, ItemSnapshot::Nothing);
        if !is_delete && !touched.keys().any(|name| self.holds_attribute(name)) {
            return 0.0;
        }
        let index = || self.index.name.clone();
        if matches!(before, ItemSnapshot::Sized(_)) {
            cost.note_assumption(CostAssumption::InIndex { index: index() });
        }
        if is_delete || of_keys.contains(&ChangedFields::Removed) {
            return write_steps(old);
        }
        if of_keys.is_empty() {
            return write_steps(old.max(new));
        }
        cost.note_assumption(CostAssumption::NewIndexKey { index: index() });
        write_steps(old) + write_steps(new)
    }

    /// The attributes of a known item that is not in the index, or of a missing one; `None` for others.
    fn names_outside<'n>(&'n self, before: ItemSnapshot<'n>) -> Option<impl Fn(&str) -> bool + 'n> {
        let is_outside = match before {
            ItemSnapshot::Nothing => true,
            ItemSnapshot::Known(_) => self.index_entry(before).is_none(),
            ItemSnapshot::Sized(_) => false,
        };
        let is_primary = |name: &str| self.schema.keys().any(|key| key.name == name);
        is_outside.then_some(move |name: &str| match before {
            ItemSnapshot::Known(item) => item.contains(name),
            _ => is_primary(name),
        })
    }

    /// The bytes of an entry. For an unknown item, the size of the item is the upper limit.
    fn entry_size(&self, image: ItemSnapshot<'_>) -> usize {
        match (image, &self.index.projection) {
            (ItemSnapshot::Sized(size), ProjectionSchema::Keys) => size.min(WRITE_STEP),
            (ItemSnapshot::Sized(size), _) => size,
            (image, _) => self.index_entry(image).map_or(0, |entry| entry.size()),
        }
    }

    /// The entry of a known item in the index; `None` if it lacks one of the keys.
    fn index_entry(&self, image: ItemSnapshot<'_>) -> Option<Item> {
        let ItemSnapshot::Known(item) = image else {
            return None;
        };
        let is_in = self.index.keys().all(|key| item.contains(&key.name));
        let held = item.iter().filter(|(name, _)| self.holds_attribute(name));
        is_in.then(|| {
            held.map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        })
    }

    /// Whether entries have this attribute.
    fn holds_attribute(&self, name: &str) -> bool {
        let mut keys = self.schema.keys().chain(self.index.keys());
        match &self.index.projection {
            ProjectionSchema::All => true,
            ProjectionSchema::Include(names) if names.iter().any(|held| held == name) => true,
            _ => keys.any(|key| key.name == name),
        }
    }
}

/// The number of units for a write of these bytes.
fn write_steps(bytes: usize) -> f64 {
    bytes.div_ceil(WRITE_STEP).max(1) as f64
}
