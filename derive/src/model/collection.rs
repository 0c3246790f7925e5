//! A collection: the entities of one partition.

use proc_macro2::Span;
use syn::{Ident, Path, Type, Visibility};

/// `#[derive(DynamoCollection)]`.
pub(crate) struct Collection {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) table: Path,
    /// `index = gsi1`: an index that the table declares.
    pub(crate) index: Option<Ident>,
    /// `None`: the whole table.
    pub(crate) partition: Option<Partition>,
    pub(crate) variants: Vec<CollectionVariant>,
}

impl Collection {
    /// The variants that hold an entity.
    pub(crate) fn entities(&self) -> impl Iterator<Item = &CollectionVariant> {
        let variants = self.variants.iter();
        variants.filter(|variant| variant.other.is_none())
    }
}

/// `partition(tenant, user_id)`
pub(crate) struct Partition {
    pub(crate) span: Span,
    /// The parts of the partition key, in its order.
    pub(crate) parts: Vec<Ident>,
}

/// A variant that holds one value.
pub(crate) struct CollectionVariant {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The position of `other`, if this variant accepts rows that fit no entity.
    pub(crate) other: Option<Span>,
}
