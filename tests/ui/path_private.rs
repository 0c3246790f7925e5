mod orders {
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct Address {
        pub city: String,
        zip: String,
    }

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = id))]
    pub struct Order {
        pub id: String,
        secret: u32,
        pub(super) shared: u32,
        pub address: Address,
    }

    pub fn seen_here() {
        let _ = Order::key("a").update().apply(|o| (o.secret().set(1), o.address().zip().set("1")));
    }
}

use orders::Order;

fn main() {
    let _ = Order::key("a").update().apply(|o| (o.shared().set(1), o.address().city().set("x")));
    let _ = Order::key("a").update().apply(|o| o.secret().set(1));
    let _ = Order::key("a").update().apply(|o| o.address().zip().set("1"));
}
