//! Entities, their primary keys and their guards.

use super::meeting::{may_have_key_of, met_by};
use super::pair::{DEPLOY, DEPLOY_EVERYWHERE, EntityPair, NOTHING, TablePair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::form::template_text;
use crate::lock::rust_type::TypeChange;
use crate::lock::stored::{keeps_rest, key_only};
use crate::schema::{
    EntitySchema, IdentifyBy, KeyContent, KeySchema, PartSchema, PieceSchema, Presence,
    TableSchema, Width, without_keys,
};

/// The way of items to other keys of the same table.
pub(super) const MOVE_KEYS: [&str; 5] = [
    "leave this entity as it is, and declare another one beside it with the new key",
    "deploy programs that write both, everywhere",
    "copy the existing items, and leave the old ones",
    "deploy programs that read the new one and still write both, everywhere",
    "write the new one alone, everywhere, then delete the old items and drop the old declaration",
];

/// The same for an entity with lists or blobs, whose rows have the key of the item in theirs.
const MOVE_KEYS_WITH_LISTS: [&str; 6] = [
    MOVE_KEYS[0],
    MOVE_KEYS[1],
    MOVE_KEYS[2],
    "copy the lists of each item by `all` and `append`, and the blobs by `read` and `write`: they stay under the old key",
    MOVE_KEYS[3],
    MOVE_KEYS[4],
];

pub(super) fn appeared(tables: TablePair<'_>, entity: &EntitySchema) -> StoredChange {
    let place = (tables.name(), Some(entity.stored_name.clone()));
    let met = met_by(tables.old, entity);
    if tables.new.identify_by == Some(IdentifyBy::Type)
        && tables.old.identify_by != Some(IdentifyBy::Type)
        && let Some(other) = may_have_key_of(tables.old, entity)
    {
        return StoredChange::new(
            ChangeClass::BreaksRunning,
            place,
            format!(
                "the entity is new and its items may have the keys of `{other}`: running programs do not check the type of a stored \
                 item, and overwrite or delete the items of the new entity"
            ),
            &[
                "deploy programs with `identify_by = type` that do not write the entity yet, everywhere",
                "then deploy those that write it",
            ],
        );
    }
    if tables.old.identify_by != Some(IdentifyBy::Key)
        && let Some(other) = has_type_of(tables.old, entity)
    {
        return StoredChange::new(
            ChangeClass::BreaksRunning,
            place,
            format!(
                "the entity is new and has the type of `{other}`: running programs do not identify rows by their keys, so \
                 their scans return the items of the new entity as errors"
            ),
            &[
                "deploy programs with `identify_by = key` that do not write the entity yet, everywhere",
                "then deploy those that write it",
            ],
        );
    }
    if met.is_empty() {
        let what = "the entity is new, in partitions of its own; a collection of the whole table without an `other` \
                    variant meets it all the same";
        return StoredChange::new(ChangeClass::Free, place, what.to_owned(), &[DEPLOY]);
    }
    StoredChange::new(
        ChangeClass::BreaksRunning,
        place,
        format!(
            "the entity is new, and its items may be in partitions of `{}`: running programs do not know its type, \
             and treat them as errors in collections without an `other` variant and in queries of what had its \
             range alone",
            met.join("`, `")
        ),
        &[
            "if no program reads such partitions as a collection, and its sort keys begin differently from theirs, this is safe",
            "else deploy programs that know the entity and do not write it yet, everywhere",
            "then deploy those that write it",
        ],
    )
}

/// The old entity with the type and the constants of a new one.
fn has_type_of<'m>(old: &'m TableSchema, entity: &EntitySchema) -> Option<&'m str> {
    let mut others = old.entities.iter();
    let is_same = |other: &&EntitySchema| {
        without_keys(&other.stored_name) == without_keys(&entity.stored_name)
    };
    others.find(is_same).map(|other| other.stored_name.as_str())
}

pub(super) fn gone(table: &str, name: &str) -> StoredChange {
    StoredChange::new(
        ChangeClass::BreaksRunning,
        (table, Some(name.to_owned())),
        "the entity is no longer declared: its items, and those that running programs still write, are errors where new \
         ones meet them"
            .to_owned(),
        &[
            "deploy programs that do not write it any more, everywhere",
            "delete its items with the declaration: `delete_each`",
            "then drop the declaration, and deploy",
        ],
    )
}

impl EntityPair<'_> {
    /// All that is another than it was.
    pub(super) fn compare(&self, old_name: &str, changes: &mut Vec<StoredChange>) {
        changes.extend(self.name_change(old_name));
        changes.extend(self.type_attribute_change());
        // The key and the shape are compared before anything else, because what follows may not be
        // comparable at all.
        changes.extend(self.primary_key("key", Some(&self.old.pk), Some(&self.new.pk)));
        changes.extend(self.primary_key("key", self.old.sk.as_ref(), self.new.sk.as_ref()));
        changes.extend(self.guards());
        changes.extend(self.shape());
        if self.is_of_another_shape() {
            // Two shapes have different attributes by intent, and `was` and `into` translate between them. A comparison
            // by name would report each of them as a break.
            return;
        }
        self.attributes(changes);
        self.key_only_fields(changes);
        self.patterns(changes);
        self.uniques(changes);
        self.large_values(changes);
        self.values(changes);
    }

    fn name_change(&self, old_name: &str) -> Option<StoredChange> {
        if self.name == old_name {
            return None;
        }
        let tables = [self.tables.old, self.tables.new];
        // Only a type attribute stores the name.
        if tables.iter().all(|table| table.type_attribute.is_none()) {
            let what = format!("the struct was called `{old_name}`, which is stored nowhere");
            return Some(self.whole(ChangeClass::Free, what, &[NOTHING]));
        }
        if self.old.constants != self.new.constants {
            return Some(self.constants_change(old_name));
        }
        let what = format!(
            "its type was stored as `{old_name}` and is `{}`: old and new programs skip the items that the others wrote, and \
             its unique values, lists and blobs get other keys",
            self.name
        );
        Some(self.whole(
            ChangeClass::BreaksRunning,
            what,
            &[
                "give the entity `rename` with the old name: a struct may be renamed without what is stored",
                "if it is another entity with the same key, declare both, delete the items of the old one, then drop it",
            ],
        ))
    }

    fn type_attribute_change(&self) -> Option<StoredChange> {
        let of = |entity: &EntitySchema, table: &TableSchema| {
            let own = entity.type_attribute.as_ref();
            own.or(table.type_attribute.as_ref()).cloned()
        };
        let old = of(self.old, self.tables.old)?;
        let new = of(self.new, self.tables.new)?;
        // The table reports another attribute of its own.
        let is_own = [self.old, self.new]
            .iter()
            .any(|it| it.type_attribute.is_some());
        if old == new || !is_own {
            return None;
        }
        let what = format!(
            "its type was stored in `{old}` and is stored in `{new}`: old and new programs identify the items that the others wrote by \
             their keys alone"
        );
        Some(self.whole(
            ChangeClass::BreaksRunning,
            what,
            &[
                "keep the old name, `type_attribute = \"..\"` on the entity: it costs nothing",
                "else deploy the new declaration everywhere, then write all items again by `refill`",
            ],
        ))
    }

    /// The name contains the constants, so other constants always are another name.
    fn constants_change(&self, old_name: &str) -> StoredChange {
        let what = format!(
            "it was stored as `{old_name}` and is `{}`: rows without these constants are rows of others, which new programs skip, \
             and old programs skip rows with other constants than theirs",
            self.name
        );
        let steps = [
            "if all rows have the new constants already, written by a field or by another program, this is safe",
            "else keep the old constants, or write the attribute by a field into all rows first",
            "then declare the constant, and deploy",
        ];
        self.whole(ChangeClass::BreaksRunning, what, &steps)
    }

    fn move_steps(&self) -> &'static [&'static str] {
        match self.old.large.is_empty() {
            true => &MOVE_KEYS,
            false => &MOVE_KEYS_WITH_LISTS,
        }
    }

    fn primary_key(
        &self,
        member: &str,
        old: Option<&KeySchema>,
        new: Option<&KeySchema>,
    ) -> Option<StoredChange> {
        let (Some(old), Some(new)) = (old, new) else {
            // The table itself gained or lost a sort key, which its own change reports. This one is never free either,
            // because the items move all the same.
            return old.or(new).map(|key| {
                let what = format!(
                    "the part `{}` of its key was added or removed",
                    key.attribute
                );
                self.change(ChangeClass::NeedsMove, member, what, self.move_steps())
            });
        };
        let is_bare = |key: &KeySchema| key.field().is_some();
        // Two bare fields under different attributes mean that the table has another key, and the change of the table
        // reports that.
        if old == new || (is_bare(old) && is_bare(new) && !same_attribute(old, new)) {
            return None;
        }
        // The templates may differ as text and still write the same keys, for example after an
        // attribute was renamed.
        if texts_agree(old, new) {
            let what = format!(
                "its key is written as {} and was as {}; the keys are the same",
                shown(new),
                shown(old)
            );
            return Some(self.change(ChangeClass::Free, member, what, &[NOTHING]));
        }
        let mut what = format!(
            "its key `{}` was {} and is {}: existing items have the old keys, and are rejected or not found",
            new.attribute,
            shown(old),
            shown(new)
        );
        what += width_hint(old, new);
        if differ_in_names_alone(old, new) {
            what += "; if only the name of a field that is stored nowhere else is another, no key changes and this is safe";
        }
        Some(self.change(ChangeClass::NeedsMove, member, what, self.move_steps()))
    }

    pub(super) fn guards(&self) -> Vec<StoredChange> {
        let (old, new) = (self.old, self.new);
        let mut changes = Vec::new();
        match (old.append_only, new.append_only) {
            (false, true) => changes.push(self.whole(
                ChangeClass::Free,
                "its items are never changed any more, but running programs still change them",
                &[DEPLOY_EVERYWHERE, "rely on it then"],
            )),
            (true, false) => changes.push(self.whole(
                ChangeClass::BreaksRunning,
                "its items may be changed now, but running programs rely on items that do not change",
                &[
                    "deploy programs that do not rely on it and change nothing yet, everywhere",
                    "then deploy those that change items",
                ],
            )),
            _ => {}
        }
        match (keeps_rest(&old.fields), keeps_rest(&new.fields)) {
            (false, true) => changes.push(self.whole(
                ChangeClass::Free,
                "a `put` keeps attributes that it does not know now",
                &[DEPLOY],
            )),
            (true, false) => changes.push(self.whole(
                ChangeClass::BreaksRunning,
                "a `put` removes attributes that it does not know, which earlier, later or other programs store there",
                &["keep the `rest`, unless no other program stores anything in these items", DEPLOY_EVERYWHERE],
            )),
            _ => {}
        }
        changes
    }

    /// Fields that are in keys and have no attribute.
    fn key_only_fields(&self, changes: &mut Vec<StoredChange>) {
        let (old, new) = (key_only(&self.old.fields), key_only(&self.new.fields));
        for (&name, &was) in &old {
            let Some(&is) = new.get(name) else {
                let what = "the field had no attribute; now it has one, or it is in no key any more: the changes of the keys show which";
                // A field that has an attribute now is only stored once more. One that is in no key
                // and has no attribute is lost.
                let class = match self.new.attribute(name).is_some() {
                    true => ChangeClass::Free,
                    false => ChangeClass::BreaksRunning,
                };
                changes.push(self.change(class, name, what, &["see the changes of the keys"]));
                continue;
            };
            if was == is {
                continue;
            }
            let (class, means) = match self.types.change(was, is) {
                TypeChange::Alike => (ChangeClass::Free, "is stored in the same way"),
                TypeChange::Wider => (ChangeClass::Free, "contains all former values"),
                // The primary key of an item never changes, an index can be filled again.
                _ if is_in_key(self.new, name) => {
                    (ChangeClass::NeedsMove, "may be another text in the key")
                }
                _ => (
                    ChangeClass::BreaksRunning,
                    "may be another text in the key of an index",
                ),
            };
            let what = format!("its type was `{was}` and is `{is}`, which {means}");
            let steps: &[&str] = match class {
                ChangeClass::Free => &[DEPLOY],
                _ => &[
                    "if the texts are the same, this is safe",
                    "else declare the new form beside the old one, and move the items",
                ],
            };
            changes.push(self.change(class, name, what, steps));
        }
        let appeared = new.keys().filter(|name| !old.contains_key(**name));
        changes.extend(appeared.map(|name| {
            let what = "the field is part of keys, and it is new there or has no attribute any more: the changes of the keys show which";
            self.change(ChangeClass::Free, name, what, &["see the changes of the keys"])
        }));
    }
}

/// Whether two keys are made the same way, however they are declared: that of an unpadded `u32` is `{n:010}` too.
pub(super) fn texts_agree(old: &KeySchema, new: &KeySchema) -> bool {
    shards_aside_agree(old, new) && old.shards() == new.shards()
}

/// The same, but for the number of shards.
pub(super) fn shards_aside_agree(old: &KeySchema, new: &KeySchema) -> bool {
    same_attribute(old, new) && pieces_agree(old, new, |old, new| old.field == new.field)
}

fn same_attribute(old: &KeySchema, new: &KeySchema) -> bool {
    (&old.attribute, old.ty) == (&new.attribute, new.ty)
}

fn differ_in_names_alone(old: &KeySchema, new: &KeySchema) -> bool {
    same_attribute(old, new) && old.shards() == new.shards() && pieces_agree(old, new, |_, _| true)
}

fn pieces_agree(
    old: &KeySchema,
    new: &KeySchema,
    same_field: impl Fn(&PartSchema, &PartSchema) -> bool,
) -> bool {
    if old.field() != new.field() || old.whole_field() != new.whole_field() {
        return false;
    }
    // The number of shards is left out: a change of it has safe steps of its own, which `shards`
    // reports.
    let no_shard = |piece: &&PieceSchema| !matches!(piece, PieceSchema::Shard(_));
    let [old, new] = [old, new].map(|key| {
        let pieces = key.pieces().iter().filter(no_shard);
        pieces.collect::<Vec<_>>()
    });
    let mut pairs = old.iter().zip(&new);
    old.len() == new.len()
        && pairs.all(|pair| match pair {
            (PieceSchema::Text(old), PieceSchema::Text(new)) => old == new,
            (PieceSchema::Part(old), PieceSchema::Part(new)) => {
                // `First` and `Last` write a mark into the key for a value that is missing, and `Ends`
                // determines the texts after it. The
                // other presences leave the texts of present values as they are.
                let mark = |part: &PartSchema| match part.presence {
                    Presence::First | Presence::Last | Presence::Ends => Some(part.presence),
                    _ => None,
                };
                // The type of the part is compared with the attribute; here only what changes the
                // text of an equal value counts.
                let is_same = old.width == new.width
                    && old.cut() == new.cut()
                    && old.decimals() == new.decimals()
                    && mark(old) == mark(new);
                is_same && same_field(old, new)
            }
            _ => false,
        })
}

/// Says what is behind two templates that look alike.
pub(super) fn width_hint(old: &KeySchema, new: &KeySchema) -> &'static str {
    let widths = |key: &KeySchema| key.parts().map(|part| part.width).collect::<Vec<Width>>();
    match (shown(old) == shown(new), widths(old) == widths(new)) {
        (true, false) => {
            "; the type of a part has another width, which a width in the template keeps, as in `{number:010}`"
        }
        _ => "",
    }
}

/// Whether a field is in the primary key with all that it is.
pub(super) fn is_whole_in_key(entity: &EntitySchema, name: &str) -> bool {
    entity.keys().any(|key| {
        let mut parts = key.parts();
        // A part that is cut holds only a beginning of the value, from which the field cannot be
        // read again.
        key.field() == Some(name) || parts.any(|part| part.field == name && part.cut().is_none())
    })
}

/// Whether a field is in the primary key, whole or in part.
pub(super) fn is_in_key(entity: &EntitySchema, name: &str) -> bool {
    entity.keys().any(|key| has(key, name))
}

/// Whether a field is in a key.
pub(super) fn has(key: &KeySchema, name: &str) -> bool {
    key.fields().any(|field| field == name)
}

/// The field whose number the key is, if it is one.
pub(super) fn number_of(key: &KeySchema) -> Option<&str> {
    match &key.content {
        KeyContent::Number(field) => Some(field),
        KeyContent::Field(_) | KeyContent::Template(_) => None,
    }
}

/// A key as it is declared.
pub(super) fn shown(key: &KeySchema) -> String {
    match &key.content {
        KeyContent::Field(field) => format!("the field `{field}`"),
        KeyContent::Number(field) => format!("the number of the field `{field}`"),
        KeyContent::Template(_) => match (template_text(key), key.shards()) {
            (template, Some(shards)) => format!("\"{template}\" with {shards} shards"),
            (template, None) => format!("\"{template}\""),
        },
    }
}
