use dynamo_entity::Timestamp;
use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "visits", key(pk = "USER#{user}", sk = "{at:month}#{at}"))]
struct Visit {
    user: String,
    at: Timestamp,
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "{name:lower}#{name}"))]
struct User {
    name: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "logins", key(pk = user, sk = "{at}#{at:date}"))]
struct Login {
    user: String,
    at: Timestamp,
}

fn main() {}
