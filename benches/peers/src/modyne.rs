//! modyne: traits on a serde struct, with key attributes that are stored beside the fields.

use std::hint::black_box;

use aws_sdk_dynamodb::Client;
use dynamo_entity_benches::order::{self, CUSTOMER, FIRST};
use modyne::expr::KeyCondition;
use modyne::keys::{FullKey, Primary};
use modyne::model::Query;
use modyne::{Entity, EntityDef, EntityExt, EntityTypeNameRef, ProjectionExt, Table};
use serde::{Deserialize, Serialize};

use crate::Works;

struct Database {
    client: Client,
    name: &'static str,
}

impl Table for Database {
    type PrimaryKey = Primary;
    type IndexKeys = ();

    fn table_name(&self) -> &str {
        self.name
    }

    fn client(&self) -> &Client {
        &self.client
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
struct Order(order::Order);

impl EntityDef for Order {
    const ENTITY_TYPE: &'static EntityTypeNameRef = EntityTypeNameRef::from_static("order");
}

impl Entity for Order {
    type KeyInput<'a> = (&'a str, u64);
    type Table = Database;
    type IndexKeys = ();

    fn primary_key((customer, number): (&str, u64)) -> Primary {
        Primary {
            hash: customer.to_owned(),
            range: number.to_string(),
        }
    }

    fn full_key(&self) -> FullKey<Primary, ()> {
        FullKey {
            primary: Self::primary_key((&self.0.customer, self.0.number)),
            indexes: (),
        }
    }
}

pub struct Library {
    orders: Database,
    rows: Database,
    order: Order,
}

pub fn new(client: Client) -> Library {
    let table = |name| Database {
        client: client.clone(),
        name,
    };
    Library {
        orders: table("orders"),
        rows: table("rows-100-orders"),
        order: Order(order::order()),
    }
}

impl Works for Library {
    async fn get(&self) -> usize {
        let found = Order::get((CUSTOMER, FIRST)).execute(&self.orders).await;
        let found = found.expect("an answer").item.map(Order::from_item);
        usize::from(black_box(found.transpose().expect("an order")).is_some())
    }

    async fn put(&self) -> usize {
        let put = self.order.clone().put();
        black_box(put.execute(&self.orders).await.expect("an answer"));
        1
    }

    async fn query(&self) -> usize {
        let query = Query::new(KeyCondition::<Primary>::in_partition(CUSTOMER));
        let found = query.execute(&self.rows).await.expect("an answer");
        let rows = found
            .items
            .unwrap_or_default()
            .into_iter()
            .map(Order::from_item);
        let rows: Result<Vec<Order>, _> = rows.collect();
        black_box(rows.expect("orders")).len()
    }
}
