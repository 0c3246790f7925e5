//! The random faults that requests meet.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dynamo_entity::aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamo_entity::{Dynamo, RequestEvent};
use fastrand::Rng;
use serde_json::{Value, json};
use std::time::Duration;

use crate::support::db::{Db, Http};
use crate::support::faulty::Fault;

/// The kind of traffic, because some faults only fit some requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Traffic {
    Reads,
    Writes,
    Batch,
    /// The number of operations in the transaction, or 0 if only the library knows it.
    Transaction(usize),
}

/// The connection of one task, its faults, and the ways that its requests take.
pub struct Weather {
    pub db: Dynamo,
    http: Http,
    ways: Arc<Ways>,
}

/// How many requests took each way.
type Ways = Mutex<BTreeMap<String, u64>>;

impl Weather {
    pub fn over(db: &Db) -> Weather {
        let (config, http) = db.faulty_config([]);
        let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
        let ways = Arc::new(Ways::default());
        let counted = ways.clone();
        let count = move |observed: &RequestEvent<'_>| {
            let way = format!("{:?}", observed.path);
            *counted.lock().unwrap().entry(way).or_default() += 1;
        };
        Weather {
            db: db
                .through(config.retry_config(retries))
                .with_observer(count),
            http,
            ways,
        }
    }

    pub fn ways(&self) -> BTreeMap<String, u64> {
        self.ways.lock().unwrap().clone()
    }

    /// Plans the faults of the next operation, and returns whether there are none.
    pub fn change(&self, rng: &mut Rng, traffic: Traffic) -> bool {
        // The chance of a fault is nought, a quarter, or so high that all retries fail.
        let chance = [0, 25, 25, 80][rng.usize(0..4)];
        let mut fault = || match rng.u32(0..100) < chance {
            true => fault(rng, traffic),
            false => Fault::Pass,
        };
        let plan: Vec<Fault> = (0..12).map(|_| fault()).collect();
        self.http.plan(plan);
        chance == 0
    }

    /// How many requests have been given up and are still to arrive.
    pub fn late(&self) -> usize {
        self.http.late()
    }

    /// Lets them arrive.
    pub async fn deliver(&self) {
        self.http.deliver().await;
    }

    pub fn calls(&self) -> Vec<String> {
        self.http.calls()
    }
}

fn fault(rng: &mut Rng, traffic: Traffic) -> Fault {
    match rng.u32(0..14) {
        12..14 => Fault::Late(rng.usize(0..6)),
        0..3 => Fault::Lose,
        3 => Fault::Io,
        4 => Fault::Timeout,
        5 => Fault::Refused,
        6 => Fault::internal(),
        7 => Fault::refuse("ProvisionedThroughputExceededException"),
        8 => Fault::Cut(rng.usize(0..8)),
        9 => Fault::throttle(),
        _ => match traffic {
            Traffic::Reads => Fault::throttle(),
            Traffic::Writes => Fault::refuse("TransactionConflictException"),
            Traffic::Batch => Fault::Unprocessed(rng.usize(0..4)),
            Traffic::Transaction(0) => Fault::refuse("TransactionInProgressException"),
            Traffic::Transaction(count) => cancelled(rng, count),
        },
    }
}

/// A transaction is cancelled because another request is in the way of one of its operations.
fn cancelled(rng: &mut Rng, count: usize) -> Fault {
    let guilty = rng.usize(0..count);
    let code = match rng.bool() {
        true => "TransactionConflict",
        false => "ThrottlingError",
    };
    let reason = |at| json!({ "Code": if at == guilty { code } else { "None" } });
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "cancelled",
        "CancellationReasons": (0..count).map(reason).collect::<Vec<Value>>(),
    });
    Fault::Reply(400, body.to_string())
}
