//! Compares the items of the sample with those that `put` would write. The sample contains data of the table.

use dynamo_entity::prelude::*;

#[allow(dead_code)]
#[path = "electrodb.rs"]
mod declarations;
use declarations::{Customer, StockCustomer2, Order, StockOrder1};

#[test]
fn items_are_written_as_they_are() -> Result<()> {
    for line in include_str!("electrodb_test.sample").lines() {
        let (entity, json) = line.split_once(' ').expect("the name of an entity, and an item");
        let item = Item::from_dynamodb_json(json)?;
        let written = match entity {
            "Customer" => Customer::from_item(item.clone()).and_then(|row| row.to_item()),
            "StockCustomer2" => StockCustomer2::from_item(item.clone()).and_then(|row| row.to_item()),
            "Order" => Order::from_item(item.clone()).and_then(|row| row.to_item()),
            "StockOrder1" => StockOrder1::from_item(item.clone()).and_then(|row| row.to_item()),
            other => panic!("`{other}` is not declared"),
        }?;
        assert_eq!(written, item, "{entity}");
    }
    Ok(())
}
