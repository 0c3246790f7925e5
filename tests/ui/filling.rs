use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
#[dynamo(gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk"))]
pub struct Shop;

#[derive(Debug, DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:05}"))]
#[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{number}", filling))]
#[dynamo(gsi(by_user, on = gsi2, pk = "U#{user}", sk = "{number}"))]
#[dynamo(unique(by_code, code, filling))]
pub struct Order {
    pub user: String,
    pub number: u32,
    pub region: String,
    pub code: String,
}

#[derive(DynamoCollection)]
#[dynamo(table = Shop, index = gsi1, partition(region))]
pub enum InRegion {
    Order(Order),
}

async fn ask(db: &Dynamo) -> Result<()> {
    Order::by_user("ann").number().ge(5).all(db).await?;
    Order::by_region("EU").number().ge(5).all(db).await?;
    Order::by_region("EU").count(db).await?;
    Order::by_code("a1").send(db).await?;
    Order::scan().refill().send(db).await?.complete()?;
    assert_eq!(Order::scan().unfilled(db).await?, 0);
    // An index shows a row a little later, so it is compared in the table.
    Order::by_user("ann").refill();
    Ok(())
}

fn main() {}
