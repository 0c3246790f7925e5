use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User))]
#[dynamo(
    gsi(gsi1, pk = "gsi1pk"),
    lsi(lsi1, sk = "lsi1sk"),
    gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk")
)]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_mail, on = lsi1, pk = "MAIL#{mail}"))]
#[dynamo(lsi(of_mail, on = gsi1, sk = "MAIL#{mail}"))]
#[dynamo(gsi(with_mail, on = gsi2, pk = "MAIL#{mail}"))]
pub struct User {
    pub id: String,
    pub mail: String,
}

fn main() {}
