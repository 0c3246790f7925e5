//! NULL in fields with a default, which it represents, and in fields of types that only serde knows, whose None is stored as
//! NULL by `serde, null`.

use std::collections::BTreeMap;

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_null_is_read_as_the_default(Flags),
    serde_fields_keep_null(Boxed),
    a_new_item_has_the_null_of_serde(Boxed),
];

fn null() -> AttributeValue {
    AttributeValue::Null(true)
}

#[derive(Debug, Clone, Default, PartialEq, DynamoValue)]
struct Inner {
    #[dynamo(default)]
    open: bool,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "flags", key(pk = id))]
struct Flags {
    id: String,
    #[dynamo(default)]
    paid: bool,
    #[dynamo(default = 3)]
    level: u32,
    #[dynamo(default = Some(3))]
    limit: Option<u32>,
    #[dynamo(default = Value::from(3))]
    any: Value,
    #[dynamo(default)]
    inner: Inner,
    #[dynamo(default, was = "grade")]
    rank: u32,
    count: u32,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Flags)]
struct Paid {
    paid: bool,
}

fn flags(attribute: &str, stored: AttributeValue) -> Raw {
    raw([("id", s("a")), ("count", n(1)), (attribute, stored)])
}

/// Some programs write NULL for every absent value, so such a row can be read and updated. A put writes the default.
async fn a_null_is_read_as_the_default(db: Db) -> Outcome {
    db.plant::<Flags>(raw([("id", s("a")), ("count", n(1))]))
        .await;
    let default = Flags::key("a").get().send(&db).await?.ok_or("a row")?;
    assert_eq!((default.paid, default.level), (false, 3));
    assert_eq!((default.limit, default.any.clone()), (Some(3), 3.into()));
    let inner = AttributeValue::M([("open".to_owned(), null())].into());
    for (attribute, stored) in [
        ("paid", null()),
        ("level", null()),
        ("limit", null()),
        ("any", null()),
        ("inner", null()),
        ("inner", inner),
        ("rank", null()),
        ("grade", null()),
    ] {
        let row = flags(attribute, stored);
        db.plant::<Flags>(row.clone()).await;
        let read = Flags::key("a").get().send(&db).await?.ok_or("a row")?;
        assert_eq!(read, default, "{attribute}");
        assert_eq!(Flags::scan().all(&db).await?, std::slice::from_ref(&read));

        let kept = |count| {
            let mut row = row.clone();
            row.insert("count".into(), n(count));
            row
        };
        let read = read.update().apply(|f| f.count().set(2)).send(&db).await?;
        assert_eq!(db.stored(&read.key()).await, kept(2), "{attribute}: update");
        Flags::key("a").modify(|f| f.count = 3).send(&db).await?;
        assert_eq!(db.stored(&read.key()).await, kept(3), "{attribute}: modify");

        read.put().send(&db).await?;
        let put = db.stored(&read.key()).await;
        assert!(put.values().all(|value| *value != null()), "{put:?}");
    }
    db.plant::<Flags>(flags("paid", null())).await;
    let part = Flags::key("a").get().select::<Paid>().send(&db).await?;
    assert_eq!(part, Some(Paid { paid: false }));
    Ok(())
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Plan {
    name: String,
    size: Option<u32>,
    sizes: Vec<Option<u32>>,
    named: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "boxed", key(pk = id))]
struct Boxed {
    id: String,
    #[dynamo(serde, null)]
    plan: Option<Plan>,
    #[dynamo(serde)]
    plain: Option<Plan>,
    count: u32,
}

fn boxed(plan: AttributeValue) -> Raw {
    raw([("id", s("a")), ("plan", plan), ("count", n(0))])
}

/// Within the value, serde writes each None as NULL.
async fn serde_fields_keep_null(db: Db) -> Outcome {
    let named = AttributeValue::M([("x".to_owned(), null())].into());
    let whole = raw([
        ("name", s("p")),
        ("size", null()),
        ("sizes", AttributeValue::L(vec![null(), n(1)])),
        ("named", named),
    ]);
    for plan in [null(), AttributeValue::M(whole)] {
        db.plant::<Boxed>(boxed(plan.clone())).await;
        let read = Boxed::key("a").get().send(&db).await?.ok_or("a row")?;
        assert_eq!(read.plan.is_none(), plan == null());
        read.put().send(&db).await?;
        assert_eq!(db.stored(&read.key()).await, boxed(plan.clone()), "put");
        let wanted = |count| {
            let mut row = boxed(plan.clone());
            row.insert("count".into(), n(count));
            row
        };
        Boxed::key("a").modify(|b| b.count = 1).send(&db).await?;
        assert_eq!(db.stored(&read.key()).await, wanted(1), "modify");
        let value = read.plan.clone();
        let update = Boxed::key("a").update();
        update
            .apply(|b| (b.plan().set(value), b.count().set(2)))
            .send(&db)
            .await?;
        assert_eq!(db.stored(&read.key()).await, wanted(2), "set");
        let found = Boxed::scan().filter(|b| b.plan().eq(read.plan.clone()));
        assert_eq!(found.all(&db).await?.len(), 1, "eq");
        // The loaded None is compared, whether the attribute is missing or NULL.
        if plan == null() {
            let mut row = boxed(null());
            row.remove("plan");
            db.plant::<Boxed>(row).await;
        } else {
            db.plant::<Boxed>(boxed(plan)).await;
        }
        let next = Boxed {
            plan: Some(Plan::default()),
            ..read.clone()
        };
        let written = read.changes_to(&next).send(&db).await?;
        assert_eq!(written, next);
    }
    Ok(())
}

async fn a_new_item_has_the_null_of_serde(db: Db) -> Outcome {
    let new = Boxed {
        id: "a".into(),
        plan: None,
        plain: None,
        count: 0,
    };
    new.create().send(&db).await?;
    assert_eq!(db.stored(&new.key()).await, boxed(null()));
    let upserted = Boxed::key("b").upsert().apply(|b| b.count().set(0));
    let upserted = upserted.send(&db).await?;
    assert_eq!(db.stored(&upserted.key()).await["plan"], null());
    Ok(())
}
