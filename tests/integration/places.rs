//! Law N1 for the entities that most tests use: the schema knows where each of them is.

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::NotIndexed;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use crate::model::{
    Draft, Note, Order, Page, RequestCount, Session, Shop, Status, UserId, order, user,
};
use crate::support::db::Db;
use crate::support::placed::PlacedTable;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_index_holds_what_the_schema_says,
    plain_tables_hold_what_the_schema_says,
    an_absence_has_its_reason,
    a_none_with_a_place_is_not_missing,
    what_the_service_refuses_has_no_place(Shop),
];

async fn every_index_holds_what_the_schema_says(db: Db) -> Outcome {
    let mut table = PlacedTable::create(&db, Shop::schema(), &[], 1).await?;
    let mut rng = Rng::with_seed(1);
    table
        .fill_with((0..20).map(|no| user(&format!("u#{no}"))))
        .await?;
    let orders: Vec<Order> = (0..80).map(|no| random_order(&mut rng, no)).collect();
    table.fill_with(orders).await?;
    table.check().await
}

fn random_order(rng: &mut Rng, no: u32) -> Order {
    let statuses = [Status::Paid, Status::Pending, Status::Shipped];
    let notes = [
        None,
        Some(String::new()),
        Some("a#b".to_owned()),
        Some("gift".to_owned()),
    ];
    Order {
        user_id: UserId(format!("u#{}", rng.u8(0..4))),
        placed_at: Utc::now() + TimeDelta::nanoseconds(rng.i64(..1 << 50)),
        status: rng.choice(statuses).unwrap_or(Status::Paid),
        note: rng.choice(notes).flatten(),
        expires_at: rng.bool().then(|| Utc::now() + TimeDelta::hours(5)),
        ..order("u", no)
    }
}

async fn plain_tables_hold_what_the_schema_says(db: Db) -> Outcome {
    macro_rules! fill {
        ($($entity:ty),*) => {$(
            let mut table = PlacedTable::create(&db, <$entity>::schema(), &[], 2).await?;
            table.fill::<$entity>().await?;
            table.check().await?;
        )*};
    }
    fill!(Note, RequestCount, Draft, Page, Session);
    Ok(())
}

async fn an_absence_has_its_reason(_: Db) -> Outcome {
    let schema = Shop::schema();
    let place = schema.place(&user("ann"))?;
    let why = place.index("gsi1").ok_or("it is declared")?;
    assert!(matches!(why, Err(NotIndexed::NoPattern { attribute }) if attribute == "gsi1pk"));

    let mut unsaid = order("ann", 1);
    unsaid.note = None;
    let place = schema.place(&unsaid)?;
    let why = place.index("lsi1").ok_or("it is declared")?;
    assert!(matches!(why, Err(NotIndexed::Missing { fields, .. }) if fields == &["note"]));

    let mut pending = order("ann", 1);
    pending.status = Status::Pending;
    let place = schema.place(&pending)?;
    let why = place.index("lsi1").ok_or("it is declared")?;
    assert!(
        matches!(why, Err(NotIndexed::Condition(when)) if when.contains("Paid")),
        "{why:?}"
    );
    assert!(place.index("gsi1").is_some_and(|place| place.is_ok()));
    Ok(())
}

crate::declare! {
    /// Work that is to be done.
    entity Work(table = "work", key(pk = "WORK#{id}"),
        gsi(open, pk = "OPEN#{team}", sk = "{due:last}#{id}", when(done = false)))
        { id: u32, team: Option<String>, due: Option<DateTime<Utc>>, #[dynamo(default)] done: bool }
}

async fn a_none_with_a_place_is_not_missing(_: Db) -> Outcome {
    let schema = Work::schema();
    let why = |team: Option<&str>, done| -> Result<NotIndexed, Box<dyn std::error::Error>> {
        let team = team.map(str::to_owned);
        let work = Work {
            id: 1,
            team,
            due: None,
            done,
        };
        let place = schema.place(&work)?;
        let place = place.index("open").ok_or("it is declared")?;
        place
            .clone()
            .err()
            .ok_or_else(|| "it is in the index".into())
    };
    assert_eq!(
        why(Some("a"), true)?,
        NotIndexed::Condition("done = false".into())
    );
    let missing = why(None, false)?;
    assert_eq!(
        missing.to_string(),
        "missing is `team`, which the key `open_pk` is made of"
    );
    assert!(
        schema
            .place(&Work {
                id: 1,
                team: Some("a".into()),
                due: None,
                done: false
            })?
            .index("open")
            .is_some_and(|place| place.is_ok())
    );
    // What a template of the primary key holds need not be an attribute.
    let work = schema.entity("Work").ok_or("it is declared")?;
    assert!(!work.field("id").is_some_and(|id| id.is_required));
    Ok(())
}

async fn what_the_service_refuses_has_no_place(db: Db) -> Outcome {
    let schema = Shop::schema();
    let item = |changes: &[(&str, Value)]| {
        let mut item = Item::from_iter([("pk", Value::from("a")), ("sk", Value::from("b"))]);
        for (name, value) in changes {
            item.insert(*name, value.clone());
        }
        item
    };
    let cases = [
        (item(&[]), true),
        (item(&[("gsi1pk", Value::from("x"))]), true),
        (item(&[("gsi1pk", Value::from(5))]), false),
        (item(&[("gsi1sk", Value::from(""))]), false),
        (item(&[("lsi1sk", Value::Null)]), false),
        (item(&[("pk", Value::from(""))]), false),
        (item(&[("sk", Value::from(7))]), false),
        (item(&[("sk", Value::from("x".repeat(1024)))]), true),
        (item(&[("sk", Value::from("x".repeat(1025)))]), false),
        (item(&[("pk", Value::from("x".repeat(2048)))]), true),
        (item(&[("pk", Value::from("x".repeat(2049)))]), false),
        (Item::from_iter([("pk", Value::from("a"))]), false),
    ];
    // AWS refuses it; the embedded engine keeps keys of indexes of any size.
    let long = item(&[("gsi1sk", Value::from("x".repeat(1025)))]);
    assert!(schema.place_item(&long).is_err());
    for (item, fits) in cases {
        assert_eq!(schema.place_item(&item).is_ok(), fits, "{item:?}");
        let put = db.client().put_item().table_name(db.table::<Shop>());
        let put = put.set_item(Some(item.clone().into())).send().await;
        assert_eq!(put.is_ok(), fits, "{item:?}: {put:?}");
    }
    Ok(())
}
