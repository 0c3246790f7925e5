//! A page under construction. Texts of the model reach it only by [`Markup::text`], which escapes them: tags and
//! classes are constants, and attributes with other values hold numbers.

use std::fmt::Write;

/// HTML that was written so far.
#[derive(Default)]
pub(super) struct Markup(String);

/// The longest text that is shown whole.
const LONGEST: usize = 400;

impl Markup {
    /// Begins an element; the class may be empty.
    pub(super) fn open_element(&mut self, tag: &'static str, class: &'static str) {
        match class {
            "" => self.push_parts(&["<", tag, ">"]),
            class => self.push_parts(&["<", tag, " class=\"", class, "\">"]),
        }
    }

    /// Begins an element with an attribute of a name and a number, such as `id="t3"`.
    pub(super) fn open_numbered(
        &mut self,
        tag: &'static str,
        attribute: &'static str,
        front: &'static str,
        number: usize,
    ) {
        let number = number.to_string();
        self.push_parts(&["<", tag, " ", attribute, "=\"", front, &number, "\">"]);
    }

    /// Begins a row of a table, with its number for programs that read the page.
    pub(super) fn open_row(&mut self, class: &'static str, number: usize) {
        let number = number.to_string();
        match class {
            "" => self.push_parts(&["<tr data-row=\"", &number, "\">"]),
            class => self.push_parts(&["<tr class=\"", class, "\" data-row=\"", &number, "\">"]),
        }
    }

    pub(super) fn close_element(&mut self, tag: &'static str) {
        self.push_parts(&["</", tag, ">"]);
        if ["p", "tr", "table", "section", "li", "details", "div"].contains(&tag) {
            self.0.push('\n');
        }
    }

    /// A whole element with a text.
    pub(super) fn write_element(&mut self, tag: &'static str, class: &'static str, text: &str) {
        self.open_element(tag, class);
        self.write_text(text);
        self.close_element(tag);
    }

    /// A part that this file's neighbours have as a constant.
    pub(super) fn write_constant(&mut self, html: &'static str) {
        self.0.push_str(html);
    }

    /// A text, which is shown as it is: nothing in it is markup, and characters that nobody sees are named.
    pub(super) fn write_text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(character),
                // Such characters could turn the direction of the text around them, or make two
                // values look alike.
                hidden if is_hidden(hidden) => {
                    // Writing to a text never fails.
                    let _ = write!(self.0, "\\u{{{:x}}}", u32::from(hidden));
                }
                shown => self.0.push(shown),
            }
        }
    }

    /// A value, of which the end is left out if it is long.
    pub(super) fn write_value(&mut self, text: &str) {
        match text.char_indices().nth(LONGEST) {
            None => self.write_text(text),
            Some((end, _)) => {
                self.write_text(text.get(..end).unwrap_or_default());
                self.write_text("…");
            }
        }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn push_parts(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.0.push_str(part));
    }
}

/// Whether a character shows nothing or changes the direction of its neighbours.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_inert() {
        let mut page = Markup::default();
        page.write_element(
            "td",
            "",
            "</td><script>alert('1')</script>&amp;\"\u{202e}\0\u{7f}",
        );
        assert_eq!(
            page.into_text(),
            "<td>&lt;/td&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&quot;\\u{202e}\\u{0}\\u{7f}</td>"
        );
    }

    #[test]
    fn long_values_end() {
        let mut page = Markup::default();
        page.write_value(&"ä".repeat(LONGEST + 1));
        assert_eq!(page.into_text(), "ä".repeat(LONGEST) + "…");
    }
}
