//! A column of a table, with aligned texts.

use dynamo_entity::{Item, Value};

use super::item::cell;
use crate::failure::Failure;
use crate::text::{visible, width};

/// A column of rows.
#[derive(Debug, Clone)]
pub(super) struct TableColumn {
    pub(super) name: String,
    pub(super) width: usize,
    /// The width from which texts are cut.
    most: usize,
    /// Whether it contains numbers, which are aligned to the right.
    is_number: bool,
}

impl TableColumn {
    /// A column for these rows, with texts of at most this width.
    pub(super) fn new(name: String, rows: &[Item], most: usize) -> Result<Self, Failure> {
        let mut column = TableColumn {
            width: 0,
            most,
            is_number: true,
            name,
        };
        column.width = width(&column.cut(visible(&column.name).into_owned()));
        for value in rows.iter().filter_map(|row| row.get(&column.name)) {
            column.width = column.width.max(width(&column.cut(cell(value)?)));
            column.is_number &= matches!(value, Value::N(_));
        }
        Ok(column)
    }

    /// A line with the text of each column.
    pub(super) fn line(
        columns: &[TableColumn],
        text: impl Fn(&TableColumn) -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        let mut line = String::new();
        for (at, column) in columns.iter().enumerate() {
            let is_last = at + 1 == columns.len();
            line += &column.aligned(&column.cut(text(column)?), is_last);
        }
        Ok(line.trim_end().to_owned())
    }

    fn cut(&self, text: String) -> String {
        cut_text(text, self.most)
    }

    /// Whether the texts of rows are not wider than the column.
    pub(super) fn fits(&self, rows: &[Item]) -> Result<bool, Failure> {
        for value in rows.iter().filter_map(|row| row.get(&self.name)) {
            if width(&self.cut(cell(value)?)) > self.width {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn aligned(&self, text: &str, is_last: bool) -> String {
        let gap = " ".repeat(self.width.saturating_sub(width(text)));
        let space = if is_last { "" } else { "  " };
        match self.is_number {
            true => format!("{gap}{text}{space}"),
            false => format!("{text}{gap}{space}"),
        }
    }
}

/// The begin of a text that is wider than this, and an ellipsis.
pub(super) fn cut_text(text: String, most: usize) -> String {
    if width(&text) <= most {
        return text;
    }
    let (mut cut, mut used) = (String::new(), 0);
    // Some characters have no width, and a text may have any number of them.
    for character in text.chars().take(most.saturating_mul(8)) {
        used += width(character.encode_utf8(&mut [0; 4]));
        if used >= most {
            break;
        }
        cut.push(character);
    }
    cut + "…"
}
