//! Converts words of the model to constants of the library, so that each pair is in one place only.

use proc_macro2::TokenStream;

use crate::model::{Form, Format, IndexKind, NoneSide, Role, StreamView, Style, TextFormat};

/// Names the style in which key texts are written.
pub(super) fn style(style: Style) -> TokenStream {
    match style {
        Style::Escaped => code!(__d::Style::Escaped),
        Style::Verbatim { delimiter } => code!(__d::Style::Verbatim(#delimiter)),
    }
}

/// Names the view of a stream; a table without a view has no stream.
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

/// Names the kind of an index: a local one has the partition key of its table, a global one has its own.
pub(super) fn kind(kind: IndexKind) -> TokenStream {
    match kind {
        IndexKind::Global => code!(__d::IndexKind::Global),
        IndexKind::Local => code!(__d::IndexKind::Local),
    }
}

/// Names a foreign form. Others have no constant, because their traits identify them.
pub(super) fn form(form: Form) -> Option<TokenStream> {
    match form {
        Form::Own | Form::Serde => None,
        Form::Epoch => Some(code!(__d::Form::Epoch)),
        Form::EpochMillis => Some(code!(__d::Form::EpochMillis)),
        Form::Rfc3339 => Some(code!(__d::Form::Rfc3339)),
        Form::Rfc3339Millis => Some(code!(__d::Form::Rfc3339Millis)),
    }
}

/// Names what a field is to the library.
pub(super) fn field_role(role: Role) -> TokenStream {
    match role {
        Role::Attribute => code!(__d::FieldRole::Attribute),
        Role::Skip => code!(__d::FieldRole::Skip),
        Role::Rest => code!(__d::FieldRole::Rest),
        Role::Version => code!(__d::FieldRole::Version),
        Role::Ttl => code!(__d::FieldRole::Ttl),
        Role::CreatedAt => code!(__d::FieldRole::CreatedAt),
        Role::UpdatedAt => code!(__d::FieldRole::UpdatedAt),
        Role::CreatedBy => code!(__d::FieldRole::CreatedBy),
        Role::UpdatedBy => code!(__d::FieldRole::UpdatedBy),
    }
}

/// Names the moment that a managed field stores: the first write or the last one.
pub(super) fn stamp_kind(role: Role) -> TokenStream {
    match role {
        Role::CreatedAt | Role::CreatedBy => code!(__d::StampKind::Created),
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
    }
}

fn text_constant(format: TextFormat) -> TokenStream {
    match format {
        TextFormat::Plain => code!(__d::PLAIN),
        TextFormat::Pad(_) => code!(__d::PADDED),
        TextFormat::Seconds => code!(__d::SECONDS),
        TextFormat::Millis => code!(__d::MILLIS),
        TextFormat::Epoch => code!(__d::EPOCH),
        TextFormat::EpochMillis => code!(__d::EPOCH_MILLIS),
        TextFormat::Date => code!(__d::DATE),
        TextFormat::Month => code!(__d::MONTH),
        TextFormat::Lower => code!(__d::LOWER),
        TextFormat::Upper => code!(__d::UPPER),
    }
}
