//! Compressed fields: which programs read compressed values, and which write them.

use super::pair::{DEPLOY_EVERYWHERE, EntityPair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::FieldSchema;

/// The step that a field has reached in the introduction of compression, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// Compressed values are neither read nor written.
    Unknown,
    /// `decompress`: compressed values are read.
    Read,
    /// `compress`: they are read and written.
    Written,
}

impl Compression {
    /// The step of a field, or `None` if it has another form, such as `serde`.
    pub(super) fn of(field: &FieldSchema) -> Option<Self> {
        match field.form.as_deref() {
            None => Some(Compression::Unknown),
            Some("decompress") => Some(Compression::Read),
            Some("compress") => Some(Compression::Written),
            Some(_) => None,
        }
    }
}

impl EntityPair<'_> {
    /// The change of compression, or `None` if it did not change or another form is involved.
    pub(super) fn compression(
        &self,
        name: &str,
        was: &FieldSchema,
        is: &FieldSchema,
    ) -> Option<StoredChange> {
        let (was, is) = (Compression::of(was)?, Compression::of(is)?);
        let (class, what, steps): (_, _, &[&str]) = match (was, is) {
            (Compression::Unknown, Compression::Read) => (
                ChangeClass::Free,
                "compressed values are read, and none are written yet",
                &[
                    DEPLOY_EVERYWHERE,
                    "then change `decompress` into `compress`, and deploy",
                ],
            ),
            (Compression::Read, Compression::Written) => (
                ChangeClass::Free,
                "values are written compressed; programs with `decompress` read them",
                &["deploy when every program has `decompress`"],
            ),
            (Compression::Written, Compression::Read) => (
                ChangeClass::Free,
                "values are no longer written compressed; compressed ones are still read",
                &[
                    DEPLOY_EVERYWHERE,
                    "to remove `decompress` too, first write all items again: `update_each` with `set`",
                ],
            ),
            (Compression::Read, Compression::Unknown) => (
                ChangeClass::FillFirst,
                "compressed values are no longer read, so items that contain one become unreadable",
                &[
                    "write all items with a program that has `decompress`: `update_each` with `set`; without a `version`, pause other writers of the field, because the job would overwrite their changes",
                    "then remove `decompress`, and deploy",
                ],
            ),
            (Compression::Unknown, Compression::Written) => (
                ChangeClass::BreaksRunning,
                "values are written compressed, and running programs cannot read them",
                &[
                    "declare `decompress` first, and deploy that everywhere",
                    "then change it into `compress`, and deploy",
                ],
            ),
            (Compression::Written, Compression::Unknown) => (
                ChangeClass::BreaksRunning,
                "compressed values are no longer read, and running programs still write them",
                &[
                    "declare `decompress` first, and deploy that everywhere",
                    "write all items: `update_each` with `set`",
                    "then remove `decompress`, and deploy",
                ],
            ),
            _ => return None,
        };
        Some(self.change(class, name, what, steps))
    }
}
