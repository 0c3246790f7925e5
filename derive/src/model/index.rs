//! Indexes: the access patterns of an entity.

use proc_macro2::Span;
use syn::{Expr, Ident, Path};

use super::key::KeySource;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexKind {
    Global,
    Local,
}

/// `gsi(..)` or `lsi(..)` of an entity: one access pattern.
pub(crate) struct Index {
    pub(crate) kind: IndexKind,
    /// The name of the access pattern, which becomes a method.
    pub(crate) name: Ident,
    /// The index that it fills: `on`, by default `name`. On a shared table this is a declared index.
    pub(crate) on: Ident,
    /// The stored name of an index that the entity declares itself (own table): `rename`, otherwise `on`.
    pub(crate) stored: String,
    /// Empty for a local index. More than one only for multi-attribute keys of bare fields.
    pub(crate) pk: Vec<KeySource>,
    /// May be empty. More than one only for multi-attribute keys of bare fields.
    pub(crate) sk: Vec<KeySource>,
    /// The number of shards that reads visit, if the index has shards.
    pub(crate) read_shards: Option<u16>,
    pub(crate) when: Option<When>,
    /// Whether old items may not have its keys yet, so that programs must not query it.
    pub(crate) filling: bool,
    /// Indexes into `Entity::fields`. For own tables only: a shared table declares it, and then this is always `All`.
    pub(crate) project: IndexProjection<usize>,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

impl Index {
    /// The sources of its partition key, and then those of its sort key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeySource> {
        self.pk.iter().chain(&self.sk)
    }
}

/// The condition under which an item is in an index.
pub(crate) struct When {
    /// Indexes into `Entity::fields`, with the words that name them.
    pub(crate) fields: Vec<(usize, Ident)>,
    pub(crate) test: WhenTest,
    /// The condition as it is written.
    pub(crate) text: String,
}

pub(crate) enum WhenTest {
    /// The one field holds one of these values.
    OneOf(Vec<WhenValue>),
    /// This function decides by the fields.
    Function(Path),
    /// One of the fields has a value, because all parts of the keys have `ends`.
    AnyPart,
}

pub(crate) enum WhenValue {
    /// `None`
    Absent(Span),
    Equal(Expr),
}

impl When {
    /// Whether the condition reads this field.
    pub(crate) fn reads(&self, field: usize) -> bool {
        self.fields.iter().any(|(read, _)| *read == field)
    }
}

/// The attributes of each item that an index contains besides the keys.
#[derive(Clone)]
pub(crate) enum IndexProjection<T> {
    All,
    Keys,
    Only(Vec<T>),
}
