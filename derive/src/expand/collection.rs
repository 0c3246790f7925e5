//! `#[derive(DynamoCollection)]`.

use proc_macro2::TokenStream;
use quote::format_ident;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::attribute::declared_as;
use super::tokens::{
    all_changeable, call, check, hidden, linked, methods, of, option, plain_name, shown,
};
use crate::model::{Collection, CollectionVariant, Partition};

pub(crate) fn expand(collection: &Collection) -> TokenStream {
    let ident = &collection.ident;
    let reads = match &collection.partition {
        Some(partition) => in_partition(collection, partition),
        None => code!(impl __d::CoversTable for #ident {}),
    };
    let implementation = implementation(collection);
    let changeable = changeable(collection);
    let checks = checks(collection);
    let body = code! {
        #reads
        #implementation
        #changeable
        #checks
    };
    hidden(&collection.krate, &body)
}

fn ask(variant: &CollectionVariant, item: &str) -> TokenStream {
    of(&variant.ty, &code!(EntityContract), item)
}

/// Makes `Account::in_partition(user_id)`. The first entity gives the types of its parameters.
fn in_partition(collection: &Collection, partition: &Partition) -> TokenStream {
    let (ident, vis, parts) = (&collection.ident, &collection.vis, &partition.parts);
    // A type that is no entity is reported where it is named, and not at each call.
    let first = collection
        .entities()
        .next()
        .map(|variant| ask(variant, "This"));
    let numbered = |letter: &str| {
        let names = (0..parts.len()).map(|at| format_ident!("{letter}{at}"));
        names.collect::<Vec<_>>()
    };
    let (types, numbers) = (numbered("__A"), numbered("__N"));
    let bounds: Vec<_> = (types.iter().zip(&numbers).enumerate())
        .map(|(at, (ty, number))| {
            let at = part_number(collection, at);
            code!(__d::PartitionArg<#at, #ty, #number>)
        })
        .collect();
    let (doc, reach) = match &collection.index {
        None => (
            format!("All of `{ident}` in one partition, in the order of the sort key."),
            code!(__d::InTable),
        ),
        Some(index) => {
            let declared = declared_as(&collection.table, index);
            (
                format!(
                    "All of `{ident}` in one partition of the index `{}`, in the order of its sort key.",
                    plain_name(index)
                ),
                code!(<__d::IndexIsGlobal<{ __d::is_global(&#declared) }> as __d::ReachOfIndex>::Reach),
            )
        }
    };
    let entity = collection.entities().next();
    let entity = entity.map_or_else(String::new, |variant| shown(&variant.ty));
    let about = format!(
        "\nThe arguments are those of the access patterns of [`{entity}`]({entity}), one value each or several by {}. Each row \
         is one `{ident}`. The query has the operations of {}, such as {}, and the jobs of {}.",
        linked(&collection.krate, "`any_of`", "any_of"),
        linked(&collection.krate, "`QueryExt`", "QueryExt"),
        methods(
            &collection.krate,
            "QueryExt",
            &["page", "all", "stream", "limit"]
        ),
        linked(&collection.krate, "`BulkExt`", "BulkExt"),
    );
    code! {
        impl #ident {
            #[doc = #doc]
            #[doc = #about]
            #vis fn in_partition<#(#types,)* #(#numbers),*>(#(#parts: #types),*) -> __d::Query<#ident, #reach>
            where
                #(#first: #bounds),*
            {
                __d::in_partition([#(<#first as #bounds>::values(#parts)),*])
            }
        }
    }
}

/// Returns the number by which the first entity knows a part: of its own key, or of its key in the index.
fn part_number(collection: &Collection, at: usize) -> TokenStream {
    match (&collection.index, collection.entities().next()) {
        (Some(_), Some(first)) => {
            let (entity, index) = (ask(first, "ENTITY"), declared_index(collection));
            code!({ __d::part_number(&#entity, #index, #at) })
        }
        _ => code!(#at),
    }
}

/// Returns the index of the table as an `Option`.
fn declared_index(collection: &Collection) -> TokenStream {
    let index = collection.index.as_ref();
    let declared = index.map(|index| declared_as(&collection.table, index));
    option(declared.map(|declared| code!(&#declared)))
}

/// Allows deleting its rows if each of its entities may be changed. With a variant for other items these are all
/// entities of the table.
fn changeable(collection: &Collection) -> TokenStream {
    let types: Vec<_> = collection.entities().map(|variant| &variant.ty).collect();
    let has_other = types.len() < collection.variants.len();
    let others = has_other.then(|| {
        let table = &collection.table;
        code!(for<'__x> #table: __d::AllChangeableIn<'__x>)
    });
    all_changeable(&collection.ident, &types, others)
}

fn implementation(collection: &Collection) -> TokenStream {
    let (ident, name) = (&collection.ident, plain_name(&collection.ident));
    let table = of(&collection.table, &code!(DynamoTable), "This");
    let variants = collection.entities().map(variant);
    let first = collection
        .entities()
        .next()
        .map(|variant| (ask(variant, "ENTITY"), ask(variant, "This")));
    let (first, entity) = first.unzip();
    let index = declared_index(collection);
    let doc = &collection.doc;
    let partition_parts = option(collection.partition.as_ref().map(|partition| {
        let parts = partition.parts.iter().map(plain_name);
        code!(&[#(#parts),*])
    }));
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
            None => code!(__d::to_item::<#ty>(held)),
        };
        code!(Self::#ident(held) => #item)
    });
    code! {
        impl __d::DynamoCollection for #ident {}

        #[doc(hidden)]
        impl __d::CollectionContract for #ident {
            type Table = #table;
            const NAME: &'static str = #name;
            const VARIANTS: &'static [__d::Variant<Self>] = &[#(#variants),*];
            const FIRST: &'static __d::EntityDef = &#first;
            const INDEX: ::core::option::Option<&'static __d::EntityIndexDef> = __d::index_in(&#first, #index);
            const MODEL: __d::CollectionModel = __d::CollectionModel {
                doc: #doc,
                partition: #partition_parts,
            };
            const OTHER: ::core::option::Option<fn(__d::Item) -> Self> = #made;

            fn write_partition(
                parts: &[&__d::GivenPart],
                shard: __d::Shard,
                writer: &mut __d::Writer,
            ) -> ::core::result::Result<(), __d::CodecError> {
                __d::write_partition_in::<#entity>(Self::INDEX, parts, shard, writer)
            }

            fn stored_item(&self) -> __d::Result<__d::Item> {
                match self { #(#items),* }
            }
        }
    }
}

/// The code that recognizes and reads an item of one entity.
fn variant(variant: &CollectionVariant) -> TokenStream {
    let (ident, entity) = (&variant.ident, ask(variant, "ENTITY"));
    let ty = &variant.ty;
    code! {
        __d::Variant::new(&#entity, |json| __d::from_json::<#ty>(json).map(Self::#ident))
    }
}

// --- what only the compiler can check

fn checks(collection: &Collection) -> TokenStream {
    let mut checks = Vec::new();
    let all: Vec<_> = collection.entities().collect();
    for (at, variant) in all.iter().enumerate() {
        checks.push(of_the_table(collection, variant));
        checks.extend(in_the_index(collection, variant));
        checks.extend(is_filled(collection, variant));
        for earlier in all.iter().take(at) {
            checks.push(differ(earlier, variant));
        }
    }
    checks.extend(holds_all(collection));
    if let (Some(partition), Some((first, others))) = (&collection.partition, all.split_first()) {
        checks.extend(names(collection, partition, first));
        for other in others {
            checks.push(share_partitions(collection, first, other));
            checks.extend(share_shards(collection, first, other));
        }
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

/// All entities are in the index that is named.
fn in_the_index(collection: &Collection, variant: &CollectionVariant) -> Option<TokenStream> {
    let index = collection.index.as_ref()?;
    let (def, declared) = (ask(variant, "ENTITY"), declared_index(collection));
    let (entity, collection) = (shown(&variant.ty), &collection.ident);
    Some(check(
        variant.ty.span(),
        &code!(__d::is_in_index(&#def, #declared)),
        &format!(
            "`{entity}` is not in the index `{index}`: remove it from `{collection}`, or declare its keys there, `on = {index}`"
        ),
    ))
}

/// All entities have filled the index that is named.
fn is_filled(collection: &Collection, variant: &CollectionVariant) -> Option<TokenStream> {
    let index = collection.index.as_ref()?;
    let (def, declared) = (ask(variant, "ENTITY"), declared_index(collection));
    let (entity, collection) = (shown(&variant.ty), &collection.ident);
    Some(check(
        variant.ty.span(),
        &code!(__d::is_filled(&#def, #declared)),
        &format!(
            "`{entity}` is `filling` the index `{index}`, so `{collection}` would miss its old items: deploy the entity, fill \
             by `{entity}::scan().refill()`, check that `{entity}::scan().unfilled(&db)` is 0, and remove `filling`"
        ),
    ))
}

/// The rows of the index are whole items.
fn holds_all(collection: &Collection) -> Option<TokenStream> {
    let index = collection.index.as_ref()?;
    let declared = declared_as(&collection.table, index);
    let (table, ident) = (shown(&collection.table), &collection.ident);
    Some(check(
        index.span(),
        &code!(__d::holds_all(&#declared)),
        &format!(
            "the index `{index}` of `{table}` holds only a part of each item, and `{ident}` needs whole items: declare the index with `project = all`, or query each entity by its own access pattern and `hydrate()`"
        ),
    ))
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

/// All entities can be in one partition.
fn share_partitions(
    collection: &Collection,
    first: &CollectionVariant,
    other: &CollectionVariant,
) -> TokenStream {
    let (a, b) = (ask(first, "ENTITY"), ask(other, "ENTITY"));
    let (one, two, ident) = (shown(&first.ty), shown(&other.ty), &collection.ident);
    let index = declared_index(collection);
    let (place, way) = match &collection.index {
        Some(index) => (format!(" in the index `{index}`"), "remove one of them"),
        None => (String::new(), "remove `partition(..)`"),
    };
    check(
        other.ty.span(),
        &code!(__d::same_partition(&#a, &#b, #index)),
        &format!(
            "`{one}` and `{two}` have different partition keys{place}, and `{ident}` is of one partition: give both the same template for `pk`, or {way}"
        ),
    )
}

/// All entities are read from as many shards of the index.
fn share_shards(
    collection: &Collection,
    first: &CollectionVariant,
    other: &CollectionVariant,
) -> Option<TokenStream> {
    let index = collection.index.as_ref()?;
    let declared = declared_as(&collection.table, index);
    let (a, b) = (ask(first, "ENTITY"), ask(other, "ENTITY"));
    let (one, two) = (shown(&first.ty), shown(&other.ty));
    Some(check(
        other.ty.span(),
        &code!(__d::same_read_shards(&#a, &#b, &#declared)),
        &format!(
            "`{one}` and `{two}` have different `read_shards` in the index `{index}`, and a read of it visits the same shards for both: write the larger one on both"
        ),
    ))
}

/// The parameters have the names of the parts, and no part is left out.
fn names(
    collection: &Collection,
    partition: &Partition,
    first: &CollectionVariant,
) -> Vec<TokenStream> {
    let (def, entity) = (ask(first, "ENTITY"), shown(&first.ty));
    let index = declared_index(collection);
    let place = collection.index.as_ref();
    let place = place.map_or_else(String::new, |index| format!(" in the index `{index}`"));
    let parts = partition.parts.iter().enumerate();
    let mut checks: Vec<_> = parts
        .map(|(at, part)| {
            let name = part.unraw().to_string();
            check(
                part.span(),
                &code!(__d::is_part(&#def, #index, #at, #name)),
                &format!("`{name}` is not the field at this place in the partition key of `{entity}`{place}: name its fields, in the order of its template"),
            )
        })
        .collect();
    let count = partition.parts.len();
    checks.push(check(
        partition.span,
        &code!(__d::has_at_most(&#def, #index, #count)),
        &format!("the partition key of `{entity}`{place} has more parts: name all of its fields, in the order of its template"),
    ));
    checks
}
