//! The text of the stored form: one fact a line, always in the same order. The lines of a block give the sum at its end,
//! so changes of two branches to one block meet in that line, and those to different blocks do not meet.

use super::blocks::{END, FORMAT, FileBlock, TITLE, blocks, not_ours, sum};
use super::facts::Facts;
use super::form;
use super::words::name;
use crate::error::Result;
use crate::schema::{EntitySchema, TableSchema};

const NOTE: &str = "\
# What is stored, as of the last review of it. It is compared with the declarations by `lock::check` in a test.
# `DYNAMO_LOCK=write cargo test` writes it; commit it with the code, and let nobody else write it.
";

/// The text of the file for these tables.
pub(super) fn text(tables: &[TableSchema]) -> String {
    let mut text = format!("{TITLE}{FORMAT}\n{NOTE}\n");
    for table in tables {
        // These lines only list blocks. They are not summed: a merge of two branches that add an entity each would
        // otherwise give a wrong sum.
        let listed = table.entities.iter();
        let listed: String = listed
            .map(|entity| format!("  entity {}\n", name(&entity.stored_name)))
            .collect();
        add_block(&mut text, &listed, &table_lines(&mut table.clone()));
        for entity in &table.entities {
            add_block(
                &mut text,
                "",
                &entity_lines(&table.name, &mut entity.clone()),
            );
        }
    }
    text + END + "\n"
}

fn add_block(text: &mut String, listed: &str, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        text.extend([line, "\n"]);
        if at == 0 {
            text.push_str(listed);
        }
    }
    let sum = sum(lines.iter().map(String::as_str));
    text.push_str(&format!("  sum {sum}\n\n"));
}

fn table_lines(table: &mut TableSchema) -> Vec<String> {
    let header = format!("table {}", name(&table.name));
    let facts = Facts::lines(2, |facts| form::table(table, facts));
    [vec![header], facts].concat()
}

fn entity_lines(table: &str, entity: &mut EntitySchema) -> Vec<String> {
    let header = format!("entity {} of {}", name(&entity.stored_name), name(table));
    let facts = Facts::lines(2, |facts| form::entity(entity, facts));
    [vec![header], facts].concat()
}

/// The tables in the text of a file.
pub(super) fn read(text: &str) -> Result<Vec<TableSchema>> {
    let blocks = blocks(text)?;
    let mut tables = Vec::new();
    for (name, block) in &blocks.tables {
        let mut table = TableSchema {
            name: name.clone(),
            ..TableSchema::default()
        };
        form::table(&mut table, &mut Facts::of(block));
        check_lines(block, &table_lines(&mut table))?;
        let entities = blocks.entities.iter();
        for ((_, stored_name), block) in entities.filter(|((table, _), _)| table == name) {
            let mut entity = EntitySchema {
                stored_name: stored_name.clone(),
                ..EntitySchema::default()
            };
            form::entity(&mut entity, &mut Facts::of(block));
            check_lines(block, &entity_lines(name, &mut entity))?;
            table.entities.push(entity);
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Fails if the lines differ from those that the library writes. Each fact has one format and one position, so that
/// equal models have equal files. No other check of the content of a block is necessary.
fn check_lines(block: &FileBlock<'_>, written: &[String]) -> Result<()> {
    let mut found = [&block.header].into_iter().chain(&block.facts);
    let mut written = written.iter();
    loop {
        match (found.next(), written.next()) {
            (None, None) => return Ok(()),
            (Some(found), Some(line)) if found.text == line => {}
            (found, _) => return Err(not_ours(found.unwrap_or(&block.header).number)),
        }
    }
}
