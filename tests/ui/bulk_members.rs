//! The message about something that a job cannot take says what the job can take.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
#[dynamo(gsi(by_text, pk = "T#{text}", project = keys))]
struct Note {
    id: String,
    text: String,
    stars: u32,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Note)]
struct Stars {
    stars: u32,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "U#{user}", sk = "ORDER#{number}"))]
struct Order {
    user: String,
    number: u32,
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(user))]
enum Account {
    Order(Order),
}

fn main() {
    // A collection has rows of several entities.
    let _ = Account::in_partition("a").update_each(|_| None::<dynamo_entity::write::Update<Order>>);
    // An index of keys has no whole rows.
    let _ = Note::by_text("x").update_each(|_| None::<dynamo_entity::write::Update<Note>>);
    // A projection is no whole row either.
    let _ = Note::scan().select::<Stars>().update_each(|_| None::<dynamo_entity::write::Update<Note>>);
    // The closure returns another verb than an update.
    let _ = Note::scan().update_each(|note| note.delete());
    // The closure returns a value and no update.
    let _ = Note::scan().update_each(|note| note.stars + 1);
    // Neither is a row of keys, a projection or a single write what `transact_each` takes.
    let _ = Note::by_text("x").transact_each(|_| None::<Transaction<'_>>);
    let _ = Note::scan().select::<Stars>().transact_each(|_| None::<Transaction<'_>>);
    let _ = Note::scan().transact_each(|note| note.delete());
    // A read is no write.
    let _ = put_each([Note::key("a").get()]);
    // This delete returns an item.
    let _ = put_each([Note::key("a").delete().returning_old()]);
}
