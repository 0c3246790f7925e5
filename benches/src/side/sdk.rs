//! The side of the raw SDK with default settings. One of two ways makes and reads its maps.

use std::hint::black_box;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{
    ConditionCheck, Get, KeysAndAttributes, Put, PutRequest, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TransactGetItem, TransactWriteItem, Update, WriteRequest,
};
use aws_sdk_dynamodb::{Client, Config};
use tokio::runtime::Runtime;

use super::json::Json;
use super::{Side, runtime};
use crate::by_hand::{self, Map};
use crate::flat::{self, Visit, visits};
use crate::order::{CUSTOMER, FIRST, Order, Total, order, orders, stored};
use crate::work::{FILED, Work};

pub struct Sdk {
    runtime: Runtime,
    client: Client,
    json: Json,
    order: Order,
    orders: Vec<Order>,
    /// Maps that wait to be decoded one by one.
    maps: Vec<Map>,
    answer: &'static [u8],
    to_map: fn(&Order) -> Map,
    from_map: fn(Map) -> Order,
    visits: Vec<Visit>,
    to_flat: fn(&Visit) -> Map,
    from_flat: fn(Map) -> Visit,
}

/// A client with default settings.
pub(super) fn client(address: &str) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "bench"))
        .endpoint_url(address)
        .retry_config(RetryConfig::standard());
    Client::from_conf(config.build())
}

type Answer<T> = Result<T, aws_sdk_dynamodb::Error>;

impl Sdk {
    pub fn by_hand(address: &str) -> Self {
        let from_map = |map| by_hand::from_map(map).expect("an order");
        let from_flat = |map| flat::from_map(map).expect("a visit");
        Sdk::new(
            address,
            (by_hand::to_map, from_map),
            (flat::to_map, from_flat),
        )
    }

    pub fn by_serde(address: &str) -> Self {
        Sdk::new(
            address,
            (
                |order| serde_dynamo::to_item(order).expect("it fits"),
                |map| serde_dynamo::from_item(map).expect("an order"),
            ),
            (
                |visit| serde_dynamo::to_item(visit).expect("it fits"),
                |map| serde_dynamo::from_item(map).expect("a visit"),
            ),
        )
    }

    fn new(
        address: &str,
        (to_map, from_map): (fn(&Order) -> Map, fn(Map) -> Order),
        (to_flat, from_flat): (fn(&Visit) -> Map, fn(Map) -> Visit),
    ) -> Self {
        let answer = format!("{{\"Item\":{}}}", stored(&order()));
        Sdk {
            runtime: runtime(),
            client: client(address),
            json: Json::new(),
            order: order(),
            orders: orders(25),
            maps: Vec::new(),
            answer: answer.into_bytes().leak(),
            to_map,
            from_map,
            visits: visits(25),
            to_flat,
            from_flat,
        }
    }

    async fn send(&self, work: Work) -> Answer<Option<usize>> {
        let done = match work {
            Work::Get | Work::GivenGet => self.get("orders", FIRST, self.from_map).await?,
            Work::Put | Work::GivenPut => self.put("orders", (self.to_map)(&self.order)).await?,
            Work::FlatGet => self.get("visits", 1, self.from_flat).await?,
            Work::FlatPut => self.put("visits", (self.to_flat)(&self.visits[0])).await?,
            Work::FlatQuery100 => self.query("rows-100-visits", self.from_flat).await?,
            Work::FlatBatchGet100 => {
                self.batch_get("visits", 1, self.from_flat, |visit| visit.number)
                    .await?
            }
            Work::FlatBatchWrite25 => {
                self.batch_write("visits", &self.visits, self.to_flat)
                    .await?
            }
            Work::Update => self.update().await?,
            Work::Delete => self.delete().await?,
            Work::Query1 => self.query("rows-1-orders", self.from_map).await?,
            Work::Query10 => self.query("rows-10-orders", self.from_map).await?,
            Work::Query100 => self.query("rows-100-orders", self.from_map).await?,
            Work::Query1000 => self.query("rows-1000-orders", self.from_map).await?,
            Work::Keys1000 => self.filed().await?,
            Work::Select1000 => self.totals().await?,
            Work::Scan100 => self.scan("rows-100-orders").await?,
            Work::Snapshot3 => self.transact_get().await?,
            Work::BatchGet100 => {
                self.batch_get("orders", FIRST, self.from_map, |order| order.number)
                    .await?
            }
            Work::BatchWrite25 => {
                self.batch_write("orders", &self.orders, self.to_map)
                    .await?
            }
            Work::Transact3 => self.transact().await?,
            _ => return Ok(None),
        };
        Ok(Some(done))
    }

    async fn get<T>(&self, table: &str, number: u64, read: fn(Map) -> T) -> Answer<usize> {
        let get = self.client.get_item().table_name(table);
        let found = get.set_key(Some(key(number))).send().await?.item;
        Ok(usize::from(black_box(found.map(read)).is_some()))
    }

    async fn put(&self, table: &str, item: Map) -> Answer<usize> {
        let put = self.client.put_item().table_name(table);
        put.set_item(Some(item)).send().await?;
        Ok(1)
    }

    async fn update(&self) -> Answer<usize> {
        let update = self
            .client
            .update_item()
            .table_name("orders")
            .set_key(Some(key(FIRST)))
            .update_expression(UPDATE)
            .condition_expression(CONDITION)
            .expression_attribute_names("#n0", "status")
            .expression_attribute_names("#n1", "total_cents")
            .expression_attribute_names("#n2", "customer")
            .expression_attribute_values(":v0", S("SHIPPED".into()))
            .expression_attribute_values(":v1", N("0".into()))
            .expression_attribute_values(":v2", N("5".into()))
            .expression_attribute_values(":v3", N((i64::MAX - 5).to_string()))
            .expression_attribute_values(":v4", S("PAID".into()))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let found = update.send().await?.attributes;
        Ok(usize::from(black_box(found.map(self.from_map)).is_some()))
    }

    async fn delete(&self) -> Answer<usize> {
        let delete = self.client.delete_item().table_name("orders");
        delete.set_key(Some(key(FIRST))).send().await?;
        Ok(1)
    }

    async fn query<T>(&self, table: &str, read: fn(Map) -> T) -> Answer<usize> {
        let query = self
            .client
            .query()
            .table_name(table)
            .key_condition_expression("#n0 = :v0")
            .expression_attribute_names("#n0", "customer")
            .expression_attribute_values(":v0", S(CUSTOMER.into()));
        let items = query.send().await?.items.unwrap_or_default();
        let rows: Vec<T> = items.into_iter().map(read).collect();
        Ok(black_box(rows).len())
    }

    async fn filed(&self) -> Answer<usize> {
        let query = self.client.query().table_name(FILED);
        let query = query
            .key_condition_expression("#n0 = :v0")
            .expression_attribute_names("#n0", "pk")
            .expression_attribute_values(":v0", S(format!("CUSTOMER#{CUSTOMER}")));
        let items = query.send().await?.items.unwrap_or_default();
        let rows: Vec<Order> = items.into_iter().map(self.from_map).collect();
        Ok(black_box(rows).len())
    }

    async fn totals(&self) -> Answer<usize> {
        let query = self.client.query().table_name(FILED);
        let query = query
            .key_condition_expression("#n0 = :v0")
            .projection_expression("#n0, #n1, #n2, #n3, #n4")
            .expression_attribute_names("#n0", "pk")
            .expression_attribute_names("#n1", "sk")
            .expression_attribute_names("#n2", "number")
            .expression_attribute_names("#n3", "total_cents")
            .expression_attribute_names("#n4", "_shape")
            .expression_attribute_values(":v0", S(format!("CUSTOMER#{CUSTOMER}")));
        let items = query.send().await?.items.unwrap_or_default();
        let total = |item| by_hand::to_total(item).expect("its two fields");
        let rows: Vec<Total> = items.into_iter().map(total).collect();
        Ok(black_box(rows).len())
    }

    async fn scan(&self, table: &str) -> Answer<usize> {
        let scan = self.client.scan().table_name(table);
        let items = scan.send().await?.items.unwrap_or_default();
        let rows: Vec<Order> = items.into_iter().map(self.from_map).collect();
        Ok(black_box(rows).len())
    }

    async fn transact_get(&self) -> Answer<usize> {
        let gets = (FIRST..FIRST + 3).map(|number| {
            let get = Get::builder()
                .table_name("orders")
                .set_key(Some(key(number)));
            let get = get.build().expect("a get");
            TransactGetItem::builder().get(get).build()
        });
        let snapshot = self.client.transact_get_items();
        let snapshot = snapshot.set_transact_items(Some(gets.collect()));
        let found = snapshot.send().await?.responses.unwrap_or_default();
        let orders = found.into_iter().map(|found| found.item.map(self.from_map));
        let orders: Vec<Option<Order>> = orders.collect();
        Ok(black_box(orders).iter().flatten().count())
    }

    async fn batch_get<T>(
        &self,
        table: &str,
        first: u64,
        read: fn(Map) -> T,
        number: fn(&T) -> u64,
    ) -> Answer<usize> {
        let keys = (first..first + 100).map(key).collect();
        let keys = KeysAndAttributes::builder().set_keys(Some(keys)).build();
        let get = self.client.batch_get_item();
        let get = get.request_items(table, keys.expect("its keys"));
        let mut answer = get.send().await?;
        let tables = answer.responses.take().unwrap_or_default();
        // The rows are put into the order of the keys, as the library returns them.
        let mut found = std::collections::HashMap::with_capacity(100);
        for row in tables.into_values().flatten().map(read) {
            found.insert(number(&row), row);
        }
        let rows = (first..first + 100).map(|number| found.remove(&number));
        let rows: Vec<Option<T>> = rows.collect();
        Ok(black_box(rows).iter().flatten().count())
    }

    async fn batch_write<T>(&self, table: &str, rows: &[T], write: fn(&T) -> Map) -> Answer<usize> {
        let writes = rows.iter().map(|row| {
            let put = PutRequest::builder().set_item(Some(write(row)));
            let put = put.build().expect("its item");
            WriteRequest::builder().put_request(put).build()
        });
        let batch = self.client.batch_write_item();
        let batch = batch.request_items(table, writes.collect());
        let answer = batch.send().await?;
        let left = answer.unprocessed_items.map_or(0, |left| left.len());
        Ok(25 - left)
    }

    async fn transact(&self) -> Answer<usize> {
        let put = Put::builder()
            .table_name("orders")
            .set_item(Some((self.to_map)(&self.order)))
            .build();
        let update = Update::builder()
            .table_name("orders")
            .set_key(Some(key(FIRST + 1)))
            .update_expression(UPDATE)
            .condition_expression(CONDITION)
            .expression_attribute_names("#n0", "status")
            .expression_attribute_names("#n1", "total_cents")
            .expression_attribute_names("#n2", "customer")
            .expression_attribute_values(":v0", S("SHIPPED".into()))
            .expression_attribute_values(":v1", N("0".into()))
            .expression_attribute_values(":v2", N("5".into()))
            .expression_attribute_values(":v3", N((i64::MAX - 5).to_string()))
            .expression_attribute_values(":v4", S("PAID".into()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build();
        let check = ConditionCheck::builder()
            .table_name("orders")
            .set_key(Some(key(FIRST + 2)))
            .condition_expression("attribute_exists(#n0)")
            .expression_attribute_names("#n0", "customer")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build();
        let items = [
            TransactWriteItem::builder()
                .put(put.expect("a put"))
                .build(),
            TransactWriteItem::builder()
                .update(update.expect("an update"))
                .build(),
            TransactWriteItem::builder()
                .condition_check(check.expect("a check"))
                .build(),
        ];
        // The SDK adds its own token.
        let transact = self.client.transact_write_items();
        transact
            .set_transact_items(Some(items.into()))
            .send()
            .await?;
        Ok(3)
    }
}

const UPDATE: &str = "SET #n0 = :v0, #n1 = if_not_exists(#n1, :v1) + :v2";
/// The item exists, its sum stays within the range of the field, and the caller's condition holds.
const CONDITION: &str =
    "attribute_exists(#n2) AND (attribute_not_exists(#n1) OR #n1 <= :v3) AND #n0 = :v4";

fn key(number: u64) -> Map {
    let mut key: Map = Map::with_capacity(2);
    key.insert("customer".into(), S(CUSTOMER.into()));
    key.insert("number".into(), AttributeValue::N(number.to_string()));
    key
}

impl Side for Sdk {
    fn run(&mut self, work: Work) -> Option<usize> {
        match work {
            Work::Encode => Some(self.json.write((self.to_map)(black_box(&self.order)))),
            Work::Decode => {
                let order = (self.from_map)(self.json.read(black_box(self.answer)));
                Some(black_box(order).lines.len())
            }
            Work::EncodeMap => Some(black_box((self.to_map)(black_box(&self.order))).len()),
            Work::DecodeMap => {
                let order = (self.from_map)(self.maps.pop()?);
                Some(black_box(order).lines.len())
            }
            work => self.runtime.block_on(self.send(work)).expect("an answer"),
        }
    }
    fn prepare(&mut self, work: Work, times: u32) {
        if work == Work::DecodeMap {
            let map = (self.to_map)(&self.order);
            self.maps = vec![map; times as usize];
        }
    }
}
