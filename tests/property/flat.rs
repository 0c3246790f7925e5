//! An entity with a flattened struct is the same as the entity with the fields of the struct.

use std::collections::BTreeSet;

use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use proptest::prelude::*;

use crate::config_of_half;

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Zone {
    North,
    South,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Geo {
    lat: i32,
    note: Option<String>,
}

mod flattened {
    use super::*;

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    #[dynamo(rename_all = "camelCase")]
    pub struct Address {
        pub street: String,
        #[dynamo(rename = "postal")]
        pub zip_code: Option<String>,
        #[dynamo(default)]
        pub floor_no: u8,
        pub zone: Zone,
        pub tags: BTreeSet<String>,
        pub geo: Option<Geo>,
        #[dynamo(skip)]
        pub cached: u32,
    }

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    pub struct Audit {
        #[dynamo(null)]
        pub source: Option<String>,
        pub weight: Number,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "customers", key(pk = "C#{id}"))]
    pub struct Customer {
        pub id: u32,
        pub name: Option<String>,
        #[dynamo(flatten)]
        pub address: Address,
        #[dynamo(flatten)]
        pub audit: Audit,
        #[dynamo(rest)]
        pub rest: Item,
    }
}

mod plain {
    use super::*;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "customers", key(pk = "C#{id}"))]
    pub struct Customer {
        pub id: u32,
        pub name: Option<String>,
        #[dynamo(rest)]
        pub rest: Item,
        pub street: String,
        #[dynamo(rename = "postal")]
        pub zip_code: Option<String>,
        #[dynamo(default, rename = "floorNo")]
        pub floor_no: u8,
        pub zone: Zone,
        pub tags: BTreeSet<String>,
        pub geo: Option<Geo>,
        #[dynamo(null)]
        pub source: Option<String>,
        pub weight: Number,
    }
}

impl From<flattened::Customer> for plain::Customer {
    fn from(flat: flattened::Customer) -> Self {
        plain::Customer {
            id: flat.id,
            name: flat.name,
            rest: flat.rest,
            street: flat.address.street,
            zip_code: flat.address.zip_code,
            floor_no: flat.address.floor_no,
            zone: flat.address.zone,
            tags: flat.address.tags,
            geo: flat.address.geo,
            source: flat.audit.source,
            weight: flat.audit.weight,
        }
    }
}

/// Attributes of the entity, of its structs, and of neither, with fitting and with other values.
fn item() -> impl Strategy<Value = Item> {
    const NAMES: [&str; 11] = [
        "name", "street", "postal", "zip_code", "floorNo", "zone", "tags", "geo", "source",
        "weight", "cached",
    ];
    let value = prop_oneof![
        4 => "[a-c\"\\\\é]{0,3}".prop_map(Value::S),
        2 => (-3_i32..300).prop_map(|n| Value::N(n.into())),
        1 => Just(Value::Null),
        1 => Just(Value::S("North".into())),
        1 => Just(Value::Ss(["x".to_owned()].into())),
        1 => (-3_i32..3).prop_map(|lat| {
            let mut geo = Item::new();
            geo.insert("lat", Value::N(lat.into()));
            Value::M(geo)
        }),
    ];
    let usual = [
        ("pk", Value::S("C#7".into())),
        ("id", Value::N(7.into())),
        ("street", Value::S("Main".into())),
        ("zone", Value::S("South".into())),
        ("weight", Value::N(3.into())),
    ];
    let other = (proptest::sample::select(NAMES.to_vec()), value);
    let lacking = proptest::collection::vec(0..40_usize, 0..2);
    (proptest::collection::vec(other, 0..4), lacking).prop_map(move |(others, lacking)| {
        let mut item = Item::new();
        for (at, (name, value)) in usual.iter().enumerate() {
            if !lacking.contains(&at) {
                item.insert(*name, value.clone());
            }
        }
        for (name, value) in others {
            item.insert(name, value);
        }
        item
    })
}

proptest! {
    #![proptest_config(config_of_half())]

    /// Both read the same items, in the same way, and write the same.
    #[test]
    fn items_are_read_and_written_alike(item in item()) {
        let flat = flattened::Customer::from_item(item.clone());
        let plain = plain::Customer::from_item(item);
        match (flat, plain) {
            (Ok(flat), Ok(plain)) => {
                prop_assert_eq!(flat.to_item()?, plain.to_item()?);
                prop_assert_eq!(plain::Customer::from(flat), plain);
            }
            // Of several mistakes, each may find another one first.
            (Err(_), Err(_)) => {}
            (flat, plain) => prop_assert!(false, "{flat:?}, but {plain:?}"),
        }
    }
}

#[test]
fn declarations_are_alike() {
    let (flat, plain) = (flattened::Customer::schema(), plain::Customer::schema());
    assert_eq!(flat.to_json(), plain.to_json());
}

/// The requests of both are the same.
#[tokio::test]
async fn requests_are_alike() -> Result<()> {
    let db = Dynamo::connect("embedded:memory").await?;
    let flat = flattened::Customer::key(7)
        .update()
        .apply(|c| c.address().street().set("x"));
    let flat = flat.apply(|c| c.address().zip_code().remove());
    let flat = flat.apply(|c| c.address().floor_no().add(1));
    let flat = flat.apply(|c| c.address().geo().set_or_remove(None::<Geo>));
    let flat =
        flat.when(|c| c.audit().weight().gt(Number::from(2)) & c.address().tags().contains("t"));
    let plain = plain::Customer::key(7)
        .update()
        .apply(|c| c.street().set("x"));
    let plain = plain.apply(|c| c.zip_code().remove());
    let plain = plain.apply(|c| c.floor_no().add(1));
    let plain = plain.apply(|c| c.geo().set_or_remove(None::<Geo>));
    let plain = plain.when(|c| c.weight().gt(Number::from(2)) & c.tags().contains("t"));
    assert_eq!(
        format!("{:?}", flat.explain(&db)?),
        format!("{:?}", plain.explain(&db)?)
    );

    let flat = flattened::Customer::scan().filter(|c| c.address().zone().eq(Zone::North));
    let plain = plain::Customer::scan().filter(|c| c.zone().eq(Zone::North));
    assert_eq!(
        format!("{:?}", flat.explain(&db)?),
        format!("{:?}", plain.explain(&db)?)
    );
    Ok(())
}
