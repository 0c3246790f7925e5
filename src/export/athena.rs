//! The tables and views of Athena over exports to S3.

use std::collections::BTreeSet;

use super::analytics::AnalyticsTables;
use super::analytics::dialect::{AthenaSql, SqlDialect};
use super::analytics::view::EntityView;
use crate::error::{Error, Result};
use crate::schema::{EntitySchema, TableSchema};

/// The statements that make exports to S3 readable by Athena: for each table, an external table of the lines of its
/// files in the Glue catalogue, and for each entity a view with typed columns.
///
/// The files are those of a full export in DynamoDB JSON. The external table has one column, the text of a line,
/// because names of attributes may differ only in case, and the columns of Hive may not. The views read the attributes
/// from it: they have a column for each field, with the name of the field. See [the guide](crate::guide::analytics)
/// for the types of the columns. A value that its column cannot contain is NULL, and a second view for each entity,
/// `.._unread`, counts such values of each column.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::Athena;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id))]
/// # struct Order { id: u32, status: String }
/// # fn main() -> Result<()> {
/// let files = "s3://exports/AWSDynamoDB/01700000000000-a1b2c3d4/data/";
/// let statements = Athena::new([Order::schema()]).location("orders", files).statements()?;
/// assert_eq!(statements[0], "DROP TABLE IF EXISTS `orders_lines`");
/// assert!(statements[1].starts_with("CREATE EXTERNAL TABLE `orders_lines` (`line` string)"));
/// assert!(statements[2].starts_with("CREATE OR REPLACE VIEW \"orders_order\" AS\nSELECT\n"));
/// assert!(statements[2].contains(r#"json_extract_scalar(line, '$["Item"]["status"]["S"]') AS "status""#));
/// assert!(statements[3].starts_with("CREATE OR REPLACE VIEW \"orders_order_unread\" AS\nSELECT\n  count("));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Athena {
    tables: AnalyticsTables,
}

impl Athena {
    /// The statements for these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        Athena {
            tables: AnalyticsTables::new(schemas),
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix).
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.tables = self.tables.with_prefix(prefix.into());
        self
    }

    /// The folder `data/` of a full export of a table: `s3://BUCKET/PREFIX/AWSDynamoDB/ID/data/`. Tables without a
    /// location are omitted.
    #[must_use]
    pub fn location(mut self, table: &str, uri: impl Into<String>) -> Self {
        self.tables = self.tables.with_files(table, uri.into());
        self
    }

    /// Makes the columns of `Number`, `Decimal` and `BigDecimal` a `decimal(38, scale)`. By default they are the text of
    /// the number, which has every digit; a decimal is rounded to its scale.
    #[must_use]
    pub fn decimal_scale(mut self, scale: u8) -> Self {
        self.tables = self.tables.with_scale(scale);
        self
    }

    /// The statements, in the order in which you must run them. Athena runs one statement at a time.
    pub fn statements(&self) -> Result<Vec<String>> {
        let sql = AthenaSql {
            scale: self.tables.scale(),
        };
        let mut names = BTreeSet::new();
        let mut statements = Vec::new();
        for (table, location) in self.tables.tables_with_files("location")? {
            check_location(location)?;
            let base = plain_name(&self.tables.full_name(table));
            let mut taken = BTreeSet::new();
            let views: Vec<String> = table
                .entities
                .iter()
                .map(|entity| unused_name(&view_name(&base, entity), &mut taken))
                .collect();
            let lines = unused_name(&format!("{base}_lines"), &mut taken);
            // Each export has a new folder, and a table that exists would keep its former one. No data are in the table.
            statements.push(format!("DROP TABLE IF EXISTS `{lines}`"));
            statements.push(lines_table(&lines, location));
            let lines_text = sql.quote_name(&lines);
            let mut unread = Vec::new();
            for (entity, name) in table.entities.iter().zip(&views) {
                let view = EntityView::new(table, entity);
                let query = view.query_text(&sql, &lines_text);
                statements.push(create_view(&sql.quote_name(name), &query));
                if let Some(query) = view.unread_text(&sql, &lines_text) {
                    let name = unused_name(&format!("{name}_unread"), &mut taken);
                    unread.push(create_view(&sql.quote_name(&name), &query));
                }
            }
            statements.extend(unread);
            taken.remove(&lines);
            for name in std::iter::once(lines).chain(taken) {
                if !names.insert(name.clone()) {
                    return Err(Error::config(format!(
                        "two tables or entities have the name `{name}` in Athena: export their tables separately, \
                         with different databases"
                    )));
                }
            }
        }
        Ok(statements)
    }

    /// The statements as the text of a file, each with a semicolon.
    pub fn text(&self) -> Result<String> {
        let mut text = "-- Run each statement by itself: Athena runs one at a time.\n".to_owned();
        for statement in self.statements()? {
            text.push_str(&format!("\n{statement};\n"));
        }
        Ok(text)
    }
}

/// The name, with a number if another view of the table has it.
fn unused_name(base: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = base.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

fn create_view(name: &str, query: &str) -> String {
    format!("CREATE OR REPLACE VIEW {name} AS\n{query}")
}

/// Rejects locations that Athena would reject later, or in which it would also read manifests as data.
fn check_location(location: &str) -> Result<()> {
    let folder = location.strip_prefix("s3://").unwrap_or_default();
    let has_bucket = folder
        .split('/')
        .next()
        .is_some_and(|name| !name.is_empty());
    match has_bucket && location.ends_with("/data/") {
        true => Ok(()),
        false => Err(Error::config(format!(
            "`{location}` is no folder of S3: pass `s3://BUCKET/PREFIX/AWSDynamoDB/ID/data/`, and no other folder"
        ))),
    }
}

/// The external table. Each line is one text: no line of JSON contains the control character that separates columns.
fn lines_table(name: &str, location: &str) -> String {
    // Hive knows escapes in literals, and Trino does not.
    let location = location.replace('\\', "\\\\").replace('\'', "\\'");
    format!(
        "CREATE EXTERNAL TABLE `{name}` (`line` string)\n\
         ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\001' LINES TERMINATED BY '\\n'\n\
         STORED AS TEXTFILE\n\
         LOCATION '{location}'"
    )
}

fn view_name(base: &str, entity: &EntitySchema) -> String {
    format!("{base}_{}", plain_name(&snake_case(&entity.name)))
}

/// Lower-case letters, digits and underscores, which need no quotes in any client of Athena.
fn plain_name(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '_',
    };
    name.chars().map(plain).collect()
}

/// `order_line` of `OrderLine`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        snake.push(c);
    }
    snake
}
