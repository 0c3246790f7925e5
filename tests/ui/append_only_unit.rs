//! A unit of work creates and reads append-only items, and a function of any entity says that it changes them.

use dynamo_entity::prelude::*;
use dynamo_entity::transact::UnitOfWork;

#[derive(Clone, DynamoEntity)]
#[dynamo(table = "audit", key(pk = account, sk = number), append_only)]
struct AuditEntry {
    account: String,
    number: u64,
}

async fn works(tx: UnitOfWork, entry: AuditEntry) -> Result<()> {
    tx.create(&entry)?; // This compiles.
    let _ = tx.get(entry.key()).await?; // And this.
    tx.put(&entry)?;
    tx.delete(entry.key())
}

fn replaces_any<E: DynamoEntity>(entity: &E) {
    let _ = entity.put();
}

fn replaces<E: ChangeableEntity>(entity: &E) {
    let _ = entity.put(); // This compiles.
}

fn main() {
    let entry = AuditEntry {
        account: "a".into(),
        number: 1,
    };
    replaces(&entry);
}
