//! Names of resources in tools that take fewer characters than the service does.
//!
//! The name of a resource says which one it is: under another name, a tool deletes the table and creates it anew. So it
//! follows from the name of the table alone, without its prefix, and never from the other tables.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::consumer::StreamConsumer;
use crate::dynamo::TablePrefix;
use crate::error::{Error, Result};
use crate::hex::first_digits;
use crate::schema::TableSchema;

/// How long the name of a resource may be, with room for a hash.
const LONGEST: usize = 200;

/// Letters and digits: `busy-orders` is `BusyOrdersTable`. Any name but lower-case words with dashes between them gets a
/// hash, so that no two tables have one name.
pub(super) fn logical_id(table: &str) -> String {
    let words = table.split(|c: char| !c.is_ascii_alphanumeric());
    let words: String = words
        .map(capitalize_word)
        .take_while_within(LONGEST)
        .collect();
    // Only for such names the id can be turned back into the name. All others get a hash, so that
    // two tables never have one id.
    match is_of_words(table) && table.len() <= LONGEST {
        true => format!("{words}Table"),
        false => format!("{words}Table{}", hash(table)),
    }
}

/// The resource of a kind that belongs to a table or a consumer. More than two words contain the name of an index, which
/// could be taken for a part of the first name, so they get a hash.
pub(super) fn logical_id_of(base: &str, words: &[&str], kind: &str) -> String {
    let all = std::iter::once(base).chain(words.iter().copied());
    let each = all
        .clone()
        .flat_map(|part| part.split(|c: char| !c.is_ascii_alphanumeric()));
    let text: String = each
        .map(capitalize_word)
        .take_while_within(LONGEST)
        .collect();
    let is_plain = words.len() <= 2 && all.clone().all(is_of_words) && text.len() < LONGEST;
    let all: Vec<&str> = all.collect();
    match is_plain {
        true => format!("{text}{kind}"),
        false => format!("{text}{kind}{}", hash(&all.join("/"))),
    }
}

/// Lower-case words with dashes between them.
fn is_of_words(name: &str) -> bool {
    let is_word = |word: &str| {
        let mut bytes = word.bytes();
        bytes.next().is_some_and(|b| b.is_ascii_lowercase())
            && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.split('-').all(is_word)
}

fn capitalize_word(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Takes words as long as they fit together.
trait Within: Iterator<Item = String> + Sized {
    fn take_while_within(self, bytes: usize) -> impl Iterator<Item = String> {
        let mut left = bytes;
        self.map_while(move |word| {
            left = left.checked_sub(word.len())?;
            Some(word)
        })
    }
}

impl<I: Iterator<Item = String>> Within for I {}

/// Letters, digits, `_` and `-`: nearly every name of a table is one. Others get a hash.
pub(super) fn terraform_name(table: &str) -> String {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let allowed = |b: u8| is_letter(b) || b.is_ascii_digit() || b == b'-';
    if table.bytes().all(allowed) && table.bytes().next().is_some_and(is_letter) {
        return table.to_owned();
    }
    // The names of tables have only one more character that Terraform does not take, the dot.
    let plain = table.chars();
    let plain: String = plain.map(|c| if c == '.' { '_' } else { c }).collect();
    format!("table_{plain}_{}", hash(table))
}

/// That of an index which is a resource of its own.
pub(super) fn terraform_index_name(table: &str, index: &str) -> String {
    let name = format!("{}__{}", terraform_name(table), index.replace('.', "_"));
    // `__` separates the two names. With more of it, or with `_` beside it, two pairs could give
    // one name.
    let is_plain = |name: &str| {
        !name.contains("__")
            && !name.starts_with('_')
            && !name.ends_with('_')
            && !name.contains('.')
    };
    match is_plain(table) && is_plain(index) {
        true => name,
        false => format!("{name}_{}", hash(&format!("{table}/{index}"))),
    }
}

/// That of an alarm about a table or a consumer. The words of an index get a hash, as in a template.
pub(super) fn terraform_alarm_name(base: &str, words: &[&str]) -> String {
    let plain = words.join("_").replace('.', "_");
    let name = format!("{}__{plain}", terraform_name(base));
    match words.len() <= 2 {
        true => name,
        false => format!("{name}_{}", hash(&format!("{base}/{}", words.join("/")))),
    }
}

/// Rejects a global table, which the format cannot describe, rather than leave its replicas out.
pub(super) fn check_replicas(table: &TableSchema, why: &str) -> Result<()> {
    let Some(replicas) = &table.settings.replicas else {
        return Ok(());
    };
    let message = format!(
        "table `{}` is declared as a global table, {replicas}, and {why}, or export the schema without `.replicated(..)`",
        table.name
    );
    Err(Error::config(message))
}

/// The table that a consumer follows, among the tables that are exported.
pub(super) fn table_of<'t>(
    consumer: &StreamConsumer,
    tables: &'t [TableSchema],
    prefix: &TablePrefix,
) -> Result<&'t TableSchema> {
    let name = prefix.full_name(&consumer.table.name);
    let table = tables.iter().find(|table| table.name == name);
    let table = table.ok_or_else(|| {
        consumer.unfit_error(&format!(
            "follows table `{name}`, which is not among the exported tables"
        ))
    })?;
    match table
        .stream
        .is_none_or(|view| Some(view) == consumer.table.stream)
    {
        true => Ok(table),
        false => Err(consumer.unfit_error(&format!(
            "was given table `{name}` with another stream than the exported table has"
        ))),
    }
}

/// Rejects two resources of one name, which would be one.
pub(super) fn check_apart<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<()> {
    let mut seen = BTreeSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => Err(Error::config(format!(
            "two tables or consumers have the resource name `{name}`: give one of them another name"
        ))),
    }
}

/// Eight digits that follow from a name.
fn hash(name: &str) -> String {
    first_digits(&Sha256::digest(name.as_bytes()), 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_resources() {
        assert_eq!(logical_id("orders"), "OrdersTable");
        assert_eq!(logical_id("busy-request-count"), "BusyRequestCountTable");
        assert_eq!(terraform_name("busy-request_count"), "busy-request_count");
        assert_eq!(
            terraform_index_name("orders", "by_status"),
            "orders__by_status"
        );
        assert!(terraform_name("1.orders").starts_with("table_1_orders_"));
    }

    /// Names that differ little, and those as long as they may be, are of resources that differ, and are valid.
    #[test]
    fn no_two_tables_have_one_resource() {
        let mut names: Vec<String> = Vec::new();
        for a in ["a", "A", "1", "ab", "table"] {
            for joint in ["", "-", "_", ".", "--", "__", "-1", "1-"] {
                for b in ["b", "B", "2", "ba"] {
                    names.push(format!("{a}{joint}{b}"));
                }
            }
        }
        for last in ["x", "y", "-x"] {
            names.push(format!("{}{last}", "a-".repeat(126)));
            names.push(format!("{}{last}", "a".repeat(252)));
        }
        names.sort();
        names.dedup();
        for resource in [logical_id as fn(&str) -> String, terraform_name] {
            let resources: BTreeSet<String> = names.iter().map(|name| resource(name)).collect();
            assert_eq!(resources.len(), names.len());
            assert!(resources.iter().all(|name| name.len() <= 280));
        }
        let is_id = |id: &str| id.len() <= 255 && id.bytes().all(|b| b.is_ascii_alphanumeric());
        assert!(names.iter().all(|name| is_id(&logical_id(name))));
        let pairs = names.iter().flat_map(|a| names.iter().map(move |b| (a, b)));
        let indexes: BTreeSet<String> = pairs.map(|(a, b)| terraform_index_name(a, b)).collect();
        assert_eq!(indexes.len(), names.len() * names.len());
    }
}
