//! Impls without content, for declarations with mistakes, so that uses of the type elsewhere do not add messages of
//! their own.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::format_ident;
use syn::{DeriveInput, Ident, Visibility, parse_quote};

use super::tokens::{beside, hidden, plain_name};
use super::{path, query_part, repository};
use crate::model::{Field, FieldRole, Value, ValueShape};
use crate::parse::hint::{self, EntityHint};
use crate::parse::krate;

/// A type with parameters gets no stub, because the impl would be another mistake.
fn without_parameters(input: &DeriveInput) -> Option<()> {
    input.generics.params.is_empty().then_some(())
}

/// The parameters of a function that takes anything.
fn arguments(count: usize) -> TokenStream {
    let arguments = (0..count).map(|at| format_ident!("part_{at}"));
    code!(#(#arguments: impl ::core::marker::Sized),*)
}

/// An entity that is in every table. Its key has as many parts as were written.
pub(crate) fn entity(input: DeriveInput) -> Option<TokenStream> {
    without_parameters(&input)?;
    let (hint, krate) = (hint::entity(&input), krate::read(&input.attrs));
    let (ident, vis) = (&input.ident, &input.vis);
    let fields = hint::paths(input.data).unwrap_or_default();
    let is_versioned = fields.iter().any(|field| field.role == FieldRole::Version);
    let paths = format_ident!("PathsOf{}", plain_name(ident));
    let path_code = path::fallback(vis, ident, &fields, &paths);
    let parts = arguments(hint.key_parts);
    let contract = entity_contract(ident, is_versioned, &paths);
    let queries = queries(ident, vis, &hint);
    let searches = searches(ident, vis, &hint, &fields);
    let body = code! {
        #path_code

        impl __d::DynamoTable for #ident {
            type This = Self;
            type Unguarded = __d::Unconditional;
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }

        impl #ident {
            #vis fn key(#parts) -> __d::Key<#ident> {
                __d::Key::from_parts(__d::Fallback::parts())
            }
        }

        #[doc(hidden)]
        impl<const __AT: usize, __A, __N> __d::PartitionArg<__AT, __A, __N> for #ident {
            fn values(_: __A) -> __d::Vec<__d::GivenPart> {
                __d::Vec::new()
            }
        }

        #contract
        #queries
        #searches
    };
    let repository = hint.repository.as_ref();
    let repository =
        repository.map(|name| repository::alias(&krate, vis, ident, name, hint.append_only));
    let stages = beside(&krate, |library| stages(ident, vis, &hint, library));
    let hidden = hidden(&krate, &body);
    Some(code!(#repository #stages #hidden))
}

/// Creates the types for stages, of whole rows and of keys, and all names of stages for these. They are defined
/// beside the entity, where programs name them.
fn stages(
    ident: &Ident,
    vis: &Visibility,
    hint: &EntityHint,
    library: &TokenStream,
) -> TokenStream {
    let mut names = HashSet::new();
    let stages = hint.patterns.iter().flat_map(|pattern| {
        // A function of the user may name any of these types in its signature, and each missing one
        // would be another message.
        let names = (0..pattern.sort_parts.len()).map(|at| {
            let part = pattern.sort_parts.get(at).filter(|_| at > 0);
            query_part::stage_name(ident, &pattern.name, part)
        });
        names.map(|name| (name, stage_name(ident, pattern.whole)))
    });
    let stages = stages.filter(|(name, _)| names.insert(name.clone()));
    let stages = stages.map(|(name, stage)| code!(#vis type #name = #stage;));
    let bases = [true, false].map(|whole| stage_name(ident, whole));
    code! {
        #(
            #[doc(hidden)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #vis struct #bases(#library::KeyDraft);
        )*
        #(#stages)*
    }
}

/// Makes the constructors of queries and look-ups, and stages that have all parts of all sort keys.
fn queries(ident: &Ident, vis: &Visibility, hint: &EntityHint) -> TokenStream {
    let stages = [true, false].map(|whole| (whole, stage_name(ident, whole)));
    let stages = stages.map(|(whole, stage)| {
        let parts = hint.sort_parts.iter().map(|part| {
            code! {
                #vis fn #part(self) -> __d::FallbackPart<Self> {
                    __d::FallbackPart(self)
                }
            }
        });
        code! {
            impl #stage { #(#parts)* }

            impl __d::QueryStage for #stage {
                type Entity = #ident;
                type Rows = __d::RowsHold<#whole>;
                type Reach = __d::InTable;

                fn of(draft: __d::KeyDraft) -> Self {
                    Self(draft)
                }

                fn draft(self) -> __d::KeyDraft {
                    self.0
                }
            }
        }
    });
    let function = |name: &Ident, parts: usize, made: TokenStream| {
        let parts = arguments(parts);
        code!(#vis fn #name(#parts) -> #made { loop {} })
    };
    let patterns = hint.patterns.iter().map(|pattern| {
        let stage = stage_name(ident, pattern.whole);
        function(&pattern.name, pattern.parts, code!(#stage))
    });
    let look_ups = hint.look_ups.iter();
    let look_ups = look_ups.map(|(name, parts)| function(name, *parts, code!(__d::LookUp<#ident>)));
    code! {
        #(#stages)*

        impl #ident {
            #(#patterns)*
            #(#look_ups)*
        }
    }
}

/// Makes the functions of searches, which accept every value and every filter.
fn searches(ident: &Ident, vis: &Visibility, hint: &EntityHint, fields: &[Field]) -> TokenStream {
    if hint.searches.is_empty() {
        return TokenStream::new();
    }
    let filters = format_ident!("__FiltersOf{}", plain_name(ident));
    let methods = fields.iter().map(|field| {
        let (vis, name) = (&field.vis, &field.ident);
        code! {
            #vis fn #name(&self) -> __d::FallbackPart<()> {
                __d::FallbackPart(())
            }
        }
    });
    let functions = hint.searches.iter().map(|search| {
        let (name, arguments) = (&search.name, arguments(2));
        let row = match search.whole {
            true => code!(#ident),
            false => code!(__d::Key<#ident>),
        };
        let score = match search.by_product {
            true => code!(__d::FallbackSimilarity),
            false => code!(__d::FallbackDistance),
        };
        code! {
            #vis fn #name(#arguments) -> __d::FallbackSearch<#ident, #filters, #row, #score> {
                __d::FallbackSearch::of_mistake()
            }
        }
    });
    code! {
        #[derive(::core::default::Default)]
        #vis struct #filters;

        impl #filters { #(#methods)* }

        impl #ident { #(#functions)* }
    }
}

/// Names a stage of queries, of whole rows or of keys.
fn stage_name(ident: &Ident, whole: bool) -> Ident {
    let rows = if whole { "Rows" } else { "Keys" };
    format_ident!("__{rows}Of{}", plain_name(ident))
}

/// Creates the contract of an entity. It is versioned if the declaration was, because guards have different methods
/// then.
fn entity_contract(ident: &Ident, is_versioned: bool, paths: &Ident) -> TokenStream {
    let guard = if is_versioned {
        code!(__d::Versioned)
    } else {
        code!(__d::Unconditional)
    };
    code! {
        impl __d::DynamoEntity for #ident {
            type Table = Self;
            type KeyParts = __d::Fallback<Self>;
            type Guard = #guard;
            type Unguarded = __d::Unconditional;
            type Paths = #paths;
        }

        impl __d::EntityContract for #ident {
            type Held = __d::Fallback<Self>;
            type This = Self;
            type Fields = ();
            type SortParts = ();
            const SORT_PARTS: &'static () = &();
            const ENTITY: __d::EntityDef = __d::FALLBACK_ENTITY;

            fn key_parts(&self) -> __d::Fallback<Self> {
                __d::Fallback::parts()
            }

            fn encode(&self, _: &__d::ManagedValues, _: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                __d::fallback()
            }

            fn decode(_: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                __d::fallback()
            }
        }
    }
}

/// A collection without entities, of a partition and of a table.
pub(crate) fn collection(input: DeriveInput) -> Option<TokenStream> {
    without_parameters(&input)?;
    let (ident, vis) = (&input.ident, &input.vis);
    let parts = arguments(hint::partition_parts(&input));
    let body = code! {
        impl __d::CoversTable for #ident {}

        impl #ident {
            #vis fn in_partition(#parts) -> __d::Query<#ident, __d::InTable> {
                __d::in_partition([])
            }
        }

        impl __d::DynamoCollection for #ident {}

        impl __d::AllChangeable for #ident {}

        impl __d::CollectionContract for #ident {
            type Table = __d::NoTable;
            const NAME: &'static str = "";
            const VARIANTS: &'static [__d::Variant<Self>] = &[];
            const FIRST: &'static __d::EntityDef = &__d::FALLBACK_ENTITY;
            const OTHER: ::core::option::Option<fn(__d::Item) -> Self> = ::core::option::Option::None;

            fn stored_item(&self) -> __d::Result<__d::Item> {
                ::core::result::Result::Ok(__d::Item::new())
            }
        }
    };
    Some(hidden(&krate::read(&input.attrs), &body))
}

/// A table with the indexes that were named.
pub(crate) fn table(input: DeriveInput) -> Option<TokenStream> {
    without_parameters(&input)?;
    let (ident, vis, indexes) = (&input.ident, &input.vis, hint::indexes(&input));
    let body = code! {
        impl #ident { #(#vis const #indexes: __d::IndexDef = __d::FALLBACK_INDEX;)* }

        impl __d::AllChangeable for #ident {}

        impl __d::DynamoTable for #ident {
            type This = Self;
            type Unguarded = __d::Unconditional;
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }
    };
    Some(hidden(&krate::read(&input.attrs), &body))
}

/// A value that can be used anywhere.
pub(crate) fn value(input: DeriveInput) -> Option<TokenStream> {
    // The generated path takes type parameters only. A lifetime or a constant is a mistake that has been reported.
    let fields = match input.generics.params.len() == input.generics.type_params().count() {
        true => hint::paths(input.data),
        false => None,
    };
    let value = Value {
        krate: krate::read(&input.attrs),
        doc: String::new(),
        vis: input.vis,
        ident: input.ident,
        generics: input.generics,
        shape: ValueShape::Newtype(parse_quote!(::std::string::String)),
    };
    Some(super::value::stub(&value, fields.as_deref()))
}

/// Creates nothing: a projection is named where its rows are used, and only that is reported.
pub(crate) fn projection(_: DeriveInput) -> Option<TokenStream> {
    None
}
