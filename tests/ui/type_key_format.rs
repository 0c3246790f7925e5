use dynamo_entity::prelude::*;

type Text = String;

#[derive(Clone, DynamoValue)]
pub struct Name(pub String);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{number:08}", sk = "{name:04}"))]
#[dynamo(gsi(by_day, pk = "{day:date}", sk = "{at:ms}"))]
pub struct Order {
    pub number: Text,
    pub name: Name,
    pub day: Option<Text>,
    pub at: Text,
}

fn main() {}
