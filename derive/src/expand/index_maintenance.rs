//! The needs of a partial update: the existing parts of an index, and its keys, built from known values.

use proc_macro2::{Ident, TokenStream};

use super::attribute::{index_attribute, key_use};
use super::index::{derived_parts, distinct, index_keys, index_writer_name};
use super::tokens::of;
use super::{codec, flat, known, library, template, way, when};
use crate::model::{DerivedPart, Entity, Field, FieldRole, Index, KeySource};

/// An index and its parts, which the functions of the trait number by their places.
type IndexParts<'a> = (&'a Index, Vec<DerivedPart>);

/// The functions of the trait. Those for derived keys are omitted if no index has one to maintain.
pub(super) fn expand(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let absent = may_be_absent(entity);
    let now = encode_now(entity);
    let defaults = default_json(entity);
    let indexes: Vec<_> = distinct(entity)
        .map(|index| (index, derived_parts(index)))
        .collect();
    let has_derived = indexes.iter().any(|(_, parts)| !parts.is_empty())
        || indexes.iter().any(|(index, _)| index.when.is_some());
    if !has_derived {
        return code!(#absent #now #defaults);
    }
    let there = index_part_is_there(entity, &indexes);
    let holds = index_holds(entity, &indexes);
    let write = write_index_key(entity, key_struct, &indexes);
    code! {
        #absent
        #now
        #defaults
        #there
        #holds
        #write
    }
}

/// Creates the function that returns whether a part of an index exists, if that is known.
fn index_part_is_there(entity: &Entity, indexes: &[IndexParts<'_>]) -> TokenStream {
    let there = indexes.iter().enumerate().flat_map(|(number, (_, parts))| {
        parts.iter().enumerate().map(move |(at, part)| {
            let is_there = template::derived_item(entity, *part, "is_there");
            let is_there = known::holds_of(entity, part.0, &is_there);
            code!((#number, #at) => #is_there,)
        })
    });
    code! {
        #[inline]
        fn index_part_is_there(
            index: usize,
            part: usize,
            known: &__d::Known,
        ) -> ::core::result::Result<::core::option::Option<bool>, __d::CodecError> {
            match (index, part) {
                #(#there)*
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        }
    }
}

/// Creates the function that returns whether the `when` of an index holds, if that is known.
fn index_holds(entity: &Entity, indexes: &[IndexParts<'_>]) -> TokenStream {
    let holds = indexes
        .iter()
        .enumerate()
        .filter_map(|(number, (index, _))| {
            let when = index.when.as_ref()?;
            let holds = when::holds_as_known(entity, when);
            Some(code!(#number => #holds,))
        });
    code! {
        #[inline]
        fn index_holds(
            index: usize,
            known: &__d::Known,
        ) -> ::core::result::Result<::core::option::Option<bool>, __d::CodecError> {
            match index {
                #(#holds)*
                _ => ::core::result::Result::Ok(::core::option::Option::Some(true)),
            }
        }
    }
}

/// Creates the function that writes a key of an index from known values.
fn write_index_key(entity: &Entity, key_struct: &Ident, indexes: &[IndexParts<'_>]) -> TokenStream {
    let writes = indexes.iter().enumerate().flat_map(|(number, (index, _))| {
        index_keys(index)
            .enumerate()
            .filter_map(move |(nth, (source, role, at))| {
                let write = match source {
                    KeySource::Field { .. } => return None,
                    KeySource::Number { field, .. } => {
                        let attribute = index_attribute(entity, index, role, at);
                        known::write_number(entity, *field, &attribute)
                    }
                    KeySource::Template(template) => {
                        let function = index_writer_name(index, role, at);
                        known::write(entity, key_struct, &function, template)
                    }
                };
                Some(code!((#number, #nth) => #write))
            })
    });
    code! {
        #[inline]
        fn write_index_key(
            index: usize,
            key: usize,
            known: &__d::Known,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            match (index, key) {
                #(#writes)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    }
}

/// The attributes by their numbers, each with the place of its field.
fn numbered(entity: &Entity) -> impl Iterator<Item = (usize, (usize, &Field))> {
    let fields = entity.fields.iter().enumerate();
    fields.filter(|(_, field)| field.is_stored()).enumerate()
}

/// Whether an entity can be read without the attribute of this number.
fn may_be_absent(entity: &Entity) -> TokenStream {
    let arms = numbered(entity).map(|(number, (at, field))| {
        if field.default.is_some() {
            return code!(#number => true,);
        }
        let (ty, absent) = (&field.ty, codec::absence(field, key_use(entity, at)));
        code!(#number => __d::may_be_absent::<#ty>(#absent),)
    });
    let others = flat::may_be_absent(entity);
    code! {
        #[inline]
        fn may_be_absent(attribute: usize) -> bool {
            match attribute {
                #(#arms)*
                #others
            }
        }
    }
}

/// The defaults of attributes, in DynamoDB JSON.
fn default_json(entity: &Entity) -> TokenStream {
    let arms = numbered(entity)
        .filter_map(|(number, (at, field))| codec::default_arm(number, field, key_use(entity, at)));
    let arms: Vec<_> = arms.collect();
    let others = flat::default_json(entity);
    if arms.is_empty() && others.is_none() {
        return TokenStream::new();
    }
    code! {
        #[inline]
        fn default_json(
            attribute: usize,
        ) -> ::core::result::Result<::core::option::Option<__d::Json>, __d::CodecError> {
            match attribute {
                #(#arms)*
                #others
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        }
    }
}

/// Writes the value that a write at this moment leaves in a managed field.
fn encode_now(entity: &Entity) -> TokenStream {
    let times = entity.fields.iter().enumerate().filter_map(|(at, field)| {
        let stored = &field.stored;
        let (contract, how) = match field.role {
            FieldRole::CreatedAt | FieldRole::UpdatedAt => {
                (code!(ManagedTime), way::time_form(field))
            }
            FieldRole::CreatedBy | FieldRole::UpdatedBy => (
                code!(ManagedActor),
                codec::key_role(key_use(entity, at).as_ref()),
            ),
            _ => return None,
        };
        let kind = library::stamp_kind(field.role);
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
            stamp: &__d::ManagedValues,
            name: &__d::Name,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            match attribute {
                #(#times)*
                _ => ::core::result::Result::Ok(()),
            }
        }
    }
}
