//! Compares the items of the sample with those that `put` would write. The sample contains data of the table.

use dynamo_entity::prelude::*;

#[allow(dead_code)]
#[path = "discriminators.rs"]
mod declarations;
use declarations::{Cat, Dog};

#[test]
fn items_are_written_as_they_are() -> Result<()> {
    for line in include_str!("discriminators_test.sample").lines() {
        let (entity, json) = line.split_once(' ').expect("the name of an entity, and an item");
        let item = Item::from_dynamodb_json(json)?;
        let written = match entity {
            "Cat" => Cat::from_item(item.clone()).and_then(|row| row.to_item()),
            "Dog" => Dog::from_item(item.clone()).and_then(|row| row.to_item()),
            other => panic!("`{other}` is not declared"),
        }?;
        assert_eq!(written, item, "{entity}");
    }
    Ok(())
}
