//! Paths: one method for each field, as visible as the field.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::{Generics, Visibility};

use super::attribute::{KeyUse, key_use};
use super::codec::{self, default_value};
use super::field_path::{self, PathCode};
use super::flat;
use super::library::variant;
use super::tokens::{bounds, plain_name};
use super::usage::{usage, usage_of};
use crate::model::{Entity, Field, FieldRole};

/// The paths of an entity.
pub(super) fn entity(entity: &Entity, paths: &Ident) -> TokenStream {
    let (vis, ident) = (&entity.vis, &entity.ident);
    let methods = entity.fields.iter().enumerate().map(|(at, field)| {
        let key = key_use(entity, at);
        own_method(ident, field, &usage(entity, at), key, &field.stored)
    });
    let defaults = defaults(&entity.fields).map(|(declared, written)| {
        code! {
            trait __Defaults { #declared }
            impl __Defaults for #ident { #written }
        }
    });
    let paths = paths_struct(vis, ident, paths, methods);
    code!(#defaults #paths)
}

/// The paths of an entity with mistakes: every field may be changed in every way.
pub(super) fn fallback(
    vis: &Visibility,
    ident: &Ident,
    fields: &[Field],
    paths: &Ident,
) -> TokenStream {
    let usage = code!(__d::Defaulted);
    let fields = fields.iter();
    let methods = fields.map(|field| own_method(ident, field, &usage, None, ""));
    paths_struct(vis, ident, paths, methods)
}

/// A struct without content.
fn paths_struct(
    vis: &Visibility,
    ident: &Ident,
    paths: &Ident,
    methods: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let doc = format!("The paths of `{ident}`, one method for each field.");
    code! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::default::Default)]
        #vis struct #paths;

        impl #paths { #(#methods)* }
    }
}

/// Creates the method of a field of an entity.
fn own_method(
    entity: &Ident,
    field: &Field,
    usage: &TokenStream,
    key: Option<KeyUse>,
    stored: &str,
) -> TokenStream {
    let entity = code!(#entity);
    let former = field.former.as_ref().map(|former| {
        let (name, usage) = (&former.name, variant("FormerUse", former.usage));
        code!(.formerly(#name, #usage))
    });
    let (place, rest) = (
        code!(__d::Place::of(#stored) #former),
        code!(__d::RestPath::of_item()),
    );
    method(field, &entity, &entity, usage, key, &place, &rest)
}

/// The path to a nested struct, which knows those of its fields.
pub(super) fn value(
    vis: &Visibility,
    ident: &Ident,
    generics: &Generics,
    fields: &[Field],
) -> TokenStream {
    let path = value_path(ident);
    let params: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
    let (with, types, _) = generics.split_for_impl();
    let bounds = bounds(generics, &code!(__d::DynamoValue));
    let methods = fields
        .iter()
        .map(|field| nested_method(field, &code!(#ident #types)));
    let inner = code!(__d::Path<__Root, #ident #types, __Mode>);
    let doc = format!("The path to a `{ident}`; its fields are methods.");
    let defaults = defaults(fields).map(|(declared, written)| {
        code! {
            trait __Defaults { #declared }
            impl #with __Defaults for #ident #types #bounds { #written }
        }
    });
    let traits = value_path_traits(ident, generics, &bounds, &inner);
    code! {
        #defaults

        #[doc = #doc]
        #vis struct #path<__Root, __Mode #(, #params)*>(#inner) #bounds;

        impl<__Root, __Mode #(, #params)*> #path<__Root, __Mode #(, #params)*> #bounds { #(#methods)* }

        #traits
    }
}

/// Creates the method of a field within a value, whose path continues that of the value.
fn nested_method(field: &Field, owner: &TokenStream) -> TokenStream {
    let stored = &field.stored;
    // This is not a method call, because a field may be called `place`.
    let here = code!(__d::Path::place(&self.0));
    method(
        field,
        owner,
        &code!(__Root),
        &usage_of(field, false),
        None,
        &code!(__d::Place::entry(#here, #stored)),
        &code!(__d::RestPath::within(#here)),
    )
}

/// Creates the traits by which the path to a value struct supports the operations of the library's own path, which it
/// contains.
fn value_path_traits(
    ident: &Ident,
    generics: &Generics,
    bounds: &TokenStream,
    inner: &TokenStream,
) -> TokenStream {
    let path = value_path(ident);
    let params: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
    let (_, types, _) = generics.split_for_impl();
    code! {
        impl<__Root, __Mode: __d::Comparable #(, #params)*> ::core::ops::Deref for #path<__Root, __Mode #(, #params)*> #bounds {
            type Target = #inner;

            #[inline]
            fn deref(&self) -> &#inner {
                &self.0
            }
        }

        impl<__Root, __Mode: __d::Mode #(, #params)*> __d::AtPath for #path<__Root, __Mode #(, #params)*> #bounds {
            #[inline]
            fn at_place(place: __d::Place) -> Self {
                Self(__d::AtPath::at_place(place))
            }
        }

        impl<__Root, __Mode: __d::Comparable #(, #params)*> __d::Operand<__Root, #ident #types> for #path<__Root, __Mode #(, #params)*> #bounds {
            #[inline]
            fn given_operand(self) -> __d::GivenOperand<#ident #types> {
                __d::Operand::given_operand(self.0)
            }
        }

        impl<__Root, __Mode: __d::Comparable #(, #params)*> __d::Operand<__Root, #ident #types> for &#path<__Root, __Mode #(, #params)*> #bounds {
            #[inline]
            fn given_operand(self) -> __d::GivenOperand<#ident #types> {
                __d::Operand::given_operand(&self.0)
            }
        }
    }
}

/// The type of the path to a value struct.
pub(super) fn value_path(ident: &Ident) -> Ident {
    format_ident!("PathOf{}", plain_name(ident))
}

/// `fn status(&self) -> <Status as DynamoField>::Path<Order, Free>`
fn method(
    field: &Field,
    owner: &TokenStream,
    root: &TokenStream,
    usage: &TokenStream,
    key: Option<KeyUse>,
    place: &TokenStream,
    rest: &TokenStream,
) -> TokenStream {
    let (vis, ident) = (&field.vis, &field.ident);
    let doc = format!("The path of `{}`.", plain_name(ident));
    let PathCode { ty, path, bound } = match field.role {
        FieldRole::Skip => skipped(field, root, place),
        FieldRole::Flatten => flat::path(field, root),
        FieldRole::Rest => PathCode {
            ty: code!(__d::RestPath<#root>),
            path: rest.clone(),
            bound: TokenStream::new(),
        },
        _ => field_path::path(field, key, root, usage, place),
    };
    let path = match default_json(field, owner) {
        Some(default) => code!(__d::AtPath::or_default(#path, #default)),
        None => path,
    };
    code! {
        #[doc = #doc]
        #[inline]
        #vis fn #ident(&self) -> #ty #bound {
            #path
        }
    }
}

/// A skipped field has no path, and the method reports this to its caller.
fn skipped(field: &Field, root: &TokenStream, place: &TokenStream) -> PathCode {
    let ty = &field.ty;
    PathCode {
        ty: code!(__d::Path<#root, #ty, <__d::Kept as __d::KeyUsage>::Required>),
        path: code!(__d::Path::stored_as(#place, |_, _, _| __d::fallback())),
        bound: code!(where for<'x> __d::Skipped: __d::StoredIn<'x>),
    }
}

/// A function that writes the default of the field, for sums that start there.
fn default_json(field: &Field, owner: &TokenStream) -> Option<TokenStream> {
    field.default.as_ref()?;
    let encode = codec::encode_named(field)?;
    let ident = &field.ident;
    Some(code! {
        || {
            let value = <#owner as __Defaults>::#ident();
            __d::field_json(|name, writer| #encode(&value, name, writer))
        }
    })
}

/// The defaults of the fields, in a trait of this expansion. There, `Self` is the user's type, as in the attribute.
fn defaults(fields: &[Field]) -> Option<(TokenStream, TokenStream)> {
    let (mut declared, mut written) = (Vec::new(), Vec::new());
    for field in fields {
        let Some(default) = &field.default else {
            continue;
        };
        let value = default_value(field, default);
        let (ident, ty) = (&field.ident, &field.ty);
        declared.push(code!(fn #ident() -> #ty;));
        written.push(code!(fn #ident() -> #ty { #value }));
    }
    (!declared.is_empty()).then(|| (code!(#(#declared)*), code!(#(#written)*)))
}
