//! The test of declarations: the sample as a file, and a program that compares it with the items that `put` would write.

use std::fmt::Write;

use dynamo_entity::Item;

use super::comparison::is_deep;
use super::sample::TableSample;
use super::table::AdoptedTable;

/// The sample as lines: the name of the entity, and its item as DynamoDB JSON. Items that no declaration keeps are not part
/// of it.
pub(crate) fn sample_lines(
    table: &AdoptedTable,
    sample: &TableSample,
) -> dynamo_entity::Result<String> {
    let mut lines = String::new();
    for (entity, rows) in table.entities.iter().zip(&table.kept) {
        // The reader of the test has a limit of depth, so that nasty texts do not exhaust its stack.
        let items = rows.iter().filter_map(|row| sample.rows.get(*row));
        for item in items.filter(|item| !is_deep(item)) {
            let _ = writeln!(lines, "{} {}", entity.name, Item::to_dynamodb_json(item)?);
        }
    }
    Ok(lines)
}

/// The test, which includes the declarations and the sample by these paths.
pub(crate) fn test_text(table: &AdoptedTable, declarations: &str, sample: &str) -> String {
    let mut arms = String::new();
    for entity in &table.entities {
        let name = &entity.name;
        let _ = writeln!(
            arms,
            "            {name:?} => {name}::from_item(item.clone()).and_then(|row| row.to_item()),"
        );
    }
    let names: Vec<&str> = table
        .entities
        .iter()
        .map(|entity| entity.name.as_str())
        .collect();
    let used = match names.as_slice() {
        [] => String::new(),
        [name] => format!("use declarations::{name};\n"),
        names => format!("use declarations::{{{}}};\n", names.join(", ")),
    };
    // A table without types gets the default type attribute with each put.
    let is_untyped = table.name.is_some() && table.type_attribute.is_none();
    let (binding, untyped) = match is_untyped {
        false => ("written", String::new()),
        true => (
            "mut written",
            "        if !item.contains(\"_type\") {\n            // The only attribute that `put` adds.\n            written.remove(\"_type\");\n        }\n"
                .to_owned(),
        ),
    };
    format!(
        "//! Compares the items of the sample with those that `put` would write. The sample contains data of the table.\n\n\
         use dynamo_entity::prelude::*;\n\n\
         #[allow(dead_code)]\n#[path = {declarations:?}]\nmod declarations;\n{used}\n\
         #[test]\nfn items_are_written_as_they_are() -> Result<()> {{\n    \
         for line in include_str!({sample:?}).lines() {{\n        \
         let (entity, json) = line.split_once(' ').expect(\"the name of an entity, and an item\");\n        \
         let item = Item::from_dynamodb_json(json)?;\n        \
         let {binding} = match entity {{\n{arms}            other => panic!(\"`{{other}}` is not declared\"),\n        }}?;\n\
         {untyped}        assert_eq!(written, item, \"{{entity}}\");\n    }}\n    Ok(())\n}}\n"
    )
}
