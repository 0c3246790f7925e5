//! Converts words of the model to constants of the library, so that each pair is in one place only.

use std::fmt::Debug;

use proc_macro2::TokenStream;

use super::tokens::local;
use crate::model::{FieldRole, Form, Format, NoneSide, Style, TextFormat};

/// Names the style in which key texts are written.
pub(super) fn style(style: Style) -> TokenStream {
    match style {
        Style::Escaped => code!(__d::Style::Escaped),
        Style::Verbatim { delimiter } => code!(__d::Style::Verbatim(#delimiter)),
    }
}

/// Names the library's variant for one of the model, which has the same name.
pub(super) fn variant(library: &str, model: impl Debug) -> TokenStream {
    let (library, variant) = (local(library), local(&format!("{model:?}")));
    code!(__d::#library::#variant)
}

/// Names a foreign form. Others have no constant, because their traits identify them.
pub(super) fn form(form: Form) -> Option<TokenStream> {
    Form::FOREIGN.word(form).map(|_| variant("Form", form))
}

/// Names the moment that a managed field stores: the first write or the last one.
pub(super) fn stamp_kind(role: FieldRole) -> TokenStream {
    match role {
        FieldRole::CreatedAt | FieldRole::CreatedBy => code!(__d::StampKind::Created),
        _ => code!(__d::StampKind::Updated),
    }
}

/// Makes the number of a format, which is a parameter of traits.
pub(super) fn format_constant(format: Format) -> TokenStream {
    let text = text_constant(format.text);
    match format.none {
        None => text,
        Some(NoneSide::First) => code!(__d::FIRST | #text),
        Some(NoneSide::Last) => code!(__d::LAST | #text),
        Some(NoneSide::Ends) => code!(__d::ENDS | #text),
    }
}

/// The number of `{field:.0}`, above those of the other formats.
const DECIMALS: u8 = 128;

/// Names the format by which a part differs from its field: a number with a width differs by that only.
pub(super) fn kind_constant(format: TextFormat) -> TokenStream {
    match format {
        TextFormat::Pad(_) => text_constant(TextFormat::Plain),
        // `{price:06.2}` and `{price:06.3}` have one width and other texts.
        TextFormat::Fixed { decimals, .. } => {
            let number = DECIMALS + decimals;
            code!(#number)
        }
        text => text_constant(text),
    }
}

fn text_constant(format: TextFormat) -> TokenStream {
    match format {
        TextFormat::Plain => code!(__d::PLAIN),
        TextFormat::Pad(_) => code!(__d::PADDED),
        TextFormat::Fixed { .. } => code!(__d::FIXED),
        TextFormat::Seconds => code!(__d::SECONDS),
        TextFormat::Millis => code!(__d::MILLIS),
        TextFormat::Epoch => code!(__d::EPOCH),
        TextFormat::EpochMillis => code!(__d::EPOCH_MILLIS),
        TextFormat::LowerSeconds => code!(__d::LOWER_SECONDS),
        TextFormat::LowerMillis => code!(__d::LOWER_MILLIS),
        TextFormat::Date => code!(__d::DATE),
        TextFormat::Month => code!(__d::MONTH),
        TextFormat::Year => code!(__d::YEAR),
        TextFormat::Lower => code!(__d::LOWER),
        TextFormat::Upper => code!(__d::UPPER),
    }
}
