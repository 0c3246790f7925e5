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
    Order::get_many(["a", "b"].map(Order::key)).await?;
    Batch::new().with(order.put()).await?;
    Transaction::new().with(order.put()).await?;
    transact_get((order.key().get(),)).await?;
    Order::scan().limit(3).await?;
    Order::scan().delete_each().await?;
    Ok(())
}

fn main() {}
