//! What a job cannot be about says what it can be.

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

fn main() {
    // Keys are no whole rows.
    let _ = Note::by_text("x").update_each(|_| None::<dynamo_entity::write::Update<Note>>);
    // Nor is a projection.
    let _ = Note::scan().select::<Stars>().update_each(|_| None::<dynamo_entity::write::Update<Note>>);
    // Another verb.
    let _ = Note::scan().update_each(|note| note.delete());
    // The changes alone.
    let _ = Note::scan().update_each(|note| note.stars + 1);
    // A read.
    let _ = put_each([Note::key("a").get()]);
    // It returns what was there.
    let _ = put_each([Note::key("a").delete().returning_old()]);
}
