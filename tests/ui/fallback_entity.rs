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
#[dynamo(gsi(by_city, pk = "C#{city}", sk = "{placed_at}#{id}"), lsi(by_mail, sk = "M#{mail}"))]
#[dynamo(unique(mailed, mail, city))]
pub struct Order {
    pub id: String,
    pub placed_at: u64,
    pub city: String,
    pub mail: String,
    #[dynamo(version)]
    pub version: Version,
}

async fn uses(order: Order, user: User, db: Dynamo) -> Result<()> {
    order.create().send(&db).await?;
    order.put().unchecked().send(&db).await?;
    let _ = order.key().get().consistent().send(&db).await?;
    let _: Option<Order> = Order::key("a", 1u64).get().send(&db).await?;
    user.create().send(&db).await?;
    let _: Vec<Order> = Order::in_partition("a").plcaed_at().ge(5u64).all(&db).await?;
    let _ = Order::by_city("Kobe").placed_at().eq(5u64).id().lt("x").limit(3).page(&db).await?;
    let _: Option<Order> = Order::by_mail("a").mail().missing().descending().consistent().first(&db).await?;
    let _ = Order::by_city("Kobe").filter(|o| o.mail().eq("x")).count(&db).await?;
    let _: Option<Order> = Order::mailed("x", "Kobe").send(&db).await?;
    db.create_tables([Shop::schema()]).await
}

fn named(orders: InPartitionOfOrder) -> InPartitionOfOrder {
    orders
}

fn in_kobe() -> ByCityOfOrder {
    Order::by_city("Kobe")
}

fn placed_at(orders: ByCityOfOrder, at: u64) -> ByCityOfOrderThenId {
    orders.placed_at().eq(at)
}

fn of_mail(orders: ByMailOfOrder) -> Query<Order> {
    orders.mail().starts_with("a").into()
}

fn main() {}
