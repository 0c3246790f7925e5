//! No verb of the key of an append-only entity changes or deletes the item.

use dynamo_entity::prelude::*;

#[derive(Clone, DynamoEntity)]
#[dynamo(table = "audit", key(pk = account, sk = number), append_only)]
struct AuditEntry {
    account: String,
    number: u64,
}

fn main() {
    let key = || AuditEntry::key("a", 1);
    let _ = key().get(); // This compiles.
    let _ = key().update();
    let _ = key().upsert();
    let _ = key().touch();
    let _ = key().delete();
    let _ = key().modify(|entry| entry.number = 2);
    let _ = key().try_modify(|_| Ok::<_, Error>(()));
}
