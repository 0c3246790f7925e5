use dynamo_entity::prelude::*;

type Number = u32;

#[derive(Clone, DynamoValue)]
pub struct Serial(pub u64);

#[derive(Clone, Copy, DynamoValue)]
pub enum Status {
    Open,
    Done,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "N#{number:lower}", sk = "{serial:upper}"))]
#[dynamo(gsi(by_status, pk = "{status:lower}"))]
pub struct Order {
    pub number: Number,
    pub serial: Serial,
    pub status: Option<Status>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "people", key(pk = "{name:lower}", sk = "{age}"))]
pub struct Person {
    pub name: String,
    pub age: u8,
}

pub fn wrong_argument() {
    let _ = Person::key(7, 7);
}

fn main() {}
