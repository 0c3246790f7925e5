//! Jobs over many rows, beside a loop over the raw SDK that sends the same requests with as many at a time, on the same
//! server, in turns: the embedded engine, or the one that `DYNAMO_URL` names.
//!
//!     cargo run --release --manifest-path benches/embedded/Cargo.toml -- jobs

use std::collections::HashMap;
use std::time::{Duration, Instant};

use dynamo_entity::aws_sdk_dynamodb::Client;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::bulk::put_each;
use dynamo_entity::embedded::EmbeddedEngine;
use dynamo_entity::prelude::*;
use futures_util::{StreamExt as _, stream};

use crate::files::timed;
use crate::{Note, note};

const ROWS: u64 = 10_000;
const AT_ONCE: usize = 8;
const ROUNDS: usize = 5;

/// The jobs, each of which the loop does in the way that is next to it.
const JOBS: [(&str, &str); 4] = [
    ("`put_each`", "`PutItem` with a condition for each row"),
    (
        "`update_each`",
        "`Query`, and `UpdateItem` with a condition for each row",
    ),
    ("`delete_each`", "`Query`, and `DeleteItem` for each row"),
    (
        "`delete_each_unchecked`",
        "`Query`, and `DeleteItem` for each row",
    ),
];

pub async fn run() -> Result<()> {
    let engine;
    let (db, client) = match std::env::var("DYNAMO_URL") {
        Ok(url) => {
            let db = Dynamo::connect(&url).await?;
            let client = db.client().clone();
            (db, client)
        }
        Err(_) => {
            engine = EmbeddedEngine::memory().await?;
            (engine.connect(), engine.client())
        }
    };
    db.create_tables([Note::schema()]).await?;
    let notes: Vec<Note> = (0..ROWS).map(note).collect();
    let mut ratios = [const { Vec::new() }; JOBS.len()];
    for _ in 0..ROUNDS {
        let (own, raw) = (jobs(&db, &notes).await?, loops(&client, &notes).await);
        for ((ratios, own), raw) in ratios.iter_mut().zip(own).zip(raw) {
            ratios.push(raw.as_secs_f64() / own.as_secs_f64());
        }
    }
    println!(
        "| {ROWS} rows, {AT_ONCE} at a time | the loop | rate of the job, the loop is 1 (lowest, highest) |\n|---|---|---|"
    );
    for ((job, by_hand), ratios) in JOBS.iter().zip(&mut ratios) {
        ratios.sort_by(f64::total_cmp);
        let (low, middle, high) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
        println!("| {job} | {by_hand} | {middle:.2} ({low:.2}, {high:.2}) |");
    }
    Ok(())
}

/// The table is empty before and after.
async fn jobs(db: &Dynamo, notes: &[Note]) -> Result<[Duration; JOBS.len()]> {
    let all = || Note::in_partition("ann");
    let create = || {
        put_each(notes.iter().map(|note| note.create()))
            .concurrency(AT_ONCE)
            .send(db)
    };
    let put = timed(async { create().await?.complete().map(drop) }).await?;
    let stars = |note: &Note| note.update().apply(|n| n.stars().set(note.stars + 1));
    let update = timed(async {
        all()
            .update_each(stars)
            .concurrency(AT_ONCE)
            .send(db)
            .await?
            .complete()
            .map(drop)
    })
    .await?;
    let delete = timed(async {
        all()
            .delete_each()
            .concurrency(AT_ONCE)
            .send(db)
            .await?
            .complete()
            .map(drop)
    })
    .await?;
    create().await?.complete()?;
    let unchecked = timed(async {
        all()
            .delete_each_unchecked()
            .concurrency(AT_ONCE)
            .send(db)
            .await?
            .complete()
            .map(drop)
    })
    .await?;
    assert_eq!(all().count(db).await?, 0);
    Ok([put, update, delete, unchecked])
}

type Row = HashMap<String, AttributeValue>;

async fn loops(client: &Client, notes: &[Note]) -> [Duration; JOBS.len()] {
    let began = Instant::now();
    create(client, notes).await;
    let put = began.elapsed();
    let began = Instant::now();
    let update = |row: Row| async move {
        let stars = row["stars"]
            .as_n()
            .expect("a number")
            .parse::<u32>()
            .expect("a number");
        let update = client
            .update_item()
            .table_name("notes")
            .set_key(Some(key(&row)));
        let update = update
            .update_expression("SET stars = :stars")
            .condition_expression("attribute_exists(#pk)");
        let update = update.expression_attribute_names("#pk", "owner");
        let update = update
            .expression_attribute_values(":stars", AttributeValue::N((stars + 1).to_string()));
        update.send().await.map(drop).expect("an update");
    };
    assert_eq!(each(client, update).await, notes.len());
    let updated = began.elapsed();
    let delete = |row: Row| async move {
        let delete = client
            .delete_item()
            .table_name("notes")
            .set_key(Some(key(&row)));
        delete.send().await.map(drop).expect("a delete");
    };
    let began = Instant::now();
    assert_eq!(each(client, delete).await, notes.len());
    let deleted = began.elapsed();
    [put, updated, deleted, deleted]
}

async fn create(client: &Client, notes: &[Note]) {
    let puts = notes.iter().map(|note| async move {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let put = client
            .put_item()
            .table_name("notes")
            .condition_expression("attribute_not_exists(#pk)");
        let put = put
            .expression_attribute_names("#pk", "owner")
            .item("owner", text(&note.owner));
        let put = put
            .item("number", AttributeValue::N(note.number.to_string()))
            .item("title", text(&note.title));
        let put = put
            .item("text", text(&note.text))
            .item("stars", AttributeValue::N(note.stars.to_string()));
        put.item("done", AttributeValue::Bool(note.done))
            .send()
            .await
            .map(drop)
            .expect("a put");
    });
    stream::iter(puts)
        .buffer_unordered(AT_ONCE)
        .for_each(|()| async {})
        .await;
}

/// Does this for each row of the partition, and returns their number.
async fn each<F: Future<Output = ()>>(client: &Client, work: impl Fn(Row) -> F) -> usize {
    let query = client
        .query()
        .table_name("notes")
        .key_condition_expression("#pk = :pk");
    let query = query.expression_attribute_names("#pk", "owner");
    let query = query.expression_attribute_values(":pk", AttributeValue::S("ann".into()));
    let rows = query.into_paginator().items().send();
    let rows = stream::unfold(rows, |mut rows| async move {
        Some((rows.next().await?.expect("a row"), rows))
    });
    rows.map(work).buffer_unordered(AT_ONCE).count().await
}

fn key(row: &Row) -> Row {
    ["owner", "number"]
        .map(|name| (name.to_owned(), row[name].clone()))
        .into()
}
