//! The five declarations of a move to another primary key: which may follow which, and the steps that must not be skipped.

use dynamo_entity::lock::{self, ChangeClass};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

macro_rules! declaration {
    ($name:ident, [$($entity:ident),*], $({$($before:tt)*})?, $({$($after:tt)*})?) => {
        mod $name {
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities($($entity),*))]
            pub struct Shop;

            $(
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO") $($before)*)]
                pub struct Order {
                    pub id: u32,
                    pub customer: u32,
                }
            )?

            $(
                #[derive(DynamoEntity)]
                #[dynamo(table = Shop, key(pk = "CUSTOMER#{customer}", sk = "ORDER#{id}") $($after)*)]
                pub struct Moved {
                    pub id: u32,
                    pub customer: u32,
                }
            )?
        }
    };
}

macro_rules! conversions {
    ($($name:ident)*) => {$(
        impl From<&$name::Order> for $name::Moved {
            fn from(order: &$name::Order) -> Self {
                $name::Moved { id: order.id, customer: order.customer }
            }
        }

        impl From<&$name::Moved> for $name::Order {
            fn from(order: &$name::Moved) -> Self {
                $name::Order { id: order.id, customer: order.customer }
            }
        }
    )*};
}

declaration!(old, [Order], {},);
declaration!(before, [Order, Moved], {, next_key(Moved)}, {});
declaration!(after, [Order, Moved], {}, {, was_key(Order)});
declaration!(last, [Order, Moved], {}, {, was_key(Order, drop)});
declaration!(new, [Moved], , {});
conversions!(before after last);

fn class(before: TableSchema, after: TableSchema) -> (Option<ChangeClass>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [before]).expect("a file");
    let comparison = lock::compare(&path, [after]).expect("a comparison");
    (comparison.class(), comparison.to_string())
}

#[test]
fn neighbours_follow_each_other() {
    use ChangeClass::{BreaksRunning, FillFirst, Free};
    let all: [fn() -> TableSchema; 5] = [
        old::Shop::schema,
        before::Shop::schema,
        after::Shop::schema,
        last::Shop::schema,
        new::Shop::schema,
    ];
    let (free, fill, breaks) = (Some(Free), Some(FillFirst), Some(BreaksRunning));
    // Without a word, it is the only entity of the table, with other keys.
    let moves = Some(ChangeClass::NeedsMove);
    let expected = [
        [None, free, breaks, breaks, moves],
        // Back to the old key, the declaration of the new one goes away with its rows.
        [breaks, None, fill, breaks, breaks],
        // After `drop`, the rows under the old key are outdated or missing.
        [breaks, fill, None, free, breaks],
        [breaks, breaks, free, None, fill],
        [moves, breaks, breaks, free, None],
    ];
    for (old, (before, row)) in all.iter().zip(expected).enumerate() {
        for (new, (after, wanted)) in all.iter().zip(row).enumerate() {
            let (found, text) = class(before(), after());
            assert_eq!(found, wanted, "from {old} to {new}: {text}");
        }
    }
}

#[test]
fn a_skipped_step_names_all_that_follow() {
    let (_, text) = class(before::Shop::schema(), last::Shop::schema());
    assert!(
        text.contains("a step of the move from `Order` to `Moved` is skipped"),
        "{text}"
    );
    for part in [
        "db fill Order",
        "`was_key(..)`",
        "`was_key(.., drop)`",
        "db fill Moved",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

#[test]
fn the_file_holds_the_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [last::Shop::schema()]).expect("a file");
    let text = std::fs::read_to_string(&path).expect("a text");
    assert!(text.contains("second_key drop Order"), "{text}");
    let schema = last::Shop::schema().to_json();
    let read = TableSchema::from_json(&schema).expect("a schema");
    assert_eq!(read.to_json(), schema);
}
