//! Rows as a table with aligned columns.

use std::io::Write;

use clap::builder::styling::Style;
use dynamo_entity::{Item, Value};

use super::item::{cell, row_columns};
use crate::failure::Failure;
use crate::model::Question;
use crate::streams::Terminals;
use crate::text::{visible, width};

/// The maximum width of a column on a terminal. Other outputs get all of the text.
const MOST: usize = 48;

/// A table that can be written page by page.
pub(crate) struct RowTable<'m> {
    of: &'m Question<'m>,
    terminals: Terminals,
    /// The columns with their widths, known after the first page.
    columns: Vec<TableColumn>,
}

struct TableColumn {
    name: String,
    width: usize,
    /// Whether it contains numbers, which are aligned to the right.
    is_number: bool,
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
        let names = row_columns(rows, self.of);
        let is_known = |name: &String| self.columns.iter().any(|column| column.name == *name);
        if self.columns.is_empty() || !names.iter().all(is_known) {
            if !self.columns.is_empty() {
                writeln!(out)?;
            }
            self.columns = names
                .into_iter()
                .map(|name| self.column(name, rows))
                .collect::<Result<_, _>>()?;
            self.head(out)?;
        }
        for row in rows {
            let mut line = String::new();
            for (at, column) in self.columns.iter().enumerate() {
                let value = row.get(&column.name);
                let text = value.map_or_else(|| Ok(String::new()), cell)?;
                let is_last = at + 1 == self.columns.len();
                line += &column.aligned(&self.fitted(text), is_last);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn column(&self, name: String, rows: &[Item]) -> Result<TableColumn, Failure> {
        let mut widest = width(&visible(&name));
        let mut is_number = true;
        for value in rows.iter().filter_map(|row| row.get(&name)) {
            widest = widest.max(width(&self.fitted(cell(value)?)));
            is_number &= matches!(value, Value::N(_));
        }
        Ok(TableColumn {
            name,
            width: widest,
            is_number,
        })
    }

    fn head(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut line = String::new();
        for (at, column) in self.columns.iter().enumerate() {
            let is_last = at + 1 == self.columns.len();
            line += &column.aligned(&visible(&column.name), is_last);
        }
        let line = line.trim_end();
        let style = Style::new().bold();
        match self.terminals.colours {
            true => writeln!(out, "{style}{line}{style:#}")?,
            false => writeln!(out, "{line}")?,
        }
        Ok(())
    }

    /// The text, cut on a terminal.
    fn fitted(&self, text: String) -> String {
        if !self.terminals.out || width(&text) <= MOST {
            return text;
        }
        let mut cut = String::new();
        for character in text.chars() {
            let mut buffer = [0; 4];
            if width(&cut) + width(character.encode_utf8(&mut buffer)) >= MOST {
                break;
            }
            cut.push(character);
        }
        cut + "…"
    }
}

impl TableColumn {
    fn aligned(&self, text: &str, is_last: bool) -> String {
        let gap = " ".repeat(self.width.saturating_sub(width(text)));
        let space = if is_last { "" } else { "  " };
        match self.is_number {
            true => format!("{gap}{text}{space}"),
            false => format!("{text}{gap}{space}"),
        }
    }
}
