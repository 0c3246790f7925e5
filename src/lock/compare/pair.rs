//! The two sides that are compared, and the steps that many changes share.

use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::{EntitySchema, KeyAttribute, ProjectionSchema, TableSchema, ValueSchema, Word};

pub(super) const DEPLOY: &str = "deploy in any order";
pub(super) const DEPLOY_EVERYWHERE: &str = "deploy it everywhere";
pub(super) const NOTHING: &str = "nothing to do";
pub(super) const REWRITE: &str = "write all items again with a program that has the new declaration, by `scan().update_each(..)` that sets \
     a part of the keys to what it is, with a checkpoint if there are many: one run without errors is enough, because \
     by then every program writes the new keys";

/// The way of old items into an index, by the comparison of each item with what the new declaration stores. The name of
/// the entity takes the place of [`ENTITY`].
pub(super) const REFILL: &str = "fill the items with a program that has the new declaration: `db fill {entity} --checkpoint FILE`, \
     or `scan().refill()`; it writes only what differs, and may be run again";
pub(super) const CHECK_FILLED: &str = "check that nothing is left: `db check --filled {entity}`, or `scan().unfilled(&db)` is 0, \
     after the last program of the old declaration has ended";

/// The place of the name of the entity in a step.
const ENTITY: &str = "{entity}";

/// A table as it was and is.
#[derive(Clone, Copy)]
pub(super) struct TablePair<'m> {
    pub(super) old: &'m TableSchema,
    pub(super) new: &'m TableSchema,
}

impl<'m> TablePair<'m> {
    pub(super) fn name(self) -> &'m str {
        &self.new.name
    }

    /// Whether the table differs from its old form, apart from its entities.
    pub(super) fn differs(self) -> bool {
        let like_new = TableSchema {
            entities: self.new.entities.clone(),
            ..self.old.clone()
        };
        like_new != *self.new
    }
}

/// An entity as it was and is.
pub(super) struct EntityPair<'m> {
    pub(super) tables: TablePair<'m>,
    pub(super) name: &'m str,
    pub(super) old: &'m EntitySchema,
    pub(super) new: &'m EntitySchema,
    /// The declared types, also where the fields of one of them are compared as if it were an entity.
    pub(super) types: DeclaredTypes<'m>,
    pub(super) is_value: bool,
    /// The attributes that have another name now, with their old and new names; `old` has the new ones.
    pub(super) renamed: &'m [(String, String)],
}

impl EntityPair<'_> {
    /// Whether it is another than it was, but for the key of the table, which is no matter of its entities.
    pub(super) fn differs(&self) -> bool {
        let [old, new] = [self.tables.old, self.tables.new].map(|table| (&table.pk, &table.sk));
        // When the table has another key, each of its entities has one too, and the change of the
        // table already says so. The fallback for unexplained differences must then not count it
        // once per entity.
        // A step of a move to another key is a change of two entities, and compared for both at once.
        let old_entity = EntitySchema {
            second_key: self.new.second_key.clone(),
            ..self.old.clone()
        };
        let like_new = EntitySchema {
            pk: self.new.pk.clone(),
            sk: self.new.sk.clone(),
            ..old_entity.clone()
        };
        let is_same = match old == new {
            true => old_entity == *self.new,
            false => like_new == *self.new,
        };
        !is_same || self.types.old != self.types.new
    }

    pub(super) fn change(
        &self,
        class: ChangeClass,
        member: &str,
        what: impl Into<String>,
        steps: &[&str],
    ) -> StoredChange {
        let place = format!("{}.{member}", self.name);
        self.with_steps(class, place, what.into(), steps)
    }

    pub(super) fn whole(
        &self,
        class: ChangeClass,
        what: impl Into<String>,
        steps: &[&str],
    ) -> StoredChange {
        self.with_steps(class, self.name.to_owned(), what.into(), steps)
    }

    fn with_steps(
        &self,
        class: ChangeClass,
        place: String,
        what: String,
        steps: &[&str],
    ) -> StoredChange {
        let steps: Vec<String> = steps
            .iter()
            .map(|step| step.replace(ENTITY, self.name))
            .collect();
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        StoredChange::new(class, (self.tables.name(), Some(place)), what, &steps)
    }
}

/// The declared types of an entity as they were and are.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredTypes<'m> {
    pub(super) old: &'m [ValueSchema],
    pub(super) new: &'m [ValueSchema],
}

/// The attributes in an index.
pub(super) fn held(projection: &ProjectionSchema) -> String {
    match projection {
        ProjectionSchema::All => "all attributes".to_owned(),
        ProjectionSchema::Keys => "keys alone".to_owned(),
        ProjectionSchema::Include(names) => format!("`{}`", names.join("`, `")),
    }
}

/// A key of an index that old programs write with another type, and the entity.
pub(super) fn refused_by<'m>(
    mut keys: impl Iterator<Item = &'m KeyAttribute>,
    old: &'m TableSchema,
) -> Option<(&'m KeyAttribute, &'m str)> {
    keys.find_map(|key| {
        let writes_another = |entity: &&EntitySchema| {
            let written = entity
                .attribute(&key.name)
                .and_then(|attribute| attribute.stored);
            written.is_some_and(|written| written.word() != key.ty.word())
        };
        let mut entities = old.entities.iter();
        let found = entities.find(writes_another)?;
        Some((key, found.stored_name.as_str()))
    })
}
