//! Compressed fields: which programs read compressed values, and which write them.

use super::pair::{DEPLOY_EVERYWHERE, EntityPair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::schema::FieldSchema;

/// The part of a field in compression, in the order of the steps of its introduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// Neither compressed values are read nor written.
    Unknown,
    /// `decompress`
    Read,
    /// `compress`
    Written,
}

impl Compression {
    /// None if the value has another form.
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
    /// The change of the compression; None if none of the two forms has one.
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
                    "only then change `decompress` into `compress`",
                ],
            ),
            (Compression::Read, Compression::Written) => (
                ChangeClass::Free,
                "values are written compressed; programs with `decompress` read them",
                &["deploy, when every program has `decompress`"],
            ),
            (Compression::Written, Compression::Read) => (
                ChangeClass::Free,
                "values are no longer written compressed; compressed ones are still read",
                &[
                    DEPLOY_EVERYWHERE,
                    "if `decompress` is to be removed too, write all items first: `update_each`",
                ],
            ),
            (Compression::Read, Compression::Unknown) => (
                ChangeClass::FillFirst,
                "compressed values are no longer read, so items that contain one become unreadable",
                &[
                    "write all items with a program that has `decompress`: `update_each`",
                    "then deploy",
                ],
            ),
            (Compression::Unknown, Compression::Written) => (
                ChangeClass::BreaksRunning,
                "values are written compressed, which running programs cannot read",
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
                    "write all items: `update_each`",
                    "then remove `decompress`, and deploy",
                ],
            ),
            _ => return None,
        };
        Some(self.change(class, name, what, steps))
    }
}
