//! Rules of an entity whose items are never changed.

use crate::diag::Diag;
use crate::marks::EntityMarks;
use crate::model::{Entity, FieldRole};

/// Such an entity takes no options that record changes.
pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    if !entity.append_only {
        return;
    }
    for (field, marks) in entity.fields.iter().zip(&marks.fields) {
        let (word, meaning, instead) = match field.role {
            FieldRole::Version => ("version", "counts the changes of an item", ""),
            FieldRole::UpdatedAt => (
                "updated_at",
                "is when an item was last changed",
                ", or write `created_at`",
            ),
            FieldRole::UpdatedBy => (
                "updated_by",
                "is who changed an item last",
                ", or write `created_by`",
            ),
            _ => continue,
        };
        let message = format!(
            "`{word}` {meaning}, and `{}` is `append_only`, so it is never changed; remove `{word}`{instead}",
            entity.ident
        );
        diag.at(marks.role.unwrap_or(field.ident.span()), message);
    }
    for value in &entity.large {
        let message = format!(
            "`{0}` can be written and deleted at any time, and `{1}` is `append_only`; remove `append_only`, or declare `{2}` in \
             another entity with the same key fields",
            value.name,
            entity.ident,
            value.word()
        );
        diag.at(value.name.span(), message);
    }
}
