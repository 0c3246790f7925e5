//! The terms of DynamoDB for the contents of a schema, which all tools share.

use crate::schema::{KeyType, ProjectionSchema, StreamView, TableClass};

pub(super) fn type_letter(ty: KeyType) -> &'static str {
    match ty {
        KeyType::S => "S",
        KeyType::N => "N",
        KeyType::B => "B",
    }
}

/// The kind of a projection, and the attributes that it lists.
pub(super) fn projection_words(projection: &ProjectionSchema) -> (&'static str, Option<&[String]>) {
    match projection {
        ProjectionSchema::All => ("ALL", None),
        ProjectionSchema::Include(names) if !names.is_empty() => ("INCLUDE", Some(names)),
        ProjectionSchema::Include(_) | ProjectionSchema::Keys => ("KEYS_ONLY", None),
    }
}

pub(super) fn stream_word(view: StreamView) -> &'static str {
    match view {
        StreamView::KeysOnly => "KEYS_ONLY",
        StreamView::NewImage => "NEW_IMAGE",
        StreamView::OldImage => "OLD_IMAGE",
        StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
    }
}

pub(super) fn class_word(class: TableClass) -> &'static str {
    match class {
        TableClass::Standard => "STANDARD",
        TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
    }
}
