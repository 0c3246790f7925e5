//! A table, its indexes, and its stream.

use syn::{Ident, LitStr, Path, Visibility};

use super::index::{IndexKind, IndexProjection};
use super::key::Style;
use super::words::Words;

/// `#[derive(DynamoTable)]`.
pub(crate) struct Table {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) name: LitStr,
    pub(crate) pk: LitStr,
    pub(crate) sk: Option<LitStr>,
    /// As far as it is written.
    pub(crate) type_attribute: Option<LitStr>,
    pub(crate) identify_by: Option<IdentifyBy>,
    /// The field with which every partition key begins.
    pub(crate) tenant: Option<Ident>,
    pub(crate) stream: Option<StreamView>,
    pub(crate) style: Style,
    pub(crate) entities: Vec<Path>,
    pub(crate) indexes: Vec<TableIndex>,
    /// The lints that `allow(..)` of the whole table names.
    pub(crate) allows: Vec<String>,
}

impl Table {
    /// The name of the type attribute.
    pub(crate) fn type_attribute(&self) -> String {
        let written = self.type_attribute.as_ref();
        written.map_or_else(|| "_type".to_owned(), LitStr::value)
    }
}

/// `gsi(..)` or `lsi(..)` of a table: an index and its attributes.
pub(crate) struct TableIndex {
    pub(crate) kind: IndexKind,
    pub(crate) ident: Ident,
    /// `rename`, otherwise the identifier.
    pub(crate) stored: LitStr,
    /// Empty for a local index.
    pub(crate) pk: Vec<LitStr>,
    pub(crate) sk: Vec<LitStr>,
    pub(crate) project: IndexProjection<LitStr>,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// How the entity of a row is identified, if not by its type or, without one, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentifyBy {
    Key,
    Type,
}

impl IdentifyBy {
    pub(crate) const WORDS: Words<IdentifyBy> =
        Words(&[("key", IdentifyBy::Key), ("type", IdentifyBy::Type)]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamView {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
}

impl StreamView {
    pub(crate) const WORDS: Words<StreamView> = Words(&[
        ("keys_only", StreamView::KeysOnly),
        ("new_image", StreamView::NewImage),
        ("old_image", StreamView::OldImage),
        ("new_and_old_images", StreamView::NewAndOldImages),
    ]);
}
