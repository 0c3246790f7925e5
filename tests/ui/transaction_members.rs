//! What does not fit into a transaction or a snapshot says what does.

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
    // A read.
    let _ = Transaction::new().with(key().get());
    // A check of nothing.
    let _ = Transaction::new().with(key().check());
    // It would return an item.
    let _ = Transaction::new().with(key().delete().returning_old());
    // It has a token of its own.
    let _ = Transaction::new().with(note.create().idempotent());
    // A write.
    let _ = snapshot((key().get(), key().delete()));
}
