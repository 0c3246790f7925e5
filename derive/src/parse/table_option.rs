//! Reads `stream`, `tenant` and `verbatim`, which a table has whether it is shared or an entity's own, and `identify_by` of
//! a shared one.

use syn::Ident;

use crate::diag::Diag;
use crate::model::{IdentifyBy, StreamView, Style};
use crate::parse::option::{Given, Opt};
use crate::parse::options::Options;
use crate::parse::reader::known;
use crate::parse::{attribute, option_place};

/// Reads `stream = ..`.
pub(crate) fn stream(opt: Opt, diag: &Diag) -> Option<StreamView> {
    let word = opt.word(diag)?;
    let words = &StreamView::WORDS;
    known(&word.to_string(), word.span(), words, "stream view", diag)
}

/// Reads `identify_by = ..`.
pub(crate) fn identify_by(opt: Opt, diag: &Diag) -> Option<IdentifyBy> {
    let word = opt.word(diag)?;
    let words = &IdentifyBy::WORDS;
    known(
        &word.to_string(),
        word.span(),
        words,
        "value of `identify_by`",
        diag,
    )
}

/// Reads `tenant = ..`. Rule: keys are escaped, because the end of the tenant in a text without escapes is not known.
pub(crate) fn tenant(opt: Opt, style: Style, diag: &Diag) -> Option<Ident> {
    if style != Style::Escaped {
        let message = "a table with `verbatim` has no `tenant`, because its keys have no escapes, so two tenants could \
            have the same key; remove one of the two";
        diag.at(opt.name.span(), message);
        return None;
    }
    opt.word(diag)
}

/// Reads `verbatim` or `verbatim(delimiter = ":")`; without it keys are escaped.
pub(crate) fn style(opt: Option<Opt>, diag: &Diag) -> Style {
    let Some(opt) = opt else {
        return Style::Escaped;
    };
    if matches!(opt.given, Given::Flag) {
        return Style::Verbatim { delimiter: '#' };
    }
    let mut options = match attribute::list(opt, diag) {
        Some(list) => Options::of(list, &option_place::VERBATIM, diag),
        None => return Style::Verbatim { delimiter: '#' },
    };
    let delimiter = options
        .take("delimiter")
        .and_then(|opt| delimiter(opt, diag));
    Style::Verbatim {
        delimiter: delimiter.unwrap_or('#'),
    }
}

/// Reads a delimiter: one ASCII punctuation character that opens or closes no placeholder.
fn delimiter(opt: Opt, diag: &Diag) -> Option<char> {
    let text = opt.text(diag)?;
    let value = text.value();
    let mut chars = value.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) if one.is_ascii_punctuation() && !matches!(one, '{' | '}') => Some(one),
        _ => {
            let message = format!(
                "`{value}` is no delimiter; write one ASCII punctuation character, such as `:`"
            );
            diag.at(text.span(), message);
            None
        }
    }
}
