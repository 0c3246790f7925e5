//! Rows whose number in a key of an index is that of their field, or is another one: which ranges return them, and which
//! they refuse.

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, Value};

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    numbers_with_more_digits_than_the_type,
    parts_of_rows,
    parts_of_rows_with_texts,
    a_key_without_its_number,
    a_key_without_its_condition,
    an_equal_key_of_another_number,
    a_null_is_not_copied,
    keys_that_end_beside_a_number,
    a_condition_on_a_rounded_number(Probe),
];

/// Whether the query is refused because of the number in this key.
fn is_refused<T>(rows: Result<T>, attribute: &str) -> bool {
    let error = rows.err();
    error.is_some_and(|error| {
        error.kind() == ErrorKind::KeyMismatch && error.key_attribute() == Some(attribute)
    })
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "loads", verbatim, key(pk = id))]
#[dynamo(gsi(by_weight, pk = "ALL", sk = number(weight)))]
struct Load {
    id: String,
    weight: f64,
}

/// The numbers of DynamoDB have 38 digits, and it adds in decimals. A number that the type of the field rounds is equal in the row.
async fn numbers_with_more_digits_than_the_type(db: Db) -> Outcome {
    db.create_tables([Load::schema()]).await?;
    let large = Load {
        id: "a".into(),
        weight: 1e16,
    };
    large.create().send(&db).await?;
    let add = Load::key("a").update().apply(|load| load.weight().add(0.5));
    add.send(&db).await?;
    let stored = Item::from(db.stored(&Load::key("a")).await);
    assert_eq!(stored.get("by_weight_sk"), stored.get("weight"));
    let all = Load::by_weight().weight().between(0.0..=1e20);
    assert_eq!(all.all(&db).await?.len(), 1);

    let long = "0.40000000000000004";
    let row = |id: &str| {
        let key = [("by_weight_pk", s("ALL")), ("weight", n(long))];
        let mut row = raw([("id", s(id))]);
        row.extend(key.map(|(name, value)| (name.to_owned(), value)));
        row
    };
    let mut whole = row("b");
    whole.insert("by_weight_sk".to_owned(), n(long));
    db.plant::<Load>(whole).await;
    let below = || Load::by_weight().weight().lt(1.0);
    assert_eq!(below().all(&db).await?.len(), 1);
    let report = Load::scan().refill().send(&db).await?;
    assert_eq!(report.counts().written, 0, "{report:?}");

    db.plant::<Load>(row("c")).await;
    let report = Load::scan().refill().send(&db).await?;
    assert_eq!(report.counts().written, 1, "{report:?}");
    let stored = Item::from(db.stored(&Load::key("c")).await);
    assert_eq!(stored.get("by_weight_sk"), stored.get("weight"));
    assert_eq!(below().all(&db).await?.len(), 2);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "boards", verbatim, key(pk = id))]
#[dynamo(gsi(top, pk = "game#{game}", sk = number(points)))]
struct Board {
    id: String,
    #[dynamo(default)]
    game: String,
    #[dynamo(default)]
    points: i64,
    name: Option<String>,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Board)]
struct Name {
    name: Option<String>,
}

/// A query that reads parts of the rows also reads the number by which it compares the key.
async fn parts_of_rows(db: Db) -> Outcome {
    db.create_tables([Board::schema()]).await?;
    let ann = Board {
        id: "a".into(),
        game: "chess".into(),
        points: 5,
        name: Some("Ann".into()),
    };
    ann.create().send(&db).await?;
    let range = || Board::top("chess").points().ge(1);
    let names = range().select::<Name>().all(&db).await?;
    assert_eq!(
        names,
        [Name {
            name: ann.name.clone()
        }]
    );
    let whole = range().select::<Name>().hydrate().all(&db).await?;
    assert_eq!(whole, [ann]);
    let report = range().delete_each().send(&db).await?;
    assert_eq!(report.counts().written, 1, "{report:?}");

    let other = raw([
        ("id", s("b")),
        ("game", s("chess")),
        ("top_pk", s("game#chess")),
        ("top_sk", n(5)),
        ("points", n(12)),
    ]);
    db.plant::<Board>(other).await;
    let error = range().select::<Name>().all(&db).await.err();
    assert!(error.is_some_and(|error| error.kind() == ErrorKind::KeyMismatch));
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rooms", verbatim, key(pk = id))]
#[dynamo(gsi(by_floor, pk = "ALL", sk = "{floor:04}#{id}"))]
struct Room {
    id: String,
    #[dynamo(default)]
    floor: u16,
    name: Option<String>,
}

#[derive(Debug, PartialEq, DynamoProjection)]
#[dynamo(entity = Room)]
struct RoomName {
    name: Option<String>,
}

/// The same for a range of a part of a text, if the field has a default.
async fn parts_of_rows_with_texts(db: Db) -> Outcome {
    db.create_tables([Room::schema()]).await?;
    let room = Room {
        id: "a".into(),
        floor: 5,
        name: Some("Hall".into()),
    };
    room.create().send(&db).await?;
    let range = || Room::by_floor().floor().ge(1);
    let names = range().select::<RoomName>().all(&db).await?;
    assert_eq!(
        names,
        [RoomName {
            name: room.name.clone()
        }]
    );
    let whole = range().select::<RoomName>().hydrate().all(&db).await?;
    assert_eq!(whole, [room]);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "marks", verbatim, key(pk = id))]
#[dynamo(gsi(by_mark, pk = "ALL", sk = number(mark)))]
struct Mark {
    id: String,
    mark: Option<i64>,
}

/// OneTable leaves the key if it removes the field or sets it to NULL.
async fn a_key_without_its_number(db: Db) -> Outcome {
    db.create_tables([Mark::schema()]).await?;
    let row = raw([
        ("id", s("a")),
        ("by_mark_pk", s("ALL")),
        ("by_mark_sk", n(5)),
    ]);
    let mut with_null = row.clone();
    let null = AttributeValue::Null(true);
    with_null.insert("mark".to_owned(), null);
    for row in [row, with_null] {
        db.plant::<Mark>(row).await;
        let range = Mark::by_mark().mark().between(1..=9);
        assert!(is_refused(range.clone().all(&db).await, "by_mark_sk"));
        assert_eq!(range.lenient().all(&db).await?.len(), 1);
    }
    Mark::scan().refill().send(&db).await?.complete()?;
    let range = Mark::by_mark().mark().between(1..=9);
    assert_eq!(range.all(&db).await?.len(), 0);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "flags", verbatim, key(pk = id))]
#[dynamo(gsi(by_level, pk = "LEVEL", sk = number(level), when(hidden = false)))]
struct Flag {
    id: String,
    level: i64,
    hidden: bool,
}

/// A row is in the index although its condition does not hold: another program does not know the condition.
async fn a_key_without_its_condition(db: Db) -> Outcome {
    db.create_tables([Flag::schema()]).await?;
    let row = raw([
        ("id", s("a")),
        ("by_level_pk", s("LEVEL")),
        ("by_level_sk", n(5)),
        ("level", n(5)),
        ("hidden", AttributeValue::Bool(true)),
    ]);
    db.plant::<Flag>(row).await;
    let range = || Flag::by_level().level().between(1..=9);
    assert!(is_refused(range().all(&db).await, "by_level_sk"));
    Flag::scan().refill().send(&db).await?.complete()?;
    assert_eq!(range().all(&db).await?.len(), 0);
    Ok(())
}

/// A query for one number is a range of one number.
async fn an_equal_key_of_another_number(db: Db) -> Outcome {
    db.create_tables([Mark::schema()]).await?;
    let row = |mark: i64| {
        raw([
            ("id", s("a")),
            ("by_mark_pk", s("ALL")),
            ("by_mark_sk", n(5)),
            ("mark", n(mark)),
        ])
    };
    db.plant::<Mark>(row(12)).await;
    let equal = || Mark::by_mark().mark().eq(5);
    assert!(is_refused(equal().all(&db).await, "by_mark_sk"));
    db.plant::<Mark>(row(5)).await;
    assert_eq!(equal().all(&db).await?.len(), 1);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "votes", verbatim, key(pk = id))]
#[dynamo(gsi(by_vote, pk = "ALL", sk = number(vote)))]
struct Vote {
    id: String,
    #[dynamo(null)]
    vote: Option<i64>,
}

/// `if_not_exists` returns a NULL, which is no key of an index.
async fn a_null_is_not_copied(db: Db) -> Outcome {
    db.create_tables([Vote::schema()]).await?;
    let none = Vote {
        id: "a".into(),
        vote: None,
    };
    none.create().send(&db).await?;
    let set = Vote::key("a")
        .update()
        .apply(|vote| vote.vote().set_if_absent(5));
    let refused = set.send(&db).await.err().ok_or("a NULL")?;
    assert!(refused.is_conflict(), "{refused}");
    let stored = Item::from(db.stored(&Vote::key("a")).await);
    assert!(!stored.contains("by_vote_sk"));

    let upsert = Vote::key("b")
        .upsert()
        .apply(|vote| vote.vote().set_if_absent(5));
    upsert.send(&db).await?;
    let equal = Vote::by_vote().vote().eq(5).all(&db).await?;
    assert_eq!(equal.len(), 1);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "players", verbatim, key(pk = id))]
#[dynamo(gsi(best, pk = "team#{team:ends}", sk = number(score), when(hidden = false)))]
struct Player {
    id: String,
    team: Option<String>,
    score: Option<i64>,
    hidden: bool,
}

/// A text whose parts may all end has no condition beside a number, so `when` is one.
async fn keys_that_end_beside_a_number(db: Db) -> Outcome {
    db.create_tables([Player::schema()]).await?;
    let player = |team: Option<&str>, score, hidden| Player {
        id: "a".into(),
        team: team.map(str::to_owned),
        score,
        hidden,
    };
    for (row, keys) in [
        (
            player(Some("red"), Some(5), false),
            (Some("team#red"), Some(5)),
        ),
        (player(None, Some(5), false), (Some("team#"), Some(5))),
        (player(Some("red"), None, false), (Some("team#red"), None)),
        // ElectroDB writes no key then.
        (player(None, None, false), (Some("team#"), None)),
        (player(Some("red"), Some(5), true), (None, None)),
    ] {
        row.put().send(&db).await?;
        let stored = Item::from(db.stored(&row.key()).await);
        let text = stored.get("best_pk").and_then(|text| text.as_text());
        let number = keys.1.map(i64::into);
        assert_eq!((text, stored.get("best_sk")), (keys.0, number.as_ref()));
    }
    Ok(())
}

fn is_hot(level: &f64) -> bool {
    *level > 0.5
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "probes", key(pk = id), gsi(hot, pk = "HOT", sk = "{place}", when(is_hot(level))))]
struct Probe {
    id: String,
    place: String,
    level: f64,
    #[dynamo(version)]
    version: Version,
}

/// Another program has stored more digits than an `f64` has. A guard compares the stored digits, so no update conflicts for
/// ever.
async fn a_condition_on_a_rounded_number(db: Db) -> Outcome {
    let long = "0.9000000000000000222044604925031308085";
    for version in [None, Some(n(3))] {
        let mut row = raw([("id", s("a")), ("place", s("x")), ("level", n(long))]);
        row.extend(version.map(|version| ("version".to_owned(), version)));
        db.plant::<Probe>(row).await;
        let seen = Probe::key("a").get().send(&db).await?.ok_or("a row")?;
        let seen = seen
            .update()
            .apply(|p| p.place().set("y"))
            .send(&db)
            .await?;
        let stored = Item::from(db.stored(&seen.key()).await);
        assert_eq!(stored.get("level"), Some(&Value::N(long.parse()?)));
        assert_eq!(Probe::hot().all(&db).await?, std::slice::from_ref(&seen));
        let seen = seen
            .update()
            .apply(|p| p.level().set(0.1))
            .send(&db)
            .await?;
        assert!(Probe::hot().all(&db).await?.is_empty());
        let seen = seen
            .update()
            .apply(|p| p.level().set(0.9))
            .send(&db)
            .await?;
        assert_eq!(Probe::hot().all(&db).await?, [seen]);
    }
    Ok(())
}
