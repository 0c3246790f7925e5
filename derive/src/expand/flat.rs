//! A flattened struct: its fields are attributes of the item, and fields of the entity in its constants.

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;

use super::codec;
use super::field_path::PathCode;
use super::tokens::{check, of, plain_name, shown};
use crate::model::{Entity, Field, FieldRole};

fn flattened(entity: &Entity) -> impl Iterator<Item = &Field> {
    let fields = entity.fields.iter();
    fields.filter(|field| field.role == FieldRole::Flatten)
}

/// The fields of all flattened structs, or nothing if there are none.
fn structs(entity: &Entity) -> Option<TokenStream> {
    let structs = flattened(entity).map(|field| of(&field.ty, &code!(FlatValue), "FIELDS"));
    let structs: Vec<_> = structs.collect();
    (!structs.is_empty()).then(|| code!(&[#(#structs),*]))
}

/// A slice of a constant, `own`, with what the flattened structs add.
fn joined(entity: &Entity, own: TokenStream, item: &str, join: &str) -> TokenStream {
    let Some(structs) = structs(entity) else {
        return own;
    };
    let (item, join) = (
        Ident::new(item, Span::mixed_site()),
        Ident::new(join, Span::mixed_site()),
    );
    code! {{
        const OWN: &[__d::#item] = #own;
        const STRUCTS: &[&[__d::FieldModel]] = #structs;
        const ALL: [__d::#item; OWN.len() + __d::count_flattened(STRUCTS)] =
            __d::#join(OWN, STRUCTS);
        &ALL
    }}
}

/// The attributes of the definition.
pub(super) fn attributes(entity: &Entity, own: TokenStream) -> TokenStream {
    joined(entity, own, "AttributeDef", "with_flattened")
}

/// The fields of the model.
pub(super) fn fields(entity: &Entity, own: TokenStream) -> TokenStream {
    joined(entity, own, "FieldModel", "with_flattened_fields")
}

/// The number of attributes that the entity has without its flattened structs.
fn own_count(entity: &Entity) -> usize {
    let fields = entity.fields.iter();
    fields.filter(|field| field.is_stored()).count()
}

/// Whether an item can be read without an attribute that the entity does not have itself.
pub(super) fn may_be_absent(entity: &Entity) -> TokenStream {
    match structs(entity) {
        None => code!(_ => true,),
        Some(structs) => {
            let own = own_count(entity);
            code!(other => __d::may_lack_flattened(#structs, other - #own),)
        }
    }
}

/// The defaults of attributes that the entity does not have itself, as an arm.
pub(super) fn default_json(entity: &Entity) -> Option<TokenStream> {
    let structs: Vec<_> = flattened(entity).map(|field| &field.ty).collect();
    let own = own_count(entity);
    (!structs.is_empty()).then(|| {
        code! {
            other if other >= #own => {
                let mut number = other - #own;
                #(
                    if let ::core::option::Option::Some(json) = __d::flattened_default::<#structs>(&mut number) {
                        return json;
                    }
                )*
                ::core::result::Result::Ok(::core::option::Option::None)
            }
        }
    })
}

/// Writes the attributes.
pub(super) fn encode(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    flattened(entity).map(|field| {
        let (ident, encode) = (
            &field.ident,
            of(&field.ty, &code!(FlatValue), "encode_fields"),
        );
        code!(#encode(&self.#ident, writer)?;)
    })
}

/// Declares what the attributes are read into.
pub(super) fn declare(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    flattened(entity).map(|field| {
        let holder = codec::holder(field);
        code!(let mut #holder = __d::FlatReader::new();)
    })
}

/// Reads an attribute that is not the entity's own.
pub(super) fn arms(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    flattened(entity).map(|field| {
        let (holder, ty) = (codec::holder(field), &field.ty);
        code!(other if __d::is_flattened::<#ty>(other) => #holder.keep_member(other, reader),)
    })
}

/// The path of a flattened struct, which leads to its fields.
pub(super) fn path(field: &Field, root: &TokenStream) -> PathCode {
    let ty = &field.ty;
    PathCode {
        ty: code!(<#ty as __d::DynamoValue>::Path<#root, __d::Flattened>),
        path: code!(__d::AtPath::at_place(__d::Place::of_item())),
        bound: TokenStream::new(),
    }
}

/// The fields of a flattened struct have attributes of their own.
pub(super) fn checks(entity: &Entity, def: &TokenStream) -> Option<TokenStream> {
    let field = flattened(entity).next()?;
    let (ident, own) = (&entity.ident, own_count(entity));
    let message = format!(
        "a field of `{}` has the name or the attribute of another field of `{ident}`, of a key, a constant or the type; \
         give one of them another name",
        shown(&field.ty),
    );
    let unstored = entity.fields.iter().filter(|field| !field.is_stored());
    let unstored = unstored.map(|field| plain_name(&field.ident));
    let table = code!(<<#ident as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE);
    Some(check(
        field.ty.span(),
        &code!(__d::flattened_fit(#own, &[#(#unstored),*], &#def, &#table)),
        &message,
    ))
}
