//! The messages about a unique value in rows of another program.

use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "app", pk = "pk", sk = "sk", verbatim, entities(User))]
pub struct App;

#[derive(DynamoEntity)]
#[dynamo(table = App, key(pk = "USER#{id}", sk = "INFO"))]
#[dynamo(unique(by_email, email, pk = "MAIL#{email}", sk = "MAIL"))]
#[dynamo(unique(of_email, sk = "MAIL"), unique(by_name, pk = name, sk = "NAME"))]
#[dynamo(unique(by_nothing, pk = "NOTHING", sk = "NOTHING"))]
#[dynamo(unique(by_code, pk = "CODE#{code}", sk = "CODE", filling, rename = "c", on = gsi1))]
#[dynamo(unique(by_nick, pk = "NICK#{nick:last}", sk = "NICK"))]
#[dynamo(unique(by_rate, pk = "RATE#{rate:06.2}", sk = "RATE"))]
#[dynamo(unique(by_team, pk = "TEAM#{team}", sk = "TEAM"), unique(of_team, pk = "TEAM#{team}", sk = "TEAM"))]
#[dynamo(unique(by_typed, pk = "TYPED#{team}", sk = "TYPED", constant(_type = "_Unique")))]
pub struct User {
    pub id: u32,
    pub email: String,
    pub name: String,
    pub code: String,
    pub nick: Option<String>,
    pub rate: u32,
    pub team: String,
}

/// A scan of a table with one entity returns every row.
#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "USER#{id}"), unique(by_email, pk = "MAIL#{email}"))]
pub struct Alone {
    pub id: u32,
    pub email: String,
}

/// DynamoDB does not delete the row with an expired item.
#[derive(DynamoEntity)]
#[dynamo(table = App, key(pk = "GUEST#{id}", sk = "INFO"), unique(by_email, pk = "GUESTMAIL#{email}", sk = "MAIL"))]
pub struct Guest {
    pub id: u32,
    pub email: String,
    #[dynamo(ttl)]
    pub until: i64,
}

fn main() {}
