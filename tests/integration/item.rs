//! Sizes of items, their limit, and conversions from and to the items of other libraries.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use dynamo_entity::aws_sdk_dynamodb::error::ProvideErrorMetadata;
use dynamo_entity::error::Stage;
use dynamo_entity::key::YearMonth;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};

use crate::model::{Note, Order, Shop, note, order};
use crate::support::db::{Db, Raw, s};
use crate::support::engine::Kind;
use crate::support::suite::{Gap, Outcome};
use crate::tests;

/// A newtype that is made of a text.
#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Channel(String);

impl From<&str> for Channel {
    fn from(text: &str) -> Self {
        Channel(text.to_owned())
    }
}

crate::declare! {
    entity Visit(table = "visits", key(pk = user, sk = "{month}#{at}"))
        { user: String, #[dynamo(skip)] month: YearMonth, at: DateTime<Utc>, #[dynamo(default = "web")] by: String,
          #[dynamo(default = "shop")] channel: Channel, #[dynamo(skip, default = "seen")] state: String }
}

tests![
    the_largest_item_is_accepted(Note),
    the_engine_counts_as_we_do(Anything),
    the_engine_counts_every_number_as_we_do(Anything) unless ANOTHER_COUNT,
    derived_attributes_count(Shop),
    copies_in_a_local_index_count(Copied),
    no_copy_is_made_without_its_key(Copied),
    a_copy_of_the_keys_is_small(Keyed),
    an_item_is_what_the_table_holds(Shop),
    an_item_comes_from_the_sdk(Shop),
    an_item_goes_to_serde,
    a_key_is_read_from_an_item(Shop),
    a_default_may_be_a_text,
    a_cut_part_beside_the_whole_is_a_field(Visit),
];

const MOST: usize = 400 * 1024;

async fn the_largest_item_is_accepted(db: Db) -> Outcome {
    let of_size = |size: usize| note("n1", &"x".repeat(size - "idn1text".len()));
    let largest = of_size(MOST);
    assert_eq!(largest.to_item()?.size(), MOST);
    largest.create().send(&db).await?;
    assert_eq!(
        largest.key().get().consistent().send(&db).await?,
        Some(largest.clone())
    );
    largest.put().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    for sent in [
        of_size(MOST + 1).create().send(&faulty).await,
        of_size(MOST + 1).put().send(&faulty).await,
    ] {
        let refused = sent.unwrap_err();
        assert_eq!(
            (refused.kind(), refused.stage()),
            (ErrorKind::TooLarge, Stage::Encode)
        );
        assert_eq!(refused.entity(), Some("Note"));
        assert!(refused.to_string().contains("409601"), "{refused}");
    }
    assert!(http.calls().is_empty());
    Ok(())
}

crate::declare! { entity Anything(table = "anything", key(pk = id)) { id: String, values: Value, padding: String } }

/// A random generator that gives the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn text(&mut self) -> String {
        let letters = ["a", "\"", "ä", "€", "👻", "\u{0}", "\\"];
        (0..1 + self.roll(9))
            .map(|_| letters[self.roll(7) as usize])
            .collect()
    }

    fn number(&mut self) -> Number {
        let sign = if self.roll(2) == 0 { "-" } else { "" };
        let digits: String = (0..1 + self.roll(19))
            .map(|_| format!("{}{}", 1 + self.roll(9), 1 + self.roll(9)))
            .collect();
        let exponent = self.roll(60) as i64 * 2 - 80;
        let number = format!("{sign}{digits}e{exponent}");
        number.parse().unwrap_or(Number::from(7))
    }

    /// A number whose digits on either side of the point may be odd in count.
    fn odd_number(&mut self) -> Number {
        let digits: String = (0..1 + self.roll(38))
            .map(|_| self.roll(10).to_string())
            .collect();
        let exponent = self.roll(120) as i64 - 80;
        let number = format!("{digits}e{exponent}");
        number.parse().unwrap_or(Number::from(7))
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.roll(if depth == 0 { 8 } else { 10 }) {
            0 => Value::S(self.text()),
            1 => Value::Bool(self.roll(2) == 0),
            2 => Value::Null,
            3 => Value::B(self.text().into_bytes()),
            4 => Value::Ns((0..=self.roll(5)).map(|_| self.number()).collect()),
            5 => Value::Ss(
                (0..=self.roll(5))
                    .map(|_| self.text())
                    .collect::<BTreeSet<_>>(),
            ),
            6 => Value::Bs(
                (0..=self.roll(5))
                    .map(|_| self.text().into_bytes())
                    .collect(),
            ),
            7 => Value::N(self.number()),
            8 => Value::L((0..self.roll(6)).map(|_| self.value(depth - 1)).collect()),
            _ => Value::M(
                (0..self.roll(6))
                    .map(|_| (self.text(), self.value(depth - 1)))
                    .collect(),
            ),
        }
    }
}

/// These engines count pairs of digits from the decimal point on. AWS counts pairs of significant digits.
const ANOTHER_COUNT: Gap = Gap {
    engines: &[Kind::DynamoDbLocal, Kind::OldDynamoDbLocal],
    why: "counts up to a byte more for some numbers",
};

/// Pads an item with the values up to the limit. The engine has to take it, and to refuse it with one byte
/// more.
async fn just_fit(db: &Db, values: Vec<Value>, what: &str) -> Outcome {
    let mut item = Anything {
        id: "a".into(),
        values: Value::L(values),
        padding: String::new(),
    };
    item.padding = "x".repeat(MOST - item.to_item()?.size());
    let accepted = item.put().send(db).await;
    assert!(accepted.is_ok(), "{what}: {:?}", accepted.err());
    item.padding.push('x');
    let put = db.client().put_item().table_name(db.table::<Anything>());
    let put = put.set_item(Some(item.to_item()?.into()));
    let refused = put.send().await.err();
    let code = refused.as_ref().and_then(ProvideErrorMetadata::code);
    assert_eq!(code, Some("ValidationException"), "{what}");
    Ok(())
}

async fn the_engine_counts_as_we_do(db: Db) -> Outcome {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4 {
        for what in ["numbers", "sets", "lists", "maps", "all"] {
            let values = (0..300).map(|_| match what {
                "numbers" => Value::N(dice.number()),
                "sets" => Value::Ns((0..=dice.roll(5)).map(|_| dice.number()).collect()),
                "lists" => Value::L((0..dice.roll(4)).map(|_| dice.value(0)).collect()),
                "maps" => Value::M([(dice.text(), dice.value(0))].into_iter().collect()),
                _ => dice.value(3),
            });
            let values = values.collect();
            just_fit(&db, values, what).await?;
        }
    }
    Ok(())
}

async fn the_engine_counts_every_number_as_we_do(db: Db) -> Outcome {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for _ in 0..5 {
        let values = (0..300).map(|_| Value::N(dice.odd_number())).collect();
        just_fit(&db, values, "numbers").await?;
    }
    Ok(())
}

async fn derived_attributes_count(db: Db) -> Outcome {
    let order = order("u1", 7).create().send(&db).await?;
    let stored: Item = db.stored(&order.key()).await.into();
    assert_eq!(order.to_item()?.size(), stored.size());
    assert!(stored.contains("gsi1pk"));
    Ok(())
}

crate::declare! {
    entity Copied(table = "local-all", key(pk = id, sk = no), lsi(by_rank, sk = rank))
        { id: String, no: u32, rank: Option<u32>, body: String }
}

fn copied(rank: Option<u32>, size: usize) -> Copied {
    let mut copied = Copied {
        id: "c1".into(),
        no: 1,
        rank,
        body: String::new(),
    };
    let empty = copied.to_item().expect("an item").size();
    copied.body = "x".repeat(size - empty);
    copied
}

async fn copies_in_a_local_index_count(db: Db) -> Outcome {
    copied(Some(1), MOST / 2).create().send(&db).await?;
    let (faulty, http) = db.faulty([]);
    let refused = copied(Some(1), MOST / 2 + 1)
        .put()
        .send(&faulty)
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
    assert!(refused.to_string().contains("local indexes"), "{refused}");
    assert!(http.calls().is_empty());
    Ok(())
}

async fn no_copy_is_made_without_its_key(db: Db) -> Outcome {
    copied(None, MOST).create().send(&db).await?;
    let refused = copied(None, MOST + 1).put().send(&db).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
    assert!(!refused.to_string().contains("local indexes"), "{refused}");
    Ok(())
}

crate::declare! {
    entity Keyed(table = "local-keys", key(pk = id, sk = no), lsi(by_rank, sk = rank, project = keys))
        { id: String, no: u32, rank: u32, body: String, #[dynamo(ttl)] expires: Option<i64> }
}

/// The TTL attribute is always projected, so that queries of the index can hide expired rows.
async fn a_copy_of_the_keys_is_small(db: Db) -> Outcome {
    for expires in [None, Some(4_000_000_000)] {
        let mut keyed = Keyed {
            id: "c1".into(),
            no: 1,
            rank: 5,
            body: String::new(),
            expires,
        };
        let item = keyed.to_item()?;
        let copy = item.size() - "body".len();
        keyed.body = "x".repeat(MOST - item.size() - copy);
        keyed.put().send(&db).await?;
        keyed.body.push('x');
        let refused = keyed.put().send(&db).await;
        assert_eq!(
            refused.unwrap_err().kind(),
            ErrorKind::TooLarge,
            "{expires:?}"
        );
    }
    Ok(())
}

async fn an_item_is_what_the_table_holds(db: Db) -> Outcome {
    let order = order("u1", 7).create().send(&db).await?;
    let stored: Item = db.stored(&order.key()).await.into();
    assert_eq!(order.to_item()?, stored);
    assert_eq!(Order::from_item(stored)?, order);
    Ok(())
}

async fn an_item_comes_from_the_sdk(db: Db) -> Outcome {
    let item: Raw = order("u1", 7).to_item()?.into();
    db.plant::<Order>(item.clone()).await;
    let order = Order::from_item(item)?;
    assert_eq!(order.key().get().consistent().send(&db).await?, Some(order));
    Ok(())
}

async fn an_item_goes_to_serde(_: Db) -> Outcome {
    let item = order("u1", 7).to_item()?;
    let foreign: serde_dynamo::Item = item.clone().into();
    assert_eq!(Item::from(foreign), item);
    let json = serde_json::to_value(&item)?;
    assert_eq!(json["lines"][0]["qty"], 3);
    assert_eq!(json["total"], 12.5);
    Ok(())
}

async fn a_key_is_read_from_an_item(db: Db) -> Outcome {
    let order = order("u#1", 7).create().send(&db).await?;
    let mut keys = db.stored(&order.key()).await;
    keys.retain(|name, _| name == "pk" || name == "sk");
    let key = Order::key_from_item(keys)?;
    assert_eq!((key.user_id.0.as_str(), key.order_no), ("u#1", 7));
    assert_eq!(key.placed_at, order.placed_at);
    let other = HashMap::from([("pk".to_owned(), s("USER#1")), ("sk".to_owned(), s("INFO"))]);
    let error = Order::key_from_item(other).unwrap_err();
    let said = (error.kind(), error.key_attribute());
    assert_eq!(said, (ErrorKind::KeyMismatch, Some("sk")));
    Ok(())
}

async fn a_default_may_be_a_text(_db: Db) -> Outcome {
    let at: DateTime<Utc> = "2024-02-03T04:05:06Z".parse()?;
    let stored = Visit {
        user: "ann".into(),
        month: at.into(),
        at,
        by: "phone".into(),
        channel: "street".into(),
        state: "new".into(),
    };
    let mut item = stored.to_item()?;
    item.remove("by");
    item.remove("channel");
    let visit = Visit::from_item(item)?;
    assert_eq!(
        (&*visit.by, &*visit.channel.0, &*visit.state),
        ("web", "shop", "seen")
    );
    let schema = Visit::schema();
    let by = schema.entity("Visit").and_then(|visit| visit.field("by"));
    let default = by.ok_or("a field")?.default.as_deref();
    assert_eq!(default, Some("\"web\""));
    Ok(())
}

/// The way out where other programs have written the month of a time before the time.
async fn a_cut_part_beside_the_whole_is_a_field(db: Db) -> Outcome {
    let at: DateTime<Utc> = "2024-02-03T04:05:06Z".parse()?;
    let visit = Visit {
        user: "ann".into(),
        month: at.into(),
        at,
        by: "web".into(),
        channel: "shop".into(),
        state: "seen".into(),
    };
    visit.put().send(&db).await?;
    let stored = db.stored(&visit.key()).await;
    assert_eq!(stored.get("month"), None);
    let month = YearMonth::new(2024, 2).ok_or("a month")?;
    let found = Visit::in_partition("ann")
        .month()
        .eq(month)
        .all(&db)
        .await?;
    assert_eq!(found, [visit]);
    Ok(())
}
