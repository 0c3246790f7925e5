use dynamo_entity::prelude::*;

mod orders {
    use dynamo_entity::prelude::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "orders", key(pk = "{shop}#{id}"))]
    pub struct Order {
        pub shop: String,
        id: String,
    }
}

fn parts(key: Key<orders::Order>) {
    let _ = (&key.shop, &key.id, &key.shopp);
}

fn main() {}
