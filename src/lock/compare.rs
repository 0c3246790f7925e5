//! The changes from one stored form to another, and their classes.
//!
//! Each change raises three questions: what do new programs make of old items, what do old programs make of items
//! that new ones wrote, and does going back lose anything. If a declaration does not tell, the graver class is taken,
//! and the words say when the change is harmless. A file that equals the declarations has no change, and any other has one.

mod attribute;
mod entity;
mod expiry;
mod meeting;
mod pair;
mod pattern;
mod renaming;
mod second_key;
mod shape;
mod table;
mod unique;
mod value;

use std::collections::BTreeMap;

use super::change::{ChangeClass, StoredChange};
use super::stored::{StoredEntity, StoredModel, StoredTable};
use pair::{DeclaredTypes, EntityPair, TablePair};

/// All changes from the file to the declarations.
pub(super) fn changes(old: &StoredModel, new: &StoredModel) -> Vec<StoredChange> {
    let mut changes = Vec::new();
    let is_new_table = |name: &&String| !old.tables.contains_key(*name);
    let appeared = new.tables.keys().find(is_new_table).map(String::as_str);
    for (name, table) in &old.tables {
        match new.tables.get(name) {
            Some(new) => both(name, table, new, &mut changes),
            // A table that vanishes while another one appears is most probably the same one under a
            // new name.
            None => changes.push(table::gone(name, appeared)),
        }
    }
    let names = new.tables.keys().filter(is_new_table);
    changes.extend(names.map(|name| table::appeared(name)));
    changes
}

fn both(name: &str, old: &StoredTable, new: &StoredTable, changes: &mut Vec<StoredChange>) {
    let before = changes.len();
    table::head(name, old, new, changes);
    // No difference may pass in silence, not even one that a later version of the schema adds and
    // that no rule here knows.
    if changes.len() == before && old.head != new.head {
        changes.push(unexplained((name, None)));
    }
    let tables = TablePair { name, old, new };
    changes.extend(second_key::changes(tables));
    for (entity, pair) in pairs(old, new) {
        match pair {
            (Some((old_name, old)), Some(new)) => {
                let renamed = renaming::renamed(&old.entity, &new.entity);
                // The old side gets the new names of renamed attributes first. Otherwise each
                // renaming would be reported as an attribute that is gone and another one that is
                // new.
                let old_entity = renaming::with_new_names(&old.entity, &new.entity, &renamed);
                let entity = EntityPair {
                    tables,
                    name: entity,
                    old: &old_entity,
                    new: &new.entity,
                    types: DeclaredTypes {
                        old: &old.values,
                        new: &new.values,
                    },
                    is_value: false,
                    renamed: &renamed,
                };
                let before = changes.len();
                entity.compare(old_name, changes);
                // As with the table: a difference without a rule is still a difference.
                if changes.len() == before && entity.differs() {
                    changes.push(unexplained((name, Some(entity.name.to_owned()))));
                }
            }
            (Some(_), None) if second_key::has_moved_away(tables, entity) => {}
            (Some(_), None) => changes.push(entity::gone(name, entity)),
            (None, Some(new)) => changes.push(entity::appeared(tables, entity, &new.entity)),
            (None, None) => {}
        }
    }
}

/// An entity as it was, with its name, and as it is.
type OldAndNew<'m> = (
    Option<(&'m str, &'m StoredEntity)>,
    Option<&'m StoredEntity>,
);

/// Matches entities: by the value of the type attribute, by the table that it has alone, or by its primary key.
fn pairs<'m>(old: &'m StoredTable, new: &'m StoredTable) -> BTreeMap<&'m str, OldAndNew<'m>> {
    let mut pairs: BTreeMap<&str, OldAndNew<'m>> = BTreeMap::new();
    for (name, entity) in &new.entities {
        pairs.entry(name).or_default().1 = Some(entity);
    }
    // The only entity of a table is most probably the former one under another name. In a shared table, only the same
    // keys suggest that it is one entity under two names.
    let is_alone = [old, new].iter().all(|table| table.entities.len() == 1);
    for (name, entity) in &old.entities {
        let is_heir = |(other, heir): &(&String, &StoredEntity)| {
            !old.entities.contains_key(*other)
                && (is_alone || heir.entity.keys().eq(entity.entity.keys()))
        };
        let heir = match new.entities.contains_key(name) {
            true => None,
            false => new.entities.iter().find(is_heir),
        };
        let name_now = heir.map_or(name, |(heir, _)| heir);
        let pair = pairs.entry(name_now).or_default();
        match pair.0 {
            // Two old entities with the same keys can have only one heir; the second one is reported as gone.
            Some(_) => pairs.entry(name).or_default().0 = Some((name, entity)),
            None => pair.0 = Some((name, entity)),
        }
    }
    pairs
}

/// A difference that nothing above has a word for. It is never taken for harmless.
#[cold]
fn unexplained(place: (&str, Option<String>)) -> StoredChange {
    StoredChange::new(
        ChangeClass::NeedsMove,
        place,
        "it differs in a way that this version cannot describe; compare the two files".to_owned(),
        &["write the file on a branch, and review its difference before you deploy"],
    )
}
