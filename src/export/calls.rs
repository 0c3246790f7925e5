//! Calls and templates of keys as texts, for documents.

use crate::schema::{
    CollectionSchema, EntitySchema, KeySchema, LargeSchema, TableSchema, UniqueSchema,
    VectorSearchSchema,
};

/// `Order::by_status(status)`: each field once, in the order of the keys.
pub(super) fn show_call(owner: &str, name: &str, keys: &[&KeySchema]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for field in keys.iter().flat_map(|key| key.fields()) {
        // A field may be in both keys, and the call takes it once.
        if !parts.contains(&field) {
            parts.push(field);
        }
    }
    format!("{owner}::{name}({})", parts.join(", "))
}

/// `User::by_email(email)`, or the key of the row of another program, which has no look-up.
pub(super) fn show_unique(entity: &EntitySchema, unique: &UniqueSchema) -> String {
    match &unique.row {
        None => format!(
            "{}::{}({})",
            entity.name,
            unique.name,
            unique.fields.join(", ")
        ),
        Some(row) => join_templates([&row.pk].into_iter().chain(&row.sk)),
    }
}

/// `Hall::seats(id)`, with the parts of the key.
pub(super) fn show_large(entity: &EntitySchema, value: &LargeSchema) -> String {
    let keys: Vec<&KeySchema> = [&entity.pk].into_iter().chain(&entity.sk).collect();
    show_call(&entity.name, &value.name, &keys)
}

/// `Document::similar(vector, count).within(org)`
pub(super) fn show_search(entity: &EntitySchema, search: &VectorSearchSchema) -> String {
    let within = search.within.iter();
    let within: String = within.map(|field| format!(".within({field})")).collect();
    format!("{}::{}(vector, count){within}", entity.name, search.name)
}

/// The templates of keys, one behind the other.
pub(super) fn join_templates<'k>(keys: impl IntoIterator<Item = &'k KeySchema>) -> String {
    let shown: Vec<String> = keys.into_iter().map(show_template).collect();
    shown.join(", ")
}

/// The templates of the partition key of a collection, and those of the sort keys of its entities, each once. Both are empty
/// if the collection is a whole table.
pub(super) fn collection_templates(
    schema: &TableSchema,
    collection: &CollectionSchema,
    show_key: impl Fn(&KeySchema) -> String,
) -> [String; 2] {
    if collection.partition.is_none() {
        return Default::default();
    }
    let (mut partition, mut sort) = (Vec::new(), Vec::new());
    let add = |texts: &mut Vec<String>, keys: &[KeySchema]| {
        let shown: Vec<String> = keys.iter().map(&show_key).collect();
        let text = shown.join(", ");
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    };
    for name in &collection.entities {
        let Some(entity) = schema.entity(name) else {
            continue;
        };
        let Some(index) = &collection.index else {
            add(&mut partition, entity.partition_key(None));
            add(&mut sort, entity.sk.as_slice());
            continue;
        };
        let mut patterns = entity.patterns.iter();
        if let Some(pattern) = patterns.find(|pattern| pattern.index == *index) {
            add(&mut partition, entity.partition_key(Some(pattern)));
            add(&mut sort, &pattern.sk);
        }
    }
    [partition, sort].map(|texts| texts.join(" or "))
}

pub(super) fn show_template(key: &KeySchema) -> String {
    let (text, shards) = split_call(&key.to_string());
    match shards {
        Some(shards) => format!("{text} in {shards} shards"),
        None => text,
    }
}

/// The template without quotes, and the number of its shards.
pub(super) fn split_call(shown: &str) -> (String, Option<String>) {
    let (text, shards) = match shown.rsplit_once(", shards = ") {
        Some((text, shards)) => (text, Some(shards.to_owned())),
        None => (shown, None),
    };
    (text.trim_matches('"').to_owned(), shards)
}
