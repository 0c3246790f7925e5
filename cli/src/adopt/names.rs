//! Names of Rust for the names that a table has.

use std::collections::BTreeSet;

/// Words that are no names of fields and functions.
const KEYWORDS: [&str; 54] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "raw", "safe",
];

/// Functions of every entity, and verbs of a query, which hide those of a pattern or of a part of a sort key.
const TAKEN: [&str; 38] = [
    "key",
    "in_partition",
    "get_many",
    "scan",
    "schema",
    "from_item",
    "key_from_item",
    "all",
    "page",
    "stream",
    "first",
    "one",
    "count",
    "exists",
    "limit",
    "filter",
    "resume",
    "descending",
    "consistent",
    "page_size",
    "max_scanned",
    "read_units_per_second",
    "on_progress",
    "update_each",
    "delete_each",
    "lenient",
    "select",
    "hydrate",
    "send",
    "explain",
    "explain_count",
    "each",
    "query",
    "by_partition",
    "include_expired",
    "backwards",
    "into",
    "clone",
];

/// Types that the declarations or the derives name.
const TYPES: [&str; 47] = [
    "Batch",
    "Box",
    "BTreeMap",
    "BTreeSet",
    "BulkExt",
    "Clone",
    "Cursor",
    "Debug",
    "Dynamo",
    "DynamoEntity",
    "DynamoTable",
    "DynamoValue",
    "EpochMillis",
    "EpochSeconds",
    "Error",
    "ErrorKind",
    "From",
    "Into",
    "Item",
    "Iterator",
    "JavaScriptTime",
    "Key",
    "Nullable",
    "Number",
    "Ok",
    "Operation",
    "Option",
    "Ord",
    "Page",
    "PartialEq",
    "PynamoTime",
    "PythonTime",
    "Query",
    "Result",
    "Rfc3339Seconds",
    "Self",
    "Send",
    "Some",
    "None",
    "Err",
    "String",
    "Timestamp",
    "ToString",
    "Transaction",
    "Value",
    "Vec",
    "Version",
];

/// The words of a name: `placedAt`, `placed_at` and `PLACED-AT` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            // Other letters cannot be in every name of Rust, so they separate words.
            is_open = false;
        } else {
            let begins =
                c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
            match words.last_mut().filter(|_| is_open && !begins) {
                Some(word) => word.push(c.to_ascii_lowercase()),
                None => words.push(c.to_ascii_lowercase().to_string()),
            }
            is_open = true;
        }
        before = c;
    }
    words
}

/// The name of a field or a function.
pub(crate) fn field_name(name: &str) -> String {
    let snake = words(name).join("_");
    match snake.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{snake}"),
        Some(_) if KEYWORDS.contains(&snake.as_str()) => format!("{snake}_"),
        Some(_) => snake,
    }
}

/// The same for an access pattern or a part of a sort key.
pub(crate) fn method_name(name: &str) -> String {
    let name = field_name(name);
    // A method of this name would hide the verb of the query.
    match TAKEN.contains(&name.as_str()) {
        true => format!("{name}_value"),
        false => name,
    }
}

/// The name of a type.
pub(crate) fn type_name(name: &str) -> String {
    // Words are ASCII, so the first letter is one byte.
    let words = words(name).into_iter();
    let name: String = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect();
    match name.chars().next() {
        None => "Row".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("N{name}"),
        Some(_) if TYPES.contains(&name.as_str()) => format!("{name}Row"),
        Some(_) => name,
    }
}

/// The name of one of several: `orders` is `order`.
pub(crate) fn singular(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let kept = name.len().saturating_sub(1);
    // Short words such as `ties` and `bus` are singular more often than not.
    if lower.ends_with("ies") && kept > 3 {
        return format!("{}y", &name[..name.len() - 3]);
    }
    match lower.ends_with('s') && !lower.ends_with("ss") && !lower.ends_with("us") && kept > 2 {
        true => name[..kept].to_owned(),
        false => name.to_owned(),
    }
}

/// The name, or the first free one with a number.
pub(crate) fn unique_name(name: String, taken: &mut BTreeSet<String>) -> String {
    // Names that differ only in case or in marks are one name in Rust.
    let mut free = name.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!(
            "{name}{}{number}",
            if name.ends_with(|c: char| c.is_ascii_digit()) {
                "_"
            } else {
                ""
            }
        );
        number += 1;
    }
    free
}
