use dynamo_entity::prelude::*;

type Count = u32;

#[derive(Clone, DynamoValue)]
pub struct Pieces(pub u32);

#[derive(Clone, DynamoValue)]
pub struct Price(pub f64);

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id, sk = "N#{amount:06.2}"))]
#[dynamo(lsi(by_pieces, sk = "P#{pieces:.2}"))]
pub struct Order {
    pub id: String,
    pub amount: Count,
    pub pieces: Pieces,
}

#[derive(DynamoEntity)]
#[dynamo(table = "boxes", key(pk = id, sk = "N#{pieces:06.2}"))]
pub struct Package {
    pub id: String,
    pub pieces: Pieces,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sales", verbatim, key(pk = id, sk = "{price}-{number}"))]
pub struct Sale {
    pub id: String,
    pub price: Price,
    pub number: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "lists", key(pk = id, sk = "{prices}"))]
pub struct List {
    pub id: String,
    pub prices: Vec<f64>,
}

fn main() {}
