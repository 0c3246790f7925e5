//! Operations on items without a declaration are sent too.

use dynamo_entity::prelude::*;

async fn awaited(item: Item) -> Result<()> {
    let orders = Item::in_table("orders");
    orders.get(item.clone()).consistent().await?;
    orders.put(item.clone()).await?;
    orders.delete(item).when_present("id").await?;
    Ok(())
}

fn main() {}
