//! No verb of an append-only entity replaces, changes or deletes an item.

use dynamo_entity::prelude::*;

#[derive(Clone, DynamoEntity)]
#[dynamo(table = "audit", key(pk = account, sk = number), append_only)]
struct AuditEntry {
    account: String,
    number: u64,
}

fn entry() -> AuditEntry {
    AuditEntry {
        account: "a".into(),
        number: 1,
    }
}

fn main() {
    let entry = entry();
    // These compile.
    let _ = entry.create();
    let _ = entry.clone().into_create();
    let _ = entry.key().check().if_missing();
    let _ = Transaction::new().with(entry.create());
    let _ = put_each([entry.create()]);
    // These do not.
    let _ = entry.put();
    let _ = entry.clone().into_put();
    let _ = entry.update();
    let _ = entry.changes_to(&entry);
    let _ = entry.delete();
    // A batch overwrites.
    let _ = Batch::new().with(entry.create());
}
