use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{count:06.2}", sk = "{name:.2}#{sent:08.2}"))]
#[dynamo(lsi(by_price, sk = "{price:6.2}"))]
#[dynamo(lsi(by_weight, sk = "{weight:03.2}"))]
#[dynamo(lsi(by_height, sk = "{height:06.2f}#{width:06.}#{depth:.40}"))]
pub struct Order {
    pub count: u32,
    pub name: String,
    pub sent: bool,
    pub price: f64,
    pub weight: Option<f32>,
    pub height: f64,
    pub width: f64,
    pub depth: f64,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sales", verbatim, key(pk = "{shop}", sk = "{price}-{number}"))]
#[dynamo(lsi(by_cost, sk = "{cost:.2}.{number}"))]
#[dynamo(lsi(by_fee, sk = "{fee:08.2}-{number}"))]
#[dynamo(lsi(by_rate, sk = "{rate}{number}"))]
pub struct Sale {
    pub shop: String,
    pub price: f64,
    pub number: u32,
    pub cost: f64,
    pub fee: f64,
    pub rate: Option<f64>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "bids", verbatim(delimiter = "-"), key(pk = "{id}"))]
#[dynamo(gsi(by_price, pk = "{price}", shards = 4))]
#[dynamo(gsi(by_cost, pk = "{cost:.2}", shards = 4))]
#[dynamo(gsi(by_fee, pk = "{fee:08.2}", shards = 4))]
#[dynamo(gsi(by_rate, pk = "{rate}#", shards = 4))]
pub struct Bid {
    pub id: u32,
    pub price: f64,
    pub cost: f64,
    pub fee: f64,
    pub rate: f64,
}

fn main() {}
