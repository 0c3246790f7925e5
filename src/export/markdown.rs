//! Tables of Markdown, for design documents.

mod grid;
mod table_facts;
mod use_cases;

use std::fmt::Write;

use crate::dynamo::TablePrefix;
use crate::export::calls::{self, collection_templates, split_call};
use crate::export::use_case::{UnitPrices, UseCase};
use crate::json::Tag;
use crate::schema::{
    CollectionSchema, EntitySchema, FieldRole, FieldSchema, IndexSchema, KeyAttribute, KeySchema,
    PatternSchema, ProjectionSchema, SecondKeySchema, SecondKeyUse, ShapeSchema, TableSchema,
    ValueContent, ValueSchema, VariantSchema, VectorIndexSchema, VectorSearchSchema, Word,
};
use grid::{Grid, escape_text, inline_code, join_codes, key_attribute};
use table_facts::table_facts;

/// The declarations, as tables of Markdown that a person pastes into a design document: for each table its keys, its
/// indexes, its entities with their fields, its access patterns with the call of each, its unique values, and the types
/// of the values of its fields.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Markdown;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id), gsi(by_status, pk = status, sk = id))]
/// # struct Order { id: u32, status: String }
/// let text = Markdown::new([Order::schema()]).text();
/// assert!(text.contains("| `Order::by_status(status)` | index `by_status` | `status` | `id` |"));
/// ```
#[derive(Debug, Clone)]
pub struct Markdown {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    level: usize,
    use_cases: Vec<UseCase>,
    prices: Option<UnitPrices>,
}

impl Markdown {
    /// The text of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Markdown {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            level: 2,
            use_cases: Vec::new(),
            prices: None,
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// The level of the headings of tables, 1 to 4; 2 by default.
    #[must_use]
    pub fn level(mut self, level: usize) -> Self {
        self.level = level.clamp(1, 4);
        self
    }

    /// Adds a table of use cases, before the tables of the schemas.
    #[must_use]
    pub fn use_cases(mut self, cases: impl IntoIterator<Item = UseCase>) -> Self {
        self.use_cases.extend(cases);
        self
    }

    /// Sets the prices of the use cases. Without them, only their units are shown.
    #[must_use]
    pub fn prices(mut self, prices: UnitPrices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// The text.
    pub fn text(&self) -> String {
        let tables = self.schemas.iter().map(|schema| self.write_table(schema));
        let texts = self.write_use_cases().into_iter().chain(tables);
        texts.collect::<Vec<_>>().join("\n")
    }

    fn write_table(&self, schema: &TableSchema) -> String {
        let heading = "#".repeat(self.level);
        let mut out = format!(
            "{heading} Table `{}`\n\n",
            self.prefix.full_name(&schema.name)
        );
        write_paragraph(&mut out, &schema.doc);
        table_facts(schema).write_grid(&mut out);
        let mut section = |title: &str, grid: String| {
            if !grid.is_empty() {
                // Writing to a text never fails.
                let _ = write!(out, "\n{heading}# {title}\n\n{grid}");
            }
        };
        section("Indexes", index_grid(schema).grid_text());
        section("Access patterns", pattern_grid(schema).grid_text());
        section("Unique values", unique_grid(schema).grid_text());
        section("Lists and blobs", large_grid(schema).grid_text());
        for entity in &schema.entities {
            let _ = write!(out, "\n{heading}# Entity `{}`\n\n", entity.name);
            write_paragraph(&mut out, &entity.doc);
            if entity.append_only {
                write_paragraph(
                    &mut out,
                    "Its items are only added, never changed or deleted.",
                );
            }
            let constants = entity.constants.iter();
            let constants = constants.map(|it| inline_code(&format!("{} = {it}", it.attribute)));
            let constants: Vec<String> = constants.collect();
            if !constants.is_empty() {
                let all = constants.join(" and ");
                write_paragraph(&mut out, &format!("All of its items have {all}."));
            }
            if let Some(own) = &entity.type_attribute {
                let text = format!("Its name is stored in {}.", inline_code(own));
                write_paragraph(&mut out, &text);
            }
            if let Some(shape) = &entity.shape {
                write_paragraph(&mut out, &shape_text(shape));
            }
            if let Some(second) = &entity.second_key {
                write_paragraph(&mut out, &second_key_text(second));
            }
            field_grid(&entity.fields).write_grid(&mut out);
        }
        for value in &schema.values {
            let _ = write!(out, "\n{heading}# Type {}\n\n", inline_code(&value.name));
            write_paragraph(&mut out, &value.doc);
            write_content(value, &mut out);
        }
        out
    }
}

fn write_paragraph(out: &mut String, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "{text}\n\n");
    }
}

fn join_attributes(keys: &[KeyAttribute]) -> String {
    keys.iter()
        .map(key_attribute)
        .collect::<Vec<_>>()
        .join(", ")
}

fn index_grid(schema: &TableSchema) -> Grid<5> {
    let row = |index: &IndexSchema, kind: &str| {
        let holds = show_projection(&index.projection);
        let keys = [join_attributes(&index.pk), join_attributes(&index.sk)];
        let [pk, sk] = keys;
        [inline_code(&index.name), kind.to_owned(), pk, sk, holds]
    };
    let global = schema
        .global_indexes
        .iter()
        .map(|index| row(index, "global"));
    let local = schema.local_indexes.iter().map(|index| row(index, "local"));
    let vector = schema.vector_indexes.iter().map(vector_row);
    Grid {
        heads: ["index", "kind", "partition key", "sort key", "holds"],
        rows: global.chain(local).chain(vector).collect(),
    }
}

fn show_projection(projection: &ProjectionSchema) -> String {
    match projection {
        ProjectionSchema::All => "all attributes".to_owned(),
        ProjectionSchema::Keys => "keys".to_owned(),
        ProjectionSchema::Include(names) => {
            format!("keys, {}", join_codes(names.iter().map(String::as_str)))
        }
    }
}

/// A vector index has no keys; its attributes are those of its conditions.
fn vector_row(index: &VectorIndexSchema) -> [String; 5] {
    let kind = format!(
        "vector: {} of {} numbers by {}",
        inline_code(&index.attribute),
        index.dimensions,
        index.distance.word().replace('_', " ")
    );
    let holds = show_projection(&index.projection);
    let within = index.within.iter().map(|key| key.name.as_str());
    let filters = index.filters.iter().map(|key| key.name.as_str());
    [
        inline_code(&index.name),
        kind,
        join_codes(within),
        join_codes(filters),
        holds,
    ]
}

/// The templates of a key, one behind the other.
fn join_templates<'k>(keys: impl IntoIterator<Item = &'k KeySchema>) -> String {
    let shown: Vec<String> = keys.into_iter().map(show_template).collect();
    shown.join(", ")
}

fn show_template(key: &KeySchema) -> String {
    let (text, shards) = split_call(&key.to_string());
    let text = inline_code(&text);
    match shards {
        Some(shards) => format!("{text} in {shards} shards"),
        None => text,
    }
}

fn show_call(owner: &str, name: &str, keys: &[&KeySchema]) -> String {
    inline_code(&calls::show_call(owner, name, keys))
}

fn pattern_grid(schema: &TableSchema) -> Grid<5> {
    let mut rows = Vec::new();
    for entity in &schema.entities {
        let keys: Vec<&KeySchema> = [&entity.pk].into_iter().chain(&entity.sk).collect();
        rows.push([
            show_call(&entity.name, "key", &keys),
            "table".to_owned(),
            show_template(&entity.pk),
            join_templates(&entity.sk),
            "one item".to_owned(),
        ]);
        if let Some(sk) = &entity.sk {
            rows.push([
                show_call(&entity.name, "in_partition", &[&entity.pk]),
                "table".to_owned(),
                show_template(&entity.pk),
                show_template(sk),
                String::new(),
            ]);
        }
        rows.extend(
            entity
                .patterns
                .iter()
                .map(|pattern| by_index(entity, pattern)),
        );
        let searches = entity.searches.iter();
        rows.extend(searches.map(|search| search_row(entity, search)));
    }
    let collections = schema.collections.iter();
    rows.extend(collections.map(|collection| collection_row(schema, collection)));
    Grid {
        heads: ["call", "reads", "partition key", "sort key", "rows"],
        rows,
    }
}

fn by_index(entity: &EntitySchema, pattern: &PatternSchema) -> [String; 5] {
    let pk: Vec<&KeySchema> = entity.partition_key(Some(pattern)).iter().collect();
    let when = pattern
        .when
        .as_ref()
        .map(|when| format!("where {}", inline_code(when)));
    let keys = (!pattern.has_whole_rows).then(|| "keys".to_owned());
    let rows: Vec<String> = keys.into_iter().chain(when).collect();
    [
        show_call(&entity.name, &pattern.name, &pk),
        format!("index {}", inline_code(&pattern.index)),
        join_templates(pk),
        join_templates(&pattern.sk),
        rows.join(" "),
    ]
}

fn search_row(entity: &EntitySchema, search: &VectorSearchSchema) -> [String; 5] {
    [
        inline_code(&calls::show_search(entity, search)),
        format!("vector index {}", inline_code(&search.index)),
        join_codes(search.within.iter().map(String::as_str)),
        join_codes(search.filters.iter().map(String::as_str)),
        "the nearest".to_owned(),
    ]
}

fn collection_row(schema: &TableSchema, collection: &CollectionSchema) -> [String; 5] {
    let reads = match &collection.index {
        Some(index) => format!("index {}", inline_code(index)),
        None => "table".to_owned(),
    };
    let call = match &collection.partition {
        Some(parts) => format!("{}::in_partition({})", collection.name, parts.join(", ")),
        None => format!("{}::scan()", collection.name),
    };
    let entities = join_codes(collection.entities.iter().map(String::as_str));
    let [partition, sort] = collection_templates(schema, collection, show_template);
    [inline_code(&call), reads, partition, sort, entities]
}

fn large_grid(schema: &TableSchema) -> Grid<3> {
    let rows = schema.entities.iter().flat_map(|entity| {
        entity.large.iter().map(|value| {
            [
                inline_code(&calls::show_large(entity, value)),
                inline_code(&entity.name),
                match (&value.element, value.outside) {
                    (Some(element), false) => inline_code(element),
                    (Some(element), true) => {
                        format!("{}, outside of DynamoDB", inline_code(element))
                    }
                    (None, false) => "bytes".to_owned(),
                    (None, true) => "bytes, outside of DynamoDB".to_owned(),
                },
            ]
        })
    });
    Grid {
        heads: ["value", "owner", "elements"],
        rows: rows.collect(),
    }
}

fn unique_grid(schema: &TableSchema) -> Grid<3> {
    let rows = schema.entities.iter().flat_map(|entity| {
        entity.uniques.iter().map(|unique| {
            [
                inline_code(&calls::show_unique(entity, unique)),
                inline_code(&entity.name),
                join_codes(unique.fields.iter().map(String::as_str)),
            ]
        })
    });
    Grid {
        heads: ["look-up", "owner", "no two have the same"],
        rows: rows.collect(),
    }
}

/// The content of a declared value.
fn write_content(value: &ValueSchema, out: &mut String) {
    match &value.content {
        ValueContent::Struct(struct_fields) => field_grid(struct_fields).write_grid(out),
        ValueContent::Newtype(inner) => {
            out.push_str(&format!("It is stored as {}.\n", inline_code(inner)))
        }
        ValueContent::Names(names) | ValueContent::Numbers(names) => {
            variant_grid(names).write_grid(out);
        }
        ValueContent::Tagged {
            tag,
            variants: data,
        } => {
            write_paragraph(
                out,
                &format!("The variant is named by {}.", inline_code(tag)),
            );
            variant_grid(data).write_grid(out);
        }
    }
}

fn variant_grid(variants: &[VariantSchema]) -> Grid<3> {
    let rows = variants.iter().map(|variant| {
        let fields = variant.fields.iter().map(|field| {
            let attribute = field
                .attribute
                .as_deref()
                .map(inline_code)
                .unwrap_or_default();
            format!("{attribute}: {}", inline_code(&field.rust_type))
        });
        let fields: Vec<String> = fields.collect();
        [
            inline_code(&variant.name),
            inline_code(&variant.stored),
            fields.join(", "),
        ]
    });
    Grid {
        heads: ["variant", "stored as", "fields"],
        rows: rows.collect(),
    }
}

fn field_grid(fields: &[FieldSchema]) -> Grid<5> {
    let rows = fields.iter().map(|field| {
        [
            inline_code(&field.name),
            field
                .attribute
                .as_deref()
                .map(inline_code)
                .unwrap_or_default(),
            inline_code(&field.rust_type),
            field.stored.map_or("", Tag::name).to_owned(),
            field_notes(field),
        ]
    });
    Grid {
        heads: ["field", "attribute", "type", "stored as", ""],
        rows: rows.collect(),
    }
}

/// The role of a field in the library, and its doc comment.
fn field_notes(field: &FieldSchema) -> String {
    let role = match field.role {
        FieldRole::Attribute => "",
        FieldRole::Skip => "not stored",
        FieldRole::Rest => "all other attributes",
        FieldRole::Version => "the version",
        FieldRole::Ttl => "when the item expires",
        FieldRole::CreatedAt => "when it was created",
        FieldRole::UpdatedAt => "when it was last written",
        FieldRole::CreatedBy => "who created it",
        FieldRole::UpdatedBy => "who wrote it last",
    };
    let former = field.former.as_deref();
    let former = former.map(|former| format!("was {}", inline_code(former)));
    let default = field
        .default
        .as_ref()
        .map(|default| format!("default {}", inline_code(default)));
    let expiry = field.expiry.as_ref();
    let expiry = expiry.map(|expiry| {
        format!(
            "{} after {}",
            expiry.lifetime(),
            inline_code(&expiry.source)
        )
    });
    let personal = if field.is_personal { "personal" } else { "" };
    let parts = [
        role.to_owned(),
        personal.to_owned(),
        expiry.unwrap_or_default(),
        default.unwrap_or_default(),
        former.unwrap_or_default(),
        escape_text(&field.doc),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

/// The other row of its items, and the step of their move.
fn second_key_text(second: &SecondKeySchema) -> String {
    let other = inline_code(&second.other);
    match second.usage {
        SecondKeyUse::Next => format!(
            "Its items move to the key of {other}: each write also writes that row, which is not read yet."
        ),
        SecondKeyUse::Was => format!(
            "Its items come from the key of {other}: each write also writes that row, which older programs read."
        ),
        SecondKeyUse::Dropped => {
            format!("Its items come from the key of {other}, whose rows are being deleted.")
        }
    }
}

/// The number of a shape, and the steps that are not done yet.
fn shape_text(shape: &ShapeSchema) -> String {
    let mut text = format!("Its items have shape {}", shape.number);
    if let Some(was) = &shape.was {
        let _ = write!(
            text,
            ", or the one before, declared by {}",
            inline_code(was)
        );
    }
    if shape.writes < shape.number {
        let _ = write!(text, ". Shape {} is still written", shape.writes);
    }
    text + "."
}
