//! The stored form of a model: what is in tables and needed to read it, under stored names, and nothing else. Doc
//! comments, settings, collections and the order of declarations are no part of it.

use std::collections::BTreeMap;

use super::stored_type::ValueNames;
use crate::error::{Error, Result};
use crate::json::Tag;
use crate::schema::{
    EntitySchema, FieldRole, FieldSchema, IndexKind, IndexSchema, KeyAttribute, KeyContent,
    KeySchema, PartSchema, PatternSchema, PieceSchema, Presence, ProjectionSchema, SHAPE,
    StreamView, Style, TableSchema, UniqueSchema, Width,
};

/// All tables of a program, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredModel {
    pub(super) tables: BTreeMap<String, StoredTable>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredTable {
    /// The parts that the service knows, and the format of key texts.
    pub(super) head: StoredTableHead,
    /// By the value of the type attribute; in a table without one, by the name of the struct.
    pub(super) entities: BTreeMap<String, StoredEntity>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredTableHead {
    pub(super) pk: KeyAttribute,
    pub(super) sk: Option<KeyAttribute>,
    pub(super) type_attribute: Option<String>,
    pub(super) style: Style,
    pub(super) ttl: Option<String>,
    pub(super) stream: Option<StreamView>,
    pub(super) indexes: BTreeMap<String, StoredIndex>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredIndex {
    pub(super) kind: IndexKind,
    pub(super) pk: Vec<KeyAttribute>,
    pub(super) sk: Vec<KeyAttribute>,
    pub(super) projection: ProjectionSchema,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredEntity {
    pub(super) append_only: bool,
    /// Whether a `put` keeps attributes that no field has.
    pub(super) keeps_rest: bool,
    pub(super) pk: StoredKey,
    pub(super) sk: Option<StoredKey>,
    pub(super) attributes: BTreeMap<String, StoredAttribute>,
    /// The types of fields that are in keys alone.
    pub(super) key_only: BTreeMap<String, String>,
    /// By the name of the access pattern.
    pub(super) patterns: BTreeMap<String, StoredPattern>,
    /// By the name in the keys of sentinels.
    pub(super) uniques: BTreeMap<String, StoredUnique>,
    /// The declared types of its values, by their names.
    pub(super) values: BTreeMap<String, StoredValue>,
}

/// A declared type of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredValue {
    pub(super) kind: ValueKind,
    /// Those of a struct.
    pub(super) fields: StoredFields,
    /// Those of an enum, by the name or number that is stored.
    pub(super) variants: BTreeMap<String, StoredVariant>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A map of its fields.
    Struct,
    /// A newtype that holds itself; any other one is its inner type.
    Wraps(String),
    /// The name of the variant.
    Names,
    /// The number of the variant.
    Numbers,
    /// A map with this tag beside the fields of the variant.
    Tagged(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StoredFields {
    /// Whether a value keeps entries that no field has.
    pub(super) keeps_rest: bool,
    pub(super) attributes: BTreeMap<String, StoredAttribute>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredVariant {
    /// Its name in Rust, if it is stored under another one.
    pub(super) rust_name: Option<String>,
    pub(super) fields: StoredFields,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredAttribute {
    pub(super) stored: Option<Tag>,
    pub(super) is_required: bool,
    pub(super) role: FieldRole,
    pub(super) form: Option<String>,
    pub(super) default: Option<String>,
    /// Its storage; for a type that only serde knows, the type as it is written.
    pub(super) value_type: String,
    /// The name of the field in Rust, if it is stored under another one: by it, two names that change places are seen.
    pub(super) rust_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredKey {
    pub(super) attribute: KeyAttribute,
    pub(super) content: StoredContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoredContent {
    /// The attribute of a field.
    Bare(String),
    Template(StoredTemplate),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredTemplate {
    pub(super) pieces: Vec<StoredPiece>,
    pub(super) shards: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoredPiece {
    /// Never empty, and never beside another one.
    Text(String),
    Part(StoredPart),
}

/// A part of a template; its field goes by the name of the attribute, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredPart {
    pub(super) name: String,
    pub(super) format: Option<String>,
    pub(super) width: Width,
    pub(super) presence: Presence,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredPattern {
    pub(super) index: String,
    pub(super) pk: Vec<StoredKey>,
    pub(super) sk: Vec<StoredKey>,
    pub(super) read_shards: Option<u16>,
    pub(super) when: Option<StoredWhen>,
}

/// The condition of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoredWhen {
    /// The attribute has one of these values, each as it is written.
    OneOf(String, Vec<String>),
    /// A function, as its call is written.
    Function(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredUnique {
    /// The name of the look-up.
    pub(super) look_up: String,
    /// The parts of its keys, in their order.
    pub(super) parts: Vec<StoredPart>,
}

impl StoredModel {
    pub(super) fn of(schemas: impl IntoIterator<Item = TableSchema>) -> Result<StoredModel> {
        let mut tables = BTreeMap::new();
        for schema in schemas {
            if tables
                .insert(schema.name.clone(), stored_table(&schema))
                .is_some()
            {
                let name = &schema.name;
                return Err(Error::config(format!(
                    "two of the schemas are of a table `{name}`: give each table once, by its one declaration"
                )));
            }
        }
        Ok(StoredModel { tables })
    }
}

fn stored_table(schema: &TableSchema) -> StoredTable {
    let kinds = [
        (IndexKind::Global, &schema.global_indexes),
        (IndexKind::Local, &schema.local_indexes),
    ];
    let indexes = kinds.into_iter().flat_map(|(kind, indexes)| {
        let stored = move |index: &IndexSchema| (index.name.clone(), stored_index(kind, index));
        indexes.iter().map(stored)
    });
    let (entities, names) = (schema.entities.iter(), ValueNames::of(&schema.values));
    StoredTable {
        head: StoredTableHead {
            pk: schema.pk.clone(),
            sk: schema.sk.clone(),
            type_attribute: schema.type_attribute.clone(),
            style: schema.style,
            ttl: schema.ttl.clone(),
            stream: schema.stream,
            indexes: indexes.collect(),
        },
        entities: entities
            .map(|entity| {
                let stored = FieldNames(entity).entity(&names);
                (entity.stored_name.clone(), stored)
            })
            .collect(),
    }
}

fn stored_index(kind: IndexKind, index: &IndexSchema) -> StoredIndex {
    StoredIndex {
        kind,
        pk: index.pk.clone(),
        sk: index.sk.clone(),
        projection: declared_projection(index),
    }
}

/// The attributes that an index was declared to hold. The shape is in none of them, and older indexes lack it.
fn declared_projection(index: &IndexSchema) -> ProjectionSchema {
    let ProjectionSchema::Include(names) = &index.projection else {
        return index.projection.clone();
    };
    let declared = names.iter().filter(|name| name.as_str() != SHAPE);
    let declared: Vec<String> = declared.cloned().collect();
    match declared.is_empty() {
        true => ProjectionSchema::Keys,
        false => ProjectionSchema::Include(declared),
    }
}

/// Turns fields into attributes: what a field is called in Rust is not stored.
#[derive(Clone, Copy)]
struct FieldNames<'s>(&'s EntitySchema);

impl FieldNames<'_> {
    fn stored(self, field: &str) -> String {
        let known = self.0.field(field);
        let attribute = known.and_then(|field| field.attribute.clone());
        attribute.unwrap_or_else(|| field.to_owned())
    }

    fn entity(self, names: &ValueNames<'_>) -> StoredEntity {
        let StoredFields {
            keeps_rest,
            attributes,
        } = StoredFields::of(&self.0.fields, names);
        let key_only = self.key_only(names);
        let types = attributes.values().filter_map(StoredAttribute::seen_type);
        let values = names.reached(types.chain(key_only.values().map(String::as_str)));
        let uniques = self.0.uniques.iter();
        let patterns = self.0.patterns.iter();
        StoredEntity {
            append_only: self.0.append_only,
            keeps_rest,
            pk: self.key(&self.0.pk),
            sk: self.0.sk.as_ref().map(|key| self.key(key)),
            attributes,
            key_only,
            values,
            patterns: patterns
                .map(|pattern| (pattern.name.clone(), self.pattern(pattern)))
                .collect(),
            uniques: uniques
                .map(|unique| (unique.stored.clone(), self.unique(unique)))
                .collect(),
        }
    }

    /// A field that is in no attribute and in no key is not stored at all.
    fn key_only(self, values: &ValueNames<'_>) -> BTreeMap<String, String> {
        let patterns = self.0.patterns.iter();
        let of_patterns = patterns.flat_map(|pattern| pattern.pk.iter().chain(&pattern.sk));
        let keys = [&self.0.pk]
            .into_iter()
            .chain(&self.0.sk)
            .chain(of_patterns);
        let names: Vec<&str> = keys.flat_map(KeySchema::fields).collect();
        let fields = self.0.fields.iter();
        let only_there = fields
            .filter(|field| field.attribute.is_none() && names.contains(&field.name.as_str()));
        only_there
            .map(|field| (field.name.clone(), values.resolved(field)))
            .collect()
    }

    fn key(self, key: &KeySchema) -> StoredKey {
        StoredKey {
            attribute: KeyAttribute {
                name: key.attribute.clone(),
                ty: key.ty,
            },
            content: match &key.content {
                KeyContent::Field(field) => StoredContent::Bare(self.stored(field)),
                KeyContent::Template(pieces) => StoredContent::Template(self.template(pieces)),
            },
        }
    }

    fn template(self, schema: &[PieceSchema]) -> StoredTemplate {
        let (mut pieces, mut shards) = (Vec::new(), None);
        for piece in schema {
            match piece {
                PieceSchema::Text(text) if text.is_empty() => {}
                PieceSchema::Text(text) => match pieces.last_mut() {
                    Some(StoredPiece::Text(before)) => before.push_str(text),
                    _ => pieces.push(StoredPiece::Text(text.clone())),
                },
                PieceSchema::Part(part) => pieces.push(StoredPiece::Part(self.part(part))),
                PieceSchema::Shard(count) => shards = Some(*count),
            }
        }
        StoredTemplate { pieces, shards }
    }

    fn part(self, part: &PartSchema) -> StoredPart {
        StoredPart {
            name: self.stored(&part.field),
            format: part.format.clone(),
            width: part.width,
            presence: part.presence,
        }
    }

    fn pattern(self, pattern: &PatternSchema) -> StoredPattern {
        StoredPattern {
            index: pattern.index.clone(),
            pk: pattern.pk.iter().map(|key| self.key(key)).collect(),
            sk: pattern.sk.iter().map(|key| self.key(key)).collect(),
            read_shards: pattern.read_shards,
            when: self.when(pattern),
        }
    }

    fn when(self, pattern: &PatternSchema) -> Option<StoredWhen> {
        let written = pattern.when.as_ref()?;
        Some(match &pattern.when_fields[..] {
            [field] if !pattern.when_values.is_empty() => {
                StoredWhen::OneOf(self.stored(field), pattern.when_values.clone())
            }
            _ => StoredWhen::Function(written.clone()),
        })
    }

    fn unique(self, unique: &UniqueSchema) -> StoredUnique {
        StoredUnique {
            look_up: unique.name.clone(),
            parts: unique.parts.iter().map(|part| self.part(part)).collect(),
        }
    }
}

impl StoredFields {
    pub(super) fn of(fields: &[FieldSchema], names: &ValueNames<'_>) -> Self {
        let attributes = fields.iter().filter_map(|field| {
            let attribute = field.attribute.clone()?;
            let stored = StoredAttribute {
                stored: field.stored,
                is_required: field.is_required,
                role: field.role,
                form: field.form.clone(),
                default: field.default.clone(),
                value_type: names.resolved(field),
                rust_name: (field.name != attribute).then(|| field.name.clone()),
            };
            Some((attribute, stored))
        });
        StoredFields {
            keeps_rest: fields.iter().any(|field| field.role == FieldRole::Rest),
            attributes: attributes.collect(),
        }
    }
}

impl StoredEntity {
    /// The primary key.
    pub(super) fn own_keys(&self) -> impl Iterator<Item = &StoredKey> {
        [&self.pk].into_iter().chain(&self.sk)
    }

    /// Whether a field is in the primary key with all that it is.
    pub(super) fn is_whole_in_key(&self, name: &str) -> bool {
        self.own_keys().any(|key| {
            key.is_bare(name)
                || key
                    .parts()
                    .any(|part| part.name == name && part.cut().is_none())
        })
    }

    /// Whether a field is in the primary key, whole or in part.
    pub(super) fn is_in_key(&self, name: &str) -> bool {
        self.own_keys().any(|key| key.has(name))
    }
}

impl StoredKey {
    pub(super) fn pieces(&self) -> &[StoredPiece] {
        match &self.content {
            StoredContent::Bare(_) => &[],
            StoredContent::Template(template) => &template.pieces,
        }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &StoredPart> {
        self.pieces().iter().filter_map(|piece| match piece {
            StoredPiece::Part(part) => Some(part),
            StoredPiece::Text(_) => None,
        })
    }

    pub(super) fn shards(&self) -> Option<u16> {
        match &self.content {
            StoredContent::Bare(_) => None,
            StoredContent::Template(template) => template.shards,
        }
    }

    pub(super) fn is_bare(&self, name: &str) -> bool {
        matches!(&self.content, StoredContent::Bare(bare) if bare == name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.is_bare(name) || self.parts().any(|part| part.name == name)
    }
}

impl StoredPart {
    /// The component of the field in the part, such as `date`; None if it is all. How many digits a number has is said by the
    /// width, and the position of a None by the presence.
    pub(super) fn cut(&self) -> Option<&str> {
        let first = self.format.as_deref()?.split(':').next()?;
        let digits = first.strip_prefix('0').unwrap_or_default();
        let is_pad = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (!is_pad && !["first", "last"].contains(&first)).then_some(first)
    }
}

impl StoredPattern {
    pub(super) fn keys(&self) -> impl Iterator<Item = &StoredKey> {
        self.pk.iter().chain(&self.sk)
    }

    /// How many shards it writes; 0 if there are none.
    pub(super) fn shards(&self) -> u16 {
        self.keys()
            .filter_map(StoredKey::shards)
            .max()
            .unwrap_or_default()
    }

    /// How many shards it reads.
    pub(super) fn shards_read(&self) -> u16 {
        self.shards().max(self.read_shards.unwrap_or_default())
    }
}
