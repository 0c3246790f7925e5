//! dynamodb-facade: macros on a serde struct, and one client for the whole process.

use std::hint::black_box;

use aws_sdk_dynamodb::Client;
use dynamo_entity_benches::order::{self, CUSTOMER, FIRST};
use dynamodb_facade::{
    DynamoDBItemOp, KeyId, NumberAttribute, StringAttribute, attribute_definitions, dynamodb_item,
    init_global_client, table_definitions,
};
use serde::{Deserialize, Serialize};

use crate::Works;

attribute_definitions! {
    Customer { "customer": StringAttribute }
    Number { "number": NumberAttribute }
}

macro_rules! table {
    ($table:ident $name:literal $row:ident) => {
        table_definitions! {
            $table {
                type PartitionKey = Customer;
                type SortKey = Number;
                fn table_name() -> String { $name.to_owned() }
            }
        }

        #[derive(Clone, Serialize, Deserialize)]
        #[serde(transparent)]
        struct $row(order::Order);

        dynamodb_item! {
            #[table = $table]
            $row {
                #[partition_key]
                Customer {
                    fn attribute_id(&self) -> &'id str { &self.0.customer }
                    fn attribute_value(id) -> String { id.to_owned() }
                }
                #[sort_key]
                Number {
                    fn attribute_id(&self) -> u64 { self.0.number }
                    fn attribute_value(id) -> u64 { id }
                }
            }
        }
    };
}

table!(Orders "orders" Order);
table!(Rows "rows-100-orders" Row);

pub struct Library(Order);

pub fn new(client: Client) -> Library {
    init_global_client(client);
    Library(Order(order::order()))
}

impl Works for Library {
    async fn get(&self) -> usize {
        let found = Order::get(KeyId::pk(CUSTOMER).sk(FIRST)).await;
        usize::from(black_box(found.expect("an answer")).is_some())
    }

    async fn put(&self) -> usize {
        self.0.put().await.expect("an answer");
        1
    }

    async fn query(&self) -> usize {
        let found = Row::query(Row::key_condition(CUSTOMER)).all().await;
        black_box(found.expect("an answer")).len()
    }
}
