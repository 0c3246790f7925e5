//! `#[derive(DynamoTable)]`, and the table of an entity that has one of its own.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::LitStr;

use super::attribute::own_name;
use super::checks;
use super::index::distinct;
use super::library::{style, variant};
use super::model::table_allows;
use super::tokens::{all_changeable, hidden, listed, methods, of, option, plain_name, shown};
use crate::model::{Entity, IdentifyBy, IndexProjection, KeySource, Table, TableIndex};

pub(crate) fn expand(table: &Table) -> TokenStream {
    let (ident, vis) = (&table.ident, &table.vis);
    let constants = table.indexes.iter().map(|index| {
        let (name, value) = (&index.ident, definition(index));
        let doc = index_doc(index);
        quote_spanned! {name.span()=>
            #[doc = #doc]
            #vis const #name: __d::IndexDef = #value;
        }
    });
    let names = table.indexes.iter().map(|index| &index.ident);
    let indexes = names.map(|name| code!(#ident::#name));
    let implementation = implementation(table, indexes, Some(table.type_attribute()));
    let changeable = all_changeable(ident, &table.entities, None);
    let checks = checks::table(table);
    let overview = overview(table);
    let body = code! {
        #[doc = #overview]
        impl #ident { #(#constants)* }

        #implementation

        #changeable

        #checks
    };
    hidden(&table.krate, &body)
}

/// Describes the table, above its indexes, with links to its entities, whose pages have the operations.
fn overview(table: &Table) -> String {
    let (ident, krate) = (plain_name(&table.ident), &table.krate);
    let entities = table.entities.iter().map(|entity| {
        let entity = shown(entity);
        format!("[`{entity}`]({entity})")
    });
    format!(
        "The table of {}, whose pages list their operations. `{ident}::schema()` describes it for {}.",
        listed(entities),
        methods(krate, "Dynamo", &["create_tables", "add_indexes", "plan"]),
    )
}

/// Describes an index and the rows of its access patterns. The entities of the table link to this text, because their
/// macros do not see the projection of the index.
fn index_doc(index: &TableIndex) -> String {
    let name = plain_name(&index.ident);
    let rows = match &index.project {
        IndexProjection::All => {
            "It stores whole items: each row of its access patterns is an entity.".to_owned()
        }
        IndexProjection::Keys => {
            "It stores keys: each row of its access patterns is a key, and `hydrate()` reads the items.".to_owned()
        }
        IndexProjection::Only(names) => {
            let names = names.iter().map(|name| format!("`{}`", name.value()));
            format!(
                "It stores keys and {}: each row of its access patterns is a key, `select` reads these attributes, and \
                 `hydrate()` the items.",
                names.collect::<Vec<_>>().join(", ")
            )
        }
    };
    format!("The index `{name}`. {rows}")
}

/// Makes the table of an entity that has one of its own, like any other.
pub(super) fn of_entity(entity: &Entity) -> Option<TokenStream> {
    let own = entity.own_table()?;
    let indexes = distinct(entity).map(|index| {
        let names = |sources: &[KeySource], which: &str| {
            let derived = format!("{}_{which}", index.stored);
            let names = sources.iter();
            let names = names.map(|source| own_name(entity, source, &derived));
            names.map(|name| text(&name)).collect()
        };
        TableIndex {
            kind: index.kind,
            ident: index.on.clone(),
            stored: text(&index.stored),
            pk: names(&index.pk, "pk"),
            sk: names(&index.sk, "sk"),
            project: match &index.project {
                IndexProjection::All => IndexProjection::All,
                IndexProjection::Keys => IndexProjection::Keys,
                IndexProjection::Only(fields) => {
                    let stored = fields.iter().map(|at| text(&entity.fields[*at].stored));
                    IndexProjection::Only(stored.collect())
                }
            },
            allows: Vec::new(),
        }
    });
    let table = Table {
        krate: entity.krate.clone(),
        doc: String::new(),
        vis: entity.vis.clone(),
        ident: entity.ident.clone(),
        name: own.name.clone(),
        pk: text(&own_name(entity, &entity.pk, "pk")),
        sk: (entity.sk.as_ref()).map(|sk| text(&own_name(entity, sk, "sk"))),
        type_attribute: None,
        identify_by: None,
        tenant: own.tenant.clone(),
        stream: own.stream,
        style: own.style,
        entities: vec![entity.ident.clone().into()],
        indexes: indexes.collect(),
        allows: Vec::new(),
    };
    let indexes = table.indexes.iter().map(definition);
    Some(implementation(&table, indexes, None))
}

fn text(name: &str) -> LitStr {
    LitStr::new(name, Span::mixed_site())
}

fn implementation(
    table: &Table,
    indexes: impl Iterator<Item = TokenStream>,
    type_attribute: Option<String>,
) -> TokenStream {
    let (ident, name, pk) = (&table.ident, &table.name, &table.pk);
    let path = format!("::{}", plain_name(ident));
    let sk = option(table.sk.as_ref());
    let type_attribute = option(type_attribute);
    let identify_by = table.identify_by.map(|by| variant("IdentifyBy", by));
    let identify_by = option(identify_by);
    let tenant = option(table.tenant.as_ref().map(plain_name));
    // The type of the stored item is a condition, so plain writes of such a table are no members of a batch.
    let unguarded = match table.identify_by {
        Some(IdentifyBy::Type) => code!(__d::TypeChecked),
        Some(IdentifyBy::Key) | None => code!(__d::Unconditional),
    };
    let style = style(table.style);
    let stream = option(table.stream.map(|view| variant("StreamView", view)));
    let of_entities = |item| {
        let entities = table.entities.iter();
        entities.map(move |entity| of(entity, &code!(EntityContract), item))
    };
    let (entities, models) = (of_entities("ENTITY"), of_entities("MODEL"));
    let (doc, allows) = (&table.doc, table_allows(table));
    code! {
        impl __d::DynamoTable for #ident {
            type This = Self;
            type Unguarded = #unguarded;

            const TABLE: __d::TableDef = __d::TableDef {
                id: ::core::concat!(::core::module_path!(), #path),
                name: #name,
                pk: #pk,
                sk: #sk,
                type_attribute: #type_attribute,
                identify_by: #identify_by,
                tenant: #tenant,
                style: #style,
                indexes: &[#(#indexes),*],
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
    }
}

fn definition(index: &TableIndex) -> TokenStream {
    let TableIndex { stored, pk, sk, .. } = index;
    let kind = variant("IndexKind", index.kind);
    let project = match &index.project {
        IndexProjection::All => code!(All),
        IndexProjection::Keys => code!(Keys),
        IndexProjection::Only(names) => code!(Include(&[#(#names),*])),
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
