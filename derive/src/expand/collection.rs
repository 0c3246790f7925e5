//! `#[derive(DynamoCollection)]`.

use proc_macro2::TokenStream;
use quote::format_ident;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::tokens::{call, check, hidden, of, plain_name, shown};
use crate::model::{Collection, CollectionVariant, Partition};

pub(crate) fn expand(collection: &Collection) -> TokenStream {
    let ident = &collection.ident;
    let reads = match &collection.partition {
        Some(partition) => in_partition(collection, partition),
        None => code!(impl __d::CoversTable for #ident {}),
    };
    let implementation = implementation(collection);
    let checks = checks(collection);
    let body = code! {
        #reads
        #implementation
        #checks
    };
    hidden(&collection.krate, &body)
}

fn entities(collection: &Collection) -> impl Iterator<Item = &CollectionVariant> {
    let variants = collection.variants.iter();
    variants.filter(|variant| variant.other.is_none())
}

fn ask(variant: &CollectionVariant, item: &str) -> TokenStream {
    of(&variant.ty, &code!(EntityContract), item)
}

/// Makes `Account::in_partition(user_id)`. The first entity gives the types of its parameters.
fn in_partition(collection: &Collection, partition: &Partition) -> TokenStream {
    let (ident, vis, parts) = (&collection.ident, &collection.vis, &partition.parts);
    // A type that is no entity is reported where it is named, and not at each call.
    let first = entities(collection)
        .next()
        .map(|variant| ask(variant, "This"));
    let numbered = |letter: &str| {
        let names = (0..parts.len()).map(|at| format_ident!("{letter}{at}"));
        names.collect::<Vec<_>>()
    };
    let (types, numbers) = (numbered("__A"), numbered("__N"));
    let bounds: Vec<_> = (types.iter().zip(&numbers).enumerate())
        .map(|(at, (ty, number))| code!(__d::PartitionArg<#at, #ty, #number>))
        .collect();
    let doc = format!("All of `{ident}` in one partition, in the order of the sort key.");
    code! {
        impl #ident {
            #[doc = #doc]
            #vis fn in_partition<#(#types,)* #(#numbers),*>(#(#parts: #types),*) -> __d::Query<#ident, __d::InTable>
            where
                #(#first: #bounds),*
            {
                __d::in_partition([#(<#first as #bounds>::values(#parts)),*])
            }
        }
    }
}

fn implementation(collection: &Collection) -> TokenStream {
    let (ident, name) = (&collection.ident, plain_name(&collection.ident));
    let table = of(&collection.table, &code!(DynamoTable), "This");
    let variants = entities(collection).map(variant);
    let first = entities(collection)
        .next()
        .map(|variant| (ask(variant, "ENTITY"), ask(variant, "write_partition")));
    let (first, write) = first.unzip();
    let other = collection.variants.iter().find(|v| v.other.is_some());
    let made = match other {
        Some(CollectionVariant { ident, ty, .. }) => {
            let made = call(ty, &code!(OtherVariant), "from_other", code!(item));
            code!(::core::option::Option::Some(|item| Self::#ident(#made)))
        }
        None => code!(::core::option::Option::None),
    };
    let items = collection.variants.iter().map(|variant| {
        let (ident, ty) = (&variant.ident, &variant.ty);
        let item = match variant.other {
            Some(_) => call(ty, &code!(OtherVariant), "to_other", code!(held)),
            None => call(ty, &code!(DynamoEntity), "__item", code!(held)),
        };
        code!(Self::#ident(held) => #item)
    });
    code! {
        impl __d::DynamoCollection for #ident {}

        impl __d::CollectionContract for #ident {
            type Table = #table;
            const NAME: &'static str = #name;
            const VARIANTS: &'static [__d::Variant<Self>] = &[#(#variants),*];
            const FIRST: &'static __d::EntityDef = &#first;
            const OTHER: ::core::option::Option<fn(__d::Item) -> Self> = #made;

            fn write_partition(
                parts: &[&__d::GivenPart],
                shard: __d::Shard,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                #write(parts, shard, writer)
            }

            fn stored_item(&self) -> __d::Result<__d::Item> {
                match self { #(#items),* }
            }
        }
    }
}

/// How an item of one entity is recognized and read.
fn variant(variant: &CollectionVariant) -> TokenStream {
    let (ident, entity) = (&variant.ident, ask(variant, "ENTITY"));
    let read = call(&variant.ty, &code!(DynamoEntity), "__read", code!(json));
    code! {
        __d::Variant::new(&#entity, |json| #read.map(Self::#ident))
    }
}

// --- what only the compiler can check

fn checks(collection: &Collection) -> TokenStream {
    let mut checks = Vec::new();
    let all: Vec<_> = entities(collection).collect();
    for (at, variant) in all.iter().enumerate() {
        checks.push(of_the_table(collection, variant));
        for earlier in all.iter().take(at) {
            checks.push(differ(earlier, variant));
        }
    }
    if let (Some(partition), Some((first, others))) = (&collection.partition, all.split_first()) {
        checks.extend(names(partition, first));
        let others = others.iter();
        checks.extend(others.map(|other| share_partitions(collection, first, other)));
    }
    code!(#(#checks)*)
}

/// All entities belong to the table that is named.
fn of_the_table(collection: &Collection, variant: &CollectionVariant) -> TokenStream {
    let (ident, table) = (&collection.ident, &collection.table);
    let named = of(&variant.ty, &code!(DynamoEntity), "__TABLE_ID");
    let def = of(table, &code!(DynamoTable), "TABLE");
    let (entity, table) = (shown(&variant.ty), shown(table));
    check(
        variant.ty.span(),
        &code!(__d::is_table(&#def, #named)),
        &format!(
            "`{entity}` is not in the table `{table}`: remove it from `{ident}`, or write `table = {table}` on it"
        ),
    )
}

/// Two variants hold different entities, under whatever names.
fn differ(earlier: &CollectionVariant, variant: &CollectionVariant) -> TokenStream {
    let (a, b) = (ask(earlier, "ENTITY"), ask(variant, "ENTITY"));
    let (ty, first) = (shown(&variant.ty), &earlier.ident);
    check(
        variant.ty.span(),
        &code!(!__d::same_entity(&#a, &#b)),
        &format!("`{ty}` is the variant `{first}` already; keep one"),
    )
}

/// All entities can stand in one partition.
fn share_partitions(
    collection: &Collection,
    first: &CollectionVariant,
    other: &CollectionVariant,
) -> TokenStream {
    let (a, b) = (ask(first, "ENTITY"), ask(other, "ENTITY"));
    let (one, two, ident) = (shown(&first.ty), shown(&other.ty), &collection.ident);
    check(
        other.ty.span(),
        &code!(__d::same_partition(&#a, &#b)),
        &format!(
            "`{one}` and `{two}` have different partition keys, and `{ident}` is of one partition: give both the same template for `pk`, or leave `partition(..)` out"
        ),
    )
}

/// The parameters have the names of the parts, and no part is left out.
fn names(partition: &Partition, first: &CollectionVariant) -> Vec<TokenStream> {
    let (def, entity) = (ask(first, "ENTITY"), shown(&first.ty));
    let parts = partition.parts.iter().enumerate();
    let mut checks: Vec<_> = parts
        .map(|(at, part)| {
            let name = part.unraw().to_string();
            check(
                part.span(),
                &code!(__d::is_part(&#def, #at, #name)),
                &format!("`{name}` is not what stands here in the partition key of `{entity}`: name its fields, in the order of its template"),
            )
        })
        .collect();
    let count = partition.parts.len();
    checks.push(check(
        partition.span,
        &code!(__d::has_at_most(&#def, #count)),
        &format!("the partition key of `{entity}` has more parts: name all of its fields, in the order of its template"),
    ));
    checks
}
