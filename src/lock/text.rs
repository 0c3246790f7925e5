//! The text of the stored form: one fact a line, always in the same order. The lines of a block give the sum at its end,
//! so changes of two branches to one block meet in that line, and those to different blocks do not meet.

use super::blocks::{END, FORMAT, FileBlock, TITLE, blocks, not_ours, sum};
use super::facts::Facts;
use super::form;
use super::stored::{StoredEntity, StoredModel, StoredTable};
use super::words::name;
use crate::error::Result;
use crate::schema::TableSchema;

const NOTE: &str = "\
# What is stored, as of the last review of it. It is compared with the declarations by `lock::check` in a test.
# `DYNAMO_LOCK=write cargo test` writes it; commit it with the code, and let nobody else write it.
";

/// The text that holds a model.
pub(super) fn text(model: &StoredModel) -> Result<String> {
    let mut text = format!("{TITLE}{FORMAT}\n{NOTE}\n");
    for (table, stored) in &model.tables {
        // These lines only list blocks. They are not summed: a merge of two branches that add an entity each would
        // otherwise give a wrong sum.
        let listed = stored.entities.keys();
        let listed: String = listed
            .map(|entity| format!("  entity {}\n", name(entity)))
            .collect();
        add_block(&mut text, &listed, &table_lines(table, &stored.head)?);
        for (entity, stored) in &stored.entities {
            add_block(&mut text, "", &entity_lines(table, entity, stored)?);
        }
    }
    Ok(text + END + "\n")
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

fn table_lines(table: &str, head: &TableSchema) -> Result<Vec<String>> {
    let mut facts = Facts::written();
    form::table(&mut head.clone(), &mut facts)?;
    let header = format!("table {}", name(table));
    Ok([vec![header], facts.into_lines()].concat())
}

fn entity_lines(table: &str, entity: &str, stored: &StoredEntity) -> Result<Vec<String>> {
    let mut facts = Facts::written();
    form::entity(&mut stored.clone(), &mut facts)?;
    let header = format!("entity {} of {}", name(entity), name(table));
    Ok([vec![header], facts.into_lines()].concat())
}

/// The model that the text of a file holds.
pub(super) fn read(text: &str) -> Result<StoredModel> {
    let blocks = blocks(text)?;
    let mut model = StoredModel::default();
    for (name, block) in &blocks.tables {
        let mut table = StoredTable::default();
        let mut facts = Facts::of(block)?;
        form::table(&mut table.head, &mut facts)?;
        facts.check_end()?;
        // The model that was read is written again and has to give the same lines. This finds facts in
        // another order, defaults that are spelled out, and all else that reading tolerates.
        check_lines(block, &table_lines(name, &table.head)?)?;
        model.tables.insert(name.clone(), table);
    }
    for ((table, name), block) in &blocks.entities {
        let mut entity = StoredEntity::default();
        let mut facts = Facts::of(block)?;
        form::entity(&mut entity, &mut facts)?;
        facts.check_end()?;
        check_lines(block, &entity_lines(table, name, &entity)?)?;
        if let Some(table) = model.tables.get_mut(table) {
            table.entities.insert(name.clone(), entity);
        }
    }
    Ok(model)
}

/// One fact has one spelling and one place, so that equal files are equal models.
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
