//! An item of twelve attributes, to DynamoDB JSON and back, beside serde_dynamo.
//!
//! The work is not equal, and not in our favour: serde_dynamo makes and reads a map of attribute
//! values, which the SDK has yet to turn into JSON; we make and read the JSON itself. `with_json` adds
//! that step to serde_dynamo's side, through its own attribute values and serde_json.
//!
//!     cargo bench --bench codec

use std::collections::BTreeMap;

use divan::{Bencher, black_box};
use dynamo_entity::__private::{from_json, to_json};
use dynamo_entity::prelude::*;
use serde::{Deserialize, Serialize};

fn main() {
    let json = to_json(&order()).expect("it fits");
    println!("an item of {} bytes of JSON", json.len());
    divan::main();
}

#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize, Deserialize)]
#[dynamo(table = "orders", key(pk = customer, sk = number))]
struct Order {
    customer: String,
    number: u64,
    status: String,
    currency: String,
    total_cents: i64,
    discount: f64,
    paid: bool,
    note: Option<String>,
    address: Address,
    lines: Vec<Line>,
    labels: BTreeMap<String, String>,
    created_at: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue, Serialize, Deserialize)]
struct Address {
    street: String,
    city: String,
    zip: String,
    country: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue, Serialize, Deserialize)]
struct Line {
    sku: String,
    quantity: u32,
    cents: i64,
}

fn order() -> Order {
    let line = |number: u32| Line {
        sku: format!("SKU-{number:08}"),
        quantity: number % 7 + 1,
        cents: i64::from(number) * 199,
    };
    Order {
        customer: "customer-000000000042".into(),
        number: 20_240_229_000_017,
        status: "AWAITING_SHIPMENT".into(),
        currency: "EUR".into(),
        total_cents: 1_234_567,
        discount: 0.125,
        paid: true,
        note: Some("please ring twice, the bell is quiet and the dog is not".into()),
        address: Address {
            street: "Long Street 17, back yard".into(),
            city: "Some Town".into(),
            zip: "12345".into(),
            country: "DE".into(),
        },
        lines: (1..=6).map(line).collect(),
        labels: [("channel", "web"), ("campaign", "spring"), ("gift", "no")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        created_at: "2024-02-29T12:30:05.000000001Z".into(),
    }
}

mod encode {
    use super::*;

    #[divan::bench]
    fn dynamo_entity(bencher: Bencher<'_, '_>) {
        let order = order();
        bencher.bench(|| to_json(black_box(&order)).expect("it fits"));
    }

    #[divan::bench]
    fn serde_dynamo(bencher: Bencher<'_, '_>) {
        let order = order();
        bencher.bench(|| -> serde_dynamo::Item {
            serde_dynamo::to_item(black_box(&order)).expect("it fits")
        });
    }

    #[divan::bench]
    fn serde_dynamo_with_json(bencher: Bencher<'_, '_>) {
        let order = order();
        bencher.bench(|| {
            let item: serde_dynamo::Item =
                serde_dynamo::to_item(black_box(&order)).expect("it fits");
            serde_json::to_vec(&item).expect("it is JSON")
        });
    }
}

mod decode {
    use super::*;

    #[divan::bench]
    fn dynamo_entity(bencher: Bencher<'_, '_>) {
        let json = to_json(&order()).expect("it fits");
        assert_eq!(from_json::<Order>(&json).expect("it reads"), order());
        bencher.bench(|| from_json::<Order>(black_box(&json)).expect("it reads"));
    }

    #[divan::bench]
    fn serde_dynamo(bencher: Bencher<'_, '_>) {
        let item: serde_dynamo::Item = serde_dynamo::to_item(order()).expect("it fits");
        bencher
            .with_inputs(|| item.clone())
            .bench_values(|item| -> Order { serde_dynamo::from_item(item).expect("it reads") });
    }

    #[divan::bench]
    fn serde_dynamo_with_json(bencher: Bencher<'_, '_>) {
        let item: serde_dynamo::Item = serde_dynamo::to_item(order()).expect("it fits");
        let json = serde_json::to_vec(&item).expect("it is JSON");
        bencher.bench(|| -> Order {
            let item: serde_dynamo::Item =
                serde_json::from_slice(black_box(&json)).expect("it is JSON");
            serde_dynamo::from_item(item).expect("it reads")
        });
    }
}
