//! Models of environments that demand safeguards.

use dynamo_entity::lint::LintRule;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Safeguard, TableSchema};

use crate::case::Case;
use crate::in_short;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = number))]
struct Order {
    number: u32,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(Visit))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "VISIT#{number}"))]
struct Visit {
    number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "caches", key(pk = id), allow(unrecoverable_table, no_spend_cap))]
struct Cache {
    id: u32,
}

fn protected(schema: TableSchema) -> TableSchema {
    schema.demand(&[Safeguard::DeletionProtection])
}

fn recoverable(schema: TableSchema) -> TableSchema {
    schema.demand(&[Safeguard::Recovery])
}

fn capped(schema: TableSchema) -> TableSchema {
    schema.demand(&[Safeguard::SpendCap])
}

pub fn cases() -> Vec<Case> {
    let case = |rule, place, found, clean| Case {
        rule,
        place,
        found,
        clean,
    };
    use LintRule::{NoSpendCap, UnprotectedTable, UnrecoverableTable};
    vec![
        case(
            UnprotectedTable,
            "Order",
            protected(Order::schema()),
            protected(Order::schema().deletion_protection(true)),
        ),
        case(
            UnprotectedTable,
            "shop",
            protected(Shop::schema()).deletion_protection(false),
            Shop::schema().deletion_protection(false),
        ),
        case(
            UnrecoverableTable,
            "Order",
            recoverable(Order::schema()),
            recoverable(Order::schema()).point_in_time_recovery(1),
        ),
        case(
            UnrecoverableTable,
            "shop",
            recoverable(Shop::schema()),
            recoverable(Cache::schema()),
        ),
        case(
            NoSpendCap,
            "Order",
            capped(Order::schema()),
            capped(Order::schema()).on_demand_maximum(1, 1),
        ),
        case(
            NoSpendCap,
            "Order",
            capped(Order::schema().on_demand().without_on_demand_maximum()),
            capped(Order::schema().scaled(5, 5)),
        ),
        case(
            NoSpendCap,
            "shop",
            capped(Shop::schema()).infrequent_access(),
            capped(Shop::schema()).provisioned(1, 1),
        ),
    ]
}

/// Any demands beside any settings: the lints are those of the demands that the settings do not satisfy.
#[test]
fn exactly_the_missing_safeguards_are_reported() {
    for bits in 0..64_u32 {
        let is = |bit: u32| bits & (1 << bit) != 0;
        let chosen = Safeguard::ALL.iter().enumerate();
        let demands = chosen.filter(|(at, _)| is(*at as u32)).map(|(_, one)| one);
        let mut schema = Order::schema().demand(demands);
        if is(3) {
            schema = schema.deletion_protection(true);
        }
        if is(4) {
            schema = schema.point_in_time_recovery(35);
        }
        if is(5) {
            schema = schema.on_demand_maximum(10, 10);
        }
        let names = ["unprotected_table", "unrecoverable_table", "no_spend_cap"];
        let missing = (0..3).filter(|at| is(*at) && !is(at + 3));
        let expected: Vec<String> = missing
            .map(|at| format!("Order: {}", names[at as usize]))
            .collect();
        assert_eq!(in_short(&schema.lints()), expected, "{bits:b}");
        let read = TableSchema::from_json(&schema.to_json()).expect("a schema");
        assert_eq!(in_short(&read.lints()), expected, "{bits:b}");
    }
}
