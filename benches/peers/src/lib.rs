//! Other libraries as sides of the comparison: `get`, `put` and a query of 100 rows, each as its documentation shows it.
//!
//! Two libraries are missing because they cannot be built or used here. Toasty's DynamoDB driver (0.11) asks
//! for exactly `aws-smithy-types` 1.8.1, which is older than what this SDK needs. Aymond (0.10) has no
//! attribute types for floats, booleans and maps, which the item has.

mod dynamo_table;
mod dynamodb_facade;
mod modyne;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::{Client, Config};
use dynamo_entity_benches::side::Side;
use dynamo_entity_benches::work::Work;
use tokio::runtime::Runtime;

pub const NAMES: [&str; 3] = ["modyne", "dynamodb-facade", "dynamo_table"];

pub fn named(name: &str, address: &str) -> Option<Box<dyn Side>> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    let client = client(address);
    match name {
        "modyne" => Some(Box::new(Peer(runtime, modyne::new(client)))),
        "dynamodb-facade" => Some(Box::new(Peer(runtime, dynamodb_facade::new(client)))),
        "dynamo_table" => {
            let side = runtime.block_on(dynamo_table::new(client));
            Some(Box::new(Peer(runtime, side)))
        }
        _ => None,
    }
}

/// A client with the same settings as that of the raw SDK.
fn client(address: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "bench"))
        .endpoint_url(address)
        .retry_config(RetryConfig::standard());
    Client::from_conf(config.build())
}

/// The works that are compared. Each returns how many rows it has read or written.
trait Works {
    async fn get(&self) -> usize;
    async fn put(&self) -> usize;
    async fn query(&self) -> usize;
}

struct Peer<W>(Runtime, W);

impl<W: Works> Side for Peer<W> {
    fn run(&mut self, work: Work) -> Option<usize> {
        let Peer(runtime, works) = self;
        match work {
            Work::Get => Some(runtime.block_on(works.get())),
            Work::Put => Some(runtime.block_on(works.put())),
            Work::Query100 => Some(runtime.block_on(works.query())),
            _ => None,
        }
    }
}
