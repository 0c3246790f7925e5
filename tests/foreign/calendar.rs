//! Keys with the year, the month or the day of a time, over the rows of other programs: a query returns exactly the rows of
//! its period, and each row is written back as it is.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Utc};
use dynamo_entity::key::{EpochSeconds, JavaScriptTime, PythonTime, Year, YearMonth};
use dynamo_entity::prelude::*;
use dynamo_entity::query::Query;

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    years_of_partitions,
    months_before_numbers,
    ranges_of_periods,
    another_year_is_another_row(Sale),
];

/// Times around the ends of years, months and days, and far ones.
fn times() -> Vec<DateTime<Utc>> {
    let mut rng = fastrand::Rng::with_seed(9);
    let ends = [
        "0001-01-01",
        "1970-01-01",
        "2024-02-29",
        "2026-01-01",
        "2026-11-30",
        "2026-12-01",
        "9999-12-31",
    ];
    let ends = ends.map(|day| format!("{day}T00:00:00Z").parse().unwrap_or_default());
    let mut times: Vec<DateTime<Utc>> = ends.to_vec();
    times.extend(
        ends[1..]
            .iter()
            .map(|end| *end - chrono::TimeDelta::seconds(1)),
    );
    let random =
        (0..10).map(|_| DateTime::from_timestamp(rng.i64(1_700_000_000..1_800_000_000), 0));
    times.extend(random.flatten());
    times
}

fn year(at: DateTime<Utc>) -> Option<Year> {
    Year::new(u16::try_from(at.year()).ok()?)
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "sales",
    verbatim,
    key(pk = "SHOP#{shop}#{at:year}", sk = "{at}#{number}")
)]
struct Sale {
    shop: String,
    at: JavaScriptTime<DateTime<Utc>>,
    number: u32,
}

async fn plant_sale(db: &Db, at: DateTime<Utc>, year: i32, number: i64) -> Item {
    let time = at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let row = raw([
        ("pk", s(&format!("SHOP#north#{year:04}"))),
        ("sk", s(&format!("{time}#{number}"))),
        ("shop", s("north")),
        ("at", s(&time)),
        ("number", n(number)),
    ]);
    db.plant::<Sale>(row.clone()).await;
    row.into()
}

async fn years_of_partitions(db: Db) -> Outcome {
    db.create_tables([Sale::schema()]).await?;
    let times = times();
    for (number, at) in times.iter().enumerate() {
        let number = i64::try_from(number)?;
        let row = plant_sale(&db, *at, at.year(), number).await;
        let floor = JavaScriptTime::floor(*at).ok_or("in range")?;
        let sale = Sale::key("north", floor, u32::try_from(number)?)
            .get()
            .send(&db)
            .await?
            .ok_or("a row")?;
        assert!(
            sale.create()
                .send(&db)
                .await
                .unwrap_err()
                .is_already_exists()
        );
        assert_eq!(sale.put().send(&db).await?.to_item()?, row);
    }
    assert_eq!(
        usize::try_from(db.count::<<Sale as DynamoEntity>::Table>().await)?,
        times.len()
    );
    let years: BTreeSet<i32> = times.iter().map(|at| at.year()).collect();
    for asked in years.iter().flat_map(|year| [*year - 1, *year]) {
        let wanted = times
            .iter()
            .filter(|at| at.year() == asked)
            .collect::<BTreeSet<_>>();
        let Some(asked) = u16::try_from(asked).ok().and_then(Year::new) else {
            continue;
        };
        let found = Sale::in_partition("north", asked).all(&db).await?;
        assert_eq!(
            found
                .iter()
                .map(|sale| sale.at.get())
                .collect::<BTreeSet<_>>(),
            wanted,
            "{asked}"
        );
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "readings", verbatim, key(pk = "METER#{meter}#{at:month}", sk = at))]
struct Reading {
    meter: String,
    at: EpochSeconds<DateTime<Utc>>,
    litres: u32,
}

/// The whole time is a number, beside its month in a text.
async fn months_before_numbers(db: Db) -> Outcome {
    db.create_tables([Reading::schema()]).await?;
    let times = times();
    for at in &times {
        let month = at.format("%Y-%m").to_string();
        let row = raw([
            ("pk", s(&format!("METER#m1#{month}"))),
            ("at", n(at.timestamp())),
            ("meter", s("m1")),
            ("litres", n(5)),
        ]);
        db.plant::<Reading>(row.clone()).await;
        let key = Reading::key("m1", EpochSeconds::floor(*at).ok_or("in range")?);
        let reading = key.get().send(&db).await?.ok_or("a row")?;
        assert_eq!(reading.put().send(&db).await?.to_item()?, Item::from(row));
        let key = reading.key();
        key.update()
            .apply(|r| r.litres().set(6u32))
            .send(&db)
            .await?;
    }
    assert_eq!(
        usize::try_from(db.count::<<Reading as DynamoEntity>::Table>().await)?,
        times.len()
    );
    for at in &times {
        let wanted: BTreeSet<_> = times
            .iter()
            .filter(|other| YearMonth::from(**other) == YearMonth::from(*at))
            .collect();
        let found = Reading::in_partition("m1", YearMonth::from(*at))
            .all(&db)
            .await?;
        assert_eq!(
            found
                .iter()
                .map(|row| row.at.get())
                .collect::<BTreeSet<_>>(),
            wanted
        );
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "visits", verbatim, key(pk = "{id}"))]
#[dynamo(gsi(by_year, pk = "V#{site}", sk = "{at:year}#{id}"))]
#[dynamo(gsi(by_day, pk = "W#{site}", sk = "{at:date}"))]
struct Visit {
    id: u32,
    site: String,
    at: Option<PythonTime<DateTime<Utc>>>,
}

/// A range by year, the same by day, and whether it contains a number.
type RangeCase = (
    &'static str,
    Query<Visit>,
    Query<Visit>,
    fn(&i32, &i32) -> bool,
);

async fn ranges_of_periods(db: Db) -> Outcome {
    db.create_tables([Visit::schema()]).await?;
    let times = times();
    for (id, at) in times.iter().enumerate() {
        let row = raw([
            ("pk", s(&id.to_string())),
            ("id", n(i64::try_from(id)?)),
            ("site", s("home")),
            ("at", s(&at.format("%Y-%m-%dT%H:%M:%S+00:00").to_string())),
            ("by_year_pk", s("V#home")),
            ("by_year_sk", s(&at.format(&format!("%Y#{id}")).to_string())),
            ("by_day_pk", s("W#home")),
            ("by_day_sk", s(&at.format("%Y-%m-%d").to_string())),
        ]);
        db.plant::<Visit>(row.clone()).await;
        let visit = Visit::key(u32::try_from(id)?)
            .get()
            .send(&db)
            .await?
            .ok_or("a row")?;
        assert_eq!(visit.put().send(&db).await?.to_item()?, Item::from(row));
    }
    let stage = || Visit::by_year("home").at();
    let days = || Visit::by_day("home").at();
    for bound in &times {
        let (of, day) = (year(*bound).ok_or("a year")?, bound.date_naive());
        let holds: [RangeCase; 5] = [
            ("eq", stage().eq(of).into(), days().eq(day).into(), i32::eq),
            ("lt", stage().lt(of).into(), days().lt(day).into(), i32::lt),
            ("le", stage().le(of).into(), days().le(day).into(), i32::le),
            ("gt", stage().gt(of).into(), days().gt(day).into(), i32::gt),
            ("ge", stage().ge(of).into(), days().ge(day).into(), i32::ge),
        ];
        for (asked, by_year, by_day, holds) in holds {
            let found =
                |rows: Vec<Visit>| rows.into_iter().map(|row| row.id).collect::<BTreeSet<_>>();
            let wanted = |number: fn(&DateTime<Utc>) -> i32| {
                let all = times
                    .iter()
                    .enumerate()
                    .filter(|(_, at)| holds(&number(at), &number(bound)));
                all.flat_map(|(id, _)| u32::try_from(id))
                    .collect::<BTreeSet<_>>()
            };
            assert_eq!(
                found(by_year.all(&db).await?),
                wanted(DateTime::year),
                "{asked} {of}"
            );
            assert_eq!(
                found(by_day.all(&db).await?),
                wanted(|at| at.num_days_from_ce()),
                "{asked} {day}"
            );
        }
    }
    Ok(())
}

/// A row in the partition of a year that its time does not have is an error, and no second row.
async fn another_year_is_another_row(db: Db) -> Outcome {
    let at = "2026-01-01T00:00:00Z".parse()?;
    plant_sale(&db, at, 2025, 7).await;
    let year = Year::new(2025).ok_or("a year")?;
    let rows = Sale::in_partition("north", year).lenient().all(&db).await?;
    let errors: Vec<_> = rows.iter().filter_map(|row| row.as_ref().err()).collect();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].is_key_mismatch(), "{}", errors[0]);
    assert_eq!(errors[0].key_attribute(), Some("pk"));
    Ok(())
}
