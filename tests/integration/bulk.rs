//! `update_each`, `delete_each` and `put_each` handle each row once, whatever happens on the way.

mod checkpoints;
mod crash;
mod deletes;
mod faults;
mod order;
mod puts;
mod races;
mod refill;
mod refilled_values;
mod touches;
mod transactions;
mod uniques;
mod updates;

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::{Outcome, Test};

pub use crash::{CHILD, child};

pub fn tests() -> Vec<Test> {
    let all = [
        updates::tests(),
        races::tests(),
        refill::tests(),
        refilled_values::tests(),
        transactions::tests(),
        deletes::tests(),
        puts::tests(),
        order::tests(),
        faults::tests(),
        checkpoints::tests(),
        uniques::tests(),
        touches::tests(),
    ];
    all.into_iter().flatten().collect()
}

/// Tests that kill processes, which open database files of their own.
pub fn crashes() -> Vec<Test> {
    crash::tests()
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub(super) enum State {
    Open,
    Done,
}

/// A row without a version, whose place in the index changes with its rank.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "jobs", key(pk = "G#{group}", sk = "{number:05}"))]
#[dynamo(gsi(by_state, pk = "S#{state}", sk = "{rank:05}"))]
#[dynamo(gsi(keys_by_state, pk = "K#{state}", sk = "{rank:05}", project = keys))]
pub(super) struct Row {
    pub(super) group: String,
    pub(super) number: u32,
    pub(super) state: State,
    pub(super) rank: u32,
    /// The number of times that the row was changed.
    pub(super) count: u64,
    pub(super) note: Option<String>,
}

crate::declare! {
    /// A similar row with a version, which keeps attributes of other programs.
    pub(super) entity Entry(table = "ledger", key(pk = group, sk = number))
        { pub(super) group: String, pub(super) number: u32, pub(super) cents: i64,
          #[dynamo(rest)] pub(super) rest: Item, #[dynamo(version)] pub(super) version: Version }
}

pub(super) fn row(number: u32) -> Row {
    Row {
        group: "a".into(),
        number,
        state: State::Open,
        rank: number,
        count: 0,
        note: None,
    }
}

pub(super) fn entry(number: u32) -> Entry {
    Entry {
        group: "a".into(),
        number,
        cents: 0,
        rest: Item::new(),
        version: Version::default(),
    }
}

pub(super) async fn rows(db: &Db, count: u32) -> Outcome {
    db.create_tables([Row::schema()]).await?;
    let rows: Vec<Row> = (0..count).map(row).collect();
    let report = put_each(rows.iter().map(Row::put))
        .concurrency(32)
        .send(db)
        .await?;
    assert_eq!(report.complete()?.written, u64::from(count));
    Ok(())
}

/// Each row has a partition of its own, so that every segment of a scan gets some.
pub(super) async fn spread_rows(db: &Db, count: u32) -> Outcome {
    db.create_tables([Row::schema()]).await?;
    let rows: Vec<Row> = (0..count)
        .map(|number| Row {
            group: number.to_string(),
            ..row(number)
        })
        .collect();
    let report = put_each(rows.iter().map(Row::put)).send(db).await?;
    assert_eq!(report.complete()?.written, u64::from(count));
    Ok(())
}

pub(super) async fn entries(db: &Db, count: u32) -> Outcome {
    db.create_tables([Entry::schema()]).await?;
    let entries: Vec<Entry> = (0..count).map(entry).collect();
    let report = put_each(entries.iter().map(Entry::create))
        .concurrency(32)
        .send(db)
        .await?;
    assert_eq!(report.complete()?.written, u64::from(count));
    Ok(())
}

/// Maps each number of changes to the number of rows that were changed so often.
pub(super) async fn counts(db: &Dynamo) -> Result<BTreeMap<u64, usize>> {
    let mut counts = BTreeMap::new();
    for row in Row::scan().consistent().all(db).await? {
        *counts.entry(row.count).or_default() += 1;
    }
    Ok(counts)
}
