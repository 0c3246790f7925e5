//! Fields that are stored only in a key, as a regular expression that finds them in its text.

use super::column::ColumnType;
use crate::schema::{
    EntitySchema, KeyContent, KeySchema, KeyType, Pad, PartSchema, PieceSchema, Presence,
    Separator, Style, TableSchema, Width,
};

/// A part of the text of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct KeyPartText {
    /// The key attribute.
    pub(in crate::export) attribute: String,
    /// The expression whose only group is the part.
    pub(in crate::export) pattern: String,
    /// Whether characters are escaped.
    pub(in crate::export) is_escaped: bool,
    /// Whether it is a padded number whose negative values are written as the nines' complement.
    pub(in crate::export) has_complement: bool,
}

/// The part of the primary key that is a field; None if the field is not in it as a whole.
pub(super) fn part_of_key(
    table: &TableSchema,
    entity: &EntitySchema,
    field: &str,
    ty: &ColumnType,
) -> Option<KeyPartText> {
    entity.keys().find_map(|key| {
        let pieces = template_of(key)?;
        let part = pieces.iter().find_map(|piece| match piece {
            PieceSchema::Part(part) if part.field == field => Some(part),
            _ => None,
        })?;
        if !is_whole(part) {
            return None;
        }
        let is_text = matches!(ty, ColumnType::Text);
        let is_integer = matches!(ty, ColumnType::Integer | ColumnType::Digits(_));
        let is_padded = is_integer && matches!(part.width, Width::Signed(_));
        Some(KeyPartText {
            attribute: key.attribute.clone(),
            pattern: key_pattern(pieces, table.style, Some(field)),
            is_escaped: is_text && table.style == Style::Escaped,
            has_complement: is_padded && table.style == Style::Escaped,
        })
    })
}

/// The expression that matches the texts of a key; None if it is not made of a template.
pub(super) fn pattern_of_key(table: &TableSchema, key: &KeySchema) -> Option<String> {
    let pieces = template_of(key)?;
    Some(key_pattern(pieces, table.style, None))
}

fn template_of(key: &KeySchema) -> Option<&[PieceSchema]> {
    match (&key.content, key.ty) {
        (KeyContent::Template(pieces), KeyType::S) => Some(pieces),
        _ => None,
    }
}

/// Whether the key contains the whole value: a date of a time is only a part of it.
fn is_whole(part: &PartSchema) -> bool {
    let is_pad = |format: &str| !format.contains(':') && Pad::read_pad(format).is_some();
    part.format.as_deref().is_none_or(is_pad)
}

fn key_pattern(pieces: &[PieceSchema], style: Style, captured: Option<&str>) -> String {
    let delimiter = escape_pattern(&style.delimiter().to_string());
    let mut pattern = "^".to_owned();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            PieceSchema::Text(text) => pattern.push_str(&escape_pattern(text)),
            PieceSchema::Shard(_) => pattern.push_str(&format!("{delimiter}[0-9]+")),
            PieceSchema::Part(part) => {
                // Other programs do not escape the delimiter, so the last part extends to the end.
                let is_last = at + 1 == pieces.len() && style != Style::Escaped;
                // Two entities may differ only in the width and the characters of a part.
                let is_plain = style == Style::Escaped && part.presence == Presence::Always;
                let text = match part.width {
                    Width::Digits(width) if is_plain => format!("[0-9]{{{width}}}"),
                    Width::Signed(width) if is_plain => format!("-?[0-9]{{{width}}}"),
                    Width::Fixed(width) if is_plain => format!("[^{delimiter}]{{{width}}}"),
                    _ if is_last => "[\\s\\S]*".to_owned(),
                    _ => any_text(style.separator(literal_after(pieces, at))),
                };
                match captured == Some(part.field.as_str()) {
                    true => pattern.push_str(&format!("({text})")),
                    false => pattern.push_str(&text),
                }
            }
        }
    }
    // `$` also matches before a line feed at the end.
    pattern.push_str("\\z");
    pattern
}

/// The literal text after a piece; empty if there is none.
fn literal_after(pieces: &[PieceSchema], at: usize) -> &str {
    match pieces.get(at + 1) {
        Some(PieceSchema::Text(text)) => text,
        _ => "",
    }
}

/// The expression for a part of variable width that ends at a separator.
fn any_text(separator: Separator) -> String {
    match separator.count {
        1 => format!(
            "[^{}]*",
            escape_pattern(&char::from(separator.byte).to_string())
        ),
        // The part may hold one character of the separator, and ends at the first whole one.
        _ => "[\\s\\S]*?".to_owned(),
    }
}

/// The expression that matches a text and nothing else.
fn escape_pattern(text: &str) -> String {
    let mut pattern = String::new();
    for char in text.chars() {
        match char {
            char if char.is_ascii_control() => {
                pattern.push_str(&format!("\\x{:02x}", u32::from(char)));
            }
            char if char.is_ascii() && !char.is_ascii_alphanumeric() && char != '_' => {
                pattern.push('\\');
                pattern.push(char);
            }
            char => pattern.push(char),
        }
    }
    pattern
}
