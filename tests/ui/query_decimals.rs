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

// Names of other crates' times, and no times.
#[derive(Clone, DynamoValue)]
pub struct DateTime(pub f64);

#[derive(Clone, DynamoValue)]
pub struct NaiveDate(pub f64);

#[derive(Clone, DynamoValue)]
pub struct SystemTime(pub f64);

#[derive(DynamoEntity)]
#[dynamo(table = "times", key(pk = shop, sk = "{at}"))]
#[dynamo(gsi(by_day, pk = "{shop}", sk = "{day}"))]
#[dynamo(gsi(by_end, pk = "{shop}", sk = "{end}"))]
pub struct Time {
    pub shop: String,
    pub at: DateTime,
    pub day: NaiveDate,
    pub end: Option<SystemTime>,
}

fn main() {
    let _ = Time::in_partition("a").at().ge(DateTime(1.5));
    let _ = Time::by_day("a").day().lt(NaiveDate(1.5));
    let _ = Time::by_end("a").end().lt(SystemTime(1.5));
    let _ = Offer::in_partition("a").price().ge(1.5);
    let _ = Offer::in_partition("a").price().and(|o| o.number()).ge((1.5, 1));
    let _ = Offer::by_rate("a").rate().between(1.5..2.5);
    let _ = Offer::by_cost("a").cost().lt(Price(2.into()));
    let _ = Offer::by_fee("a").fee().lt(Price(2.into()));
    let _ = Offer::by_fee("a").fee().starts_with("0");
    let _ = Sale::in_partition("a").price().le(1.5);
}
