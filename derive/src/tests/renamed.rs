//! `#[dynamo(crate = path)]`: generated code, or its fallback after an error, names the library only by this
//! path.

use proc_macro2::TokenStream;
use quote::quote;

fn names_only(path: &str, expanded: &TokenStream) {
    let text = expanded.to_string();
    assert!(text.contains(&format!("use {path} :: __private")), "{text}");
    assert!(!text.contains("dynamo_entity"), "{text}");
}

#[test]
fn expansions_of_an_entity_follow() {
    for broken in [quote!(), quote!(#[dynamo(nothing)] more: u8)] {
        let entity = quote! {
            #[dynamo(crate = other::library, table = Shop, key(pk = "U#{id}", sk = at))]
            #[dynamo(gsi(by_note, on = gsi1, pk = "N#{note}", sk = "{at}", when(flag = true)))]
            struct User {
                id: String,
                #[dynamo(rename = "sk")]
                at: u64,
                note: Option<String>,
                #[dynamo(default)]
                flag: bool,
                #[dynamo(serde)]
                foreign: Foreign,
                #[dynamo(version)]
                version: Version,
                #[dynamo(created_at)]
                created: Time,
                #[dynamo(ttl)]
                ttl: u64,
                #[dynamo(rest)]
                rest: Item,
                #broken
            }
        };
        let expanded = crate::entity(entity);
        names_only("other :: library", &expanded);
    }
}

#[test]
fn expansions_of_a_table_follow() {
    for broken in [quote!(), quote!(, nothing)] {
        let table = quote! {
            #[dynamo(crate = library, name = "shop", pk = "pk", entities(User, Order) #broken)]
            #[dynamo(gsi(gsi1, pk = "g"))]
            struct Shop;
        };
        let expanded = crate::table(table);
        names_only("library", &expanded);
    }
}

#[test]
fn expansions_of_values_follow() {
    let values = [
        quote!(
            struct Line {
                a: u8,
                #[dynamo(rest)]
                rest: Item,
            }
        ),
        quote!(
            struct Id(String);
        ),
        quote!(
            enum Status {
                Open,
                Closed,
            }
        ),
        quote!(
            enum Payment {
                Card(String),
                Pair(u8, u8),
                Cash { note: Option<String> },
            }
        ),
    ];
    for broken in [quote!(), quote!(, nothing)] {
        for value in &values {
            let value = quote!(#[dynamo(crate = library #broken)] #value);
            let expanded = crate::value(value);
            names_only("library", &expanded);
        }
    }
}
