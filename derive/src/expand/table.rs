//! `#[derive(DynamoTable)]`.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::checks;
use super::library::{kind, stream, style};
use super::model::table_allows;
use super::tokens::{all_changeable, hidden, of, option, plain_name};
use crate::model::{Table, TableIndex, TableProjection};

pub(crate) fn expand(table: &Table) -> TokenStream {
    let (ident, vis, name) = (&table.ident, &table.vis, &table.name);
    let (pk, type_attribute) = (&table.pk, &table.type_attribute);
    let sk = option(table.sk.as_deref());
    let path = format!("::{}", plain_name(ident));
    let (style, stream) = (style(table.style), stream(table.stream));
    let entities = table
        .entities
        .iter()
        .map(|entity| of(entity, &code!(EntityContract), "ENTITY"));
    let models = table
        .entities
        .iter()
        .map(|entity| of(entity, &code!(EntityContract), "MODEL"));
    let (doc, allows) = (&table.doc, table_allows(table));
    let constants = table.indexes.iter().map(|index| {
        let (name, value) = (&index.ident, declaration(index));
        let doc = format!("The index `{}`.", plain_name(name));
        quote_spanned! {name.span()=>
            #[doc(hidden)]
            #[doc = #doc]
            #vis const #name: __d::IndexDef = #value;
        }
    });
    let names = table.indexes.iter().map(|index| &index.ident);
    let types: Vec<_> = table.entities.iter().collect();
    let changeable = all_changeable(ident, &types, None);
    let checks = checks::table(table);
    let body = code! {
        impl #ident { #(#constants)* }

        impl __d::DynamoTable for #ident {
            type This = Self;

            const TABLE: __d::TableDef = __d::TableDef {
                id: ::core::concat!(::core::module_path!(), #path),
                name: #name,
                pk: #pk,
                sk: #sk,
                type_attribute: ::core::option::Option::Some(#type_attribute),
                style: #style,
                indexes: &[#(#ident::#names),*],
                stream: #stream,
            };

            const MODEL: __d::TableModel = __d::TableModel {
                doc: #doc,
                entities: &[#(&#models),*],
                allows: #allows,
            };

            const ENTITIES: &'static [&'static __d::EntityDef] =
                &[#(&#entities),*];
        }

        #changeable

        #checks
    };
    hidden(&table.krate, &body)
}

fn declaration(index: &TableIndex) -> TokenStream {
    let TableIndex { stored, pk, sk, .. } = index;
    let kind = kind(index.kind);
    let project = match &index.project {
        TableProjection::All => code!(All),
        TableProjection::Keys => code!(Keys),
        TableProjection::Attributes(names) => code!(Include(&[#(#names),*])),
    };
    code! {
        __d::IndexDef {
            name: #stored,
            kind: #kind,
            pk: &[#(#pk),*],
            sk: &[#(#sk),*],
            project: __d::Projection::#project,
        }
    }
}
