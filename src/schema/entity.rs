//! The declarations, as plain data: entities with their fields, keys, access patterns and unique values.

use std::fmt;

use super::json_form::json_record;
use super::{
    EntityDef, EntityIndexDef, EntityModel, FieldRole, IndexKind, KeyType, LargeSchema, Origin,
    Pad, Pattern, Presence, SecondKeyUse, TableDef, VectorSearchSchema, Width,
};
use crate::json::Tag;
use crate::path::FormerUse;

json_record! {
    /// An entity of a table, as it was declared.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct EntitySchema {
        /// The name of the struct.
        pub name: String => must,
        /// The value of the type attribute, if the table has one.
        pub stored_name: String => must,
        /// The attribute that stores it, if not the one of the table.
        pub type_attribute: Option<String> => may,
        /// The attributes that have the same value in all of its items.
        pub constants: Vec<ConstantSchema> => may,
        /// The doc comment.
        pub doc: String => may,
        /// Whether its items are never replaced, changed or deleted.
        pub append_only: bool => may,
        /// The shape of its items, if it is declared.
        pub shape: Option<ShapeSchema> => may,
        /// The declaration of its items under another primary key, while they move.
        pub second_key: Option<SecondKeySchema> => may,
        /// Its fields, in their order.
        pub fields: Vec<FieldSchema> => may,
        /// The partition key.
        pub pk: KeySchema => must,
        /// The sort key.
        pub sk: Option<KeySchema> => may,
        /// Its access patterns by indexes.
        pub patterns: Vec<PatternSchema> => may,
        /// The values that no two items share.
        pub uniques: Vec<UniqueSchema> => may,
        /// The lists and blobs that are stored beside its items.
        pub large: Vec<LargeSchema> => may,
        /// The searches of vector indexes.
        pub searches: Vec<VectorSearchSchema> => may,
        /// The allowed lints for it, or for a part of it.
        pub allows: Vec<AllowSchema> => may,
        /// The declared types that it stores. Only the stored form has them here, because each entity is reviewed by
        /// itself. Otherwise they are [values](super::TableSchema::values) of the table.
        pub(crate) values: Vec<ValueSchema>,
        /// The constants of the declaration; None if the schema was read from JSON.
        pub(crate) origin: Origin<DeclaredEntity>,
    }
}

/// The constants of an entity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeclaredEntity {
    pub(crate) table: &'static TableDef,
    /// All entities of the table.
    pub(crate) entities: &'static [&'static EntityDef],
    pub(crate) entity: &'static EntityDef,
    pub(crate) model: &'static EntityModel,
}

json_record! {
    /// A field.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct FieldSchema {
        /// Its name.
        pub name: String => must,
        /// The attribute that it is stored in; None if it has none of its own.
        pub attribute: Option<String> => may,
        /// Its type, as it is written.
        pub rust_type: String => must,
        /// Its stored type, such as `Vec<Line>`: an alias is resolved, an `Option` is the type inside, types with the
        /// same stored form have one name, and those with `#[derive(DynamoValue)]` are among the
        /// [values](super::TableSchema::values) of the table. None if only serde knows it.
        pub value_type: Option<String> => may,
        /// The type of DynamoDB that it is stored as; None if that differs from value to value, or is not known.
        pub stored: Option<Tag> => may,
        /// Its role in the library.
        pub role: FieldRole => must,
        /// Whether an item without the attribute cannot be read.
        pub is_required: bool => may("required"),
        /// `serde`, `null`, `serde_null` for both, or the name of its `format`.
        pub form: Option<String> => may,
        /// The meaning of a missing attribute, as it is written.
        pub default: Option<String> => may,
        /// The name under which older programs store it, while it is being renamed.
        pub former: Option<String> => may("was"),
        /// The role of the former name.
        pub former_use: FormerUse => may("was_use"),
        /// Whether it contains personal data, so that [masked copies](crate::transfer::RowCopy::masked) replace it.
        pub is_personal: bool => may("personal"),
        /// The source of the expiry, if it is derived.
        pub expiry: Option<ExpirySchema> => may,
        /// The doc comment.
        pub doc: String => may,
    }

    /// `ttl = created_at + "90d"`: the source of a derived expiry.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct ExpirySchema {
        /// The field that it is derived from.
        pub source: String => must,
        /// The lifetime in seconds.
        pub seconds: u64 => must,
    }
}

impl ExpirySchema {
    /// The lifetime in the largest units, for example `90d` or `1d12h`.
    pub fn lifetime(&self) -> String {
        let mut rest = self.seconds;
        let mut text = String::new();
        for (unit, each) in LIFETIME_UNITS {
            if let count @ 1.. = rest / each {
                text.push_str(&format!("{count}{unit}"));
                rest %= each;
            }
        }
        text
    }

    /// The seconds of a lifetime that [`lifetime`](Self::lifetime) wrote.
    pub(crate) fn seconds_of(lifetime: &str) -> Option<u64> {
        let mut seconds = 0_u64;
        for part in lifetime.split_inclusive(|char: char| !char.is_ascii_digit()) {
            let unit = part.chars().next_back()?;
            let (_, each) = LIFETIME_UNITS.iter().find(|(name, _)| *name == unit)?;
            let count: u64 = part.trim_end_matches(unit).parse().ok()?;
            seconds = seconds.checked_add(count.checked_mul(*each)?)?;
        }
        let expiry = ExpirySchema {
            source: String::new(),
            seconds,
        };
        // Only the one way to write it is accepted, so that two texts of the same lifetime never
        // look like a change.
        (expiry.lifetime() == lifetime).then_some(seconds)
    }
}

/// The units of a lifetime, in seconds.
const LIFETIME_UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

json_record! {
    /// The shape of the items of an entity.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct ShapeSchema {
        /// The number.
        pub number: u16 => must,
        /// The number that is written: this one, or the one before.
        pub writes: u16 => must,
        /// The struct that declares the shape before, if items of it are read.
        pub was: Option<String> => may,
    }
}

json_record! {
    /// The declaration of the same items under another primary key.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct SecondKeySchema {
        /// The value of its type attribute.
        pub other: String => must,
        /// The rows of an item that are written, one or both.
        pub usage: SecondKeyUse => must,
    }
}

/// A key attribute, and what fills it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeySchema {
    /// Its name.
    pub attribute: String,
    /// Its type.
    pub ty: KeyType,
    /// Its source.
    pub content: KeyContent,
}

/// The source of a key attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyContent {
    /// The field of this name, whose own attribute it is.
    Field(String),
    /// A text made of these pieces.
    Template(Vec<PieceSchema>),
    /// `number(field)`: the number of the field of this name, which is also stored in its own attribute.
    Number(String),
}

impl Default for KeyContent {
    fn default() -> Self {
        KeyContent::Template(Vec::new())
    }
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieceSchema {
    /// Text that is the same in every key.
    Text(String),
    /// A field.
    Part(PartSchema),
    /// The delimiter and a number below this one.
    Shard(u16),
}

json_record! {
    /// An attribute that has the same value in all items of an entity.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct ConstantSchema {
        /// Its name.
        pub attribute: String => must,
        /// Its type: text or number.
        pub ty: KeyType => must("type"),
        /// The text or the number.
        pub value: String => must,
    }

    /// A field in a template.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct PartSchema {
        /// Its name.
        pub field: String => must,
        /// The text after the colon in the template, such as `08` or `date:last`.
        pub format: Option<String> => may,
        /// The width of its text.
        pub width: Width => must,
        /// Whether it may be missing.
        pub presence: Presence => must,
    }

    /// An access pattern: how an entity fills an index.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct PatternSchema {
        /// Its name.
        pub name: String => must,
        /// The index.
        pub index: String => must,
        /// The kind of the index.
        pub kind: IndexKind => must,
        /// The partition key; empty for a local index, which has that of the table.
        pub pk: Vec<KeySchema> => may,
        /// The sort key.
        pub sk: Vec<KeySchema> => may,
        /// The number of shards that reads query, if it has any.
        pub read_shards: Option<u16> => may,
        /// The condition under which an item is in the index, as it is written.
        pub when: Option<String> => may,
        /// The fields that the condition reads.
        pub when_fields: Vec<String> => may,
        /// The values of the field for which the condition holds, each as it is written; none if a function decides.
        pub when_values: Vec<String> => may,
        /// Whether rows of the index are whole items; otherwise they are keys.
        pub has_whole_rows: bool => may("whole_rows"),
        /// Whether it is declared with `filling`: old items may lack its keys, so no program queries it yet.
        pub is_filling: bool => may("filling"),
    }

    /// Fields whose values no two items share.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct UniqueSchema {
        /// The name of the look-up.
        pub name: String => must,
        /// The name in the keys of the items that store the values.
        pub stored: String => must,
        /// The fields.
        pub fields: Vec<String> => must,
        /// The same fields as parts of the keys of the items that store the values, in the order of these keys.
        pub parts: Vec<PartSchema> => may,
        /// Whether it is declared with `filling`: old items may not have taken their values, so programs cannot look
        /// them up yet.
        pub is_filling: bool => may("filling"),
        /// The row of another program that stores a value. None if it is an item of this library.
        pub row: Option<UniqueRowSchema> => may,
    }

    /// The row in which another program stores a unique value. It does not name its item, so there is no look-up.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct UniqueRowSchema {
        /// The partition key.
        pub pk: KeySchema => must,
        /// The sort key.
        pub sk: Option<KeySchema> => may,
        /// Its other attributes.
        pub constants: Vec<ConstantSchema> => may,
    }
}

/// A type with `#[derive(DynamoValue)]` of a field, alone or within another value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueSchema {
    /// Its name, with its type arguments: `Range<u32>`. If several types have one name, with enough of their paths to
    /// distinguish them.
    pub name: String,
    /// The doc comment.
    pub doc: String,
    /// Its content.
    pub content: ValueContent,
}

/// The content of a declared value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueContent {
    /// A struct: a map of these fields.
    Struct(Vec<FieldSchema>),
    /// A newtype, which is stored as this type.
    Newtype(String),
    /// An enum that is stored as the name of the variant.
    Names(Vec<VariantSchema>),
    /// An enum with an order, which is stored as the number of the variant.
    Numbers(Vec<VariantSchema>),
    /// An enum with data: a map with a tag beside the fields of the variant.
    Tagged {
        /// The name of the tag.
        tag: String,
        /// The variants.
        variants: Vec<VariantSchema>,
    },
}

impl Default for ValueContent {
    fn default() -> Self {
        ValueContent::Struct(Vec::new())
    }
}

impl ValueContent {
    /// The fields of a struct.
    pub fn fields(&self) -> &[FieldSchema] {
        match self {
            ValueContent::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// The variants of an enum.
    pub fn variants(&self) -> &[VariantSchema] {
        match self {
            ValueContent::Struct(_) | ValueContent::Newtype(_) => &[],
            ValueContent::Names(variants)
            | ValueContent::Numbers(variants)
            | ValueContent::Tagged { variants, .. } => variants,
        }
    }
}

json_record! {
    /// A variant of an enum.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct VariantSchema {
        /// Its name.
        pub name: String => must,
        /// The name, or the number, that is stored.
        pub stored: String => must,
        /// Its fields. The content of a tuple variant is one field, `value`.
        pub fields: Vec<FieldSchema> => may,
    }

    /// `allow(rule)` of a declaration or of a part of it: a [lint](crate::lint) that is silent there.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct AllowSchema {
        /// The field, access pattern, unique value or index; None if it is the whole declaration.
        pub of: Option<String> => may,
        /// The name of the lint.
        pub rule: String => must,
    }

    /// Several entities that are read together.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct CollectionSchema {
        /// The name of the enum.
        pub name: String => must,
        /// The doc comment.
        pub doc: String => may,
        /// The index, if it is not the table that is read.
        pub index: Option<String> => may,
        /// The parts of the partition key; None if it reads the whole table.
        pub partition: Option<Vec<String>> => may,
        /// The names of its entities.
        pub entities: Vec<String> => must,
    }
}

impl DeclaredEntity {
    /// The subject of a query: the table, or one of the entity's access patterns.
    pub(crate) fn pattern_of(self, index: Option<&EntityIndexDef>) -> &'static Pattern {
        let mut indexes = self.entity.indexes.iter();
        let at = index.and_then(|index| indexes.position(|known| known.name == index.name));
        (self.model.pattern)(at)
    }
}

impl EntitySchema {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&FieldSchema> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The field that is stored in this attribute.
    pub(crate) fn attribute(&self, stored: &str) -> Option<&FieldSchema> {
        let mut fields = self.fields.iter();
        fields.find(|field| field.attribute.as_deref() == Some(stored))
    }

    /// Its primary key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeySchema> {
        std::iter::once(&self.pk).chain(&self.sk)
    }

    /// Its primary key, and its keys of all indexes.
    pub fn all_keys(&self) -> impl Iterator<Item = &KeySchema> {
        let of_indexes = self.patterns.iter().flat_map(PatternSchema::keys);
        self.keys().chain(of_indexes)
    }

    /// The partition key of the table, or that of an index by one of its access patterns; a local index has that of the
    /// table.
    pub fn partition_key<'s>(&'s self, pattern: Option<&'s PatternSchema>) -> &'s [KeySchema] {
        match pattern {
            Some(pattern) if pattern.kind == IndexKind::Global => &pattern.pk,
            _ => std::slice::from_ref(&self.pk),
        }
    }

    /// The access pattern of this name.
    pub fn pattern(&self, name: &str) -> Option<&PatternSchema> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }
}

impl PatternSchema {
    /// Its keys; a local index has the partition key of the table.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeySchema> {
        self.pk.iter().chain(&self.sk)
    }
}

impl KeySchema {
    /// The fields that it is made of, in their order.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.whole_field()
            .into_iter()
            .chain(self.parts().map(|part| part.field.as_str()))
    }

    /// The field whose value it is, in its own attribute or in that of the field.
    pub fn whole_field(&self) -> Option<&str> {
        match &self.content {
            KeyContent::Field(field) | KeyContent::Number(field) => Some(field),
            KeyContent::Template(_) => None,
        }
    }

    /// The field whose own attribute it is, if it is one.
    pub fn field(&self) -> Option<&str> {
        match &self.content {
            KeyContent::Field(field) => Some(field),
            KeyContent::Template(_) | KeyContent::Number(_) => None,
        }
    }

    /// The pieces of its template; none if it has none.
    pub fn pieces(&self) -> &[PieceSchema] {
        match &self.content {
            KeyContent::Field(_) | KeyContent::Number(_) => &[],
            KeyContent::Template(pieces) => pieces,
        }
    }

    /// The fields in its template, in their order.
    pub fn parts(&self) -> impl Iterator<Item = &PartSchema> {
        self.pieces().iter().filter_map(|piece| match piece {
            PieceSchema::Part(part) => Some(part),
            PieceSchema::Text(_) | PieceSchema::Shard(_) => None,
        })
    }

    /// The text that its template begins with.
    pub(crate) fn front(&self) -> Option<&str> {
        match self.pieces().first() {
            Some(PieceSchema::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number of shards of a partition key, if it has any.
    pub fn shards(&self) -> Option<u16> {
        match self.pieces().last() {
            Some(PieceSchema::Shard(shards)) => Some(*shards),
            _ => None,
        }
    }
}

impl PartSchema {
    /// The number of digits after the point, if the format sets it.
    pub(crate) fn decimals(&self) -> Option<usize> {
        Pad::read_pad(self.format.as_deref()?)?.decimals
    }

    /// The component of the field in the part, such as `date`, or the case of its letters, or both; None if the part contains
    /// the whole field. The format may also contain the number of digits, which the width contains too, and the
    /// position of a None, which the presence contains too.
    pub fn cut(&self) -> Option<&str> {
        let format = self.format.as_deref()?;
        let text = match format.rsplit_once(':') {
            Some((text, "first" | "last" | "ends")) => text,
            _ => format,
        };
        // A pad and the position of a None keep the whole value; every other format cuts it.
        let is_pad = Pad::read_pad(text).is_some();
        (!is_pad && !["first", "last", "ends"].contains(&text)).then_some(text)
    }
}

/// The key as it is declared: the name of the field, `number(field)`, or the template in quotes.
impl fmt::Display for KeySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = match &self.content {
            KeyContent::Field(field) => return f.write_str(field),
            KeyContent::Number(field) => return write!(f, "number({field})"),
            KeyContent::Template(pieces) => pieces,
        };
        f.write_str("\"")?;
        for piece in pieces {
            match piece {
                PieceSchema::Text(text) => {
                    f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
                }
                PieceSchema::Part(part) => match &part.format {
                    Some(format) => write!(f, "{{{}:{format}}}", part.field)?,
                    None => write!(f, "{{{}}}", part.field)?,
                },
                PieceSchema::Shard(_) => {}
            }
        }
        f.write_str("\"")?;
        self.shards()
            .map_or(Ok(()), |shards| write!(f, ", shards = {shards}"))
    }
}
