//! Tables of texts, and their cells.

use crate::schema::KeyAttribute;

/// A table of texts, with a line for each row.
pub(super) struct Grid<const N: usize> {
    pub(super) heads: [&'static str; N],
    pub(super) rows: Vec<[String; N]>,
}

impl<const N: usize> Grid<N> {
    pub(super) fn grid_text(&self) -> String {
        let mut out = String::new();
        if !self.rows.is_empty() {
            self.write_grid(&mut out);
        }
        out
    }

    pub(super) fn write_grid(&self, out: &mut String) {
        let line = |cells: [&str; N]| format!("| {} |\n", cells.join(" | "));
        out.push_str(&line(self.heads));
        out.push_str(&format!("|{}\n", "---|".repeat(N)));
        for row in &self.rows {
            out.push_str(&line(row.each_ref().map(String::as_str)));
        }
    }
}

/// Text in a cell, which is one line and has no bar of its own.
pub(super) fn escape_text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

/// A name or a template, which is shown as it is.
pub(super) fn inline_code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = escape_text(text);
    match text.contains('`') {
        // Markdown has no escape for a backtick within code.
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

pub(super) fn join_codes<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts = texts.into_iter().map(inline_code);
    texts.collect::<Vec<_>>().join(", ")
}

pub(super) fn key_attribute(key: &KeyAttribute) -> String {
    format!("{} ({:?})", inline_code(&key.name), key.ty)
}
