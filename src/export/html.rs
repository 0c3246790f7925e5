//! The model as a page that a browser shows.

mod markup;
mod requests;
mod sample;
mod samples;
mod views;

use sha2::{Digest, Sha256};

use crate::clock::Timestamp;
use crate::codec::{Item, Value};
use crate::dynamo::{Dynamo, TablePrefix};
use crate::entity::{DynamoEntity, encode_as_is};
use crate::error::{Error, Result};
use crate::export::calls::{join_templates, show_call, show_large, show_unique};
use crate::export::setting_facts::setting_facts;
use crate::schema::{EntitySchema, FieldSchema, KeyAttribute, ProjectionSchema, TableSchema};
use markup::Markup;
use requests::{ROWS, Requests, ShownPattern};
use sample::Sample;
use views::{SampleRow, View, ViewRow, sample_rows, show_value, table_views};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The model as one HTML file, to read and to share: the tables with their settings, the tables and their indexes as
/// partitions and rows of samples, the access patterns with call, request and cost, unique values, fields and lints.
///
/// The file needs no other file: it works from a disk, sends no request, and shows the texts of the model unchanged,
/// whatever they contain.
///
/// The samples are made from the types of the fields, and the code of each entity writes them, so their keys are those
/// that a program stores. Pass [your own](Html::sample) if they show more. A schema that was read from JSON has no such
/// code, and therefore no samples.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Html;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = "ORDER#{id:06}"), gsi(by_status, pk = status, sk = id))]
/// # struct Order { id: u32, status: String }
/// # fn main() -> Result<()> {
/// let page = Html::new([Order::schema()]).title("Orders").sample(&Order { id: 7, status: "<b>PAID".into() })?;
/// let page = page.document()?;
/// assert!(page.contains("ORDER#000007") && page.contains("&lt;b&gt;PAID"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Html {
    schemas: Vec<TableSchema>,
    prefix: String,
    title: String,
    /// The given samples, each with the number of its table.
    given: Vec<(usize, Sample)>,
}

/// An item of a page; see [`Html::samples`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleItem {
    /// The name of the table, without a prefix.
    pub table: String,
    /// The name of the entity.
    pub entity: String,
    /// The attributes as they are stored.
    pub item: Item,
    /// Whether it is an item that stores a unique value of the entity.
    pub is_sentinel: bool,
}

impl Html {
    /// Creates the page of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Html {
            schemas: schemas.into_iter().collect(),
            prefix: String::new(),
            title: "Tables".to_owned(),
            given: Vec::new(),
        }
    }

    /// Sets the prefix of the table names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the title, `Tables` by default.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Shows this entity instead of generated samples of its type. You can call it several times.
    ///
    /// If the entity is in none of the tables, or if its key is not valid, this is an error.
    pub fn sample<E: DynamoEntity>(mut self, entity: &E) -> Result<Self> {
        let schemas = self.schemas.iter().enumerate();
        let mut declared = schemas.filter_map(|(at, schema)| {
            let entity = schema.declared::<E>().ok()?;
            Some((at, schema, entity))
        });
        let Some((at, schema, declared)) = declared.next() else {
            let name = E::ENTITY.type_name;
            return Err(Error::config(format!(
                "`{name}` is in none of the tables of the page"
            )));
        };
        let json = encode_as_is(entity);
        let json = json.map_err(|fault| Error::encode(E::ENTITY.type_name, fault))?;
        let sample = Sample::of_json(schema, declared, &json, 0)?;
        self.given.push((at, sample));
        Ok(self)
    }

    /// Returns the items of the page, in the order of the tables: for example to fill a local table with them.
    pub fn samples(&self) -> Vec<SampleItem> {
        let mut items = Vec::new();
        for (at, schema) in self.schemas.iter().enumerate() {
            let samples = self.samples_of(at, schema);
            let rows = sample_rows(&samples);
            items.extend(rows.into_iter().map(|row| SampleItem {
                table: schema.name.clone(),
                entity: row.entity.to_owned(),
                item: row.item,
                is_sentinel: row.is_sentinel,
            }));
        }
        items
    }

    /// Returns the text of the file.
    pub fn document(&self) -> Result<String> {
        // A fixed time, because the same model gives the same text.
        let now = Timestamp::from_unix(1_772_357_400, 0).unwrap_or(Timestamp::EPOCH);
        let db = Dynamo::without_connection()
            .with_prefix(&self.prefix)
            .with_clock(move || now);
        let mut page = Markup::default();
        self.write_head(&mut page);
        page.open_element("main", "");
        for (at, schema) in self.schemas.iter().enumerate() {
            let samples = self.samples_of(at, schema);
            let requests = Requests {
                db: &db,
                schema,
                samples: &samples,
            };
            page.open_numbered("section", "id", "t", at);
            self.write_table(&mut page, &requests);
            page.close_element("section");
        }
        page.write_constant("</main>\n<script>");
        page.write_constant(SCRIPT);
        page.write_constant("</script>\n</body>\n</html>\n");
        Ok(page.into_text())
    }

    fn samples_of(&self, at: usize, schema: &TableSchema) -> Vec<Sample> {
        let mut samples = Vec::new();
        for entity in &schema.entities {
            let given = self.given.iter();
            let given = given.filter(|(table, of)| *table == at && of.entity == entity.name);
            let given: Vec<Sample> = given.map(|(_, sample)| sample.clone()).collect();
            samples.extend(match given.is_empty() {
                true => samples::entity_samples(schema, entity),
                false => given,
            });
        }
        samples
    }

    fn write_head(&self, page: &mut Markup) {
        page.write_constant(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        );
        // The escaping of texts is the first guard. This is the second one: no other style and script runs, even if a
        // text became markup.
        page.write_constant("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
        page.write_text(&script_digest(STYLE));
        page.write_constant("'; script-src 'sha256-");
        page.write_text(&script_digest(SCRIPT));
        page.write_constant("'; base-uri 'none'; form-action 'none'\">\n");
        page.write_constant(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        );
        page.write_element("title", "", &self.title);
        page.write_constant("\n<style>");
        page.write_constant(STYLE);
        page.write_constant("</style>\n</head>\n<body>\n<header>\n");
        page.write_element("h1", "", &self.title);
        page.write_constant("<input type=\"search\" placeholder=\"Search names, keys and values\" aria-label=\"Search\" hidden>\n");
        page.write_constant(
            "<span id=\"found\" class=\"soft\" role=\"status\"></span>\n<nav><ul>\n",
        );
        let prefix = TablePrefix::new(self.prefix.clone());
        for (at, schema) in self.schemas.iter().enumerate() {
            page.open_element("li", "");
            page.open_numbered("a", "href", "#t", at);
            page.write_text(&prefix.full_name(&schema.name));
            page.close_element("a");
            page.close_element("li");
        }
        page.write_constant("</ul></nav>\n</header>\n");
    }

    fn write_table(&self, page: &mut Markup, requests: &Requests<'_>) {
        let schema = requests.schema;
        let name = TablePrefix::new(self.prefix.clone()).full_name(&schema.name);
        page.write_element("h2", "", &name);
        write_docs(page, &schema.doc);
        write_settings(page, schema);
        let rows = sample_rows(requests.samples);
        for view in table_views(schema, &rows) {
            write_view(page, schema, &view, &rows);
        }
        write_block(page, "Access patterns", |page| {
            page.open_element("div", "patterns");
            requests
                .shown_patterns()
                .iter()
                .for_each(|shown| write_pattern(page, shown));
            page.close_element("div");
        });
        write_uniques(page, schema);
        write_large_values(page, schema);
        for entity in &schema.entities {
            write_entity(page, entity, requests.cost_of_put(entity));
        }
        write_lints(page, schema);
    }
}

/// The hash of a part of the page, as a policy names it.
fn script_digest(part: &str) -> String {
    base64_simd::STANDARD.encode_to_string(Sha256::digest(part.as_bytes()))
}

fn write_docs(page: &mut Markup, doc: &str) {
    for paragraph in doc.split("\n\n").filter(|text| !text.trim().is_empty()) {
        page.write_element("p", "", paragraph.trim());
    }
}

fn write_block(page: &mut Markup, title: &str, content: impl FnOnce(&mut Markup)) {
    page.open_element("div", "block");
    page.write_element("h3", "", title);
    content(page);
    page.close_element("div");
}

fn write_settings(page: &mut Markup, schema: &TableSchema) {
    write_block(page, "Settings", |page| {
        write_grid(page, &["setting", "value"], |page| {
            for (title, value) in setting_facts(schema, str::to_owned) {
                page.open_element("tr", "");
                page.write_element("td", "", title);
                page.write_element("td", "", &value);
                page.close_element("tr");
            }
        });
    });
}

/// A table that is scrolled within itself. It can have the focus, so that keys scroll it.
fn write_grid(page: &mut Markup, heads: &[&str], rows: impl FnOnce(&mut Markup)) {
    page.write_constant("<div class=\"scroll\" tabindex=\"0\">");
    page.write_constant("<table><thead><tr>");
    heads
        .iter()
        .for_each(|head| page.write_element("th", "", head));
    page.write_constant("</tr></thead><tbody>\n");
    rows(page);
    page.write_constant("</tbody></table></div>\n");
}

fn join_names(keys: &[&KeyAttribute]) -> String {
    let names = keys
        .iter()
        .map(|key| format!("{} ({:?})", key.name, key.ty));
    names.collect::<Vec<_>>().join(", ")
}

fn write_view(page: &mut Markup, schema: &TableSchema, view: &View<'_>, stored: &[SampleRow<'_>]) {
    let title = match view.index {
        None => "Items of the table".to_owned(),
        Some(index) => {
            let is_local = schema
                .local_indexes
                .iter()
                .any(|local| local.name == index.name);
            let kind = if is_local { "Local index" } else { "Index" };
            let holds = match &index.projection {
                ProjectionSchema::All => "all attributes".to_owned(),
                ProjectionSchema::Keys => "keys".to_owned(),
                ProjectionSchema::Include(names) => format!("keys, {}", names.join(", ")),
            };
            format!("{kind} {}: {holds}", index.name)
        }
    };
    write_block(page, &title, |page| {
        let (partition, sort) = (join_names(&view.partition), join_names(&view.sort));
        if view.rows.is_empty() {
            page.open_element("p", "soft");
            page.write_text(&format!("partition key {partition}"));
            if !sort.is_empty() {
                page.write_text(&format!(", sort key {sort}"));
            }
            page.write_text("; there is no sample");
            page.close_element("p");
            return;
        }
        let mut heads = vec!["entity", partition.as_str()];
        heads.extend((!sort.is_empty()).then_some(sort.as_str()));
        heads.push("attributes");
        write_grid(page, &heads, |page| {
            let mut before: Option<&ViewRow<'_>> = None;
            for row in &view.rows {
                let begins = before.is_none_or(|before| before.partition != row.partition);
                let is_sentinel = stored.get(row.number).is_some_and(|row| row.is_sentinel);
                view_row(page, row, begins, is_sentinel);
                before = Some(row);
            }
        });
    });
}

fn view_row(page: &mut Markup, row: &ViewRow<'_>, begins: bool, is_sentinel: bool) {
    page.open_row(if begins { "first" } else { "" }, row.number);
    page.open_element("td", "e");
    page.write_text(row.entity);
    page.write_text(if is_sentinel { ", unique value" } else { "" });
    page.close_element("td");
    let keys = |values: &[&Value]| {
        let texts: Vec<String> = values.iter().map(|value| show_value(value)).collect();
        texts.join(", ")
    };
    page.open_element("td", "k");
    page.write_value(&keys(&row.partition));
    page.close_element("td");
    if !row.sort.is_empty() {
        page.open_element("td", "k");
        page.write_value(&keys(&row.sort));
        page.close_element("td");
    }
    page.write_constant("<td><dl>");
    for (name, value) in &row.attributes {
        page.open_element("div", "");
        page.write_element("dt", "", name);
        page.open_element("dd", "");
        page.write_value(&show_value(value));
        page.close_element("dd");
        page.close_element("div");
    }
    page.write_constant("</dl></td>");
    page.close_element("tr");
}

fn write_pattern(page: &mut Markup, shown: &ShownPattern) {
    page.open_element("div", "pattern");
    page.write_element("code", "", &shown.call);
    page.open_element("p", "soft");
    match &shown.index {
        Some(index) => page.write_text(&format!("index {index}")),
        None => page.write_text("table"),
    }
    for (name, key) in [("partition", &shown.partition), ("sort", &shown.sort)] {
        if !key.is_empty() {
            page.write_text(&format!(", {name} "));
            page.write_element("code", "", key);
        }
    }
    shown
        .about
        .iter()
        .for_each(|about| page.write_text(&format!("; {about}")));
    page.close_element("p");
    if let Some(request) = &shown.request {
        page.open_element("p", "");
        page.write_text(&request.cost);
        if request.operation == "Query" {
            page.write_text(&format!(", for {ROWS} rows like the sample"));
        }
        page.close_element("p");
        page.open_element("details", "");
        page.write_element("summary", "", request.operation);
        request
            .bodies
            .iter()
            .take(3)
            .for_each(|body| page.write_element("pre", "", body));
        if request.bodies.len() > 3 {
            let more = format!("and {} more, one for each shard", request.bodies.len() - 3);
            page.write_element("p", "soft", &more);
        }
        page.close_element("details");
    }
    page.close_element("div");
}

fn write_large_values(page: &mut Markup, schema: &TableSchema) {
    let entities = schema.entities.iter();
    let values = entities.flat_map(|entity| entity.large.iter().map(move |value| (entity, value)));
    let values: Vec<_> = values.collect();
    if values.is_empty() {
        return;
    }
    write_block(page, "Lists and blobs", |page| {
        write_grid(page, &["value", "elements"], |page| {
            for (entity, value) in values {
                page.open_element("tr", "");
                page.open_element("td", "k");
                page.write_text(&show_large(entity, value));
                page.close_element("td");
                let element = value.element.as_deref().unwrap_or("bytes");
                let place = if value.outside {
                    ", outside of DynamoDB"
                } else {
                    ""
                };
                page.write_element("td", "", &format!("{element}{place}"));
                page.close_element("tr");
            }
        });
    });
}

fn write_uniques(page: &mut Markup, schema: &TableSchema) {
    let mut uniques = schema.entities.iter().flat_map(|entity| {
        let uniques = entity.uniques.iter();
        uniques.map(move |unique| (entity, unique))
    });
    let Some(first) = uniques.next() else {
        return;
    };
    write_block(page, "Unique values", |page| {
        write_grid(page, &["look-up", "no two have the same"], |page| {
            for (entity, unique) in std::iter::once(first).chain(uniques) {
                let fields = unique.fields.join(", ");
                page.open_element("tr", "");
                page.open_element("td", "k");
                page.write_text(&show_unique(entity, unique));
                page.close_element("td");
                page.write_element("td", "", &fields);
                page.close_element("tr");
            }
        });
    });
}

fn write_entity(page: &mut Markup, entity: &EntitySchema, cost: Option<String>) {
    write_block(page, &format!("Entity {}", entity.name), |page| {
        write_docs(page, &entity.doc);
        page.open_element("p", "soft");
        page.write_text("key ");
        let keys: Vec<_> = entity.keys().collect();
        page.write_element("code", "", &join_templates(keys.iter().copied()));
        page.write_text(", ");
        page.write_element("code", "", &show_call(&entity.name, "key", &keys));
        if let Some(cost) = cost {
            page.write_text(&format!("; a new item like the sample costs {cost}"));
        }
        page.close_element("p");
        write_grid(
            page,
            &["field", "attribute", "type", "stored as", ""],
            |page| {
                entity.fields.iter().for_each(|of| write_field(page, of));
            },
        );
    });
}

fn write_field(page: &mut Markup, field: &FieldSchema) {
    page.open_element("tr", "");
    page.write_element("td", "k", &field.name);
    page.write_element("td", "k", field.attribute.as_deref().unwrap_or_default());
    page.write_element("td", "k", &field.rust_type);
    page.write_element("td", "", field.stored.map_or("", |stored| stored.name()));
    page.open_element("td", "");
    if field.is_personal {
        page.write_text("personal; ");
    }
    if let Some(default) = &field.default {
        page.write_text(&format!("default {default}; "));
    }
    if let Some(former) = &field.former {
        page.write_text(&format!("was {former}; "));
    }
    page.write_text(field.doc.lines().next().unwrap_or_default());
    page.close_element("td");
    page.close_element("tr");
}

fn write_lints(page: &mut Markup, schema: &TableSchema) {
    let lints = schema.lints();
    if lints.is_empty() {
        return;
    }
    write_block(page, "Lints", |page| {
        for lint in lints {
            page.open_element("div", "lint");
            page.write_element("b", "", &format!("{}: {}", lint.place, lint.rule));
            page.write_element("p", "", &lint.message);
            page.write_element("p", "soft", &lint.fix);
            page.close_element("div");
        }
    });
}
