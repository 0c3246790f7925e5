//! Stand-ins for declarations with mistakes: the mistake is reported, and nothing else.

use std::marker::PhantomData;

use crate::codec::{Fault, Reader, Writer};
use crate::entity::{DynamoEntity, DynamoTable, KeyParts};
use crate::key::Shard;
use crate::request::no_sentinels;
use crate::schema::{
    EntityDef, IndexDef, IndexKind, KeyDef, KeySource, KeyType, Projection, Style, TableDef,
};

/// Key parts of an entity whose declaration has mistakes.
#[derive(Debug)]
pub struct Fallback<E>(PhantomData<fn() -> E>);

impl<E> Clone for Fallback<E> {
    fn clone(&self) -> Self {
        Fallback(PhantomData)
    }
}

impl<E: DynamoEntity> KeyParts for Fallback<E> {
    type Entity = E;

    fn write_in(&self, _: Shard, _: &mut Writer) -> Result<(), Fault> {
        Err(fault())
    }

    fn read(_: &mut Reader<'_>) -> Result<Self, Fault> {
        Err(fault())
    }
}

impl<E> Fallback<E> {
    /// Parts of nothing.
    pub fn parts() -> Self {
        Fallback(PhantomData)
    }
}

fn fault() -> Fault {
    Fault::new("the declaration has mistakes")
}

/// A result that never comes to be.
pub fn fallback<T>() -> Result<T, Fault> {
    Err(fault())
}

/// An entity without anything. No check against it fails.
pub const FALLBACK_ENTITY: EntityDef = EntityDef {
    id: "",
    type_name: "",
    stored_name: "",
    pk: KeyDef {
        attribute: "pk",
        ty: KeyType::S,
        source: KeySource::Template(&[]),
    },
    sk: None,
    attributes: &[],
    indexes: &[],
    uniques: &[],
    ttl: None,
    version: None,
    created_at: None,
    updated_at: None,
    created_by: None,
    updated_by: None,
    has_key: |_| false,
    reread: |_| None,
    sentinels: no_sentinels,
};

/// A table without anything. No check against it fails.
pub const FALLBACK_TABLE: TableDef = TableDef {
    id: "",
    name: "",
    pk: "",
    sk: Some(""),
    type_attribute: None,
    style: Style::Escaped,
    indexes: &[],
    stream: None,
};

/// The table of a collection with mistakes.
#[derive(Debug)]
pub struct NoTable(());

impl DynamoTable for NoTable {
    type This = Self;
    const TABLE: TableDef = FALLBACK_TABLE;
    const ENTITIES: &'static [&'static EntityDef] = &[];
}

/// An index without anything. No check against it fails.
pub const FALLBACK_INDEX: IndexDef = IndexDef {
    name: "",
    kind: IndexKind::Global,
    pk: &[],
    sk: &[],
    project: Projection::All,
};
