//! The message about something that a transaction or a snapshot cannot take says what it can take.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
struct Note {
    id: String,
    text: String,
}

fn main() {
    let note = Note { id: "n1".into(), text: "x".into() };
    let key = || Note::key("n1");
    // A transaction takes no read.
    let _ = Transaction::new().with(key().get());
    // This check checks nothing.
    let _ = Transaction::new().with(key().check());
    // This delete would return an item.
    let _ = Transaction::new().with(key().delete().returning_old());
    // This create has a token of its own.
    let _ = Transaction::new().with(note.create().idempotent());
    // A snapshot takes no write.
    let _ = transact_get((key().get(), key().delete()));
}
