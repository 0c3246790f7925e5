//! What can be read together: reads by keys, in a tuple.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
struct Note {
    id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = id))]
struct User {
    id: String,
}

fn main() {
    let _ = Note::get_many(["1"].map(User::key));
    let _ = read_together(Note::get_many(["1"].map(Note::key)));
    let _ = read_together((Note::key("1").get(), Note::key("1").delete()));
    let _ = read_together((Note::key("1"), User::key("1").get()));
    let ids = vec!["1".to_owned()];
    let borrowed: Vec<Key<Note>> = ids.iter().map(Note::key).collect();
    let db: Dynamo = todo!();
    let _ = Note::get_many(borrowed.iter()).stream(&db);
}
