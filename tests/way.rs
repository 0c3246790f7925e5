//! Follows one item through every stage, and shows the data at each of them.
//!
//! ```text
//! entity -> key -> codec -> expression -> request -> wire -> engine -> wire -> codec -> entity
//! ```

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use dynamo_entity::aws_sdk_dynamodb::config::interceptors::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use dynamo_entity::aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use dynamo_entity::aws_sdk_dynamodb::error::BoxError;
use dynamo_entity::embedded::EmbeddedEngine;
use dynamo_entity::prelude::*;
use dynamo_entity::{Timestamp, aws_sdk_dynamodb};
use serde_json::{Value as Json, json};

// --- entity: what is declared

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct UserId(String);

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
enum Status {
    Paid,
    #[dynamo(rename = "sent")]
    Shipped,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Line {
    sku: String,
    qty: u32,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
struct Shop;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "ORDER#{order_no:06}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{order_no:06}"))]
struct Order {
    user_id: UserId,
    order_no: u32,
    status: Status,
    lines: Vec<Line>,
    tags: HashSet<String>,
    note: Option<String>,
    #[dynamo(version)]
    version: Version,
    #[dynamo(created_at)]
    created_at: Option<Timestamp>,
}

#[tokio::test]
async fn an_order_goes_all_the_way() -> Result<()> {
    let seen = Recorder::default();
    let db = connect(&seen).await?;
    let order = Order {
        user_id: UserId("ann#1".into()),
        order_no: 42,
        status: Status::Shipped,
        lines: vec![Line {
            sku: "tea".into(),
            qty: 2,
        }],
        tags: HashSet::new(),
        note: None,
        version: Version::default(),
        created_at: None,
    };

    // --- key: typed parts, and the texts that DynamoDB sorts by. A `#` in a value cannot be mistaken for a
    // delimiter.
    let key = order.key();
    assert_eq!(key.order_no, 42);
    assert_eq!(
        plain(&key.to_item()?),
        json!({"pk": "USER#ann%231", "sk": "ORDER#000042"})
    );

    // --- codec: what would be stored. None and the empty set are absent; keys, index and type are there.
    assert_eq!(
        plain(&order.to_item()?),
        json!({
            "pk": "USER#ann%231", "sk": "ORDER#000042",
            "gsi1pk": "STATUS#sent", "gsi1sk": "000042",
            "_type": "Order",
            "user_id": "ann#1", "order_no": 42, "status": "sent",
            "lines": [{"sku": "tea", "qty": 2}],
        })
    );

    // --- expression, request, wire: `create` is a PutItem on a condition, with the managed fields set.
    let stored = order.create().send(&db).await?;
    let (target, request) = seen.request();
    assert_eq!(target, "DynamoDB_20120810.PutItem");
    assert_eq!(
        request,
        json!({
            "TableName": "way-shop",
            "Item": {
                "pk": {"S": "USER#ann%231"}, "sk": {"S": "ORDER#000042"},
                "gsi1pk": {"S": "STATUS#sent"}, "gsi1sk": {"S": "000042"},
                "_type": {"S": "Order"},
                "user_id": {"S": "ann#1"}, "order_no": {"N": "42"}, "status": {"S": "sent"},
                "lines": {"L": [{"M": {"sku": {"S": "tea"}, "qty": {"N": "2"}}}]},
                "version": {"N": "1"},
                "created_at": {"S": "2024-02-29T12:00:00.000000000Z"},
            },
            "ConditionExpression": "attribute_not_exists(#n0)",
            "ExpressionAttributeNames": {"#n0": "pk"},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        })
    );

    // --- entity: the returned entity is what is stored.
    assert_eq!(stored.version, Version::from(1));
    assert_eq!(stored.created_at, Some(noon()));

    // --- and back again: a GetItem by the same key text, decoded straight from the answer's bytes.
    let found = Order::key(UserId("ann#1".into()), 42)
        .get()
        .consistent()
        .send(&db)
        .await?;
    let (target, request) = seen.request();
    assert_eq!(target, "DynamoDB_20120810.GetItem");
    assert_eq!(
        request,
        json!({
            "TableName": "way-shop",
            "Key": {"pk": {"S": "USER#ann%231"}, "sk": {"S": "ORDER#000042"}},
            "ConsistentRead": true,
        })
    );
    assert_eq!(
        seen.answer()["Item"]["lines"]["L"][0]["M"]["qty"],
        json!({"N": "2"})
    );
    assert_eq!(found, Some(stored.clone()));

    // --- a lost race is an error that holds the item that won.
    let lost = order.create().send(&db).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::AlreadyExists);
    assert_eq!(lost.current::<Order>()?, Some(stored));
    Ok(())
}

/// The time of this test's clock: 2024-02-29 12:00 UTC.
fn noon() -> Timestamp {
    Timestamp::from_unix(1_709_208_000, 0).expect("a time")
}

/// The item as plain JSON, which is easy to compare.
fn plain(item: &Item) -> Json {
    serde_json::to_value(item).expect("an item is JSON")
}

/// A connection whose requests and answers are recorded.
async fn connect(seen: &Recorder) -> Result<Dynamo> {
    let engine = EmbeddedEngine::memory().await?;
    let config = engine.sdk_config().interceptor(seen.clone()).build();
    let client = aws_sdk_dynamodb::Client::from_conf(config);
    let db = Dynamo::new(client).with_prefix("way").with_clock(noon);
    db.create_tables([Shop::schema()]).await?;
    Ok(db)
}

/// Keeps the last request and its answer.
#[derive(Debug, Clone, Default)]
struct Recorder(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    target: String,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Recorder {
    fn request(&self) -> (String, Json) {
        let seen = self.0.lock().expect("no panic");
        (
            seen.target.clone(),
            serde_json::from_slice(&seen.request).expect("a request is JSON"),
        )
    }

    fn answer(&self) -> Json {
        serde_json::from_slice(&self.0.lock().expect("no panic").answer).expect("an answer is JSON")
    }
}

impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "Recorder"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> std::result::Result<(), BoxError> {
        let mut seen = self.0.lock().expect("no panic");
        let request = context.request();
        seen.target = request
            .headers()
            .get("x-amz-target")
            .unwrap_or_default()
            .to_owned();
        seen.request = request.body().bytes().unwrap_or_default().to_vec();
        Ok(())
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> std::result::Result<(), BoxError> {
        self.0.lock().expect("no panic").answer = context
            .response()
            .body()
            .bytes()
            .unwrap_or_default()
            .to_vec();
        Ok(())
    }
}
