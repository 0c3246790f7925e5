//! Rows as a table with aligned columns.

use std::io::Write;

use clap::builder::styling::Style;
use dynamo_entity::Item;

use super::column::TableColumn;
use super::item::{cell, columns};
use crate::failure::Failure;
use crate::model::Question;
use crate::streams::Terminals;
use crate::text::visible;

/// A table that can be written page by page.
pub(crate) struct RowTable<'m> {
    of: &'m Question<'m>,
    terminals: Terminals,
    /// The columns with their widths, known after the first page.
    columns: Vec<TableColumn>,
}

impl<'m> RowTable<'m> {
    pub(crate) fn new(of: &'m Question<'m>, terminals: Terminals) -> Self {
        RowTable {
            of,
            terminals,
            columns: Vec::new(),
        }
    }

    /// Writes rows. A page with an attribute that has no column yet begins a new table.
    pub(crate) fn write(&mut self, rows: &[Item], out: &mut dyn Write) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let names = columns(rows, self.of.entity, false);
        let is_known = |name: &String| self.columns.iter().any(|column| column.name == *name);
        if self.columns.is_empty() || !names.iter().all(is_known) {
            if !self.columns.is_empty() {
                writeln!(out)?;
            }
            let most = self.terminals.widest_column();
            let columns = names
                .into_iter()
                .map(|name| TableColumn::new(name, rows, most));
            self.columns = columns.collect::<Result<_, _>>()?;
            self.head(out)?;
        }
        for row in rows {
            let line = TableColumn::line(&self.columns, |column| {
                row.get(&column.name)
                    .map_or_else(|| Ok(String::new()), cell)
            })?;
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn head(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let line = TableColumn::line(&self.columns, |column| {
            Ok(visible(&column.name).into_owned())
        })?;
        let style = Style::new().bold();
        match self.terminals.colours {
            true => writeln!(out, "{style}{line}{style:#}")?,
            false => writeln!(out, "{line}")?,
        }
        Ok(())
    }
}
