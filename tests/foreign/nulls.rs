//! NULL, which DynamoDB-Toolbox, the DocumentClient, serde_dynamo and boto3 write for absent values: it stays NULL while
//! its field stays None, and `null` and `Nullable` write it.

use std::collections::BTreeMap;

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::Nullable;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::Mask;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_row_is_put_back_as_it_was(Profile),
    partial_updates_keep_null(Plain),
    a_removed_value_becomes_null(Profile),
    conditions_know_both_forms(Profile),
    guards_accept_both_forms(Profile),
    an_index_follows(Task),
    a_refill_ends_at_null(Card),
    an_upsert_writes_the_null_of_a_new_row(Card, Task),
    changes_keep_null_within_a_map(Card),
    a_masked_copy_keeps_null(Card),
];

#[derive(Debug, Clone, Default, PartialEq, DynamoValue)]
struct Address {
    street: String,
    #[dynamo(null)]
    floor: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Mood(Nullable<String>);

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "profiles", key(pk = id))]
struct Profile {
    id: String,
    #[dynamo(null)]
    nick: Option<String>,
    #[dynamo(null)]
    address: Option<Address>,
    scores: Vec<Nullable<u32>>,
    links: BTreeMap<String, Nullable<String>>,
    mood: Option<Mood>,
    any: Option<Value>,
    exact: Option<Nullable<u32>>,
    count: u32,
}

fn null() -> AttributeValue {
    AttributeValue::Null(true)
}

fn row(id: &str) -> Raw {
    let address = [
        ("street".to_owned(), s("Elm")),
        ("floor".to_owned(), null()),
    ];
    let links = [("home".to_owned(), null()), ("work".to_owned(), s("x"))];
    raw([
        ("id", s(id)),
        ("nick", null()),
        ("address", AttributeValue::M(address.into())),
        ("scores", AttributeValue::L(vec![n(1), null(), n(3)])),
        ("links", AttributeValue::M(links.into())),
        ("mood", null()),
        ("any", null()),
        ("exact", null()),
        ("count", n(0)),
    ])
}

/// All rows that these entities read as the same value are written back as they were.
async fn a_row_is_put_back_as_it_was(db: Db) -> Outcome {
    for without in [
        &[][..],
        &["mood"],
        &["any"],
        &["exact"],
        &["mood", "any", "exact"],
    ] {
        let mut row = row("a");
        row.retain(|name, _| !without.contains(&&**name));
        db.plant::<Profile>(row.clone()).await;
        let read = Profile::key("a").get().send(&db).await?.ok_or("a row")?;
        assert_eq!((&read.nick, read.scores[1].0), (&None, None));
        assert_eq!(read.exact.is_none(), without.contains(&"exact"));
        read.put().send(&db).await?;
        assert_eq!(db.stored(&read.key()).await, row, "put");
        let written = read.clone().put().send(&db).await?;
        assert_eq!(written, read, "the copy that put returns");

        Profile::key("a").modify(|p| p.count += 1).send(&db).await?;
        read.update()
            .apply(|p| p.count().set(2))
            .when(|p| p.count().eq(1))
            .unchecked()
            .send(&db)
            .await?;
        let mut changed = row;
        changed.insert("count".into(), n(2));
        assert_eq!(db.stored(&read.key()).await, changed, "partial updates");
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "plains", key(pk = id))]
struct Plain {
    id: String,
    nick: Option<String>,
    count: u32,
}

/// A field without the word reads NULL as None. Everything but `put` keeps it.
async fn partial_updates_keep_null(db: Db) -> Outcome {
    let row = |count: u32| raw([("id", s("a")), ("nick", null()), ("count", n(count))]);
    db.plant::<Plain>(row(0)).await;
    let read = Plain::key("a").get().send(&db).await?.ok_or("a row")?;
    Plain::key("a").modify(|p| p.count = 1).send(&db).await?;
    assert_eq!(db.stored(&read.key()).await, row(1), "modify");
    Plain::key("a")
        .update()
        .apply(|p| p.count().set(2))
        .send(&db)
        .await?;
    assert_eq!(db.stored(&read.key()).await, row(2), "update");
    let next = Plain {
        count: 3,
        ..read.clone()
    };
    Plain::key("a").modify(|p| p.count = 0).send(&db).await?;
    read.changes_to(&next).send(&db).await?;
    assert_eq!(db.stored(&read.key()).await, row(3), "changes_to");
    Ok(())
}

async fn a_removed_value_becomes_null(db: Db) -> Outcome {
    let mut row = row("a");
    row.insert("nick".into(), s("ann"));
    db.plant::<Profile>(row).await;
    let key = || Profile::key("a");
    let nick = async |db: &Db| db.stored(&key()).await.remove("nick");
    key()
        .update()
        .apply(|p| p.nick().remove())
        .send(&db)
        .await?;
    assert_eq!(nick(&db).await, Some(null()), "remove");
    key()
        .update()
        .apply(|p| p.nick().set("ann"))
        .send(&db)
        .await?;
    assert_eq!(nick(&db).await, Some(s("ann")), "set");
    key()
        .update()
        .apply(|p| p.nick().set_or_remove(None::<String>))
        .send(&db)
        .await?;
    assert_eq!(nick(&db).await, Some(null()), "set_or_remove");
    key()
        .modify(|p| p.nick = Some("bob".into()))
        .send(&db)
        .await?;
    let read = key().modify(|p| p.nick = None).send(&db).await?;
    assert_eq!((nick(&db).await, read.nick), (Some(null()), None), "modify");

    let address = |stored: &Raw| stored.get("address").cloned();
    key()
        .update()
        .apply(|p| p.address().floor().set(3))
        .send(&db)
        .await?;
    key()
        .update()
        .apply(|p| p.address().floor().remove())
        .send(&db)
        .await?;
    assert_eq!(
        address(&db.stored(&key()).await),
        address(&self::row("a")),
        "within a map"
    );
    key()
        .update()
        .apply(|p| p.address().remove())
        .send(&db)
        .await?;
    assert_eq!(address(&db.stored(&key()).await), Some(null()));
    let error = key()
        .update()
        .apply(|p| p.address().floor().set(3))
        .send(&db)
        .await;
    assert!(error.expect_err("no map").is_conflict(), "NULL is no map");
    Ok(())
}

async fn conditions_know_both_forms(db: Db) -> Outcome {
    let mut absent = row("absent");
    absent.remove("nick");
    let mut named = row("named");
    named.insert("nick".into(), s("ann"));
    for row in [row("null"), absent, named] {
        db.plant::<Profile>(row).await;
    }
    let ids = async |query: Query<Profile>| -> Result<Vec<String>> {
        let mut ids: Vec<String> = query.all(&db).await?.into_iter().map(|p| p.id).collect();
        ids.sort();
        Ok(ids)
    };
    let scan = || Profile::scan();
    assert_eq!(
        ids(scan().filter(|p| p.nick().is_none()).into()).await?,
        ["absent", "null"]
    );
    assert_eq!(
        ids(scan().filter(|p| p.nick().is_some()).into()).await?,
        ["named"]
    );
    assert_eq!(
        ids(scan().filter(|p| p.nick().missing()).into()).await?,
        ["absent"]
    );
    assert_eq!(
        ids(scan().filter(|p| p.exact().eq(Nullable(None))).into())
            .await?
            .len(),
        3
    );
    Ok(())
}

/// A loaded None accepts a missing attribute and a NULL, and no value.
async fn guards_accept_both_forms(db: Db) -> Outcome {
    for stored in [Some(null()), None, Some(s("ann"))] {
        let mut row = row("a");
        db.plant::<Profile>(row.clone()).await;
        let read = Profile::key("a").get().send(&db).await?.ok_or("a row")?;
        row.remove("nick");
        row.extend(stored.clone().map(|nick| ("nick".to_owned(), nick)));
        db.plant::<Profile>(row).await;
        let next = Profile {
            nick: Some("bob".into()),
            ..read.clone()
        };
        let written = read.changes_to(&next).send(&db).await;
        match stored {
            Some(AttributeValue::S(_)) => assert!(written.expect_err("a value").is_conflict()),
            _ => assert_eq!(written?.nick.as_deref(), Some("bob")),
        }
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "tasks", key(pk = id))]
#[dynamo(gsi(by_owner, pk = "OWNER#{owner}", sk = "{due:last}"))]
struct Task {
    id: String,
    #[dynamo(null)]
    owner: Option<String>,
    #[dynamo(null)]
    due: Option<u32>,
}

/// The keys of an index exist only while its fields have values, and a NULL is none.
async fn an_index_follows(db: Db) -> Outcome {
    let task = Task {
        id: "a".into(),
        owner: None,
        due: None,
    };
    task.put().send(&db).await?;
    let stored = async |db: &Db| db.stored(&Task::key("a")).await;
    assert_eq!(
        stored(&db).await,
        raw([("id", s("a")), ("owner", null()), ("due", null())])
    );
    let task = Task::key("a")
        .update()
        .apply(|t| (t.owner().set("ann"), t.due().remove()))
        .send(&db)
        .await?;
    assert_eq!(
        Task::by_owner("ann").all(&db).await?,
        std::slice::from_ref(&task)
    );
    task.update().apply(|t| t.due().set(3)).send(&db).await?;
    assert_eq!(
        Task::by_owner("ann").due().eq(3u32).all(&db).await?.len(),
        1
    );
    Task::key("a")
        .update()
        .apply(|t| (t.owner().remove(), t.due().remove()))
        .send(&db)
        .await?;
    assert_eq!(
        stored(&db).await,
        raw([("id", s("a")), ("owner", null()), ("due", null())])
    );
    Ok(())
}

#[derive(Debug, Clone, Default, PartialEq, DynamoValue)]
struct Site {
    street: String,
    floor: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "cards", key(pk = id))]
struct Card {
    id: String,
    #[dynamo(personal)]
    name: String,
    #[dynamo(null)]
    nick: Option<String>,
    note: Option<String>,
    any: Option<Value>,
    #[dynamo(default)]
    stars: u32,
    address: Site,
}

fn card_row(id: &str) -> Raw {
    let address = [
        ("street".to_owned(), s("Elm")),
        ("floor".to_owned(), null()),
    ];
    raw([
        ("id", s(id)),
        ("name", s("Ann Lee")),
        ("nick", null()),
        ("any", null()),
        ("stars", n(3)),
        ("address", AttributeValue::M(address.into())),
    ])
}

/// A NULL that a put would store again is no missing value.
async fn a_refill_ends_at_null(db: Db) -> Outcome {
    db.plant::<Card>(card_row("a")).await;
    assert_eq!(
        Card::scan().unfilled(&db).await?,
        0,
        "as another program wrote it"
    );
    let card = Card::key("a").get().send(&db).await?.ok_or("a row")?;
    card.put().send(&db).await?;
    assert_eq!(
        Card::scan().unfilled(&db).await?,
        0,
        "as this library wrote it"
    );
    Card::scan().refill().send(&db).await?.complete()?;
    assert_eq!(
        Card::scan().refill().send(&db).await?.complete()?.written,
        0
    );
    Ok(())
}

/// An upsert that creates a row stores NULL as a put does, and leaves the values of an existing row.
async fn an_upsert_writes_the_null_of_a_new_row(db: Db) -> Outcome {
    let address = Site {
        street: "Elm".into(),
        floor: None,
    };
    let upsert = Card::key("a")
        .upsert()
        .apply(|c| (c.name().set("Ann"), c.address().set(address)));
    upsert.returning_nothing().send(&db).await?;
    assert_eq!(db.stored(&Card::key("a")).await.get("nick"), Some(&null()));
    let card = Card::key("a").upsert().apply(|c| {
        (
            c.name().set("Ann"),
            c.address().set(Site::default()),
            c.nick().set("an"),
        )
    });
    assert_eq!(card.send(&db).await?.nick.as_deref(), Some("an"));
    let card = Card::key("a")
        .upsert()
        .apply(|c| (c.name().set("Bob"), c.address().set(Site::default())));
    assert_eq!(card.send(&db).await?.nick.as_deref(), Some("an"));

    // A part of an index must be known, and a NULL is no value of it.
    let unknown = Task::key("a").upsert().apply(|t| t.due().set(3));
    assert!(unknown.send(&db).await.is_err());
    let missing = Task::key("a")
        .upsert()
        .apply(|t| t.due().set(3))
        .when(|t| t.owner().missing());
    missing.send(&db).await?;
    assert_eq!(
        db.stored(&Task::key("a")).await,
        raw([("id", s("a")), ("owner", null()), ("due", n(3))])
    );
    Ok(())
}

/// A change of one member sets that member alone.
async fn changes_keep_null_within_a_map(db: Db) -> Outcome {
    let floor = async |db: &Db| match db.stored(&Card::key("a")).await.remove("address") {
        Some(AttributeValue::M(mut address)) => address.remove("floor"),
        _ => None,
    };
    db.plant::<Card>(card_row("a")).await;
    let seen = Card::key("a").get().send(&db).await?.ok_or("a row")?;
    let mut next = seen.clone();
    next.address.street = "Oak".into();
    seen.changes_to(&next).send(&db).await?;
    let by_changes = floor(&db).await;
    db.plant::<Card>(card_row("a")).await;
    Card::key("a")
        .modify(|c| c.address.street = "Oak".into())
        .send(&db)
        .await?;
    assert_eq!((by_changes, floor(&db).await), (Some(null()), Some(null())));
    Ok(())
}

/// The copy has the NULLs of the row, which its struct does not contain.
async fn a_masked_copy_keeps_null(db: Db) -> Outcome {
    let target = Dynamo::connect("embedded:memory").await?;
    target.create_tables([Card::schema()]).await?;
    let mut row = card_row("a");
    row.insert("note".into(), null());
    row.insert("stars".into(), null());
    db.plant::<Card>(row.clone()).await;
    let mask = Mask::with_secret("a secret of thirty-two bytes, at least")?;
    Card::scan()
        .copy_to(&target)
        .masked(mask)
        .send(&db)
        .await?
        .complete()?;
    let key = Item::from(raw([("id", s("a"))]));
    let copy = Item::in_table("cards").get(key).send(&target).await?;
    let copy = Raw::from(copy.ok_or("a copy")?);
    assert_ne!(copy.get("name"), row.get("name"));
    assert_eq!(copy.get("note"), Some(&null()));
    assert_eq!(copy.get("stars"), Some(&null()));
    assert_eq!(copy.get("address"), row.get("address"));
    Ok(())
}
