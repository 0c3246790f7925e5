use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = at))]
#[dynamo(gsi(by_mail, on = gsi1, pk = mail, sk = "{at}"))]
pub struct User {
    pub id: String,
    pub at: u64,
    pub mail: String,
}

fn main() {}
