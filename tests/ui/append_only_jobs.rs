//! No job changes or deletes append-only rows, of whatever query.

use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "bank", pk = "pk", sk = "sk", entities(Account, AuditEntry, Order))]
#[dynamo(gsi(gsi1, pk = "g1pk", sk = "g1sk", project = keys))]
struct Bank;

#[derive(DynamoEntity)]
#[dynamo(table = Bank, key(pk = "A#{id}", sk = "INFO"))]
struct Account {
    id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Bank, key(pk = "A#{id}", sk = "ORDER#{number}"))]
struct Order {
    id: String,
    number: u64,
}

#[derive(DynamoEntity)]
#[dynamo(table = Bank, key(pk = "A#{id}", sk = "LOG#{number}"), append_only)]
#[dynamo(gsi(by_number, on = gsi1, pk = "LOG", sk = "{number:08}"))]
struct AuditEntry {
    id: String,
    number: u64,
    cents: i64,
}

#[derive(DynamoProjection)]
#[dynamo(entity = AuditEntry)]
struct Cents {
    cents: i64,
}

#[derive(DynamoCollection)]
#[dynamo(table = Bank, partition(id))]
enum Everything {
    Account(Account),
    Entry(AuditEntry),
}

#[derive(DynamoCollection)]
#[dynamo(table = Bank, partition(id))]
enum Changing {
    Account(Account),
    Order(Order),
}

#[derive(DynamoCollection)]
#[dynamo(table = Bank, partition(id))]
enum OrElse {
    Account(Account),
    #[dynamo(other)]
    Other(Item),
}

fn main() {
    // These compile.
    let _ = Changing::in_partition("a").delete_each();
    let _ = Changing::in_partition("a").lenient().delete_each();
    let _ = Everything::in_partition("a").transact_each(|row| match row {
        Everything::Account(account) => Some(Transaction::new().with(account.delete())),
        Everything::Entry(_) => None,
    });
    // Rows of the entity, its keys, a part of it.
    let _ = AuditEntry::in_partition("a").delete_each();
    let _ = AuditEntry::by_number().delete_each();
    let _ = AuditEntry::in_partition("a").select::<Cents>().delete_each();
    let _ = AuditEntry::in_partition("a").lenient().delete_each();
    let _ = AuditEntry::in_partition("a").update_each(|entry| entry.update());
    let _ = AuditEntry::in_partition("a").transact_each(|_| None::<Transaction<'_>>);
    // A collection with it, by a variant of its own or among all others.
    let _ = Everything::in_partition("a").delete_each();
    let _ = OrElse::in_partition("a").delete_each();
    // A touch is a write too, even if it changes no field.
    let _ = AuditEntry::scan().touch_each();
    let _ = Everything::in_partition("a").touch_each();
}
