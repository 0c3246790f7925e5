//! `#[derive(DynamoEntity)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::codec::KeyUse;
use super::{
    checks, codec, definition, hidden, key, local, of, partition, path, projection, query,
    repository, respanned, stored, unique, upkeep,
};
use crate::model::{Entity, Field, Index, KeySource, Role, TableRef};

pub(crate) fn expand(entity: &Entity) -> TokenStream {
    let key_struct = format_ident!("KeyOf{}", key::plain_name(&entity.ident));
    let constants = definition::constants(entity);
    let table = definition::own_table(entity);
    let key = key::expand(entity, &key_struct);
    let paths_struct = format_ident!("PathsOf{}", key::plain_name(&entity.ident));
    let paths = path::entity(entity, &paths_struct);
    let fields_struct = format_ident!("FieldsOf{}", key::plain_name(&entity.ident));
    let fields = projection::fields(entity, &fields_struct);
    let constructor = constructor(entity, &key_struct);
    let implementation = implementation(entity, &key_struct, &paths_struct, &fields_struct);
    let index_writers = index_writers(entity, &key_struct);
    let queries = query::expand(entity, &key_struct);
    let partition = partition::parts(entity, &key_struct);
    let uniques = unique::expand(entity, &key_struct);
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
        #implementation
        #table
        #checks
    };
    let repository = entity.repository.as_ref();
    let repository =
        repository.map(|name| repository::alias(&entity.krate, &entity.vis, &entity.ident, name));
    let hidden = hidden(&entity.krate, &body);
    code!(#repository #hidden)
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
    code! {
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
    let unguarded = match entity.uniques.is_empty() {
        true => code!(__d::Unconditional),
        false => code!(__d::Reserving),
    };
    let guard = match field_of(entity, Role::Version) {
        Some(_) => code!(__d::Versioned),
        None => unguarded.clone(),
    };
    let def = definition::entity(entity);
    let key_parts = key_parts(entity, key_struct);
    let encode = encode(entity, key_struct);
    let decode = decode(entity, key_struct);
    let as_stored = as_stored(entity);
    let partition = partition::writer(entity, key_struct);
    let managed = managed(entity);
    let upkeep = upkeep::expand(entity, key_struct);
    let uniques = unique::functions(entity, key_struct);
    let sort_parts = query::sort_parts_name(entity);
    code! {
        impl __d::DynamoEntity for #ident {
            type Table = #table;
            type KeyParts = #key_struct;
            type Paths = #paths_struct;
            type This = Self;
            type Fields = #fields_struct;
            type SortParts = #sort_parts;
            type Guard = #guard;
            type Unguarded = #unguarded;

            const SORT_PARTS: &'static Self::SortParts = &#sort_parts;
            const ENTITY: __d::EntityDef = #def;

            #key_parts
            #encode
            #decode
            #as_stored
            #partition
            #managed
            #upkeep
            #uniques
        }
    }
}

pub(super) fn field_of(entity: &Entity, role: Role) -> Option<&Field> {
    entity.fields.iter().find(|field| field.role == role)
}

fn key_parts(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let parts = key::key_fields(entity).into_iter().map(|key| {
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

// --- writing

fn encode(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let target = code!(__d::KeyTarget::attribute(writer));
    let keys = key::templates(entity).map(|(template, which)| {
        let write = key::write_from(entity, template, which, &code!(self), &target);
        code!(#key_struct::#write)
    });
    let hash = is_sharded(entity).then(|| {
        code! {
            let hash = __d::hash_of_key(&<Self as __d::DynamoEntity>::key_parts(self))?;
        }
    });
    let stamped = stamped_in_indexes(entity);
    let indexes = distinct(entity).map(|index| encode_index(entity, index, key_struct));
    let type_attribute = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        code! {
            writer.dynamic_name(__TYPE);
            writer.text(#name);
        }
    });
    let fields = entity.fields.iter().enumerate().map(|(at, field)| {
        let ident = &field.ident;
        codec::encode(field, key_use(entity, at), &code!(&self.#ident))
    });
    let rest = field_of(entity, Role::Rest).map(|field| {
        let ident = &field.ident;
        let item = of(&field.ty, &code!(RestField), "as_item");
        code! {
            __d::encode_rest(
                #item(&self.#ident),
                &<Self as __d::DynamoEntity>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                writer,
            )?;
        }
    });
    code! {
        fn encode(
            &self,
            stamp: &__d::Stamp,
            writer: &mut __d::Writer,
        ) -> ::core::result::Result<(), __d::Fault> {
            #hash
            #(#keys)*
            #(#stamped)*
            #(#indexes)*
            #type_attribute
            #(#fields)*
            #rest
            ::core::result::Result::Ok(())
        }
    }
}

/// Whether some key ends with a shard, which is taken from the hash of the primary key.
fn is_sharded(entity: &Entity) -> bool {
    let indexes = entity.indexes.iter().flat_map(|index| &index.pk);
    let mut sources = std::iter::once(&entity.pk).chain(indexes);
    sources.any(|source| source.shards().is_some())
}

/// The shard of the item at hand.
fn of_hash() -> TokenStream {
    code!(__d::Shard::Of(hash))
}

/// Variables for the managed fields that index keys are made of, or depend on.
fn stamped_in_indexes(entity: &Entity) -> impl Iterator<Item = TokenStream> {
    let in_keys = entity
        .indexes
        .iter()
        .flat_map(|index| index.pk.iter().chain(&index.sk))
        .flat_map(|source| match source {
            KeySource::Template(template) => key::parts(template).map(|(field, _)| field).collect(),
            KeySource::Field { .. } => Vec::new(),
        });
    let in_conditions = entity
        .indexes
        .iter()
        .filter_map(|index| Some(index.when.as_ref()?.field));
    let used: std::collections::BTreeSet<usize> = in_keys.chain(in_conditions).collect();
    used.into_iter().filter_map(|field| {
        let field = &entity.fields[field];
        let (variable, value) = (key::stored(field), codec::stamped(field)?);
        Some(code!(let #variable = #value;))
    })
}

/// Access patterns of one index are alike, so that one of them writes its keys.
pub(super) fn distinct(entity: &Entity) -> impl Iterator<Item = &Index> {
    entity.indexes.iter().enumerate().filter_map(|(at, index)| {
        let before = &entity.indexes[..at];
        (!before.iter().any(|earlier| earlier.on == index.on)).then_some(index)
    })
}

/// The one of these that writes an index's keys.
pub(super) fn distinct_of<'a>(entity: &'a Entity, index: &'a Index) -> &'a Index {
    distinct(entity)
        .find(|first| first.on == index.on)
        .unwrap_or(index)
}

/// Where a bare field is a key attribute: of the table, else of an index. Its limit is the least of all its uses.
pub(super) fn key_use(entity: &Entity, at: usize) -> Option<KeyUse> {
    let is_bare =
        |source: &KeySource| matches!(source, KeySource::Field { field, .. } if *field == at);
    let sort = || code!(__d::Role::Sort);
    if is_bare(&entity.pk) {
        return Some(KeyUse::Primary(definition::pk_role(entity)));
    }
    if entity.sk.as_ref().is_some_and(is_bare) {
        return Some(KeyUse::Primary(sort()));
    }
    let indexes = || entity.indexes.iter();
    if indexes().any(|index| index.sk.iter().any(is_bare)) {
        return Some(KeyUse::Index(sort()));
    }
    indexes().find_map(|index| {
        let part = index.pk.iter().position(is_bare)?;
        Some(KeyUse::Index(definition::index_pk_role(
            entity, index, part,
        )))
    })
}

/// The derived keys of an index, if all their parts are there.
fn encode_index(entity: &Entity, index: &Index, key_struct: &syn::Ident) -> TokenStream {
    let mut missing = Vec::new();
    let mut writes = Vec::new();
    for (source, role, at) in index_keys(index) {
        let KeySource::Template(template) = source else {
            continue;
        };
        let function = index_writer_name(index, role, at);
        let skip = definition::already_written(entity, index, role, at);
        let shard = key::shard(template, &of_hash());
        let mut arguments = Vec::new();
        for part in key::parts(template) {
            let value = key::stored(&entity.fields[part.0]);
            let is_there = key::index_question(entity, part, "is_there");
            missing.push(code!(!#is_there(&#value)));
            arguments.push(key::index_part_of(entity, part, &code!(&#value)));
        }
        writes.push(code! {
            if !(#skip) {
                #key_struct::#function(__d::KeyTarget::attribute(writer) #shard #(, #arguments)*)?;
            }
        });
    }
    if writes.is_empty() {
        return TokenStream::new();
    }
    let when = index.when.as_ref().map(|when| {
        let value = &when.value;
        let ty = respanned(&entity.fields[when.field].ty, value.span());
        let holds = of(&ty, &code!(When<_>), "holds");
        let by_reference = quote_spanned!(value.span()=> &#value);
        let place = key::stored(&entity.fields[when.field]);
        code!(!#holds(&#place, #by_reference))
    });
    let absent: Vec<_> = when.into_iter().chain(missing).collect();
    let absent = (!absent.is_empty()).then(|| {
        code! {
            if #(#absent)||* {
                break 'index false;
            }
        }
    });
    let written = definition::written_flag(index);
    code! {
        let #written = 'index: {
            #absent
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

pub(super) fn index_writer_name(index: &Index, role: &str, at: usize) -> syn::Ident {
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
                "pk" => definition::index_pk_role(entity, index, at),
                _ => code!(__d::Role::Sort),
            };
            let function = index_writer_name(index, role, at);
            Some(key::writer(entity, &function, template, &attribute, &limit))
        })
    });
    code! {
        impl #key_struct { #(#writers)* }
    }
}

// --- reading

fn decode(entity: &Entity, key_struct: &syn::Ident) -> TokenStream {
    let declared = entity.fields.iter().filter_map(codec::declare);
    let arms = entity
        .fields
        .iter()
        .enumerate()
        .filter_map(|(at, field)| codec::decode_arm(field, key_use(entity, at)));
    let texts = key::templates(entity).map(|(_, which)| {
        let holder = local(&format!("text_{which}"));
        code!(let mut #holder = ::core::option::Option::None;)
    });
    let text_arms = key::templates(entity).map(|(_, which)| {
        let (holder, attribute) = (local(&format!("text_{which}")), attribute_of(which));
        code!(other if other == #attribute => __d::read_key_text(reader, #attribute, &mut #holder),)
    });
    let unpack = key::templates(entity)
        .filter(|(source, _)| holds_whole(source))
        .map(|(source, which)| unpack(entity, key_struct, source, which));
    let compared = key::templates(entity)
        .filter(|(template, _)| may_differ(entity, template))
        .map(|(template, which)| compare(entity, key_struct, template, which));
    let skipped = entity.fields.iter().enumerate().filter_map(|(at, field)| {
        let holder = codec::holder(field);
        (field.role == Role::Skip && is_whole_part(entity, at))
            .then(|| code!(let mut #holder = ::core::option::Option::None;))
    });
    let type_arm = matches!(entity.table, TableRef::Shared(_)).then(|| {
        let name = &entity.name;
        code!(other if other == __TYPE => __d::check_type(
            reader,
            __TYPE,
            #name,
            <<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::ENTITIES,
        ),)
    });
    let rest = field_of(entity, Role::Rest);
    let rest_holder = rest.map(|_| code!(let mut rest = __d::Item::new();));
    let rest_arm = rest.map(|_| {
        code! {
            other if !__d::is_derived(
                &<Self as __d::DynamoEntity>::ENTITY,
                &<<Self as __d::DynamoEntity>::Table as __d::DynamoTable>::TABLE,
                other,
            ) => __d::keep_unknown(&mut rest, other, reader),
        }
    });
    let finished = entity.fields.iter().enumerate().map(|(at, field)| {
        if field.role == Role::Skip && is_whole_part(entity, at) {
            // Such a field has no attribute that could be missing; its key has.
            let (ident, holder) = (&field.ident, codec::holder(field));
            let in_pk = matches!(&entity.pk, KeySource::Template(template) if holds(template, at));
            let attribute = attribute_of(if in_pk { "pk" } else { "sk" });
            return code!(#ident: #holder.ok_or_else(|| __d::missing(#attribute))?);
        }
        codec::finish(field)
    });
    let fields = entity.fields.iter().enumerate();
    let complete = codec::complete(fields.map(|(at, field)| (field, key_use(entity, at))));
    code! {
        fn decode(reader: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::Fault> {
            #(#declared)*
            #(#skipped)*
            #(#texts)*
            #rest_holder
            let mut first = true;
            reader.open_object()?;
            while let ::core::option::Option::Some(name) = reader.next_name(&mut first)? {
                let read = match &*name {
                    #(#arms)*
                    #(#text_arms)*
                    #type_arm
                    #rest_arm
                    _ => reader.skip(),
                };
                read?;
            }
            #(#unpack)*
            #complete
            let entity = Self { #(#finished),* };
            #(#compared)*
            ::core::result::Result::Ok(entity)
        }
    }
}

fn attribute_of(which: &str) -> syn::Ident {
    format_ident!("__{}", which.to_uppercase())
}

/// Whether a template of the primary key holds the whole field.
fn is_whole_part(entity: &Entity, at: usize) -> bool {
    std::iter::once(&entity.pk)
        .chain(&entity.sk)
        .any(|source| match source {
            KeySource::Field { .. } => false,
            KeySource::Template(template) => holds(template, at),
        })
}

fn holds(template: &crate::model::Template, at: usize) -> bool {
    key::parts(template).any(|(field, format)| field == at && !format.is_lossy())
}

/// Whether the text of a template may be another one than the fields of its item give. All that it is made of may come
/// from itself: what has no attribute is parsed from the first place in the key that has it whole, and no other text
/// is parsed than that which is written.
fn may_differ(entity: &Entity, template: &crate::model::Template) -> bool {
    let is_own = |(field, format): (usize, crate::model::Format)| {
        let has_attribute = entity.fields[field].role != Role::Skip;
        !has_attribute && !format.is_lossy() && key::uses(entity, field) == 1
    };
    let mut parts = key::parts(template).peekable();
    template.shards.is_some() || parts.peek().is_none() || !parts.all(is_own)
}

/// Compares the text of a key with what the fields of the entity give.
fn compare(
    entity: &Entity,
    key_struct: &syn::Ident,
    template: &crate::model::Template,
    which: &str,
) -> TokenStream {
    let (text, target) = (
        local(&format!("text_{which}")),
        code!(__d::KeyTarget::stored(text)),
    );
    let write = key::write_from(entity, template, which, &code!(entity), &target);
    let hash = template.shards.map(
        |_| code!(let hash = __d::hash_of_read(&<Self as __d::DynamoEntity>::key_parts(&entity))?;),
    );
    code! {
        if let ::core::option::Option::Some(text) = #text.as_deref() {
            #hash
            #key_struct::#write
        }
    }
}

fn holds_whole(template: &crate::model::Template) -> bool {
    key::parts(template).any(|(_, format)| !format.is_lossy())
}

/// Parses a key for the fields that are still without a value; the partition key comes first.
fn unpack(
    entity: &Entity,
    key_struct: &syn::Ident,
    template: &crate::model::Template,
    which: &str,
) -> TokenStream {
    let text = local(&format!("text_{which}"));
    let parse = format_ident!("parse_{which}");
    let parsers = key::part_parsers(entity, template);
    let mut names = Vec::new();
    let mut holders = Vec::new();
    for (at, (field, format)) in key::parts(template).enumerate() {
        if format.is_lossy() {
            names.push(code!(_));
            continue;
        }
        let part = local(&format!("part_{at}"));
        names.push(code!(#part));
        holders.push((codec::holder(&entity.fields[field]), part));
    }
    let lacking = holders.iter().map(|(holder, _)| code!(#holder.is_none()));
    let fill = holders.iter().map(|(holder, part)| {
        code! {
            if #holder.is_none() {
                #holder = ::core::option::Option::Some(#part);
            }
        }
    });
    // A field without an attribute of its own comes from nowhere else.
    let is_needed = key::parts(template)
        .any(|(field, format)| entity.fields[field].role == Role::Skip && !format.is_lossy());
    let attribute = attribute_of(which);
    let found = if is_needed {
        code!(::core::option::Option::Some(__d::key_text(&#text, #attribute)?))
    } else {
        code!(#text.as_deref())
    };
    code! {
        if #(#lacking)||* {
            if let ::core::option::Option::Some(text) = #found {
                let (#(#names,)*) = #key_struct::#parse(text #(, #parsers)*)?;
                #(#fill)*
            }
        }
    }
}

/// Not where a field has no attribute of its own, but is a part of the key.
fn as_stored(entity: &Entity) -> Option<TokenStream> {
    let fields = entity.fields.iter().enumerate();
    let is_parsed =
        |(at, field): (usize, &Field)| field.role == Role::Skip && is_whole_part(entity, at);
    if fields.clone().any(is_parsed) {
        return None;
    }
    let copies = stored::fields(fields.map(|(at, field)| {
        let ident = &field.ident;
        (field, key_use(entity, at), code!(&self.#ident))
    }))?;
    Some(code! {
        #[inline]
        fn as_stored(&self, stamp: &__d::Stamp) -> ::core::option::Option<Self> {
            ::core::option::Option::Some(Self { #(#copies),* })
        }
    })
}

// --- managed fields

fn managed(entity: &Entity) -> TokenStream {
    let version = field_of(entity, Role::Version).map(|field| {
        let ident = &field.ident;
        let held = of(&field.ty, &code!(VersionField), "held_version");
        code! {
            fn version(&self) -> ::core::option::Option<__d::Version> {
                ::core::option::Option::Some(#held(&self.#ident))
            }
        }
    });
    let created = field_of(entity, Role::CreatedAt).map(|field| {
        let (ident, stored, form) = (&field.ident, &field.stored, codec::time_form(field));
        let encode = of(&field.ty, &code!(ManagedTime), "encode_value");
        code! {
            fn encode_created_at(
                &self,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<bool, __d::Fault> {
                __d::within(#stored, #encode(&self.#ident, #form, writer))
            }
        }
    });
    let ttl = field_of(entity, Role::Ttl).map(|field| {
        let ident = &field.ident;
        let expires = of(&field.ty, &code!(TtlTime), "expires_at");
        code! {
            fn expires_at(&self) -> ::core::option::Option<i64> {
                #expires(&self.#ident)
            }
        }
    });
    code!(#version #created #ttl)
}
