//! Keys and queries by texts for every format and every kind of key: they ask for what typed calls ask for.

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use dynamo_entity::key::{EpochSeconds, Lowercase, Millis, Seconds, Year, YearMonth};
use dynamo_entity::prelude::*;
use dynamo_entity::query::DynamicEntity;
use fastrand::Rng;
use rust_decimal::Decimal;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    every_format_is_written_as_typed,
    bare_keys_are_written_as_typed,
    verbatim_keys_are_written_as_typed,
    rows_are_found_by_text(Verbatim),
    texts_that_are_no_values_are_refused,
    newtypes_are_read_as_what_they_hold,
    what_has_no_order_has_no_range,
    numbers_with_a_fraction_are_written_as_typed,
    a_field_is_given_once_for_its_whole_and_its_cuts,
];

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
#[dynamo(order)]
enum Rank {
    Low = 1,
    High = 20,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Code(String);

crate::declare! {
    /// A format in each index.
    entity Formats(table = "formats", key(pk = "{code}", sk = "{signed}#{wide}#{number:06}"),
        gsi(seconds, pk = "S#{flag}", sk = "{at:s}#{number}"), gsi(millis, pk = "M#{day}", sk = "{at:ms}#{number}"),
        gsi(days, pk = "D#{rank}", sk = "{at:date}#{number}"), gsi(months, pk = "{at:month}", sk = "{name:lower}"), gsi(years, pk = "{at:year}", sk = "{number}"),
        gsi(epochs, pk = "{name:upper}", sk = "{at:epoch}#{number:08}"),
        gsi(placed, pk = "P", sk = "{till:first}#{note:last}#{number}"),
        gsi(spread, pk = "X#{letter}", sk = "{at}", shards = 3), lsi(noted, sk = "{note}"))
        { code: Code, signed: i16, wide: u128, number: u32, flag: bool, letter: char, rank: Rank, day: NaiveDate,
          at: DateTime<Utc>, name: String, till: Option<DateTime<Utc>>, note: Option<String> }
}

/// Values, and the texts by which people give them.
struct Given {
    code: String,
    signed: i16,
    wide: u128,
    number: u32,
    at: DateTime<Utc>,
    name: String,
}

impl Given {
    fn random(rng: &mut Rng) -> Self {
        let texts = ["a", "A#b", "%", "Ünter", "x y", "\\"];
        Given {
            code: rng.choice(texts).unwrap_or_default().to_owned(),
            signed: rng.i16(..),
            wide: rng.u128(..),
            number: rng.u32(..1_000_000),
            at: DateTime::from_timestamp(rng.i64(0..4_000_000_000), 0).unwrap_or_default(),
            name: rng.choice(texts).unwrap_or_default().to_owned(),
        }
    }
}

fn entity<T: DynamoTable>(name: &str) -> Result<DynamicEntity> {
    T::schema().dynamic(name)
}

/// Both ask for the same.
fn same(
    db: &Db,
    typed: impl QueryExt,
    by_text: Result<impl QueryExt>,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let typed = format!("{:?}", typed.explain(db)?);
    assert_eq!(format!("{:?}", by_text?.explain(db)?), typed);
    Ok(())
}

async fn every_format_is_written_as_typed(db: Db) -> Outcome {
    let by_text = entity::<Formats>("Formats")?;
    let mut rng = Rng::with_seed(3);
    for _ in 0..100 {
        let given = Given::random(&mut rng);
        let Given {
            signed,
            wide,
            number,
            at,
            ..
        } = given;
        let (signed_text, wide_text) = (signed.to_string(), wide.to_string());
        let number_text = number.to_string();
        let (code, name) = (&*given.code, &*given.name);
        let time = at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let day = at.date_naive();
        let date = day.to_string();
        let typed = Formats::key(Code(code.to_owned()), signed, wide, number);
        let key = by_text.key([code, &signed_text, &wide_text, &number_text])?;
        assert_eq!(key, typed.to_item()?);

        let seconds = Seconds::floor(at).ok_or("a time")?;
        same(
            &db,
            Formats::seconds(true).at().eq(seconds).number().ge(number),
            by_text
                .query("seconds", ["true"])?
                .eq("at", &time)?
                .between("number", &*number_text..),
        )?;
        let fine = at + TimeDelta::milliseconds(5);
        let fine_text = fine.to_rfc3339_opts(SecondsFormat::Millis, true);
        same(
            &db,
            Formats::millis(day)
                .at()
                .le(Millis::floor(fine).ok_or("a time")?),
            by_text
                .query("millis", [&*date])?
                .between("at", ..=&*fine_text),
        )?;
        same(
            &db,
            Formats::days(Rank::High).at().between(day..=day),
            by_text
                .query("days", ["20"])?
                .between("at", &*date..=&*date),
        )?;
        let month = YearMonth::from(at);
        let folded: Lowercase<String> = Lowercase::of(&given.name);
        same(
            &db,
            Formats::months(month).name().eq(folded),
            by_text
                .query("months", [&*month.to_string()])?
                .eq("name", &name.to_lowercase()),
        )?;
        same(
            &db,
            Formats::months(month).name().starts_with(name),
            by_text
                .query("months", [&*month.to_string()])?
                .starts_with("name", name),
        )?;
        same(
            &db,
            Formats::years(Year::from(at)).number().le(number),
            by_text
                .query("years", [&*Year::from(at).to_string()])?
                .between("number", ..=&*number.to_string()),
        )?;
        same(
            &db,
            Formats::epochs(name).at().eq(seconds).number().lt(number),
            by_text
                .query("epochs", [name])?
                .eq("at", &time)?
                .between("number", ..&*number_text),
        )?;
        same(
            &db,
            Formats::placed().till().missing().note().eq(name),
            by_text
                .query("placed", [])?
                .missing("till")?
                .eq("note", name),
        )?;
        same(
            &db,
            Formats::placed()
                .till()
                .eq(at)
                .note()
                .missing()
                .number()
                .eq(number),
            by_text
                .query("placed", [])?
                .eq("till", &time)?
                .missing("note")?
                .eq("number", &number_text),
        )?;
        same(
            &db,
            Formats::spread('ü').at().ge(at),
            by_text.query("spread", ["ü"])?.between("at", &*time..),
        )?;
        same(
            &db,
            Formats::noted(Code(code.to_owned()))
                .note()
                .starts_with(name),
            by_text.query("noted", [code])?.starts_with("note", name),
        )?;
    }
    Ok(())
}

crate::declare! {
    /// Keys that are fields by themselves.
    entity Bare(table = "bare", key(pk = bytes, sk = amount), gsi(since, pk = level, sk = since),
        gsi(until, pk = bytes, sk = until))
        { bytes: Vec<u8>, amount: Decimal, level: i64, since: EpochSeconds<DateTime<Utc>>, until: DateTime<Utc> }
}

async fn bare_keys_are_written_as_typed(db: Db) -> Outcome {
    let by_text = entity::<Bare>("Bare")?;
    let mut rng = Rng::with_seed(4);
    for _ in 0..50 {
        let bytes = vec![rng.u8(..), rng.u8(..), 7];
        let base64 = base64_of(&bytes);
        let amount = Decimal::new(rng.i64(-1000..1000), 2);
        let typed = Bare::key(bytes.clone(), amount);
        let key = by_text.key([&*base64, &amount.to_string()])?;
        assert_eq!(key, typed.to_item()?);
        let (level, seconds) = (rng.i64(..), rng.i64(0..4_000_000_000));
        let at = DateTime::from_timestamp(seconds, 0).ok_or("a time")?;
        let since = EpochSeconds::floor(at).ok_or("a time")?;
        same(
            &db,
            Bare::since(level).since().ge(since),
            by_text
                .query("since", [&*level.to_string()])?
                .between("since", &*seconds.to_string()..),
        )?;
        same(
            &db,
            Bare::since(level).since().ge(since),
            by_text
                .query("since", [&*level.to_string()])?
                .between("since", &*at.to_rfc3339()..),
        )?;
        let day = at.date_naive();
        let midnight = day.and_time(chrono::NaiveTime::MIN).and_utc();
        same(
            &db,
            Bare::until(bytes).until().between(midnight..at),
            by_text
                .query("until", [&*base64])?
                .between("until", &*day.to_string()..&*at.to_rfc3339()),
        )?;
    }
    Ok(())
}

fn base64_of(bytes: &[u8]) -> String {
    let json = serde_json::to_value(Item::from_iter([(
        "b",
        dynamo_entity::Value::B(bytes.to_vec()),
    )]));
    let json = json.expect("plain JSON");
    json["b"].as_str().expect("a text").to_owned()
}

crate::declare! {
    /// Keys as another library writes them.
    entity Verbatim(table = "verbatim", verbatim(delimiter = ":"),
        key(pk = "Item:{owner}:{number:04}", sk = "{number}:{text}")) { owner: String, number: u32, text: String }
}

async fn verbatim_keys_are_written_as_typed(db: Db) -> Outcome {
    let by_text = entity::<Verbatim>("Verbatim")?;
    for (owner, number, text) in [("a", 7, "b"), ("a#%", 0, "b:c"), ("ü", 9999, ":")] {
        let number_text = number.to_string();
        let typed = Verbatim::key(owner, number, text);
        assert_eq!(by_text.key([owner, &number_text, text])?, typed.to_item()?);
        let partition = || by_text.in_partition([owner, &number_text]);
        let typed = || Verbatim::in_partition(owner, number).number().eq(number);
        same(
            &db,
            typed().text().ge(text),
            partition()?
                .eq("number", &number_text)?
                .between("text", text..),
        )?;
        same(
            &db,
            typed().text().starts_with(text),
            partition()?
                .eq("number", &number_text)?
                .starts_with("text", text),
        )?;
        let refused = partition()?
            .between("number", "1"..)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("do not sort by the values of `number`"),
            "{refused}"
        );
    }
    // The delimiter would end the part early, which typed calls refuse too.
    assert!(Verbatim::key("a:b", 7, "c").to_item().is_err());
    assert!(by_text.key(["a:b", "7", "c"]).is_err());
    Ok(())
}

async fn rows_are_found_by_text(db: Db) -> Outcome {
    for (number, text) in [(7, "b"), (7, "c"), (8, "d")] {
        let row = Verbatim {
            owner: "ann".into(),
            number,
            text: text.into(),
        };
        row.put().send(&db).await?;
    }
    let by_text = entity::<Verbatim>("Verbatim")?;
    let rows = by_text
        .in_partition(["ann", "7"])?
        .descending()
        .all(&db)
        .await?;
    let rows: Result<Vec<Verbatim>> = rows.into_iter().map(Verbatim::from_item).collect();
    let texts: Vec<String> = rows?.into_iter().map(|row| row.text).collect();
    assert_eq!(texts, ["c", "b"]);
    assert_eq!(by_text.in_partition(["ann", "8"])?.count(&db).await?, 1);
    Ok(())
}

async fn texts_that_are_no_values_are_refused(_: Db) -> Outcome {
    let by_text = entity::<Formats>("Formats")?;
    let refused = |pattern: &str, text: &str, part: &str| {
        let error = by_text.query(pattern, [text]).unwrap_err();
        let message = error.to_string();
        assert_eq!(error.kind(), ErrorKind::InvalidKey);
        assert!(
            message.contains(part) && !message.contains("hush"),
            "{message}"
        );
    };
    refused("seconds", "hush", "`flag` of `Formats` is a `bool`");
    refused(
        "millis",
        "2026-02-30",
        "`day` of `Formats` is a `NaiveDate`",
    );
    refused("days", "3", "`rank` of `Formats` is a `Rank`");
    refused("months", "2026-03-01", "in the key as `{at:month}`");
    refused("years", "2026-03", "in the key as `{at:year}`");
    refused("spread", "ab", "`letter` of `Formats` is a `char`");
    // Nothing is rounded in silence.
    let fraction = by_text
        .query("seconds", ["true"])?
        .eq("at", "2026-03-01T00:00:00.5Z");
    assert!(fraction.is_err());
    assert!(
        by_text
            .query("seconds", ["true"])?
            .eq("at", "2026-03-01T01:00:00+01:00")
            .is_ok()
    );
    for number in ["", "07", "+7", "7.0", "99999999999", " 7"] {
        assert!(by_text.key(["a", "1", "1", number]).is_err(), "{number}");
    }
    assert!(by_text.key(["a", "-0", "1", "1"]).is_err());
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct At(DateTime<Utc>);

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
enum Level {
    Low,
    High,
}

crate::declare! {
    entity Wrapped(table = "wrapped", key(pk = "{name}", sk = "{label}"), gsi(by_time, pk = "A", sk = "{at}"),
        gsi(by_bare_time, pk = "{level}", sk = at), gsi(by_level, pk = "L", sk = "{level}#{at}"))
        { #[dynamo(skip)] name: String, #[dynamo(skip)] label: String, at: At, level: Level }
}

async fn newtypes_are_read_as_what_they_hold(db: Db) -> Outcome {
    let by_text = entity::<Wrapped>("Wrapped")?;
    let time = "2026-03-01T00:00:00Z";
    let at = || At(time.parse().expect("a time"));
    for text in [time, "2026-03-01", "2026-03-01T01:00:00+01:00"] {
        same(
            &db,
            Wrapped::by_time().at().ge(at()),
            by_text.query("by_time", [])?.between("at", text..),
        )?;
        same(
            &db,
            Wrapped::by_bare_time(Level::Low).at().eq(at()),
            by_text.query("by_bare_time", ["Low"])?.eq("at", text),
        )?;
    }
    Ok(())
}

async fn what_has_no_order_has_no_range(db: Db) -> Outcome {
    let by_text = entity::<Wrapped>("Wrapped")?;
    let refused = |query: Result<Query<Item>>, why: &str| {
        let message = query.unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    };
    let levels = || by_text.query("by_level", []);
    refused(
        levels()?.between("level", "Low"..="High"),
        "do not sort by the values of `level`",
    );
    refused(levels()?.starts_with("level", "L"), "`level` is not text");
    refused(
        by_text
            .query("by_bare_time", ["Low"])?
            .starts_with("at", "2026"),
        "`at` is not text",
    );
    same(
        &db,
        Wrapped::by_level().level().eq(Level::High),
        levels()?.eq("level", "High"),
    )?;
    // A part without an attribute of its own is text all the same.
    same(
        &db,
        Wrapped::in_partition("a").label().starts_with("b"),
        by_text.in_partition(["a"])?.starts_with("label", "b"),
    )?;
    Ok(())
}

crate::declare! {
    entity Offer(table = "offers", key(pk = "S#{shop}", sk = "{price:09.2}#{rate}"),
        gsi(by_rate, pk = "S#{shop}", sk = "{rate:06}"), gsi(by_limit, pk = "S#{shop}", sk = "{maximum:09.2:first}"))
        { shop: String, price: Decimal, rate: f64, maximum: Option<f64> }
}

async fn numbers_with_a_fraction_are_written_as_typed(db: Db) -> Outcome {
    let by_text = entity::<Offer>("Offer")?;
    let price = Decimal::new(1250, 2);
    for text in ["12.5", "12.50", "012.500", "1250e-2"] {
        let typed = Offer::key("a", price, 0.5);
        assert_eq!(by_text.key(["a", text, "0.5"])?, typed.to_item()?);
        same(
            &db,
            Offer::in_partition("a").price().ge(price),
            by_text.in_partition(["a"])?.between("price", text..),
        )?;
        same(
            &db,
            Offer::by_limit("a").maximum().lt(12.5),
            by_text.query("by_limit", ["a"])?.between("maximum", ..text),
        )?;
        same(
            &db,
            Offer::by_rate("a").rate().eq(12.5),
            by_text.query("by_rate", ["a"])?.eq("rate", text),
        )?;
    }
    let message = |query: Result<Query<Item>>| query.unwrap_err().to_string();
    let refused = message(by_text.query("by_rate", ["a"])?.between("rate", "1"..));
    assert!(
        refused.contains("do not sort by the values of `rate`"),
        "{refused}"
    );
    let refused = by_text.key(["a", "12.345", "0.5"]).unwrap_err().to_string();
    assert!(refused.contains("3 decimals"), "{refused}");
    for text in ["x", "", "NaN", "inf", "1,5"] {
        assert!(by_text.key(["a", "1", text]).is_err(), "{text}");
        assert!(by_text.key(["a", text, "1"]).is_err(), "{text}");
    }
    let has_ranges = |pattern: Option<&str>| -> Result<Vec<bool>> {
        let parts = by_text.sort_parts(pattern)?;
        Ok(parts.iter().map(|part| part.has_ranges).collect())
    };
    assert_eq!(has_ranges(None)?, [true, false]);
    assert_eq!(has_ranges(Some("by_rate"))?, [false]);
    assert_eq!(has_ranges(Some("by_limit"))?, [true]);
    Ok(())
}

async fn a_field_is_given_once_for_its_whole_and_its_cuts(_: Db) -> Outcome {
    macro_rules! cut {
        ($($template:literal)*) => {$({
            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "cut", key(pk = $template, sk = "{at}#{name}"))]
            struct Cut {
                at: DateTime<Utc>,
                name: String,
            }
            let by_text = entity::<Cut>("Cut")?;
            let mut rng = Rng::with_seed(5);
            for _ in 0..30 {
                let nanos = rng.i64(0..4_000_000_000_000_000_000);
                let (at, name) = (DateTime::from_timestamp_nanos(nanos), Given::random(&mut rng).name);
                let key = by_text.key([&*at.to_rfc3339(), &name])?;
                assert_eq!(key, Cut::key(at, &name).to_item()?, "{}", $template);
            }
        })*};
    }
    cut! {
        "{at:month}#{name:lower}"
        "{at:year}#{name:lower}"
        "{at:date}#{name:upper}"
        "{at:s}#{name:lower}"
        "{at:ms}#{name:lower}"
        "{at:s:lower}#{name:lower}"
        "{at:ms:lower}#{name:upper}"
        "{at:epoch}#{name:lower}"
        "{at:epoch_ms}#{name:lower}"
    }
    Ok(())
}
