//! The meaning of a declaration, after its attributes are read and checked.
//!
//! `parse` fills these types from tokens, `check` compares their parts, `expand` turns them into
//! code. Nothing here emits and nothing here reads tokens.

pub(crate) mod hint;

use proc_macro2::Span;
use syn::{Expr, Ident, LitStr, Path, Type, Visibility};

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
    pub(crate) table: TableRef,
    pub(crate) pk: KeySource,
    pub(crate) sk: Option<KeySource>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) uniques: Vec<Unique>,
    pub(crate) fields: Vec<Field>,
    /// The trait that services depend on.
    pub(crate) repository: Option<Ident>,
    /// Whether its items are never replaced, changed or deleted.
    pub(crate) append_only: bool,
    /// The lints that `allow(..)` of the whole entity names.
    pub(crate) allows: Vec<String>,
}

impl Entity {
    /// Finds the field of a role that at most one field has.
    pub(crate) fn field_of(&self, role: Role) -> Option<&Field> {
        self.fields.iter().find(|field| field.role == role)
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
    /// The partition key of the item that holds the value; its parts are in the order of their attributes.
    pub(crate) template: Template,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// The place of an entity in storage.
pub(crate) enum TableRef {
    /// `table = Shop`: a type with `#[derive(DynamoTable)]`.
    Shared(Path),
    /// `table = "orders"`: the entity has a table of its own.
    Own(OwnTable),
}

pub(crate) struct OwnTable {
    pub(crate) name: String,
    pub(crate) stream: Option<StreamView>,
    pub(crate) style: Style,
}

/// How key texts are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The library's own style: parts are escaped, with `#` between them.
    Escaped,
    /// The style of another library: text as it is, with this delimiter between parts.
    Verbatim { delimiter: char },
}

impl Style {
    /// The character that ends a part.
    pub(crate) fn delimiter(self) -> char {
        match self {
            Style::Escaped => '#',
            Style::Verbatim { delimiter } => delimiter,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum StreamView {
    KeysOnly,
    NewImage,
    OldImage,
    NewAndOldImages,
}

/// The source of one key attribute.
pub(crate) enum KeySource {
    /// A bare field: the field's own attribute is the key attribute. An index into `Entity::fields`.
    Field { field: usize, span: Span },
    /// A string: a derived attribute holds the text of the template.
    Template(Template),
}

impl KeySource {
    /// How many shards the key is spread over, if it is.
    pub(crate) fn shards(&self) -> Option<u16> {
        match self {
            KeySource::Template(template) => template.shards,
            KeySource::Field { .. } => None,
        }
    }
}

pub(crate) struct Template {
    pub(crate) span: Span,
    pub(crate) pieces: Vec<Piece>,
    /// `shards = n`: the delimiter and a shard below n end the text.
    pub(crate) shards: Option<u16>,
}

pub(crate) enum Piece {
    Literal(String),
    Part { field: usize, format: Format },
}

/// How a part of a template is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) text: TextFormat,
    /// The position of a None in the order, if it has one.
    pub(crate) none: Option<NoneSide>,
}

/// The side of all values on which a None sorts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoneSide {
    /// `{field:first}`
    First,
    /// `{field:last}`
    Last,
}

/// The text of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// `{field}`
    Plain,
    /// `{field:08}`
    Pad(u8),
    /// `{field:s}`
    Seconds,
    /// `{field:ms}`
    Millis,
    /// `{field:epoch}`
    Epoch,
    /// `{field:epoch_ms}`
    EpochMillis,
    /// `{field:date}`
    Date,
    /// `{field:month}`
    Month,
    /// `{field:lower}`
    Lower,
    /// `{field:upper}`
    Upper,
}

impl Format {
    /// `{field}`
    pub(crate) const PLAIN: Format = Format {
        text: TextFormat::Plain,
        none: None,
    };

    /// The same place with the whole value.
    pub(crate) fn plain(self) -> Format {
        let text = TextFormat::Plain;
        Format { text, ..self }
    }

    /// The same text without a place for a None.
    pub(crate) fn unplaced(self) -> Format {
        Format { none: None, ..self }
    }

    /// Whether the key text holds less than the field.
    pub(crate) fn is_lossy(self) -> bool {
        matches!(
            self.text,
            TextFormat::Seconds
                | TextFormat::Millis
                | TextFormat::Epoch
                | TextFormat::EpochMillis
                | TextFormat::Date
                | TextFormat::Month
                | TextFormat::Lower
                | TextFormat::Upper
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexKind {
    Global,
    Local,
}

/// `gsi(..)` or `lsi(..)` of an entity: one access pattern.
pub(crate) struct Index {
    pub(crate) kind: IndexKind,
    /// The name of the access pattern, which becomes a method.
    pub(crate) name: Ident,
    /// The index that it fills: `on`, by default `name`. On a shared table this is a declared index.
    pub(crate) on: Ident,
    /// The stored name of an index that the entity declares itself (own table): `rename`, otherwise `on`.
    pub(crate) stored: String,
    /// Empty for a local index. More than one only for multi-attribute keys of bare fields.
    pub(crate) pk: Vec<KeySource>,
    /// May be empty. More than one only for multi-attribute keys of bare fields.
    pub(crate) sk: Vec<KeySource>,
    /// How many shards reads visit, if there are any.
    pub(crate) read_shards: Option<u16>,
    pub(crate) when: Option<When>,
    /// For own tables only: a shared table declares it, and then this is always `All`.
    pub(crate) project: EntityProjection,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

/// The condition under which an item is in an index.
pub(crate) struct When {
    /// Indexes into `Entity::fields`, with the words that name them.
    pub(crate) fields: Vec<(usize, Ident)>,
    pub(crate) test: WhenTest,
    /// The condition as it is written.
    pub(crate) text: String,
}

pub(crate) enum WhenTest {
    /// The one field holds one of these values.
    OneOf(Vec<WhenValue>),
    /// This function says so of the fields.
    Function(Path),
}

pub(crate) enum WhenValue {
    /// `None`
    Absent(Span),
    Equal(Expr),
}

impl When {
    /// Whether the condition reads this field.
    pub(crate) fn reads(&self, field: usize) -> bool {
        self.fields.iter().any(|(read, _)| *read == field)
    }
}

pub(crate) enum EntityProjection {
    All,
    Keys,
    /// Indexes into `Entity::fields`.
    Fields(Vec<usize>),
}

/// A named field of an entity, of a value struct or of a struct variant.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    /// The attribute's name: `rename`, otherwise by `rename_all`, otherwise the field's name without `r#`.
    pub(crate) stored: String,
    pub(crate) role: Role,
    pub(crate) form: Form,
    /// The doc comment.
    pub(crate) doc: String,
    /// `default`: what a missing or NULL attribute means.
    pub(crate) default: Option<DefaultValue>,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Attribute,
    /// The field has no attribute of its own: it is parsed from the key that it is part of, otherwise it is `Default`.
    Skip,
    /// Collects unknown attributes.
    Rest,
    Version,
    Ttl,
    CreatedAt,
    UpdatedAt,
    CreatedBy,
    UpdatedBy,
}

/// How the value is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The type's own `DynamoValue` stores it.
    Own,
    /// Through serde.
    Serde,
    /// `format = ".."`: a foreign stored time form.
    Epoch,
    EpochMillis,
    Rfc3339,
    Rfc3339Millis,
}

pub(crate) enum DefaultValue {
    /// `default`
    Trait,
    /// `default = ".."`
    Text(LitStr),
    /// `default = expr`
    Expr(Expr),
}

/// `#[derive(DynamoTable)]`.
pub(crate) struct Table {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) pk: String,
    pub(crate) sk: Option<String>,
    pub(crate) type_attribute: String,
    pub(crate) stream: Option<StreamView>,
    pub(crate) style: Style,
    pub(crate) entities: Vec<Path>,
    pub(crate) indexes: Vec<TableIndex>,
    /// The lints that `allow(..)` of the whole table names.
    pub(crate) allows: Vec<String>,
}

/// `gsi(..)` or `lsi(..)` of a table: an index and its attributes.
pub(crate) struct TableIndex {
    pub(crate) kind: IndexKind,
    pub(crate) ident: Ident,
    /// `rename`, otherwise the identifier.
    pub(crate) stored: String,
    /// Empty for a local index.
    pub(crate) pk: Vec<String>,
    pub(crate) sk: Vec<String>,
    pub(crate) project: TableProjection,
    /// The lints that its `allow(..)` names.
    pub(crate) allows: Vec<String>,
}

pub(crate) enum TableProjection {
    All,
    Keys,
    Attributes(Vec<String>),
}

/// `#[derive(DynamoCollection)]`.
pub(crate) struct Collection {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) table: Path,
    /// `index = gsi1`: an index that the table declares.
    pub(crate) index: Option<Ident>,
    /// `None`: the whole table.
    pub(crate) partition: Option<Partition>,
    pub(crate) variants: Vec<CollectionVariant>,
}

/// `partition(tenant, user_id)`
pub(crate) struct Partition {
    pub(crate) span: Span,
    /// The parts of the partition key, in its order.
    pub(crate) parts: Vec<Ident>,
}

/// A variant that holds one value.
pub(crate) struct CollectionVariant {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The position of `other`, if this variant accepts rows that fit no entity.
    pub(crate) other: Option<Span>,
}

/// `#[derive(DynamoProjection)]`.
pub(crate) struct Projection {
    pub(crate) krate: Path,
    pub(crate) ident: Ident,
    pub(crate) entity: Path,
    pub(crate) fields: Vec<Projected>,
}

/// A field of the entity, under the same name.
pub(crate) struct Projected {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
}

/// `#[derive(DynamoValue)]`.
pub(crate) struct Value {
    pub(crate) krate: Path,
    /// The doc comment.
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// Type parameters only; lifetimes are rejected.
    pub(crate) generics: syn::Generics,
    pub(crate) shape: ValueShape,
}

pub(crate) enum ValueShape {
    /// Named fields: a map. Fields have the roles `Attribute`, `Skip` or `Rest` only.
    Struct(Vec<Field>),
    /// One unnamed field: stored as that.
    Newtype(Type),
    /// No variant has data: stored as its name.
    UnitEnum(Vec<UnitVariant>),
    /// No variant has data, and each says its place in the order: stored as that number.
    OrderedEnum(Vec<OrderedVariant>),
    /// Some variant has data: a map with a tag.
    DataEnum {
        tag: String,
        variants: Vec<DataVariant>,
    },
}

pub(crate) struct UnitVariant {
    pub(crate) ident: Ident,
    pub(crate) stored: String,
}

pub(crate) struct OrderedVariant {
    pub(crate) ident: Ident,
    /// The discriminant, which is what is stored.
    pub(crate) rank: u16,
}

pub(crate) struct DataVariant {
    pub(crate) ident: Ident,
    pub(crate) stored: String,
    pub(crate) shape: VariantShape,
}

pub(crate) enum VariantShape {
    Unit,
    /// Stored beside the tag under the name `value`: one field as itself, several as a list.
    Tuple(Vec<Type>),
    /// Stored beside the tag under their names.
    Struct(Vec<Field>),
}
