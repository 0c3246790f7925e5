use dynamo_entity::prelude::*;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "orders", key(pk = "USER#{user}", sk = "{year:04}#{month:02}#{number}"))]
#[dynamo(gsi(by_place, pk = country, sk = [state, city]))]
#[dynamo(gsi(by_city, pk = "CITY#{city}", sk = "{year:04}#{number}"))]
pub struct Order {
    pub user: String,
    pub year: u16,
    pub month: u8,
    pub number: u32,
    pub country: String,
    pub state: String,
    pub city: String,
}

fn main() {
    let _ = Order::in_partition("ann").month().eq(2);
    let _ = Order::in_partition("ann").year().eq(2024).number().eq(7);
    let _ = Order::by_place("USA").city().eq("NY");
    let _ = Order::in_partition("ann").year().lt(2024).month().eq(2);
    let _ = Order::in_partition("ann").year().lt(2024).lt(2020);
    let _ = Order::in_partition("ann").year().month().eq(2);
    let _ = Order::in_partition("ann").limit(5).year().eq(2024);
    let _ = Order::by_city("NY").year().ge(2020).number().eq(7);
    let _ = Order::by_place("USA").state().lt("NY").city().eq("NY");
    let _ = Order::by_place("USA").state().eq("NY").city().eq("NY").state().eq("NY");
}
