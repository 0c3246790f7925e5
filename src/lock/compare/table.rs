//! The parts of a table that the service knows.

use super::pair::{DEPLOY, DEPLOY_EVERYWHERE, TablePair, held, refused_by};
use super::pattern::rejected;
use super::vector;
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::stored::{self, sorted_indexes};
use crate::schema::{IdentifyBy, IndexKind, IndexSchema, KeyAttribute, TableSchema, Word};

const MOVE: [&str; 4] = [
    "leave this table as it is, and declare a second one with the new keys",
    "deploy programs that write both, everywhere",
    "copy the existing items, and compare",
    "read the new one, then write it alone, then delete the old one",
];

pub(super) fn appeared(name: &str) -> StoredChange {
    StoredChange::new(
        ChangeClass::Free,
        (name, None),
        "the table is new".to_owned(),
        &[
            "create it, `db.create_tables(..)`, before you deploy programs that query it",
            DEPLOY,
        ],
    )
}

pub(super) fn gone(name: &str, appeared: Option<&str>) -> StoredChange {
    let Some(other) = appeared else {
        return StoredChange::new(
            ChangeClass::BreaksRunning,
            (name, None),
            "the table is no longer declared, or not given to the check; its items stay, and no declared program reads them".to_owned(),
            &[
                "if only its schema was missing in the check, pass it",
                DEPLOY_EVERYWHERE,
                "delete the table when no program uses it any more, and no rollback is planned",
            ],
        );
    };
    StoredChange::new(
        ChangeClass::NeedsMove,
        (name, None),
        format!(
            "the table is no longer declared, and `{other}` is new: under a new name a table is empty, and the items stay in the old one"
        ),
        &[
            "if `name` or `table` was changed by mistake, change it back: a struct may be renamed without its table",
            "else leave both declared, and deploy programs that write both, everywhere",
            "copy the existing items, then read the new table, then drop the old declaration",
        ],
    )
}

/// The differences of the tables themselves; their entities are another matter.
pub(super) fn head(tables: TablePair<'_>, changes: &mut Vec<StoredChange>) {
    let (was, is, name) = (tables.old, tables.new, tables.name());
    let mut add = |class, what: String, steps: &[&str]| {
        changes.push(StoredChange::new(class, (name, None), what, steps));
    };
    // The parts are independent of each other here, so all that differ are reported, not only the
    // first.
    if (&was.pk, &was.sk) != (&is.pk, &is.sk) {
        let what = format!(
            "its key was {} and is {}; DynamoDB changes the key of no table",
            key(was),
            key(is)
        );
        add(ChangeClass::NeedsMove, what, &MOVE);
    }
    if was.style != is.style {
        let what = format!(
            "key texts were `{}` and are `{}`: all keys have other texts, and no item is found under its old key",
            was.style.word(),
            is.style.word()
        );
        add(ChangeClass::NeedsMove, what, &MOVE);
    }
    if was.type_attribute != is.type_attribute {
        let (class, what, steps) = type_attribute(was, is);
        add(class, what, steps);
    }
    if was.identify_by != is.identify_by {
        let (class, what, steps) = identify_by(was, is);
        add(class, what, steps);
    }
    if was.ttl != is.ttl {
        let (class, what, steps) = ttl(was, is);
        add(class, what, steps);
    }
    if was.stream != is.stream {
        let (class, what, steps) = stream(was, is);
        add(class, what, steps);
    }
    let (had, has) = (sorted_indexes(was), sorted_indexes(is));
    for (index, was) in &had {
        changes.extend(index_change(name, *was, has.get(index).copied()));
    }
    let appeared = has.iter().filter(|(index, _)| !had.contains_key(*index));
    changes.extend(appeared.map(|(_, index)| index_appeared(*index, tables)));
    vector::changes(tables, changes);
}

/// The change, its consequence, and the remedy.
type ChangeText = (ChangeClass, String, &'static [&'static str]);

/// The key of a list or blob contains the type in a table with a type attribute, and not in another one.
fn lists_get_other_keys(was: &TableSchema, is: &TableSchema) -> Option<ChangeText> {
    let has_large = was.entities.iter().any(|entity| !entity.large.is_empty());
    let what = match (&was.type_attribute, &is.type_attribute) {
        (None, Some(new)) => format!("the table of one entity has a type attribute `{new}` now"),
        (Some(old), None) => format!("the table has no type attribute any more, which was `{old}`"),
        _ => return None,
    };
    has_large.then(|| {
        (
            ChangeClass::BreaksRunning,
            format!(
                "{what}, and its lists and blobs get other keys: programs read the existing ones as empty, and neither deletes nor sweeps \
                 find their rows"
            ),
            &[
                "declare a second table instead, and leave this one as it is",
                "deploy programs that write both, everywhere",
                "copy the items by `put_each`, their lists by `all` and `append`, and their blobs by `read` and `write`",
                "deploy programs that use the second table alone, everywhere, then delete the first one",
            ][..],
        )
    })
}

fn type_attribute(was: &TableSchema, is: &TableSchema) -> ChangeText {
    if let Some(change) = lists_get_other_keys(was, is) {
        return change;
    }
    match (&was.type_attribute, &is.type_attribute) {
        (Some(old), Some(new)) => (
            ChangeClass::BreaksRunning,
            format!(
                "the type attribute was `{old}` and is `{new}`: old and new programs do not see the types that the others write"
            ),
            &[
                "keep the old name, `type_attribute = \"..\"`: it costs nothing",
                "else stop all programs, write all items again by a script (`Item::in_table`), and deploy then",
            ],
        ),
        (None, Some(new)) => (
            ChangeClass::BreaksRunning,
            format!(
                "the table of one entity has a type attribute `{new}` now, as a shared table: existing items have none, unique values get other keys, and old programs treat items of other entities as errors"
            ),
            &[
                "deploy the shared table with this one entity in it, everywhere",
                "write all items again: `put_each` of the result of a scan, which gives them types, and sentinels of unique values",
                "add further entities in a later deployment",
            ],
        ),
        (Some(old), _) => (
            ChangeClass::BreaksRunning,
            format!(
                "the table has no type attribute any more, which was `{old}`: a table of one entity reads every item as that entity"
            ),
            &[
                "delete the items of all other entities, with the old declaration",
                "write the unique values again: their keys contained the type",
                DEPLOY_EVERYWHERE,
            ],
        ),
        (None, None) => (ChangeClass::Free, String::new(), &[]),
    }
}

fn identify_by(was: &TableSchema, is: &TableSchema) -> ChangeText {
    match (was.identify_by, is.identify_by) {
        (None, Some(IdentifyBy::Key)) => (
            ChangeClass::Free,
            "rows are identified by their keys too: if a row has the type of an entity but a key that does not belong to it, \
             scans now omit the row instead of returning an error"
                .to_owned(),
            &[
                "deploy it everywhere before a program writes another entity of the same type",
                "finish the jobs and stop the consumers first: cursors, checkpoints and consumer groups from before are rejected",
            ],
        ),
        (None, Some(IdentifyBy::Type)) => (
            ChangeClass::FillFirst,
            "rows are identified by their types alone: reading an item without a type is an error now, and its key no longer \
             makes it a row of an entity; programs without the option still overwrite any item that has the key"
                .to_owned(),
            &[
                "give all items a type with the old declaration: `scan().refill()` of each entity",
                "deploy it everywhere before a program writes an entity that may have the key of another one, because older programs would overwrite its items",
            ],
        ),
        (Some(IdentifyBy::Type), None) => (
            ChangeClass::BreaksRunning,
            "writes no longer check the type of the stored item: they overwrite an item of another program, or of an entity that \
             is no longer declared, if it has the key"
                .to_owned(),
            &[
                "keep `identify_by = type` while the table contains such items",
                "else delete these items, then deploy",
            ],
        ),
        (Some(IdentifyBy::Key), Some(IdentifyBy::Type)) => (
            ChangeClass::BreaksRunning,
            "rows were identified by their types and their keys, and are identified by their types alone: reading an item \
             without a type, or one with the type of an entity and a key that does not belong to it, is an error now"
                .to_owned(),
            &[
                "give all items a type with the old declaration: `scan().refill()` of each entity",
                "finish the jobs and stop the consumers: their cursors and checkpoints are rejected",
                DEPLOY_EVERYWHERE,
            ],
        ),
        (Some(IdentifyBy::Type), Some(IdentifyBy::Key)) => (
            ChangeClass::BreaksRunning,
            "rows were identified by their types alone, and are identified by their types and their keys: writes no longer check \
             the type of the stored item"
                .to_owned(),
            &[
                "keep `identify_by = type` while the table contains items of other entities or programs with such keys",
                "finish the jobs and stop the consumers: their cursors and checkpoints are rejected",
                DEPLOY_EVERYWHERE,
            ],
        ),
        (_, None) | (Some(IdentifyBy::Key), Some(IdentifyBy::Key)) | (Some(IdentifyBy::Type), Some(IdentifyBy::Type)) => (
            ChangeClass::BreaksRunning,
            "rows are identified by their types alone: if a row has the type of an entity but a key that does not belong to \
             it, scans now return an error instead of omitting the row"
                .to_owned(),
            &[
                "keep `identify_by = key` while the table contains such rows",
                "else delete these rows, then deploy",
            ],
        ),
    }
}

fn ttl(old: &TableSchema, new: &TableSchema) -> ChangeText {
    let mut entities = old.entities.iter();
    match (&old.ttl, &new.ttl) {
        // The attribute may hold past times from when nothing read it as an expiry.
        (None, Some(ttl)) if entities.any(|entity| entity.attribute(ttl).is_some()) => (
            ChangeClass::BreaksRunning,
            format!(
                "items expire by `{ttl}` now, which they have already: DynamoDB deletes all expired items as soon as TTL is switched on, and a rollback does not restore them"
            ),
            &[
                "check how many items have a past time, and that all times are epoch seconds",
                DEPLOY_EVERYWHERE,
                "then switch it on: `db.enable_ttl(..)`",
            ],
        ),
        (None, Some(ttl)) => (
            ChangeClass::Free,
            format!(
                "items expire by `{ttl}`, which is new: existing items do not have it and stay"
            ),
            &[DEPLOY_EVERYWHERE, "then switch it on: `db.enable_ttl(..)`"],
        ),
        (Some(old), None) => (
            ChangeClass::BreaksRunning,
            format!(
                "items no longer expire by `{old}`: new programs return expired items that are not yet deleted, and DynamoDB continues to delete until TTL is switched off"
            ),
            &[
                "switch the TTL of the table off, and wait until that is done",
                DEPLOY_EVERYWHERE,
            ],
        ),
        (old, new) => (
            ChangeClass::BreaksRunning,
            format!(
                "items expire by `{}`, and did by `{}`: DynamoDB knows one attribute, and old programs hide items by the other one",
                shown(new.as_ref()),
                shown(old.as_ref())
            ),
            &[
                "deploy programs that write both attributes, everywhere, and fill the new one",
                "switch the TTL of the table off, wait until that is done, and on by the new attribute: `db.enable_ttl(..)`",
                "drop the old attribute",
            ],
        ),
    }
}

fn stream(was: &TableSchema, is: &TableSchema) -> ChangeText {
    let view = |head: &TableSchema| head.stream.map_or("none".to_owned(), |view| view.word());
    let what = format!("the stream was {} and is {}", view(was), view(is));
    match was.stream {
        None => (
            ChangeClass::Free,
            what,
            &["switch the stream on, by `db.plan(..)`, before you deploy consumers of it"],
        ),
        Some(_) => (
            ChangeClass::BreaksRunning,
            what + ": DynamoDB switches the old one off and begins another one, and consumers of the old one lose their position",
            &[
                "let the consumers of the stream read it to its end, with the writers stopped, or be ready to read all items once",
                "switch the stream off and on with its new view",
                "let the consumers begin with the new one",
            ],
        ),
    }
}

fn index_appeared((kind, index): (IndexKind, &IndexSchema), tables: TablePair<'_>) -> StoredChange {
    let place = (tables.name(), Some(index.name.clone()));
    // A type that never fits is reported before single values that may not fit.
    if let Some((key, entity)) = refused_by(index.keys(), tables.old) {
        let what = format!(
            "the index is new, and its key `{}` is {}: `{entity}` stores another type there, which DynamoDB \
             rejects as soon as the index exists",
            key.name,
            key.ty.word()
        );
        let steps = [
            "use another attribute for the key, such as one that a template fills",
            "or stop all programs that write the old type, and write all items again before",
        ];
        return StoredChange::new(ChangeClass::BreaksRunning, place, what, &steps);
    }
    // A local index is created with its table, which has no items yet that it could reject.
    if kind == IndexKind::Global
        && let Some((entity, rejected)) = rejected_by(index, tables)
    {
        let what = format!(
            "the index is new. Once it exists, DynamoDB rejects a write with {rejected}, which `{entity}` may store there, also one of \
             a program that runs now"
        );
        let never = format!("deploy programs that never write {rejected}, everywhere");
        let steps = [
            never.as_str(),
            "or use another attribute for the key of the index",
            "then create the index, by `db.plan(..)` or `db.add_indexes(..)`",
        ];
        return StoredChange::new(ChangeClass::FillFirst, place, what, &steps);
    }
    match kind {
        IndexKind::Global => StoredChange::new(
            ChangeClass::Free,
            place,
            "the index is new".to_owned(),
            &[
                "create it, by `db.plan(..)` or `db.add_indexes(..)`, and wait until it is active, before you deploy programs that query it",
            ],
        ),
        IndexKind::Local => StoredChange::new(
            ChangeClass::NeedsMove,
            place,
            "the local index is new, and DynamoDB creates local ones with their table alone"
                .to_owned(),
            &[
                "a global index can be added instead, unless it has to be read strongly",
                "else declare a second table, write both, copy the items, read the new one",
            ],
        ),
    }
}

/// An entity that is not looked for in the index and may store an attribute as no key can be, and how. Those that are
/// looked for there say so themselves.
fn rejected_by<'m>(
    index: &IndexSchema,
    TablePair { old, new }: TablePair<'m>,
) -> Option<(&'m str, String)> {
    let is_looked_for = |name: &str| {
        stored::entity(new, name).is_some_and(|entity| {
            let mut patterns = entity.patterns.iter();
            patterns.any(|pattern| pattern.index == index.name)
        })
    };
    let others = old.entities.iter();
    // Entities with an access pattern in the index are checked with that pattern, which names the
    // field.
    let mut others = others.filter(|entity| !is_looked_for(&entity.stored_name));
    others.find_map(|entity| {
        let mut keys = index.keys();
        let rejected = keys.find_map(|key| rejected(entity.attribute(&key.name)?, key))?;
        Some((entity.stored_name.as_str(), rejected))
    })
}

fn index_change(
    table: &str,
    (old_kind, was): (IndexKind, &IndexSchema),
    is: Option<(IndexKind, &IndexSchema)>,
) -> Option<StoredChange> {
    let what = match is {
        None => "the index is no longer declared".to_owned(),
        // The kind is part of the comparison: a local index and a global one may have the same
        // keys.
        Some(is) if is == (old_kind, was) => return None,
        Some((kind, _)) if kind != old_kind => {
            format!("the index was {} and is {}", old_kind.word(), kind.word())
        }
        Some((_, is)) if !is.keys().eq(was.keys()) || is.pk.len() != was.pk.len() => {
            format!(
                "the key of the index was {} and is {}",
                attributes(was.keys()),
                attributes(is.keys())
            )
        }
        Some((_, is)) => format!(
            "the index held {} and holds {}",
            held(&was.projection),
            held(&is.projection)
        ),
    };
    let new_kind = is.map(|(kind, _)| kind);
    let is_local = [Some(old_kind), new_kind].contains(&Some(IndexKind::Local));
    let (class, what, steps): (_, _, &[&str]) = match (is_local, is) {
        (true, _) => (
            ChangeClass::NeedsMove,
            what + ": a local index is created with its table, and stays as it is",
            &[
                "leave the index declared as it was",
                "else declare a second table, write both, copy the items, read the new one",
            ],
        ),
        (false, None) => (
            ChangeClass::BreaksRunning,
            what + ", and running programs may query it",
            &[
                "deploy programs that do not query it, everywhere",
                "then drop the declaration, and remove the index by a plan that allows it, when no rollback is intended",
            ],
        ),
        (false, Some(_)) => (
            ChangeClass::BreaksRunning,
            what + ": DynamoDB changes no index, and deleting it first leaves programs without it",
            &[
                "leave this index as it is, and declare a second one under a new name",
                "create that, by `db.plan(..)` or `db.add_indexes(..)`, deploy programs that keep both, and write all items again if a template fills it",
                "query the new one, everywhere",
                "then drop the old declaration, and delete the old index",
            ],
        ),
    };
    Some(StoredChange::new(
        class,
        (table, Some(was.name.clone())),
        what,
        steps,
    ))
}

fn key(head: &TableSchema) -> String {
    attributes(head.keys())
}

/// `id (N), at (S)`
fn attributes<'k>(keys: impl Iterator<Item = &'k KeyAttribute>) -> String {
    let keys: Vec<String> = keys
        .map(|key| format!("`{}` ({})", key.name, key.ty.word()))
        .collect();
    keys.join(", ")
}

fn shown(name: Option<&String>) -> &str {
    name.map_or("", String::as_str)
}
