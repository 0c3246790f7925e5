//! Words of the model become constants of the library here, so that each pair of them stands in one place.

use proc_macro2::TokenStream;

use crate::model::{Form, Format, IndexKind, Role, StreamView, Style};

/// A style is how key texts are written.
pub(super) fn style(style: Style) -> TokenStream {
    match style {
        Style::Escaped => code!(__d::Style::Escaped),
        Style::Verbatim { delimiter } => code!(__d::Style::Verbatim(#delimiter)),
    }
}

/// A table without a view has no stream.
pub(super) fn stream(view: Option<StreamView>) -> TokenStream {
    let Some(view) = view else {
        return code!(::core::option::Option::None);
    };
    let view = match view {
        StreamView::KeysOnly => code!(KeysOnly),
        StreamView::NewImage => code!(NewImage),
        StreamView::OldImage => code!(OldImage),
        StreamView::NewAndOldImages => code!(NewAndOldImages),
    };
    code!(::core::option::Option::Some(__d::StreamView::#view))
}

/// A local index has the partition key of its table, a global one has its own.
pub(super) fn kind(kind: IndexKind) -> TokenStream {
    match kind {
        IndexKind::Global => code!(__d::IndexKind::Global),
        IndexKind::Local => code!(__d::IndexKind::Local),
    }
}

/// Only foreign forms have a constant, since the others are known by their traits.
pub(super) fn form(form: Form) -> Option<TokenStream> {
    match form {
        Form::Own | Form::Serde => None,
        Form::Epoch => Some(code!(__d::Form::Epoch)),
        Form::EpochMillis => Some(code!(__d::Form::EpochMillis)),
        Form::Rfc3339 => Some(code!(__d::Form::Rfc3339)),
    }
}

/// A managed field keeps one of two moments, the first write or the last one.
pub(super) fn stamp_kind(role: Role) -> TokenStream {
    match role {
        Role::CreatedAt | Role::CreatedBy => code!(__d::StampKind::Created),
        _ => code!(__d::StampKind::Updated),
    }
}

/// A format is a number to the compiler, since it is a parameter of traits.
pub(super) fn format_constant(format: Format) -> TokenStream {
    match format {
        Format::Plain => code!(PLAIN),
        Format::Pad(_) => code!(PADDED),
        Format::Seconds => code!(SECONDS),
        Format::Millis => code!(MILLIS),
        Format::Date => code!(DATE),
        Format::Month => code!(MONTH),
    }
}
