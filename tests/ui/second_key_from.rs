use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Next))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), next_key(Next))]
pub struct Order {
    pub id: u32,
    pub customer: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "NEXT#{customer}", sk = "ORDER#{id}"))]
pub struct Next {
    pub id: u32,
    pub customer: u32,
}

impl From<&Next> for Order {
    fn from(next: &Next) -> Self {
        Order { id: next.id, customer: next.customer }
    }
}

fn main() {}
