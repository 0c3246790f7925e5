//! `#[derive(DynamoEntity)]`.

use proc_macro2::TokenStream;
use quote::format_ident;

use super::key_field::key_fields;
use super::tokens::{hidden, of, plain_name};
use super::{
    checks, decode, definition, encode, entity_doc, index, index_maintenance, key, known, large,
    model, partition, path, projection, query, repository, second_key, table, unique, vector, way,
};
use crate::model::{Entity, FieldRole, TableRef};

pub(crate) fn expand(entity: &Entity) -> TokenStream {
    let key_struct = format_ident!("KeyOf{}", plain_name(&entity.ident));
    let constants = definition::constants(entity);
    let table = table::of_entity(entity);
    let key = key::expand(entity, &key_struct);
    let paths_struct = format_ident!("PathsOf{}", plain_name(&entity.ident));
    let paths = path::entity(entity, &paths_struct);
    let fields_struct = format_ident!("FieldsOf{}", plain_name(&entity.ident));
    let fields = projection::fields(entity, &fields_struct);
    let constructor = constructor(entity, &key_struct);
    let implementation = implementation(entity, &key_struct, &paths_struct, &fields_struct);
    let index_writers = index::index_writers(entity, &key_struct);
    let queries = query::expand(entity, &key_struct);
    let partition = partition::parts(entity, &key_struct);
    let uniques = unique::expand(entity, &key_struct);
    let vectors = vector::expand(entity);
    let large = large::expand(entity);
    let checks = checks::entity(entity);
    let body = code! {
        #constants
        #key
        #paths
        #fields
        #index_writers
        #constructor
        #queries
        #partition
        #uniques
        #vectors
        #large
        #implementation
        #table
        #checks
    };
    let repository = entity.repository.as_ref();
    let repository = repository.map(|name| {
        let (krate, vis, ident) = (&entity.krate, &entity.vis, &entity.ident);
        repository::alias(krate, vis, ident, name, entity.append_only)
    });
    let stages = query::stages(entity, &key_struct);
    let vectors = vector::types(entity);
    let hidden = hidden(&entity.krate, &body);
    code!(#repository #stages #vectors #hidden)
}

/// `Order::key(user_id, order_no)`.
fn constructor(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let (ident, vis) = (&entity.ident, &entity.vis);
    let fields = key_fields(entity);
    let names: Vec<_> = fields
        .iter()
        .map(|key| &entity.fields[key.field].ident)
        .collect();
    let types = fields.iter().map(|key| key.ty(entity));
    let doc = format!("The key of one item of `{ident}`, from its typed parts.");
    let overview = entity_doc::of_entity(entity);
    code! {
        #[doc = #overview]
        impl #ident {
            #[doc = #doc]
            #vis fn key(#(#names: impl __d::Arg<#types>),*) -> __d::Key<#ident> {
                __d::Key::from_parts(#key_struct {
                    #(#names: __d::Arg::into_arg(#names)),*
                })
            }
        }
    }
}

fn implementation(
    entity: &Entity,
    key_struct: &syn::Ident,
    paths_struct: &syn::Ident,
    fields_struct: &syn::Ident,
) -> TokenStream {
    let ident = &entity.ident;
    let table = match &entity.table {
        TableRef::Shared(path) => of(path, &code!(DynamoTable), "This"),
        TableRef::Own(_) => code!(Self),
    };
    // A write that concerns other rows too is a transaction, and no member of a batch.
    let is_alone =
        entity.uniques.is_empty() && entity.large.is_empty() && entity.second_key.is_none();
    let unguarded = match &entity.table {
        _ if !is_alone => code!(__d::Reserving),
        TableRef::Shared(path) => of(path, &code!(DynamoTable), "Unguarded"),
        TableRef::Own(_) => code!(__d::Unconditional),
    };
    let guard = match entity.field_of(FieldRole::Version) {
        _ if entity.append_only => code!(__d::AppendOnly),
        Some(_) => code!(__d::Versioned),
        None => unguarded.clone(),
    };
    let (def, model) = (definition::entity(entity), model::entity(entity));
    let key_parts = key_parts(entity, key_struct);
    let encode = encode::encode(entity, key_struct);
    let decode = decode::decode(entity, key_struct);
    let as_stored = decode::as_stored(entity);
    let partition = partition::writer(entity, key_struct);
    let managed = managed(entity);
    let maintenance = index_maintenance::expand(entity, key_struct);
    let uniques = unique::functions(entity, key_struct);
    let sort_parts = query::sort_parts_name(entity);
    let second_key = second_key::functions(entity);
    code! {
        impl __d::DynamoEntity for #ident {
            type Table = #table;
            type KeyParts = #key_struct;
            type Paths = #paths_struct;
            type Guard = #guard;
            type Unguarded = #unguarded;
        }

        #[doc(hidden)]
        impl __d::EntityContract for #ident {
            type Held = #key_struct;
            type This = Self;
            type Fields = #fields_struct;
            type SortParts = #sort_parts;

            const SORT_PARTS: &'static Self::SortParts = &#sort_parts;
            const ENTITY: __d::EntityDef = #def;

            #second_key
            #model

            #key_parts
            #encode
            #decode
            #as_stored
            #partition
            #managed
            #maintenance
            #uniques
        }
    }
}

fn key_parts(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let parts = key_fields(entity).into_iter().map(|key| {
        let ident = &entity.fields[key.field].ident;
        let part = key.take(entity, &code!(&self.#ident));
        code!(#ident: #part)
    });
    code! {
        fn key_parts(&self) -> #key_struct {
            #key_struct { #(#parts),* }
        }
    }
}

fn managed(entity: &Entity) -> TokenStream {
    let version = entity.field_of(FieldRole::Version).map(|field| {
        let ident = &field.ident;
        let held = of(&field.ty, &code!(VersionField), "held_version");
        code! {
            fn version(&self) -> ::core::option::Option<__d::Version> {
                ::core::option::Option::Some(#held(&self.#ident))
            }
        }
    });
    let created = entity.field_of(FieldRole::CreatedAt).map(|field| {
        let (ident, stored, form) = (&field.ident, &field.stored, way::time_form(field));
        let encode = of(&field.ty, &code!(ManagedTime), "encode_value");
        code! {
            fn encode_created_at(
                &self,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<bool, __d::CodecError> {
                __d::within(#stored, #encode(&self.#ident, #form, writer))
            }
        }
    });
    let ttl = entity.field_of(FieldRole::Ttl).map(|field| {
        let ident = &field.ident;
        let expires = of(&field.ty, &code!(TtlTime), "expires_at");
        code! {
            fn expires_at(&self) -> ::core::option::Option<i64> {
                #expires(&self.#ident)
            }
        }
    });
    let expiry = known::derive_expiry(entity);
    code!(#version #created #ttl #expiry)
}
