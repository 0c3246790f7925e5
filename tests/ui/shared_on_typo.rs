use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", entities(User))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}"))]
#[dynamo(gsi(by_mail, on = gsi9, pk = "MAIL#{mail}"))]
pub struct User {
    pub id: String,
    pub mail: String,
}

fn main() {}
