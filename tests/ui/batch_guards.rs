//! What a batch takes: puts and deletes that take effect whatever is stored.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "drafts", key(pk = id))]
struct Draft {
    id: String,
    #[dynamo(version)]
    version: Version,
}

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
struct Note {
    id: String,
}

fn main() {
    let draft = Draft { id: "d".into(), version: Version::default() };
    let note = Note { id: "n".into() };
    // These compile: no condition and no version.
    let _ = Batch::new().with(note.put()).with(Note::key("n").delete()).with(draft.put().unchecked());
    let _ = Batch::new().with(draft.put());
    let _ = Batch::new().with(draft.delete());
    let _ = Batch::new().with(note.put().if_missing());
    let _ = Batch::new().with(Note::key("n").delete().returning_old());
    let _ = Batch::new().with(note.create());
    let _ = Batch::new().with(Note::key("n").touch());
    let _ = Batch::new().with_all([&draft].map(|draft| draft.put()));
    Batch::new().with(note.put());
}
