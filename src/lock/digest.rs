//! The stored form of each table in short: its sum, and the declarations in it that wait for a fill.

use std::path::Path;
use std::slice;

use super::declared::stored_form;
use super::{blocks, file, text};
use crate::error::Result;
use crate::schema::{EntitySchema, FormerUse, TableSchema};

/// A table of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableDigest {
    pub(crate) table: String,
    /// The sum of the text that the lock file has about the table.
    pub(crate) sum: String,
    /// What has to be filled before the next declaration is deployed, each with the name of its entity.
    pub(crate) pending: Vec<(String, String)>,
}

/// The tables of a program.
pub(crate) fn of_schemas(
    schemas: impl IntoIterator<Item = TableSchema>,
) -> Result<Vec<TableDigest>> {
    Ok(digests(stored_form(schemas)?))
}

/// The tables of a lock file.
pub(crate) fn of_file(path: &Path) -> Result<Vec<TableDigest>> {
    let text = file::load(path)?.ok_or_else(|| file::missing(path))?;
    let tables = text::read(&text).map_err(|error| file::of_file(path, error))?;
    Ok(digests(tables))
}

fn digests(tables: Vec<TableSchema>) -> Vec<TableDigest> {
    let tables = tables.into_iter().map(|table| TableDigest {
        sum: blocks::sum(text::text(slice::from_ref(&table)).lines()),
        pending: table.entities.iter().flat_map(pending).collect(),
        table: table.name,
    });
    tables.collect()
}

fn pending(entity: &EntitySchema) -> Vec<(String, String)> {
    let indexes = entity.patterns.iter().filter(|pattern| pattern.is_filling);
    let indexes = indexes.map(|pattern| pattern.name.clone());
    let uniques = entity.uniques.iter().filter(|unique| unique.is_filling);
    let uniques = uniques.map(|unique| unique.name.clone());
    let fields = entity.fields.iter().filter_map(|field| {
        let former = field.former.as_ref()?;
        let word = match field.former_use {
            FormerUse::Dropped => "drop",
            FormerUse::Alone => "keep",
            FormerUse::First => return None,
        };
        Some(format!("was(\"{former}\", {word})"))
    });
    let all = indexes.chain(uniques).chain(fields);
    all.map(|part| (entity.stored_name.clone(), part)).collect()
}
