//! The writes that concern unique values.

use crate::entity::EntityDeclaration;
use crate::error::{Error, ErrorKind, Stage};

/// Whether writes of this entity may affect unique values.
pub(crate) fn concerns(declared: &EntityDeclaration) -> bool {
    !declared.def.uniques.is_empty()
}

/// Whether unique values, or the lifetime of their sentinels, depend on this field.
pub(crate) fn depends_on(declared: &EntityDeclaration, field: &str) -> bool {
    let is_part = declared
        .def
        .uniques
        .iter()
        .any(|unique| unique.fields.contains(&field));
    is_part || concerns(declared) && ttl_field(declared) == Some(field)
}

/// The field of the TTL.
pub(crate) fn ttl_field(declared: &EntityDeclaration) -> Option<&'static str> {
    let mut attributes = declared.def.attributes.iter();
    let ttl = attributes.find(|known| Some(known.stored) == declared.def.ttl);
    ttl.map(|known| known.field)
}

/// The error for a write that would have to read first in a place that cannot read.
pub(crate) fn must_read(declared: &EntityDeclaration, verb: &str) -> Error {
    let message = format!(
        "a {verb} of an entity with unique values reads the item first, to know which values \
         it releases, and cannot do so here: `create`, `update` or `delete` a loaded entity here, or send the {verb} by itself"
    );
    Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(declared.def.type_name)
}
