//! `#[derive(DynamoEntity)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{checks, codec, definition, hidden, key, local};
use crate::model::{Entity, Field, Index, KeySource, Role, TableRef};

pub(crate) fn expand(entity: &Entity) -> TokenStream {
    let key_struct = format_ident!("{}Key", key::plain_name(&entity.ident));
    let constants = definition::constants(entity);
    let table = definition::own_table(entity);
    let key = key::expand(entity, &key_struct);
    let constructor = constructor(entity, &key_struct);
    let implementation = implementation(entity, &key_struct);
    let index_writers = index_writers(entity, &key_struct);
    let checks = checks::entity(entity);
    let body = quote! {
        #constants
        #key
        #index_writers
        #constructor
        #implementation
        #table
        #checks
    };
    hidden(&entity.krate, &body)
}

/// `Order::key(user_id, order_no)`.
fn constructor(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let (ident, vis) = (&entity.ident, &entity.vis);
    let fields = key::key_fields(entity);
    let names: Vec<_> = fields
        .iter()
        .map(|key| &entity.fields[key.field].ident)
        .collect();
    let types = fields.iter().map(|key| key.ty(entity));
    let doc = format!("The key of one item of `{ident}`, from its typed parts.");
    quote! {
        impl #ident {
            #[doc = #doc]
            #[allow(dead_code)]
            #vis fn key(#(#names: impl __d::Arg<#types>),*) -> __d::Key<#ident> {
                __d::Key::from_parts(#key_struct {
                    #(#names: __d::Arg::into_arg(#names)),*
                })
            }
        }
    }
}

fn implementation(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let ident = &entity.ident;
    let table = match &entity.table {
        TableRef::Shared(path) => quote_spanned!(path.span()=> #path),
        TableRef::Own(_) => quote!(Self),
    };
    let guard = match field_of(entity, Role::Version) {
        Some(_) => quote!(__d::Versioned),
        None => quote!(__d::Unconditional),
    };
    let def = definition::entity(entity);
    let key_parts = key_parts(entity, key_struct);
    let encode = encode(entity, key_struct);
    let decode = decode(entity, key_struct);
    let managed = managed(entity);
    quote! {
        impl __d::DynamoEntity for #ident {
            type Table = #table;
            type KeyParts = #key_struct;
            type Guard = #guard;

            const ENTITY: __d::EntityDef = #def;

            #key_parts
            #encode
            #decode
            #managed
        }
    }
}

pub(super) fn field_of(entity: &Entity, role: Role) -> Option<&Field> {
    entity.fields.iter().find(|field| field.role == role)
}

fn key_parts(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let parts = key::key_fields(entity).into_iter().map(|key| {
        let (ident, ty) = (
            &entity.fields[key.field].ident,
            &entity.fields[key.field].ty,
        );
        match key.lossy {
            None => quote!(#ident: ::core::clone::Clone::clone(&self.#ident)),
            Some(format) => {
                let format = key::format_const(format);
                quote!(#ident: <#ty as __d::PartAs<#format>>::part(&self.#ident).into_owned())
            }
        }
    });
    quote! {
        fn key_parts(&self) -> #key_struct {
            #key_struct { #(#parts),* }
        }
    }
}

// --- writing

fn encode(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let keys = [
        (Some(&entity.pk), "write_pk"),
        (entity.sk.as_ref(), "write_sk"),
    ];
    let keys = keys.into_iter().filter_map(|(source, function)| {
        let KeySource::Template(template) = source? else {
            return None;
        };
        let function = format_ident!("{function}");
        let parts =
            key::parts(template).map(|(field, format)| key::part_of(entity, field, format, false));
        Some(quote!(#key_struct::#function(writer #(, #parts)*)?;))
    });
    let indexes = distinct(entity).map(|index| encode_index(entity, index, key_struct));
    let type_attribute = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        quote! {
            writer.dynamic_name(TYPE);
            writer.text(#name);
        }
    });
    let fields = entity
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| encode_own(entity, at, field));
    let rest = field_of(entity, Role::Rest).map(|field| {
        let ident = &field.ident;
        quote! {
            __d::encode_rest(
                &self.#ident,
                &<Self as __d::DynamoEntity>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                writer,
            )?;
        }
    });
    quote! {
        fn encode(
            &self,
            stamp: &__d::Stamp,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::Fault> {
            #(#keys)*
            #(#indexes)*
            #type_attribute
            #(#fields)*
            #rest
            ::core::result::Result::Ok(())
        }
    }
}

/// Access patterns of one index are alike, so that one of them writes its keys.
fn distinct(entity: &Entity) -> impl Iterator<Item = &Index> {
    entity.indexes.iter().enumerate().filter_map(|(at, index)| {
        let before = &entity.indexes[..at];
        (!before.iter().any(|earlier| earlier.on == index.on)).then_some(index)
    })
}

/// The attribute of a field, checked as a key where it is one.
fn encode_own(entity: &Entity, at: usize, field: &Field) -> TokenStream {
    let ident = &field.ident;
    let is_bare =
        |source: &KeySource| matches!(source, KeySource::Field { field, .. } if *field == at);
    let name = super::name(&field.stored);
    let span = field.ty.span();
    let (this, writer) = (local("self", span), local("writer", span));
    if is_bare(&entity.pk) {
        return quote_spanned!(span=> __d::encode_key_value(&#this.#ident, &#name, __d::Role::Partition, #writer)?;);
    }
    if entity.sk.as_ref().is_some_and(is_bare) {
        return quote_spanned!(span=> __d::encode_key_value(&#this.#ident, &#name, __d::Role::Sort, #writer)?;);
    }
    let role = if entity
        .indexes
        .iter()
        .any(|index| index.sk.iter().any(is_bare))
    {
        quote!(__d::Role::Sort)
    } else if entity
        .indexes
        .iter()
        .any(|index| index.pk.iter().any(is_bare))
    {
        quote!(__d::Role::Partition)
    } else {
        return codec::encode(field, &quote!(&self.#ident));
    };
    // A managed field keeps its own way of being written; it is never empty nor too long.
    if field.role != Role::Attribute {
        return codec::encode(field, &quote!(&self.#ident));
    }
    quote_spanned!(span=> __d::IndexPart::encode_index_key(&#this.#ident, &#name, #role, #writer)?;)
}

/// The derived keys of an index, if all their parts are there.
fn encode_index(entity: &Entity, index: &Index, key_struct: &syn::Ident) -> TokenStream {
    let mut bindings = Vec::new();
    let mut writes = Vec::new();
    for (source, role, at) in index_keys(index) {
        let KeySource::Template(template) = source else {
            continue;
        };
        let function = index_writer_name(index, role, at);
        let skip = definition::already_written(entity, index, role, at);
        let mut arguments = Vec::new();
        for (field, format) in key::parts(template) {
            let part = format_ident!("part_{}", bindings.len());
            let (ident, ty) = (&entity.fields[field].ident, &entity.fields[field].ty);
            let format = key::format_const(format);
            let this = local("self", ty.span());
            let value = quote_spanned! {ty.span()=>
                <#ty as __d::IndexField<#format>>::index_part(&#this.#ident)
            };
            bindings.push(quote! {
                let ::core::option::Option::Some(#part) = #value else {
                    break 'index false;
                };
            });
            arguments.push(part);
        }
        writes.push(quote! {
            if !(#skip) {
                #key_struct::#function(writer #(, &#arguments)*)?;
            }
        });
    }
    if writes.is_empty() {
        return TokenStream::new();
    }
    let when = index.when.as_ref().map(|when| {
        let (ident, value) = (&entity.fields[when.field].ident, &when.value);
        let this = local("self", value.span());
        let holds = quote_spanned!(value.span()=> __d::holds(&#this.#ident, #value));
        quote! {
            if !#holds {
                break 'index false;
            }
        }
    });
    let written = definition::written_flag(index);
    quote! {
        let #written = 'index: {
            #when
            #(#bindings)*
            #(#writes)*
            true
        };
    }
}

/// All key attributes of an index: source, which key, which attribute of it.
pub(super) fn index_keys(index: &Index) -> impl Iterator<Item = (&KeySource, &'static str, usize)> {
    let pk = index
        .pk
        .iter()
        .enumerate()
        .map(|(at, source)| (source, "pk", at));
    pk.chain(
        index
            .sk
            .iter()
            .enumerate()
            .map(|(at, source)| (source, "sk", at)),
    )
}

fn index_writer_name(index: &Index, role: &str, at: usize) -> syn::Ident {
    format_ident!("write_{}_{role}_{at}", key::plain_name(&index.name))
}

fn index_writers(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let writers = distinct(entity).flat_map(|index| {
        index_keys(index).filter_map(move |(source, role, at)| {
            let KeySource::Template(template) = source else {
                return None;
            };
            let attribute = definition::index_attribute(entity, index, role, at);
            let limit = match role {
                "pk" => quote!(__d::Role::Partition),
                _ => quote!(__d::Role::Sort),
            };
            let function = index_writer_name(index, role, at);
            Some(key::writer(
                entity, &function, template, &attribute, &limit, true,
            ))
        })
    });
    quote! {
        impl #key_struct { #(#writers)* }
    }
}

// --- reading

fn decode(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let declared = entity.fields.iter().filter_map(codec::declare);
    let arms = entity.fields.iter().filter_map(codec::decode_arm);
    let keyed = skipped_from_key(entity);
    let texts = keyed.iter().map(|(_, which)| {
        let holder = format_ident!("text_{which}");
        quote!(let mut #holder = ::core::option::Option::None;)
    });
    let text_arms = keyed.iter().map(|(_, which)| {
        let (holder, attribute) = (format_ident!("text_{which}"), format_ident!("{}", which.to_uppercase()));
        quote!(other if other == #attribute => #holder = ::core::option::Option::Some(__d::read_key_text(reader, #attribute)?),)
    });
    let unpack = keyed.iter().map(|(source, which)| {
        let holder = format_ident!("text_{which}");
        let attribute = format_ident!("{}", which.to_uppercase());
        let parse = format_ident!("parse_{which}");
        let names = key::parts(source).map(|(field, format)| {
            let field = &entity.fields[field];
            if field.role == Role::Skip && !format.is_lossy() {
                let holder = codec::holder(field);
                quote!(#holder)
            } else {
                quote!(_)
            }
        });
        quote!(let (#(#names,)*) = #key_struct::#parse(__d::key_text(&#holder, #attribute)?)?;)
    });
    let type_arm = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        quote!(other if other == TYPE => __d::check_type(reader, TYPE, #name)?,)
    });
    let rest = field_of(entity, Role::Rest);
    let rest_holder = rest.map(|_| quote!(let mut rest = __d::Item::new();));
    let rest_arm = rest.map(|_| {
        quote! {
            other if !__d::is_derived(
                &<Self as __d::DynamoEntity>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                other,
            ) => {
                let value = <__d::Value as __d::DynamoValue>::decode(reader)
                    .map_err(|fault| fault.at(other))?;
                rest.insert(other, value);
            }
        }
    });
    let finished = entity.fields.iter().enumerate().map(|(at, field)| {
        if field.role == Role::Skip && is_whole_part(entity, at) {
            let (ident, holder) = (&field.ident, codec::holder(field));
            return quote!(#ident: #holder);
        }
        codec::finish(field)
    });
    quote! {
        fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
            #(#declared)*
            #(#texts)*
            #rest_holder
            let mut first = true;
            reader.open_object()?;
            while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                match &*name {
                    #(#arms)*
                    #(#text_arms)*
                    #type_arm
                    #rest_arm
                    _ => reader.skip()?,
                }
            }
            #(#unpack)*
            ::core::result::Result::Ok(Self { #(#finished),* })
        }
    }
}

/// Whether a template of the primary key holds the whole field.
fn is_whole_part(entity: &Entity, at: usize) -> bool {
    std::iter::once(&entity.pk)
        .chain(&entity.sk)
        .any(|source| match source {
            KeySource::Field { .. } => false,
            KeySource::Template(template) => {
                key::parts(template).any(|(field, format)| field == at && !format.is_lossy())
            }
        })
}

/// The templates of the primary key that fields without an attribute are parsed from. A field that
/// stands in both is taken from the first.
fn skipped_from_key(entity: &Entity) -> Vec<(&crate::model::Template, &'static str)> {
    let keys = [(Some(&entity.pk), "pk"), (entity.sk.as_ref(), "sk")];
    keys.into_iter()
        .filter_map(|(source, which)| {
            let KeySource::Template(template) = source? else {
                return None;
            };
            let skipped = key::parts(template).any(|(field, format)| {
                entity.fields[field].role == Role::Skip && !format.is_lossy()
            });
            skipped.then_some((template, which))
        })
        .collect()
}

// --- managed fields

fn managed(entity: &Entity) -> TokenStream {
    let version = field_of(entity, Role::Version).map(|field| {
        let ident = &field.ident;
        quote! {
            fn version(&self) -> ::core::option::Option<__d::Version> {
                ::core::option::Option::Some(self.#ident)
            }
        }
    });
    let created = field_of(entity, Role::CreatedAt).map(|field| {
        let (ident, stored) = (&field.ident, &field.stored);
        let form = match codec::form(field.form) {
            Some(form) => quote!(::core::option::Option::Some(#form)),
            None => quote!(::core::option::Option::None),
        };
        quote! {
            fn encode_created_at(
                &self,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<bool, __d::Fault> {
                __d::ManagedTime::encode_value(&self.#ident, #form, writer).map_err(|fault| fault.at(#stored))
            }
        }
    });
    let ttl = field_of(entity, Role::Ttl).map(|field| {
        let ident = &field.ident;
        quote! {
            fn expires_at(&self) -> ::core::option::Option<i64> {
                __d::expires_at(&self.#ident)
            }
        }
    });
    quote!(#version #created #ttl)
}
