//! Tables of Markdown, for design documents.

use std::fmt::Write;

use crate::dynamo::TablePrefix;
use crate::export::calls::{self, split};
use crate::json::Tag;
use crate::schema::{
    Billing, CollectionSchema, EntitySchema, FieldRole, FieldSchema, IndexSchema, KeyAttribute,
    KeySchema, PatternSchema, ProjectionSchema, SecondKeySchema, SecondKeyUse, ShapeSchema,
    StreamView, TableClass, TableSchema, ValueContent, ValueSchema, VariantSchema,
};

/// The declarations, as tables of Markdown that a person pastes into a design document: for each table its keys, its indexes,
/// its entities with their fields, its access patterns with the call of each, its unique values, and the types of values that
/// its fields hold.
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
}

/// A table of texts, with a line for each row.
struct Grid<const N: usize> {
    heads: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl Markdown {
    /// The text of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Markdown {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            level: 2,
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = TablePrefix::new(prefix.into());
        self
    }

    /// The level of the headings of tables, 1 to 4; 2 if nothing is said.
    #[must_use]
    pub fn level(mut self, level: usize) -> Self {
        self.level = level.clamp(1, 4);
        self
    }

    /// The text.
    pub fn text(&self) -> String {
        let texts = self.schemas.iter().map(|schema| self.table(schema));
        texts.collect::<Vec<_>>().join("\n")
    }

    fn table(&self, schema: &TableSchema) -> String {
        let heading = "#".repeat(self.level);
        let mut out = format!("{heading} Table `{}`\n\n", self.prefix.name(&schema.name));
        paragraph(&mut out, &schema.doc);
        facts(schema).write(&mut out);
        let mut section = |title: &str, grid: String| {
            if !grid.is_empty() {
                // Writing to a text never fails.
                let _ = write!(out, "\n{heading}# {title}\n\n{grid}");
            }
        };
        section("Indexes", indexes(schema).text());
        section("Access patterns", patterns(schema).text());
        section("Unique values", uniques(schema).text());
        for entity in &schema.entities {
            let _ = write!(out, "\n{heading}# Entity `{}`\n\n", entity.name);
            paragraph(&mut out, &entity.doc);
            if entity.append_only {
                paragraph(
                    &mut out,
                    "Its items are only added, never changed or deleted.",
                );
            }
            if let Some(shape) = &entity.shape {
                paragraph(&mut out, &shape_text(shape));
            }
            if let Some(second) = &entity.second_key {
                paragraph(&mut out, &second_key_text(second));
            }
            fields(&entity.fields).write(&mut out);
        }
        for value in &schema.values {
            let _ = write!(out, "\n{heading}# Type {}\n\n", code(&value.name));
            paragraph(&mut out, &value.doc);
            content(value, &mut out);
        }
        out
    }
}

impl<const N: usize> Grid<N> {
    fn text(&self) -> String {
        let mut out = String::new();
        if !self.rows.is_empty() {
            self.write(&mut out);
        }
        out
    }

    fn write(&self, out: &mut String) {
        let line = |cells: [&str; N]| format!("| {} |\n", cells.join(" | "));
        out.push_str(&line(self.heads));
        out.push_str(&format!("|{}\n", "---|".repeat(N)));
        for row in &self.rows {
            out.push_str(&line(row.each_ref().map(String::as_str)));
        }
    }
}

fn paragraph(out: &mut String, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "{text}\n\n");
    }
}

/// Text in a cell, which is one line and has no bar of its own.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

/// A name or a template, which is shown as it is.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = plain(text);
    match text.contains('`') {
        // Markdown has no escape for a backtick within code.
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

fn codes<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts = texts.into_iter().map(code);
    texts.collect::<Vec<_>>().join(", ")
}

fn facts(schema: &TableSchema) -> Grid<2> {
    let mut rows = Vec::new();
    let mut fact = |name: &str, value: Option<String>| {
        rows.extend(value.map(|value| [name.to_owned(), value]));
    };
    let settings = &schema.settings;
    let class = settings.class.map(|class| match class {
        TableClass::Standard => "standard",
        TableClass::InfrequentAccess => "infrequent access",
    });
    fact("partition key", Some(attribute(&schema.pk)));
    fact("sort key", schema.sk.as_ref().map(attribute));
    fact(
        "entity named by",
        schema.type_attribute.as_deref().map(code),
    );
    fact("items expire by", schema.ttl.as_deref().map(code));
    fact("stream", schema.stream.map(|view| stream(view).to_owned()));
    fact("billed", Some(billing(settings.billing)));
    fact("class", class.map(str::to_owned));
    fact(
        "protected from deletion",
        settings
            .deletion_protection
            .map(|on| if on { "yes" } else { "no" }.to_owned()),
    );
    fact(
        "can be restored",
        settings
            .point_in_time_recovery
            .map(|days| format!("{days} days back")),
    );
    fact(
        "global table",
        settings.replicas.as_ref().map(ToString::to_string),
    );
    let tags = settings
        .tags
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let tags: Vec<String> = tags.collect();
    fact(
        "tags",
        (!tags.is_empty()).then(|| codes(tags.iter().map(String::as_str))),
    );
    Grid {
        heads: ["", ""],
        rows,
    }
}

fn attribute(key: &KeyAttribute) -> String {
    format!("{} ({:?})", code(&key.name), key.ty)
}

fn attributes(keys: &[KeyAttribute]) -> String {
    keys.iter().map(attribute).collect::<Vec<_>>().join(", ")
}

fn stream(view: StreamView) -> &'static str {
    match view {
        StreamView::KeysOnly => "keys",
        StreamView::NewImage => "items after the change",
        StreamView::OldImage => "items before the change",
        StreamView::NewAndOldImages => "items before and after the change",
    }
}

fn billing(billing: Option<Billing>) -> String {
    match billing {
        None | Some(Billing::OnDemand) => "on demand".to_owned(),
        Some(Billing::Provisioned { reads, writes }) => {
            format!("{reads} read and {writes} write units, also of each global index")
        }
        Some(Billing::Scaled { reads, writes }) => {
            format!(
                "{reads} read and {writes} write units at first, also of each global index; others scale them"
            )
        }
    }
}

fn indexes(schema: &TableSchema) -> Grid<5> {
    let row = |index: &IndexSchema, kind: &str| {
        let holds = match &index.projection {
            ProjectionSchema::All => "all attributes".to_owned(),
            ProjectionSchema::Keys => "keys".to_owned(),
            ProjectionSchema::Include(names) => {
                format!("keys, {}", codes(names.iter().map(String::as_str)))
            }
        };
        let keys = [attributes(&index.pk), attributes(&index.sk)];
        let [pk, sk] = keys;
        [code(&index.name), kind.to_owned(), pk, sk, holds]
    };
    let global = schema
        .global_indexes
        .iter()
        .map(|index| row(index, "global"));
    let local = schema.local_indexes.iter().map(|index| row(index, "local"));
    Grid {
        heads: ["index", "kind", "partition key", "sort key", "holds"],
        rows: global.chain(local).collect(),
    }
}

/// The templates of a key, one behind the other.
fn templates<'k>(keys: impl IntoIterator<Item = &'k KeySchema>) -> String {
    let shown: Vec<String> = keys.into_iter().map(template).collect();
    shown.join(", ")
}

fn template(key: &KeySchema) -> String {
    let (text, shards) = split(&key.to_string());
    let text = code(&text);
    match shards {
        Some(shards) => format!("{text} in {shards} shards"),
        None => text,
    }
}

fn call(owner: &str, name: &str, keys: &[&KeySchema]) -> String {
    code(&calls::call(owner, name, keys))
}

fn patterns(schema: &TableSchema) -> Grid<5> {
    let mut rows = Vec::new();
    for entity in &schema.entities {
        let keys: Vec<&KeySchema> = [&entity.pk].into_iter().chain(&entity.sk).collect();
        rows.push([
            call(&entity.name, "key", &keys),
            "table".to_owned(),
            template(&entity.pk),
            templates(&entity.sk),
            "one item".to_owned(),
        ]);
        if let Some(sk) = &entity.sk {
            rows.push([
                call(&entity.name, "in_partition", &[&entity.pk]),
                "table".to_owned(),
                template(&entity.pk),
                template(sk),
                String::new(),
            ]);
        }
        rows.extend(
            entity
                .patterns
                .iter()
                .map(|pattern| by_index(entity, pattern)),
        );
    }
    rows.extend(schema.collections.iter().map(collection));
    Grid {
        heads: ["call", "reads", "partition key", "sort key", "rows"],
        rows,
    }
}

fn by_index(entity: &EntitySchema, pattern: &PatternSchema) -> [String; 5] {
    let own = [&entity.pk];
    let pk: Vec<&KeySchema> = match pattern.pk.is_empty() {
        true => own.to_vec(),
        false => pattern.pk.iter().collect(),
    };
    let when = pattern
        .when
        .as_ref()
        .map(|when| format!("where {}", code(when)));
    let keys = (!pattern.has_whole_rows).then(|| "keys".to_owned());
    let rows: Vec<String> = keys.into_iter().chain(when).collect();
    [
        call(&entity.name, &pattern.name, &pk),
        format!("index {}", code(&pattern.index)),
        templates(pk),
        templates(&pattern.sk),
        rows.join(" "),
    ]
}

fn collection(collection: &CollectionSchema) -> [String; 5] {
    let reads = match &collection.index {
        Some(index) => format!("index {}", code(index)),
        None => "table".to_owned(),
    };
    let call = match &collection.partition {
        Some(parts) => format!("{}::in_partition({})", collection.name, parts.join(", ")),
        None => format!("{}::scan()", collection.name),
    };
    let entities = codes(collection.entities.iter().map(String::as_str));
    [code(&call), reads, String::new(), String::new(), entities]
}

fn uniques(schema: &TableSchema) -> Grid<3> {
    let rows = schema.entities.iter().flat_map(|entity| {
        entity.uniques.iter().map(|unique| {
            let fields = unique.fields.join(", ");
            [
                code(&format!("{}::{}({fields})", entity.name, unique.name)),
                code(&entity.name),
                codes(unique.fields.iter().map(String::as_str)),
            ]
        })
    });
    Grid {
        heads: ["look-up", "owner", "no two have the same"],
        rows: rows.collect(),
    }
}

/// The content of a declared value.
fn content(value: &ValueSchema, out: &mut String) {
    match &value.content {
        ValueContent::Struct(struct_fields) => fields(struct_fields).write(out),
        ValueContent::Newtype(inner) => {
            out.push_str(&format!("It is stored as {}.\n", code(inner)))
        }
        ValueContent::Names(names) | ValueContent::Numbers(names) => {
            variants(names).write(out);
        }
        ValueContent::Tagged {
            tag,
            variants: data,
        } => {
            paragraph(out, &format!("The variant is named by {}.", code(tag)));
            variants(data).write(out);
        }
    }
}

fn variants(variants: &[VariantSchema]) -> Grid<3> {
    let rows = variants.iter().map(|variant| {
        let fields = variant.fields.iter().map(|field| {
            let attribute = field.attribute.as_deref().map(code).unwrap_or_default();
            format!("{attribute}: {}", code(&field.rust_type))
        });
        let fields: Vec<String> = fields.collect();
        [
            code(&variant.name),
            code(&variant.stored),
            fields.join(", "),
        ]
    });
    Grid {
        heads: ["variant", "stored as", "fields"],
        rows: rows.collect(),
    }
}

fn fields(fields: &[FieldSchema]) -> Grid<5> {
    let rows = fields.iter().map(|field| {
        [
            code(&field.name),
            field.attribute.as_deref().map(code).unwrap_or_default(),
            code(&field.rust_type),
            field.stored.map_or("", Tag::name).to_owned(),
            about(field),
        ]
    });
    Grid {
        heads: ["field", "attribute", "type", "stored as", ""],
        rows: rows.collect(),
    }
}

/// The role of a field in the library, and its doc comment.
fn about(field: &FieldSchema) -> String {
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
    let former = former.map(|former| format!("was {}", code(former)));
    let default = field
        .default
        .as_ref()
        .map(|default| format!("default {}", code(default)));
    let expiry = field.expiry.as_ref();
    let expiry =
        expiry.map(|expiry| format!("{} after {}", expiry.lifetime(), code(&expiry.source)));
    let parts = [
        role.to_owned(),
        expiry.unwrap_or_default(),
        default.unwrap_or_default(),
        former.unwrap_or_default(),
        plain(&field.doc),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

/// The other row of its items, and the step of their move.
fn second_key_text(second: &SecondKeySchema) -> String {
    let other = code(&second.other);
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
        let _ = write!(text, ", or the one before, declared by {}", code(was));
    }
    if shape.writes < shape.number {
        let _ = write!(text, ". Shape {} is still written", shape.writes);
    }
    text + "."
}
