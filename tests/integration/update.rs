//! `update`, `upsert` and `touch`: what they store, return and refuse.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;

use crate::model::{Order, Shop, Status, order};
use crate::support::db::{Db, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    changes_and_returns_the_new_entity(Person),
    refuses_to_make_a_row(Person),
    keeps_the_keys_of_indexes(Shop),
    two_values_are_the_least_update(Person),
    two_values_of_two_keys_are_refused,
    two_values_take_part_in_a_transaction(Person),
    the_size_of_text_is_that_of_utf_16(Person),
];

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Address {
    pub city: String,
    pub zip: Option<String>,
}

crate::declare! {
    pub entity Person(table = "people", key(pk = id))
        { pub id: String, pub age: u8, pub nick: Option<String>, pub address: Address, pub second: Option<Address>,
          pub colors: BTreeMap<String, String>, pub scores: Vec<i64>,
          #[dynamo(rename = "a.b-c d")] pub odd: Option<i64>, #[dynamo(default = 10)] pub lives: u32 }
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

/// What no field knows stays, and so does what others changed beside it if a version tells that nothing did.
async fn two_values_are_the_least_update(db: Db) -> Outcome {
    let mut item = person("p").to_item()?;
    item.insert("unknown", "kept");
    db.plant::<Person>(item).await;
    let seen = Person::key("p").get().send(&db).await?.ok_or("there")?;
    let mut next = seen.clone();
    next.nick = None;
    next.scores.push(4);
    let explained = seen.changes_to(&next).explain(&db)?;
    let update = r##""UpdateExpression":"SET #n0 = :v0 REMOVE #n1""##;
    assert!(explained.requests[0].contains(update), "{explained:?}");
    assert_eq!(seen.changes_to(&next).send(&db).await?, next);
    let stored = db.stored(&seen.key()).await;
    assert_eq!(stored.get("unknown"), Some(&s("kept")));

    // It is stale now: whatever was changed, the next value may have been made of it.
    let late = Person {
        age: 31,
        ..seen.clone()
    };
    let late = seen.changes_to(&late).send(&db).await.unwrap_err();
    assert!(late.is_conflict());

    let (faulty, http) = db.faulty([]);
    let same = next.changes_to(&next);
    assert!(same.is_empty() && !seen.changes_to(&next).is_empty());
    assert_eq!(same.send(&faulty).await?, next);
    assert!(next.changes_to(&next).explain(&db)?.requests.is_empty());
    let changed = next.changes_to(&next).returning_changed();
    assert_eq!(changed.send(&faulty).await?, Item::new());
    assert_eq!(http.calls().len(), 0);
    // What is asked is asked.
    let asked = next.changes_to(&next).when(|p| p.age().eq(1));
    assert!(asked.send(&faulty).await.unwrap_err().is_conflict());
    assert_eq!(http.calls().first().map(|call| &**call), Some("UpdateItem"));
    Ok(())
}

async fn the_size_of_text_is_that_of_utf_16(db: Db) -> Outcome {
    for (nick, size) in [("a", 1), ("é", 1), ("あ", 1), ("😀", 2)] {
        let new = Person {
            nick: Some(nick.into()),
            ..person("p")
        };
        new.put().send(&db).await?;
        let has_size = new.update().when(|p| p.nick().size().eq(size)).send(&db);
        assert_eq!(has_size.await?, new, "{nick}");
    }
    Ok(())
}

async fn two_values_of_two_keys_are_refused(db: Db) -> Outcome {
    let refused = person("a").changes_to(&person("b")).send(&db).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert!(refused.to_string().contains("different keys"), "{refused}");
    // It is no update that changes nothing, which programs leave out.
    assert!(!person("a").changes_to(&person("b")).is_empty());
    // A job reports it, too.
    db.create_tables([Person::schema()]).await?;
    person("a").create().send(&db).await?;
    let job = Person::scan().update_each(|_| person("a").changes_to(&person("b")));
    let report = job.send(&db).await?;
    assert_eq!(report.written, 0);
    assert!(report.complete().is_err());
    assert_eq!(db.count::<Person>().await, 1);
    Ok(())
}

async fn two_values_take_part_in_a_transaction(db: Db) -> Outcome {
    let (first, second) = (person("a"), person("b"));
    first.create().send(&db).await?;
    second.create().send(&db).await?;
    let older = Person {
        age: 31,
        ..first.clone()
    };
    let both = || {
        Transaction::new()
            .with(first.changes_to(&older))
            .with(second.changes_to(&second))
    };
    both().send(&db).await?;
    assert_eq!(Person::key("a").get().send(&db).await?, Some(older.clone()));
    Person::key("b").delete().send(&db).await?;
    let error = both().send(&db).await.unwrap_err();
    let failed: Vec<_> = error
        .failures()
        .iter()
        .map(|failed| failed.index())
        .collect();
    assert_eq!(failed, [0, 1]);
    Ok(())
}

async fn changes_and_returns_the_new_entity(db: Db) -> Outcome {
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
    assert_eq!(late.current::<Order>()?, Some(loaded));
    Ok(())
}
