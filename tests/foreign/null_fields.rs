//! NULL in fields that cannot contain it: with a default, the row is rejected, because a put would store the default. With
//! `serde, null`, the None of a type that only serde knows is stored as NULL.

use std::collections::BTreeMap;

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::Nullable;
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, Value};
use serde::{Deserialize, Serialize};

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_default_takes_the_place_of_no_null(Flags),
    a_null_that_a_type_can_hold_is_kept(Kept),
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

/// Otherwise a put would replace the NULL by the default, which the program that wrote it does not expect.
async fn a_default_takes_the_place_of_no_null(db: Db) -> Outcome {
    let inner = AttributeValue::M([("open".to_owned(), null())].into());
    for (attribute, stored) in [
        ("paid", null()),
        ("level", null()),
        ("limit", null()),
        ("inner", null()),
        ("inner", inner),
        ("rank", null()),
        ("grade", null()),
    ] {
        let row = raw([("id", s("a")), ("count", n(1)), (attribute, stored)]);
        db.plant::<Flags>(row.clone()).await;
        let error = Flags::key("a").get().send(&db).await;
        let error = error.expect_err(attribute);
        assert_eq!(error.kind(), ErrorKind::Decode, "{attribute}: {error}");
        assert!(
            error.to_string().contains("#[dynamo(null)]"),
            "{attribute}: {error}"
        );
        assert!(
            Flags::key("a")
                .modify(|f| f.count = 2)
                .send(&db)
                .await
                .is_err()
        );
        let rows = Flags::scan().lenient().all(&db).await?;
        assert!(matches!(&rows[..], [Err(_)]), "{attribute}: {rows:?}");
        assert_eq!(db.stored(&Flags::key("a")).await, row, "{attribute}");
    }
    db.plant::<Flags>(raw([("id", s("a")), ("count", n(1)), ("paid", null())]))
        .await;
    let part = Flags::key("a").get().select::<Paid>().send(&db).await;
    assert!(part.is_err(), "{part:?}");

    db.plant::<Flags>(raw([("id", s("a")), ("count", n(1))]))
        .await;
    let read = Flags::key("a").get().send(&db).await?.ok_or("a row")?;
    assert_eq!((read.paid, read.level, read.limit), (false, 3, Some(3)));
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "kept", key(pk = id))]
struct Kept {
    id: String,
    #[dynamo(default = Value::from(3))]
    any: Value,
    #[dynamo(default = Nullable(Some(3)))]
    level: Nullable<u32>,
    #[dynamo(default = Some(Nullable(Some(3))))]
    limit: Option<Nullable<u32>>,
    #[dynamo(default)]
    note: Option<String>,
}

/// A NULL that is a value of the type is read as that value, and not as the default.
async fn a_null_that_a_type_can_hold_is_kept(db: Db) -> Outcome {
    let row = raw([("id", s("a")), ("any", null()), ("level", null())]);
    db.plant::<Kept>(row.clone()).await;
    let read = Kept::key("a").get().send(&db).await?.ok_or("a row")?;
    assert_eq!((&read.any, read.level), (&Value::Null, Nullable(None)));
    read.put().send(&db).await?;
    let mut wanted = row;
    wanted.insert("limit".into(), n(3));
    assert_eq!(db.stored(&read.key()).await, wanted);
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
