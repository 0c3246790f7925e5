use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Rate, Change, Cost, Fee))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"))]
pub struct Shop;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "RATE#{rate}", sk = "INFO"))]
#[dynamo(gsi(by_part, on = gsi1, pk = "PART#{part:06}"))]
pub struct Rate {
    pub rate: f64,
    pub part: f32,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "RATE#{rate}", sk = "CHANGE#{number:04}"))]
#[dynamo(gsi(by_part, on = gsi1, pk = "PART#{part:06}"))]
pub struct Change {
    pub rate: rust_decimal::Decimal,
    pub number: u16,
    pub part: Option<dynamo_entity::Number>,
}

// With decimals, both have one text.
#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "COST#{cost:.2}", sk = "INFO"))]
pub struct Cost {
    pub cost: f64,
}

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "COST#{cost:.2}", sk = "FEE#{number:04}"))]
pub struct Fee {
    pub cost: rust_decimal::Decimal,
    pub number: u16,
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(rate))]
pub enum Rates {
    Rate(Rate),
    Change(Change),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, index = gsi1, partition(part))]
pub enum Parts {
    Rate(Rate),
    Change(Change),
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, partition(cost))]
pub enum Costs {
    Cost(Cost),
    Fee(Fee),
}

fn main() {}
