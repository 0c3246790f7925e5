//! Entities with the same keys, whose rows are identified by their types: `identify_by = type`.

mod histories;
mod jobs;
mod other_rows;
mod shapes;

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, StreamEvent};
use dynamo_entity::{Error, ErrorKind, Item, Value};

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;
use histories::{
    concurrent_programs_keep_their_rows, random_writes_change_only_rows_of_their_entity,
};
use jobs::{
    jobs_leave_rows_that_become_others, lines_and_copies_replace_no_other_row,
    rows_that_become_others_are_not_deleted,
};
use other_rows::{
    Birds, Whales, a_null_is_no_type, a_value_of_a_live_owner_is_kept,
    a_value_of_another_class_is_not_found, an_unknown_outcome_stays_unknown,
    hydrated_rows_are_those_of_the_entity, items_without_a_type_belong_to_no_entity,
    large_rows_are_compared_within_the_limit, lines_without_a_response_are_sent_again,
    modify_returns_the_item_of_the_other_entity, projections_compare_constants,
    queries_of_one_entity_leave_out_other_classes, rows_of_an_index_without_types_are_explained,
    rows_of_no_entity_are_not_touched,
};
use shapes::{Staff, evaluated_updates_change_no_other_item};

tests![
    rows_of_pynamo_db_are_read_and_kept(Zoo),
    random_writes_change_only_rows_of_their_entity(Animals),
    concurrent_programs_keep_their_rows(Animals),
    jobs_leave_rows_that_become_others(Animals),
    rows_that_become_others_are_not_deleted(Animals),
    a_failed_write_returns_the_item_of_the_other_entity(Animals),
    writes_without_a_response_are_sent_again(Animals),
    items_without_a_type_belong_to_no_entity(Animals),
    reads_of_other_rows_are_errors(Animals),
    lines_and_copies_replace_no_other_row(Animals),
    keys_without_images_are_shown_to_all(Animals),
    expired_rows_of_others_are_kept(Leases),
    constants_distinguish_rows_of_one_type(Editions),
    projections_compare_constants(Editions),
    rows_of_no_entity_are_not_touched(Animals),
    a_null_is_no_type(Animals),
    evaluated_updates_change_no_other_item(Staff),
    queries_of_one_entity_leave_out_other_classes(Birds),
    a_value_of_a_live_owner_is_kept(Animals),
    a_value_of_another_class_is_not_found(Animals),
    an_unknown_outcome_stays_unknown(Animals),
    modify_returns_the_item_of_the_other_entity(Animals),
    lines_without_a_response_are_sent_again(Animals),
    hydrated_rows_are_those_of_the_entity(Animals),
    rows_of_an_index_without_types_are_explained(Animals),
    large_rows_are_compared_within_the_limit(Whales),
];

/// Polymorphic models of PynamoDB, with `cls = DiscriminatorAttribute()`.
#[derive(DynamoTable)]
#[dynamo(name = "zoo", pk = "id", verbatim, type_attribute = "cls", identify_by = type, entities(Cat, Dog))]
struct Zoo;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Zoo, key(pk = id))]
struct Cat {
    id: String,
    lives: u8,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Zoo, key(pk = id))]
struct Dog {
    id: String,
    owner: Option<String>,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Zoo)]
enum Animal {
    Cat(Cat),
    Dog(Dog),
}

async fn rows_of_pynamo_db_are_read_and_kept(db: Db) -> Outcome {
    let rows = [
        raw([("id", s("1")), ("cls", s("Cat")), ("lives", n(9))]),
        raw([("id", s("2")), ("cls", s("Dog")), ("owner", s("ann"))]),
        raw([
            ("id", s("3")),
            ("cls", s("Cat")),
            ("lives", n(7)),
            ("fur", s("red")),
        ]),
        raw([("id", s("4")), ("cls", s("Bird")), ("song", s("x"))]),
    ];
    for row in &rows {
        db.plant::<Cat>(row.clone()).await;
    }
    let dog = Dog::key("2").get().send(&db).await?.ok_or("a dog")?;
    assert_eq!(dog.owner.as_deref(), Some("ann"));
    assert_eq!(Cat::scan().count(&db).await?, 2);
    assert_eq!(Dog::scan().all(&db).await?, [dog]);
    let animals = Animal::scan().lenient().all(&db).await?;
    // The bird is no variant, and is reported.
    assert_eq!(animals.iter().filter(|row| row.is_ok()).count(), 3);
    assert_eq!(animals.len(), 4);

    let cat = |id: &str| Cat {
        id: id.into(),
        lives: 1,
        rest: Item::new(),
    };
    for id in ["2", "4"] {
        assert!(
            cat(id)
                .put()
                .send(&db)
                .await
                .is_err_and(|error| error.is_conflict())
        );
        let created = cat(id).create().send(&db).await;
        assert!(created.is_err_and(|error| error.is_already_exists()));
        assert!(
            Cat::key(id)
                .delete()
                .send(&db)
                .await
                .is_err_and(|error| error.is_conflict())
        );
        let kept = rows.iter().find(|row| row["id"] == s(id));
        assert_eq!(db.raw(&Cat::key(id)).await.as_ref(), kept);
    }
    let cat = Cat::key("3")
        .update()
        .apply(|c| c.lives().set(6))
        .send(&db)
        .await?;
    assert_eq!(
        (cat.lives, cat.rest.get("fur")),
        (6, Some(&Value::S("red".into())))
    );
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(
    name = "animals",
    pk = "pk",
    sk = "sk",
    type_attribute = "cls",
    identify_by = type,
    entities(Mouse, Horse, Fish),
    stream = new_and_old_images
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk", project = keys))]
struct Animals;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"))]
#[dynamo(gsi(mice_by_count, on = gsi1, pk = "COUNT#{count}", sk = "{name}"))]
struct Mouse {
    owner: String,
    name: String,
    count: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"))]
#[dynamo(gsi(horses_by_count, on = gsi1, pk = "COUNT#{count}", sk = "{name}"))]
struct Horse {
    owner: String,
    name: String,
    count: u32,
    #[dynamo(version)]
    version: Version,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Animals, key(pk = "OWNER#{owner}", sk = "{name}"), unique(by_tag, tag))]
struct Fish {
    owner: String,
    name: String,
    count: u32,
    tag: String,
}

#[derive(Debug, Clone, PartialEq, DynamoProjection)]
#[dynamo(entity = Mouse)]
struct Count {
    count: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Animals, partition(owner))]
enum Owned {
    Mouse(Mouse),
    Horse(Horse),
}

/// The owner and the name.
type Place = (&'static str, &'static str);

/// Another writer of the table, which may be a process without the library.
fn untyped(place: Place) -> Raw {
    let (owner, name) = place;
    raw([
        ("pk", s(&format!("OWNER#{owner}"))),
        ("sk", s(name)),
        ("count", n(7)),
    ])
}

fn mouse((owner, name): Place, count: u32) -> Mouse {
    Mouse {
        owner: owner.into(),
        name: name.into(),
        count,
    }
}

fn horse((owner, name): Place, count: u32) -> Horse {
    Horse {
        owner: owner.into(),
        name: name.into(),
        count,
        version: Version::default(),
    }
}

fn fish((owner, name): Place, count: u32) -> Fish {
    let tag = format!("{owner}/{name}");
    Fish {
        owner: owner.into(),
        name: name.into(),
        count,
        tag,
    }
}

async fn a_failed_write_returns_the_item_of_the_other_entity(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = mouse(place, 3).create().send(&db).await?;
    let error = horse(place, 1)
        .put()
        .unchecked()
        .send(&db)
        .await
        .expect_err("another entity");
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(
        error.to_string().contains("belongs to another entity"),
        "{error}"
    );
    assert_eq!(error.current::<Mouse>()?, Some(stored.clone()));
    assert_eq!(error.current::<Horse>()?, None);
    assert_eq!(error.current_item()?, Some(stored.to_item()?));
    let error = fish(place, 1)
        .put()
        .send(&db)
        .await
        .expect_err("another entity");
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.current::<Mouse>()?, Some(stored.clone()));
    // No unique value was taken.
    fish(("ann", "b"), 1).create().send(&db).await?;
    assert_eq!(Fish::by_tag("ann/a").send(&db).await?, None);

    let put = mouse(place, 4).put().explain(&db)?;
    assert!(
        put.requests[0].contains("attribute_not_exists(#n0) OR #n1 = :v0"),
        "{put:?}"
    );
    let update = mouse(place, 4)
        .key()
        .update()
        .apply(|p| p.count().set(4))
        .explain(&db)?;
    assert!(update.requests[0].contains("cls"), "{update:?}");
    let create = mouse(place, 4).create().explain(&db)?;
    assert!(!create.requests[0].contains(" OR "), "{create:?}");
    Ok(())
}

/// The condition on the type still holds after the first attempt, unlike other conditions.
async fn writes_without_a_response_are_sent_again(db: Db) -> Outcome {
    let place = ("ann", "a");
    let stored = mouse(place, 1);
    let (faulty, _) = db.faulty([Fault::Lose]);
    assert_eq!(stored.put().send(&faulty).await?, stored);
    let (faulty, _) = db.faulty([Fault::Lose]);
    stored.key().delete().send(&faulty).await?;
    assert_eq!(stored.key().get().send(&db).await?, None);

    // The second attempt would return what the first one has left.
    stored.put().send(&db).await?;
    let (faulty, _) = db.faulty([Fault::Lose]);
    let old = stored.key().delete().returning_old().send(&faulty).await;
    assert!(old.is_err_and(|error| error.is_outcome_unknown()));

    // The first attempt may have taken effect before the item of another entity came.
    horse(place, 1).create().send(&db).await?;
    let (faulty, _) = db.faulty([Fault::Timeout]);
    let error = stored
        .put()
        .send(&faulty)
        .await
        .expect_err("another entity");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(db.stored(&stored.key()).await["cls"], s("Horse"));
    Ok(())
}

async fn reads_of_other_rows_are_errors(db: Db) -> Outcome {
    let place = ("ann", "a");
    horse(place, 1).create().send(&db).await?;
    let key = mouse(place, 0).key();
    let kind = |error: Error| error.kind();
    assert_eq!(
        key.clone().get().send(&db).await.map_err(kind),
        Err(ErrorKind::Decode)
    );
    let partial = key.clone().get().select::<Count>().send(&db).await;
    assert_eq!(partial.map_err(kind), Err(ErrorKind::Decode));
    let many = Mouse::get_many([key.clone()]).send(&db).await;
    assert_eq!(many.map_err(kind), Err(ErrorKind::Decode));
    let both = batch_get((key.clone().get(), horse(place, 0).key().get()))
        .send(&db)
        .await;
    assert_eq!(both.map_err(kind), Err(ErrorKind::Decode));
    assert_eq!(
        transact_get((key.get(),)).send(&db).await.map_err(kind),
        Err(ErrorKind::Decode)
    );

    // An index that contains only keys contains the type too.
    mouse(("bob", "a"), 1).create().send(&db).await?;
    assert_eq!(Mouse::mice_by_count(1).count(&db).await?, 1);
    assert_eq!(
        Mouse::mice_by_count(1).hydrate().all(&db).await?,
        [mouse(("bob", "a"), 1)]
    );
    assert_eq!(
        Horse::horses_by_count(1).all(&db).await?,
        [horse(place, 0).key()]
    );
    Ok(())
}

async fn keys_without_images_are_shown_to_all(db: Db) -> Outcome {
    let event = |view: &str, image: &str| {
        let json = format!(
            r#"{{"Records": [{{"eventName": "REMOVE", "dynamodb": {{"Keys": {{"pk": {{"S": "OWNER#ann"}}, "sk": {{"S": "a"}}}}, {image} "StreamViewType": "{view}"}}}}]}}"#
        );
        StreamEvent::from_json(json.as_bytes())
    };
    let removed = event("KEYS_ONLY", "")?;
    assert_eq!(Mouse::keys_of(&removed).count(), 1);
    assert_eq!(Horse::keys_of(&removed).count(), 1);
    for change in Owned::keys_of(&removed) {
        let ChangeEvent::Removed { old, .. } = change.expect("a key").event else {
            return Err("a removal".into());
        };
        assert_eq!(old.entity(), "Item");
        assert_eq!(old.of::<Horse>()?, Some(Horse::key("ann", "a")));
        assert_eq!(old.of::<Mouse>()?, Some(Mouse::key("ann", "a")));
    }
    let image = r#""OldImage": {"pk": {"S": "OWNER#ann"}, "sk": {"S": "a"}, "cls": {"S": "Mouse"}, "count": {"N": "1"}},"#;
    let removed = event("NEW_AND_OLD_IMAGES", image)?;
    assert_eq!(Mouse::changes_of(&removed).count(), 1);
    assert_eq!(Horse::changes_of(&removed).count(), 0);
    drop(db);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "leases", pk = "pk", identify_by = type, entities(Car, Boat))]
struct Leases;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Leases, key(pk = "LEASE#{id}"))]
struct Car {
    id: u32,
    #[dynamo(ttl)]
    until: u64,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Leases, key(pk = "LEASE#{id}"))]
struct Boat {
    id: u32,
    #[dynamo(ttl)]
    until: u64,
}

async fn expired_rows_of_others_are_kept(db: Db) -> Outcome {
    let boat = Boat { id: 1, until: 5 };
    boat.put().send(&db).await?;
    let stored = db.stored(&boat.key()).await;
    let car = Car {
        id: 1,
        until: 4_000_000_000,
    };
    assert!(
        car.create()
            .send(&db)
            .await
            .is_err_and(|error| error.is_already_exists())
    );
    assert!(
        car.put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert_eq!(db.stored(&car.key()).await, stored);
    // Its own expired items are replaced.
    Boat {
        id: 1,
        until: 4_000_000_000,
    }
    .create()
    .send(&db)
    .await?;
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "editions", pk = "pk", identify_by = type, entities(First, Second))]
struct Editions;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Editions, rename = "book", constant("edition" = 1), key(pk = "BOOK#{id}"))]
struct First {
    id: u32,
    pages: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Editions, rename = "book", constant("edition" = 2), key(pk = "BOOK#{id}"))]
struct Second {
    id: u32,
    pages: u32,
}

async fn constants_distinguish_rows_of_one_type(db: Db) -> Outcome {
    let first = First { id: 1, pages: 10 }.create().send(&db).await?;
    let second = Second { id: 1, pages: 20 };
    assert!(
        second
            .put()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert!(
        second
            .delete()
            .send(&db)
            .await
            .is_err_and(|error| error.is_conflict())
    );
    assert_eq!(First::scan().all(&db).await?, [first]);
    assert_eq!(Second::scan().count(&db).await?, 0);
    Ok(())
}
