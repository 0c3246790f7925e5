//! Rules for the constant attributes of an entity, and for its type attribute.

use crate::check::reserved;
use crate::diag::Diag;
use crate::model::{Constant, Entity};

pub(super) fn check(entity: &Entity, diag: &Diag) {
    if let Some(own) = &entity.type_attribute {
        reserved::refuse(&own.value(), own.span(), diag);
    }
    for constant in &entity.constants {
        let (name, span) = (constant.attribute.value(), constant.attribute.span());
        reserved::refuse(&name, span, diag);
        no_field_has_it(entity, constant, diag);
    }
    if let (Some(constant), Some(_)) = (entity.constants.first(), entity.vectors.first()) {
        let message = "a vector index does not contain constants, so its searches would find the rows that they exclude; \
            declare the vector index on an entity without `constant`";
        diag.at(constant.attribute.span(), message);
    }
}

/// Rule: the library writes the attribute, and no field does.
fn no_field_has_it(entity: &Entity, constant: &Constant, diag: &Diag) {
    let name = constant.attribute.value();
    let holds = |stored: &str| stored == name;
    let mut fields = entity.fields.iter().filter(|field| field.is_stored());
    let found = fields.find(|field| {
        holds(&field.stored)
            || field
                .former
                .as_ref()
                .is_some_and(|former| holds(&former.name))
    });
    if let Some(field) = found {
        let message = format!(
            "the field `{}` is stored as `{name}` too; remove the field, because every item has this value",
            field.ident
        );
        diag.at(constant.attribute.span(), message);
    }
}
