//! The shapes of an entity: the number that is stored, the one before that is read too, and the checks between both.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;

use super::tokens::{check, of, shown};
use crate::model::Entity;

/// The code before an item of this shape is read: an item of an older shape is read by its own declaration.
pub(super) fn decode(entity: &Entity) -> TokenStream {
    let Some(shape) = entity.shape.as_ref() else {
        return TokenStream::new();
    };
    let number = shape.number;
    match &shape.was {
        Some(was) => {
            // The message about a missing `From` is at the declaration of the older shape.
            let read = quote_spanned!(was.span()=> __d::read_older::<Self, #was>);
            code! {
                if let ::core::option::Option::Some(older) = #read(reader, #number)? {
                    return ::core::result::Result::Ok(older);
                }
            }
        }
        // An item without a number has the first shape, and any number is a newer one.
        None if number == 1 => TokenStream::new(),
        None => code!(__d::refuse_older(reader, #number)?;),
    }
}

/// The arm for the number of the shape, which is known to be this one.
pub(super) fn arm(entity: &Entity) -> Option<TokenStream> {
    let shape = entity.shape.as_ref().filter(|shape| shape.number > 1);
    shape.map(|_| code!(__d::SHAPE => reader.skip(),))
}

/// Writes the number of the shape. The first one is stored without a number.
pub(super) fn encode(entity: &Entity) -> Option<TokenStream> {
    let shape = entity.shape.as_ref().filter(|shape| shape.number > 1)?;
    let number = shape.number;
    Some(code!(__d::write_shape(#number, writer);))
}

/// Writes the item in the shape before.
pub(super) fn written_as(entity: &Entity) -> Option<TokenStream> {
    let was = entity.shape.as_ref()?.written_as()?;
    let write = quote_spanned!(was.span()=> __d::write_older::<Self, #was>);
    Some(code!(#write(self, stamp, writer)))
}

/// Compares the declaration with that of the shape before.
pub(super) fn checks(entity: &Entity, def: &TokenStream) -> Vec<TokenStream> {
    let Some((shape, was)) = entity
        .shape
        .as_ref()
        .and_then(|shape| Some((shape, shape.was.as_ref()?)))
    else {
        return Vec::new();
    };
    let (ident, older_name) = (&entity.ident, shown(was));
    let older = of(was, &code!(EntityContract), "ENTITY");
    let (number, before, span) = (shape.number, shape.number.saturating_sub(1), was.span());
    let same_table = code! {
        __d::same_text(
            <#ident as __d::DynamoEntity>::__TABLE_NAME,
            <#was as __d::DynamoEntity>::__TABLE_NAME,
        )
    };
    let rules = [
        (
            code!(__d::shape_number(&#older) == #before),
            format!(
                "`{ident}` has the shape {number}, so `was` names the declaration of shape {before}: write `shape = {before}` on `{older_name}`, or another number here"
            ),
        ),
        (
            same_table,
            format!(
                "`{ident}` and `{older_name}` are stored in different tables; a shape changes the attributes of an item in its place"
            ),
        ),
        (
            // A table of its own has no type attribute.
            match entity.own_table() {
                Some(_) => code!(true),
                None => code!(__d::same_text(#def.stored_name, #older.stored_name)),
            },
            format!(
                "`{ident}` and `{older_name}` are two types of the table: give both one stored name by `rename`, because an item keeps its type"
            ),
        ),
        (
            code!(__d::same_constants(&#def, &#older)),
            format!(
                "`{ident}` and `{older_name}` have other constants or another type attribute: write the same `constant` and `type_attribute` on both, because an item keeps them"
            ),
        ),
        (
            code!(__d::same_primary_key(&#def, &#older)),
            format!(
                "the keys of `{ident}` and `{older_name}` differ; a shape changes the other attributes of an item, never its key"
            ),
        ),
        (
            code!(__d::same_managed(&#def, &#older)),
            format!(
                "`{ident}` and `{older_name}` store the version, the TTL, or a time or actor of the library in different attributes: keep their stored names, because guards of both shapes compare them"
            ),
        ),
        (
            code!(__d::same_index_keys(&#def, &#older)),
            format!(
                "an index of `{ident}` has another key in `{older_name}`, so a query would not find items of the older shape: give it the same template in both, or declare it with `filling` on `{ident}` and refill"
            ),
        ),
        (
            code!(#def.uniques.is_empty() && #older.uniques.is_empty()),
            format!(
                "`{ident}` changes its shape, and unique values are not taken over from one shape to the next: remove `unique`"
            ),
        ),
    ];
    let rules = rules.iter();
    rules
        .map(|(condition, message)| check(span, condition, message))
        .collect()
}
