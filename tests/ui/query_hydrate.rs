use dynamo_entity::prelude::*;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = "orders", key(pk = user, sk = number))]
#[dynamo(gsi(by_city, pk = city, sk = number, project = keys))]
#[dynamo(gsi(by_year, pk = year, sk = number))]
pub struct Order {
    pub user: String,
    pub number: u32,
    pub city: String,
    pub year: u16,
}

#[derive(Debug, DynamoProjection)]
#[dynamo(entity = Order)]
pub struct Row {
    pub number: u32,
}

async fn ask(db: &Dynamo) -> Result<()> {
    let _: Vec<Order> = Order::by_city("Kobe").hydrate().consistent().all(db).await?;
    let _: Vec<Order> = Order::by_city("Kobe").select::<Row>().hydrate().all(db).await?;

    let _ = Order::by_year(2024).number().gt(5).hydrate();
    let _ = Order::by_city("Kobe").lenient().hydrate();
    let _: Vec<Order> = Order::by_city("Kobe").all(db).await?;
    let _ = Order::by_city("Kobe").consistent();
    Ok(())
}

fn main() {}
