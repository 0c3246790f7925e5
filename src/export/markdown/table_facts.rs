//! The keys and the settings of a table, each as a row.

use super::grid::{Grid, inline_code, key_attribute};
use crate::export::setting_facts::setting_facts;
use crate::schema::{TableSchema, Word as _};

pub(super) fn table_facts(schema: &TableSchema) -> Grid<2> {
    let keys = [
        ("partition key", Some(key_attribute(&schema.pk))),
        ("sort key", schema.sk.as_ref().map(key_attribute)),
        (
            "entity named by",
            schema.type_attribute.as_deref().map(inline_code),
        ),
        ("rows identified by", schema.identify_by.map(|by| by.word())),
        ("tenant", schema.tenant.as_deref().map(inline_code)),
    ];
    let keys = keys
        .into_iter()
        .filter_map(|(title, value)| Some((title, value?)));
    let facts = keys.chain(setting_facts(schema, inline_code));
    Grid {
        heads: ["", ""],
        rows: facts
            .map(|(title, value)| [title.to_owned(), value])
            .collect(),
    }
}
