use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{id}", sk = "INFO"))]
pub struct User {
    pub id: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "{plcaed_at}"))]
pub struct Order {
    pub id: String,
    pub placed_at: u64,
    #[dynamo(version)]
    pub version: Version,
}

async fn uses(order: Order, user: User, db: Dynamo) -> Result<()> {
    order.create().send(&db).await?;
    order.put().unchecked().send(&db).await?;
    let _ = order.key().get().consistent().send(&db).await?;
    let _: Option<Order> = Order::key("a", 1u64).get().send(&db).await?;
    user.create().send(&db).await?;
    db.create_tables([Shop::schema()]).await
}

fn main() {}
