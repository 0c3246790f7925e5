//! The changes from one stored form to another, and their classes.
//!
//! Each change raises three questions: what do new programs make of old items, what do old programs make of items
//! that new ones wrote, and does going back lose anything. If a declaration does not tell, the graver class is taken,
//! and the words say when the change is harmless. A file that equals the declarations has no change, and any other has one.

mod attribute;
mod compression;
mod entity;
mod expiry;
mod large;
mod meeting;
mod pair;
mod pattern;
mod renaming;
mod second_key;
mod shape;
mod table;
mod unique;
mod value;
mod vector;

use std::collections::BTreeMap;

use super::change::{ChangeClass, StoredChange};
use super::stored;
use crate::schema::{EntitySchema, IdentifyBy, TableSchema, without_keys};
use pair::{DeclaredTypes, EntityPair, TablePair};

/// All changes from the file to the declarations.
pub(super) fn changes(old: &[TableSchema], new: &[TableSchema]) -> Vec<StoredChange> {
    let mut changes = Vec::new();
    let is_new_table = |table: &&TableSchema| stored::table(old, &table.name).is_none();
    let appeared = new.iter().find(is_new_table);
    for table in old {
        match stored::table(new, &table.name) {
            Some(new) => both(TablePair { old: table, new }, &mut changes),
            // A table that vanishes while another one appears is most probably the same one under a
            // new name.
            None => changes.push(table::gone(
                &table.name,
                appeared.map(|new| new.name.as_str()),
            )),
        }
    }
    let appeared = new.iter().filter(is_new_table);
    changes.extend(appeared.map(|table| table::appeared(&table.name)));
    changes
}

fn both(tables: TablePair<'_>, changes: &mut Vec<StoredChange>) {
    let (before, name) = (changes.len(), tables.name());
    table::head(tables, changes);
    // No difference may pass in silence, not even one that a later version of the schema adds and
    // that no rule here knows.
    if changes.len() == before && tables.differs() {
        changes.push(unexplained((name, None)));
    }
    changes.extend(second_key::changes(tables));
    for (entity, pair) in pairs(tables) {
        match pair {
            (Some(old), Some(new)) => {
                let renamed = renaming::renamed(old, new);
                // The old side gets the new names of renamed attributes first. Otherwise each
                // renaming would be reported as an attribute that is gone and another one that is
                // new.
                let mut old_entity = renaming::with_new_names(old, new, &renamed);
                // Keys in the name are compared as keys.
                if is_same_type(tables, old, new) {
                    old_entity.stored_name.clone_from(&new.stored_name);
                }
                let old_name = old_entity.stored_name.clone();
                let entity = EntityPair {
                    tables,
                    name: entity,
                    old: &old_entity,
                    new,
                    types: DeclaredTypes {
                        old: &old.values,
                        new: &new.values,
                    },
                    is_value: false,
                    renamed: &renamed,
                };
                let before = changes.len();
                entity.compare(&old_name, changes);
                // As with the table: a difference without a rule is still a difference.
                if changes.len() == before && entity.differs() {
                    changes.push(unexplained((name, Some(entity.name.to_owned()))));
                }
            }
            (Some(_), None) if second_key::has_moved_away(tables, entity) => {}
            (Some(_), None) => changes.push(entity::gone(name, entity)),
            (None, Some(new)) => changes.push(entity::appeared(tables, new)),
            (None, None) => {}
        }
    }
}

/// The old and the new form of an entity.
type OldAndNew<'m> = (Option<&'m EntitySchema>, Option<&'m EntitySchema>);

/// Matches entities: by the value of the type attribute, by the table that it has alone, or by its primary key.
fn pairs(TablePair { old, new }: TablePair<'_>) -> BTreeMap<&str, OldAndNew<'_>> {
    let mut pairs: BTreeMap<&str, OldAndNew<'_>> = BTreeMap::new();
    for entity in &new.entities {
        pairs.entry(&entity.stored_name).or_default().1 = Some(entity);
    }
    // The only entity of a table is most probably the former one under another name. In a shared table, only the same
    // keys suggest that it is one entity under two names.
    let is_alone = [old, new].iter().all(|table| table.entities.len() == 1);
    for entity in &old.entities {
        let is_heir = |heir: &&EntitySchema| {
            stored::entity(old, &heir.stored_name).is_none()
                && (is_alone || heir.keys().eq(entity.keys()))
        };
        let name = entity.stored_name.as_str();
        let is_under_other_keys = |heir: &&EntitySchema| {
            stored::entity(old, &heir.stored_name).is_none()
                && is_same_type(TablePair { old, new }, entity, heir)
        };
        let heir = match stored::entity(new, name) {
            Some(_) => None,
            None => {
                let by_keys = new.entities.iter().find(is_heir);
                // Several entities of one type may have got other keys, each of them another heir.
                let has_none = |heir: &&EntitySchema| {
                    let pair = pairs.get(heir.stored_name.as_str());
                    pair.is_none_or(|pair| pair.0.is_none())
                };
                by_keys.or_else(|| {
                    let mut free = new.entities.iter().filter(has_none);
                    free.find(is_under_other_keys)
                })
            }
        };
        let name_now = heir.map_or(name, |heir| &heir.stored_name);
        let pair = pairs.entry(name_now).or_default();
        match pair.0 {
            // Two old entities with the same keys can have only one heir; the second one is reported as gone.
            Some(_) => pairs.entry(name).or_default().0 = Some(entity),
            None => pair.0 = Some(entity),
        }
    }
    pairs
}

/// Whether two entities have one type. If keys identify rows, the name contains them, and an entity with other keys has
/// another name.
fn is_same_type(tables: TablePair<'_>, old: &EntitySchema, new: &EntitySchema) -> bool {
    let is_by_key = |table: &TableSchema| table.identify_by == Some(IdentifyBy::Key);
    (is_by_key(tables.old) || is_by_key(tables.new))
        && without_keys(&old.stored_name) == without_keys(&new.stored_name)
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
