//! A template: the tables of a shop on the command line.
//!
//! ```sh
//! cargo run --example shop_admin -- --help
//! export DYNAMO_URL=embedded:shop.db
//! cargo run --example shop_admin -- put User '{"user": "ann", "email": "ann@example.com", "name": "Ann Lee"}'
//! cargo run --example shop_admin -- get User ann
//! ```

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity_cli::App;

/// All that belongs to the customers of the shop.
#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
pub struct Shop;

/// A customer.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "PROFILE"), unique(by_email, email))]
pub struct User {
    /// The name that they log in with.
    pub user: String,
    #[dynamo(personal)]
    pub email: String,
    #[dynamo(personal)]
    pub name: String,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Pending,
    Paid,
    Shipped,
}

/// An order of a customer.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:08}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{placed_at}#{number}"))]
pub struct Order {
    pub user: String,
    /// Counted from 1 for each customer.
    pub number: u32,
    pub status: Status,
    pub placed_at: DateTime<Utc>,
    pub cents: i64,
    #[dynamo(version)]
    pub version: Version,
}

/// All about one customer.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop, partition(user))]
pub enum Account {
    User(User),
    Order(Order),
}

/// How often a page was asked for.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "request-counts", key(pk = page, sk = day))]
pub struct RequestCount {
    pub page: String,
    pub day: u32,
    pub count: u64,
}

/// Counts are read only: `put` and `delete` write what `.writes` names.
pub fn app() -> App {
    let app = App::new([Shop::schema(), RequestCount::schema()]);
    app.collection::<Account>()
        .writes::<User>()
        .writes::<Order>()
}

#[tokio::main]
async fn main() -> ExitCode {
    app().run().await
}
