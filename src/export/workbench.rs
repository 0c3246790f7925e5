//! Models of NoSQL Workbench.

use std::collections::BTreeMap;

use crate::dynamo::TablePrefix;
use crate::error::Result;
use crate::export::word;
use crate::json::{JsonTree, Tag};
use crate::schema::{
    Billing, EntitySchema, FieldSchema, IndexSchema, KeyAttribute, KeySchema, KeyType, TableSchema,
};
use crate::table::named_by;

/// A data model for NoSQL Workbench, in the format 3.0 that it imports and exports.
///
/// Each entity is a facet whose aliases of the keys are its templates. The format supports neither local indexes nor
/// multi-attribute keys nor vector indexes: such indexes are omitted, and named in the description.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Workbench;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "shop", key(pk = "ORDER#{id}"))]
/// # struct Order { id: u32 }
/// # fn main() -> Result<()> {
/// let model = Workbench::new([Order::schema()]).name("Shop").author("Sales").model()?;
/// assert!(model.contains(r#""PartitionKeyAlias": "ORDER#{id}""#));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Workbench {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    name: String,
    author: String,
    description: String,
    date: String,
}

impl Workbench {
    /// Creates the model of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Workbench {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            name: "Tables".to_owned(),
            author: String::new(),
            description: String::new(),
            date: "Jan 01, 2026, 12:00 AM".to_owned(),
        }
    }

    /// Sets the prefix of the table names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// Sets the name of the model, `Tables` by default.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the author of the model.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.author = author.into();
        self
    }

    /// Sets the description of the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the creation date of the model, as in `Jan 01, 2026, 12:00 AM`. That is also the default, so that the
    /// same tables give the same text.
    #[must_use]
    pub fn date(mut self, date: impl Into<String>) -> Self {
        self.date = date.into();
        self
    }

    /// Returns the model.
    ///
    /// If DynamoDB would reject a table, the error has the kind [`Config`](crate::error::ErrorKind::Config) and names
    /// the table.
    pub fn model(&self) -> Result<String> {
        let tables = named_by(|base| self.prefix.full_name(base), self.schemas.clone())?;
        let metadata = JsonTree::object_of([
            ("Author", Some((&self.author).into())),
            ("DateCreated", Some((&self.date).into())),
            ("DateLastModified", Some((&self.date).into())),
            ("Description", Some((&self.describe_tables(&tables)).into())),
            ("AWSService", Some("Amazon DynamoDB".into())),
            ("Version", Some("3.0".into())),
        ]);
        let model = JsonTree::object_of([
            ("ModelName", Some((&self.name).into())),
            ("ModelMetadata", Some(metadata)),
            ("DataModel", Some(JsonTree::list_of(&tables, table_tree))),
        ]);
        Ok(model.to_text())
    }

    /// The description, and the list of omitted indexes.
    fn describe_tables(&self, tables: &[TableSchema]) -> String {
        let left_out = tables.iter().flat_map(|table| {
            let several = table.global_indexes.iter().filter(|index| !is_plain(index));
            let indexes = several.chain(&table.local_indexes);
            let vectors = table.vector_indexes.iter().map(|index| &index.name);
            let names = indexes.map(|index| &index.name).chain(vectors);
            names.map(|name| format!("`{name}` of `{}`", table.name))
        });
        let left_out: Vec<String> = left_out.collect();
        let note = (!left_out.is_empty())
            .then(|| format!("Indexes that models cannot show: {}.", left_out.join(", ")));
        let parts = [self.description.clone(), note.unwrap_or_default()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }
}

/// Whether each side of its key is one attribute.
fn is_plain(index: &IndexSchema) -> bool {
    index.pk.len() == 1 && index.sk.len() <= 1
}

fn table_tree(schema: &TableSchema) -> JsonTree {
    let keys = schema.key_types();
    let own: Vec<&str> = schema.keys().map(|key| key.name.as_str()).collect();
    let others = non_key_types(schema);
    let others = others.iter().filter(|(name, _)| !own.contains(*name));
    let others = others.map(|(name, letter)| {
        attribute_tree(
            name,
            keys.get(name).map_or(*letter, |ty| word::type_letter(*ty)),
        )
    });
    let facets = schema
        .entities
        .iter()
        .map(|entity| facet_tree(schema, entity));
    let plain = schema.global_indexes.iter().filter(|index| is_plain(index));
    let indexes: Vec<JsonTree> = plain.map(global_index).collect();
    let (mode, capacity) = match schema.settings.billing.and_then(Billing::units) {
        None => ("PAY_PER_REQUEST", None),
        Some((reads, writes)) => ("PROVISIONED", Some(capacity_tree(reads, writes))),
    };
    JsonTree::object_of([
        ("TableName", Some((&schema.name).into())),
        (
            "KeyAttributes",
            Some(key_attributes(&schema.pk, schema.sk.as_ref())),
        ),
        ("NonKeyAttributes", Some(JsonTree::List(others.collect()))),
        ("TableFacets", Some(JsonTree::List(facets.collect()))),
        ("GlobalSecondaryIndexes", Some(JsonTree::List(indexes))),
        ("TableData", Some(JsonTree::List(Vec::new()))),
        ("DataAccess", Some(no_access())),
        ("SampleDataFormats", Some(JsonTree::Object(Vec::new()))),
        ("BillingMode", Some(mode.into())),
        ("ProvisionedCapacitySettings", capacity),
    ])
}

fn attribute_tree(name: &str, letter: &str) -> JsonTree {
    JsonTree::object_of([
        ("AttributeName", Some(name.into())),
        ("AttributeType", Some(letter.into())),
    ])
}

/// All attributes of all entities and of all indexes, with their types; a text if the type differs between values.
fn non_key_types(schema: &TableSchema) -> BTreeMap<&str, &'static str> {
    let letters = schema.key_types().into_iter();
    let mut types: BTreeMap<&str, &'static str> = letters
        .map(|(name, ty)| (name, word::type_letter(ty)))
        .collect();
    types.extend(schema.type_attribute.as_deref().map(|name| (name, "S")));
    let own = schema.entities.iter();
    let own = own.filter_map(|entity| entity.type_attribute.as_deref());
    types.extend(own.map(|name| (name, "S")));
    let constants = schema.entities.iter().flat_map(|entity| &entity.constants);
    for constant in constants {
        types
            .entry(&constant.attribute)
            .or_insert(word::type_letter(constant.ty));
    }
    let fields = schema.entities.iter().flat_map(|entity| &entity.fields);
    for field in fields {
        if let Some(attribute) = &field.attribute {
            types
                .entry(attribute)
                // A model has one type for each attribute. The key decides, then the first entity
                // that has the attribute.
                .or_insert(field.stored.map_or("S", Tag::name));
        }
    }
    types
}

fn key_attributes(pk: &KeyAttribute, sk: Option<&KeyAttribute>) -> JsonTree {
    let key = |key: &KeyAttribute| attribute_tree(&key.name, word::type_letter(key.ty));
    JsonTree::object_of([("PartitionKey", Some(key(pk))), ("SortKey", sk.map(key))])
}

fn global_index(index: &IndexSchema) -> JsonTree {
    let (kind, names) = word::projection_words(&index.projection);
    let projection = JsonTree::object_of([
        ("ProjectionType", Some(kind.into())),
        (
            "NonKeyAttributes",
            names.map(|names| JsonTree::list_of(names, |name| name.into())),
        ),
    ]);
    let empty = KeyAttribute {
        name: String::new(),
        ty: KeyType::S,
    };
    let pk = index.pk.first().unwrap_or(&empty);
    JsonTree::object_of([
        ("IndexName", Some((&index.name).into())),
        ("KeyAttributes", Some(key_attributes(pk, index.sk.first()))),
        ("Projection", Some(projection)),
    ])
}

/// An entity as a facet: its keys and attributes.
fn facet_tree(schema: &TableSchema, entity: &EntitySchema) -> JsonTree {
    let own: Vec<&str> = schema.keys().map(|key| key.name.as_str()).collect();
    let alias = |key: &KeySchema| {
        let shown = key.to_string();
        // The alias has no place for the number of shards.
        let template = shown.split("\", shards").next().unwrap_or_default();
        JsonTree::from(template.trim_matches('"'))
    };
    let aliases = JsonTree::object_of([
        ("PartitionKeyAlias", Some(alias(&entity.pk))),
        ("SortKeyAlias", entity.sk.as_ref().map(alias)),
    ]);
    let of_fields = entity
        .fields
        .iter()
        .filter_map(|field: &FieldSchema| field.attribute.as_deref());
    let patterns = entity.patterns.iter();
    let of_indexes = patterns.flat_map(|pattern| pattern.pk.iter().chain(&pattern.sk));
    let constants = entity.constants.iter().map(|it| it.attribute.as_str());
    let all = entity
        .type_attribute_in(schema)
        .into_iter()
        .chain(constants)
        .chain(of_fields)
        .chain(of_indexes.map(|key| key.attribute.as_str()));
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !own.contains(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    JsonTree::object_of([
        ("FacetName", Some((&entity.name).into())),
        ("KeyAttributeAlias", Some(aliases)),
        ("TableData", Some(JsonTree::List(Vec::new()))),
        (
            "NonKeyAttributes",
            Some(JsonTree::list_of(&names, |name| (*name).into())),
        ),
        ("DataAccess", Some(no_access())),
    ])
}

fn no_access() -> JsonTree {
    JsonTree::object_of([("MySql", Some(JsonTree::Object(Vec::new())))])
}

fn capacity_tree(reads: u64, writes: u64) -> JsonTree {
    let units = JsonTree::object_of([
        ("ReadCapacityUnits", Some(reads.into())),
        ("WriteCapacityUnits", Some(writes.into())),
    ]);
    JsonTree::object_of([("ProvisionedThroughput", Some(units))])
}
