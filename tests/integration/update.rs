//! `update`, `upsert` and `touch`: what they store, return and refuse.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;

use crate::model::{Order, Shop, Status, order};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    changes_and_returns_the_new_entity,
    refuses_to_make_a_row,
    keeps_the_keys_of_indexes,
];

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Address {
    pub city: String,
    pub zip: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "people", key(pk = id))]
pub struct Person {
    pub id: String,
    pub age: u8,
    pub nick: Option<String>,
    pub address: Address,
    pub second: Option<Address>,
    pub colors: BTreeMap<String, String>,
    pub scores: Vec<i64>,
    #[dynamo(rename = "a.b-c d")]
    pub odd: Option<i64>,
    #[dynamo(default = 10)]
    pub lives: u32,
}

pub fn person(id: &str) -> Person {
    Person {
        id: id.into(),
        age: 30,
        nick: Some("ada".into()),
        address: Address {
            city: "Kobe".into(),
            zip: None,
        },
        second: None,
        colors: [("eye".to_owned(), "blue".to_owned())].into(),
        scores: vec![1, 2, 3],
        odd: None,
        lives: 10,
    }
}

async fn changes_and_returns_the_new_entity(db: Db) -> Outcome {
    db.create_tables([Person::schema()]).await?;
    person("p").create().send(&db).await?;
    let new = Person::key("p")
        .update()
        .apply(|p| {
            (
                p.age().add(1),
                p.nick().remove(),
                p.address().city().set("Osaka"),
                p.colors().entry("hair").set("red"),
                p.colors().entry("eye").remove(),
                p.scores().at(1).add(40),
                p.odd().set(5),
                p.lives().sub(1),
            )
        })
        .when(|p| p.age().lt(31) & p.scores().len().eq(3))
        .send(&db)
        .await?;
    let mut expected = person("p");
    expected.age = 31;
    expected.nick = None;
    expected.address.city = "Osaka".into();
    expected.colors = [("hair".to_owned(), "red".to_owned())].into();
    expected.scores = vec![1, 42, 3];
    expected.odd = Some(5);
    expected.lives = 9;
    assert_eq!(new, expected);
    assert_eq!(Person::key("p").get().send(&db).await?, Some(expected));
    Ok(())
}

async fn refuses_to_make_a_row(db: Db) -> Outcome {
    db.create_tables([Person::schema()]).await?;
    let lost = Person::key("q")
        .update()
        .apply(|p| p.age().set(1))
        .send(&db)
        .await
        .unwrap_err();
    assert!(lost.is_not_found(), "{lost}");
    let looked = Person::key("q")
        .update()
        .apply(|_| None::<dynamo_entity::expr::Change<Person>>);
    assert!(looked.send(&db).await.unwrap_err().is_not_found());
    assert_eq!(db.count::<Person>().await, 0);
    Ok(())
}

async fn keeps_the_keys_of_indexes(db: Db) -> Outcome {
    db.create_tables([Shop::schema()]).await?;
    let order = order("u", 7).create().send(&db).await?;
    let key = order.key();
    // `placed_at` is known from the key. The local index holds the order while it is paid and has a note.
    let new = key
        .clone()
        .update()
        .apply(|o| (o.status().set(Status::Pending), o.note().set("x")))
        .send(&db)
        .await?;
    assert_eq!(new.version.number(), Some(2));
    let stored = db.stored(&key).await;
    assert_eq!(stored.get("gsi1pk"), Some(&s("STATUS#Pending")));
    assert_eq!(stored.get("lsi1sk"), None);
    assert_eq!(Item::from(stored), new.to_item()?);
    // An update by key does not know the note, which the local index needs.
    let refused = key
        .clone()
        .update()
        .apply(|o| o.status().set(Status::Paid))
        .send(&db)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert!(refused.to_string().contains("`note`"), "{refused}");
    let by_condition = key
        .clone()
        .update()
        .apply(|o| o.status().set(Status::Paid))
        .when(|o| o.note().eq("x"))
        .send(&db)
        .await?;
    assert_eq!(Item::from(db.stored(&key).await), by_condition.to_item()?);
    let loaded = by_condition
        .update()
        .apply(|o| o.note().set("z"))
        .send(&db)
        .await?;
    assert_eq!(Item::from(db.stored(&key).await), loaded.to_item()?);
    let late = by_condition
        .update()
        .apply(|o| o.note().set("w"))
        .send(&db)
        .await
        .unwrap_err();
    assert!(late.is_conflict());
    assert_eq!(late.current::<Order>().transpose()?, Some(loaded));
    Ok(())
}
