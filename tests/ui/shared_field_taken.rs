use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_mail, on = gsi1, pk = "MAIL#{mail}"))]
pub struct User {
    pub id: String,
    pub sk: String,
    #[dynamo(rename = "gsi1pk")]
    pub mail: String,
    pub _type: String,
}

fn main() {}
