//! The ways in which a field is stored. Each has a trait with functions of its own.

use proc_macro2::TokenStream;
use quote::format_ident;
use syn::Type;

use super::attribute::KeyUse;
use super::library::{form, stamp_kind};
use super::tokens::{of, option};
use crate::check::types::is_basic;
use crate::model::{Field, FieldRole, Form};

/// Returns the foreign form of a managed time, if it does not have the type's own form.
pub(super) fn time_form(field: &Field) -> TokenStream {
    option(form(field.form).as_ref())
}

/// The treatment of a field by the codec and the paths.
pub(super) enum Way {
    /// The type stores itself.
    Field,
    /// The type stores itself, and its None is NULL.
    Null,
    /// The type is foreign and stores itself by serde.
    Serde {
        /// Whether a null of serde is written as NULL; otherwise it is an absent attribute.
        writes_null: bool,
    },
    /// The type stores itself, and the value is compressed.
    Compressed {
        /// Whether values are written compressed; otherwise they are only read so.
        is_written: bool,
    },
    /// The type is a time that another library wrote in this form.
    Form(TokenStream),
    /// The field counts the writes.
    Version,
    /// The field is the time from which DynamoDB may delete the item.
    Ttl,
    /// The field is `created_at` or `updated_at`.
    Time { kind: TokenStream },
    /// The field is `created_by` or `updated_by`, and it may be the key of an index, too.
    Actor {
        kind: TokenStream,
        key: Option<TokenStream>,
    },
    /// The field is a key of the table.
    Key { role: TokenStream },
    /// The field is a key of an index only.
    IndexKey { role: TokenStream },
}

/// A managed field has its own form everywhere, because the library fills it.
pub(super) fn way(field: &Field, key: Option<KeyUse>) -> Way {
    match field.role {
        FieldRole::Version => return Way::Version,
        FieldRole::Ttl => return Way::Ttl,
        FieldRole::CreatedAt | FieldRole::UpdatedAt => {
            return Way::Time {
                kind: stamp_kind(field.role),
            };
        }
        FieldRole::CreatedBy | FieldRole::UpdatedBy => {
            let role = match key {
                Some(KeyUse::Primary(role) | KeyUse::Index(role)) => Some(role),
                None => None,
            };
            return Way::Actor {
                kind: stamp_kind(field.role),
                key: role,
            };
        }
        FieldRole::Attribute | FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest => {}
    }
    match (key, field.form, form(field.form)) {
        (Some(KeyUse::Primary(role)), ..) => Way::Key { role },
        (Some(KeyUse::Index(role)), ..) => Way::IndexKey { role },
        (None, Form::Serde | Form::SerdeNull, _) => Way::Serde {
            writes_null: field.form == Form::SerdeNull,
        },
        (None, Form::Null, _) => Way::Null,
        (None, Form::Compress | Form::Decompress, _) => Way::Compressed {
            is_written: field.form == Form::Compress,
        },
        (None, _, Some(form)) => Way::Form(form),
        (None, ..) => Way::Field,
    }
}

/// Names the function that writes a field with `compress` or `decompress`.
pub(super) fn compressing(is_written: bool) -> &'static str {
    match is_written {
        true => "encode_compressed",
        false => "encode_plain",
    }
}

/// Names the function that writes a field with `serde`.
pub(super) fn by_serde(writes_null: bool) -> &'static str {
    match writes_null {
        true => "encode_serde_null",
        false => "encode_serde",
    }
}

impl Way {
    /// Names the trait that the type of the field must implement.
    pub(super) fn contract(&self) -> TokenStream {
        match self {
            Way::Field => code!(DynamoField),
            Way::Null => code!(NullField),
            Way::Serde { .. } => code!(SerdeField),
            Way::Compressed { .. } => code!(CompressedField),
            Way::Form(_) => code!(FormField),
            Way::Version => code!(VersionField),
            Way::Ttl => code!(TtlTime),
            Way::Time { .. } => code!(ManagedTime),
            Way::Actor { .. } => code!(ManagedActor),
            Way::Key { .. } => code!(KeyValue),
            Way::IndexKey { .. } => code!(IndexPart),
        }
    }

    /// Names the function that reads a field, and its form argument, if any.
    pub(super) fn decode(&self, field: &Field) -> (&'static str, Option<TokenStream>) {
        match self {
            Way::Field => ("decode_field", None),
            Way::Null => ("decode_null", None),
            Way::Serde { .. } => ("decode_serde", None),
            Way::Compressed { .. } => ("decode_compressed", None),
            Way::Form(form) => ("decode_as", Some(form.clone())),
            Way::Version => ("decode_version", None),
            Way::Ttl => ("decode_ttl", None),
            Way::Time { .. } => ("decode_time", Some(time_form(field))),
            Way::Actor { .. } => ("decode_actor", None),
            Way::Key { .. } => ("decode_primary", None),
            Way::IndexKey { .. } => ("decode_index_key", None),
        }
    }

    /// Returns the function for the value of a missing field.
    pub(super) fn absent(&self, field: &Field) -> TokenStream {
        let item = match self {
            Way::Field => "absent",
            Way::Null => "absent_null",
            Way::Serde { .. } => "absent_serde",
            Way::Compressed { .. } => "absent_compressed",
            Way::Form(_) => "absent_form",
            Way::Version => "absent_version",
            Way::Ttl => "absent_ttl",
            Way::Time { .. } => "absent_time",
            Way::Actor { .. } => "absent_actor",
            Way::IndexKey { .. } => "absent_index_key",
            Way::Key { .. } => return code!(__d::never_absent),
        };
        of(&field.ty, &self.contract(), item)
    }
}

/// Returns a bound on the type of a field that is checked only if the field is used, because a wrong type is reported
/// where it is stored.
pub(super) fn bound(field: &Field, key: Option<KeyUse>) -> TokenStream {
    bound_of(&field.ty, &way(field, key))
}

/// Returns such a bound for a way that is known.
pub(super) fn bound_of(ty: &Type, way: &Way) -> TokenStream {
    // These types need no bound that waits, and each bound costs the compiler an environment of its own.
    if matches!(way, Way::Version) || matches!(way, Way::Field) && is_basic(ty) {
        return TokenStream::new();
    }
    let deferred = format_ident!("{}In", way.contract().to_string());
    code!(where for<'__x> #ty: __d::#deferred<'__x>)
}
