use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Blog, Post))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BLOG#{blog}", sk = "INFO"))]
pub struct Blog {
    pub blog: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "BLOG#{blog}", sk = "{id}"))]
pub struct Post {
    pub blog: String,
    pub id: String,
}

fn main() {}
