//! Stand-ins for declarations with mistakes: the mistake is reported, and nothing else.

use std::marker::PhantomData;

#[cfg(feature = "vectors")]
use crate::dynamo::Dynamo;
use crate::entity::guard::Unconditional;
use crate::entity::{DynamoEntity, DynamoTable, KeyParts};
use crate::json::{CodecError, Reader, Writer};
use crate::key::Shard;
#[cfg(feature = "vectors")]
use crate::read::Reading;
use crate::schema::{
    EntityDef, IndexDef, IndexKind, KeyDef, KeySource, KeyType, Projection, Style, TableDef,
};
#[cfg(feature = "vectors")]
use crate::search::Hit;
use crate::write::no_sentinels;

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

    fn write_in(&self, _: Shard, _: &mut Writer) -> Result<(), CodecError> {
        Err(fault())
    }

    fn read_with(
        _: &mut Reader<'_>,
        _: Option<&mut dyn FnMut(&mut Self)>,
    ) -> Result<Self, CodecError> {
        Err(fault())
    }
}

impl<E> Fallback<E> {
    /// Parts of nothing.
    pub fn parts() -> Self {
        Fallback(PhantomData)
    }
}

/// The next part of a sort key whose declaration has mistakes. The chain continues after any method.
#[derive(Debug)]
pub struct FallbackPart<S>(pub S);

macro_rules! asked {
    ($($word:ident)*) => {
        impl<S> FallbackPart<S> {
            $(
                /// Takes anything.
                pub fn $word<A>(self, _: A) -> S {
                    self.0
                }
            )*

            /// Takes nothing.
            pub fn missing(self) -> S {
                self.0
            }
        }
    };
}

asked!(eq lt le gt ge between starts_with);

/// A search whose declaration has mistakes. The chain continues after any method.
#[derive(Debug)]
pub struct FallbackSearch<E, F, Row, S>(PhantomData<E>, PhantomData<F>, PhantomData<(Row, S)>);

impl<E, F: Default, Row, S> FallbackSearch<E, F, Row, S> {
    /// A search of nothing.
    pub fn of_mistake() -> Self {
        FallbackSearch(PhantomData, PhantomData, PhantomData)
    }

    /// Takes anything.
    pub fn within<A>(self, _: A) -> Self {
        self
    }

    /// Takes any filter.
    pub fn filter(self, filter: impl FnOnce(&F)) -> Self {
        filter(&F::default());
        self
    }

    /// Takes nothing.
    pub fn include_expired(self) -> Self {
        self
    }

    /// A search with other rows.
    pub fn lenient(self) -> FallbackSearch<E, F, crate::error::Result<Row>, S> {
        FallbackSearch(PhantomData, PhantomData, PhantomData)
    }

    /// A search with other rows.
    pub fn select<P>(self) -> FallbackSearch<E, F, P, S> {
        FallbackSearch(PhantomData, PhantomData, PhantomData)
    }

    /// A search with whole items.
    pub fn hydrate(self) -> FallbackSearch<E, F, E, S> {
        FallbackSearch(PhantomData, PhantomData, PhantomData)
    }
}

#[cfg(feature = "vectors")]
impl<E, F, Row: Send + 'static, S: Send + 'static> FallbackSearch<E, F, Row, S> {
    /// Finds nothing.
    pub fn send(self, _: &Dynamo) -> Reading<Vec<Hit<Row, S>>> {
        Reading::new(async { Ok(Vec::new()) })
    }
}

/// The score of such a search.
#[cfg(feature = "vectors")]
pub use crate::search::{Distance as FallbackDistance, Similarity as FallbackSimilarity};

/// The score of a search without the feature, which is reported by itself.
#[cfg(not(feature = "vectors"))]
pub type FallbackDistance = ();

/// The score of a search without the feature, which is reported by itself.
#[cfg(not(feature = "vectors"))]
pub type FallbackSimilarity = ();

fn fault() -> CodecError {
    CodecError::new("the declaration has mistakes")
}

/// A result that never comes to be.
pub fn fallback<T>() -> Result<T, CodecError> {
    Err(fault())
}

/// The content of a value whose declaration has mistakes. Such a program is never run.
#[expect(clippy::empty_loop)]
pub fn fallback_content<T, C>(_: &T) -> &C {
    loop {}
}

/// Such a value from its content.
#[expect(clippy::empty_loop)]
pub fn fallback_value<T, C>(_: C) -> T {
    loop {}
}

/// An entity without anything. No check against it fails.
pub const FALLBACK_ENTITY: EntityDef = EntityDef {
    append_only: false,
    id: "",
    type_name: "",
    stored_name: "",
    type_attribute: None,
    constants: &[],
    pk: KeyDef::new("pk", KeyType::S, KeySource::Template(&[])),
    sk: None,
    attributes: &[],
    indexes: &[],
    uniques: &[],
    large: &[],
    ttl: None,
    expiry: None,
    version: None,
    created_at: None,
    updated_at: None,
    created_by: None,
    updated_by: None,
    key_fault: |_| Some(fault()),
    reread: |_| None,
    shape: None,
    second_key: None,
    sentinels: no_sentinels,
};

/// A table without anything. No check against it fails.
pub const FALLBACK_TABLE: TableDef = TableDef {
    id: "",
    name: "",
    pk: "",
    sk: Some(""),
    type_attribute: None,
    identify_by: None,
    tenant: None,
    style: Style::Escaped,
    indexes: &[],
    stream: None,
};

/// The table of a collection with mistakes.
#[derive(Debug)]
pub struct NoTable(());

impl DynamoTable for NoTable {
    type This = Self;
    type Unguarded = Unconditional;
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
