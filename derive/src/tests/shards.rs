//! `shards` and `read_shards`: the forms of a number that the transcripts leave out, and what they mean.

use syn::parse_quote;

use super::entity_says;
use crate::diag::Diag;
use crate::model::Entity;

#[test]
fn number() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "O#{id}", shards = 0))]
            #[dynamo(gsi(by_a, pk = "A", shards = "ten"))]
            #[dynamo(gsi(by_b, pk = "B", shards = 1001))]
            #[dynamo(gsi(by_c, pk = "C", shards))]
            #[dynamo(gsi(by_d, pk = "D", shards = 1000, read_shards = -1))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`shards` is a number from 1 to 1000; write `shards = 10`",
            "`shards` is a number from 1 to 1000; write `shards = 10`",
            "`shards` is a number from 1 to 1000; write `shards = 10`",
            "`shards` is written `shards = 10`",
            "`read_shards` is a number from 1 to 1000; write `read_shards = 20`",
        ],
    );
}

#[test]
fn read_shards_of_a_key() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "O#{id}", read_shards = 4))]
            pub struct Order {
                pub id: String,
            }
        },
        &["`read_shards` is no option of a key; it belongs to a gsi of an entity"],
    );
}

#[test]
fn patterns_of_one_index() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(gsi(by_a, pk = "A", shards = 4))]
            #[dynamo(gsi(by_b, on = by_a, pk = "A", shards = 5))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`by_a` fills the index `by_a` with other keys; give this pattern an index of its own by `on = ..`",
        ],
    );
}

#[test]
fn numbers_are_kept() {
    let diag = Diag::new();
    let read = crate::read_entity(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "O#{id}", sk = "X", shards = 1))]
            #[dynamo(gsi(by_a, pk = "A", shards = 4))]
            #[dynamo(gsi(by_b, pk = "B", shards = 4, read_shards = 9))]
            #[dynamo(gsi(by_c, pk = "C"))]
            pub struct Order {
                pub id: String,
            }
        },
        &diag,
    );
    assert_eq!(diag.messages(), [""; 0]);
    let numbers = |entity: Entity| {
        let indexes = entity.indexes.iter();
        let of_indexes: Vec<_> = indexes
            .map(|index| (index.pk[0].shards(), index.read_shards))
            .collect();
        (entity.pk.shards(), of_indexes)
    };
    assert_eq!(
        read.map(numbers),
        Some((
            Some(1),
            vec![(Some(4), Some(4)), (Some(4), Some(9)), (None, None)]
        ))
    );
}
