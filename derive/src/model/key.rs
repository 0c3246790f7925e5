//! The key attributes of an entity: a bare field, the number of a field, or a text made of parts.

use proc_macro2::Span;

use super::words::Words;

/// The style of key texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The library's own style: parts are escaped, with `#` between them.
    Escaped,
    /// The style of another library: text as it is, with this delimiter between parts.
    Verbatim { delimiter: char },
}

impl Style {
    /// The character that ends a part.
    pub(crate) fn delimiter(self) -> char {
        match self {
            Style::Escaped => '#',
            Style::Verbatim { delimiter } => delimiter,
        }
    }
}

/// The source of one key attribute.
pub(crate) enum KeySource {
    /// A bare field: the field's own attribute is the key attribute. An index into `Entity::fields`.
    Field { field: usize, span: Span },
    /// A string: a derived attribute holds the text of the template.
    Template(Template),
    /// `number(field)`: a derived attribute contains the number of the field. An index into `Entity::fields`.
    Number { field: usize, span: Span },
}

/// A part of a derived attribute: the field, and its format; `None` if the attribute is the number of the field.
pub(crate) type DerivedPart = (usize, Option<Format>);

/// The parts of these keys, if all are templates whose parts all have `ends`.
pub(crate) fn parts_that_end<'a>(
    keys: impl Iterator<Item = &'a KeySource>,
) -> Option<Vec<(usize, Format)>> {
    let templates: Option<Vec<&Template>> = keys.map(KeySource::template).collect();
    let parts: Vec<_> = templates?.into_iter().flat_map(Template::parts).collect();
    let mut formats = parts.iter().map(|(_, format)| format);
    let all_end = formats.all(|format| format.none == Some(NoneSide::Ends));
    (all_end && !parts.is_empty()).then_some(parts)
}

impl KeySource {
    /// The template, unless a bare field is the key attribute.
    pub(crate) fn template(&self) -> Option<&Template> {
        match self {
            KeySource::Template(template) => Some(template),
            KeySource::Field { .. } | KeySource::Number { .. } => None,
        }
    }

    /// Whether the library makes the attribute from fields, which have attributes of their own.
    pub(crate) fn is_derived(&self) -> bool {
        !matches!(self, KeySource::Field { .. })
    }

    /// The parts of a derived attribute, in their order.
    pub(crate) fn derived_parts(&self) -> Vec<DerivedPart> {
        match self {
            KeySource::Field { .. } => Vec::new(),
            KeySource::Number { field, .. } => vec![(*field, None)],
            KeySource::Template(template) => template
                .parts()
                .map(|(field, format)| (field, Some(format)))
                .collect(),
        }
    }

    /// Whether this field is the key attribute itself.
    pub(crate) fn is_bare(&self, at: usize) -> bool {
        matches!(self, KeySource::Field { field, .. } if *field == at)
    }

    /// The number of shards that the key is spread over, if any.
    pub(crate) fn shards(&self) -> Option<u16> {
        self.template()?.shards
    }
}

pub(crate) struct Template {
    pub(crate) span: Span,
    pub(crate) pieces: Vec<Piece>,
    /// `shards = n`: the delimiter and a shard below n end the text.
    pub(crate) shards: Option<u16>,
}

impl Template {
    /// The parts in their order: the field of each, and its format.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, Format)> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Part { field, format } => Some((*field, *format)),
        })
    }
}

#[derive(PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    Part { field: usize, format: Format },
}

/// The format of a part of a template.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) text: TextFormat,
    /// The position of a None in the order, if it has one.
    pub(crate) none: Option<NoneSide>,
}

/// The position of a None: before all values, or after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoneSide {
    /// `{field:first}`
    First,
    /// `{field:last}`
    Last,
    /// `{field:ends}`: the key has no text after the one before it.
    Ends,
}

impl NoneSide {
    pub(crate) const WORDS: Words<NoneSide> = Words(&[
        ("first", NoneSide::First),
        ("last", NoneSide::Last),
        ("ends", NoneSide::Ends),
    ]);
}

/// The text of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// `{field}`
    Plain,
    /// `{field:08}`
    Pad(u8),
    /// `{field:08.2}`, or with the width 0 `{field:.2}`
    Fixed { width: u8, decimals: u8 },
    /// `{field:s}`
    Seconds,
    /// `{field:ms}`
    Millis,
    /// `{field:epoch}`
    Epoch,
    /// `{field:epoch_ms}`
    EpochMillis,
    /// `{field:s:lower}`
    LowerSeconds,
    /// `{field:ms:lower}`
    LowerMillis,
    /// `{field:date}`
    Date,
    /// `{field:month}`
    Month,
    /// `{field:year}`
    Year,
    /// `{field:lower}`
    Lower,
    /// `{field:upper}`
    Upper,
}

impl TextFormat {
    pub(crate) const WORDS: Words<TextFormat> = Words(&[
        ("s", TextFormat::Seconds),
        ("ms", TextFormat::Millis),
        ("epoch", TextFormat::Epoch),
        ("epoch_ms", TextFormat::EpochMillis),
        ("s:lower", TextFormat::LowerSeconds),
        ("ms:lower", TextFormat::LowerMillis),
        ("date", TextFormat::Date),
        ("month", TextFormat::Month),
        ("year", TextFormat::Year),
        ("lower", TextFormat::Lower),
        ("upper", TextFormat::Upper),
    ]);
}

impl Format {
    /// `{field}`
    pub(crate) const PLAIN: Format = Format {
        text: TextFormat::Plain,
        none: None,
    };

    /// The same text without a position for a None.
    pub(crate) fn unplaced(self) -> Format {
        Format { none: None, ..self }
    }

    /// Whether the key text holds less than the field.
    pub(crate) fn is_lossy(self) -> bool {
        !matches!(
            self.text,
            TextFormat::Plain | TextFormat::Pad(_) | TextFormat::Fixed { .. }
        )
    }

    /// The format as it is written in a template, without the colon before it.
    pub(crate) fn written(self) -> String {
        let text = match self.text {
            TextFormat::Pad(digits) => Some(format!("0{digits}")),
            TextFormat::Fixed { width: 0, decimals } => Some(format!(".{decimals}")),
            TextFormat::Fixed { width, decimals } => Some(format!("0{width}.{decimals}")),
            text => TextFormat::WORDS.word(text).map(str::to_owned),
        };
        let side = self.none.and_then(|side| NoneSide::WORDS.word(side));
        let words: Vec<String> = text.into_iter().chain(side.map(str::to_owned)).collect();
        words.join(":")
    }
}
