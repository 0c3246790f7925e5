//! A projection: some fields of an entity.

use syn::{Ident, Path, Type};

/// `#[derive(DynamoProjection)]`.
pub(crate) struct Projection {
    pub(crate) krate: Path,
    pub(crate) ident: Ident,
    pub(crate) entity: Path,
    pub(crate) fields: Vec<Projected>,
}

/// A field of the entity, under the same name.
pub(crate) struct Projected {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
}
