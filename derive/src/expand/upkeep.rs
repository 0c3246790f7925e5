//! What a partial update asks: which parts of an index are there, and its keys out of what is known.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::entity::{distinct, index_keys, index_writer_name, key_use};
use super::{codec, key, local, of, respanned, unique};
use crate::model::{Entity, Format, Index, KeySource, Role};

/// Whether a field stands in the template of an index, decides whether an item is in one, or is part of a unique
/// value.
pub(super) fn is_part(entity: &Entity, at: usize) -> bool {
    entity.indexes.iter().any(|index| {
        let in_key = template_parts(index).iter().any(|(field, _)| *field == at);
        let decides = index.when.as_ref().is_some_and(|when| when.field == at);
        in_key || decides
    }) || unique::is_part(entity, at)
}

/// The parts of all templates of an index: partition key first, in order.
fn template_parts(index: &Index) -> Vec<(usize, Format)> {
    index_keys(index)
        .filter_map(|(source, ..)| match source {
            KeySource::Template(template) => Some(key::parts(template)),
            KeySource::Field { .. } => None,
        })
        .flatten()
        .collect()
}

/// The functions of the trait; none where no template has to be kept up.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let absent = may_be_absent(entity);
    let now = encode_now(entity);
    let defaults = default_json(entity);
    let indexes: Vec<_> = distinct(entity)
        .map(|index| (index, template_parts(index)))
        .collect();
    let has_templates = indexes.iter().any(|(_, parts)| !parts.is_empty())
        || indexes.iter().any(|(index, _)| index.when.is_some());
    if !has_templates {
        return code!(#absent #now #defaults);
    }
    let there = indexes.iter().enumerate().flat_map(|(number, (_, parts))| {
        parts.iter().enumerate().map(move |(at, part)| {
            let is_there = key::index_question(entity, *part, "is_there");
            let is_there = holds_of(entity, part.0, &is_there);
            code!((#number, #at) => #is_there,)
        })
    });
    let holds = indexes
        .iter()
        .enumerate()
        .filter_map(|(number, (index, _))| {
            let when = index.when.as_ref()?;
            let value = &when.value;
            let ty = respanned(&entity.fields[when.field].ty, value.span());
            let holds = of(&ty, &code!(When<_>), "holds");
            let by_reference = quote_spanned!(value.span()=> &#value);
            let holds = holds_of(
                entity,
                when.field,
                &code!(|held| #holds(held, #by_reference)),
            );
            Some(code!(#number => #holds,))
        });
    let writes = indexes.iter().enumerate().flat_map(|(number, (index, _))| {
        index_keys(index)
            .enumerate()
            .filter_map(move |(nth, (source, role, at))| {
                let KeySource::Template(template) = source else {
                    return None;
                };
                let function = index_writer_name(index, role, at);
                let shard = key::shard(template, &code!(known.shard()?));
                let (mut values, mut arguments) = (Vec::new(), Vec::new());
                for (at, part) in key::parts(template).enumerate() {
                    let (value, known) = (local(&format!("value_{at}")), self::part(entity, part.0));
                    values.push(code!(let #value = #known;));
                    arguments.push(key::index_part_of(entity, part, &code!(&*#value)));
                }
                Some(code! {
                    (#number, #nth) => {
                        #(#values)*
                        #key_struct::#function(__d::KeyTarget::attribute(writer) #shard #(, #arguments)*)
                    }
                })
            })
    });
    code! {
        #absent
        #now
        #defaults

        #[inline]
        fn index_part_is_there(
            index: usize,
            part: usize,
            known: &__d::Known,
        ) -> ::core::result::Result<::core::option::Option<bool>, __d::Fault> {
            match (index, part) {
                #(#there)*
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        }

        #[inline]
        fn index_holds(
            index: usize,
            known: &__d::Known,
        ) -> ::core::result::Result<::core::option::Option<bool>, __d::Fault> {
            match index {
                #(#holds)*
                _ => ::core::result::Result::Ok(::core::option::Option::Some(true)),
            }
        }

        #[inline]
        fn write_index_key(
            index: usize,
            key: usize,
            known: &__d::Known,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::Fault> {
            match (index, key) {
                #(#writes)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    }
}

/// The value of a part as it is known, an expression that may fail.
pub(super) fn part(entity: &Entity, at: usize) -> TokenStream {
    let (ty, field) = (&entity.fields[at].ty, known_field(entity, at));
    code!(known.part::<#ty>(#field)?)
}

/// Whether a function holds of a field, as far as that is known: a `Result<Option<bool>, _>`.
pub(super) fn holds_of(entity: &Entity, at: usize, holds: &TokenStream) -> TokenStream {
    let (ty, field) = (&entity.fields[at].ty, known_field(entity, at));
    code!(known.holds::<#ty>(#field, #holds))
}

/// A field to who knows something of it: its names, and how it is read.
fn known_field(entity: &Entity, at: usize) -> TokenStream {
    let field = &entity.fields[at];
    let (name, stored) = (key::plain_name(&field.ident), &field.stored);
    let decode = codec::reading(field, key_use(entity, at));
    let absent = codec::absence(field, key_use(entity, at));
    code!(#name, #stored, #decode, #absent)
}

/// Whether an entity can be read without the attribute of this number.
fn may_be_absent(entity: &Entity) -> TokenStream {
    let stored = entity
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !matches!(field.role, Role::Skip | Role::Rest));
    let arms = stored.enumerate().map(|(number, (at, field))| {
        if field.default.is_some() {
            return code!(#number => true,);
        }
        let (ty, absent) = (&field.ty, codec::absence(field, key_use(entity, at)));
        code!(#number => __d::may_be_absent::<#ty>(#absent),)
    });
    code! {
        #[inline]
        fn may_be_absent(attribute: usize) -> bool {
            match attribute {
                #(#arms)*
                _ => true,
            }
        }
    }
}

/// The defaults of attributes, in DynamoDB JSON.
#[inline]
fn default_json(entity: &Entity) -> TokenStream {
    let stored = entity
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !matches!(field.role, Role::Skip | Role::Rest));
    let arms = stored.enumerate().filter_map(|(number, (at, field))| {
        field.default.as_ref()?;
        let default = codec::absence(field, key_use(entity, at));
        let (encode, ty) = (codec::encode_named(field)?, &field.ty);
        Some(code! {
            #number => match (#default)() {
                ::core::option::Option::Some(value) => {
                    let value: #ty = value;
                    __d::field_json(|name, writer| #encode(&value, name, writer))
                }
                ::core::option::Option::None => ::core::result::Result::Ok(::core::option::Option::None),
            },
        })
    });
    let arms: Vec<_> = arms.collect();
    if arms.is_empty() {
        return TokenStream::new();
    }
    code! {
        #[inline]
        fn default_json(
            attribute: usize,
        ) -> ::core::result::Result<::core::option::Option<__d::Json>, __d::Fault> {
            match attribute {
                #(#arms)*
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        }
    }
}

/// Writes what a write of this moment leaves in a managed field.
#[inline]
fn encode_now(entity: &Entity) -> TokenStream {
    let times = entity.fields.iter().enumerate().filter_map(|(at, field)| {
        let stored = &field.stored;
        let (contract, how) = match field.role {
            Role::CreatedAt | Role::UpdatedAt => (code!(ManagedTime), codec::time_form(field)),
            Role::CreatedBy | Role::UpdatedBy => (
                code!(ManagedActor),
                codec::key_role(key_use(entity, at).as_ref()),
            ),
            _ => return None,
        };
        let kind = codec::stamp_kind(field.role);
        let encode = of(&field.ty, &contract, "encode_now");
        Some(code! {
            #stored => __d::within(#stored, #encode(stamp, #kind, #how, name, writer)),
        })
    });
    let times: Vec<_> = times.collect();
    if times.is_empty() {
        return TokenStream::new();
    }
    code! {
        #[inline]
        fn encode_now(
            attribute: &str,
            stamp: &__d::Stamp,
            name: &__d::Name,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::Fault> {
            match attribute {
                #(#times)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    }
}
