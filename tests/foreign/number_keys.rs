//! Key attributes of type N that repeat the number of a field, as ElectroDB (`cast: "number"`), OneTable
//! (`type: Number, value: "${score}"`) and programs without a library write them: `sk = number(score)`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dynamo_entity::key::EpochMillis;
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, Value};
use fastrand::Rng;
use rust_decimal::Decimal;

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    rows_of_other_programs_are_equal,
    the_index_follows_every_write(Games),
    numbers_are_compared_by_value(Games),
    partitions_of_numbers(Games),
    sums_are_written_to_both(Games),
    pages_continue_at_numbers(Games),
    a_row_in_another_position(Games),
    refill_repairs_numbers(Games),
    collections_and_copies_of_rows(Games),
    texts_of_a_person(Games),
    an_own_table,
    an_ordered_enum_is_its_number,
];

#[derive(DynamoTable)]
#[dynamo(
    name = "games",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "_type",
    entities(Score, Event, Price)
)]
#[dynamo(
    gsi(gs1, pk = "gs1pk", sk = "gs1sk"),
    gsi(gs2, pk = "gs2pk", sk = "gs2sk"),
    lsi(ls1, sk = "ls1sk")
)]
struct Games;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Games, key(pk = "game#{game}", sk = "score#{player}"))]
#[dynamo(gsi(top, on = gs1, pk = "game#{game}", sk = number(score)))]
#[dynamo(lsi(by_bonus, on = ls1, sk = number(bonus)))]
struct Score {
    game: String,
    player: String,
    score: Option<i64>,
    bonus: u32,
    #[dynamo(null)]
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Games, key(pk = "event#{id}", sk = "event#"))]
#[dynamo(gsi(by_time, on = gs1, pk = "events#{kind}", sk = number(at), when(hidden = false)))]
struct Event {
    id: String,
    kind: Option<String>,
    at: EpochMillis<DateTime<Utc>>,
    hidden: bool,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Games, key(pk = "price#{id}", sk = "price#"))]
#[dynamo(gsi(by_class, on = gs2, pk = number(class), sk = number(amount)))]
struct Price {
    id: String,
    class: u8,
    amount: Option<Decimal>,
}

fn score(player: &str, score: Option<i64>, bonus: u32) -> Score {
    Score {
        game: "chess".into(),
        player: player.into(),
        score,
        bonus,
        note: None,
    }
}

fn players(rows: &[Score]) -> Vec<&str> {
    rows.iter().map(|row| row.player.as_str()).collect()
}

/// The rows are those that ElectroDB 3.9.3 and OneTable 2.7.7 write for these values, apart from their own attributes.
async fn rows_of_other_programs_are_equal(db: Db) -> Outcome {
    db.create_tables([Games::schema()]).await?;
    let row = raw([
        ("pk", s("game#chess")),
        ("sk", s("score#ann")),
        ("gs1pk", s("game#chess")),
        ("gs1sk", n(12)),
        ("ls1sk", n(3)),
        ("_type", s("Score")),
        ("game", s("chess")),
        ("player", s("ann")),
        ("score", n(12)),
        ("bonus", n(3)),
    ]);
    db.plant::<Score>(row.clone()).await;
    let read = Score::key("chess", "ann")
        .get()
        .send(&db)
        .await?
        .ok_or("a row")?;
    assert_eq!(read, score("ann", Some(12), 3));
    let mut written = read.put().send(&db).await?.to_item()?;
    written.remove("note");
    assert_eq!(written, Item::from(row));

    // Both programs write the text of the partition key without a number too, and expect it when they set the number.
    for row in [raw([
        ("pk", s("game#chess")),
        ("sk", s("score#bob")),
        ("gs1pk", s("game#chess")),
        ("ls1sk", n(3)),
        ("_type", s("Score")),
        ("game", s("chess")),
        ("player", s("bob")),
        ("bonus", n(3)),
    ])] {
        db.plant::<Score>(row.clone()).await;
        let read = Score::key("chess", "bob")
            .get()
            .send(&db)
            .await?
            .ok_or("a row")?;
        let mut written = read.put().send(&db).await?.to_item()?;
        written.remove("note");
        assert_eq!(written, Item::from(row));
    }

    let types = Games::schema().global_indexes[0].sk.clone();
    assert_eq!(types[0].ty, dynamo_entity::schema::KeyType::N);
    Ok(())
}

/// After any history, the index contains the items with a score, in the order of the numbers.
async fn the_index_follows_every_write(db: Db) -> Outcome {
    let mut rng = Rng::with_seed(38);
    let mut model: BTreeMap<String, Score> = BTreeMap::new();
    for step in 0..150 {
        let player = format!("p{}", rng.u8(0..8));
        let number = (rng.u8(0..4) > 0).then(|| rng.i64(-20..20));
        let bonus = rng.u32(0..9);
        let key = Score::key("chess", &player);
        let known = model.get(&player).cloned();
        match (rng.u8(0..9), known) {
            (0, _) | (_, None) => {
                let row = score(&player, number, bonus);
                model.insert(player, row.put().send(&db).await?);
            }
            (1, Some(_)) => {
                key.delete().send(&db).await?;
                model.remove(&player);
            }
            (2, Some(_)) => {
                let changed = key
                    .update()
                    .apply(|s| s.score().set_or_remove(number))
                    .send(&db)
                    .await?;
                model.insert(player, changed);
            }
            (3, Some(known)) => {
                let changed = known
                    .update()
                    .apply(|s| (s.score().set_or_remove(number), s.bonus().set(bonus)));
                model.insert(player, changed.send(&db).await?);
            }
            (4, Some(known)) => {
                let changed = key.update().apply(|s| s.score().add(7)).send(&db).await?;
                assert_eq!(
                    changed.score,
                    Some(known.score.unwrap_or(0) + 7),
                    "step {step}"
                );
                model.insert(player, changed);
            }
            (5, Some(known)) => {
                let changed = known
                    .update()
                    .apply(|s| (s.score().sub(2), s.bonus().add(1)))
                    .send(&db)
                    .await?;
                model.insert(player, changed);
            }
            (6, Some(_)) => {
                let changed = key
                    .modify(move |s| (s.score, s.bonus) = (number, bonus))
                    .send(&db)
                    .await?;
                model.insert(player, changed);
            }
            (7, Some(_)) => {
                let changed = key
                    .update()
                    .apply(|s| (s.score().set_if_absent(5), s.bonus().set(bonus)));
                model.insert(player, changed.send(&db).await?);
            }
            (_, Some(_)) => {
                let upserted = key
                    .upsert()
                    .apply(|s| (s.bonus().set(bonus), s.score().add(1)));
                model.insert(player, upserted.send(&db).await?);
            }
        }
        let low = rng.i64(-20..20);
        check_scores(&db, &model, low, low + rng.i64(0..15)).await?;
    }
    Ok(())
}

async fn check_scores(db: &Db, model: &BTreeMap<String, Score>, low: i64, high: i64) -> Outcome {
    let with_score = |range: &dyn Fn(i64) -> bool| {
        let mut rows: Vec<(i64, &Score)> = (model.values())
            .filter_map(|row| Some((row.score?, row)))
            .filter(|(score, _)| range(*score))
            .collect();
        rows.sort_by(|a, b| (a.0, &a.1.player).cmp(&(b.0, &b.1.player)));
        rows.into_iter()
            .map(|(_, row)| row.clone())
            .collect::<Vec<_>>()
    };
    let by_number = |mut rows: Vec<Score>| {
        assert!(rows.is_sorted_by_key(|row| row.score), "{rows:?}");
        rows.sort_by(|a, b| (a.score, &a.player).cmp(&(b.score, &b.player)));
        rows
    };
    let all = Score::top("chess").all(db).await?;
    assert_eq!(by_number(all), with_score(&|_| true));
    let between = Score::top("chess")
        .score()
        .between(low..=high)
        .all(db)
        .await?;
    assert_eq!(
        by_number(between),
        with_score(&|score| (low..=high).contains(&score))
    );
    let above = Score::top("chess").score().gt(low).all(db).await?;
    assert_eq!(by_number(above), with_score(&|score| score > low));
    let below = Score::top("chess")
        .score()
        .lt(low)
        .descending()
        .all(db)
        .await?;
    assert_eq!(
        by_number(below.into_iter().rev().collect()),
        with_score(&|score| score < low)
    );
    let equal = Score::top("chess").score().eq(low).all(db).await?;
    assert_eq!(by_number(equal), with_score(&|score| score == low));
    let bonus = Score::by_bonus("chess")
        .bonus()
        .ge(5)
        .consistent()
        .all(db)
        .await?;
    assert!(bonus.is_sorted_by_key(|row| row.bonus));
    assert_eq!(
        bonus.len(),
        model.values().filter(|row| row.bonus >= 5).count()
    );
    for row in model.values() {
        let stored = Item::from(db.stored(&row.key()).await);
        assert_eq!(stored.get("gs1sk"), stored.get("score"), "{row:?}");
        assert!(stored.contains("gs1pk"), "{row:?}");
        assert_eq!(stored.get("ls1sk"), stored.get("bonus"), "{row:?}");
    }
    Ok(())
}

/// The format of a number says nothing: DynamoDB and other programs may write `12` as `1.2E1`.
async fn numbers_are_compared_by_value(db: Db) -> Outcome {
    let row = |spelling: &str| {
        raw([
            ("pk", s("price#a")),
            ("sk", s("price#")),
            ("gs2pk", n(spelling)),
            ("gs2sk", n("1200E-2")),
            ("_type", s("Price")),
            ("id", s("a")),
            ("class", n(7)),
            ("amount", n("12.00")),
        ])
    };
    for spelling in ["7", "7.0", "0.7E1"] {
        db.plant::<Price>(row(spelling)).await;
        let found = Price::by_class(7)
            .amount()
            .between(Decimal::from(12)..=Decimal::from(12));
        let found = found.all(&db).await?;
        assert_eq!(found.len(), 1, "{spelling}");
        found[0].put().send(&db).await?;
    }
    db.create_tables([Parcel::schema()]).await?;
    for weight in ["1E+30", "0.0000001", "-123456789012345680000", "7"] {
        let row = raw([
            ("id", s(weight)),
            ("by_weight_pk", s("ALL")),
            ("by_weight_sk", n(weight)),
            ("weight", n(weight)),
        ]);
        db.plant::<Parcel>(row).await;
    }
    let all = Parcel::by_weight()
        .weight()
        .between(-1e40..=1e40)
        .all(&db)
        .await?;
    assert_eq!(all.len(), 4);
    Ok(())
}

async fn partitions_of_numbers(db: Db) -> Outcome {
    let price = |id: &str, class, amount: Option<i64>| Price {
        id: id.into(),
        class,
        amount: amount.map(|cents| Decimal::new(cents, 2)),
    };
    for row in [
        price("a", 1, Some(1050)),
        price("b", 1, Some(999)),
        price("c", 1, None),
        price("d", 2, Some(-1)),
    ] {
        row.create().send(&db).await?;
    }
    let ids = |rows: Vec<Price>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(Price::by_class(1).all(&db).await?), ["b", "a"]);
    let below = Price::by_class(1).amount().lt(Decimal::from(10));
    assert_eq!(ids(below.all(&db).await?), ["b"]);
    let both = Price::by_class(any_of([1, 2])).all(&db).await?;
    assert_eq!(ids(both), ["d", "b", "a"]);

    // Each number exists if its field does, so an update of one field needs no other one.
    let stored = Item::from(db.stored(&Price::key("c")).await);
    assert!(stored.contains("gs2pk") && !stored.contains("gs2sk"));
    let set = Price::key("c")
        .update()
        .apply(|p| p.amount().set(Decimal::ONE));
    set.send(&db).await?;
    assert_eq!(ids(Price::by_class(1).all(&db).await?), ["c", "b", "a"]);

    // The kind of an event decides whether it is in the index, and so does `when`.
    let at =
        EpochMillis::floor(DateTime::from_timestamp(1_772_366_400, 123_000_000).ok_or("a time")?)
            .ok_or("a time")?;
    let event = |id: &str, kind: Option<&str>, hidden| Event {
        id: id.into(),
        kind: kind.map(str::to_owned),
        at,
        hidden,
    };
    for row in [
        event("a", Some("x"), false),
        event("b", None, false),
        event("c", Some("x"), true),
    ] {
        row.create().send(&db).await?;
    }
    let seen = Event::by_time("x").at().ge(at).all(&db).await?;
    assert_eq!(
        seen.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(),
        ["a"]
    );
    let stored = Item::from(db.stored(&Event::key("a")).await);
    assert_eq!(
        stored.get("gs1sk"),
        Some(&Value::from(1_772_366_400_123_i64))
    );
    assert!(!Item::from(db.stored(&Event::key("c")).await).contains("gs1sk"));
    Ok(())
}

/// An update that does not know the new number writes the same sum to the key, whatever the key contained.
async fn sums_are_written_to_both(db: Db) -> Outcome {
    let mut row = Item::from(raw([
        ("pk", s("game#chess")),
        ("sk", s("score#ann")),
        ("gs1pk", s("game#chess")),
        ("gs1sk", n(99)),
        ("_type", s("Score")),
        ("game", s("chess")),
        ("player", s("ann")),
        ("score", n(12)),
        ("bonus", n(3)),
    ]));
    db.plant::<Score>(row.clone()).await;
    let changed = Score::key("chess", "ann")
        .update()
        .apply(|s| s.score().add(1))
        .send(&db)
        .await?;
    assert_eq!(changed.score, Some(13));
    let stored = Item::from(db.stored(&changed.key()).await);
    assert_eq!(
        (stored.get("gs1sk"), stored.get("score")),
        (Some(&13.into()), Some(&13.into()))
    );

    row.remove("gs1sk");
    row.remove("score");
    db.plant::<Score>(row).await;
    let changed = Score::key("chess", "ann")
        .update()
        .apply(|s| (s.score().sub(4), s.bonus().set_sum(s.bonus(), 2)));
    assert_eq!(changed.send(&db).await?.score, Some(-4));
    let stored = Item::from(db.stored(&Score::key("chess", "ann")).await);
    assert_eq!(
        (stored.get("gs1sk"), stored.get("gs1pk").is_some()),
        (Some(&(-4).into()), true)
    );
    assert_eq!(
        (stored.get("ls1sk"), stored.get("bonus")),
        (Some(&5.into()), Some(&5.into()))
    );

    // A failed sum changes neither.
    let error = Score::key("chess", "ann")
        .update()
        .apply(|s| s.bonus().sub(6))
        .send(&db)
        .await;
    assert!(error.is_err_and(|error| error.is_conflict()));
    let unchanged = Item::from(db.stored(&Score::key("chess", "ann")).await);
    assert_eq!(unchanged, stored);

    // A sum that may create the item writes all keys of the index.
    let new = Score::key("chess", "bob")
        .upsert()
        .apply(|s| (s.score().add(5), s.bonus().set(1)));
    new.send(&db).await?;
    assert_eq!(
        players(&Score::top("chess").all(&db).await?),
        ["ann", "bob"]
    );
    Ok(())
}

async fn pages_continue_at_numbers(db: Db) -> Outcome {
    for number in 0..25 {
        score(&format!("p{number:02}"), Some(number % 5 - 2), 1)
            .create()
            .send(&db)
            .await?;
    }
    let query = Score::top("chess").score().between(-1..=1);
    let (mut rows, mut cursor) = (Vec::new(), None);
    loop {
        let page = query.clone().resume(cursor).limit(4).page(&db).await?;
        rows.extend(page.rows);
        let Some(next) = page.next else { break };
        cursor = Some(next.to_string().parse()?);
    }
    assert_eq!(rows.len(), 15);
    assert!(rows.is_sorted_by_key(|row| row.score));
    let merged = Score::top(any_of(["chess", "go"]))
        .limit(7)
        .page(&db)
        .await?;
    assert_eq!(merged.rows.len(), 7);
    let next = merged.next.ok_or("more rows")?;
    let rest = Score::top(any_of(["chess", "go"]))
        .resume(next)
        .limit(100)
        .page(&db)
        .await?;
    assert_eq!(rest.rows.len(), 18);
    Ok(())
}

/// A row whose key is another number than its field is reported by a range of numbers, as a time of another format is.
async fn a_row_in_another_position(db: Db) -> Outcome {
    score("bob", Some(3), 1).create().send(&db).await?;
    let row = raw([
        ("pk", s("game#chess")),
        ("sk", s("score#ann")),
        ("gs1pk", s("game#chess")),
        ("gs1sk", n(5)),
        ("ls1sk", n(3)),
        ("_type", s("Score")),
        ("game", s("chess")),
        ("player", s("ann")),
        ("score", n(12)),
        ("bonus", n(3)),
    ]);
    db.plant::<Score>(row).await;
    let range = || Score::top("chess").score().between(1..=9);
    let error = range()
        .all(&db)
        .await
        .err()
        .ok_or("a row in another position")?;
    assert_eq!(
        (error.kind(), error.key_attribute()),
        (ErrorKind::KeyMismatch, Some("gs1sk"))
    );
    let lenient = range().lenient().all(&db).await?;
    assert_eq!(lenient.len(), 2);
    assert_eq!(Score::in_partition("chess").all(&db).await?.len(), 2);

    let read = Score::key("chess", "ann")
        .get()
        .send(&db)
        .await?
        .ok_or("a row")?;
    read.put().send(&db).await?;
    assert_eq!(players(&range().all(&db).await?), ["bob"]);
    assert_eq!(
        players(&Score::top("chess").all(&db).await?),
        ["bob", "ann"]
    );
    Ok(())
}

/// Queries by text, as the command line makes them.
async fn texts_of_a_person(db: Db) -> Outcome {
    for (player, number) in [("ann", 12), ("bob", 2), ("cleo", -3)] {
        score(player, Some(number), 1).create().send(&db).await?;
    }
    let schema = Games::schema();
    let entity = schema.dynamic("Score")?;
    let rows = entity
        .query("top", ["chess"])?
        .between("score", "2".."13")?
        .all(&db)
        .await?;
    let found: Vec<_> = rows
        .iter()
        .filter_map(|row| row.get("player")?.as_text())
        .collect();
    assert_eq!(found, ["bob", "ann"]);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "players", key(pk = id))]
#[dynamo(gsi(by_level, pk = "LEVEL", sk = number(level)))]
struct Player {
    id: String,
    level: f64,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "parcels", verbatim, key(pk = id))]
#[dynamo(gsi(by_weight, pk = "ALL", sk = number(weight)))]
struct Parcel {
    id: String,
    weight: f64,
}

async fn an_own_table(db: Db) -> Outcome {
    db.create_tables([Player::schema()]).await?;
    for (id, level) in [("a", 1.5), ("b", -0.25), ("c", 100.0)] {
        Player {
            id: id.into(),
            level,
        }
        .create()
        .send(&db)
        .await?;
    }
    let rows = Player::by_level().level().lt(2.0).all(&db).await?;
    assert_eq!(
        rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(),
        ["b", "a"]
    );
    let item = Player {
        id: "a".into(),
        level: 1.5,
    }
    .to_item()?;
    assert_eq!(item.get("by_level_sk"), item.get("level"));
    let error = Player {
        id: "a".into(),
        level: f64::NAN,
    }
    .to_item()
    .err()
    .ok_or("no number")?;
    assert_eq!(error.attribute(), Some("level"));
    Ok(())
}

/// Rows from before the index, and rows whose number OneTable's `add` left as it was.
async fn refill_repairs_numbers(db: Db) -> Outcome {
    for (player, key) in [("ann", Some(5)), ("bob", None), ("cleo", Some(12))] {
        let mut row = Item::from(raw([
            ("pk", s("game#chess")),
            ("sk", s(&format!("score#{player}"))),
            ("gs1pk", s("game#chess")),
            ("ls1sk", n(3)),
            ("_type", s("Score")),
            ("game", s("chess")),
            ("player", s(player)),
            ("score", n(12)),
            ("bonus", n(3)),
        ]));
        row.insert("note", "checked");
        if let Some(key) = key {
            row.insert("gs1sk", i64::from(key));
        }
        db.plant::<Score>(row).await;
    }
    let report = Score::scan().refill().send(&db).await?;
    assert_eq!(report.counts().written, 2, "{report:?}");
    let equal = Score::top("chess")
        .score()
        .between(12..=12)
        .all(&db)
        .await?;
    let mut found = players(&equal);
    found.sort_unstable();
    assert_eq!(found, ["ann", "bob", "cleo"]);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Games, index = gs2, partition(class))]
enum OfClass {
    Price(Price),
    #[dynamo(other)]
    Other(Item),
}

/// A collection whose partition is a number, a query that filters a fake, and a projection.
async fn collections_and_copies_of_rows(db: Db) -> Outcome {
    let price = Price {
        id: "a".into(),
        class: 3,
        amount: Some(Decimal::TEN),
    };
    price.create().send(&db).await?;
    let rows = OfClass::in_partition(3).all(&db).await?;
    assert_eq!(rows, [OfClass::Price(price.clone())]);
    let query = Price::by_class(3).amount().ge(Decimal::ONE);
    assert!(query.clone().matches(&price)?);
    let cheap = Price {
        amount: Some(Decimal::ZERO),
        ..price.clone()
    };
    assert!(!query.matches(&cheap)?);
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, DynamoValue)]
#[dynamo(order)]
enum Urgency {
    Low = 5,
    Normal = 20,
    High = 100,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "calls", key(pk = id))]
#[dynamo(gsi(by_urgency, pk = "ALL", sk = number(urgency)))]
struct Call {
    id: String,
    urgency: Option<Urgency>,
}

async fn an_ordered_enum_is_its_number(db: Db) -> Outcome {
    db.create_tables([Call::schema()]).await?;
    for (id, urgency) in [
        ("a", Some(Urgency::High)),
        ("b", Some(Urgency::Low)),
        ("c", None),
        ("d", Some(Urgency::Normal)),
    ] {
        let call = Call {
            id: id.into(),
            urgency,
        };
        call.create().send(&db).await?;
    }
    let ids = |rows: Vec<Call>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(
        ids(Call::by_urgency().descending().all(&db).await?),
        ["a", "d", "b"]
    );
    let urgent = Call::by_urgency().urgency().ge(Urgency::Normal);
    assert_eq!(ids(urgent.all(&db).await?), ["d", "a"]);

    let stored = Item::from(db.stored(&Call::key("a")).await);
    assert_eq!(stored.get("by_urgency_sk"), Some(&Value::from(100)));
    let set = Call::key("a")
        .update()
        .apply(|call| call.urgency().set(Urgency::Low));
    set.send(&db).await?;
    let stored = Item::from(db.stored(&Call::key("a")).await);
    assert_eq!(stored.get("by_urgency_sk"), stored.get("urgency"));
    assert_eq!(stored.get("urgency"), Some(&Value::from(5)));
    Ok(())
}
