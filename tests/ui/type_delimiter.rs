use dynamo_entity::prelude::*;

type Name = String;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "{number}{id}", sk = "{name}:{size}{id}"))]
#[dynamo(gsi(by_name, pk = "{name}/{id}"))]
pub struct Order {
    pub id: u64,
    pub number: i64,
    pub size: u32,
    pub name: Name,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(User), verbatim(delimiter = ":"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "{name}x{size}:{id}"))]
pub struct User {
    pub id: u64,
    pub size: u32,
    pub name: Name,
}

mod python {
    use chrono::{DateTime, Utc};
    use dynamo_entity::key::PythonTime;
    use dynamo_entity::prelude::*;

    #[derive(DynamoValue)]
    pub struct At(PythonTime<DateTime<Utc>>);

    #[derive(DynamoEntity)]
    #[dynamo(table = "visits", verbatim(delimiter = ":"), key(pk = "{at}:{id}", sk = "{at}.{id}"))]
    #[dynamo(gsi(by_left, pk = "{id}", sk = "{left}-{id}"))]
    pub struct Visit {
        pub id: u64,
        pub at: PythonTime<DateTime<Utc>>,
        pub left: Option<At>,
    }
}

fn main() {}
