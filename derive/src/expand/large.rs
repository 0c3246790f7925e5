//! Lists and blobs beside an item: their declarations, and the functions that lead to them.

use proc_macro2::TokenStream;

use super::key_field::key_fields;
use super::tokens::{check, linked, of, option, plain_name, shown};
use crate::model::{Entity, LargeValue, TableRef};

/// The functions, such as `Hall::seats(id)`.
pub(super) fn expand(entity: &Entity) -> TokenStream {
    if entity.large.is_empty() {
        return TokenStream::new();
    }
    let ident = &entity.ident;
    let values = entity.large.iter().enumerate();
    let functions = values.map(|(number, value)| function(entity, number, value));
    let vis = &entity.vis;
    let sweep_doc = format!(
        "Deletes the parts that no list and no blob of a `{}` refers to. See {}.",
        plain_name(ident),
        linked(&entity.krate, "`Sweep`", "large::Sweep")
    );
    code! {
        impl #ident {
            #(#functions)*

            #[doc = #sweep_doc]
            #vis fn sweep_large_values() -> __d::Sweep<#ident> {
                __d::Sweep::new()
            }
        }
    }
}

fn function(entity: &Entity, number: usize, value: &LargeValue) -> TokenStream {
    let (ident, vis, name) = (&entity.ident, &entity.vis, &value.name);
    let fields = key_fields(entity);
    let names: Vec<_> = fields
        .iter()
        .map(|key| &entity.fields[key.field].ident)
        .collect();
    let types = fields.iter().map(|key| key.ty(entity));
    let (shown_ident, shown_name) = (plain_name(ident), plain_name(name));
    let (ty, made, doc) = match &value.element {
        Some(element) => (
            code!(__d::Chunked<#ident, #element>),
            code!(__d::Chunked::of_key),
            format!(
                "The list `{shown_name}` of one `{shown_ident}`, by the parts of its key. See {}.",
                linked(&entity.krate, "`Chunked`", "large::Chunked")
            ),
        ),
        None => (
            code!(__d::Blob<#ident>),
            code!(__d::Blob::of_key),
            format!(
                "The bytes `{shown_name}` of one `{shown_ident}`, by the parts of its key. See {}.",
                linked(&entity.krate, "`Blob`", "large::Blob")
            ),
        ),
    };
    code! {
        #[doc = #doc]
        #vis fn #name(#(#names: impl __d::Arg<#types>),*) -> #ty {
            #made(#ident::key(#(#names),*), #number)
        }
    }
}

/// The declarations that reading and writing need.
pub(super) fn definitions(entity: &Entity) -> TokenStream {
    let values = entity.large.iter().map(|value| {
        let (name, stored) = (plain_name(&value.name), &value.stored);
        let (is_blob, outside) = (value.element.is_none(), value.is_outside);
        code!(__d::LargeDef { name: #name, stored: #stored, is_blob: #is_blob, outside: #outside })
    });
    code!(&[#(#values),*])
}

/// The declarations that only tools need.
pub(super) fn models(entity: &Entity) -> TokenStream {
    let values = entity.large.iter().map(|value| {
        let element = value.element.as_ref();
        let ty = option(element.map(|element| of(element, &code!(DynamoValue), "TYPE")));
        let rust_type = element.map(shown).unwrap_or_default();
        code!(__d::LargeModel { element: #ty, rust_type: #rust_type })
    });
    code!(&[#(#values),*])
}

/// Rules that need the other entities of the table: the rows have keys that no entity can have.
pub(super) fn checks(entity: &Entity) -> Vec<TokenStream> {
    let Some(value) = entity.large.first() else {
        return Vec::new();
    };
    let (ident, span, word) = (&entity.ident, value.name.span(), value.word());
    let def = code!(<#ident as __d::EntityContract>::ENTITY);
    let table = match &entity.table {
        TableRef::Shared(path) => of(path, &code!(DynamoTable), "ENTITIES"),
        TableRef::Own(_) => code!(<#ident as __d::DynamoTable>::ENTITIES),
    };
    let is_text = format!(
        "`{word}` stores rows in the same table, whose partition key is a text then; make it one: `key(pk = \"HALL#{{id}}\")`"
    );
    let is_apart = format!(
        "`{word}` stores rows in the same table, and an entity of it could have their key, since a bare field can hold any text; \
         write its `pk` (or its `sk`) as a template: `key(pk = \"HALL#{{id}}\")`"
    );
    let is_lasting = format!(
        "another entity of the table has a `ttl` that is stored in an attribute of this one, and DynamoDB deletes the \
         items of this one too if it is a number, without the rows of `{word}`; store the field by another name: `#[dynamo(rename = \"..\")]`"
    );
    vec![
        check(span, &code!(__d::has_no_ttl_of(&#def, #table)), &is_lasting),
        check(span, &code!(__d::has_text_partition(&#def)), &is_text),
        check(
            span,
            &code!(__d::leaves_room_for_uniques(#table, __STYLE)),
            &is_apart,
        ),
    ]
}
