//! Texts that are safe for a terminal: stored values must not move its cursor, change its colours or reverse its lines.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use unicode_width::UnicodeWidthStr;

/// Whether a terminal would act on this character, or show nothing for it.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A text with escapes for characters that a terminal would not show as they are.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            hidden if is_hidden(hidden) => shown.extend(hidden.escape_unicode()),
            other => shown.push(other),
        }
    }
    Cow::Owned(shown)
}

/// The same for a text of several lines.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(visible).collect();
    lines.join("\n")
}

/// The same JSON with escapes. Readers of JSON get the same text.
pub(crate) fn visible_json(json: &str) -> Cow<'_, str> {
    // JSON has escapes for line breaks within texts, so these are between values.
    let is_hidden = |character: char| character != '\n' && is_hidden(character);
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if !is_hidden(character) {
            shown.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a text does not fail.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    Cow::Owned(shown)
}

/// A value as a line of JSON.
pub(crate) fn visible_json_line(json: impl Display) -> String {
    format!("{}\n", visible_json(&json.to_string()))
}

/// The number of columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_terminal_is_escaped() {
        assert_eq!(visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible("a\u{9b}2Jb\u{202e}"), "a\\u{9b}2Jb\\u{202e}");
        assert_eq!(visible("plain ü\u{301} 漢"), "plain ü\u{301} 漢");
        assert_eq!(visible_lines("a\nb\rc"), "a\nb\\rc");
    }

    #[test]
    fn json_stays_the_same_value() {
        let text = "a\u{9b}\u{202e}\u{e0001}\u{7f}ü";
        let json = serde_json::to_string(text).unwrap();
        let shown = visible_json(&json);
        assert!(!shown.chars().any(is_hidden), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
