//! Entity-relationship diagrams of Mermaid.

use std::fmt::Write;

use crate::schema::{EntitySchema, FieldSchema, KeySchema, PieceSchema, TableSchema};

/// The entities as a diagram of [Mermaid](https://mermaid.js.org), which Markdown of GitHub and GitLab shows: their
/// fields, and the relations that follow from shared parts of keys.
///
/// Two entities are related if one of them is named by the partition that items of the other one are in, in the table
/// or in an index, or if its sort key is the front of the other's.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Mermaid;
/// #[derive(DynamoTable)]
/// #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Customer, Order))]
/// struct Shop;
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "CUSTOMER#{id}", sk = "PROFILE"))]
/// struct Customer { id: String }
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "CUSTOMER#{customer}", sk = "ORDER#{number:06}"))]
/// struct Order { customer: String, number: u32 }
///
/// let diagram = Mermaid::new([Shop::schema()]).diagram();
/// assert!(diagram.starts_with("erDiagram\n"));
/// assert!(diagram.contains(r#"Customer ||--o{ Order : "CUSTOMER#{customer}""#));
/// ```
#[derive(Debug, Clone)]
pub struct Mermaid {
    schemas: Vec<TableSchema>,
}

impl Mermaid {
    /// Creates the diagram of these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Mermaid {
            schemas: schemas.into_iter().collect(),
        }
    }

    /// Returns the text of the diagram.
    pub fn diagram(&self) -> String {
        let mut out = "erDiagram\n".to_owned();
        for schema in &self.schemas {
            for entity in &schema.entities {
                self.write_entity(schema, entity, &mut out);
            }
            for (at, parent) in schema.entities.iter().enumerate() {
                for (other, child) in schema.entities.iter().enumerate() {
                    if let Some((many, label)) = key_relation(parent, child, at < other) {
                        let end = if many { "o{" } else { "o|" };
                        let (parent, child) = (
                            self.entity_name(schema, parent),
                            self.entity_name(schema, child),
                        );
                        let label = quote_label(&label);
                        // Writing to a text never fails.
                        let _ = writeln!(out, "    {parent} ||--{end} {child} : \"{label}\"");
                    }
                }
            }
        }
        out
    }

    fn write_entity(&self, schema: &TableSchema, entity: &EntitySchema, out: &mut String) {
        let _ = writeln!(out, "    {} {{", self.entity_name(schema, entity));
        for field in &entity.fields {
            let key = key_mark(entity, field);
            let _ = writeln!(
                out,
                "        {} {}{key}",
                plain_word(&field.rust_type),
                plain_word(&field.name)
            );
        }
        out.push_str("    }\n");
    }

    /// The name of an entity, with that of its table if two tables have an entity of the name.
    fn entity_name(&self, schema: &TableSchema, entity: &EntitySchema) -> String {
        let tables = self.schemas.iter();
        match tables
            .filter(|table| table.entity(&entity.name).is_some())
            .count()
        {
            0 | 1 => plain_word(&entity.name),
            // A diagram has one namespace for all entities.
            _ => format!("{}-{}", plain_word(&schema.name), plain_word(&entity.name)),
        }
    }
}

/// Whether a field is part of the primary key, or unique.
fn key_mark(entity: &EntitySchema, field: &FieldSchema) -> &'static str {
    let is_key = entity
        .keys()
        .any(|key| key.fields().any(|name| name == field.name));
    let is_unique = entity
        .uniques
        .iter()
        .any(|unique| unique.fields == [field.name.as_str()]);
    match (is_key, is_unique) {
        (true, _) => " PK",
        (false, true) => " UK",
        (false, false) => "",
    }
}

/// Whether an entity is related to another one, to many of its items or to one, and by what. Of two entities that a
/// partition holds once each, the one that is declared first is the parent.
fn key_relation(
    parent: &EntitySchema,
    child: &EntitySchema,
    is_first: bool,
) -> Option<(bool, String)> {
    if parent.name == child.name {
        return None;
    }
    let has_parts = |key: &Option<KeySchema>| {
        let key = key.as_ref();
        key.is_some_and(|key| key.fields().next().is_some())
    };
    // Nothing in a declaration says that entities belong together. It is guessed from keys that are written alike.
    let is_in_partition = is_alike(&parent.pk, &child.pk);
    if !has_parts(&parent.sk) {
        if is_in_partition {
            let many = has_parts(&child.sk);
            // Two entities with one item each in the same partition would otherwise get a line in
            // both directions.
            return (many || is_first).then(|| (many, key_text(&child.pk)));
        }
        let mut patterns = child.patterns.iter();
        return patterns
            .find(|pattern| matches!(pattern.pk.as_slice(), [pk] if is_alike(&parent.pk, pk)))
            .map(|pattern| (true, format!("{}::{}", child.name, pattern.name)));
    }
    let (Some(front), Some(whole)) = (&parent.sk, &child.sk) else {
        return None;
    };
    (is_in_partition && is_front(front, whole)).then(|| (true, key_text(whole)))
}

/// Whether two keys are written alike, with fields of any name: the same texts between as many parts, or one field.
fn is_alike(one: &KeySchema, other: &KeySchema) -> bool {
    match (one.whole_field(), other.whole_field()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => {
            let pieces = one.pieces().iter().zip(other.pieces());
            let has_parts = one.fields().next().is_some();
            has_parts
                && one.pieces().len() == other.pieces().len()
                && pieces.into_iter().all(|(one, other)| is_like(one, other))
        }
        _ => false,
    }
}

/// Whether a template begins with all of another one.
fn is_front(front: &KeySchema, whole: &KeySchema) -> bool {
    let pieces = front.pieces();
    let are_alike = pieces
        .iter()
        .zip(whole.pieces())
        .all(|(one, other)| is_like(one, other));
    front.fields().next().is_some() && pieces.len() < whole.pieces().len() && are_alike
}

fn is_like(one: &PieceSchema, other: &PieceSchema) -> bool {
    match (one, other) {
        (PieceSchema::Text(one), PieceSchema::Text(other)) => one == other,
        (PieceSchema::Part(one), PieceSchema::Part(other)) => one.width == other.width,
        (PieceSchema::Shard(one), PieceSchema::Shard(other)) => one == other,
        _ => false,
    }
}

/// A key as it is declared, without quotes.
fn key_text(key: &KeySchema) -> String {
    key.to_string().replace('"', "")
}

/// A label is in quotes, so it has none of its own.
fn quote_label(label: &str) -> String {
    let is_safe = |character: &char| !character.is_control() && *character != '"';
    label.chars().filter(is_safe).collect()
}

/// A name that the grammar of Mermaid accepts: it begins with a letter, and has letters, digits, `_` and `-`.
fn plain_word(text: &str) -> String {
    let mut word = String::new();
    for character in text.chars() {
        match character.is_ascii_alphanumeric() {
            true => word.push(character),
            false if word.ends_with('_') => {}
            false => word.push('_'),
        }
    }
    let word = word.trim_end_matches('_');
    match word.starts_with(|character: char| character.is_ascii_alphabetic()) {
        true => word.to_owned(),
        false => format!("f{word}"),
    }
}
