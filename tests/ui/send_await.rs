use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = id))]
pub struct Order {
    pub id: String,
}

async fn awaited(order: Order) -> Result<()> {
    order.create().await?;
    order.put().await?;
    order.delete().returning_old().await?;
    order.key().get().await?;
    Ok(())
}

fn main() {}
