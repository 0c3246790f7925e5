//! Writes an entity straight into the body of a request, keys first.

use proc_macro2::{Ident, TokenStream};

use super::attribute::key_use;
use super::tokens::of;
use super::{codec, flat, index, key, shape};
use crate::model::{Entity, FieldRole, TableRef};

/// Makes the function that writes an item: keys, indexes, type, fields and what else was read with it.
pub(super) fn encode(entity: &Entity, key_struct: &Ident) -> TokenStream {
    let target = code!(__d::KeyTarget::attribute(writer));
    let keys = key::templates(entity).map(|(template, which)| {
        let write = key::write_from(entity, template, which, &code!(self), &target);
        code!(#key_struct::#write)
    });
    let hash = is_sharded(entity).then(|| {
        code! {
            let hash = __d::hash_of_key(&<Self as __d::EntityContract>::key_parts(self))?;
        }
    });
    let stamped = index::stamped_in_indexes(entity);
    let indexes =
        index::distinct(entity).map(|index| index::encode_index(entity, index, key_struct));
    let type_attribute = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        code! {
            writer.dynamic_name(__TYPE);
            writer.text(#name);
        }
    });
    let constants = (!entity.constants.is_empty())
        .then(|| code!(__d::write_constants(&<Self as __d::EntityContract>::ENTITY, writer);));
    let fields = entity.fields.iter().enumerate().map(|(at, field)| {
        let ident = &field.ident;
        codec::encode(field, key_use(entity, at), &code!(&self.#ident))
    });
    let flattened = flat::encode(entity);
    let rest = entity.field_of(FieldRole::Rest).map(|field| {
        let ident = &field.ident;
        let item = of(&field.ty, &code!(RestField), "as_item");
        code! {
            __d::encode_rest(
                #item(&self.#ident),
                &<Self as __d::EntityContract>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                writer,
            )?;
        }
    });
    let shape = shape::encode(entity);
    // A program that still writes the shape before must encode its own fields too, because projections read those.
    let older = shape::written_as(entity).map(|older| {
        code! {
            fn encode(
                &self,
                stamp: &__d::ManagedValues,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                #older
            }
        }
    });
    let function = match &older {
        Some(_) => code!(encode_present),
        None => code!(encode),
    };
    code! {
        #older

        fn #function(
            &self,
            stamp: &__d::ManagedValues,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::CodecError> {
            #shape
            #hash
            #(#keys)*
            #(#stamped)*
            #(#indexes)*
            #type_attribute
            #constants
            #(#fields)*
            #(#flattened)*
            #rest
            ::core::result::Result::Ok(())
        }
    }
}

/// Tells whether some key ends with a shard, which is taken from the hash of the primary key.
fn is_sharded(entity: &Entity) -> bool {
    entity.keys().any(|source| source.shards().is_some())
}
