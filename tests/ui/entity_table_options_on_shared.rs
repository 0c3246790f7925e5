use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = id), stream = new_image, verbatim)]
pub struct Order {
    pub id: String,
}

fn main() {}
