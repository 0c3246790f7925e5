//! The columns of an entity, and the condition for its rows.

use std::collections::BTreeSet;

use super::column::{ColumnType, ColumnTypes};
use super::dialect::SqlDialect;
use super::key_part::{KeyPartText, part_of_key, pattern_of_key};
use crate::json::Tag;
use crate::schema::{
    EntitySchema, FieldRole, FieldSchema, FormerUse, IdentifyBy, KeyType, TableSchema, UNIQUE,
};

/// An entity as a view of lines of an export.
#[derive(Debug)]
pub(in crate::export) struct EntityView<'s> {
    table: &'s TableSchema,
    entity: &'s EntitySchema,
    columns: Vec<ViewColumn>,
}

#[derive(Debug)]
struct ViewColumn {
    name: String,
    ty: ColumnType,
    source: ColumnSource,
}

/// The source of the values of a column.
#[derive(Debug)]
enum ColumnSource {
    Attribute(String),
    /// The former name of an attribute that is being renamed, which decides if it exists, and the new one.
    Renamed(String, String),
    Key(KeyPartText),
}

impl<'s> EntityView<'s> {
    pub(in crate::export) fn new(table: &'s TableSchema, entity: &'s EntitySchema) -> Self {
        let mut columns = Vec::new();
        let mut names = BTreeSet::new();
        for field in &entity.fields {
            let ty = ColumnTypes { table }.of_field(field);
            if let Some(source) = source_of(table, entity, field, &ty) {
                columns.push(ViewColumn {
                    name: free_name(&field.name, &mut names),
                    ty,
                    source,
                });
            }
        }
        EntityView {
            table,
            entity,
            columns,
        }
    }

    /// The query of its rows, over lines that are a column `line`.
    pub(in crate::export) fn query_text(&self, sql: &dyn SqlDialect, lines: &str) -> String {
        let columns = self.columns.iter().map(|column| {
            let value = column_value(sql, column);
            format!("  {value} AS {}", sql.quote_name(&column.name))
        });
        let columns: Vec<String> = columns.collect();
        let condition = self.row_condition(sql);
        let columns = match columns.is_empty() {
            true => "  1 AS present".to_owned(),
            false => columns.join(",\n"),
        };
        format!("SELECT\n{columns}\nFROM {lines}\nWHERE {condition}")
    }

    /// The query that counts for each column the values that it cannot contain, and that are NULL in it therefore; None
    /// if there are no columns.
    pub(in crate::export) fn unread_text(
        &self,
        sql: &dyn SqlDialect,
        lines: &str,
    ) -> Option<String> {
        let counts = self.columns.iter().map(|column| {
            let exists = value_exists(sql, &column.source);
            let value = column_value(sql, column);
            format!(
                "  count(CASE WHEN {exists} AND {value} IS NULL THEN 1 END) AS {}",
                sql.quote_name(&column.name)
            )
        });
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            return None;
        }
        let (counts, condition) = (counts.join(",\n"), self.row_condition(sql));
        Some(format!("SELECT\n{counts}\nFROM {lines}\nWHERE {condition}"))
    }

    /// The condition for the rows of the entity: its type, or the form of its keys where another program wrote no type.
    /// Items that store unique values are none.
    fn row_condition(&self, sql: &dyn SqlDialect) -> String {
        let missing = |name: &str| format!("{} IS NULL", sql.attribute_json(name));
        // Lines of manifests and of incremental exports have no item.
        let no_sentinel = format!(
            "{} IS NOT NULL\n  AND {}",
            sql.whole_item(),
            missing(UNIQUE)
        );
        let Some(ty) = self.entity.type_attribute_in(self.table) else {
            return no_sentinel;
        };
        let stored = sql.attribute_text(ty, Tag::S);
        let constants = |may_be_missing: bool| {
            let conditions = self.entity.constants.iter().map(move |constant| {
                let value = match constant.ty {
                    KeyType::N => sql.attribute_text(&constant.attribute, Tag::N),
                    KeyType::S | KeyType::B => sql.attribute_text(&constant.attribute, Tag::S),
                };
                let own = format!("{value} = {}", sql.quote_literal(&constant.value));
                match may_be_missing {
                    true => format!("({} OR {own})", missing(&constant.attribute)),
                    false => own,
                }
            });
            conditions.collect::<Vec<_>>()
        };
        let own = format!("{stored} = {}", sql.quote_literal(&self.entity.stored_name));
        let own = match self.entity.constants.is_empty() {
            true => own,
            false => format!("({own} AND {})", constants(false).join(" AND ")),
        };
        let keys = self.entity.keys().filter_map(|key| {
            let pattern = pattern_of_key(self.table, key)?;
            let text = sql.attribute_text(&key.attribute, Tag::S);
            Some(sql.matches_pattern(&text, &pattern))
        });
        let keys: Vec<String> = keys.collect();
        if self.table.identify_by == Some(IdentifyBy::Key) && !keys.is_empty() {
            // The type does not decide, so each row has a key of the entity too.
            let untyped = [vec![missing(ty)], constants(true)].concat().join(" AND ");
            let keys = keys.join(" AND ");
            return format!("{no_sentinel}\n  AND {keys}\n  AND ({own}\n    OR ({untyped}))");
        }
        if self.table.identify_by == Some(IdentifyBy::Type) {
            return format!("{no_sentinel}\n  AND {own}");
        }
        let untyped: Vec<String> = std::iter::once(missing(ty)).chain(keys).collect();
        match untyped.len() {
            1 => format!("{no_sentinel}\n  AND {own}"),
            _ => {
                let untyped = [untyped, constants(true)].concat().join(" AND ");
                format!("{no_sentinel}\n  AND ({own}\n    OR ({untyped}))")
            }
        }
    }
}

fn source_of(
    table: &TableSchema,
    entity: &EntitySchema,
    field: &FieldSchema,
    ty: &ColumnType,
) -> Option<ColumnSource> {
    match (&field.attribute, field.role) {
        // It has no column, because it has no name for each of its attributes.
        (_, FieldRole::Rest) => None,
        (Some(attribute), _) => {
            Some(match (&field.former, field.former_use) {
                (None, _) => ColumnSource::Attribute(attribute.clone()),
                // If it is missing, an older program has removed the value.
                (Some(former), FormerUse::Alone) => ColumnSource::Attribute(former.clone()),
                (Some(former), FormerUse::First | FormerUse::Dropped) => {
                    ColumnSource::Renamed(former.clone(), attribute.clone())
                }
            })
        }
        (None, _) => part_of_key(table, entity, &field.name, ty).map(ColumnSource::Key),
    }
}

/// The name of a column. The engines do not distinguish `id` from `ID`, as Rust does.
fn free_name(field: &str, taken: &mut BTreeSet<String>) -> String {
    let field = field.strip_prefix("r#").unwrap_or(field);
    let mut name = field.to_owned();
    let mut number = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{field}_{number}");
        number += 1;
    }
    name
}

/// The condition that a line has a value for a column, of whatever type.
fn value_exists(sql: &dyn SqlDialect, source: &ColumnSource) -> String {
    let stored = |name: &str| {
        format!(
            "{} IS NOT NULL AND {} IS NULL",
            sql.attribute_json(name),
            sql.member_json(name, Tag::Null)
        )
    };
    match source {
        ColumnSource::Attribute(name) => stored(name),
        ColumnSource::Renamed(former, new) => format!(
            "CASE WHEN {} IS NOT NULL THEN {} ELSE {} END",
            sql.attribute_json(former),
            stored(former),
            stored(new)
        ),
        // An empty part is a None. A key of another form has no part at all, which is unread too.
        ColumnSource::Key(part) => {
            let key = sql.attribute_text(&part.attribute, Tag::S);
            format!(
                "coalesce({}, '-') <> ''",
                sql.first_group(&key, &part.pattern)
            )
        }
    }
}

fn column_value(sql: &dyn SqlDialect, column: &ViewColumn) -> String {
    match &column.source {
        ColumnSource::Key(part) => sql.key_value(part, &column.ty),
        ColumnSource::Attribute(name) => sql.attribute_value(name, &column.ty),
        // A NULL under the former name decides too, so the first value that exists would be wrong.
        ColumnSource::Renamed(former, new) => format!(
            "CASE WHEN {} IS NOT NULL THEN {} ELSE {} END",
            sql.attribute_json(former),
            sql.attribute_value(former, &column.ty),
            sql.attribute_value(new, &column.ty)
        ),
    }
}
