use dynamo_entity::prelude::*;

#[derive(DynamoValue)]
#[dynamo(renam_all = "camelCase")]
pub struct Address {
    pub city: String,
    pub floor: Option<i32>,
}

#[derive(DynamoValue)]
#[dynamo(tag = "x")]
pub struct Points(pub u32);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "{plcaed_at}"))]
pub struct Order {
    pub id: String,
    pub placed_at: u64,
    pub note: Option<String>,
    pub address: Address,
    pub points: Points,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(serde)]
    pub foreign: Vec<Option<u8>>,
    #[dynamo(rest)]
    pub rest: Item,
}

fn uses(order: &Order) {
    let _ = order
        .update()
        .apply(|o| (o.placed_at().add(1), o.note().remove(), o.address().city().set("x"), o.points().add(Points(1))))
        .when(|o| o.version().lt(3) & o.address().floor().ge(2) & o.rest().entry("x").exists())
        .when(|o| o.foreign().exists() & o.note().starts_with("a"));
    let _ = order.put().when(|o| o.id().eq("a"));
}

fn main() {}
