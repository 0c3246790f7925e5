//! Templates of key texts, and the texts that they give.

use dynamo_entity::{Item, Number, Value};

use super::field::{AdoptedField, AdoptedRole, FieldKind};
use super::time_text::TimePart;

/// The key attribute as a template.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KeyTemplate {
    pub(crate) pieces: Vec<KeyPiece>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum KeyPiece {
    Literal(String),
    /// A field, by its attribute.
    Part(String, PartForm),
}

/// The format of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartForm {
    Plain,
    Lower,
    Upper,
    /// Padded with zeros.
    Width(usize),
    /// With this number of decimals, padded to the width if it is not 0.
    Decimals {
        width: usize,
        decimals: usize,
    },
    Time(TimePart),
}

/// The kinds of texts that a part has, which decide where it can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartSort {
    Text,
    Digits,
    /// Always of one width.
    Fixed,
    /// Contains `-`, `:`, `.` and `+`.
    Offset,
    /// Contains `-` and `.`.
    Fraction,
}

impl PartForm {
    /// The sort of the texts of a field in this format.
    pub(crate) fn sort(self, kind: &FieldKind) -> PartSort {
        match (self, kind) {
            (PartForm::Width(_) | PartForm::Time(_), _) => PartSort::Fixed,
            (PartForm::Decimals { width, .. }, _) if width > 0 => PartSort::Fixed,
            (_, FieldKind::Float | FieldKind::Exact) => PartSort::Fraction,
            (_, FieldKind::Unsigned) => PartSort::Digits,
            (_, FieldKind::KeyTime(_)) => PartSort::Offset,
            _ => PartSort::Text,
        }
    }
}

/// The separator with which a text begins: an ASCII mark, repeated.
pub(crate) fn separator(after: &str) -> Option<&str> {
    let first = after
        .chars()
        .next()
        .filter(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && !c.is_ascii_control())?;
    let end = after.find(|c| c != first).unwrap_or(after.len());
    Some(&after[..end])
}

/// Whether a part with this text ends before the text after it, and nowhere else. `after` is None at the end of the key.
pub(crate) fn ends_there(text: &str, sort: PartSort, after: Option<&str>) -> bool {
    let Some(after) = after else { return true };
    let next = after.chars().next();
    match sort {
        PartSort::Fixed => true,
        PartSort::Digits => next.is_some_and(|c| !c.is_ascii_digit()),
        PartSort::Offset
            if separator(after).is_some_and(|mark| mark.len() == 1 && "-:.+".contains(mark)) =>
        {
            false
        }
        PartSort::Fraction
            if separator(after).is_some_and(|mark| mark.len() == 1 && "-.+".contains(mark)) =>
        {
            false
        }
        PartSort::Text | PartSort::Offset | PartSort::Fraction => separator(after)
            .is_some_and(|mark| format!("{text}{mark}").find(mark) == Some(text.len())),
    }
}

/// The text of a field as a part of a key; None if the item has none.
pub(crate) fn part_text(field: &AdoptedField, form: PartForm, row: &Item) -> Option<String> {
    let value = row
        .get(&field.attribute)
        .filter(|value| **value != Value::Null)?;
    let text = match (form, value) {
        (PartForm::Time(part), value) => part.text(value)?,
        (PartForm::Width(width), Value::N(number)) => padded(shortest_text(number)?, width)?,
        (PartForm::Decimals { width, decimals }, Value::N(number)) => {
            padded(&fixed_text(number, decimals)?, width)?
        }
        (PartForm::Plain, Value::N(number)) => shortest_text(number)?.to_owned(),
        (PartForm::Plain, Value::S(text)) => text.clone(),
        (PartForm::Lower, Value::S(text)) => text.to_lowercase(),
        (PartForm::Upper, Value::S(text)) => text.to_uppercase(),
        (PartForm::Plain, Value::Bool(value)) => value.to_string(),
        _ => return None,
    };
    // Empty text is no part of a key, like a missing attribute.
    (!text.is_empty()).then_some(text)
}

/// The text of a number as programs write it. Very small and very large numbers have exponents, which differ between
/// languages, so a template with them is no guess.
fn shortest_text(number: &Number) -> Option<&str> {
    let text = number.as_str();
    let whole = text.split('.').next().unwrap_or_default();
    let is_usual = !text.contains('E') && whole.len() <= 21;
    let is_small = text.trim_start_matches('-').starts_with("0.000000");
    (is_usual && !is_small).then_some(text)
}

/// The text with this number of decimals; None if the number has more.
fn fixed_text(number: &Number, decimals: usize) -> Option<String> {
    let text = shortest_text(number)?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > decimals {
        return None;
    }
    let point = if decimals > 0 { "." } else { "" };
    Some(format!("{whole}{point}{fraction:0<decimals$}"))
}

/// The text padded with zeros to a width, unless it is 0. A longer number or a sign has no padded text.
fn padded(text: &str, width: usize) -> Option<String> {
    let fits = width == 0 || text.len() <= width && !text.starts_with('-');
    fits.then(|| format!("{text:0>width$}"))
}

impl KeyTemplate {
    /// The attributes of its parts, with their formats.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, PartForm)> {
        self.pieces.iter().filter_map(|piece| match piece {
            KeyPiece::Part(attribute, form) => Some((attribute.as_str(), *form)),
            KeyPiece::Literal(_) => None,
        })
    }

    /// Whether a part is this field.
    pub(crate) fn contains(&self, attribute: &str) -> bool {
        self.parts().any(|(part, _)| part == attribute)
    }

    /// The text before the first part, and whether it is the whole key.
    pub(crate) fn front(&self) -> (&str, bool) {
        match self.pieces.first() {
            Some(KeyPiece::Literal(text)) => (text, self.pieces.len() == 1),
            _ => ("", self.pieces.is_empty()),
        }
    }

    /// Whether no text fits both templates, by the texts before their first parts.
    pub(crate) fn is_apart(&self, other: &KeyTemplate) -> bool {
        let ((one, one_is_whole), (other, other_is_whole)) = (self.front(), other.front());
        match (one_is_whole, other_is_whole) {
            (true, true) => one != other,
            (true, false) => !one.starts_with(other),
            (false, true) => !other.starts_with(one),
            (false, false) => !one.starts_with(other) && !other.starts_with(one),
        }
    }

    /// The text of an item, whose parts that are only in keys were read before.
    pub(crate) fn text(&self, fields: &[AdoptedField], row: &Item) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                KeyPiece::Literal(literal) => text += literal,
                KeyPiece::Part(attribute, form) => {
                    let field = fields.iter().find(|field| field.attribute == *attribute)?;
                    text += &part_text(field, *form, row)?;
                }
            }
        }
        Some(text)
    }

    /// Reads the parts that are only in the key into the item, under the names of their fields.
    pub(crate) fn read_key_parts(
        &self,
        fields: &[AdoptedField],
        mut text: &str,
        into: &mut Item,
    ) -> Option<()> {
        for (at, piece) in self.pieces.iter().enumerate() {
            match piece {
                KeyPiece::Literal(literal) => text = text.strip_prefix(literal.as_str())?,
                KeyPiece::Part(attribute, form) => {
                    let field = fields.iter().find(|field| field.attribute == *attribute)?;
                    let after = match self.pieces.get(at + 1) {
                        Some(KeyPiece::Literal(after)) => Some(after.as_str()),
                        Some(KeyPiece::Part(..)) => Some(""),
                        None => None,
                    };
                    let end = part_end(text, form.sort(&field.kind), part_width(*form), after)?;
                    if field.role == AdoptedRole::KeyOnly {
                        into.insert(attribute, &text[..end]);
                    }
                    text = &text[end..];
                }
            }
        }
        text.is_empty().then_some(())
    }
}

fn part_width(form: PartForm) -> Option<usize> {
    match form {
        PartForm::Width(width) => Some(width),
        PartForm::Decimals { width, .. } => Some(width).filter(|width| *width > 0),
        PartForm::Time(part) => Some(part.width()),
        _ => None,
    }
}

/// Where a part ends.
fn part_end(
    text: &str,
    sort: PartSort,
    width: Option<usize>,
    after: Option<&str>,
) -> Option<usize> {
    let end = match (width, after) {
        (Some(width), _) => width,
        (None, None) => text.len(),
        (None, Some(after)) => match sort {
            PartSort::Digits => text.find(|c: char| !c.is_ascii_digit())?,
            _ => text.find(separator(after)?)?,
        },
    };
    (end > 0 && text.is_char_boundary(end)).then_some(end)
}

/// The text with which all keys of an ElectroDB entity begin: the service, or the collection, and the entity with its
/// version.
pub(crate) fn literal_front(texts: &[&str]) -> usize {
    let Some(one) = texts.first().filter(|one| one.starts_with('$')) else {
        return 0;
    };
    let mut end = 0;
    for token in one.split_inclusive('#') {
        let token = token.trim_end_matches('#');
        let is_version = token.rsplit_once('_').is_some_and(|(name, version)| {
            !name.is_empty()
                && !version.is_empty()
                && version.len() <= 3
                && version.bytes().all(|b| b.is_ascii_digit())
        });
        let is_front = end == 0 && !token.contains('_') || is_version && end <= 64;
        let next = end + token.len();
        if !is_front || !texts.iter().all(|text| text.get(..next) == one.get(..next)) {
            break;
        }
        end = (next + 1).min(one.len());
    }
    end
}

/// The position of a mark that ends a part which is only in the key; None for one inside of a time.
pub(crate) fn mark_position(text: &str, mark: &str) -> Option<usize> {
    let end = text.find(mark).filter(|end| *end > 0)?;
    let before = &text.as_bytes()[..end];
    let is_clock = mark == ":"
        && matches!(before, [.., b'T' | b't', hour, minute] if hour.is_ascii_digit() && minute.is_ascii_digit());
    (separator(&text[end..]) == Some(mark) && !is_clock).then_some(end)
}
