use dynamo_entity::prelude::*;

#[derive(Clone, DynamoValue)]
pub struct Price(pub rust_decimal::Decimal);

#[derive(DynamoEntity)]
#[dynamo(table = "offers", key(pk = shop, sk = "{price}#{number}"))]
#[dynamo(gsi(by_rate, pk = "{shop}", sk = "{rate:06}"))]
#[dynamo(gsi(by_cost, pk = "{shop}", sk = "{cost:.2}#{number}"))]
#[dynamo(gsi(by_fee, pk = "{shop}", sk = "{fee:08.2}#{number}"))]
pub struct Offer {
    pub shop: String,
    pub price: f64,
    pub number: u32,
    pub rate: Option<f64>,
    pub cost: Price,
    pub fee: Price,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sales", verbatim, key(pk = "{shop}", sk = "{price}"))]
pub struct Sale {
    pub shop: String,
    pub price: f64,
}

fn main() {
    let _ = Offer::in_partition("a").price().ge(1.5);
    let _ = Offer::in_partition("a").price().and(|o| o.number()).ge((1.5, 1));
    let _ = Offer::by_rate("a").rate().between(1.5..2.5);
    let _ = Offer::by_cost("a").cost().lt(Price(2.into()));
    let _ = Offer::by_fee("a").fee().lt(Price(2.into()));
    let _ = Offer::by_fee("a").fee().starts_with("0");
    let _ = Sale::in_partition("a").price().le(1.5);
}
