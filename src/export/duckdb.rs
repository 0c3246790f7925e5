//! The script by which DuckDB makes Parquet files of exports.

use super::analytics::AnalyticsTables;
use super::analytics::dialect::{DuckDbSql, SqlDialect, quote_literal};
use super::analytics::view::EntityView;
use crate::error::Result;
use crate::schema::TableSchema;

/// A script for [DuckDB](https://duckdb.org), from version 1.3, that reads the files of full exports and makes a Parquet
/// file for each entity, with the columns of the views of [`Athena`](super::Athena).
///
/// The files are lines of DynamoDB JSON: the `data/*.json.gz` of an export to S3, and those that
/// [`RowFormat::DynamoJson`](crate::transfer::RowFormat::DynamoJson) writes. A value that its column cannot contain is
/// NULL. The script also declares a view for each entity, such as `orders.Order.unread`, that counts these values of each
/// column if you query it in the same session.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::DuckDb;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id))]
/// # struct Order { id: u32, status: String }
/// # fn main() -> Result<()> {
/// let script = DuckDb::new([Order::schema()]).files("orders", "exports/data/*.json.gz").folder("parquet").script()?;
/// assert!(script.contains("read_json_objects('exports/data/*.json.gz', format = 'newline_delimited')"));
/// assert!(script.contains("json_extract_string(line, '/Item/status/S') AS \"status\""));
/// assert!(script.contains(") TO 'parquet/orders.Order.parquet' (FORMAT parquet);"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DuckDb {
    tables: AnalyticsTables,
    folder: Option<String>,
}

impl DuckDb {
    /// The script for these tables.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        DuckDb {
            tables: AnalyticsTables::new(schemas),
            folder: None,
        }
    }

    /// The prefix of the tables' names, joined as by [`Dynamo::with_prefix`](crate::Dynamo::with_prefix). The names of the
    /// Parquet files begin with it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.tables = self.tables.with_prefix(prefix.into());
        self
    }

    /// The files of a table, as a pattern such as `exports/data/*.json.gz`. Tables without files are omitted.
    #[must_use]
    pub fn files(mut self, table: &str, pattern: impl Into<String>) -> Self {
        self.tables = self.tables.with_files(table, pattern.into());
        self
    }

    /// The folder of the Parquet files, which must exist; by default, the folder in which DuckDB runs. The name of a
    /// file is that of the table and the entity: `orders.Order.parquet`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<String>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Makes the columns of `Number`, `Decimal` and `BigDecimal` a `DECIMAL(38, scale)`. By default they are the text of
    /// the number, which has every digit; a decimal is rounded to its scale.
    #[must_use]
    pub fn decimal_scale(mut self, scale: u8) -> Self {
        self.tables = self.tables.with_scale(scale);
        self
    }

    /// The script.
    pub fn script(&self) -> Result<String> {
        let sql = DuckDbSql {
            scale: self.tables.scale(),
        };
        let mut script = String::new();
        for (table, files) in self.tables.tables_with_files("files")? {
            let name = self.tables.full_name(table);
            let lines = sql.quote_name(&name);
            let files = quote_literal(files);
            script.push_str(&format!(
                "CREATE OR REPLACE TEMP VIEW {lines} AS\n\
                 SELECT json AS line FROM read_json_objects({files}, format = 'newline_delimited');\n\n"
            ));
            let mut unread_views = String::new();
            for entity in &table.entities {
                let view = EntityView::new(table, entity);
                let query = view.query_text(&sql, &lines);
                if let Some(query) = view.unread_text(&sql, &lines) {
                    let unread = sql.quote_name(&format!("{name}.{}.unread", entity.name));
                    unread_views.push_str(&format!(
                        "CREATE OR REPLACE TEMP VIEW {unread} AS\n{query};\n\n"
                    ));
                }
                let file = format!("{name}.{}.parquet", entity.name);
                let file = match &self.folder {
                    Some(folder) => format!("{}/{file}", folder.trim_end_matches('/')),
                    None => file,
                };
                let file = quote_literal(&file);
                script.push_str(&format!(
                    "COPY (\n{query}\n) TO {file} (FORMAT parquet);\n\n"
                ));
            }
            script.push_str(&unread_views);
        }
        script.truncate(script.trim_end().len());
        script.push('\n');
        Ok(script)
    }
}
