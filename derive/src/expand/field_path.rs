//! The path of a field has a type, and a function that writes values as the field is stored, so that conditions and
//! changes match what items hold.

use proc_macro2::TokenStream;
use quote::format_ident;

use super::attribute::KeyUse;
use super::way::{Way, bound_of, by_serde, compressing, time_form, way};
use crate::model::{Field, Form};

/// The parts of a method that returns the path of a field.
pub(super) struct PathCode {
    pub(super) ty: TokenStream,
    /// The body: an expression of that type.
    pub(super) path: TokenStream,
    /// The bound on the type of the field. It is checked late: a wrong type is reported where the field is stored,
    /// and here only if the path is used.
    pub(super) bound: TokenStream,
}

pub(super) fn path(
    field: &Field,
    key: Option<KeyUse>,
    root: &TokenStream,
    usage: &TokenStream,
    place: &TokenStream,
) -> PathCode {
    let way = way(field, key);
    let path = match encoder(field, &way) {
        None if field.form == Form::Null => {
            let form = stored_form(&way, field.form);
            code!(__d::AtPath::at_place(#place.in_form(#form)))
        }
        None => code!(__d::AtPath::at_place(#place)),
        Some(encode) => {
            let form = stored_form(&way, field.form);
            code!(__d::Path::stored_as(#place.in_form(#form), #encode))
        }
    };
    let path = match bound_encoder(field, &way) {
        None => path,
        Some(encode) => code!(#path.compared_as(#encode)),
    };
    PathCode {
        ty: path_type(field, &way, root, usage),
        path,
        bound: bound_of(&field.ty, &way),
    }
}

/// Returns the type of the path, which determines its owner, the values it is compared with, and its operations.
fn path_type(field: &Field, way: &Way, root: &TokenStream, usage: &TokenStream) -> TokenStream {
    let (ty, contract) = (&field.ty, way.contract());
    let required = code!(<#usage as __d::KeyUsage>::Required);
    match way {
        Way::Field | Way::Null => code!(<#ty as __d::DynamoField>::Path<#root, #usage>),
        Way::Version => code!(__d::Path<#root, u64, #required>),
        Way::Serde { .. } => code!(__d::Path<#root, #ty, __d::Unsorted<#required>>),
        Way::Key { .. } => code!(__d::Path<#root, #ty, #required>),
        Way::Compressed { .. } => {
            let held = held(field, way);
            let mode = code!(<#ty as __d::#contract>::Mode<#usage>);
            code!(__d::Path<#root, #held, __d::Compressed<#mode>>)
        }
        Way::Ttl | Way::Form(_) | Way::Time { .. } | Way::Actor { .. } | Way::IndexKey { .. } => {
            let held = held(field, way);
            let mode = code!(<#ty as __d::#contract>::Mode<#usage>);
            // Texts of several widths do not sort as times do, and other libraries may have written any of them.
            let mode = match field.form {
                Form::Rfc3339 => code!(__d::Unsorted<#mode>),
                Form::Own
                | Form::Null
                | Form::Compress
                | Form::Decompress
                | Form::Epoch
                | Form::EpochMillis
                | Form::Rfc3339Millis
                | Form::Serde
                | Form::SerdeNull => mode,
            };
            code!(__d::Path<#root, #held, #mode>)
        }
    }
}

/// Names the type of the field's value: the inside of an `Option`, otherwise its own type.
fn held(field: &Field, way: &Way) -> TokenStream {
    let (ty, contract) = (&field.ty, way.contract());
    code!(<#ty as __d::#contract>::Held)
}

/// Returns the function that writes a value as the field is stored, where the type of the path does not know it.
fn encoder(field: &Field, way: &Way) -> Option<TokenStream> {
    let (ty, held) = (&field.ty, held(field, way));
    Some(match way {
        Way::Field | Way::Null | Way::Version => return None,
        Way::Serde { writes_null } => {
            let encode = format_ident!("{}", by_serde(*writes_null));
            code!(<#ty as __d::SerdeField>::#encode)
        }
        Way::Compressed { is_written } => {
            let encode = format_ident!("{}", compressing(*is_written));
            code!(<#held as __d::CompressedField>::#encode)
        }
        Way::Ttl => code!(<#held as __d::TtlTime>::encode_ttl),
        Way::Form(form) => code! {
            |value, name, writer| <#held as __d::FormField>::encode_as(value, #form, name, writer)
        },
        Way::Time { .. } => {
            let form = time_form(field);
            code! {
                |value, name, writer| {
                    <#held as __d::ManagedTime>::encode_named(value, #form, name, writer)
                }
            }
        }
        // No change sets this field, so the value is only compared here, and the limit of a key does not apply.
        Way::Actor { .. } => code! {
            |value, name, writer| {
                <#held as __d::ManagedActor>::encode_named(
                    value, ::core::option::Option::None, name, writer,
                )
            }
        },
        Way::Key { role } => code! {
            |value, name, writer| <#ty as __d::KeyValue>::encode_key(value, name, #role, writer)
        },
        Way::IndexKey { role } => code! {
            |value, name, writer| {
                <#held as __d::IndexPart>::encode_index_key(value, name, #role, writer)
            }
        },
    })
}

/// Returns the function that writes what a key is compared with. This value may be empty or too long, although no key
/// is.
fn bound_encoder(field: &Field, way: &Way) -> Option<TokenStream> {
    let (ty, held) = (&field.ty, held(field, way));
    match way {
        Way::Key { .. } => Some(code!(<#ty as __d::KeyValue>::encode_bound)),
        Way::IndexKey { .. } => Some(code!(<#held as __d::IndexPart>::encode_bound)),
        _ => None,
    }
}

/// Numbers the stored form of a field, so that only fields with the same form are compared.
fn stored_form(way: &Way, form: Form) -> u8 {
    match (way, form) {
        (Way::Ttl, _) => 1,
        (Way::Serde { .. }, _) => 2,
        (Way::Form(_) | Way::Time { .. }, Form::Epoch) => 3,
        (Way::Form(_) | Way::Time { .. }, Form::EpochMillis) => 4,
        (Way::Form(_) | Way::Time { .. }, Form::Rfc3339) => 5,
        (Way::Form(_) | Way::Time { .. }, Form::Rfc3339Millis) => 6,
        (Way::Null, _) => 7,
        (Way::Compressed { .. }, _) => 8,
        _ => 0,
    }
}
