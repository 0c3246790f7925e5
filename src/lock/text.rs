//! The stored form as a text: one fact a line, always in the same order. The lines of a block give the sum at its end,
//! so changes of two branches to one block meet in that line, and those to different blocks do not meet.

use sha2::{Digest, Sha256};

use super::stored::{
    StoredAttribute, StoredContent, StoredEntity, StoredFields, StoredIndex, StoredKey,
    StoredModel, StoredPart, StoredPattern, StoredPiece, StoredTableHead, StoredTemplate,
    StoredValue, StoredWhen, ValueKind,
};
use super::words::{is_plain, name, quoted};
use crate::schema::{FieldRole, KeyAttribute, Presence, ProjectionSchema, Word};

/// The number of the format. Every new kind of line raises it, for an older version must not read past one.
pub(super) const FORMAT: u64 = 2;
/// The beginning of the first line; the number follows.
pub(super) const TITLE: &str = "dynamo-entity lock file, format ";
/// The last line, so that a file that was cut off is noticed.
pub(super) const END: &str = "end";
const NOTE: &str = "\
# What is stored, as of the last review of it. It is compared with the declarations by `lock::check` in a test.
# `DYNAMO_LOCK=write cargo test` writes it; commit it with the code, and let nobody else write it.
";

/// A table or an entity, as lines.
pub(super) struct FactBlock {
    /// The first line.
    pub(super) header: String,
    /// Lines that only list the blocks of the table's entities. They are not summed, so that branches that add entities
    /// do not meet there.
    pub(super) listed: Vec<String>,
    /// All other lines.
    pub(super) facts: Vec<String>,
}

pub(super) fn text(model: &StoredModel) -> String {
    let mut text = format!("{TITLE}{FORMAT}\n{NOTE}\n");
    for (table, stored) in &model.tables {
        let entities = stored.entities.keys().map(String::as_str);
        text.push_str(&table_block(table, &stored.head, entities).text());
        for (entity, stored) in &stored.entities {
            text.push_str(&entity_block(table, entity, stored).text());
        }
    }
    text + END + "\n"
}

impl FactBlock {
    pub(super) fn sum(&self) -> String {
        sum([&self.header]
            .into_iter()
            .chain(&self.facts)
            .map(String::as_str))
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &String> {
        [&self.header]
            .into_iter()
            .chain(&self.listed)
            .chain(&self.facts)
    }

    fn text(&self) -> String {
        let lines: String = self.lines().map(|line| format!("{line}\n")).collect();
        format!("{lines}  sum {}\n\n", self.sum())
    }
}

/// The sum of lines, which no change of them keeps.
pub(super) fn sum<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line);
        digest.update("\n");
    }
    let digest = digest.finalize();
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

pub(super) fn table_block<'e>(
    table: &str,
    head: &StoredTableHead,
    entities: impl Iterator<Item = &'e str>,
) -> FactBlock {
    let mut facts = vec![format!("  pk {}", attribute(&head.pk))];
    facts.extend(head.sk.iter().map(|sk| format!("  sk {}", attribute(sk))));
    facts.extend(
        head.type_attribute
            .iter()
            .map(|ty| format!("  type {}", name(ty))),
    );
    facts.push(format!("  keys {}", name(&head.style.word())));
    facts.extend(head.ttl.iter().map(|ttl| format!("  ttl {}", name(ttl))));
    facts.extend(
        head.stream
            .iter()
            .map(|stream| format!("  stream {}", stream.word())),
    );
    for (index, stored) in &head.indexes {
        index_facts(index, stored, &mut facts);
    }
    FactBlock {
        header: format!("table {}", name(table)),
        listed: entities
            .map(|entity| format!("  entity {}", name(entity)))
            .collect(),
        facts,
    }
}

fn attribute(key: &KeyAttribute) -> String {
    format!("{} {}", name(&key.name), key.ty.word())
}

fn index_facts(index: &str, stored: &StoredIndex, facts: &mut Vec<String>) {
    facts.push(format!("  {} {}", stored.kind.word(), name(index)));
    facts.extend(
        stored
            .pk
            .iter()
            .map(|key| format!("    pk {}", attribute(key))),
    );
    facts.extend(
        stored
            .sk
            .iter()
            .map(|key| format!("    sk {}", attribute(key))),
    );
    match &stored.projection {
        ProjectionSchema::All => facts.push("    holds all".to_owned()),
        ProjectionSchema::Keys => facts.push("    holds keys".to_owned()),
        ProjectionSchema::Include(names) => {
            facts.push("    holds some".to_owned());
            facts.extend(
                names
                    .iter()
                    .map(|held| format!("      attribute {}", name(held))),
            );
        }
    }
}

pub(super) fn entity_block(table: &str, entity: &str, stored: &StoredEntity) -> FactBlock {
    let mut facts = Vec::new();
    facts.extend(stored.append_only.then(|| "  append_only".to_owned()));
    facts.extend(stored.keeps_rest.then(|| "  rest".to_owned()));
    key_facts("  pk", &stored.pk, &mut facts);
    stored
        .sk
        .iter()
        .for_each(|sk| key_facts("  sk", sk, &mut facts));
    for (attribute, stored) in &stored.attributes {
        facts.push(attribute_fact("  ", attribute, stored));
    }
    for (field, ty) in &stored.key_only {
        facts.push(format!("  key_only {} {}", name(field), quoted(ty)));
    }
    for (pattern, stored) in &stored.patterns {
        pattern_facts(pattern, stored, &mut facts);
    }
    for (unique, stored) in &stored.uniques {
        let look_up = name(&stored.look_up);
        facts.push(format!("  unique {} by {look_up}", name(unique)));
        let parts = stored.parts.iter();
        facts.extend(parts.map(|part| format!("    part {}", part_fact(part))));
    }
    for (value, stored) in &stored.values {
        value_facts(value, stored, &mut facts);
    }
    FactBlock {
        header: format!("entity {} of {}", name(entity), name(table)),
        listed: Vec::new(),
        facts,
    }
}

/// `value Payment tagged kind`, and what it holds on the lines below.
fn value_facts(value: &str, stored: &StoredValue, facts: &mut Vec<String>) {
    let kind = match &stored.kind {
        ValueKind::Struct => "struct".to_owned(),
        ValueKind::Wraps(inner) => format!("wraps {}", quoted(inner)),
        ValueKind::Names => "names".to_owned(),
        ValueKind::Numbers => "numbers".to_owned(),
        ValueKind::Tagged(tag) => format!("tagged {}", name(tag)),
    };
    facts.push(format!("  value {} {kind}", name(value)));
    field_facts("    ", &stored.fields, facts);
    for (variant, stored) in &stored.variants {
        let called = stored.rust_name.as_ref();
        let called = called.map_or(String::new(), |called| format!(" called {}", name(called)));
        facts.push(format!("    variant {}{called}", name(variant)));
        field_facts("      ", &stored.fields, facts);
    }
}

fn field_facts(indent: &str, fields: &StoredFields, facts: &mut Vec<String>) {
    facts.extend(fields.keeps_rest.then(|| format!("{indent}rest")));
    let attributes = fields.attributes.iter();
    facts.extend(attributes.map(|(name, stored)| attribute_fact(indent, name, stored)));
}

/// `attribute note S optional "String"`
fn attribute_fact(indent: &str, attribute: &str, stored: &StoredAttribute) -> String {
    let ty = stored.stored.map_or("any".to_owned(), |tag| tag.word());
    let necessity = match stored.is_required {
        true => "required",
        false => "optional",
    };
    let mut fact = format!(
        "{indent}attribute {} {ty} {necessity} {}",
        name(attribute),
        quoted(&stored.value_type)
    );
    if stored.role != FieldRole::Attribute {
        fact.push_str(&format!(" role {}", stored.role.word()));
    }
    if let Some(form) = &stored.form {
        fact.push_str(&format!(" form {}", name(form)));
    }
    if let Some(default) = &stored.default {
        fact.push_str(&format!(" default {}", quoted(default)));
    }
    if let Some(called) = &stored.rust_name {
        fact.push_str(&format!(" called {}", name(called)));
    }
    fact
}

/// `pk pk S "USER#{user}"` and a line for each part, or `pk id N = id`.
fn key_facts(role: &str, key: &StoredKey, facts: &mut Vec<String>) {
    let attribute = attribute(&key.attribute);
    match &key.content {
        StoredContent::Bare(field) => facts.push(format!("{role} {attribute} = {}", name(field))),
        StoredContent::Template(template) => {
            facts.push(format!(
                "{role} {attribute} {}",
                quoted(&template.to_string())
            ));
            let indent = " ".repeat(2 + role.len() - role.trim_start().len());
            let parts = key
                .parts()
                .map(|part| format!("{indent}part {}", part_fact(part)));
            facts.extend(parts);
            let shards = template.shards;
            facts.extend(shards.map(|shards| format!("{indent}shards {shards}")));
        }
    }
}

/// `due fixed:10 format date:last last`
fn part_fact(part: &StoredPart) -> String {
    let mut fact = format!("{} {}", name(&part.name), part.width.word());
    if let Some(format) = &part.format {
        fact.push_str(&format!(" format {}", name(format)));
    }
    if part.presence != Presence::Always {
        fact.push_str(&format!(" {}", part.presence.word()));
    }
    fact
}

fn pattern_facts(pattern: &str, stored: &StoredPattern, facts: &mut Vec<String>) {
    facts.push(format!(
        "  pattern {} in {}",
        name(pattern),
        name(&stored.index)
    ));
    stored
        .pk
        .iter()
        .for_each(|key| key_facts("    pk", key, facts));
    stored
        .sk
        .iter()
        .for_each(|key| key_facts("    sk", key, facts));
    let read = stored.read_shards;
    facts.extend(read.map(|shards| format!("    read_shards {shards}")));
    match &stored.when {
        None => {}
        Some(StoredWhen::Function(call)) => {
            facts.push(format!("    when_function {}", quoted(call)));
        }
        Some(StoredWhen::OneOf(attribute, values)) => {
            facts.push(format!("    when {}", name(attribute)));
            let values = values.iter();
            facts.extend(values.map(|value| format!("      value {}", quoted(value))));
        }
    }
}

/// As it is declared, but for the names of attributes: `USER#{user_id}`.
impl std::fmt::Display for StoredTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for piece in &self.pieces {
            match piece {
                StoredPiece::Text(text) => {
                    f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
                }
                StoredPiece::Part(part) => write!(f, "{{{}}}", part.shown())?,
            }
        }
        Ok(())
    }
}

impl StoredPart {
    /// As it is in a template; the line of the part has names that are no words.
    pub(super) fn shown(&self) -> String {
        match &self.format {
            _ if !is_plain(&self.name) => "?".to_owned(),
            Some(format) if !format.contains('}') => format!("{}:{format}", self.name),
            _ => self.name.clone(),
        }
    }
}
