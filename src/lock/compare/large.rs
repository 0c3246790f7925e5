//! Lists and blobs beside an item: whether all programs read what the others wrote, and delete it together with the item.

use super::pair::EntityPair;
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::rust_type::TypeChange;
use crate::schema::{EntitySchema, LargeSchema};

impl EntityPair<'_> {
    pub(super) fn large_values(&self, changes: &mut Vec<StoredChange>) {
        for was in &self.old.large {
            changes.extend(match stored_as(self.new, &was.stored) {
                Some(is) => self
                    .large_value(was, is)
                    .or_else(|| self.large_moved(was, is)),
                None => Some(self.large_gone(was)),
            });
        }
        let appeared = self.new.large.iter();
        let appeared = appeared.filter(|is| stored_as(self.old, &is.stored).is_none());
        changes.extend(appeared.map(|is| self.large_appeared(is)));
    }

    fn large_gone(&self, was: &LargeSchema) -> StoredChange {
        let what = format!(
            "the {} `{}` is no longer declared: new programs do not delete it together with its item, so a new item with the same key \
             would have it in running programs, and no sweep deletes its rows",
            kind(was),
            was.stored
        );
        self.change(
            ChangeClass::BreaksRunning,
            &was.stored,
            what,
            &[
                "if only its function has another name, `rename` keeps its rows",
                "else deploy programs that declare it and do not use it, everywhere",
                "delete it for all items, and run `sweep_large_values` after a day",
                "then drop the declaration",
            ],
        )
    }

    fn large_appeared(&self, is: &LargeSchema) -> StoredChange {
        let what = format!(
            "the {} is new: running programs delete items without it, so a new item with the same key would have it",
            kind(is)
        );
        self.change(
            ChangeClass::BreaksRunning,
            &is.stored,
            what,
            &[
                "deploy programs that declare it and do not write it yet, everywhere",
                "then deploy those that write it",
            ],
        )
    }

    fn large_value(&self, was: &LargeSchema, is: &LargeSchema) -> Option<StoredChange> {
        let what = match (&was.element, &is.element) {
            (Some(old), Some(new)) => match self.types.change(old, new) {
                // The contents of declared types are compared on their own.
                TypeChange::Alike => return None,
                _ => format!(
                    "its elements were `{old}` and are `{new}`: old and new programs may not read what the others write"
                ),
            },
            (None, None) => return None,
            _ => format!(
                "it was a {} and is a {}: no program reads what the others write",
                kind(was),
                kind(is)
            ),
        };
        Some(self.change(
            ChangeClass::BreaksRunning,
            &is.stored,
            what,
            &[
                "leave it as it is, declare a second one under a new name, and deploy programs that write both, everywhere",
                "copy the old one to the new one, for each item",
                "deploy programs that read the new one, everywhere",
                "then delete the old one for all items, and drop its declaration",
            ],
        ))
    }
}

impl EntityPair<'_> {
    /// Each part is read from the place where it was written, so the declaration decides only about later writes.
    fn large_moved(&self, was: &LargeSchema, is: &LargeSchema) -> Option<StoredChange> {
        let kind = kind(is);
        match (was.outside, is.outside) {
            (false, true) => Some(self.change(
                ChangeClass::BreaksRunning,
                &is.stored,
                format!(
                    "the {kind} is stored outside of DynamoDB from now on: running programs without a storage cannot read what new \
                     programs write"
                ),
                &[
                    "deploy programs that call `with_object_storage` and do not declare `outside` yet, everywhere",
                    "then deploy those that declare it; what was written before stays readable",
                ],
            )),
            (true, false) => Some(self.change(
                ChangeClass::Free,
                &is.stored,
                format!("the {kind} is stored in the table from now on: what was written before remains outside"),
                &["keep calling `with_object_storage` until each value was written again, and a sweep has run a day later"],
            )),
            _ => None,
        }
    }
}

fn stored_as<'m>(entity: &'m EntitySchema, stored: &str) -> Option<&'m LargeSchema> {
    entity.large.iter().find(|value| value.stored == stored)
}

fn kind(value: &LargeSchema) -> &'static str {
    match value.element {
        Some(_) => "list",
        None => "blob",
    }
}
