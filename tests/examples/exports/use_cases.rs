//! The table of use cases in a document.

use chrono::{DateTime, Utc};
use dynamo_entity::export::{Markdown, UnitPrices, UseCase};
use dynamo_entity::prelude::*;

use crate::app_users::{AppUsers, Record};
use crate::iot_meters::{Battery, Measurement, MeterStatus};

fn cases() -> Result<Vec<UseCase>> {
    let status = UseCase::new("UC-01", "the status | of a meter\nnow", |db| {
        MeterStatus::key("m").get().explain(db)
    })?;
    let low = UseCase::new("UC-02", "all meters to visit", |db| {
        MeterStatus::by_battery(Battery::Low).explain(db)
    })?;
    let measured = UseCase::new("UC-03", "a new measurement", |db| {
        let measurement = Measurement {
            meter: "m".into(),
            at: DateTime::<Utc>::UNIX_EPOCH,
            litres: 1,
        };
        measurement.put().explain(db)
    })?;
    Ok(vec![
        status.per_day(20_000.0).item_size(400),
        low.per_day(24.0).rows(100).item_size(4_096),
        measured.per_day(1_000_000.0),
    ])
}

fn document() -> Result<Markdown> {
    let tables = [MeterStatus::schema(), Measurement::schema()];
    Ok(Markdown::new(tables).prefix("prod").use_cases(cases()?))
}

#[test]
fn each_has_its_key_its_units_and_its_price() -> Result<()> {
    let text = document()?.prices(UnitPrices::new("EUR", 0.1, 0.5)).text();
    let table: Vec<&str> = text
        .lines()
        .take_while(|line| !line.contains("Table"))
        .collect();
    let expected = [
        "## Use cases",
        "",
        "| ID | question | call | table | key | operation | a day | units | a month |",
        "|---|---|---|---|---|---|---|---|---|",
        // 0.5 units * 20,000 * 365 / 12 of 0.1 a million
        "| UC-01 | the status \\| of a meter now | `MeterStatus` get | `prod-meter-status` | `meter`, `CURRENT` | GetItem | \
         20000 | 0.5 read units | 0.03 EUR |",
        // 100 rows of 4 KB by weak reads
        "| UC-02 | all meters to visit | `MeterStatus` by_battery of `by_battery` | `prod-meter-status` | \
         `BATTERY#{battery}`, `{meter}` | Query | 24 | 50 read units | <0.01 EUR |",
        "| UC-03 | a new measurement | `Measurement` put | `prod-measurement` | `meter`, `at` | PutItem | 1000000 | \
         1 write unit | 15.21 EUR |",
        "",
        "All use cases cost 15.24 EUR a month.",
        "",
        "The costs assume:",
        "",
    ];
    assert_eq!(table[..expected.len()], expected, "{text}");
    assert!(
        table.iter().any(|line| line.starts_with("- UC-03: ")),
        "{text}"
    );
    Ok(())
}

#[test]
fn without_prices_there_are_units_alone() -> Result<()> {
    let text = document()?.text();
    assert!(text.contains("| 20000 | 0.5 read units |  |"), "{text}");
    assert!(!text.contains("All use cases cost"), "{text}");
    let none = Markdown::new([MeterStatus::schema()]).text();
    assert!(!none.contains("Use cases"), "{none}");
    Ok(())
}

#[test]
fn a_collection_has_the_keys_of_its_entities() -> Result<()> {
    let user = uuid::Uuid::nil();
    let case = UseCase::new("UC-04", "the records of a user", |db| {
        Record::in_partition(user).explain(db)
    })?;
    let schema = AppUsers::schema().with_collection::<Record>()?;
    let text = Markdown::new([schema]).use_cases([case]).text();
    let sort = "`USER_INFO` or `REWARDS` or `HAND_OVER#{at}`";
    for row in [
        format!("| `Record::in_partition(user_id)` | table | `user_id` | {sort} |"),
        format!("| `user_id`, {sort} | Query |"),
    ] {
        assert!(text.contains(&row), "{row}: {text}");
    }
    Ok(())
}

#[test]
fn an_operation_that_sends_nothing_is_an_error() {
    let case = UseCase::new("UC-09", "nothing", |db| {
        MeterStatus::get_many(Vec::<Key<MeterStatus>>::new()).explain(db)
    });
    let error = case.expect_err("nothing is sent").to_string();
    assert!(error.contains("UC-09"), "{error}");
    let wrong = UseCase::new("UC-10", "an empty key", |db| {
        MeterStatus::key("").get().explain(db)
    });
    assert!(wrong.is_err());
}
