//! One field: how it is written, read and missed. The same for entities, values and variants.

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;

use super::{local, name, of};
use crate::check::types::is_basic;
use crate::model::{DefaultValue, Field, Form, Role};

fn form(form: Form) -> Option<TokenStream> {
    match form {
        Form::Own | Form::Serde => None,
        Form::Epoch => Some(code!(__d::Form::Epoch)),
        Form::EpochMillis => Some(code!(__d::Form::EpochMillis)),
        Form::Rfc3339 => Some(code!(__d::Form::Rfc3339)),
    }
}

/// The form of a managed time: the type's own, or a foreign one.
pub(super) fn time_form(field: &Field) -> TokenStream {
    option(form(field.form).as_ref())
}

fn option(value: Option<&TokenStream>) -> TokenStream {
    match value {
        Some(value) => code!(::core::option::Option::Some(#value)),
        None => code!(::core::option::Option::None),
    }
}

/// What a field is to the codec: the trait to ask, and its functions.
enum Way {
    /// A value of its own.
    Field,
    Serde,
    /// In a foreign form.
    Form(TokenStream),
    Version,
    Ttl,
    /// `created_at` or `updated_at`.
    Time {
        kind: TokenStream,
    },
    /// `created_by` or `updated_by`, and the key it is of an index.
    Actor {
        kind: TokenStream,
        key: Option<TokenStream>,
    },
    /// A bare field as the key of the table or of an index.
    Key {
        role: TokenStream,
    },
    IndexKey {
        role: TokenStream,
    },
}

/// Where a bare field is a key attribute.
pub(super) enum KeyUse {
    Primary(TokenStream),
    Index(TokenStream),
}

fn way(field: &Field, key: Option<KeyUse>) -> Way {
    match field.role {
        Role::Version => return Way::Version,
        Role::Ttl => return Way::Ttl,
        Role::CreatedAt | Role::UpdatedAt => {
            return Way::Time {
                kind: stamp_kind(field.role),
            };
        }
        Role::CreatedBy | Role::UpdatedBy => {
            let role = match key {
                Some(KeyUse::Primary(role) | KeyUse::Index(role)) => Some(role),
                None => None,
            };
            return Way::Actor {
                kind: stamp_kind(field.role),
                key: role,
            };
        }
        Role::Attribute | Role::Skip | Role::Rest => {}
    }
    match (key, field.form, form(field.form)) {
        (Some(KeyUse::Primary(role)), ..) => Way::Key { role },
        (Some(KeyUse::Index(role)), ..) => Way::IndexKey { role },
        (None, Form::Serde, _) => Way::Serde,
        (None, _, Some(form)) => Way::Form(form),
        (None, ..) => Way::Field,
    }
}

/// The role of a field as a key, if it is one: an `Option`.
pub(super) fn key_role(key: Option<&KeyUse>) -> TokenStream {
    option(key.map(|key| match key {
        KeyUse::Primary(role) | KeyUse::Index(role) => role,
    }))
}

/// Which of two, the first writing or the last.
pub(super) fn stamp_kind(role: Role) -> TokenStream {
    match role {
        Role::CreatedAt | Role::CreatedBy => code!(__d::StampKind::Created),
        _ => code!(__d::StampKind::Updated),
    }
}

fn is_stored(field: &Field) -> bool {
    !matches!(field.role, Role::Skip | Role::Rest)
}

/// Writes a field. `place` is an expression for a reference to it.
pub(super) fn encode(field: &Field, key: Option<KeyUse>, place: &TokenStream) -> TokenStream {
    if !is_stored(field) {
        return TokenStream::new();
    }
    let (stored, name) = (&field.stored, name(&field.stored));
    let way = way(field, key);
    let ask = |item| of(&field.ty, &way.contract(), item);
    let write = match &way {
        Way::Field => {
            let encode = ask("encode_field");
            code!(#encode(#place, &#name, writer))
        }
        Way::Serde => {
            let encode = ask("encode_serde");
            code!(#encode(#place, &#name, writer))
        }
        Way::Form(form) => {
            let encode = ask("encode_as");
            code!(#encode(#place, #form, &#name, writer))
        }
        Way::Version => {
            let encode = ask("encode_version");
            code!(#encode(#place, stamp, &#name, writer))
        }
        Way::Ttl => {
            let encode = ask("encode_ttl");
            code!(#encode(#place, &#name, writer))
        }
        Way::Time { kind } => {
            let (encode, form) = (ask("encode_stamp"), time_form(field));
            code!(#encode(#place, stamp, #kind, #form, &#name, writer))
        }
        Way::Actor { kind, key } => {
            let (encode, role) = (ask("encode_actor"), option(key.as_ref()));
            code!(#encode(#place, stamp, #kind, #role, &#name, writer))
        }
        // These name the attribute themselves.
        Way::Key { role } => {
            let encode = ask("encode_key");
            return code!(#encode(#place, &#name, #role, writer)?;);
        }
        Way::IndexKey { role } => {
            let encode = ask("encode_index_key");
            return code!(#encode(#place, &#name, #role, writer)?;);
        }
    };
    code!(__d::within(#stored, #write)?;)
}

impl Way {
    /// The trait that the type of the field has to have.
    fn contract(&self) -> TokenStream {
        match self {
            Way::Field => code!(DynamoField),
            Way::Serde => code!(SerdeField),
            Way::Form(_) => code!(FormField),
            Way::Version => code!(VersionField),
            Way::Ttl => code!(TtlTime),
            Way::Time { .. } => code!(ManagedTime),
            Way::Actor { .. } => code!(ManagedActor),
            Way::Key { .. } => code!(KeyValue),
            Way::IndexKey { .. } => code!(IndexPart),
        }
    }

    /// How it is read: the function, and whether it takes a form besides the reader.
    fn decode(&self, field: &Field) -> (&'static str, Option<TokenStream>) {
        match self {
            Way::Field => ("decode_field", None),
            Way::Serde => ("decode_serde", None),
            Way::Form(form) => ("decode_as", Some(form.clone())),
            Way::Version => ("decode_version", None),
            Way::Ttl => ("decode_ttl", None),
            Way::Time { .. } => ("decode_time", Some(time_form(field))),
            Way::Actor { .. } => ("decode_actor", None),
            Way::Key { .. } => ("decode_key", None),
            Way::IndexKey { .. } => ("decode_index_key", None),
        }
    }

    /// What a missing attribute means: a function.
    fn absent(&self, field: &Field) -> TokenStream {
        let item = match self {
            Way::Field => "absent",
            Way::Serde => "absent_serde",
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

/// A number for the way in which the values of a field are stored, where it is not their own.
fn stored_form(way: &Way, form: Form) -> u8 {
    match (way, form) {
        (Way::Ttl, _) => 1,
        (Way::Serde, _) => 2,
        (Way::Form(_) | Way::Time { .. }, Form::Epoch) => 3,
        (Way::Form(_) | Way::Time { .. }, Form::EpochMillis) => 4,
        (Way::Form(_) | Way::Time { .. }, Form::Rfc3339) => 5,
        _ => 0,
    }
}

/// The path of a field.
pub(super) struct PathCode {
    pub(super) ty: TokenStream,
    /// An expression of that type.
    pub(super) path: TokenStream,
    /// What the type of the field has to be. A bound that waits: what is wrong with the type is said
    /// where it is stored, and here only to who asks for the path.
    pub(super) bound: TokenStream,
}

pub(super) fn path(
    field: &Field,
    key: Option<KeyUse>,
    root: &TokenStream,
    usage: &TokenStream,
    place: &TokenStream,
) -> PathCode {
    let ty = &field.ty;
    let way = way(field, key);
    let contract = Ident::new(&way.contract().to_string(), Span::mixed_site());
    let bound = bound_of(ty, &way);
    let required = code!(<#usage as __d::Use>::Required);
    let held = code!(<#ty as __d::#contract>::Held);
    let mode = code!(<#ty as __d::#contract>::Mode<#usage>);
    let (ty, encode) = match &way {
        Way::Field => (code!(<#ty as __d::DynamoField>::Path<#root, #usage>), None),
        Way::Version => (code!(__d::Path<#root, u64, #required>), None),
        Way::Serde => (
            code!(__d::Path<#root, #ty, #required>),
            Some(code!(<#ty as __d::SerdeField>::encode_serde)),
        ),
        Way::Ttl => (
            code!(__d::Path<#root, #held, #mode>),
            Some(code!(<#held as __d::TtlTime>::encode_ttl)),
        ),
        Way::Form(form) => (
            code!(__d::Path<#root, #held, #mode>),
            Some(code! {
                |value, name, writer| <#held as __d::FormField>::encode_as(value, #form, name, writer)
            }),
        ),
        Way::Time { .. } => {
            let form = time_form(field);
            (
                code!(__d::Path<#root, #held, #mode>),
                Some(code! {
                    |value, name, writer| {
                        <#held as __d::ManagedTime>::encode_named(value, #form, name, writer)
                    }
                }),
            )
        }
        // Nothing sets it, so it is no key here but a value to compare with.
        Way::Actor { .. } => (
            code!(__d::Path<#root, #held, #mode>),
            Some(code! {
                |value, name, writer| {
                    <#held as __d::ManagedActor>::encode_named(
                        value, ::core::option::Option::None, name, writer,
                    )
                }
            }),
        ),
        Way::Key { role } => (
            code!(__d::Path<#root, #ty, #required>),
            Some(code! {
                |value, name, writer| <#ty as __d::KeyValue>::encode_key(value, name, #role, writer)
            }),
        ),
        Way::IndexKey { role } => (
            code!(__d::Path<#root, #held, #mode>),
            Some(code! {
                |value, name, writer| {
                    <#held as __d::IndexPart>::encode_index_key(value, name, #role, writer)
                }
            }),
        ),
    };
    let path = match encode {
        None => code!(__d::AtPath::at_place(#place)),
        Some(encode) => {
            let form = stored_form(&way, field.form);
            code!(__d::Path::stored_as(#place.in_form(#form), #encode))
        }
    };
    let path = match &way {
        Way::Key { .. } => {
            let ty = &field.ty;
            code!(#path.compared_as(<#ty as __d::KeyValue>::encode_bound))
        }
        Way::IndexKey { .. } => {
            code!(#path.compared_as(<#held as __d::IndexPart>::encode_bound))
        }
        _ => path,
    };
    PathCode { ty, path, bound }
}

/// A function that writes a field under a name that it is given.
pub(super) fn encode_named(field: &Field) -> Option<TokenStream> {
    let way = way(field, None);
    let ask = |item| of(&field.ty, &way.contract(), item);
    match &way {
        Way::Field => Some(ask("encode_field")),
        Way::Serde => Some(ask("encode_serde")),
        Way::Ttl => Some(ask("encode_ttl")),
        Way::Form(form) => {
            let encode = ask("encode_as");
            Some(code!((|value, name, writer| #encode(value, #form, name, writer))))
        }
        _ => None,
    }
}

/// A function that reads what a field stores.
///
/// It is the type's own where that is enough: each closure is one more body to the compiler.
pub(super) fn reading(field: &Field, key: Option<KeyUse>) -> TokenStream {
    let way = way(field, key);
    let (item, form) = way.decode(field);
    match form {
        None => of(&field.ty, &way.contract(), item),
        Some(form) => {
            let decode = super::call(&field.ty, &way.contract(), item, code!(reader, #form));
            code!(|reader| #decode)
        }
    }
}

/// A function that says what a missing field means.
pub(super) fn absence(field: &Field, key: Option<KeyUse>) -> TokenStream {
    match &field.default {
        Some(DefaultValue::Trait) => {
            let default = default_of(field);
            code!(|| ::core::option::Option::Some(#default))
        }
        Some(DefaultValue::Expr(value)) => code!(|| ::core::option::Option::Some(#value)),
        None if field.role == Role::Skip => code!(__d::never_absent),
        None => way(field, key).absent(field),
    }
}

/// The same outside of the entity, whose defaults may be expressions of its own.
pub(super) fn absence_of(field: &Field, key: Option<KeyUse>, owner: &Ident) -> TokenStream {
    let ident = &field.ident;
    match field.default {
        Some(_) => code!(|| ::core::option::Option::Some(<#owner as __Defaults>::#ident())),
        None => absence(field, key),
    }
}

/// What the type of a field has to be, as a bound that waits until somebody asks for the field.
pub(super) fn bound(field: &Field, key: Option<KeyUse>) -> TokenStream {
    bound_of(&field.ty, &way(field, key))
}

fn bound_of(ty: &syn::Type, way: &Way) -> TokenStream {
    // There is nothing to wait for, and each bound makes an environment of its own to the compiler.
    if matches!(way, Way::Version) || matches!(way, Way::Field) && is_basic(ty) {
        return TokenStream::new();
    }
    let deferred = format_ident!("{}In", way.contract().to_string());
    code!(where for<'__x> #ty: __d::#deferred<'__x>)
}

/// The value of a managed field that a write leaves; an expression that may fail.
pub(super) fn stamped(field: &Field) -> Option<TokenStream> {
    let (stored, stamping) = (&field.stored, stamping(field)?);
    Some(code!(__d::within(#stored, #stamping)?))
}

/// The same as it comes: a `Result`.
pub(super) fn stamping(field: &Field) -> Option<TokenStream> {
    let way = way(field, None);
    let ident = &field.ident;
    let item = match way {
        Way::Ttl => "stored_ttl",
        Way::Time { .. } | Way::Actor { .. } => "stamped",
        _ => return None,
    };
    let stamped = of(&field.ty, &way.contract(), item);
    let args = match &way {
        Way::Time { kind } => {
            let form = time_form(field);
            code!(, stamp, #kind, #form)
        }
        Way::Actor { kind, .. } => code!(, stamp, #kind),
        _ => TokenStream::new(),
    };
    Some(code!(#stamped(&self.#ident #args)))
}

/// The variable that holds a field while an object is read.
pub(super) fn holder(field: &Field) -> Ident {
    local(&format!("field_{}", super::key::plain_name(&field.ident)))
}

/// Reads a field into its variable; the arm of a match on the name, a `Result`. What went wrong leaves the
/// function at one place, for each place costs the compiler the drop of all variables.
pub(super) fn decode_arm(field: &Field, key: Option<KeyUse>) -> Option<TokenStream> {
    if !is_stored(field) {
        return None;
    }
    let (stored, holder) = (&field.stored, holder(field));
    let way = way(field, key);
    let (item, form) = way.decode(field);
    let decode = of(&field.ty, &way.contract(), item);
    let form = form.map(|form| code!(, #form));
    Some(if field.default.is_some() {
        code!(#stored => __d::keep(
            &mut #holder,
            #stored,
            __d::or_null(reader, |reader| #decode(reader #form)),
        ),)
    } else {
        code!(#stored => __d::keep_value(&mut #holder, #stored, #decode(reader #form)),)
    })
}

/// The variable of a field.
pub(super) fn declare(field: &Field) -> Option<TokenStream> {
    if !is_stored(field) {
        return None;
    }
    let (holder, ty) = (holder(field), &field.ty);
    Some(code!(let mut #holder = ::core::option::Option::None::<#ty>;))
}

/// The value of a field once the object is read: `ident: value`.
pub(super) fn finish(field: &Field) -> TokenStream {
    let ident = &field.ident;
    match field.role {
        Role::Skip => {
            let value = match &field.default {
                Some(DefaultValue::Expr(value)) => code!(#value),
                _ => default_of(field),
            };
            return code!(#ident: #value);
        }
        Role::Rest => {
            let from = of(&field.ty, &code!(RestField), "from_item");
            return code!(#ident: #from(rest));
        }
        _ => {}
    }
    let holder = holder(field);
    match &field.default {
        Some(DefaultValue::Trait) => {
            let default = default_of(field);
            code!(#ident: #holder.unwrap_or_else(|| #default))
        }
        Some(DefaultValue::Expr(value)) => code!(#ident: #holder.unwrap_or_else(|| #value)),
        None => code!(#ident: #holder),
    }
}

/// Says what the fields are that were not read, those without a default: after it their variables are their values.
/// Once for all, for the same reason.
pub(super) fn complete<'f>(
    fields: impl Iterator<Item = (&'f Field, Option<KeyUse>)>,
) -> Option<TokenStream> {
    let mut fills = Vec::new();
    let mut holders = Vec::new();
    for (field, key) in fields.filter(|(field, _)| is_stored(field) && field.default.is_none()) {
        let (stored, holder) = (&field.stored, holder(field));
        let absent = way(field, key).absent(field);
        fills.push(code!(__d::fill(&mut #holder, #absent, #stored, &mut lacking);));
        holders.push(holder);
    }
    (!holders.is_empty()).then(|| {
        code! {
            let mut lacking = ::core::option::Option::None;
            #(#fills)*
            let (#(::core::option::Option::Some(#holders),)*) = (#(#holders,)*) else {
                return ::core::result::Result::Err(__d::incomplete(lacking));
            };
        }
    })
}

pub(super) fn default_of(field: &Field) -> TokenStream {
    let default = of(&field.ty, &code!(Default), "default");
    code!(#default())
}
