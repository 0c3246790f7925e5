use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = user, sk = number))]
pub struct Order {
    pub user: String,
    pub number: u32,
}

async fn text(db: &Dynamo, after: Option<String>) -> Result<()> {
    Order::in_partition("ann").resume(after).page(db).await?;
    Order::in_partition("ann").resume("after").page(db).await?;
    Ok(())
}

fn main() {}
