//! The message about rows that cannot be exported says which can.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
#[dynamo(gsi(by_text, pk = "T#{text}", project = keys))]
struct Note {
    id: String,
    text: String,
}

fn main() {
    // An index of keys has no whole rows.
    let _ = Note::by_text("x").export(Vec::new());
    // Rows that cannot be read are reported anyway.
    let _ = Note::scan().lenient().export(Vec::new());
    // A path is no writer, and no reader.
    let _ = Note::scan().export("notes.jsonl");
    let _ = Note::import("notes.jsonl");
}
