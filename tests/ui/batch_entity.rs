//! Which entities fit into a batch as they are.

use dynamo_entity::batch::BatchEntity;
use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "drafts", key(pk = id))]
struct Draft {
    id: String,
    #[dynamo(version)]
    version: Version,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, email))]
struct User {
    id: String,
    email: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
struct Note {
    id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "audit", key(pk = id), append_only)]
struct AuditEntry {
    id: String,
}

fn batch_of<E: BatchEntity>(rows: &[E]) -> Batch<'_> {
    Batch::new().with_all(rows.iter().map(|row| row.put()))
}

fn main() {
    let _ = batch_of::<Note>(&[]); // This compiles: no version and no unique values.
    let _ = batch_of::<Draft>(&[]);
    let _ = batch_of::<User>(&[]);
    let _ = batch_of::<AuditEntry>(&[]);
}
