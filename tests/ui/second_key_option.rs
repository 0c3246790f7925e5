use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = "ORDER#{id}"), next_key(Next))]
pub struct Order {
    pub id: u32,
}

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Both, Word, Template))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BOTH#{id}", sk = "INFO"), next_key(Word), was_key(Word))]
pub struct Both {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "WORD#{id}", sk = "INFO"), was_key(Both, keep))]
pub struct Word {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "TEMPLATE#{id}", sk = "INFO"), was_key(pk = "OLD#{id}"))]
pub struct Template {
    pub id: u32,
}

fn main() {}
