//! Vector indexes: their declarations, and the functions that search them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;

use super::attribute::key_use;
use super::field_path::{self, PathCode};
use super::library::variant;
use super::tokens::{aliased, beside, check, linked, of, option, plain_name};
use super::usage::usage;
use crate::model::{Distance, Entity, Field, FieldRole, FieldUse, IndexProjection, VectorIndex};

/// DynamoDB's limit for a vector.
const MOST_NUMBERS: usize = 4096;

/// The types that programs may name: of each index, and of the fields that its searches filter by.
pub(super) fn types(entity: &Entity) -> TokenStream {
    let types = entity.vectors.iter().map(|index| {
        let (vis, name, filters) = (
            &entity.vis,
            index_type(entity, index),
            filters_type(entity, index),
        );
        let ident = plain_name(&entity.ident);
        let about = format!("The vector index `{}` of `{ident}`.", index.stored);
        let fields = format!(
            "The fields by which a search of `{}` can filter.",
            index.stored
        );
        beside(&entity.krate, |_| {
            code! {
                #[doc = #about]
                #[derive(::core::fmt::Debug)]
                #vis struct #name;

                #[doc = #fields]
                #[derive(::core::fmt::Debug)]
                #vis struct #filters;
            }
        })
    });
    code!(#(#types)*)
}

/// The functions, and the traits of the types.
pub(super) fn expand(entity: &Entity) -> TokenStream {
    let Some(first) = entity.vectors.first() else {
        return TokenStream::new();
    };
    let krate = &entity.krate;
    let needed = quote_spanned!(first.name.span()=> #krate::__needs_vectors!(););
    let indexes = entity
        .vectors
        .iter()
        .map(|index| expand_index(entity, index));
    code!(#needed #(#indexes)*)
}

fn expand_index(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let ident = &entity.ident;
    let (name, filters) = (index_type(entity, index), filters_type(entity, index));
    let definition = definition(entity, index);
    let score = match index.distance {
        Distance::Cosine | Distance::Euclidean => code!(__d::Distance),
        Distance::DotProduct => code!(__d::Similarity),
    };
    // An index returns the vector only to a search that lists the attributes, and `rest` has no list.
    let lists_all = matches!(index.project, IndexProjection::All)
        && entity
            .fields
            .iter()
            .all(|field| field.role != FieldRole::Rest);
    let (start, partition) = match &index.within {
        None => (code!(__d::WholeIndex), None),
        Some(used) => (
            code!(__d::NoPartition),
            Some(partition(entity, &name, used)),
        ),
    };
    let methods = entity.fields.iter().enumerate().filter_map(|(at, field)| {
        let is_filter = index.filters.iter().any(|used| used.at == at);
        filter_method(entity, at, field, is_filter)
    });
    let constructor = constructor(entity, index);
    let checks = checks(entity, index);
    code! {
        impl __d::VectorIndex for #name {
            type Entity = #ident;
            type Rows = __d::RowsHold<#lists_all>;
            type Score = #score;
            type Filters = #filters;
            type Start = #start;

            const FILTERS: &'static #filters = &#filters;
            const INDEX: &'static __d::VectorDef = &#definition;
        }

        #partition

        impl #filters { #(#methods)* }

        #constructor
        #checks
    }
}

/// The declarations as data.
pub(super) fn models(entity: &Entity) -> TokenStream {
    let indexes = entity.vectors.iter().map(|index| {
        let name = index_type(entity, index);
        code!(<#name as __d::VectorIndex>::INDEX)
    });
    code!(&[#(#indexes),*])
}

fn definition(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let (name, stored) = (plain_name(&index.name), &index.stored);
    let field = &entity.fields[index.field.at];
    let (field_name, attribute) = (plain_name(&field.ident), &field.stored);
    let dimensions = of(&field.ty, &code!(VectorField), "DIMENSIONS");
    let distance = variant("DistanceFunction", index.distance);
    let part = |used: &FieldUse| {
        let field = &entity.fields[used.at];
        let (name, attribute) = (plain_name(&field.ident), &field.stored);
        let ty = of(&field.ty, &code!(SearchKey), "TYPE");
        code!(__d::VectorKeyDef { field: #name, attribute: #attribute, ty: #ty })
    };
    let within = option(index.within.as_ref().map(part));
    let filters = index.filters.iter().map(part);
    let project = match &index.project {
        IndexProjection::All => code!(__d::Projection::All),
        IndexProjection::Keys => code!(__d::Projection::Keys),
        IndexProjection::Only(fields) => {
            let names = fields.iter().map(|field| &entity.fields[*field].stored);
            code!(__d::Projection::Include(&[#(#names),*]))
        }
    };
    code! {
        __d::VectorDef {
            name: #name,
            index: #stored,
            field: #field_name,
            attribute: #attribute,
            dimensions: #dimensions,
            distance: #distance,
            within: #within,
            filters: &[#(#filters),*],
            project: #project,
        }
    }
}

/// The path of the field that each search names.
fn partition(entity: &Entity, name: &Ident, used: &FieldUse) -> TokenStream {
    let PathCode { ty, path, .. } = path(entity, used.at);
    code! {
        impl __d::PartitionedIndex for #name {
            type Path = #ty;

            fn partition_path() -> #ty {
                #path
            }
        }
    }
}

fn path(entity: &Entity, at: usize) -> PathCode {
    let (ident, field) = (&entity.ident, &entity.fields[at]);
    let (usage, stored) = (usage(entity, at), &field.stored);
    field_path::path(
        field,
        key_use(entity, at),
        &code!(#ident),
        &usage,
        &code!(__d::Place::of(#stored)),
    )
}

/// The method of a field by which searches filter. Others have one for the message of the compiler.
fn filter_method(
    entity: &Entity,
    at: usize,
    field: &Field,
    is_filter: bool,
) -> Option<TokenStream> {
    let (vis, ident, owner) = (&field.vis, &field.ident, &entity.ident);
    if !is_filter {
        return Some(code! {
            #[doc(hidden)]
            #vis fn #ident(&self) -> __d::OutsideIndex<#owner>
            where
                for<'x> __d::OutsideIndex<#owner>: __d::FilteredBy<'x>,
            {
                __d::OutsideIndex::of_field()
            }
        });
    }
    let PathCode { ty, path, bound } = path(entity, at);
    let doc = format!("Filters by `{}`.", plain_name(ident));
    Some(code! {
        #[doc = #doc]
        #vis fn #ident(&self) -> __d::SearchField<#ty> #bound {
            __d::SearchField::new(#path)
        }
    })
}

/// `Document::similar(&vector, 10)`
fn constructor(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let (ident, vis, function) = (&entity.ident, &entity.vis, &index.name);
    let name = index_type(entity, index);
    let field = &entity.fields[index.field.at];
    let vector = aliased("VectorOf", &field.ty);
    let doc = doc(entity, index);
    code! {
        impl #ident {
            #[doc = #doc]
            #vis fn #function(vector: &#vector, count: usize) -> __d::IndexSearch<#name> {
                __d::Search::of_index(vector.as_slice(), count)
            }
        }
    }
}

fn doc(entity: &Entity, index: &VectorIndex) -> String {
    let (ident, name) = (plain_name(&entity.ident), plain_name(&index.name));
    let order = match index.distance {
        Distance::Cosine => "cosine distance, the smallest first",
        Distance::Euclidean => "Euclidean distance, the smallest first",
        Distance::DotProduct => "dot product, the largest first",
    };
    let within = index.within.as_ref().map(|used| {
        let field = plain_name(&entity.fields[used.at].ident);
        format!(".within({field})")
    });
    format!(
        "Finds the `count` items of `{ident}` whose vectors are nearest to this one, by the {order}. At most 100; see \
         {search}.\n\n```text\nlet hits = {ident}::{name}(&vector, 10){within}.send(&db).await?;\n```",
        within = within.unwrap_or_default(),
        search = linked(&entity.krate, "`Search`", "search::Search"),
    )
}

/// The length of a vector is known to the compiler only.
fn checks(entity: &Entity, index: &VectorIndex) -> TokenStream {
    let field = &entity.fields[index.field.at];
    let dimensions = of(&field.ty, &code!(VectorField), "DIMENSIONS");
    let message = format!(
        "`{}` is in a vector index, whose vectors have 1 to {MOST_NUMBERS} numbers; write a `Vector` of that length",
        field.ident
    );
    check(
        field.ty.span(),
        &code!(#dimensions >= 1 && #dimensions <= #MOST_NUMBERS),
        &message,
    )
}

/// `DocumentSimilar`
fn index_type(entity: &Entity, index: &VectorIndex) -> Ident {
    let function = plain_name(&index.name);
    let words = function.split('_').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    format_ident!(
        "{}{}",
        plain_name(&entity.ident),
        words.collect::<String>(),
        span = index.name.span()
    )
}

/// `DocumentSimilarFilters`
fn filters_type(entity: &Entity, index: &VectorIndex) -> Ident {
    format_ident!("{}Filters", index_type(entity, index))
}
