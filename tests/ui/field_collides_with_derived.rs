use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_note, pk = "NOTE#{note}"))]
pub struct Order {
    pub id: String,
    pub sk: String,
    #[dynamo(rename = "by_note_pk")]
    pub note: String,
}

fn main() {}
