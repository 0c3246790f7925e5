//! Calls and templates of keys as texts, for documents.

use crate::schema::KeySchema;

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

/// The templates of keys, one behind the other.
pub(super) fn join_templates<'k>(keys: impl IntoIterator<Item = &'k KeySchema>) -> String {
    let shown: Vec<String> = keys.into_iter().map(show_template).collect();
    shown.join(", ")
}

fn show_template(key: &KeySchema) -> String {
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
