//! The entities of a table as columns, for engines that query the files of its exports to S3.

mod column;
pub(crate) mod dialect;
mod key_part;
pub(crate) mod view;

use std::collections::BTreeMap;

use crate::dynamo::TablePrefix;
use crate::error::{Error, Result};
use crate::schema::TableSchema;

/// The tables of an export to a query engine, and its settings.
#[derive(Debug, Clone)]
pub(super) struct AnalyticsTables {
    schemas: Vec<TableSchema>,
    prefix: TablePrefix,
    /// The positions of the exported files, by the names of the tables without a prefix.
    by_table: BTreeMap<String, String>,
    /// The digits after the point of decimal numbers; without it, they are texts.
    scale: Option<u8>,
}

impl AnalyticsTables {
    pub(super) fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        AnalyticsTables {
            schemas: schemas.into_iter().collect(),
            prefix: TablePrefix::default(),
            by_table: BTreeMap::new(),
            scale: None,
        }
    }

    pub(super) fn with_prefix(mut self, prefix: String) -> Self {
        self.prefix = TablePrefix::new(prefix);
        self
    }

    pub(super) fn with_files(mut self, table: &str, place: String) -> Self {
        self.by_table.insert(table.to_owned(), place);
        self
    }

    pub(super) fn with_scale(mut self, scale: u8) -> Self {
        self.scale = Some(scale);
        self
    }

    pub(super) fn scale(&self) -> Option<u8> {
        self.scale
    }

    /// The name of a table with the prefix.
    pub(super) fn full_name(&self, table: &TableSchema) -> String {
        self.prefix.full_name(&table.name)
    }

    /// The tables that have files, each with their position. `option` is the method that sets it.
    pub(super) fn tables_with_files(&self, option: &str) -> Result<Vec<(&TableSchema, &str)>> {
        for name in self.by_table.keys() {
            if !self.schemas.iter().any(|schema| schema.name == *name) {
                return Err(Error::config(format!(
                    "`{option}` names table `{name}`, which is not among the exported tables"
                )));
            }
        }
        if self.by_table.is_empty() {
            return Err(Error::config(format!(
                "no table has files: name them by `{option}`"
            )));
        }
        let placed = self.schemas.iter().filter_map(|schema| {
            let place = self.by_table.get(&schema.name)?;
            Some((schema, place.as_str()))
        });
        Ok(placed.collect())
    }
}
