use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Next))]
pub struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "ORDER#{id}", sk = "INFO"), next_key(Next))]
pub struct Order {
    pub id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "NEXT#{id}", sk = "INFO"))]
pub struct Next {
    pub id: u32,
}

impl From<&Order> for Next {
    fn from(order: &Order) -> Self {
        Next { id: order.id }
    }
}

impl From<&Next> for Order {
    fn from(next: &Next) -> Self {
        Order { id: next.id }
    }
}

async fn batch(db: &Dynamo, order: Order) -> Result<()> {
    Batch::new().with(order.put()).with(Order::key(1).delete()).send(db).await?;
    Ok(())
}

fn main() {}
