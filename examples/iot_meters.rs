//! Water meters: three tables, each with the key that its questions need.
//!
//!     cargo run --example iot_meters

use std::error::Error;

use chrono::{DateTime, TimeDelta, Utc};
use dynamo_entity::prelude::*;

/// The values that a meter measured, ordered by time.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "measurement", key(pk = meter, sk = at))]
pub struct Measurement {
    pub meter: String,
    pub at: DateTime<Utc>,
    pub litres: u32,
}

/// The current state of a meter: one item, which is overwritten again and again.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
// The sort key leaves room for older states of the meter, in the same partition.
#[dynamo(table = "meter-status", key(pk = meter, sk = "CURRENT"), allow(constant_sort_key))]
#[dynamo(gsi(by_battery, pk = "BATTERY#{battery}", sk = "{meter}"))]
pub struct MeterStatus {
    pub meter: String,
    pub battery: Battery,
    pub seen_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
#[dynamo(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Battery {
    Full,
    Low,
}

/// How a meter was set up and when. Every change is a new item, so nothing is overwritten.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "meter-configuration", key(pk = meter, sk = revision))]
pub struct Configuration {
    pub meter: String,
    pub revision: u32,
    pub interval_minutes: u32,
}

/// What a run found.
#[derive(Debug)]
pub struct Facts {
    pub latest: Option<Measurement>,
    pub period: Vec<Measurement>,
    pub history: Vec<Configuration>,
    pub low: Vec<String>,
}

pub async fn run(db: &Dynamo) -> Result<Facts, Box<dyn Error>> {
    db.create_tables([
        Measurement::schema(),
        MeterStatus::schema(),
        Configuration::schema(),
    ])
    .await?;
    let midnight: DateTime<Utc> = "2026-03-01T00:00:00Z".parse()?;
    let hour = |hour| midnight + TimeDelta::hours(hour);
    fill(db, midnight).await?;

    let of_meter = || Measurement::in_partition("m1");
    let latest = of_meter().descending().first(db).await?;
    let day = of_meter().at().between(hour(24)..hour(48));
    let period = day.all(db).await?;
    let history = Configuration::in_partition("m1").all(db).await?;
    let low = MeterStatus::by_battery(Battery::Low).all(db).await?;
    let low: Vec<String> = low.into_iter().map(|status| status.meter).collect();

    println!("m1 on {}, litres an hour", hour(24).date_naive());
    for measured in &period {
        let bar = "█".repeat(measured.litres as usize / 4);
        println!(
            "{:>6}{:>5}  {bar}",
            measured.at.format("%H:%M"),
            measured.litres
        );
    }
    if let Some(latest) = &latest {
        println!("latest         {} litres at {}", latest.litres, latest.at);
    }
    let intervals = history.iter().map(|was| was.interval_minutes);
    println!("intervals      {:?} minutes", intervals.collect::<Vec<_>>());
    println!("low batteries  {}", low.join(", "));
    Ok(Facts {
        latest,
        period,
        history,
        low,
    })
}

async fn fill(db: &Dynamo, midnight: DateTime<Utc>) -> Result<()> {
    for (meter, litres, battery) in [
        ("m1", 1, Battery::Full),
        ("m2", 2, Battery::Full),
        ("m10", 10, Battery::Low),
    ] {
        let meter = meter.to_owned();
        let measured = |hour: u32| Measurement {
            meter: meter.clone(),
            at: midnight + TimeDelta::hours(hour.into()),
            litres: litres + 10 * (12 - (hour % 24).abs_diff(12)),
        };
        let measured: Vec<Measurement> = (0..72).map(measured).collect();
        let setup = |(revision, interval_minutes)| Configuration {
            meter: meter.clone(),
            revision,
            interval_minutes,
        };
        let setups: Vec<Configuration> = (1..).zip([15, 30, 60]).map(setup).collect();
        let status = MeterStatus {
            meter: meter.clone(),
            battery,
            seen_at: midnight,
        };
        // One batch writes to three tables, 25 items per request.
        let batch = Batch::new()
            .with_all(measured.iter().map(Measurement::put))
            .with_all(setups.iter().map(Configuration::put))
            .with(status.put());
        batch.send(db).await?.complete()?;
    }
    // The update also moves the item in the index.
    let low = MeterStatus::key("m2")
        .update()
        .apply(|m| m.battery().set(Battery::Low));
    low.send(db).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:memory").await?;
    run(&db.with_prefix("example")).await?;
    Ok(())
}
