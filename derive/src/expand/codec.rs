//! One field: how it is written, read and missed. The same for entities, values and variants.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{local, name};
use crate::model::{DefaultValue, Field, Form, Role};

pub(super) fn form(form: Form) -> Option<TokenStream> {
    match form {
        Form::Own | Form::Serde => None,
        Form::Epoch => Some(quote!(__d::Form::Epoch)),
        Form::EpochMillis => Some(quote!(__d::Form::EpochMillis)),
        Form::Rfc3339 => Some(quote!(__d::Form::Rfc3339)),
    }
}

fn optional(tokens: Option<TokenStream>) -> TokenStream {
    match tokens {
        Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}

/// Writes a field. `place` is an expression for a reference to it.
pub(super) fn encode(field: &Field, place: &TokenStream) -> TokenStream {
    let (stored, name) = (&field.stored, name(&field.stored));
    let write = match field.role {
        Role::Skip | Role::Rest => return TokenStream::new(),
        Role::Version => {
            quote!(__d::DynamoField::encode_field(&stamp.version(*#place), &#name, writer))
        }
        Role::Ttl => quote!(__d::encode_ttl(#place, &#name, writer)),
        Role::CreatedAt | Role::UpdatedAt => {
            let kind = match field.role {
                Role::CreatedAt => quote!(Created),
                _ => quote!(Updated),
            };
            let form = optional(form(field.form));
            quote!(__d::encode_stamp(stamp, __d::StampKind::#kind, #place, #form, &#name, writer))
        }
        Role::Attribute => return encode_attribute(field, place),
    };
    quote!(#write.map_err(|fault| fault.at(#stored))?;)
}

fn encode_attribute(field: &Field, place: &TokenStream) -> TokenStream {
    let (stored, name) = (&field.stored, name(&field.stored));
    let span = field.ty.span();
    let writer = local("writer", span);
    match (field.form, form(field.form)) {
        (Form::Serde, _) => quote_spanned! {span=>
            __d::encode_serde(#place, &#name, #writer).map_err(|fault| fault.at(#stored))?;
        },
        (_, Some(form)) => quote_spanned! {span=>
            __d::FormField::encode_as(#place, #form, &#name, #writer)
                .map_err(|fault| fault.at(#stored))?;
        },
        _ => quote_spanned!(span=> __d::encode_field(#place, &#name, #writer)?;),
    }
}

/// The variable that holds a field while an object is read.
pub(super) fn holder(field: &Field) -> Ident {
    format_ident!("field_{}", super::key::plain_name(&field.ident))
}

/// Reads a field into its variable; the arm of a match on the name.
pub(super) fn decode_arm(field: &Field) -> Option<TokenStream> {
    if matches!(field.role, Role::Skip | Role::Rest) {
        return None;
    }
    let stored = &field.stored;
    let holder = holder(field);
    let some = quote!(::core::option::Option::Some);
    let span = field.ty.span();
    let reader = local("reader", span);
    let has_default = field.default.is_some();
    let read = match (field.role, field.form, form(field.form)) {
        (Role::Ttl, ..) => {
            quote!(#some(__d::decode_ttl(reader).map_err(|fault| fault.at(#stored))?))
        }
        (_, Form::Serde, _) if has_default => quote!(__d::decode_serde_or_null(reader, #stored)?),
        (_, Form::Serde, _) => quote_spanned! {span=>
            #some(__d::decode_serde(#reader).map_err(|fault| fault.at(#stored))?)
        },
        (_, _, Some(form)) if has_default => {
            quote!(__d::decode_form_or_null(reader, #form, #stored)?)
        }
        (_, _, Some(form)) => quote!(#some(__d::decode_form(reader, #form, #stored)?)),
        _ if has_default => quote_spanned!(span=> __d::decode_or_null(#reader, #stored)?),
        _ => quote_spanned!(span=> #some(__d::decode_field(#reader, #stored)?)),
    };
    Some(quote!(#stored => #holder = #read,))
}

/// The variable of a field.
pub(super) fn declare(field: &Field) -> Option<TokenStream> {
    if matches!(field.role, Role::Skip | Role::Rest) {
        return None;
    }
    let (holder, ty) = (holder(field), &field.ty);
    Some(quote!(let mut #holder = ::core::option::Option::None::<#ty>;))
}

/// The value of a field once the object is read: `ident: value`.
pub(super) fn finish(field: &Field) -> TokenStream {
    let (ident, ty, stored) = (&field.ident, &field.ty, &field.stored);
    let span = ty.span();
    match field.role {
        Role::Skip => {
            return match &field.default {
                Some(DefaultValue::Expr(value)) => quote!(#ident: #value),
                _ => quote_spanned!(span=> #ident: <#ty as ::core::default::Default>::default()),
            };
        }
        Role::Rest => return quote!(#ident: rest),
        _ => {}
    }
    let holder = holder(field);
    match &field.default {
        Some(DefaultValue::Trait) => {
            quote_spanned!(span=> #ident: #holder.unwrap_or_else(<#ty as ::core::default::Default>::default))
        }
        Some(DefaultValue::Expr(value)) => quote!(#ident: #holder.unwrap_or_else(|| #value)),
        None => {
            let absent = absent(field);
            quote!(#ident: __d::or_absent(#holder, #absent, #stored)?)
        }
    }
}

/// What a missing attribute means.
fn absent(field: &Field) -> TokenStream {
    let ty = &field.ty;
    match (field.role, field.form) {
        (Role::Ttl, _) => quote!(__d::absent_ttl::<#ty>),
        (_, Form::Serde) => quote!(__d::absent_serde::<#ty>),
        (_, Form::Own) => quote_spanned!(ty.span()=> <#ty as __d::DynamoField>::absent),
        _ => quote!(<#ty as __d::FormField>::absent_form),
    }
}
