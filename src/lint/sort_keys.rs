//! Rules about sort keys, and about what is in keys of both kinds.

use super::finding::{Findings, LintPlace};
use crate::schema::{
    FieldInKey, FieldRole, FieldSchema, KeyPair, KeySchema, PieceSchema, Style, TableSchema, Width,
};

/// The limits of DynamoDB, in bytes.
const LONGEST_PARTITION_KEY: usize = 2048;
const LONGEST_SORT_KEY: usize = 1024;
/// A text of any length is counted as the longest that most forms, file systems and databases take for a name.
const TEXT: usize = 255;

pub(super) fn constant_sort_key(table: &TableSchema, findings: &mut Findings) {
    let is_constant = |keys: &KeyPair<'_>| !keys.sk.is_empty() && keys.sort_fields().is_empty();
    let fix = "put the field that orders its rows into the sort key, or remove the sort key";
    if let [entity] = table.entities.as_slice() {
        let keys = KeyPair::of_table(entity);
        if is_constant(&keys) && !keys.is_one_item() {
            let message = "the sort key is the same in all items of the table, so each partition holds one item";
            findings.add(LintPlace::of_keys(&keys), message.to_owned(), fix);
        }
    }
    for index in table.indexes() {
        let mut filling = table.filling(index).peekable();
        if filling.peek().is_some() && filling.all(|keys| is_constant(&keys)) {
            let name = &index.name;
            let message =
                format!("the sort key of the index `{name}` is constant and orders nothing");
            findings.add(LintPlace::of_index(table, index), message, fix);
        }
    }
}

pub(super) fn repeated_part(table: &TableSchema, findings: &mut Findings) {
    for keys in table.key_pairs() {
        let partition = keys.partition_fields();
        let holds = |field: &FieldInKey<'_>| {
            let mut partition = partition.iter();
            partition.any(|other| {
                other.is_like(field) || (other.name == field.name && other.cut().is_none())
            })
        };
        if let Some(field) = keys.sort_fields().into_iter().find(holds) {
            let name = field.name;
            findings.add(
                LintPlace::of_keys(&keys),
                format!("all rows of a partition have the same `{name}`, and the sort key holds it again"),
                format!("remove `{name}` from the sort key"),
            );
        }
    }
}

pub(super) fn pinned_part(table: &TableSchema, findings: &mut Findings) {
    for (keys, pattern) in table.patterns() {
        if let Some((name, 1)) = pattern.pinned()
            && let Some(field) = keys.sort_fields().iter().find(|field| field.name == name)
            && !field.leaves_items_out()
        {
            let when = pattern.when.as_deref().unwrap_or_default();
            findings.add(
                LintPlace::of_keys(&keys),
                format!("`when({when})` lets `{name}` have one value, and the sort key holds it"),
                format!("remove `{name}` from the sort key"),
            );
        }
    }
}

pub(super) fn flag_sort_key(table: &TableSchema, findings: &mut Findings) {
    for (keys, _) in table.patterns() {
        let fields = keys.sort_fields();
        if let Some(first) = fields.first()
            && fields.iter().all(FieldInKey::is_flag)
        {
            let name = first.name;
            findings.add(
                LintPlace::of_keys(&keys),
                format!("the index holds the items with and without `{name}`, and orders them by nothing else"),
                format!(
                    "keep only the queried items in it, `when({name} = true)`, and order them by another field"
                ),
            );
        }
    }
}

pub(super) fn vanishing_rows(table: &TableSchema, findings: &mut Findings) {
    let is_optional = |field: &FieldInKey<'_>| {
        // Every write fills these, whatever the struct holds.
        let is_kept = matches!(
            field.role(),
            Some(FieldRole::CreatedAt | FieldRole::UpdatedAt)
        );
        field.part.is_some() && field.leaves_items_out() && !is_kept
    };
    for (keys, pattern) in table.patterns() {
        if pattern.when.is_some() || keys.partition_fields().iter().any(is_optional) {
            continue;
        }
        if let Some(field) = keys.sort_fields().into_iter().find(is_optional) {
            let (name, pattern) = (field.name, &pattern.name);
            // In tables of other programs, a None has no position, but a key may end there.
            let word = match table.style {
                Style::Escaped => "last",
                Style::Verbatim(_) => "ends",
            };
            findings.add(
                LintPlace::of_keys(&keys),
                format!("an item whose `{name}` is None is not returned by `{pattern}`"),
                format!(
                    "keep a None, as `{{{name}:{word}}}` does; `allow` it if these items should be omitted"
                ),
            );
        }
    }
}

pub(super) fn moving_rows(table: &TableSchema, findings: &mut Findings) {
    let moves = |field: &FieldInKey<'_>| {
        let changes = matches!(
            field.role(),
            Some(FieldRole::UpdatedAt | FieldRole::Version)
        );
        changes && !matches!(field.cut(), Some("date" | "month" | "year"))
    };
    for (keys, pattern) in table.patterns() {
        let mut fields = keys.partition_fields();
        fields.extend(keys.sort_fields());
        if let Some(field) = fields.into_iter().find(moves) {
            let (name, index) = (field.name, &pattern.index);
            findings.add(
                LintPlace::of_keys(&keys),
                format!(
                    "every write changes `{name}`, and so deletes a row of the index `{index}` and puts another"
                ),
                format!("use a value that rarely changes, as `{{{name}:date}}` of a time does"),
            );
        }
    }
}

pub(super) fn long_key(table: &TableSchema, findings: &mut Findings) {
    for keys in table.key_pairs() {
        let own = if keys.pattern.is_some_and(|pattern| pattern.pk.is_empty()) {
            &[]
        } else {
            keys.pk
        };
        let pk = own.iter().map(|key| (key, LONGEST_PARTITION_KEY));
        let sk = keys.sk.iter().map(|key| (key, LONGEST_SORT_KEY));
        for (key, limit) in pk.chain(sk) {
            let bytes = longest(&keys, key);
            if bytes > limit {
                findings.add(
                    LintPlace::of_keys(&keys),
                    format!(
                        "the key `{key}` has {bytes} bytes if each text in it has {TEXT}, and DynamoDB takes {limit}"
                    ),
                    "remove texts that no query needs from the key, or limit their length when they are entered",
                );
            }
        }
    }
}

/// How long a key text can be, if texts are not longer than most are. A type that is not known counts as nothing.
fn longest(keys: &KeyPair<'_>, key: &KeySchema) -> usize {
    let length = |piece: &PieceSchema| match piece {
        PieceSchema::Text(text) => text.len(),
        PieceSchema::Shard(_) => "#000".len(),
        PieceSchema::Part(part) => match part.width {
            Width::Fixed(bytes) | Width::Digits(bytes) => bytes,
            Width::Signed(digits) => digits.saturating_add(1),
            Width::Variable | Width::Decimal => {
                let field = keys.entity.field(&part.field);
                let is_free = field.is_some_and(FieldSchema::is_free_text);
                if is_free { TEXT } else { 0 }
            }
        },
    };
    key.pieces()
        .iter()
        .map(length)
        .fold(0, usize::saturating_add)
}

pub(super) fn float_key(table: &TableSchema, findings: &mut Findings) {
    for keys in table.partitions() {
        let mut fields = keys.partition_fields();
        // The sort key of an index orders rows and need not tell them apart.
        if keys.pattern.is_none() {
            fields.extend(keys.sort_fields());
        }
        // A float whose decimals are fixed is an error if it has more of them, so each query gives all of its digits.
        let is_inexact = |field: &&FieldInKey<'_>| field.is_float() && !field.has_decimals();
        if let Some(field) = fields.iter().find(is_inexact) {
            let name = field.name;
            findings.add(
                LintPlace::of_keys(&keys),
                format!(
                    "`{name}` is a float and a query must give every digit to find it: 0.1 + 0.2 is not 0.3"
                ),
                format!("store `{name}` as an integer of the smallest unit, or as a decimal; a template can set its decimals, as in `{{{name}:09.2}}`"),
            );
        }
    }
}
