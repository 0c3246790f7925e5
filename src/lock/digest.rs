//! The stored form of each table in short: its sum, and the declarations in it that wait for a fill.

use std::path::Path;

use super::stored::{StoredEntity, StoredModel};
use super::{file, text};
use crate::error::Result;
use crate::schema::{FormerUse, TableSchema};

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
    digests(StoredModel::of(schemas)?)
}

/// The tables of a lock file.
pub(crate) fn of_file(path: &Path) -> Result<Vec<TableDigest>> {
    let text = file::load(path)?.ok_or_else(|| file::missing(path))?;
    let model = text::read(&text).map_err(|error| file::of_file(path, error))?;
    digests(model)
}

fn digests(model: StoredModel) -> Result<Vec<TableDigest>> {
    let tables = model.tables.into_iter().map(|(table, stored)| {
        let entities = stored.entities.iter();
        let pending = entities.flat_map(|(name, entity)| pending(name, entity));
        let pending = pending.collect();
        let alone = StoredModel {
            tables: [(table.clone(), stored)].into(),
        };
        let sum = super::blocks::sum(text::text(&alone)?.lines());
        Ok(TableDigest {
            table,
            sum,
            pending,
        })
    });
    tables.collect()
}

fn pending(name: &str, stored: &StoredEntity) -> Vec<(String, String)> {
    let entity = &stored.entity;
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
    all.map(|part| (name.to_owned(), part)).collect()
}
