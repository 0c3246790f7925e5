//! The entities of a table as columns, for engines that query the files of its exports to S3.

mod column;
mod dialect;
mod key_part;
mod view;

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::schema::TableSchema;

pub(super) use dialect::{AthenaSql, DuckDbSql, SqlDialect, quote_literal};
pub(super) use view::EntityView;

/// The positions of the exported files, by the names of the tables without a prefix.
#[derive(Debug, Clone, Default)]
pub(super) struct FilePlaces {
    by_table: BTreeMap<String, String>,
}

impl FilePlaces {
    pub(super) fn add(&mut self, table: &str, place: String) {
        self.by_table.insert(table.to_owned(), place);
    }

    /// The tables that have a place, each with it.
    pub(super) fn placed<'s>(
        &'s self,
        schemas: &'s [TableSchema],
        option: &str,
    ) -> Result<Vec<(&'s TableSchema, &'s str)>> {
        for name in self.by_table.keys() {
            if !schemas.iter().any(|schema| schema.name == *name) {
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
        let placed = schemas.iter().filter_map(|schema| {
            let place = self.by_table.get(&schema.name)?;
            Some((schema, place.as_str()))
        });
        Ok(placed.collect())
    }
}
