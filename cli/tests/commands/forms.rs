//! Values of all types, and entities of all kinds.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
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

pub fn app() -> App {
    let app = App::new([Form::schema(), Day::schema(), Event::schema()]);
    app.writes::<Form>().writes::<Day>().writes::<Event>()
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
