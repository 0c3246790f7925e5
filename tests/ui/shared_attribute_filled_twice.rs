use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"), gsi(gsi2, pk = "gsi1pk", sk = "gsi2sk"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_mail, on = gsi1, pk = "MAIL#{mail}"))]
#[dynamo(gsi(by_name, on = gsi2, pk = "NAME#{name}", sk = "{mail}"))]
pub struct User {
    pub id: String,
    pub mail: String,
    pub name: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_number, on = gsi1, pk = "N#{number}"))]
#[dynamo(gsi(by_total, on = gsi2, pk = "N#{number:04}", sk = "{number}"))]
pub struct Order {
    pub id: String,
    pub number: u32,
}

fn main() {}
