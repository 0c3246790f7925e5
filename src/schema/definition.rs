//! The output of the derives: constants that the compiler checks.

use std::fmt;

use super::{ConstantDef, IdentifyBy, KeyType, LargeDef, StreamView};
use crate::json::{CodecError, Reader};
use crate::path::{Former, FormerUse, Place};

/// The format of key texts of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// Parts are escaped, with `#` between them: texts differ and sort like the parts.
    #[default]
    Escaped,
    /// The style of another library, with its delimiter.
    Verbatim(char),
}

impl Style {
    /// The character that ends a part.
    pub const fn delimiter(self) -> char {
        match self {
            Style::Escaped => '#',
            Style::Verbatim(delimiter) => delimiter,
        }
    }

    /// The end of a part of variable width that this literal follows in its template; an empty one if a part or a shard
    /// does. It is the delimiter, unless a verbatim key has another separator there.
    pub(crate) const fn separator(self, after: &str) -> Separator {
        let after = after.as_bytes();
        let delimiter = self.delimiter() as u8;
        if after.is_empty() || after[0] == delimiter || matches!(self, Style::Escaped) {
            return Separator {
                byte: delimiter,
                count: 1,
            };
        }
        let mut count = 1;
        while count < after.len() && after[count] == after[0] {
            count += 1;
        }
        Separator {
            byte: after[0],
            count,
        }
    }
}

/// The text that ends a part of variable width: one byte, several times if the template has it so, as in `{a}::{b}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Separator {
    pub(crate) byte: u8,
    pub(crate) count: usize,
}

impl Separator {
    /// The position of the first separator in a text.
    pub(crate) fn first_in(self, text: &str) -> Option<usize> {
        self.first_in_bytes(text.as_bytes())
    }

    fn first_in_bytes(self, text: &[u8]) -> Option<usize> {
        // No byte of a longer UTF-8 character equals an ASCII one. A separator that is not ASCII comes after a number only.
        let mut runs = text.windows(self.count);
        runs.position(|run| run.iter().all(|byte| *byte == self.byte))
    }

    /// Whether a part with this text would end before the separator after it: the text holds a separator, or its end is
    /// the beginning of one.
    pub(crate) fn would_end(self, text: &[u8]) -> bool {
        self.is_begun(text) || self.first_in_bytes(text).is_some()
    }

    /// Whether the end of a text is the beginning of a separator of several characters.
    pub(crate) fn is_begun(self, text: &[u8]) -> bool {
        self.count > 1 && text.last() == Some(&self.byte)
    }

    /// The reason why a part cannot hold the separator.
    pub(crate) fn reason(self) -> String {
        let one = char::from(self.byte);
        if self.count == 1 {
            return format!(
                "a text that contains the separator `{one}` would end early: verbatim keys allow it only in parts that do not end with it"
            );
        }
        format!(
            "a text that contains the separator `{self}`, or ends with `{one}`, would end early: verbatim keys allow it only in parts that do not end with it"
        )
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(char::from(self.byte)).repeat(self.count))
    }
}

/// The width of the text of a key part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Width {
    /// Up to the next delimiter.
    #[default]
    Variable,
    /// Always this many bytes.
    Fixed(usize),
    /// An unsigned integer of at most this many digits, padded to them in keys of our own style.
    Digits(usize),
    /// This many digits, after a minus sign if the number is negative.
    Signed(usize),
    /// A number that may have a fraction, of any width unless the template sets one.
    Decimal,
}

/// Whether a part of an index key may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Presence {
    /// The part is always present.
    #[default]
    Always,
    /// The part is text, and missing if that is empty.
    Text,
    /// The part is an `Option`.
    Optional,
    /// The part is an `Option` whose None sorts before all values.
    First,
    /// The part is an `Option` whose None sorts after all values.
    Last,
    /// The part is an `Option`, and the key ends before a None.
    Ends,
}

impl Presence {
    /// The text in a key before a value, and the text for a None, if it is kept: by it, the None sorts on its side of
    /// all values.
    pub(crate) const fn marks(self) -> Option<(&'static str, &'static str)> {
        match self {
            Presence::Always | Presence::Text | Presence::Optional | Presence::Ends => None,
            Presence::First => Some(("1", "0")),
            Presence::Last => Some(("0", "1")),
        }
    }
}

/// One piece of a key template.
#[derive(Debug, Clone, Copy)]
pub enum Piece {
    /// Text that is the same in every key.
    Literal(&'static str),
    /// A field.
    Part {
        /// The field's name.
        field: &'static str,
        /// How wide it is.
        width: Width,
        /// Whether it may be missing.
        presence: Presence,
        /// The format by which the part differs from the field, as a number: `{at:ms}` and `{at:ms:lower}` have one width.
        format: u8,
    },
    /// The delimiter and a number below this one; the last piece of a partition key.
    Shard(u16),
}

/// The literal text after a piece, which ends a part: empty if a part or a shard follows, None if nothing does.
pub(crate) fn text_after(pieces: &'static [Piece], at: usize) -> Option<&'static str> {
    pieces.get(at + 1).map(|next| match next {
        Piece::Literal(text) => *text,
        Piece::Part { .. } | Piece::Shard(_) => "",
    })
}

/// The source of a key attribute.
#[derive(Debug, Clone, Copy)]
pub enum KeySource {
    /// A field's own attribute.
    Field(&'static str),
    /// A text made of the pieces.
    Template(&'static [Piece]),
    /// The number of a field, stored again in an attribute of the key.
    Number {
        /// The field's name.
        field: &'static str,
        /// Whether it may be missing.
        presence: Presence,
    },
}

/// One attribute of a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyDef {
    /// Its name.
    pub attribute: &'static str,
    /// Its type.
    pub ty: KeyType,
    /// Its source.
    pub source: KeySource,
    /// The test whether a stored text is the one that its value would be written as. None if every value has one
    /// text, or none is read by it.
    pub is_as_written: Option<IsAsWritten>,
}

/// Whether the next stored value has the format in which it would be written.
pub type IsAsWritten = fn(&mut Reader<'_>) -> bool;

impl KeyDef {
    /// A key attribute.
    pub const fn new(attribute: &'static str, ty: KeyType, source: KeySource) -> Self {
        KeyDef {
            attribute,
            ty,
            source,
            is_as_written: None,
        }
    }
}

impl EntityDef {
    /// The key attributes of all of its indexes.
    pub(crate) fn index_keys(&self) -> impl Iterator<Item = &KeyDef> {
        self.indexes.iter().flat_map(EntityIndexDef::keys)
    }

    /// The attribute that stores its name in the items of a shared table.
    pub(crate) const fn type_attribute_in(&self, table: &TableDef) -> Option<&'static str> {
        match self.type_attribute {
            Some(own) => Some(own),
            None => table.type_attribute,
        }
    }

    /// The attributes that the library sets with each write.
    pub(crate) const fn managed(&self) -> [Option<&'static str>; 5] {
        [
            self.version,
            self.created_at,
            self.updated_at,
            self.created_by,
            self.updated_by,
        ]
    }

    /// Whether keys of indexes end in a shard.
    pub(crate) fn has_sharded_indexes(&self) -> bool {
        let mut keys = self.indexes.iter().flat_map(|index| index.pk);
        keys.any(|key| key.shards().is_some())
    }
}

impl KeyDef {
    /// Whether the library makes the attribute from fields, which have attributes of their own.
    pub(crate) const fn is_derived(&self) -> bool {
        !matches!(self.source, KeySource::Field(_))
    }

    /// The fields that it is made of.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static str> + use<> {
        let (field, pieces) = match self.source {
            KeySource::Field(field) | KeySource::Number { field, .. } => (Some(field), &[][..]),
            KeySource::Template(pieces) => (None, pieces),
        };
        field
            .into_iter()
            .chain(pieces.iter().filter_map(|piece| match piece {
                Piece::Part { field, .. } => Some(*field),
                Piece::Literal(_) | Piece::Shard(_) => None,
            }))
    }

    /// The number of shards of the partition key, if it has any.
    pub const fn shards(&self) -> Option<u16> {
        let KeySource::Template(pieces) = self.source else {
            return None;
        };
        match pieces.last() {
            Some(Piece::Shard(shards)) => Some(*shards),
            _ => None,
        }
    }
}

/// A field and the name it is stored under.
#[derive(Debug, Clone, Copy)]
pub struct AttributeDef {
    /// The field.
    pub field: &'static str,
    /// The attribute.
    pub stored: &'static str,
    /// The name under which older programs store it.
    pub former: Option<Former>,
}

impl AttributeDef {
    /// Its place in an item, with its former name.
    pub(crate) fn place(&self) -> Place {
        match self.former {
            None => Place::of(self.stored),
            Some(former) => Place::of(self.stored).formerly(former.name, former.usage),
        }
    }

    /// Its former name.
    pub(crate) fn former_name(&self) -> Option<&'static str> {
        self.former.map(|former| former.name)
    }

    /// The names under which an item may store it.
    pub(crate) fn names<'n>(&self) -> impl Iterator<Item = &'n str> + use<'n> {
        let (former, stored): (Option<&'n str>, &'n str) = (self.former_name(), self.stored);
        former.into_iter().chain([stored])
    }

    /// The names under which it is read, the one that is preferred at the front.
    pub(crate) fn read_names<'n>(&self) -> impl Iterator<Item = &'n str> + use<'n> {
        let is_alone = self
            .former
            .is_some_and(|former| former.usage == FormerUse::Alone);
        self.names().take(if is_alone { 1 } else { 2 })
    }
}

/// An entity, as declared.
#[derive(Debug, Clone, Copy)]
pub struct EntityDef {
    /// Module path and name, which identify the entity.
    pub id: &'static str,
    /// The struct's name, for messages.
    pub type_name: &'static str,
    /// The value of the type attribute.
    pub stored_name: &'static str,
    /// The attribute that stores it, if not the one of the table.
    pub type_attribute: Option<&'static str>,
    /// The attributes that have the same value in all of its items.
    pub constants: &'static [ConstantDef],
    /// The partition key.
    pub pk: KeyDef,
    /// The sort key.
    pub sk: Option<KeyDef>,
    /// Whether its items are never changed.
    pub append_only: bool,
    /// Fields with attributes of their own.
    pub attributes: &'static [AttributeDef],
    /// Access patterns by indexes.
    pub indexes: &'static [EntityIndexDef],
    /// Values that no two items share.
    pub uniques: &'static [UniqueDef],
    /// The lists and blobs that are stored beside its items.
    pub large: &'static [LargeDef],
    /// The TTL attribute: the expiry time of the item, in epoch seconds.
    pub ttl: Option<&'static str>,
    /// The source of the expiry time, if it is derived.
    pub expiry: Option<ExpiryDef>,
    /// The attribute of the version.
    pub version: Option<&'static str>,
    /// The attribute of the creation time.
    pub created_at: Option<&'static str>,
    /// The attribute of the time of the last write.
    pub updated_at: Option<&'static str>,
    /// The attribute of the actor who created the item.
    pub created_by: Option<&'static str>,
    /// The attribute of the actor who wrote it last.
    pub updated_by: Option<&'static str>,
    /// Returns the reason why the key of an item is not one of this entity, if it is not.
    pub key_fault: fn(&[u8]) -> Option<CodecError>,
    /// Encodes an item as it would be written again; `None` if the item cannot be read.
    pub reread: fn(&[u8]) -> Option<Vec<u8>>,
    /// The shape of its items, if it is declared.
    pub shape: Option<ShapeDef>,
    /// The declaration of its items under another primary key, while they move.
    pub second_key: Option<SecondKeyDef>,
    /// Returns the keys of the items that store the unique values of an item.
    pub sentinels: SentinelsOf,
}

/// `next_key(next::Order)`, `was_key(before::Order)` or `was_key(before::Order, drop)`
#[derive(Debug, Clone, Copy)]
pub struct SecondKeyDef {
    /// The rows of an item that are written, one or both.
    pub usage: SecondKeyUse,
    /// The declaration of the other row.
    pub other: &'static EntityDef,
}

/// How items are stored under two primary keys. Every read reads the row of the entity that has the word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SecondKeyUse {
    /// `next_key(..)`: writes store both rows, and older programs know only this one.
    #[default]
    Next,
    /// `was_key(..)`: writes store both rows, and programs of the step before read the other one.
    Was,
    /// `was_key(.., drop)`: writes store this row, and deletes delete both.
    Dropped,
}

impl EntityDef {
    /// Whether a write of an item also writes its row under another key.
    pub(crate) const fn writes_second_row(&self, is_delete: bool) -> bool {
        match self.second_key {
            None => false,
            Some(second) => is_delete || !matches!(second.usage, SecondKeyUse::Dropped),
        }
    }
}

/// `ttl = created_at + "90d"`: a derived expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpiryDef {
    /// The field that it is derived from.
    pub source: &'static str,
    /// The lifetime in seconds.
    pub seconds: u64,
}

/// From an item, an object of DynamoDB JSON, to the items of its unique values.
pub type SentinelsOf = fn(&[u8]) -> Result<Vec<SentinelKey>, CodecError>;

/// The item that stores a unique value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentinelKey {
    /// The declaration of the value.
    pub unique: &'static UniqueDef,
    /// Its key, an object of DynamoDB JSON.
    pub json: Vec<u8>,
}

/// `unique(by_email, email)`: fields whose values no two items share.
#[derive(Debug, Clone, Copy)]
pub struct UniqueDef {
    /// The name of the look-up.
    pub name: &'static str,
    /// The name in the keys of the items that store the values.
    pub stored: &'static str,
    /// The fields.
    pub fields: &'static [&'static str],
    /// The text that the keys of the items that store the values begin with.
    pub front: &'static str,
    /// Whether it is declared with `filling`: old items may not have taken their values, so no program looks them up
    /// yet.
    pub filling: bool,
    /// The row of another program that stores a value. None if it is an item of this library.
    pub row: Option<UniqueRowDef>,
}

/// `unique(by_email, pk = "..", sk = "..", constant(..))`: the rows in which another program stores unique values. They do not
/// name their items.
#[derive(Debug, Clone, Copy)]
pub struct UniqueRowDef {
    /// The partition key.
    pub pk: KeyDef,
    /// The sort key.
    pub sk: Option<KeyDef>,
    /// The other attributes.
    pub constants: &'static [ConstantDef],
}

/// The name in the keys tells the templates of rows too.
impl PartialEq for UniqueDef {
    fn eq(&self, other: &Self) -> bool {
        (
            self.name,
            self.stored,
            self.fields,
            self.front,
            self.filling,
        ) == (
            other.name,
            other.stored,
            other.fields,
            other.front,
            other.filling,
        )
    }
}

impl Eq for UniqueDef {}

/// The kind of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IndexKind {
    /// Global: with partitions of its own, eventually consistent.
    #[default]
    Global,
    /// Local: within the partition, created with the table.
    Local,
}

/// The use of an index by an entity.
#[derive(Debug, Clone, Copy)]
pub struct EntityIndexDef {
    /// The name of the access pattern.
    pub name: &'static str,
    /// The index's name in the table.
    pub index: &'static str,
    /// Global or local.
    pub kind: IndexKind,
    /// Partition key; empty for a local index.
    pub pk: &'static [KeyDef],
    /// Sort key.
    pub sk: &'static [KeyDef],
    /// The number of shards that reads query; at least as many as the partition key has.
    pub read_shards: Option<u16>,
    /// The condition under which the item is in the index.
    pub when: Option<WhenDef>,
    /// Whether it is declared with `filling`: old items may lack its keys, so no program queries it yet.
    pub filling: bool,
}

impl EntityIndexDef {
    /// The key attributes: those of the partition key, and then those of the sort key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyDef> {
        self.pk.iter().chain(self.sk)
    }
}

/// `when(field = value)` or `when(function(field))`
#[derive(Debug, Clone, Copy)]
pub struct WhenDef {
    /// The fields that the condition reads.
    pub fields: &'static [&'static str],
    /// The condition, as it is written in the source.
    pub condition: &'static str,
    /// The values of the field for which it holds, each as it is written; none if a function decides.
    pub values: &'static [&'static str],
}

/// An index, as declared by a table or by an entity with a table of its own.
#[derive(Debug, Clone, Copy)]
pub struct IndexDef {
    /// Its name.
    pub name: &'static str,
    /// Global or local.
    pub kind: IndexKind,
    /// Partition key attributes; empty for a local index.
    pub pk: &'static [&'static str],
    /// Sort key attributes.
    pub sk: &'static [&'static str],
    /// The attributes in it.
    pub project: Projection,
}

/// The attributes in an index. Key, type and TTL attributes are always included.
#[derive(Debug, Clone, Copy)]
pub enum Projection {
    /// All.
    All,
    /// No others.
    Keys,
    /// These.
    Include(&'static [&'static str]),
}

/// A table, as declared.
#[derive(Debug, Clone, Copy)]
pub struct TableDef {
    /// Module path and name, which identify the table.
    pub id: &'static str,
    /// Its name, without the prefix of the connection.
    pub name: &'static str,
    /// The partition key attribute.
    pub pk: &'static str,
    /// The sort key attribute.
    pub sk: Option<&'static str>,
    /// The attribute with the entity's name; shared tables have one.
    pub type_attribute: Option<&'static str>,
    /// The option `identify_by`. Without it, rows are identified by their type, and by their key only if they have no type.
    pub identify_by: Option<IdentifyBy>,
    /// The field with which every partition key begins.
    pub tenant: Option<&'static str>,
    /// The format of key texts.
    pub style: Style,
    /// Its indexes.
    pub indexes: &'static [IndexDef],
    /// Its stream.
    pub stream: Option<StreamView>,
}

impl TableDef {
    /// The attributes of the primary key.
    pub(crate) fn key_names(&self) -> impl Iterator<Item = &'static str> {
        [self.pk].into_iter().chain(self.sk)
    }
}

/// `shape = 2, was(OrderV1)`
#[derive(Debug, Clone, Copy)]
pub struct ShapeDef {
    /// The number. Items of shape 1 are stored without a number.
    pub number: u16,
    /// The number that is written: this one, or the one before.
    pub writes: u16,
    /// The declaration of the shape before, if items of it are read.
    pub older: Option<&'static EntityDef>,
}
