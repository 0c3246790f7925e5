//! An entity: its keys, fields and access patterns.

use super::field::AdoptedField;
use super::template::KeyTemplate;

/// An entity of the table.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedEntity {
    /// The name of the struct.
    pub(crate) name: String,
    /// The value of the type attribute.
    pub(crate) type_value: Option<String>,
    /// The attribute of the type, if not the one of the table.
    pub(crate) type_attribute: Option<String>,
    pub(crate) pk: AdoptedKey,
    pub(crate) sk: Option<AdoptedKey>,
    pub(crate) patterns: Vec<AdoptedPattern>,
    pub(crate) uniques: Vec<AdoptedUnique>,
    pub(crate) fields: Vec<AdoptedField>,
    /// Its items, by their numbers in the sample.
    pub(crate) rows: Vec<usize>,
    pub(crate) unsure: Vec<String>,
}

/// A key attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AdoptedKey {
    /// A field, by its attribute.
    Field(String),
    Template(KeyTemplate),
    /// The number of a field, by the attribute of the field.
    Number(String),
}

/// The conditions of the whole table for its entities.
#[derive(Debug, Clone)]
pub(crate) struct EntityTerms<'t> {
    pub(crate) type_attribute: Option<&'t str>,
    /// Whether key templates of indexes may be stored in attributes of any name, which needs a `DynamoTable`.
    pub(crate) any_names: bool,
}

impl AdoptedKey {
    pub(crate) fn template(&self) -> Option<&KeyTemplate> {
        match self {
            AdoptedKey::Template(template) => Some(template),
            AdoptedKey::Field(_) | AdoptedKey::Number(_) => None,
        }
    }

    /// Whether a field is the key, or a part of it.
    pub(crate) fn contains(&self, attribute: &str) -> bool {
        match self {
            AdoptedKey::Field(field) | AdoptedKey::Number(field) => field == attribute,
            AdoptedKey::Template(template) => template.contains(attribute),
        }
    }
}

impl AdoptedEntity {
    pub(crate) fn primary(&self) -> impl Iterator<Item = &AdoptedKey> {
        [&self.pk].into_iter().chain(&self.sk)
    }

    pub(crate) fn field(&self, attribute: &str) -> Option<&AdoptedField> {
        self.fields
            .iter()
            .find(|field| field.attribute == attribute)
    }
}

/// A unique value that OneTable stores in rows of its own.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedUnique {
    pub(crate) name: String,
    pub(crate) pk: KeyTemplate,
    /// The text of the sort key, if the table has one.
    pub(crate) sk: Option<String>,
    /// The type of the rows: its attribute and its value.
    pub(crate) constant: Option<(String, String)>,
}

/// An index that contains items of an entity.
#[derive(Debug, Clone)]
pub(crate) struct AdoptedPattern {
    /// The function that queries it.
    pub(crate) name: String,
    /// The number of the index.
    pub(crate) index: usize,
    pub(crate) pk: Vec<AdoptedKey>,
    pub(crate) sk: Vec<AdoptedKey>,
}

impl AdoptedPattern {
    pub(crate) fn keys(&self) -> impl Iterator<Item = &AdoptedKey> {
        self.pk.iter().chain(&self.sk)
    }
}
