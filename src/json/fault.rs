//! A value or key part that does not fit, before it is known which entity it belongs to.
//!
//! Faults are made deep inside the codec and gather their path on the way out; the stage that knows
//! the entity turns them into an [`Error`](crate::Error). A fault never holds a value.

use std::fmt;

/// Why a value could not be written or read, and where.
#[derive(Clone, thiserror::Error)]
#[error("{}{}", self.path_front(), self.reason_text())]
pub struct CodecError(Box<CodecErrorParts>);

#[derive(Clone)]
struct CodecErrorParts {
    reason: String,
    /// The steps to the value, innermost first.
    path: Vec<CodecStep>,
    key: Option<&'static str>,
    identity: Option<KeyIdentity>,
    is_newer_shape: bool,
    /// Whether the item has an older shape that is no longer read.
    is_older_shape: bool,
    /// Whether a query cannot omit expired rows.
    needs_expired: bool,
}

/// How the stored primary key of an item differs from the one that its fields give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyIdentity {
    /// It is not a key of this declaration.
    Unlike,
    /// It is a key of this declaration, but a write of the fields would name another item.
    Differs,
}

#[derive(Clone)]
enum CodecStep {
    Name(String),
    Index(usize),
}

impl CodecError {
    /// A fault with a reason; the reason names types and limits, never values.
    #[cold]
    pub fn new(reason: impl Into<String>) -> Self {
        CodecError(Box::new(CodecErrorParts {
            reason: reason.into(),
            path: Vec::new(),
            key: None,
            identity: None,
            is_newer_shape: false,
            is_older_shape: false,
            needs_expired: false,
        }))
    }

    /// The fault of an item of a shape that this program does not know, which the attribute says.
    #[cold]
    pub(crate) fn newer_shape(attribute: &str) -> Self {
        let mut fault = CodecError::new(
            "a newer program has stored this item in a shape that this one does not know, so its attributes may mean \
             something else: read and write it with a program that knows the shape",
        )
        .at(attribute);
        fault.0.is_newer_shape = true;
        fault
    }

    /// The fault of an item that has no type, in a table with `identify_by = type`. The attribute would have the type.
    #[cold]
    pub(crate) fn typeless() -> Self {
        CodecError::new(
            "an item without a type belongs to no entity of a table with `identify_by = type`: add its type by a write of \
             `Item::in_table`",
        )
    }

    /// The same for a row of an index that does not contain all attributes.
    pub(crate) fn typeless_in(index: &str) -> Self {
        CodecError::new(format!(
            "a row of the index `{index}` has no type, so it belongs to no entity of a table with `identify_by = type`: if the item has \
             none, add it by a write of `Item::in_table`; if another program has created the index without the attribute, create it \
             again with the attribute"
        ))
    }

    /// States that the query is possible if it returns expired rows.
    pub(crate) fn needing_expired(mut self) -> Self {
        self.0.needs_expired = true;
        self
    }

    /// Whether the query is possible if it returns expired rows.
    pub(crate) fn needs_expired(&self) -> bool {
        self.0.needs_expired
    }

    /// The fault of an item of a shape that this program no longer reads.
    #[cold]
    pub(crate) fn older_shape(attribute: &str, found: u16, number: u16) -> Self {
        let mut fault = CodecError::new(format!(
            "the item has shape {found}, and this program reads shape {number} alone: declare `was(..)` again until a backfill has upgraded all items"
        ))
        .at(attribute);
        fault.0.is_older_shape = true;
        fault
    }

    pub(crate) fn is_older_shape(&self) -> bool {
        self.0.is_older_shape
    }

    pub(crate) fn is_newer_shape(&self) -> bool {
        self.0.is_newer_shape
    }

    /// The fault of an item whose stored primary key is not the one that its fields give.
    #[cold]
    pub(crate) fn key_differs() -> Self {
        CodecError::new(
            "the stored key is another one than the fields of its item give, so a write would make a second item: \
             declare the key as it is stored, or store the item again",
        )
        .of_identity(KeyIdentity::Differs)
    }

    /// The fault of an item of another program in which a part of the key contains the separator after it.
    #[cold]
    pub(crate) fn key_is_ambiguous(separator: &str) -> Self {
        CodecError::new(format!(
            "a part of the stored key contains the separator `{separator}` after it, so other parts would give the same \
             key: continue after the row with `lenient()`, read and write it as an untyped item, `Item::in_table(..)`, or \
             declare the parts up to this separator as one field"
        ))
        .of_identity(KeyIdentity::Differs)
    }

    /// The fault of an item whose key in an index has another format than its field would be written in.
    #[cold]
    pub(crate) fn key_of_index_differs() -> Self {
        CodecError::new(
            "the stored key of the index has the format of another program, so it is in another position than its \
             value, and a query for the value does not find it: declare the key as it is stored, or store the item \
             again",
        )
        .of_identity(KeyIdentity::Differs)
    }

    /// The fault of such an item whose key differs in the shard alone.
    #[cold]
    pub(crate) fn other_shard() -> Self {
        CodecError::new(
            "the stored key is in another shard than its parts: was the number of `shards` changed? That of a primary \
             key is fixed for the life of its table",
        )
        .of_identity(KeyIdentity::Differs)
    }

    /// Marks the fault as one of the stored key, unless it is marked already.
    pub(crate) fn of_identity(mut self, identity: KeyIdentity) -> Self {
        self.0.identity.get_or_insert(identity);
        self
    }

    /// Whether the stored key is one of the declaration, but not the one that its fields give.
    pub(crate) fn is_other_spelling(&self) -> bool {
        self.key_identity() == Some(KeyIdentity::Differs)
    }

    pub(crate) fn key_identity(&self) -> Option<KeyIdentity> {
        self.0.identity
    }

    /// The fault of a stored type that is not the field's.
    #[cold]
    pub fn mismatch(expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        CodecError::new(format!("expected {expected}, found {found}"))
    }

    /// Adds the attribute or field in which the fault is. A value that is by itself has no name.
    #[must_use]
    pub fn at(mut self, name: impl Into<String>) -> Self {
        let name = name.into();
        if !name.is_empty() {
            self.0.path.push(CodecStep::Name(name));
        }
        self
    }

    /// Adds the position in a list.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.0.path.push(CodecStep::Index(index));
        self
    }

    /// Says that the fault is in this key attribute.
    #[must_use]
    pub fn in_key(mut self, attribute: &'static str) -> Self {
        self.0.key = Some(attribute);
        self
    }

    pub(crate) fn reason_text(&self) -> &str {
        &self.0.reason
    }

    pub(crate) fn key_attribute(&self) -> Option<&'static str> {
        self.0.key
    }

    /// The path, such as `lines[3].qty`, or `None` at the top.
    pub(crate) fn dotted_path(&self) -> Option<String> {
        let mut text = String::new();
        for step in self.0.path.iter().rev() {
            match step {
                CodecStep::Name(name) if text.is_empty() => text.push_str(name),
                CodecStep::Name(name) => {
                    text.push('.');
                    text.push_str(name);
                }
                CodecStep::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// The beginning of its text.
    fn path_front(&self) -> String {
        self.dotted_path()
            .map_or_else(String::new, |path| format!("{path}: "))
    }
}

impl fmt::Debug for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodecError({self})")
    }
}
