//! What larger inputs cost: works of the library over 10 to 10,000 changes, conditions, attributes, keys and so on.
//!
//! A work may take n·log n steps, or be refused; what compares everything with everything shows here.

mod series;
mod wide;

use std::hint::black_box;

use dynamo_entity::error::Stage;
use dynamo_entity::prelude::*;
use serde_json::{Value as Json, json};

use crate::phases::bench_mark;
pub use series::SERIES;

/// The prefix of the tables of these works.
pub const GROWTH: &str = "growth";

/// The sizes of most series.
pub const SIZES: &[u32] = &[10, 100, 1_000, 10_000];
/// For works of which each step is a request, or that end soon anyway.
pub const FEWER: &[u32] = &[10, 100, 1_000];
/// The structs that `build.rs` writes.
pub const FIELDS: &[u32] = &[10, 100, 400];

/// By how much more than n·log n a work may grow from one size to the next.
const PATIENCE: f64 = 1.1;

/// Whether a work was done, or refused before anything was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Done,
    Refused,
}

impl<T> From<Result<T>> for Ending {
    /// An error of the service would be one of this check.
    fn from(result: Result<T>) -> Self {
        match result {
            Ok(done) => {
                black_box(done);
                Ending::Done
            }
            Err(error) if error.stage() == Stage::Service => panic!("{error}"),
            Err(_) => Ending::Refused,
        }
    }
}

/// A work over inputs of growing size.
pub struct Series {
    pub name: &'static str,
    pub sizes: &'static [u32],
    /// Prepares the work for a size, and returns what is measured.
    work: fn(&Bench, u32) -> Measured,
}

type Measured = Box<dyn FnOnce(&Bench) -> Ending>;

/// What the works need.
pub struct Bench {
    runtime: tokio::runtime::Runtime,
    db: Dynamo,
}

impl Bench {
    fn new(address: &str) -> Self {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let db = runtime.block_on(Dynamo::connect(address)).expect("a URL");
        Bench {
            db: db.with_prefix(GROWTH),
            runtime,
        }
    }
}

/// Does the works of all series once, between marks. Prints the series, the size, and how it ended.
pub fn run(address: &str) {
    let bench = Bench::new(address);
    for series in SERIES {
        // Fills caches and opens connections.
        (series.work)(&bench, 10)(&bench);
        for &size in series.sizes {
            let work = (series.work)(&bench, size);
            bench_mark(0);
            let ending = work(&bench);
            bench_mark(1);
            println!("{} {size} {ending:?}", series.name);
        }
    }
}

/// What one size of a series took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub size: u32,
    pub instructions: u64,
    pub ending: Ending,
}

/// The sizes of a series that took more than they may, in words.
pub fn excess(name: &str, costs: &[Cost]) -> Vec<String> {
    let steps = costs.iter().zip(costs.iter().skip(1));
    let grown = steps.filter_map(|(before, after)| {
        let weight = |cost: &Cost| f64::from(cost.size) * f64::from(cost.size).log2();
        let may = PATIENCE * weight(after) / weight(before);
        let does = after.instructions as f64 / before.instructions as f64;
        (does > may).then(|| {
            format!(
                "{name}: {} take {does:.1} times the instructions of {}, and {may:.1} would be n·log n",
                after.size, before.size
            )
        })
    });
    grown.collect()
}

/// The answer to a request of these works: each key that is asked for has an item, and each partition three rows.
pub fn answer(operation: &str, body: &[u8]) -> String {
    let request: Json = serde_json::from_slice(body).expect("a request");
    let answer = match operation {
        // An item has as many attributes as its id says, if it is there.
        "GetItem" if request["Key"]["id"].is_null() => json!({"Item": request["Key"]}),
        "GetItem" => {
            let id = &request["Key"]["id"]["N"];
            let size = id.as_str().and_then(|id| id.parse().ok());
            return format!("{{\"Item\":{}}}", series::stored(size.unwrap_or_default()));
        }
        "UpdateItem" => return format!("{{\"Attributes\":{}}}", series::stored(1)),
        "BatchGetItem" => {
            let tables = request["RequestItems"].as_object().expect("tables");
            let found = tables.iter().map(|(name, asked)| (name, &asked["Keys"]));
            let found: serde_json::Map<_, _> = found
                .map(|(name, keys)| (name.clone(), keys.clone()))
                .collect();
            json!({"Responses": found, "UnprocessedKeys": {}})
        }
        "BatchWriteItem" => json!({"UnprocessedItems": {}}),
        "Query" => {
            let name = request["ExpressionAttributeValues"].as_object();
            let name = name.and_then(|values| values.values().next());
            let row = |number: u32| json!({"name": name, "number": {"N": number.to_string()}});
            json!({"Count": 3, "ScannedCount": 3, "Items": [row(1), row(2), row(3)]})
        }
        _ => json!({}),
    };
    answer.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_series_is_found_and_a_linear_one_is_not() {
        let series = |of: fn(u64) -> u64| -> Vec<Cost> {
            let cost = |size: &u32| Cost {
                size: *size,
                instructions: of(u64::from(*size)),
                ending: Ending::Done,
            };
            SIZES.iter().map(cost).collect()
        };
        assert!(excess("linear", &series(|size| 20_000 + 900 * size)).is_empty());
        let quadratic = excess("quadratic", &series(|size| 20_000 + size * size));
        assert_eq!(quadratic.len(), 2, "{quadratic:?}");
    }
}
