//! Races between two writers, where one writes between the other one's read and write.

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, raw, s};
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    a_part_that_another_changed_is_a_conflict(Racer),
    what_another_changed_beside_the_parts_is_kept(Racer),
    an_entity_changed_in_memory_leaves_no_stale_key(Versioned),
    an_emptied_key_text_conflicts_but_a_default_does_not(Named),
    a_ttl_with_a_fraction_is_the_same_second(Lease),
    modify_sees_every_writer_in_between(Racer),
    modify_overwrites_no_attribute_that_came_meanwhile(Racer),
    a_racing_upsert_and_delete_are_serialized(Racer),
    one_of_two_creates_wins(Racer),
];

crate::declare! {
    /// An entity without a version: an update is guarded by the old values of the key parts that it relies on.
    entity Racer(table = "racers", key(pk = id), gsi(by_state, pk = "{state}", sk = "{rank}#{name}"),
        gsi(by_name, pk = "ALL#{state}", sk = "{name}"))
        { id: u32, state: u8, rank: Option<u8>, name: String, note: Option<String>, #[dynamo(rest)] rest: Item }
}

fn racer(id: u32) -> Racer {
    Racer {
        id,
        state: 1,
        rank: Some(1),
        name: "ann".into(),
        note: None,
        rest: Item::new(),
    }
}

/// The stored item is exactly what a put of the stored entity would write.
async fn is_whole<E: DynamoEntity>(db: &Db, key: &Key<E>) -> Outcome {
    let stored = Item::from(db.stored(key).await);
    let entity = E::from_item(stored.clone())?;
    assert_eq!(stored, entity.to_item()?);
    Ok(())
}

async fn a_part_that_another_changed_is_a_conflict(db: Db) -> Outcome {
    let loaded = racer(1).create().send(&db).await?;
    for (rank, name) in [
        (Some(2), "ann"),
        (None, "ann"),
        (Some(1), "bob"),
        (Some(1), ""),
    ] {
        racer(1).put().send(&db).await?;
        let other = loaded.update();
        let other = other.apply(|r| (r.rank().set_or_remove(rank), r.name().set(name)));
        other.send(&db).await?;
        let late = loaded.update().apply(|r| r.state().set(2)).send(&db).await;
        let late = late.err().ok_or("a stale part was relied on")?;
        assert!(late.is_conflict(), "{late}");
        let current = late.current::<Racer>()?.ok_or("no current item")?;
        assert_eq!((current.rank, &*current.name), (rank, name));
        is_whole(&db, &loaded.key()).await?;
    }
    Ok(())
}

async fn what_another_changed_beside_the_parts_is_kept(db: Db) -> Outcome {
    let loaded = racer(1).create().send(&db).await?;
    let other = loaded.key().update().apply(|r| r.note().set("theirs"));
    other.send(&db).await?;
    let new = loaded
        .update()
        .apply(|r| r.state().set(2))
        .send(&db)
        .await?;
    assert_eq!((new.state, new.note.as_deref()), (2, Some("theirs")));
    is_whole(&db, &loaded.key()).await
}

crate::declare! {
    entity Versioned(table = "versioned-racers", key(pk = id), gsi(by_state, pk = "{state}", sk = "{rank}"))
        { id: u32, state: u8, rank: u8, #[dynamo(version)] version: Version }
}

/// A version only detects other writers. A value that was changed in memory was never stored.
async fn an_entity_changed_in_memory_leaves_no_stale_key(db: Db) -> Outcome {
    let first = Versioned {
        id: 1,
        state: 1,
        rank: 1,
        version: Version::default(),
    };
    let mut loaded = first.create().send(&db).await?;
    loaded.rank = 9;
    let refused = loaded.update().apply(|r| r.state().set(2)).send(&db).await;
    assert!(refused.is_err_and(|error| error.is_conflict()));
    // An update that changes both fields knows both of them, so it succeeds.
    let both = loaded
        .update()
        .apply(|r| (r.state().set(2), r.rank().set(9)));
    assert_eq!(both.send(&db).await?.rank, 9);
    is_whole(&db, &loaded.key()).await
}

crate::declare! {
    entity Named(table = "named", key(pk = id), gsi(by_state, pk = "{state}", sk = "{name}"))
        { id: u32, state: u8, #[dynamo(default = "nobody".to_owned())] name: String }
}

/// An update by key leaves the sort key of the index alone, so it only succeeds if the item is in the index
/// and stays there.
async fn an_emptied_key_text_conflicts_but_a_default_does_not(db: Db) -> Outcome {
    let key = Named::key(1);
    let row = [
        ("id", AttributeValue::N("1".into())),
        ("state", AttributeValue::N("1".into())),
        ("by_state_pk", s("001")),
        ("by_state_sk", s("nobody")),
    ];
    db.plant::<Named>(raw(row)).await;
    let new = key
        .clone()
        .update()
        .apply(|n| n.state().set(2))
        .send(&db)
        .await?;
    assert_eq!((new.state, &*new.name), (2, "nobody"));
    assert_eq!(db.stored(&key).await["by_state_pk"], s("002"));
    // Another writer empties the text, so the next update can no longer rely on it.
    key.clone()
        .update()
        .apply(|n| n.name().set(""))
        .when(|n| n.state().eq(2))
        .send(&db)
        .await?;
    let late = key
        .clone()
        .update()
        .apply(|n| n.state().set(3))
        .send(&db)
        .await;
    assert!(late.is_err_and(|error| error.is_conflict()));
    is_whole(&db, &key).await
}

crate::declare! {
    entity Lease(table = "leases", key(pk = id), gsi(by_end, pk = "{holder}", sk = "{until}"))
        { id: u32, holder: String, #[dynamo(ttl)] until: Option<i64> }
}

/// Another program may store a fraction of a second. A read cuts it off.
async fn a_ttl_with_a_fraction_is_the_same_second(db: Db) -> Outcome {
    let key = Lease::key(1);
    let row = [
        ("id", AttributeValue::N("1".into())),
        ("holder", s("ann")),
        ("until", AttributeValue::N("4102444800.75".into())),
        ("by_end_pk", s("ann")),
        ("by_end_sk", s("0000000004102444800")),
    ];
    db.plant::<Lease>(raw(row)).await;
    let loaded = key.clone().get().send(&db).await?.ok_or("no lease")?;
    let new = loaded
        .update()
        .apply(|l| l.holder().set("bob"))
        .send(&db)
        .await?;
    assert_eq!((&*new.holder, new.until), ("bob", Some(4_102_444_800)));
    assert_eq!(db.stored(&key).await["by_end_pk"], s("bob"));
    // A later second is another time, so an update that relies on the earlier one is a conflict.
    key.clone()
        .update()
        .apply(|l| l.until().set(4_102_444_801))
        .when(|l| l.holder().eq("bob"))
        .send(&db)
        .await?;
    let late = new
        .update()
        .apply(|l| l.holder().set("cid"))
        .send(&db)
        .await;
    assert!(late.is_err_and(|error| error.is_conflict()));
    is_whole(&db, &key).await
}

async fn modify_sees_every_writer_in_between(db: Db) -> Outcome {
    let key = racer(1).create().send(&db).await?.key();
    let mut runs = 0;
    let change = |racer: &mut Racer| {
        runs += 1;
        // Another writer comes between the read and each of the first two writes: first it changes the row,
        // then it puts another one.
        match runs {
            1 => {
                let other = key.clone().update();
                let other = other
                    .apply(|r| (r.rank().set(7), r.name().set("bob")))
                    .when(|r| r.state().eq(1));
                meanwhile(async { other.send(&db).await }).expect("the other write");
            }
            2 => {
                let other = Racer {
                    rank: None,
                    ..self::racer(1)
                };
                meanwhile(async { other.put().send(&db).await }).expect("the other write");
            }
            _ => {}
        }
        racer.state += 1;
    };
    let new = key.clone().modify(change).send(&db).await?;
    assert_eq!((new.state, new.rank, &*new.name), (2, None, "ann"));
    assert_eq!(runs, 3);
    is_whole(&db, &key).await
}

async fn modify_overwrites_no_attribute_that_came_meanwhile(db: Db) -> Outcome {
    let key = racer(1).create().send(&db).await?.key();
    let mut runs = 0;
    let change = |racer: &mut Racer| {
        runs += 1;
        if runs == 1 {
            let other = key
                .clone()
                .update()
                .apply(|r| r.rest().entry("votes").set(Value::from(1)));
            meanwhile(async { other.send(&db).await }).expect("the other write");
        }
        let votes = match racer.rest.get("votes") {
            Some(_) => 2,
            None => 1,
        };
        racer.rest.insert("votes", votes);
    };
    let new = key.clone().modify(change).send(&db).await?;
    assert_eq!(
        new.rest.get("votes"),
        Some(&Value::from(2)),
        "one vote was lost"
    );
    assert_eq!(runs, 2);
    Ok(())
}

async fn a_racing_upsert_and_delete_are_serialized(db: Db) -> Outcome {
    for round in 0..20 {
        let before = Racer {
            note: Some("old".into()),
            ..racer(round)
        };
        let key = before.create().send(&db).await?.key();
        let upsert = key.clone().upsert();
        let upsert = upsert.apply(|r| (r.state().set(3), r.rank().set(4), r.name().set("zoe")));
        let (upserted, deleted) = tokio::join!(upsert.send(&db), key.clone().delete().send(&db));
        let (upserted, ()) = (upserted?, deleted?);
        assert_eq!(
            (upserted.state, upserted.rank, &*upserted.name),
            (3, Some(4), "zoe")
        );
        match db.raw(&key).await {
            Some(_) => is_whole(&db, &key).await?,
            None => assert_eq!(
                upserted.note.as_deref(),
                Some("old"),
                "the delete came last"
            ),
        }
    }
    Ok(())
}

async fn one_of_two_creates_wins(db: Db) -> Outcome {
    for round in 0..20 {
        let (ann, bob) = (
            racer(round),
            Racer {
                name: "bob".into(),
                rank: None,
                ..racer(round)
            },
        );
        let (one, two) = tokio::join!(ann.create().send(&db), bob.create().send(&db));
        let (won, lost) = match (one, two) {
            (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
            other => return Err(format!("{other:?}").into()),
        };
        assert_eq!(lost.kind(), ErrorKind::AlreadyExists);
        assert_eq!(lost.current::<Racer>()?, Some(won.clone()));
        is_whole(&db, &won.key()).await?;
    }
    Ok(())
}
