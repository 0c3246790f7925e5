//! The access of a partial update to the known fields of an item.

use proc_macro2::{Ident, TokenStream};

use super::attribute::key_use;
use super::tokens::{local, of, plain_name};
use super::{codec, expiry, template};
use crate::model::{Entity, Template};

/// Requests the value of a part, by an expression that fails if the value is not known.
pub(super) fn part(entity: &Entity, at: usize) -> TokenStream {
    let (ty, field) = (&entity.fields[at].ty, known_field(entity, at));
    code!(known.part::<#ty>(#field)?)
}

/// Evaluates a function on a field, if it is known: a `Result<Option<bool>, _>`.
pub(super) fn holds_of(entity: &Entity, at: usize, holds: &TokenStream) -> TokenStream {
    let (ty, field) = (&entity.fields[at].ty, known_field(entity, at));
    code!(known.holds::<#ty>(#field, #holds))
}

/// Requests the value of a field, as an `Option` that is empty if the value is not known.
pub(super) fn value(entity: &Entity, at: usize) -> TokenStream {
    let (ty, field) = (&entity.fields[at].ty, known_field(entity, at));
    code!(known.value::<#ty>(#field)?)
}

/// The function that derives the expiry from what is known of the item.
pub(super) fn derive_expiry(entity: &Entity) -> Option<TokenStream> {
    let (field, expiry) = expiry::derived(entity)?;
    let (ty, stored, seconds) = (&field.ty, &field.stored, expiry.seconds);
    let source = value(entity, expiry.source.field);
    let moment = of(&expiry.source.ty, &code!(ExpirySource), "moment");
    Some(code! {
        fn derive_expiry(
            known: &__d::Known,
        ) -> ::core::result::Result<
            ::core::option::Option<::core::option::Option<__d::Json>>,
            __d::CodecError,
        > {
            let time = #source.map(|time| #moment(&*time));
            __d::within(#stored, __d::derived_ttl_json::<#ty>(time, #seconds))
        }
    })
}

/// Makes a block that calls the writer of a template with the known parts.
pub(super) fn write(
    entity: &Entity,
    key_struct: &Ident,
    writer: &Ident,
    template: &Template,
) -> TokenStream {
    let shard = template::shard(template, &code!(known.shard()?));
    let (mut values, mut arguments) = (Vec::new(), Vec::new());
    for (at, part) in template.parts().enumerate() {
        let (value, known) = (local(&format!("value_{at}")), self::part(entity, part.0));
        values.push(code!(let #value = #known;));
        arguments.push(template::index_part_of(entity, part, &code!(&*#value)));
    }
    code! {
        {
            #(#values)*
            #key_struct::#writer(__d::KeyTarget::attribute(writer) #shard #(, #arguments)*)
        }
    }
}

/// Makes a block that writes the known number of a field as a key attribute.
pub(super) fn write_number(entity: &Entity, field: usize, attribute: &TokenStream) -> TokenStream {
    let known = part(entity, field);
    let write = template::write_number(entity, field, &code!(&*value), attribute);
    code! {
        {
            let value = #known;
            #write
        }
    }
}

/// Returns what is needed to find a field among the known ones: its names, and how it is read.
fn known_field(entity: &Entity, at: usize) -> TokenStream {
    let field = &entity.fields[at];
    let (name, stored) = (plain_name(&field.ident), &field.stored);
    let decode = codec::reading(field, key_use(entity, at));
    let absent = codec::absence(field, key_use(entity, at));
    code!(#name, #stored, #decode, #absent)
}
