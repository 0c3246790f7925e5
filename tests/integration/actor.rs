//! Who wrote an item: `created_by` and `updated_by`, from the actor of the connection.

#![allow(
    clippy::duplicated_attributes,
    reason = "two indexes may have one constant partition"
)]

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    create_names_the_actor_whatever_the_literal_holds(Letter),
    put_keeps_the_creator_and_names_the_writer(Letter),
    put_of_a_new_entity_names_the_actor_twice(Letter),
    put_without_a_version_keeps_a_creator_it_holds(Memo),
    nobody_is_absent(Letter),
    a_needed_actor_is_missed_before_sending(Memo),
    an_actor_is_of_its_connection(Letter),
    an_actor_is_read_as_the_type_of_the_field(Typed),
    index_keys_are_made_of_the_actor_that_is_stored(Post),
    an_actor_that_is_a_key_has_its_limits(Edit),
    a_null_actor_is_none(Letter),
];

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct UserId(String);

crate::declare! {
    entity Letter(table = "letters", key(pk = id))
        { id: String, #[dynamo(version)] version: Version, #[dynamo(created_by)] created_by: Option<UserId>,
          #[dynamo(updated_by, rename = "by")] updated_by: Option<String> }
}

fn letter(id: &str) -> Letter {
    Letter {
        id: id.into(),
        version: Version::default(),
        created_by: Some(UserId("the literal".into())),
        updated_by: Some("the literal".into()),
    }
}

fn user(name: &str) -> Option<UserId> {
    Some(UserId(name.into()))
}

async fn create_names_the_actor_whatever_the_literal_holds(db: Db) -> Outcome {
    let created = letter("l1").create().send(&db.with_actor("ann")).await?;
    assert_eq!(created.created_by, user("ann"));
    assert_eq!(created.updated_by.as_deref(), Some("ann"));
    let stored = db.stored(&created.key()).await;
    assert_eq!(
        (&stored["created_by"], &stored["by"]),
        (&s("ann"), &s("ann"))
    );
    assert_eq!(
        created.key().get().consistent().send(&db).await?,
        Some(created)
    );
    Ok(())
}

async fn put_keeps_the_creator_and_names_the_writer(db: Db) -> Outcome {
    let created = letter("l1").create().send(&db.with_actor("ann")).await?;
    let put = created.put().send(&db.with_actor("bob")).await?;
    assert_eq!(put.created_by, user("ann"));
    assert_eq!(put.updated_by.as_deref(), Some("bob"));
    assert_eq!(Raw::from(put.to_item()?), db.stored(&put.key()).await);
    Ok(())
}

async fn put_of_a_new_entity_names_the_actor_twice(db: Db) -> Outcome {
    let put = letter("l1").put().send(&db.with_actor("ann")).await?;
    assert_eq!(put.created_by, user("ann"));
    assert_eq!(put.updated_by.as_deref(), Some("ann"));
    Ok(())
}

crate::declare! {
    entity Memo(table = "memos", key(pk = id))
        { id: String, #[dynamo(created_by)] created_by: Option<String>, #[dynamo(updated_by)] updated_by: String }
}

fn memo(created_by: Option<&str>) -> Memo {
    Memo {
        id: "m1".into(),
        created_by: created_by.map(str::to_owned),
        updated_by: "the literal".into(),
    }
}

/// Without a version, nothing tells whether the entity was stored before. So `put` keeps a creator, and fills
/// in the writer where there is none. Creation times are treated alike.
async fn put_without_a_version_keeps_a_creator_it_holds(db: Db) -> Outcome {
    let bob = db.with_actor("bob");
    let put = memo(None).put().send(&bob).await?;
    assert_eq!(
        (put.created_by.as_deref(), &*put.updated_by),
        (Some("bob"), "bob")
    );
    let put = memo(Some("ann")).put().send(&bob).await?;
    assert_eq!(
        (put.created_by.as_deref(), &*put.updated_by),
        (Some("ann"), "bob")
    );
    Ok(())
}

async fn nobody_is_absent(db: Db) -> Outcome {
    let created = letter("l1").create().send(&db).await?;
    assert_eq!(
        (created.created_by.as_ref(), created.updated_by.as_ref()),
        (None, None)
    );
    let put = created.put().send(&db.with_actor("ann")).await?;
    assert_eq!(put.updated_by.as_deref(), Some("ann"));
    let put = put.put().send(&db).await?;
    assert_eq!(put.updated_by, None, "nobody is known to have written this");
    assert!(!db.stored(&put.key()).await.contains_key("by"));
    Ok(())
}

async fn a_needed_actor_is_missed_before_sending(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    for nobody in [faulty.clone(), faulty.with_actor("")] {
        for refused in [
            memo(None).create().send(&nobody).await.unwrap_err(),
            memo(None).put().send(&nobody).await.unwrap_err(),
        ] {
            assert_eq!(refused.kind(), ErrorKind::InvalidValue);
            assert_eq!(refused.attribute(), Some("updated_by"));
            assert!(refused.to_string().contains("with_actor"), "{refused}");
        }
    }
    assert!(http.calls().is_empty());
    memo(None).create().send(&faulty.with_actor("ann")).await?;
    Ok(())
}

async fn an_actor_is_of_its_connection(db: Db) -> Outcome {
    let (ann, bob) = (db.with_actor("ann"), db.with_actor(String::from("bob")));
    let first = letter("l1").create().send(&ann).await?;
    let second = letter("l2").create().send(&bob.clone()).await?;
    assert_eq!(
        (first.created_by, second.created_by),
        (user("ann"), user("bob"))
    );
    let neither = letter("l3").create().send(&bob.with_actor("")).await?;
    assert_eq!(neither.created_by, None);
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
enum Origin {
    #[dynamo(rename = "import")]
    Import,
    Web,
}

crate::declare! {
    entity Typed(table = "typed-actors", key(pk = id))
        { id: String, #[dynamo(created_by)] number: Option<u32>, #[dynamo(updated_by)] origin: Option<Origin> }
}

async fn an_actor_is_read_as_the_type_of_the_field(db: Db) -> Outcome {
    let typed = Typed {
        id: "t1".into(),
        number: Some(7),
        origin: None,
    };
    let put = typed.put().send(&db.with_actor("import")).await?;
    assert_eq!((put.number, put.origin), (Some(7), Some(Origin::Import)));
    assert_eq!(db.stored(&put.key()).await["number"], n(7));

    let (faulty, http) = db.faulty([]);
    let refused = typed
        .create()
        .send(&faulty.with_actor("Web"))
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidValue);
    assert_eq!(refused.attribute(), Some("number"));
    assert!(!format!("{refused:?}").contains("Web"), "{refused:?}");
    assert!(http.calls().is_empty());
    Ok(())
}

crate::declare! {
    entity Post(table = "posts", key(pk = id), gsi(by_author, pk = "BY#{created_by}", sk = "{updated_by}"),
        gsi(by_editor, pk = updated_by), gsi(by_ann, pk = "ANN", sk = "{id}", when(updated_by = "ann")))
        { id: String, #[dynamo(created_by)] created_by: Option<String>,
          #[dynamo(updated_by)] updated_by: Option<String> }
}

async fn index_keys_are_made_of_the_actor_that_is_stored(db: Db) -> Outcome {
    let post = Post {
        id: "p1".into(),
        created_by: None,
        updated_by: Some("the literal".into()),
    };
    let created = post.create().send(&db.with_actor("ann#1")).await?;
    let stored = db.stored(&created.key()).await;
    assert_eq!(stored["by_author_pk"], s("BY#ann%231"));
    assert_eq!(stored["by_author_sk"], s("ann%231"));
    assert!(!stored.contains_key("by_ann_pk"));
    assert_eq!(Raw::from(created.to_item()?), stored);

    let put = created.put().send(&db.with_actor("ann")).await?;
    let stored = db.stored(&put.key()).await;
    assert_eq!(stored["by_author_pk"], s("BY#ann%231"));
    assert_eq!(stored["by_author_sk"], s("ann"));
    assert_eq!(stored["by_ann_sk"], s("p1"));
    assert_eq!(Raw::from(put.to_item()?), stored);

    let put = created.put().send(&db).await?;
    let stored = db.stored(&put.key()).await;
    assert!(!stored.contains_key("by_author_pk") && !stored.contains_key("updated_by"));
    Ok(())
}

crate::declare! {
    entity Edit(table = "edits", key(pk = id), gsi(by_editor, pk = updated_by))
        { id: String, #[dynamo(updated_by)] updated_by: Option<String> }
}

async fn an_actor_that_is_a_key_has_its_limits(db: Db) -> Outcome {
    let (faulty, http) = db.faulty([]);
    let edit = |by: Option<&str>| Edit {
        id: "e1".into(),
        updated_by: by.map(str::to_owned),
    };
    let by = async |length| {
        edit(None)
            .put()
            .send(&faulty.with_actor("x".repeat(length)))
            .await
    };
    let refused = by(2049).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidKey);
    assert_eq!(
        (refused.key_attribute(), refused.attribute()),
        (Some("updated_by"), Some("updated_by"))
    );
    assert!(edit(Some("")).to_item().is_err(), "no key is empty");
    assert!(http.calls().is_empty());
    by(2048).await?;
    Ok(())
}

async fn a_null_actor_is_none(db: Db) -> Outcome {
    let null = AttributeValue::Null(true);
    db.plant::<Letter>(raw([("id", s("l1")), ("version", n(3)), ("by", null)]))
        .await;
    let loaded = Letter::key("l1").get().consistent().send(&db).await?;
    let loaded = loaded.ok_or("there")?;
    assert_eq!(
        (loaded.created_by.as_ref(), loaded.updated_by.as_ref()),
        (None, None)
    );
    Ok(())
}
