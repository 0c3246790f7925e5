//! Impls without content, for declarations with mistakes.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::format_ident;
use syn::{Generics, Ident, ImplGenerics, TypeGenerics, Visibility};

use super::tokens::{beside, bounds, hidden, plain_name};
use super::{path, query, repository};
use crate::model::Field;
use crate::model::hint::{CollectionHint, EntityHint, TableHint, ValueHint};

/// An entity that is in every table. Its key has as many parts as were written.
pub(crate) fn entity(
    ident: &Ident,
    vis: &Visibility,
    hint: &EntityHint,
    fields: &[Field],
) -> TokenStream {
    let paths = format_ident!("PathsOf{}", plain_name(ident));
    let path_code = path::fallback(vis, ident, fields, &paths);
    let parts = (0..hint.key_parts).map(|at| format_ident!("part_{at}"));
    let contract = entity_contract(ident, hint, &paths);
    let queries = queries(ident, vis, hint);
    let stages = stages(ident, vis, hint);
    let body = code! {
        #path_code

        impl __d::DynamoTable for #ident {
            type This = Self;
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }

        impl #ident {
            #vis fn key(#(#parts: impl ::core::marker::Sized),*) -> __d::Key<#ident> {
                __d::Key::from_parts(__d::Fallback::parts())
            }
        }

        impl<const __AT: usize, __A, __N> __d::PartitionArg<__AT, __A, __N> for #ident {
            fn values(_: __A) -> __d::Vec<__d::GivenPart> {
                __d::Vec::new()
            }
        }

        #contract
        #queries
    };
    let repository = hint.repository.as_ref();
    let repository =
        repository.map(|name| repository::alias(&hint.krate, vis, ident, name, hint.append_only));
    let hidden = hidden(&hint.krate, &body);
    code!(#repository #stages #hidden)
}

/// Creates the types for stages, of whole rows and of keys, and all names of stages for these. They are defined
/// beside the entity, where programs name them.
fn stages(ident: &Ident, vis: &Visibility, hint: &EntityHint) -> TokenStream {
    let mut names = HashSet::new();
    let stages = hint.patterns.iter().flat_map(|pattern| {
        let names = (0..pattern.sort_parts.len()).map(|at| {
            let part = pattern.sort_parts.get(at).filter(|_| at > 0);
            query::stage_name(ident, &pattern.name, part)
        });
        names.map(|name| (name, stage_name(ident, pattern.whole)))
    });
    let stages = stages.filter(|(name, _)| names.insert(name.clone()));
    let stages = stages.map(|(name, stage)| code!(#vis type #name = #stage;));
    let bases = [true, false].map(|whole| stage_name(ident, whole));
    beside(&hint.krate, |library| {
        code! {
            #(
                #[doc(hidden)]
                #[derive(::core::clone::Clone, ::core::fmt::Debug)]
                #vis struct #bases(#library::KeyDraft);
            )*
            #(#stages)*
        }
    })
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
    let arguments = |parts: usize| (0..parts).map(|at| format_ident!("part_{at}"));
    let patterns = hint.patterns.iter().map(|pattern| {
        let (name, arguments) = (&pattern.name, arguments(pattern.parts));
        let stage = stage_name(ident, pattern.whole);
        code! {
            #vis fn #name(#(#arguments: impl ::core::marker::Sized),*) -> #stage {
                loop {}
            }
        }
    });
    let look_ups = hint.look_ups.iter().map(|(name, parts)| {
        let arguments = arguments(*parts);
        code! {
            #vis fn #name(#(#arguments: impl ::core::marker::Sized),*) -> __d::LookUp<#ident> {
                loop {}
            }
        }
    });
    code! {
        #(#stages)*

        impl #ident {
            #(#patterns)*
            #(#look_ups)*
        }
    }
}

/// Names a stage of queries, of whole rows or of keys.
fn stage_name(ident: &Ident, whole: bool) -> Ident {
    let rows = if whole { "Rows" } else { "Keys" };
    format_ident!("__{rows}Of{}", plain_name(ident))
}

/// Creates the contract of an entity. It is versioned if the declaration was, because guards have different methods
/// then.
fn entity_contract(ident: &Ident, hint: &EntityHint, paths: &Ident) -> TokenStream {
    let guard = if hint.versioned {
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

            fn encode(&self, _: &__d::Stamp, _: &mut __d::Writer) -> ::core::result::Result<(), __d::CodecError> {
                __d::fallback()
            }

            fn decode(_: &mut __d::Reader<'_>) -> ::core::result::Result<Self, __d::CodecError> {
                __d::fallback()
            }
        }
    }
}

/// A collection without entities, of a partition and of a table.
pub(crate) fn collection(ident: &Ident, vis: &Visibility, hint: &CollectionHint) -> TokenStream {
    let parts = (0..hint.partition).map(|at| format_ident!("part_{at}"));
    let body = code! {
        impl __d::CoversTable for #ident {}

        impl #ident {
            #vis fn in_partition(#(#parts: impl ::core::marker::Sized),*) -> __d::Query<#ident, __d::InTable> {
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
    hidden(&hint.krate, &body)
}

/// A table with the indexes that were named.
pub(crate) fn table(ident: &Ident, vis: &Visibility, hint: &TableHint) -> TokenStream {
    let indexes = &hint.indexes;
    let body = code! {
        impl #ident { #(#vis const #indexes: __d::IndexDef = __d::FALLBACK_INDEX;)* }

        impl __d::AllChangeable for #ident {}

        impl __d::DynamoTable for #ident {
            type This = Self;
            const TABLE: __d::TableDef = __d::FALLBACK_TABLE;
            const ENTITIES: &'static [&'static __d::EntityDef] = &[];
        }
    };
    hidden(&hint.krate, &body)
}

/// A value that can be used anywhere.
pub(crate) fn value(
    vis: &Visibility,
    ident: &Ident,
    generics: &Generics,
    hint: &ValueHint,
    fields: Option<&[Field]>,
) -> TokenStream {
    let paths = fields.map(|fields| path::value(vis, ident, generics, fields));
    let path = match &paths {
        Some(_) => {
            let (path, params) = (path::value_path(ident), generics.type_params());
            let params = params.map(|param| &param.ident);
            code!(#path<__Root, __Mode #(, #params)*>)
        }
        None => code!(__d::Path<__Root, Self, __Mode>),
    };
    let stub = ValueStub::of(ident, generics);
    let value = stub.value(&path);
    let (element, map_key) = (stub.set_element(), stub.map_key());
    let (part, padded) = (stub.key_part(), stub.padded());
    let (numeric, textual) = (stub.numeric(), stub.textual());
    let key_value = stub.key_value();
    let body = code! {
        #paths
        #value
        #element
        #map_key
        #part
        #padded
        #numeric
        #textual
        #key_value
    };
    hidden(&hint.krate, &body)
}

/// The common part of the impls of a value with mistakes.
struct ValueStub<'a> {
    ident: &'a Ident,
    with: ImplGenerics<'a>,
    types: TypeGenerics<'a>,
    /// The bounds of the type itself.
    own: TokenStream,
    /// These bounds, and that its parameters are values.
    values: TokenStream,
    /// The return type of functions that write, and then that of functions that read.
    done: TokenStream,
    made: TokenStream,
    /// A function body that is never run.
    fallback: TokenStream,
}

impl<'a> ValueStub<'a> {
    fn of(ident: &'a Ident, generics: &'a Generics) -> Self {
        let (with, types, _) = generics.split_for_impl();
        let own = generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates);
        let result = |of: TokenStream| code!(::core::result::Result<#of, __d::CodecError>);
        ValueStub {
            ident,
            with,
            types,
            own: code!(where #(#own,)*),
            values: bounds(generics, &code!(__d::DynamoValue)),
            done: result(code!(())),
            made: result(code!(Self)),
            fallback: code!({ __d::fallback() }),
        }
    }

    /// Makes `impl<T> Contract for Wrapper<T> where .. { body }`.
    fn implement(
        &self,
        contract: TokenStream,
        bounds: &TokenStream,
        body: TokenStream,
    ) -> TokenStream {
        let ValueStub {
            ident, with, types, ..
        } = self;
        code! {
            impl #with __d::#contract for #ident #types #bounds { #body }
        }
    }

    fn value(&self, path: &TokenStream) -> TokenStream {
        let ValueStub {
            done,
            made,
            fallback,
            ..
        } = self;
        let body = code! {
            type Path<__Root, __Mode: __d::Mode> = #path;

            fn encode(&self, _: &mut __d::Writer) -> #done #fallback
            fn decode(_: &mut __d::Reader<'_>) -> #made #fallback
        };
        self.implement(code!(DynamoValue), &self.values, body)
    }

    fn set_element(&self) -> TokenStream {
        let ValueStub {
            done,
            made,
            fallback,
            ..
        } = self;
        let body = code! {
            const TAG: __d::Tag = __d::Tag::Ss;
            fn write_element(&self, _: &mut __d::Writer) -> #done #fallback
            fn read_element(_: &mut __d::Reader<'_>) -> #made #fallback
        };
        self.implement(code!(SetElement), &self.own, body)
    }

    fn map_key(&self) -> TokenStream {
        let body = code! {
            fn to_map_key(&self) -> __d::Cow<'_, str> {
                __d::Cow::Borrowed("")
            }
            fn from_map_key(_: &str) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
        };
        self.implement(code!(MapKey), &self.own, body)
    }

    fn key_part(&self) -> TokenStream {
        let ValueStub { done, fallback, .. } = self;
        let body = code! {
            const WIDTH: __d::Width = __d::Width::Fixed(0);
            fn write_part(&self, _: &mut __d::PartWriter<'_>) -> #done #fallback
            fn parse_part(_: &__d::PartText<'_>) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
            fn to_part(&self) -> Self {
                loop {}
            }
        };
        self.implement(code!(KeyPart), &self.own, body)
    }

    fn padded(&self) -> TokenStream {
        self.implement(code!(Padded), &self.own, TokenStream::new())
    }

    fn numeric(&self) -> TokenStream {
        let fallback = &self.fallback;
        let body = code! {
            fn zero() -> Self {
                loop {}
            }
            fn sum_bound(&self, _: bool, _: &Self) -> ::core::result::Result<::core::option::Option<__d::SumBound>, __d::CodecError> #fallback
            fn half_range() -> ::core::result::Result<::core::option::Option<__d::SumRange>, __d::CodecError> {
                loop {}
            }
        };
        self.implement(code!(Numeric), &self.values, body)
    }

    fn textual(&self) -> TokenStream {
        let body = code! {
            type Slice = str;
            fn write_slice(_: &str, _: &mut __d::Writer) {}
        };
        self.implement(code!(Textual), &self.own, body)
    }

    fn key_value(&self) -> TokenStream {
        let ValueStub {
            done,
            made,
            fallback,
            ..
        } = self;
        let body = code! {
            const TYPE: __d::KeyType = __d::KeyType::S;
            fn to_key(&self) -> Self {
                loop {}
            }
            fn encode_key(&self, _: &__d::Name, _: __d::Role, _: &mut __d::Writer) -> #done #fallback
            fn encode_bound(&self, _: &mut __d::Writer) -> #done #fallback
            fn decode_key(_: &mut __d::Reader<'_>) -> #made #fallback
        };
        self.implement(code!(KeyValue), &self.own, body)
    }
}
