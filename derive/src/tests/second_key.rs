//! Mistakes in `next_key` and `was_key`.

use syn::parse_quote;

use super::entity_says;

#[test]
fn a_table_of_its_own_has_no_types() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#{id}"), next_key(Next))]
            struct Order { id: u32 }
        },
        &[
            "`next_key` needs a shared table, `table = Shop`, which stores both types: a table of its own has no type attribute, so programs of the other declaration would find these rows",
        ],
    );
}

#[test]
fn an_item_moves_to_one_key() {
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), next_key(Next), was_key(Was))]
            struct Order { id: u32 }
        },
        &[
            "`Order` has `next_key` and `was_key`: an item moves from one key to one other; complete one move before the next one",
        ],
    );
}

#[test]
fn other_words_are_unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), was_key(Was, keep))]
            struct Order { id: u32 }
        },
        &["unknown word `keep`; write `was_key(before::Order)` or `was_key(before::Order, drop)`"],
    );
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), next_key(Next, drop))]
            struct Order { id: u32 }
        },
        &[
            "`next_key` names one declaration, that of the items under their next key; remove `drop`",
        ],
    );
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), was_key(pk = "OLD#{id}"))]
            struct Order { id: u32 }
        },
        &[
            "`was_key` names the declaration of the same items under another key; write `was_key(before::Order)` or `was_key(before::Order, drop)`",
        ],
    );
}
