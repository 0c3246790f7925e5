//! Only reads by keys can be read together, and `transact_get` takes no `get_many`.

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
    let _ = transact_get(Note::get_many(["1"].map(Note::key)));
    let _ = batch_get((Note::key("1").get(), Note::key("1").delete()));
    let _ = batch_get((Note::key("1"), User::key("1").get()));
}
