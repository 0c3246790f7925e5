//! Values of all types, and entities of all kinds.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dynamo_entity::Item;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity_cli::App;

use crate::place::{Outcome, Place};

/// What JSON has no types for.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "forms", key(pk = "FORM#{id}"))]
pub struct Form {
    pub id: u32,
    pub tags: BTreeSet<String>,
    pub sizes: BTreeSet<u64>,
    pub bytes: Vec<u8>,
    pub large: i128,
    pub list: Vec<String>,
    #[dynamo(rename = "n")]
    pub name: Option<String>,
    #[dynamo(created_at)]
    pub created_at: DateTime<Utc>,
    #[dynamo(updated_at)]
    pub updated_at: DateTime<Utc>,
}

/// Its day stands in the key alone.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "days", key(pk = "HOUSE#{house}", sk = "{day}#{guest}"))]
pub struct Day {
    pub house: u32,
    #[dynamo(skip)]
    pub day: chrono::NaiveDate,
    pub guest: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "events", key(pk = subject, sk = number), append_only)]
pub struct Event {
    pub subject: String,
    pub number: u64,
}

/// Its numbers stand in the key alone.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rates", key(pk = "SHOP#{shop}", sk = "{price:09.2}#{rate}"))]
pub struct Rate {
    pub shop: String,
    #[dynamo(skip)]
    pub price: f64,
    #[dynamo(skip)]
    pub rate: f64,
}

/// Declares an entity whose keys, also those of an index, hold times by themselves.
macro_rules! visits {
    ($name:ident, $table:literal, $time:ty) => {
        /// Who came when.
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = $table, key(pk = since, sk = at), gsi(by_end, pk = until, sk = paid))]
        pub struct $name {
            pub since: $time,
            pub at: $time,
            pub until: $time,
            pub paid: $time,
        }
    };
}

visits!(Visit, "visits", DateTime<Utc>);
visits!(TimeVisit, "time-visits", time::OffsetDateTime);
visits!(JiffVisit, "jiff-visits", jiff::Timestamp);

pub fn app() -> App {
    let app = App::new([
        Form::schema(),
        Day::schema(),
        Event::schema(),
        Visit::schema(),
        TimeVisit::schema(),
        JiffVisit::schema(),
        Rate::schema(),
    ]);
    let app = app.writes::<Rate>();
    let app = app.writes::<Form>().writes::<Day>().writes::<Event>();
    app.writes::<Visit>()
        .writes::<TimeVisit>()
        .writes::<JiffVisit>()
}

fn tables(place: &Place) -> Outcome {
    place.typed(async |db| {
        let tables = [Form::schema(), Day::schema(), Event::schema()];
        db.create_tables(tables).await
    })?;
    Ok(())
}

pub fn values_of_all_types_come_back(place: &Place) -> Outcome {
    tables(place)?;
    let json = r#"{"id": 7, "tags": ["b", "a"], "sizes": [10, 2], "bytes": "AAEC/w==", "list": ["x", "x"],
        "large": 123456789012345678901234567890, "name": "Ann"}"#;
    place.done("forms", &["put", "Form", json])?;
    let form = place
        .typed(async |db| Form::key(7).get().send(db).await)?
        .ok_or("a form")?;
    assert_eq!(
        (form.bytes.as_slice(), form.large),
        (&[0, 1, 2, 255][..], 123456789012345678901234567890)
    );
    assert_eq!(
        (form.tags.len(), form.sizes.len(), form.list.len()),
        (2, 2, 2)
    );
    assert_eq!(form.name.as_deref(), Some("Ann"));
    assert!(form.created_at.timestamp() > 1_700_000_000);
    // What is read can be put again, and is the same.
    let seen = place.done("forms", &["get", "Form", "7", "--json"])?.out;
    let again = place.given("forms", &["put", "Form", "-"], &seen)?;
    assert_eq!(again.code, 0, "{again:?}");
    let stored = place
        .typed(async |db| Form::key(7).get().send(db).await)?
        .ok_or("a form")?;
    assert_eq!(
        Form {
            updated_at: form.updated_at,
            ..stored
        },
        form
    );
    place.refused(
        "forms",
        &[
            "put",
            "Form",
            &json.replace("\"AAEC/w==\"", "\"no base64\""),
        ],
        &["`bytes` of `Form` is a `Vec<u8>`"],
    )?;
    place.refused(
        "forms",
        &[
            "put",
            "Form",
            &json.replace("\"name\"", "\"n\": \"x\", \"name\""),
        ],
        &["given twice"],
    )
}

pub fn a_key_alone_holds_a_field(place: &Place) -> Outcome {
    tables(place)?;
    place.done(
        "forms",
        &[
            "put",
            "Day",
            r#"{"house": 7, "day": "2026-03-04", "guest": "ann"}"#,
        ],
    )?;
    let shown = place
        .done(
            "forms",
            &["query", "Day", "7", "--day", "2026-03-01..2026-04-01"],
        )?
        .out;
    assert!(shown.contains("2026-03-04#ann"), "{shown}");
    let seen = place
        .done("forms", &["get", "Day", "7", "2026-03-04", "ann", "--json"])?
        .out;
    assert_eq!(place.given("forms", &["put", "Day", "-"], &seen)?.code, 0);
    place.done("forms", &["delete", "Day", "7", "2026-03-04", "ann", "-y"])?;
    Ok(())
}

pub fn numbers_with_a_fraction_are_key_parts(place: &Place) -> Outcome {
    place.typed(async |db| db.create_tables([Rate::schema()]).await)?;
    for price in ["9.5", "12.5", "100"] {
        let rate = format!(r#"{{"shop": "north", "price": {price}, "rate": 0.25}}"#);
        place.done("forms", &["put", "Rate", &rate])?;
    }
    let query = ["query", "Rate", "north", "--price"];
    let shown = place.done("forms", &[&query[..], &["10..=100.00"]].concat())?;
    let shown = shown.out;
    assert!(
        shown.contains("000012.50#0.25") && shown.contains("000100.00#0.25"),
        "{shown}"
    );
    assert!(!shown.contains("000009.50"), "{shown}");
    let get = ["get", "Rate", "north", "12.50", "0.25", "--json"];
    let seen = place.done("forms", &get)?.out;
    assert_eq!(place.given("forms", &["put", "Rate", "-"], &seen)?.code, 0);
    let wrong = ["get", "Rate", "north", "12.345", "0.25"];
    place.refused(
        "forms",
        &wrong,
        &["`12.345`", "such as 9.95, in the key as `{price:09.2}`"],
    )?;
    let range = ["--price", "9.5", "--rate", "0.1..1"];
    let range = [&["query", "Rate", "north"][..], &range].concat();
    assert_ne!(place.run("forms", &range)?.code, 0);
    Ok(())
}

pub fn what_is_append_only_is_created(place: &Place) -> Outcome {
    tables(place)?;
    let event = r#"{"subject": "ann", "number": 1}"#;
    place.done("forms", &["put", "Event", event])?;
    place.refused("forms", &["put", "Event", event], &["Event"])?;
    place.refused(
        "forms",
        &["put", "Event", event, "--unchecked"],
        &["append_only"],
    )?;
    place.refused(
        "forms",
        &["delete", "Event", "ann", "1", "-y"],
        &["append_only"],
    )
}

pub fn members_that_nothing_reads_are_refused(place: &Place) -> Outcome {
    tables(place)?;
    let day = r#"{"house": 7, "day": "2026-03-04", "gest": "ann"}"#;
    place.refused(
        "forms",
        &["put", "Day", day],
        &["`Day` has no field `gest`: did you mean `guest`?"],
    )
}

/// Puts an item with times in each spelling and by each verb, and compares what is stored with the typed put.
fn check_times<E: DynamoEntity>(
    place: &Place,
    name: &str,
    typed: &E,
    schema: TableSchema,
) -> Outcome {
    let table = schema.name.clone();
    place.typed(async |db| db.create_tables([schema]).await)?;
    let wanted = typed.to_item()?;
    let key: Item = wanted
        .clone()
        .into_iter()
        .filter(|(name, _)| ["since", "at"].contains(&name.as_str()))
        .collect();
    for at in [
        "2026-03-01T10:00:00Z",
        "2026-03-01T10:00:00.000Z",
        "2026-03-01T10:00:00.000000000Z",
        "2026-03-01T11:00:00+01:00",
    ] {
        let json = format!(r#"{{"since": "{at}", "at": "{at}", "until": "{at}", "paid": "{at}"}}"#);
        for verb in [&["--create"][..], &[], &["--unchecked"]] {
            let put = [&["put", name, &json][..], verb].concat();
            place.done("forms", &put)?;
            let get = Item::in_table(&table).get(key.clone());
            let stored = place.typed(async |db| get.send(db).await)?;
            assert_eq!(stored.as_ref(), Some(&wanted), "{at} {verb:?}");
        }
        place.done("forms", &["delete", name, at, at, "--yes"])?;
    }
    let wrong = r#"{"since": "today", "at": "2026-03-01T10:00:00Z", "until": "2026-03-01T10:00:00Z", "paid": "2026-03-01T10:00:00Z"}"#;
    place.refused("forms", &["put", name, wrong], &["since"])
}

pub fn times_that_are_keys_are_written_in_any_spelling(place: &Place) -> Outcome {
    let text = "2026-03-01T10:00:00Z";
    let at: DateTime<Utc> = text.parse()?;
    let visit = Visit {
        since: at,
        at,
        until: at,
        paid: at,
    };
    check_times(place, "Visit", &visit, Visit::schema())?;
    let at = time::OffsetDateTime::from_unix_timestamp(at.timestamp())?;
    let visit = TimeVisit {
        since: at,
        at,
        until: at,
        paid: at,
    };
    check_times(place, "TimeVisit", &visit, TimeVisit::schema())?;
    let at: jiff::Timestamp = text.parse()?;
    let visit = JiffVisit {
        since: at,
        at,
        until: at,
        paid: at,
    };
    check_times(place, "JiffVisit", &visit, JiffVisit::schema())
}
