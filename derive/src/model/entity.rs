//! An entity, its unique values, and its place in storage.

use proc_macro2::Span;
use syn::{Ident, LitStr, Path, Visibility};

use super::field::{Field, FieldRole};
use super::index::Index;
use super::key::{Format, KeySource, Piece, Style, Template};
use super::large::LargeValue;
use super::table::StreamView;
use super::vector::VectorIndex;

/// `#[derive(DynamoEntity)]`.
pub(crate) struct Entity {
    /// The path of the library: `::dynamo_entity`, or `#[dynamo(crate = path)]`.
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// The value of the type attribute: `rename`, otherwise the struct's name.
    pub(crate) name: String,
    /// The attribute that stores it, if not the one of the table.
    pub(crate) type_attribute: Option<LitStr>,
    pub(crate) table: TableRef,
    pub(crate) pk: KeySource,
    pub(crate) sk: Option<KeySource>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) uniques: Vec<Unique>,
    pub(crate) vectors: Vec<VectorIndex>,
    /// The lists and blobs that are stored beside its items.
    pub(crate) large: Vec<LargeValue>,
    pub(crate) fields: Vec<Field>,
    /// The trait that services depend on.
    pub(crate) repository: Option<Ident>,
    /// The attributes that distinguish its rows from others of the same type.
    pub(crate) constants: Vec<Constant>,
    /// Whether its items are never replaced, changed or deleted.
    pub(crate) append_only: bool,
    /// The shape of its items, if it is declared.
    pub(crate) shape: Option<ItemShape>,
    /// The declaration of its items under another primary key, while they move there.
    pub(crate) second_key: Option<SecondKey>,
    /// The lints that `allow(..)` of the whole entity names.
    pub(crate) allows: Vec<String>,
}

impl Entity {
    /// Finds the field of a role that at most one field has.
    pub(crate) fn field_of(&self, role: FieldRole) -> Option<&Field> {
        self.fields.iter().find(|field| field.role == role)
    }

    /// The table that it has alone, if it does not share one.
    pub(crate) fn own_table(&self) -> Option<&OwnTable> {
        match &self.table {
            TableRef::Own(table) => Some(table),
            TableRef::Shared(_) => None,
        }
    }

    /// The sources of its primary key.
    pub(crate) fn primary(&self) -> impl Iterator<Item = &KeySource> {
        std::iter::once(&self.pk).chain(&self.sk)
    }

    /// The sources of its primary key, and then those of its indexes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeySource> {
        self.primary()
            .chain(self.indexes.iter().flat_map(Index::keys))
    }
}

/// One attribute of `constant("__edb_v__" = "1")`: it has this value in all items of the entity.
pub(crate) struct Constant {
    pub(crate) attribute: LitStr,
    pub(crate) value: ConstantValue,
}

/// The value of a constant attribute.
pub(crate) enum ConstantValue {
    Text(String),
    Number(i64),
}

/// `next_key(next::Order)`, `was_key(before::Order)` or `was_key(before::Order, drop)`: another declaration of the same
/// items, under another primary key.
pub(crate) struct SecondKey {
    pub(crate) usage: SecondKeyUse,
    /// The word, for messages.
    pub(crate) word: Ident,
    pub(crate) entity: Path,
}

/// How items are stored under two primary keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecondKeyUse {
    /// Both are written, and the other one is the next one to be read.
    Next,
    /// Both are written, and the other one was read before.
    Was,
    /// Only this one is written.
    Dropped,
}

/// `shape = 2, was(OrderV1)`: the form in which items are stored, and the one before.
pub(crate) struct ItemShape {
    pub(crate) number: u16,
    /// The number that is written: this one, or the one before.
    pub(crate) writes: u16,
    /// The declaration of the shape before.
    pub(crate) was: Option<Path>,
}

impl ItemShape {
    /// The declaration of the shape before, if that is the one that is written.
    pub(crate) fn written_as(&self) -> Option<&Path> {
        self.was.as_ref().filter(|_| self.writes < self.number)
    }
}

/// `unique(by_email, email)`: no two items have the same values of these fields.
pub(crate) struct Unique {
    /// The name of the look-up, a method.
    pub(crate) name: Ident,
    /// Indexes into `Entity::fields`, and where they were named.
    pub(crate) fields: Vec<(usize, Span)>,
    /// `rename`, otherwise the stored names of the fields: the keys of its sentinels hold this instead of a Rust name.
    pub(crate) stored: String,
    pub(crate) stored_at: Span,
    /// The item that stores a value.
    pub(crate) kept: UniqueKept,
    /// Whether old items may not have taken their values yet, so that programs must not look them up.
    pub(crate) filling: bool,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// The item that stores a unique value.
pub(crate) enum UniqueKept {
    /// A sentinel of this library. The template is its partition key; its parts are in the order of their attributes.
    Sentinel(Template),
    /// A row of another program.
    Row(UniqueRow),
}

/// `unique(by_email, pk = "..", sk = "..", constant(..))`: the row in which another program stores a unique value.
pub(crate) struct UniqueRow {
    /// Templates, in each of which a field is named once.
    pub(crate) pk: KeySource,
    pub(crate) sk: Option<KeySource>,
    pub(crate) constants: Vec<Constant>,
}

impl UniqueRow {
    /// The sources of its key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeySource> {
        std::iter::once(&self.pk).chain(&self.sk)
    }
}

impl Unique {
    /// The text that all keys of its sentinels begin with.
    pub(crate) fn front(&self) -> &str {
        match &self.kept {
            UniqueKept::Sentinel(template) => match template.pieces.first() {
                Some(Piece::Literal(front)) => front,
                _ => "",
            },
            UniqueKept::Row(_) => "",
        }
    }

    /// The row of another program, if it is one.
    pub(crate) fn row(&self) -> Option<&UniqueRow> {
        match &self.kept {
            UniqueKept::Sentinel(_) => None,
            UniqueKept::Row(row) => Some(row),
        }
    }

    /// The format of a field in the key.
    pub(crate) fn format_of(&self, field: usize) -> Format {
        let templates = self.row().into_iter().flat_map(UniqueRow::keys);
        let mut parts = templates
            .filter_map(KeySource::template)
            .flat_map(Template::parts);
        let found = parts.find(|(at, _)| *at == field);
        found.map_or(Format::PLAIN, |(_, format)| format)
    }
}

/// The place of an entity in storage.
pub(crate) enum TableRef {
    /// `table = Shop`: a type with `#[derive(DynamoTable)]`.
    Shared(Path),
    /// `table = "orders"`: the entity has a table of its own.
    Own(OwnTable),
}

pub(crate) struct OwnTable {
    pub(crate) name: LitStr,
    pub(crate) tenant: Option<Ident>,
    pub(crate) stream: Option<StreamView>,
    pub(crate) style: Style,
}
