//! A table and its entities.

use std::collections::BTreeSet;

use crate::schema::{
    Declaration, EntityDef, IndexDef, IndexKind, IndexSchema, KeyAttribute, KeyDef, KeyType,
    Projection, ProjectionSchema, TableDef, TableSchema,
};

/// A table: a `#[derive(DynamoTable)]`, or an entity that has a table of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a table",
    label = "not a table",
    note = "write `#[derive(DynamoTable)]` and `#[dynamo(name = \"..\", pk = \"..\", entities(..))]` on a unit struct, or give the entity its own table: `#[dynamo(table = \"name\")]`"
)]
pub trait DynamoTable: 'static {
    /// The table itself: code that names the type this way needs no other trait than this one.
    #[doc(hidden)]
    type This: DynamoTable;

    /// Names and indexes.
    #[doc(hidden)]
    const TABLE: TableDef;

    /// All its entities. They are apart from the names because the constants of the entities use those.
    #[doc(hidden)]
    const ENTITIES: &'static [&'static EntityDef];

    /// The schema, for [`Dynamo::create_tables`](crate::dynamo::Dynamo::create_tables).
    fn schema() -> TableSchema {
        Layout {
            table: &Self::TABLE,
            entities: Self::ENTITIES,
        }
        .schema()
    }
}

/// A table and its entities, side by side.
struct Layout {
    table: &'static TableDef,
    entities: &'static [&'static EntityDef],
}

impl Layout {
    fn schema(&self) -> TableSchema {
        let indexes = |kind: IndexKind| {
            let mine = self
                .table
                .indexes
                .iter()
                .filter(move |index| index.kind == kind);
            mine.map(|index| self.index(index)).collect()
        };
        TableSchema {
            name: self.table.name.to_owned(),
            pk: self.key(self.table.pk),
            sk: self.table.sk.map(|name| self.key(name)),
            global_indexes: indexes(IndexKind::Global),
            local_indexes: indexes(IndexKind::Local),
            ttl: self.ttl().map(str::to_owned),
            stream: self.table.stream,
            declared: Some(Declaration {
                id: self.table.id,
                is_shared: self.table.type_attribute.is_some(),
            }),
        }
    }

    fn ttl(&self) -> Option<&'static str> {
        self.entities.iter().find_map(|entity| entity.ttl)
    }

    /// All key attributes of all entities.
    fn keys(&self) -> impl Iterator<Item = &'static KeyDef> {
        self.entities.iter().flat_map(|entity| {
            let own = std::iter::once(&entity.pk).chain(entity.sk.as_ref());
            own.chain(
                entity
                    .indexes
                    .iter()
                    .flat_map(|index| index.pk.iter().chain(index.sk)),
            )
        })
    }

    /// A key attribute with its type: the one that its entities give it, text if none uses it.
    fn key(&self, name: &str) -> KeyAttribute {
        let ty = self
            .keys()
            .find(|key| key.attribute == name)
            .map_or(KeyType::S, |key| key.ty);
        KeyAttribute {
            name: name.to_owned(),
            ty,
        }
    }

    fn index(&self, index: &IndexDef) -> IndexSchema {
        let attributes = |names: &[&str]| names.iter().map(|name| self.key(name)).collect();
        IndexSchema {
            name: index.name.to_owned(),
            pk: match index.kind {
                IndexKind::Global => attributes(index.pk),
                IndexKind::Local => attributes(&[self.table.pk]),
            },
            sk: attributes(index.sk),
            projection: self.projection(index),
        }
    }

    /// The attributes that were asked for, and those that reading an index needs: type and TTL.
    fn projection(&self, index: &IndexDef) -> ProjectionSchema {
        let listed = match index.project {
            Projection::All => return ProjectionSchema::All,
            Projection::Keys => &[][..],
            Projection::Include(listed) => listed,
        };
        let is_key = |name: &&str| {
            *name == self.table.pk
                || self.table.sk == Some(*name)
                || index.pk.contains(name)
                || index.sk.contains(name)
        };
        let all = listed
            .iter()
            .copied()
            .chain(self.table.type_attribute)
            .chain(self.ttl());
        let names: BTreeSet<&str> = all.filter(|name| !is_key(name)).collect();
        if names.is_empty() {
            return ProjectionSchema::Keys;
        }
        ProjectionSchema::Include(names.into_iter().map(str::to_owned).collect())
    }
}
