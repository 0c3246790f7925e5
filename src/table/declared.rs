//! Each table has one declaration. Entities that do not know of each other would read and delete each other's rows.

use std::collections::BTreeMap;

use super::limits;
use crate::dynamo::Dynamo;
use crate::error::{Error, Result};
use crate::schema::{Declaration, TableSchema};

/// The schemas with their full names on a connection, checked.
pub(super) fn with_names(db: &Dynamo, schemas: Vec<TableSchema>) -> Result<Vec<TableSchema>> {
    named_by(|base| db.table_name(base), schemas)
}

/// The schemas with their full names, checked against each other and against the service's limits.
pub(crate) fn named_by(
    name: impl Fn(&str) -> String,
    schemas: Vec<TableSchema>,
) -> Result<Vec<TableSchema>> {
    check_schemas(&schemas)?;
    let mut named: Vec<TableSchema> = Vec::with_capacity(schemas.len());
    for mut schema in schemas {
        schema.name = name(&schema.name);
        limits::check_limits(&schema)?;
        match named.iter().find(|other| other.name == schema.name) {
            // Collections are information for tools, so they make no difference between two tables.
            Some(same) if same.without_collections() == schema.without_collections() => {}
            Some(_) => {
                let name = &schema.name;
                return Err(Error::config(format!(
                    "table `{name}` has two different declarations"
                )));
            }
            None => named.push(schema),
        }
    }
    Ok(named)
}

/// Rejects a table that has two declarations. The same declaration may be passed twice.
pub(crate) fn check_schemas(schemas: &[TableSchema]) -> Result<()> {
    let declared = schemas
        .iter()
        .filter_map(|schema| Some((&*schema.name, schema.origin.0?)));
    let mut first: BTreeMap<&str, Declaration> = BTreeMap::new();
    let mut refused: Vec<String> = Vec::new();
    for (table, declaration) in declared {
        let first = *first.entry(table).or_insert(declaration);
        if first.id != declaration.id {
            refused.push(describe_clash(table, first, declaration));
        }
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(Error::config(refused.join("\n"))),
    }
}

/// The mistake, and its remedy.
fn describe_clash(table: &str, one: Declaration, two: Declaration) -> String {
    let (a, b) = clashing_names(one.id, two.id);
    let (alone, shared) = if one.is_shared { (b, a) } else { (a, b) };
    match (one.is_shared, two.is_shared) {
        (false, false) => format!(
            "`{a}` and `{b}` both declare `{table}` as their own table, and would read and delete each other's rows: declare \
             it once with `#[derive(DynamoTable)]` and name that in `table = ..` of both, or give the tables two names"
        ),
        (true, true) => format!(
            "`{a}` and `{b}` both declare the table `{table}`, and would read and delete each other's rows: keep one of \
             them with the entities of both, or give them two names"
        ),
        _ => format!(
            "`{alone}` declares `{table}` as its own table, but `{shared}` declares it too: write `table = {shared}` on \
             `{alone}` and list it in `entities(..)`, or give its table another name"
        ),
    }
}

/// Their short names, or the full ones if the short ones are equal.
fn clashing_names(one: &'static str, two: &'static str) -> (&'static str, &'static str) {
    let short = |id: &'static str| id.rsplit("::").next().unwrap_or(id);
    match short(one) == short(two) {
        true => (one, two),
        false => (short(one), short(two)),
    }
}
