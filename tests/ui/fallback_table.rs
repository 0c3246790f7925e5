use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(nme = "shop", pk = "pk", sk = "sk", entities(User))]
#[dynamo(gsi(gsi1, pk = "gsi1pk"))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
#[dynamo(gsi(by_mail, on = gsi1, pk = "MAIL#{mail}"))]
pub struct User {
    pub id: String,
    pub mail: String,
}

async fn uses(user: User, db: Dynamo) -> Result<()> {
    user.create().send(&db).await?;
    db.create_tables([Shop::schema()]).await
}

fn main() {}
