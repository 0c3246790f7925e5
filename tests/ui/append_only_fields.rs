//! What tells of changes is refused, and what the program does with the entity adds nothing to that.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "audit", key(pk = account, sk = number), append_only)]
struct AuditEntry {
    account: String,
    number: u64,
    #[dynamo(version)]
    version: Version,
    #[dynamo(created_at)]
    created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    updated_at: Option<DateTime<Utc>>,
    #[dynamo(updated_by)]
    changed_by: Option<String>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "log", key(pk = id), append_only = true)]
struct Line {
    id: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "lines", key(pk = id))]
struct Misplaced {
    id: u64,
    #[dynamo(append_only)]
    text: String,
}

fn uses(entry: AuditEntry, line: Line) {
    let _ = entry.create();
    let _ = entry.put();
    let _ = line.delete();
}

fn main() {}
