//! Random rows with many kinds of keys. A row that can be read has one identity, and a row whose key has
//! another spelling cannot be read.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{ErrorKind, Item, Number, Timestamp, Value};
use uuid::Uuid;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    bare_texts,
    bare_times,
    bare_numbers,
    templates,
    lossy_templates,
    verbatim_templates,
    sharded_templates,
    numbers_with_a_fraction,
];

/// How many rows of each kind are tested, unless `FOREIGN_ROWS` sets another number.
fn rows() -> u64 {
    let asked = std::env::var("FOREIGN_ROWS").ok();
    asked.and_then(|rows| rows.parse().ok()).unwrap_or(12)
}

/// Reads, writes and deletes a row, and tries every other spelling of its key.
async fn check<E>(db: &Db, seed: u64, entity: E) -> Outcome
where
    E: DynamoEntity<Guard = dynamo_entity::write::Unconditional> + PartialEq + std::fmt::Debug,
{
    let stored = entity.to_item()?;
    let told = || format!("seed {seed}: {stored:?}");
    db.plant::<E>(stored.clone()).await;
    let read = E::scan()
        .all(db)
        .await
        .map_err(|error| format!("{}: {error}", told()))?;
    assert_eq!(read.len(), 1, "{}", told());
    let read = &read[0];
    assert_eq!(
        read.key().get().send(db).await?.as_ref(),
        Some(read),
        "{}",
        told()
    );
    read.put().send(db).await?;
    assert_eq!(db.count::<E::Table>().await, 1, "{}", told());

    for other in others::<E>(&stored) {
        match E::from_item(other.clone()) {
            Err(error) => assert_eq!(
                error.kind(),
                ErrorKind::KeyMismatch,
                "{}: {other:?}",
                told()
            ),
            // The text is another value of the field, so the row is another row, with its own key.
            Ok(row) => assert_eq!(keys::<E>(&row.to_item()?), keys::<E>(&other), "{}", told()),
        }
    }
    if let Some(other) = others::<E>(&stored)
        .into_iter()
        .find(|item| E::from_item(item.clone()).is_err())
    {
        db.plant::<E>(other.clone()).await;
        let both = E::scan().lenient().all(db).await?;
        assert_eq!(
            both.iter().filter(|row| row.is_ok()).count(),
            1,
            "{}: {other:?}",
            told()
        );
        let error = both
            .into_iter()
            .find_map(Result::err)
            .ok_or("a refused row")?;
        assert!(error.is_key_mismatch());
        let key = error.item_key().ok_or("its key")?;
        let delete = db.client().delete_item().table_name(db.table::<E::Table>());
        delete.set_key(Some(key.into())).send().await?;
    }
    read.delete().send(db).await?;
    assert_eq!(db.count::<E::Table>().await, 0, "{}", told());
    Ok(())
}

fn names<E: DynamoEntity>() -> Vec<String> {
    let schema = <E::Table as DynamoTable>::schema();
    let keys = [Some(schema.pk), schema.sk].into_iter().flatten();
    keys.map(|key| key.name.to_string()).collect()
}

fn keys<E: DynamoEntity>(item: &Item) -> Vec<Option<Value>> {
    let names = names::<E>().into_iter();
    names.map(|name| item.get(&name).cloned()).collect()
}

/// Copies of the item where one key attribute has another spelling: those that some program writes, and many
/// that none does.
fn others<E: DynamoEntity>(item: &Item) -> Vec<Item> {
    let mut others = Vec::new();
    for name in names::<E>() {
        let name = &*name;
        let spelt: Vec<Value> = match item.get(name) {
            Some(Value::S(text)) => spellings(text).into_iter().map(Value::S).collect(),
            Some(Value::N(number)) => rounded(number).into_iter().map(Value::N).collect(),
            _ => Vec::new(),
        };
        for value in spelt {
            // If a field owns the attribute, another text is another value of the field.
            if item.get(name) != Some(&value) {
                let mut other = item.clone();
                other.insert(name, value);
                others.push(other);
            }
        }
    }
    others
}

fn rounded(number: &Number) -> Vec<Number> {
    let text = number.as_str();
    let more = match text.contains('.') {
        true => format!("{text}0000000000000001"),
        false => format!("{text}.0000000000000001"),
    };
    more.parse().into_iter().collect()
}

fn spellings(text: &str) -> Vec<String> {
    let mut spelt = vec![
        text.to_uppercase(),
        text.to_lowercase(),
        text.replace('-', ""),
        format!("{{{text}}}"),
        format!("urn:uuid:{text}"),
        format!(" {text}"),
        format!("{text} "),
        format!("0{text}"),
        format!("+{text}"),
        format!("{text}#"),
        text.replace('%', "%25"),
    ];
    for (from, to) in [
        ("Z", "+00:00"),
        ("Z", "-00:00"),
        ("Z", "+0000"),
        ("Z", "z"),
        ("T", "t"),
        ("T", " "),
        (".000000000", ""),
        ("000000Z", "Z"),
        ("000Z", "Z"),
        ("0Z", "Z"),
        (".", ","),
        ("#0", "#"),
        ("#", "#0"),
        ("#", "##"),
        (":0", ":"),
        ("a", "%61"),
        ("%20", " "),
        ("%2", "%2f"),
        ("-", ""),
        ("e", "E"),
        ("e+", "e"),
        (".", ".0"),
        ("0#", "#"),
        ("0|", "|"),
        ("|", "0|"),
        ("|", ".0|"),
    ] {
        spelt.push(text.replace(from, to));
        spelt.push(text.replacen(from, to, 1));
    }
    let cut = text.char_indices().map(|(at, _)| text[..at].to_owned());
    spelt.extend(cut.skip(1));
    spelt
}

macro_rules! entities {
    ($($name:ident, $table:literal, [$($key:tt)*], { $($(#[$mark:meta])* $field:ident: $ty:ty),* };)*) => {$(
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = $table, $($key)*)]
        struct $name { $($(#[$mark])* $field: $ty),* }
    )*};
}

entities! {
    ByUuid, "by-uuid", [key(pk = id, sk = at)], { id: Uuid, at: DateTime<Utc>, x: u8 };
    ByUlid, "by-ulid", [key(pk = id, sk = at)], { id: ulid::Ulid, at: Timestamp, x: u8 };
    ByTime, "by-time", [key(pk = at, sk = civil)], { at: time::OffsetDateTime, civil: NaiveDateTime, x: u8 };
    ByDay, "by-day", [key(pk = day, sk = at)], { day: NaiveDate, at: jiff::Timestamp, x: u8 };
    ByClock, "by-clock", [key(pk = at, sk = day)], { at: std::time::SystemTime, day: jiff::civil::Date, x: u8 };
    ByFloat, "by-float", [key(pk = a, sk = b)], { a: f64, b: f32, x: u8 };
    ByDecimal, "by-decimal", [key(pk = a, sk = b)], { a: rust_decimal::Decimal, b: i64, x: u8 };
    ByWide, "by-wide", [key(pk = a, sk = b)], { a: u128, b: Number, x: u8 };
    Told, "told", [key(pk = "T#{id}#{name}", sk = "{at}#{n}#{m:04}")],
        { id: Uuid, name: String, at: DateTime<Utc>, n: i64, m: u16 };
    Kept, "kept", [key(pk = "K#{id}#{name}", sk = "{name}#{n}#{flag}#{id}")],
        { #[dynamo(skip)] id: Uuid, #[dynamo(skip)] flag: bool, #[dynamo(skip)] name: String, n: i8 };
    Cut, "cut", [key(pk = "C#{at:date}", sk = "{made:s}#{seen:ms}#{day:month}#{name}")],
        { at: DateTime<Utc>, made: DateTime<Utc>, seen: Timestamp, day: NaiveDate, name: String };
    Twice, "twice", [key(pk = "C#{at:date}#{name}", sk = "{at}#{name}")],
        { #[dynamo(skip)] at: DateTime<Utc>, #[dynamo(skip)] name: String };
    Plain, "plain", [verbatim(delimiter = ":"), key(pk = "u:{name}", sk = "{n}:{m:04}:{at}:{rest}")],
        { name: String, n: i32, m: u16, at: NaiveDate, rest: String };
    Rates, "rates-in-keys", [verbatim, key(pk = "R:{a}|{d}", sk = "{b:015.3}#{c:.2}#{e}")],
        { #[dynamo(skip)] a: f64, b: rust_decimal::Decimal, #[dynamo(skip)] c: Number, d: rust_decimal::Decimal, #[dynamo(skip)] e: f32 };
    Prices, "prices-in-keys", [key(pk = "P#{a}#{b:014}", sk = "{c:012.4}{d}")],
        { #[dynamo(skip)] a: Number, #[dynamo(skip)] b: f64, #[dynamo(skip)] c: f64, d: rust_decimal::Decimal };
    Bare, "half-bare", [verbatim, key(pk = name, sk = "{name}#{n}")], { name: String, n: u32 };
    Spread, "spread", [key(pk = "S#{name}", sk = "{n}", shards = 7)], { name: String, n: u32 };
    Hidden, "hidden", [key(pk = "S#{name}", shards = 7)], { #[dynamo(skip)] name: String, n: u32 };
}

/// Random values from one seed.
struct Given(fastrand::Rng);

impl Given {
    fn text(&mut self, alphabet: &str) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..self.0.usize(1..6))
            .map(|_| letters[self.0.usize(..letters.len())])
            .collect()
    }

    fn name(&mut self) -> String {
        self.text("aAbBzé#% :/\"\\0İ")
    }

    fn word(&mut self) -> String {
        self.text("aAbBzé%\"0")
    }

    /// Many of these times have a fraction that can be written in a shorter form.
    fn at(&mut self) -> DateTime<Utc> {
        let unit = [1_000_000_000, 1_000_000, 1_000, 1][self.0.usize(..4)];
        let nanos = self.0.u32(..1_000_000_000) / unit * unit;
        let second = self.0.i64(-2_000_000_000..4_000_000_000);
        DateTime::from_timestamp(second, nanos).expect("a time")
    }

    /// A float of any size that DynamoDB stores.
    fn float(&mut self) -> f64 {
        let sign = [1.0, -1.0][self.0.usize(..2)];
        sign * (0.1 + self.0.f64()) * 10_f64.powi(self.0.i32(-100..100))
    }

    /// A decimal that is not negative, with up to this many decimals.
    fn decimal(&mut self, below: i64, decimals: u32) -> rust_decimal::Decimal {
        rust_decimal::Decimal::new(self.0.i64(0..below), self.0.u32(..=decimals)).normalize()
    }

    fn day(&mut self) -> NaiveDate {
        self.at().date_naive()
    }

    fn uuid(&mut self) -> Uuid {
        Uuid::from_u128(self.0.u128(..))
    }
}

fn timestamp(at: DateTime<Utc>) -> Timestamp {
    Timestamp::from_unix(at.timestamp(), at.timestamp_subsec_nanos()).expect("a time")
}

/// Checks the rows of each seed.
async fn each<E>(db: &Db, make: impl Fn(&mut Given) -> E) -> Outcome
where
    E: DynamoEntity<Guard = dynamo_entity::write::Unconditional> + PartialEq + std::fmt::Debug,
{
    db.create_tables([<E::Table as DynamoTable>::schema()])
        .await?;
    for seed in 0..rows() {
        let mut given = Given(fastrand::Rng::with_seed(seed));
        check(db, seed, make(&mut given)).await?;
    }
    Ok(())
}

async fn bare_texts(db: Db) -> Outcome {
    each(&db, |g| ByUuid {
        id: g.uuid(),
        at: g.at(),
        x: 1,
    })
    .await?;
    each(&db, |g| ByUlid {
        id: ulid::Ulid(g.0.u128(..)),
        at: timestamp(g.at()),
        x: 1,
    })
    .await
}

async fn bare_times(db: Db) -> Outcome {
    let offset = |at: DateTime<Utc>| {
        let nanos =
            i128::from(at.timestamp()) * 1_000_000_000 + i128::from(at.timestamp_subsec_nanos());
        time::OffsetDateTime::from_unix_timestamp_nanos(nanos).expect("a time")
    };
    each(&db, |g| ByTime {
        at: offset(g.at()),
        civil: g.at().naive_utc(),
        x: 1,
    })
    .await?;
    each(&db, |g| {
        let at = g.at();
        let at = jiff::Timestamp::new(at.timestamp(), 0).expect("a time");
        ByDay {
            day: g.day(),
            at,
            x: 1,
        }
    })
    .await?;
    each(&db, |g| {
        let at = g.at().into();
        let day = jiff::civil::date(g.0.i16(1900..2100), g.0.i8(1..13), g.0.i8(1..29));
        ByClock { at, day, x: 1 }
    })
    .await
}

async fn bare_numbers(db: Db) -> Outcome {
    each(&db, |g| ByFloat {
        a: g.0.f64() * 1e6,
        b: g.0.f32(),
        x: 1,
    })
    .await?;
    each(&db, |g| {
        let a = rust_decimal::Decimal::new(g.0.i64(..), g.0.u32(..20)).normalize();
        ByDecimal {
            a,
            b: g.0.i64(..),
            x: 1,
        }
    })
    .await?;
    each(&db, |g| ByWide {
        a: g.0.u128(..10u128.pow(38)),
        b: g.0.i64(..).into(),
        x: 1,
    })
    .await
}

async fn templates(db: Db) -> Outcome {
    each(&db, |g| Told {
        id: g.uuid(),
        name: g.name(),
        at: g.at(),
        n: g.0.i64(..),
        m: g.0.u16(..9999),
    })
    .await?;
    each(&db, |g| Kept {
        id: g.uuid(),
        flag: g.0.bool(),
        name: g.name(),
        n: g.0.i8(..),
    })
    .await
}

async fn lossy_templates(db: Db) -> Outcome {
    each(&db, |g| {
        let seen = timestamp(g.at());
        Cut {
            at: g.at(),
            made: g.at(),
            seen,
            day: g.day(),
            name: g.name(),
        }
    })
    .await?;
    each(&db, |g| Twice {
        at: g.at(),
        name: g.name(),
    })
    .await
}

async fn verbatim_templates(db: Db) -> Outcome {
    each(&db, |g| Plain {
        name: g.word(),
        n: g.0.i32(..),
        m: g.0.u16(..9999),
        at: g.day(),
        rest: g.name(),
    })
    .await?;
    each(&db, |g| Bare {
        name: g.word(),
        n: g.0.u32(..),
    })
    .await
}

async fn numbers_with_a_fraction(db: Db) -> Outcome {
    each(&db, |g| Rates {
        a: g.float(),
        b: g.decimal(1_000_000_000, 3),
        c: g.decimal(i64::MAX, 2)
            .to_string()
            .parse()
            .expect("a number"),
        d: rust_decimal::Decimal::new(g.0.i64(..), g.0.u32(..28)).normalize(),
        e: g.0.f32() * 10_f32.powi(g.0.i32(-9..9)),
    })
    .await?;
    each(&db, |g| Prices {
        a: Number::from(g.0.i64(..)),
        b: f64::from(g.0.i32(0..1_000_000)) / f64::from(g.0.i32(1..4)).exp2(),
        c: f64::from(g.0.u32(..)) / 10_000.0,
        d: g.decimal(i64::MAX, 20),
    })
    .await
}

async fn sharded_templates(db: Db) -> Outcome {
    each(&db, |g| Spread {
        name: g.name(),
        n: g.0.u32(..),
    })
    .await?;
    each(&db, |g| Hidden {
        name: g.name(),
        n: g.0.u32(..),
    })
    .await
}
