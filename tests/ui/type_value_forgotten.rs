use dynamo_entity::prelude::*;

pub struct UserId(pub String);

pub struct Day(pub u32);

pub struct Mail(pub String);

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "USER#{id}", sk = day))]
#[dynamo(gsi(by_mail, pk = "MAIL#{mail}", sk = mail))]
pub struct User {
    pub id: UserId,
    pub day: Day,
    pub mail: Mail,
}

fn main() {}
