//! Reads a key template: literals and `{field}`, `{field:format}` or `{field:format:place}`.
//!
//! A message cannot point into a string, so each quotes the part that it is about.

use syn::LitStr;

use crate::diag::{did_you_mean, nearest};
use crate::literal::{sorts_low, unfit};
use crate::model::{Format, NoneSide, Piece, Style, Template, TextFormat};
use crate::parse::reader::{Reader, field_names, find_field};

/// A template whose braces are understood, but not yet its names.
#[derive(Debug, PartialEq, Eq)]
enum Raw {
    Literal(String),
    /// The text between the braces.
    Placeholder(String),
}

/// The template. Parts that cannot be read are reported and omitted.
pub(crate) fn read(text: &LitStr, reader: &Reader<'_>) -> Template {
    let value = text.value();
    let say = |message: String| reader.diag.at(text.span(), message);
    if value.is_empty() {
        say("the template is empty; write a text, a `{field}` or both".to_owned());
    }
    let mut pieces = Vec::new();
    let mut seen: Vec<(usize, Format)> = Vec::new();
    for raw in scan(&value, &say) {
        match raw {
            Raw::Literal(literal) => {
                check_literal(&literal, reader.style, &say);
                pieces.push(Piece::Literal(literal));
            }
            Raw::Placeholder(inside) => {
                let Some((field, format)) = part(&inside, reader, &say) else {
                    continue;
                };
                if let Some((_, first)) = seen.iter().find(|(known, _)| *known == field) {
                    let instead = instead_of_twice(*first, format);
                    say(format!(
                        "\"{{{inside}}}\": this field is part of the template already; {instead}"
                    ));
                    continue;
                }
                seen.push((field, format));
                pieces.push(Piece::Part { field, format });
            }
        }
    }
    Template {
        span: text.span(),
        pieces,
        shards: None,
    }
}

/// The advice for a field that is named a second time. A key has one value of each field, and a query has one method
/// for it. So a cut that is stored beside the whole field needs a field of its own.
fn instead_of_twice(first: Format, again: Format) -> &'static str {
    let is_case = matches!(first.text, TextFormat::Lower | TextFormat::Upper);
    match (first.is_lossy(), again.is_lossy()) {
        (true, false) if is_case => {
            "give the text in one case a field of its own without an attribute: `#[dynamo(skip)] name_lower: String`"
        }
        (true, false) => {
            "the whole field alone sorts in the same way, and a range of it selects a year, a month or a day (`YearMonth::first_day`): \
             write only that; if other programs have written both, give the cut part a field \
             of its own without an attribute: `#[dynamo(skip)] month: YearMonth`"
        }
        (false, true) => "the whole field contains the cut part: remove the cut part",
        _ => "name it once",
    }
}

/// Splits the text at the braces.
fn scan(text: &str, say: &impl Fn(String)) -> Vec<Raw> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (literal, from_brace) = rest.split_at(at);
        if !literal.is_empty() {
            all.push(Raw::Literal(literal.to_owned()));
        }
        let Some(inside) = from_brace.strip_prefix('{') else {
            say("a `}` without its `{`; braces can only enclose a field's name".to_owned());
            rest = from_brace.trim_start_matches('}');
            continue;
        };
        if let Some(behind) = inside.strip_prefix('{') {
            say("`{{`: a key holds no braces; write `{field}`".to_owned());
            rest = behind.split_once("}}").map_or("", |(_, behind)| behind);
            continue;
        }
        let Some((inside, behind)) = inside.split_once('}') else {
            say(format!(
                "\"{{{inside}\": the `}}` is missing; write `{{field}}`"
            ));
            return all;
        };
        all.push(Raw::Placeholder(inside.to_owned()));
        rest = behind;
    }
    if !rest.is_empty() {
        all.push(Raw::Literal(rest.to_owned()));
    }
    all
}

/// Rule: the literals of an escaped key consist of `#` and characters that sort above `%`, so that `#` ends a part
/// and sorts below everything that can follow. If the table determines the style, only characters that are wrong in
/// both styles are errors.
fn check_literal(literal: &str, style: Option<Style>, say: &impl Fn(String)) {
    for c in literal.chars() {
        if c.is_control() {
            say(format!(
                "\"{}\": a key holds no control characters; remove it",
                literal.escape_debug()
            ));
        } else if style == Some(Style::Escaped) && sorts_low(c) {
            say(unfit(literal, c));
        }
    }
}

/// `field`, `field:format`, `field:place` or `field:format:place`
fn part(inside: &str, reader: &Reader<'_>, say: &impl Fn(String)) -> Option<(usize, Format)> {
    let (name, format) = match inside.split_once(':') {
        Some((name, format)) => (name, Some(format)),
        None => (inside, None),
    };
    if name.trim() != name && is_name(name.trim()) {
        let without: String = inside.chars().filter(|c| !c.is_whitespace()).collect();
        say(format!(
            "\"{{{inside}}}\": spaces have no meaning here; write `{{{without}}}`"
        ));
        return None;
    }
    // A field may be named `r#type`; its placeholder is `{type}`.
    let name = name.strip_prefix("r#").unwrap_or(name);
    if !is_name(name) {
        say(not_a_name(inside, name));
        return None;
    }
    let field = find_field(reader.fields, name);
    if field.is_none() {
        let names = field_names(reader.fields);
        let hint = did_you_mean(name, names.iter().map(String::as_str));
        say(format!("\"{{{inside}}}\": no such field{hint}"));
    }
    let format = match format {
        Some(format) => self::format(inside, name, format, say)?,
        None => Format::PLAIN,
    };
    Some((field?, format))
}

fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_numeric())
        && !word.is_empty()
        && word.chars().all(|c| c == '_' || c.is_alphanumeric())
}

fn not_a_name(inside: &str, name: &str) -> String {
    if inside.is_empty() {
        "\"{}\": the field's name is missing; write `{field}`".to_owned()
    } else if name.contains('.') {
        format!("\"{{{inside}}}\": only top-level fields can be key parts")
    } else {
        format!("\"{{{inside}}}\": this is no field's name; write `{{field}}`")
    }
}

/// Rule: the words after a field are one format, one position of a None, or both in this order. A format may itself have
/// two words, as `ms:lower`.
fn format(inside: &str, name: &str, words: &str, say: &impl Fn(String)) -> Option<Format> {
    let place = |word: &str| NoneSide::WORDS.meaning(word);
    let (text, none) = match words.rsplit_once(':') {
        _ if TextFormat::WORDS.meaning(words).is_some() => (Some(words), None),
        None => match place(words) {
            Some(side) => (None, Some(side)),
            None => (Some(words), None),
        },
        Some((text, last)) => match place(last) {
            Some(side) if is_one_format(text) => (Some(text), Some(side)),
            _ => {
                say(too_many_words(inside, name, words));
                return None;
            }
        },
    };
    let text = match text {
        Some(text) => text_format(inside, name, text, say)?,
        None => TextFormat::Plain,
    };
    Some(Format { text, none })
}

/// Whether this is a format of two words, or one word that is no position of a None.
fn is_one_format(text: &str) -> bool {
    let is_word = !text.contains(':') && NoneSide::WORDS.meaning(text).is_none();
    is_word || TextFormat::WORDS.meaning(text).is_some()
}

/// The message for words that are no format together.
fn too_many_words(inside: &str, name: &str, words: &str) -> String {
    let place = |word: &str| NoneSide::WORDS.meaning(word);
    let (first, behind) = words.split_once(':').unwrap_or((words, ""));
    if place(first).is_some() && is_one_format(behind) {
        return format!(
            "\"{{{inside}}}\": `first`, `last` and `ends` come after the format; write `{{{name}:{behind}:{first}}}`"
        );
    }
    let (second, third) = match behind.split_once(':') {
        Some((second, third)) => (second, format!(":{third}")),
        None => (behind, String::new()),
    };
    match (first, second) {
        ("s" | "ms", "upper") => {
            return format!(
                "\"{{{inside}}}\": a time is in upper case without this word; write `{{{name}:{first}{third}}}`"
            );
        }
        ("date" | "month" | "year" | "epoch" | "epoch_ms", "lower" | "upper") => {
            return format!(
                "\"{{{inside}}}\": `{first}` writes no letters; write `{{{name}:{first}{third}}}`"
            );
        }
        ("lower", "s" | "ms") => {
            return format!(
                "\"{{{inside}}}\": the case comes after the format of a time; write `{{{name}:{second}:lower{third}}}`"
            );
        }
        _ => {}
    }
    let (format, side) = match words.rsplit_once(':') {
        Some((format, side)) if place(side).is_some() => (format, format!(":{side}")),
        _ => (words, String::new()),
    };
    let two_words = TextFormat::WORDS.all().filter(|known| known.contains(':'));
    if let Some(known) = nearest(format, two_words).filter(|_| format.contains(':')) {
        return format!(
            "\"{{{inside}}}\": `{format}` is no format; write `{{{name}:{known}{side}}}`"
        );
    }
    let mut hint = did_you_mean(behind, NoneSide::WORDS.all());
    if hint.is_empty() || place(behind).is_some() {
        hint = format!("; write `{{{name}:{first}}}`");
    }
    format!(
        "\"{{{inside}}}\": a part has one format, then `first` or `last` for the position of a None, or `ends`{hint}"
    )
}

fn text_format(
    inside: &str,
    name: &str,
    format: &str,
    say: &impl Fn(String),
) -> Option<TextFormat> {
    if let Some(found) = TextFormat::WORDS.meaning(format) {
        return Some(found);
    }
    if format.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return match format.split_once('.') {
            Some((width, decimals)) => fixed(inside, name, (width, decimals), say),
            None => pad(inside, name, format, say),
        };
    }
    let words = TextFormat::WORDS.all().chain(NoneSide::WORDS.all());
    let mut hint = did_you_mean(format, words);
    if hint.is_empty() {
        hint.push_str(
            "; the formats are `s`, `ms`, `s:lower`, `ms:lower`, `epoch`, `epoch_ms`, `date`, `month`, `year`, `first`, `last`, `ends`, `lower`, `upper`, a width such as `08` and a width with decimals such as `08.2`",
        );
    }
    say(format!("\"{{{inside}}}\": `{format}` is no format{hint}"));
    None
}

/// `08.2`: a zero, the width of the whole text, and the number of digits after the point. `.2` has no width.
fn fixed(
    inside: &str,
    name: &str,
    (width, decimals): (&str, &str),
    say: &impl Fn(String),
) -> Option<TextFormat> {
    let decimals = decimals.parse::<u8>().ok().filter(|count| {
        // Rust also parses a sign and zeros before a number.
        decimals == count.to_string() && *count <= MOST_DECIMALS
    });
    let Some(decimals) = decimals else {
        say(format!(
            "\"{{{inside}}}\": the digits after the point are a number from 0 to {MOST_DECIMALS}, as in `{{{name}:08.2}}`"
        ));
        return None;
    };
    if width.is_empty() {
        return Some(TextFormat::Fixed { width: 0, decimals });
    }
    let Some(TextFormat::Pad(width)) =
        pad_before(inside, name, width, &format!(".{decimals}"), say)
    else {
        return None;
    };
    // A digit before the point, and the point.
    let least = if decimals == 0 { 1 } else { decimals + 2 };
    if width < least {
        say(format!(
            "\"{{{inside}}}\": a width is that of the whole text, and {width} has no room for a digit before the point; \
             write at least `{{{name}:0{least}.{decimals}}}`"
        ));
        return None;
    }
    Some(TextFormat::Fixed { width, decimals })
}

/// The largest number of decimals: with a digit and the point before them, they fill the largest width.
const MOST_DECIMALS: u8 = 37;

/// `08`: a zero and the width.
fn pad(inside: &str, name: &str, format: &str, say: &impl Fn(String)) -> Option<TextFormat> {
    pad_before(inside, name, format, "", say)
}

/// A width, with this text after it.
fn pad_before(
    inside: &str,
    name: &str,
    format: &str,
    after: &str,
    say: &impl Fn(String),
) -> Option<TextFormat> {
    let digits = format.trim_start_matches('0');
    let width = digits
        .parse::<u8>()
        .ok()
        .filter(|width| (1..=39).contains(width));
    match width {
        Some(width) if format == format!("0{width}") => Some(TextFormat::Pad(width)),
        Some(width) => {
            say(format!(
                "\"{{{inside}}}\": a width starts with one zero; write `{{{name}:0{width}{after}}}`"
            ));
            None
        }
        None => {
            say(format!(
                "\"{{{inside}}}\": `{format}` is no width; write `0` and a number from 1 to 39, \
                    as in `{{{name}:08{after}}}`"
            ));
            None
        }
    }
}
