//! dynamo_table: a trait on a serde struct, and one client for the whole process.

use std::hint::black_box;

use aws_sdk_dynamodb::Client;
use dynamo_entity_benches::order::{self, CUSTOMER, FIRST};
use dynamo_table::{DynamoTable, init_with_client};
use serde::{Deserialize, Serialize};

use crate::Works;

macro_rules! table {
    ($row:ident $table:literal) => {
        #[derive(Clone, Serialize, Deserialize)]
        #[serde(transparent)]
        struct $row(order::Order);

        impl DynamoTable for $row {
            type PK = String;
            type SK = u64;

            const TABLE: &'static str = $table;
            const PARTITION_KEY: &'static str = "customer";
            const SORT_KEY: Option<&'static str> = Some("number");

            fn partition_key(&self) -> String {
                self.0.customer.clone()
            }

            fn sort_key(&self) -> Option<u64> {
                Some(self.0.number)
            }
        }
    };
}

table!(Order "orders");
table!(Row "rows-100-orders");

pub struct Library(Order);

pub async fn new(client: Client) -> Library {
    init_with_client(client).await;
    Library(Order(order::order()))
}

impl Works for Library {
    async fn get(&self) -> usize {
        let found = Order::get_item(&CUSTOMER.to_owned(), Some(&FIRST)).await;
        usize::from(black_box(found.expect("an answer")).is_some())
    }

    async fn put(&self) -> usize {
        black_box(self.0.add_item().await.expect("an answer"));
        1
    }

    async fn query(&self) -> usize {
        let found = Row::query_items(&CUSTOMER.to_owned(), None, Some(100), None).await;
        black_box(found.expect("an answer")).items.len()
    }
}
