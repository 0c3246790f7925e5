use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct UserId(pub String);
#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Status {
    Paid,
    Pending,
    #[dynamo(rename = "sent")]
    Shipped,
}
#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Line {
    sku: String,
    qty: u32,
    note: Option<String>,
    tags: HashSet<String>,
}
#[derive(Debug, Clone, PartialEq, DynamoValue)]
#[dynamo(tag = "kind")]
pub enum Payment {
    Cash,
    Card { number: String, month: u8 },
    Transfer(String),
    Split(u32, u32),
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), lsi(lsi1, sk = "lsi1sk"), stream = new_and_old_images)]
pub struct Shop;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "INFO"))]
pub struct User {
    user_id: UserId,
    name: String,
    #[dynamo(skip)]
    cache: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "ORDER#{placed_at}#{order_no:08}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{placed_at}"))]
#[dynamo(lsi(by_note, on = lsi1, sk = "NOTE#{note}", when(status = Status::Paid)))]
pub struct Order {
    pub user_id: UserId,
    pub placed_at: DateTime<Utc>,
    #[dynamo(skip)]
    pub order_no: u32,
    pub status: Status,
    pub total: Decimal,
    pub lines: Vec<Line>,
    pub payment: Payment,
    pub tags: HashSet<String>,
    pub note: Option<String>,
    #[dynamo(rename = "x y.z")]
    pub odd: BTreeMap<String, i64>,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
    #[dynamo(ttl)]
    pub expires_at: Option<DateTime<Utc>>,
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "request-count", key(pk = request_name, sk = day))]
pub struct RequestCount {
    pub request_name: String,
    pub day: NaiveDate,
    pub count: u64,
}

fn order() -> Order {
    Order {
        user_id: UserId("u#1".into()),
        placed_at: "2024-05-06T07:08:09.5Z".parse().unwrap(),
        order_no: 7,
        status: Status::Paid,
        total: "12.50".parse().unwrap(),
        lines: vec![Line {
            sku: "a\"b".into(),
            qty: 3,
            note: None,
            tags: ["x".to_string()].into(),
        }],
        payment: Payment::Card {
            number: "4".into(),
            month: 12,
        },
        tags: HashSet::new(),
        note: Some("hi".into()),
        odd: [("k".to_string(), -5)].into(),
        version: Version::default(),
        created_at: None,
        updated_at: None,
        expires_at: None,
        rest: [("extra", 5)].into_iter().collect(),
    }
}

#[tokio::test]
async fn smoke() -> Result<()> {
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([Shop::schema(), RequestCount::schema()])
        .await?;
    db.create_tables([Shop::schema(), RequestCount::schema()])
        .await?;
    println!("{:#?}", order().to_item()?);
    let stored = order().create().send(&db).await?;
    println!("{stored:#?}");
    let found = Order::key(UserId("u#1".into()), stored.placed_at, 7)
        .get()
        .consistent()
        .send(&db)
        .await?;
    assert_eq!(found.as_ref(), Some(&stored));
    let err = order().create().send(&db).await.unwrap_err();
    assert!(err.is_already_exists(), "{err:?}");
    assert_eq!(err.current::<Order>().unwrap().unwrap(), stored);
    let next = stored.put().send(&db).await?;
    assert_eq!(next.version, Version::from(2));
    let err = stored.put().send(&db).await.unwrap_err();
    assert!(err.is_conflict(), "{err:?}");
    let err = stored.delete().send(&db).await.unwrap_err();
    assert!(err.is_conflict(), "{err:?}");
    let old = next.delete().returning_old().send(&db).await?;
    assert_eq!(old, Some(next));
    let map: HashMap<String, dynamo_entity::aws_sdk_dynamodb::types::AttributeValue> =
        stored.to_item()?.into();
    assert_eq!(Order::from_item(map)?, stored);
    let count = RequestCount {
        request_name: "r".into(),
        day: NaiveDate::from_ymd_opt(2024, 1, 2).unwrap(),
        count: 5,
    };
    count.put().send(&db).await?;
    assert_eq!(
        RequestCount::key("r", count.day).get().send(&db).await?,
        Some(count.clone())
    );
    println!("{:?}", count.key());
    let err = RequestCount::key("", count.day)
        .get()
        .send(&db)
        .await
        .unwrap_err();
    println!("{err} {err:?}");
    Ok(())
}
