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
use crate::export::calls::{call, templates};
use crate::schema::{EntitySchema, FieldSchema, KeyAttribute, ProjectionSchema, TableSchema};
use markup::Markup;
use requests::{ROWS, Requests, ShownPattern};
use sample::Sample;
use views::{SampleRow, View, ViewRow, sample_rows, shown, views};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The model as one HTML file, to read and to hand around: the tables and their indexes as partitions and rows of samples,
/// the access patterns with call, request and cost, unique values, fields and lints.
///
/// The file needs nothing else: it works from a disk, sends no request, and shows texts of the model as they are, whatever
/// is in them.
///
/// The samples are made from the types of the fields, and the code of each entity writes them, so their keys are those that
/// a program stores. Pass [your own](Html::sample) if others tell more. A schema that was read from JSON has no such code,
/// and so no samples.
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
    /// Whether it is an item that keeps a unique value of the entity.
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
        let db = Dynamo::unconnected()
            .with_prefix(&self.prefix)
            .with_clock(move || now);
        let mut page = Markup::default();
        self.head(&mut page);
        page.open("main", "");
        for (at, schema) in self.schemas.iter().enumerate() {
            let samples = self.samples_of(at, schema);
            let requests = Requests {
                db: &db,
                schema,
                samples: &samples,
            };
            page.open_numbered("section", "id", "t", at);
            self.table(&mut page, &requests);
            page.close("section");
        }
        page.constant("</main>\n<script>");
        page.constant(SCRIPT);
        page.constant("</script>\n</body>\n</html>\n");
        Ok(page.into_text())
    }

    fn samples_of(&self, at: usize, schema: &TableSchema) -> Vec<Sample> {
        let mut samples = Vec::new();
        for entity in &schema.entities {
            let given = self.given.iter();
            let given = given.filter(|(table, of)| *table == at && of.entity == entity.name);
            let given: Vec<Sample> = given.map(|(_, sample)| sample.clone()).collect();
            samples.extend(match given.is_empty() {
                true => samples::of(schema, entity),
                false => given,
            });
        }
        samples
    }

    fn head(&self, page: &mut Markup) {
        page.constant("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        // The escaping of texts is the first guard. This is the second one: no other style and script runs, even if a
        // text became markup.
        page.constant("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
        page.text(&digest(STYLE));
        page.constant("'; script-src 'sha256-");
        page.text(&digest(SCRIPT));
        page.constant("'; base-uri 'none'; form-action 'none'\">\n");
        page.constant("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.element("title", "", &self.title);
        page.constant("\n<style>");
        page.constant(STYLE);
        page.constant("</style>\n</head>\n<body>\n<header>\n");
        page.element("h1", "", &self.title);
        page.constant("<input type=\"search\" placeholder=\"Search names, keys and values\" aria-label=\"Search\" hidden>\n");
        page.constant("<span id=\"found\" class=\"soft\" role=\"status\"></span>\n<nav><ul>\n");
        let prefix = TablePrefix::new(self.prefix.clone());
        for (at, schema) in self.schemas.iter().enumerate() {
            page.open("li", "");
            page.open_numbered("a", "href", "#t", at);
            page.text(&prefix.name(&schema.name));
            page.close("a");
            page.close("li");
        }
        page.constant("</ul></nav>\n</header>\n");
    }

    fn table(&self, page: &mut Markup, requests: &Requests<'_>) {
        let schema = requests.schema;
        let name = TablePrefix::new(self.prefix.clone()).name(&schema.name);
        page.element("h2", "", &name);
        docs(page, &schema.doc);
        let rows = sample_rows(requests.samples);
        for view in views(schema, &rows) {
            self::view(page, schema, &view, &rows);
        }
        block(page, "Access patterns", |page| {
            page.open("div", "patterns");
            requests
                .patterns()
                .iter()
                .for_each(|shown| pattern(page, shown));
            page.close("div");
        });
        uniques(page, schema);
        for entity in &schema.entities {
            self::entity(page, entity, requests.cost_of_put(entity));
        }
        lints(page, schema);
    }
}

/// The hash of a part of the page, as a policy names it.
fn digest(part: &str) -> String {
    base64_simd::STANDARD.encode_to_string(Sha256::digest(part.as_bytes()))
}

fn docs(page: &mut Markup, doc: &str) {
    for paragraph in doc.split("\n\n").filter(|text| !text.trim().is_empty()) {
        page.element("p", "", paragraph.trim());
    }
}

fn block(page: &mut Markup, title: &str, content: impl FnOnce(&mut Markup)) {
    page.open("div", "block");
    page.element("h3", "", title);
    content(page);
    page.close("div");
}

/// A table that is scrolled within itself. It can have the focus, so that keys scroll it.
fn grid(page: &mut Markup, heads: &[&str], rows: impl FnOnce(&mut Markup)) {
    page.constant("<div class=\"scroll\" tabindex=\"0\">");
    page.constant("<table><thead><tr>");
    heads.iter().for_each(|head| page.element("th", "", head));
    page.constant("</tr></thead><tbody>\n");
    rows(page);
    page.constant("</tbody></table></div>\n");
}

fn names(keys: &[&KeyAttribute]) -> String {
    let names = keys
        .iter()
        .map(|key| format!("{} ({:?})", key.name, key.ty));
    names.collect::<Vec<_>>().join(", ")
}

fn view(page: &mut Markup, schema: &TableSchema, view: &View<'_>, stored: &[SampleRow<'_>]) {
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
    block(page, &title, |page| {
        let (partition, sort) = (names(&view.partition), names(&view.sort));
        if view.rows.is_empty() {
            page.open("p", "soft");
            page.text(&format!("partition key {partition}"));
            if !sort.is_empty() {
                page.text(&format!(", sort key {sort}"));
            }
            page.text("; there is no sample");
            page.close("p");
            return;
        }
        let mut heads = vec!["entity", partition.as_str()];
        heads.extend((!sort.is_empty()).then_some(sort.as_str()));
        heads.push("attributes");
        grid(page, &heads, |page| {
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
    page.open("td", "e");
    page.text(row.entity);
    page.text(if is_sentinel { ", unique value" } else { "" });
    page.close("td");
    let keys = |values: &[&Value]| {
        let texts: Vec<String> = values.iter().map(|value| shown(value)).collect();
        texts.join(", ")
    };
    page.open("td", "k");
    page.value(&keys(&row.partition));
    page.close("td");
    if !row.sort.is_empty() {
        page.open("td", "k");
        page.value(&keys(&row.sort));
        page.close("td");
    }
    page.constant("<td><dl>");
    for (name, value) in &row.attributes {
        page.open("div", "");
        page.element("dt", "", name);
        page.open("dd", "");
        page.value(&shown(value));
        page.close("dd");
        page.close("div");
    }
    page.constant("</dl></td>");
    page.close("tr");
}

fn pattern(page: &mut Markup, shown: &ShownPattern) {
    page.open("div", "pattern");
    page.element("code", "", &shown.call);
    page.open("p", "soft");
    match &shown.index {
        Some(index) => page.text(&format!("index {index}")),
        None => page.text("table"),
    }
    for (name, key) in [("partition", &shown.partition), ("sort", &shown.sort)] {
        if !key.is_empty() {
            page.text(&format!(", {name} "));
            page.element("code", "", key);
        }
    }
    shown
        .about
        .iter()
        .for_each(|about| page.text(&format!("; {about}")));
    page.close("p");
    if let Some(request) = &shown.request {
        page.open("p", "");
        page.text(&request.cost);
        if request.operation == "Query" {
            page.text(&format!(", for {ROWS} rows like the sample"));
        }
        page.close("p");
        page.open("details", "");
        page.element("summary", "", request.operation);
        request
            .bodies
            .iter()
            .take(3)
            .for_each(|body| page.element("pre", "", body));
        if request.bodies.len() > 3 {
            let more = format!("and {} more, one for each shard", request.bodies.len() - 3);
            page.element("p", "soft", &more);
        }
        page.close("details");
    }
    page.close("div");
}

fn uniques(page: &mut Markup, schema: &TableSchema) {
    let mut uniques = schema.entities.iter().flat_map(|entity| {
        let uniques = entity.uniques.iter();
        uniques.map(move |unique| (entity, unique))
    });
    let Some(first) = uniques.next() else {
        return;
    };
    block(page, "Unique values", |page| {
        grid(page, &["look-up", "no two have the same"], |page| {
            for (entity, unique) in std::iter::once(first).chain(uniques) {
                let fields = unique.fields.join(", ");
                page.open("tr", "");
                page.open("td", "k");
                page.text(&format!("{}::{}({fields})", entity.name, unique.name));
                page.close("td");
                page.element("td", "", &fields);
                page.close("tr");
            }
        });
    });
}

fn entity(page: &mut Markup, entity: &EntitySchema, cost: Option<String>) {
    block(page, &format!("Entity {}", entity.name), |page| {
        docs(page, &entity.doc);
        page.open("p", "soft");
        page.text("key ");
        let keys: Vec<_> = entity.keys().collect();
        page.element("code", "", &templates(keys.iter().copied()));
        page.text(", ");
        page.element("code", "", &call(&entity.name, "key", &keys));
        if let Some(cost) = cost {
            page.text(&format!("; a new item like the sample costs {cost}"));
        }
        page.close("p");
        grid(
            page,
            &["field", "attribute", "type", "stored as", ""],
            |page| {
                entity.fields.iter().for_each(|of| field(page, of));
            },
        );
    });
}

fn field(page: &mut Markup, field: &FieldSchema) {
    page.open("tr", "");
    page.element("td", "k", &field.name);
    page.element("td", "k", field.attribute.as_deref().unwrap_or_default());
    page.element("td", "k", &field.rust_type);
    page.element("td", "", field.stored.map_or("", |stored| stored.name()));
    page.open("td", "");
    if let Some(default) = &field.default {
        page.text(&format!("default {default}; "));
    }
    if let Some(former) = &field.former {
        page.text(&format!("was {former}; "));
    }
    page.text(field.doc.lines().next().unwrap_or_default());
    page.close("td");
    page.close("tr");
}

fn lints(page: &mut Markup, schema: &TableSchema) {
    let lints = schema.lints();
    if lints.is_empty() {
        return;
    }
    block(page, "Lints", |page| {
        for lint in lints {
            page.open("div", "lint");
            page.element("b", "", &format!("{}: {}", lint.place, lint.rule));
            page.element("p", "", &lint.message);
            page.element("p", "soft", &lint.fix);
            page.close("div");
        }
    });
}
