//! Finds the template of a key attribute: the same literals in every item, and attributes whose texts fit in all of them.

use std::collections::BTreeSet;

use dynamo_entity::Item;

use super::field::{AdoptedField, AdoptedRole, FieldKind, Presence};
use super::template::{
    KeyPiece, KeyTemplate, PartForm, PartSort, ends_there, literal_front, mark_position, part_text,
    separator,
};
use super::time_text::TimePart;

/// An attribute in one format, with its text in each item.
struct PartColumn<'f> {
    field: &'f AdoptedField,
    form: PartForm,
    sort: PartSort,
    texts: Vec<Option<String>>,
    /// Whether the texts differ.
    varies: bool,
}

/// The conditions of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchTerms {
    /// Whether parts that are no attribute become fields of their own, and attributes must be in every item.
    pub(crate) is_primary: bool,
    /// Whether the program converts keys to lower case.
    pub(crate) is_lower: bool,
}

/// How many texts one search may compare, so that nasty keys end it.
const COMPARISONS: usize = 2_000_000;

/// The longest draft, which bounds the depth of the search.
const PIECES: usize = 300;

/// How many parts may be only in a key.
const KEY_PARTS: usize = 4;

/// The separators of parts that are only in a key.
const MARKS: [&str; 6] = ["#", "|", "::", "@", "/", ":"];

/// A part of a draft.
#[derive(Debug, Clone)]
enum DraftPiece {
    Literal(char),
    Column(usize),
    /// Only in the key.
    KeyOnly,
}

struct TemplateSearch<'s> {
    texts: Vec<&'s str>,
    columns: Vec<PartColumn<'s>>,
    terms: SearchTerms,
    /// Where parts may begin, in bytes; the text before is a literal.
    first: usize,
    steps: usize,
}

/// The template, and the names of the parts that are only in the key: one for each [`KeyPiece::Part`] that is no field yet.
pub(crate) fn search_template(
    rows: &[&Item],
    attribute: &str,
    fields: &[AdoptedField],
    terms: SearchTerms,
) -> Option<(KeyTemplate, Vec<String>)> {
    let texts: Option<Vec<&str>> = rows
        .iter()
        .map(|row| row.get(attribute)?.as_text())
        .collect();
    let texts = texts.filter(|texts| !texts.is_empty())?;
    let columns = fields
        .iter()
        .filter(|field| !terms.is_primary || can_be_primary(field));
    let columns: Vec<PartColumn<'_>> = columns
        .flat_map(|field| field_columns(field, rows, texts[0], terms.is_lower))
        .collect();
    let first = literal_front(&texts);
    let steps = COMPARISONS / texts.len();
    let mut search = TemplateSearch {
        texts,
        columns,
        terms,
        first,
        steps,
    };
    let starts = vec![0; search.texts.len()];
    let mut draft = Vec::new();
    let mut found = search
        .walk(&starts, &mut draft)
        .then(|| search.finished(&draft));
    if found.is_none() && terms.is_primary {
        // Without budget for better templates: one part, which is only in the key.
        found = Some((
            vec![KeyPiece::Part(String::new(), PartForm::Plain)],
            vec![String::new()],
        ));
    }
    let (pieces, mut names) = found?;
    let template = KeyTemplate { pieces };
    let template = match terms.is_primary {
        true => open_constant(template, &mut names),
        false => template,
    };
    Some((
        name_key_parts(template, attribute, fields, &mut names),
        names,
    ))
}

/// A part of the primary key is in every item, and is no managed field.
fn can_be_primary(field: &AdoptedField) -> bool {
    field.presence == Presence::Always && matches!(field.role, AdoptedRole::Attribute)
}

/// The forms of a number with a fraction. If all numbers of the sample have as many decimals, several forms give their
/// texts: without a width, the number as it is, and with a width the form that has ranges. Keys of ElectroDB, which begin
/// with `$`, have a width and no decimals.
fn fraction_forms(is_electro: bool) -> Vec<PartForm> {
    let fixed = (0..=6).flat_map(|decimals| {
        let widths = (decimals + 2..=20).chain([0]);
        widths.map(move |width| PartForm::Decimals { width, decimals })
    });
    let widths = (2..=20).map(PartForm::Width);
    let plain = std::iter::once(PartForm::Plain);
    match is_electro {
        true => plain.chain(widths).chain(fixed).collect(),
        false => plain.chain(fixed).chain(widths).collect(),
    }
}

/// The formats in which an attribute can be a part.
fn field_columns<'f>(
    field: &'f AdoptedField,
    rows: &[&Item],
    key: &str,
    is_lower: bool,
) -> Vec<PartColumn<'f>> {
    let mut forms = Vec::new();
    match &field.kind {
        FieldKind::Text => {
            let folds = [PartForm::Lower, PartForm::Plain, PartForm::Upper];
            let usual = [PartForm::Plain, PartForm::Lower, PartForm::Upper];
            // A part that is only in the key is that text.
            match field.role {
                AdoptedRole::KeyOnly => forms.push(PartForm::Plain),
                _ => forms.extend(if is_lower { folds } else { usual }),
            }
        }
        FieldKind::Unsigned => {
            forms.push(PartForm::Plain);
            forms.extend((2..=20).map(PartForm::Width));
        }
        FieldKind::Float | FieldKind::Exact => forms.extend(fraction_forms(key.starts_with('$'))),
        FieldKind::Signed | FieldKind::Bool | FieldKind::KeyTime(_) => forms.push(PartForm::Plain),
        FieldKind::Time(_) => forms.extend(TimePart::ALL.map(PartForm::Time)),
        _ => {}
    }
    let columns = forms.into_iter().filter_map(|form| {
        let first = rows.first().and_then(|row| part_text(field, form, row))?;
        if !key.contains(&first) {
            return None;
        }
        let texts: Vec<Option<String>> =
            rows.iter().map(|row| part_text(field, form, row)).collect();
        if texts.iter().any(Option::is_none) {
            return None;
        }
        let varies = texts.iter().collect::<BTreeSet<_>>().len() > 1;
        let sort = form.sort(&field.kind);
        Some(PartColumn {
            field,
            form,
            sort,
            texts,
            varies,
        })
    });
    columns.collect()
}

impl TemplateSearch<'_> {
    /// Extends the draft until it covers all texts.
    fn walk(&mut self, at: &[usize], draft: &mut Vec<DraftPiece>) -> bool {
        let ended = self
            .texts
            .iter()
            .zip(at)
            .filter(|(text, at)| text.len() == **at)
            .count();
        if ended > 0 {
            return ended == at.len() && !draft.is_empty();
        }
        if self.steps == 0 || draft.len() > PIECES {
            return false;
        }
        self.steps -= 1;
        if at.first() >= Some(&self.first) {
            for column in self.candidates(at, draft) {
                draft.push(DraftPiece::Column(column));
                let next: Vec<usize> = at
                    .iter()
                    .zip(&self.columns[column].texts)
                    .map(|(at, text)| at + text.as_ref().map_or(0, String::len))
                    .collect();
                if self.walk(&next, draft) {
                    return true;
                }
                draft.pop();
            }
        }
        // A literal comes after attributes, because a value that all items share is a literal too.
        if let Some(c) = self.same_char(at) {
            draft.push(DraftPiece::Literal(c));
            let next: Vec<usize> = at.iter().map(|at| at + c.len_utf8()).collect();
            if self.walk(&next, draft) {
                return true;
            }
            draft.pop();
        }
        self.terms.is_primary && self.begins_key_part(at) && self.hide(at, draft)
    }

    /// The character with which all texts continue, if a template can contain it.
    fn same_char(&self, at: &[usize]) -> Option<char> {
        let mut nexts = self
            .texts
            .iter()
            .zip(at)
            .map(|(text, at)| text[*at..].chars().next());
        let first = nexts
            .next()?
            .filter(|c| !c.is_control() && !matches!(c, '{' | '}'))?;
        nexts.all(|next| next == Some(first)).then_some(first)
    }

    /// Whether a part may begin here: not in the middle of a word.
    fn begins_part(&self, at: &[usize]) -> bool {
        self.texts.iter().zip(at).all(|(text, at)| {
            let before = text[..*at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric())
        })
    }

    /// Whether a part that is only in the key may begin here. Other marks, such as a dash, are likely inside of values.
    fn begins_key_part(&self, at: &[usize]) -> bool {
        self.texts.iter().zip(at).all(|(text, at)| {
            let before = text[..*at].chars().next_back();
            before.is_none_or(|c| "#|/:_@~".contains(c))
        })
    }

    /// The attributes whose texts continue all keys, the likeliest first.
    fn candidates(&self, at: &[usize], draft: &[DraftPiece]) -> Vec<usize> {
        let word = literal_word(draft);
        let begins = self.begins_part(at);
        let can_follow = match draft.last() {
            Some(DraftPiece::Column(before)) => self.columns[*before].sort == PartSort::Fixed,
            Some(DraftPiece::KeyOnly) => false,
            _ => true,
        };
        if !can_follow {
            return Vec::new();
        }
        let fitting = self.columns.iter().enumerate().filter(|(_, column)| {
            let is_used = draft.iter().any(|piece| match piece {
                DraftPiece::Column(used) => {
                    self.columns[*used].field.attribute == column.field.attribute
                }
                _ => false,
            });
            let after_letters = column.sort != PartSort::Text
                && !word.is_empty()
                && !word.ends_with(|c: char| c.is_ascii_digit());
            !is_used
                && (begins || after_letters)
                && self.fits(column, at)
                && self.is_meant(column, at, &word)
        });
        let mut fitting: Vec<(usize, &PartColumn<'_>)> = fitting.collect();
        fitting.sort_by_key(|(number, column)| {
            let length: usize = column.texts.iter().flatten().map(String::len).sum();
            let kind = match column.field.kind {
                FieldKind::Text => 0,
                FieldKind::Bool => 2,
                _ => 1,
            };
            // The text as it is comes before a text in another case, unless the program converts keys.
            let is_changed = matches!(column.form, PartForm::Lower | PartForm::Upper);
            (
                !is_named(column.field, &word),
                std::cmp::Reverse(length),
                is_changed && !self.terms.is_lower,
                !column.varies,
                kind,
                *number,
            )
        });
        fitting.into_iter().map(|(number, _)| number).collect()
    }

    /// Whether the texts of the attribute continue all keys, and end where a part can end.
    fn fits(&self, column: &PartColumn<'_>, at: &[usize]) -> bool {
        let rows = self.texts.iter().zip(at).zip(&column.texts);
        rows.into_iter().all(|((text, at), part)| {
            let Some(part) = part else { return false };
            let Some(after) = text[*at..].strip_prefix(part.as_str()) else {
                return false;
            };
            match after.is_empty() {
                true => true,
                false => ends_there(part, column.sort, Some(after)),
            }
        }) && self.same_separator(column, at)
    }

    /// A text ends at the same separator in all keys, or at the end of all of them.
    fn same_separator(&self, column: &PartColumn<'_>, at: &[usize]) -> bool {
        let rows = self.texts.iter().zip(at).zip(&column.texts);
        let mut marks = rows.map(|((text, at), part)| {
            let after = &text[at + part.as_ref().map_or(0, String::len)..];
            match column.sort {
                PartSort::Text | PartSort::Offset | PartSort::Fraction => {
                    separator(after).unwrap_or(after)
                }
                _ => "",
            }
        });
        let first = marks.next();
        marks.all(|mark| Some(mark) == first)
    }

    /// Whether the attribute is there by intention. A value that all items share, or a short number, may be equal to a part
    /// of a literal by accident.
    fn is_meant(&self, column: &PartColumn<'_>, at: &[usize], word: &str) -> bool {
        if column.varies || is_named(column.field, word) {
            return true;
        }
        let is_text = matches!(column.field.kind, FieldKind::Text);
        let length = column
            .texts
            .first()
            .and_then(|text| text.as_ref().map(String::len))
            .unwrap_or_default();
        let is_whole = self.texts.first().is_some_and(|text| text.len() == length);
        let is_first = at.first() == Some(&0);
        // A type word is at the beginning, as in `ORDER#7`.
        let may_be_word = is_first && !is_whole;
        !may_be_word && (is_text || length >= 3)
    }

    /// Adds a part that is only in the key.
    fn hide(&mut self, at: &[usize], draft: &mut Vec<DraftPiece>) -> bool {
        let hidden = draft
            .iter()
            .filter(|piece| matches!(piece, DraftPiece::KeyOnly))
            .count();
        if hidden >= KEY_PARTS
            || matches!(
                draft.last(),
                Some(DraftPiece::Column(_) | DraftPiece::KeyOnly)
            )
        {
            return false;
        }
        draft.push(DraftPiece::KeyOnly);
        let before = draft.len();
        // The shortest part first, so that the rest of the key can be attributes again.
        for mark in MARKS {
            let rows = self.texts.iter().zip(at);
            let ends = rows.map(|(text, at)| Some(at + mark_position(&text[*at..], mark)?));
            let Some(ends) = ends.collect::<Option<Vec<usize>>>() else {
                continue;
            };
            if self.walk(&ends, draft) {
                // Other marks are likely inside of values, as in mail addresses, unless attributes follow them.
                let has_attributes = draft[before..]
                    .iter()
                    .any(|piece| matches!(piece, DraftPiece::Column(_)));
                if has_attributes || ["#", "|"].contains(&mark) {
                    return true;
                }
                draft.truncate(before);
            }
        }
        // The last part of a verbatim key may contain every character.
        let ends: Vec<usize> = self.texts.iter().map(|text| text.len()).collect();
        if self.walk(&ends, draft) {
            return true;
        }
        draft.pop();
        false
    }

    /// The pieces of the draft, and the word before each part that is only in the key.
    fn finished(&self, draft: &[DraftPiece]) -> (Vec<KeyPiece>, Vec<String>) {
        let mut pieces = Vec::new();
        let mut names = Vec::new();
        for (at, piece) in draft.iter().enumerate() {
            match piece {
                DraftPiece::Literal(c) => match pieces.last_mut() {
                    Some(KeyPiece::Literal(text)) => text.push(*c),
                    _ => pieces.push(KeyPiece::Literal(c.to_string())),
                },
                DraftPiece::Column(column) => {
                    let column = &self.columns[*column];
                    pieces.push(KeyPiece::Part(column.field.attribute.clone(), column.form));
                }
                DraftPiece::KeyOnly => {
                    names.push(literal_word(&draft[..at]));
                    pieces.push(KeyPiece::Part(String::new(), PartForm::Plain));
                }
            }
        }
        (pieces, names)
    }
}

/// The last word of the literal at the end of a draft, in lower case.
fn literal_word(draft: &[DraftPiece]) -> String {
    let literal = draft.iter().rev().map_while(|piece| match piece {
        DraftPiece::Literal(c) => Some(*c),
        _ => None,
    });
    let word: Vec<char> = literal
        .skip_while(|c| !c.is_alphanumeric())
        .take_while(|c| c.is_alphanumeric())
        .collect();
    word.into_iter()
        .rev()
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether the word before a part is its name.
fn is_named(field: &AdoptedField, word: &str) -> bool {
    let name: String = field
        .attribute
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    !word.is_empty()
        && (name == word
            || name.strip_suffix("id") == Some(word)
            || word.strip_suffix("id") == Some(name.as_str()))
}

/// If the key is a constant such as `USER#ann`, the sample may contain only one user, so its last word is a part.
fn open_constant(mut template: KeyTemplate, names: &mut Vec<String>) -> KeyTemplate {
    if let [KeyPiece::Literal(text)] = template.pieces.as_slice()
        && let Some(at) = text.rfind(['#', '|'])
        && text.len() > at + 1
        && text[at + 1..].contains(|c: char| c.is_lowercase() || c.is_ascii_digit())
        && !text.starts_with('$')
        && at > 0
    {
        let front = &text[..=at];
        let draft: Vec<DraftPiece> = front.chars().map(DraftPiece::Literal).collect();
        names.push(literal_word(&draft));
        template.pieces = vec![
            KeyPiece::Literal(front.to_owned()),
            KeyPiece::Part(String::new(), PartForm::Plain),
        ];
    }
    template
}

/// Gives each part that is only in the key an attribute name that no item has.
fn name_key_parts(
    mut template: KeyTemplate,
    attribute: &str,
    fields: &[AdoptedField],
    names: &mut [String],
) -> KeyTemplate {
    let mut taken: BTreeSet<String> = fields.iter().map(|field| field.attribute.clone()).collect();
    let mut left = names.iter_mut();
    for piece in &mut template.pieces {
        if let KeyPiece::Part(part, _) = piece
            && part.is_empty()
            && let Some(name) = left.next()
        {
            if name.is_empty() || !name.is_ascii() {
                *name = format!("{attribute}_part");
            }
            // A control character, so that no attribute has this name by accident.
            *name = super::names::unique_name(format!("\u{1}{name}"), &mut taken);
            part.clone_from(name);
        }
    }
    template
}
