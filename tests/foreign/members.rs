//! Members of nested structs that another program stores and this one does not know, or stores as NULL: a change of one
//! member leaves the others as they are.

use std::collections::BTreeMap;

use dynamo_entity::Value;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    changes_keep_other_members(Shop, Counted),
    a_map_that_became_null_is_a_conflict(Counted),
    many_members_are_set_at_once(Wide),
];

#[derive(Debug, Clone, Default, PartialEq, DynamoValue)]
struct Geo {
    lat: u32,
    lon: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
enum Kind {
    House { rooms: u32, cellar: Option<u32> },
    Flat { floor: Option<u32> },
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Address {
    street: String,
    #[dynamo(rename = "level")]
    floor: Option<u32>,
    geo: Geo,
    spare: Option<Geo>,
    #[dynamo(default)]
    origin: Geo,
    kind: Kind,
    names: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Wrapped(Address);

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "shops", key(pk = id))]
struct Shop {
    id: String,
    home: Address,
    branch: Option<Wrapped>,
    #[dynamo(default)]
    center: Geo,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "counted", key(pk = id))]
struct Counted {
    id: String,
    home: Address,
    branch: Option<Wrapped>,
    #[dynamo(default)]
    center: Geo,
    #[dynamo(version)]
    version: Version,
}

fn map<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(raw(members))
}

fn members(value: &mut AttributeValue) -> &mut Raw {
    match value {
        AttributeValue::M(members) => members,
        other => panic!("a map, found {other:?}"),
    }
}

fn null() -> AttributeValue {
    AttributeValue::Null(true)
}

/// Addresses that differ in one or several members.
fn addresses() -> Vec<Address> {
    let first = Address {
        street: "Elm".into(),
        floor: None,
        geo: Geo { lat: 1, lon: None },
        spare: None,
        origin: Geo::default(),
        kind: Kind::House {
            rooms: 3,
            cellar: None,
        },
        names: BTreeMap::new(),
    };
    let change = |change: fn(&mut Address)| {
        let mut address = first.clone();
        change(&mut address);
        address
    };
    vec![
        first.clone(),
        change(|a| a.street = "Oak".into()),
        change(|a| a.floor = Some(2)),
        change(|a| a.geo.lat = 5),
        change(|a| {
            a.geo.lon = Some(7);
            a.spare = Some(Geo { lat: 9, lon: None });
        }),
        change(|a| a.origin.lat = 3),
        change(|a| a.kind = Kind::Flat { floor: None }),
        change(|a| {
            a.names.insert("x".into(), 1);
        }),
    ]
}

/// The members that the other program stores beside those of an address.
fn add_foreign(address: &mut AttributeValue) {
    let address = members(address);
    for name in ["level", "spare", "origin"] {
        address.entry(name.to_owned()).or_insert_with(null);
    }
    address.insert("theirs".into(), n(1));
    for name in ["geo", "spare"] {
        if let Some(AttributeValue::M(geo)) = address.get_mut(name) {
            geo.entry("lon".into()).or_insert_with(null);
            geo.insert("theirs".into(), s("x"));
        }
    }
}

/// The address after a change: a member that this library writes is as it writes it, and the others are as they were.
fn expected(stored: &AttributeValue, old: &AttributeValue, new: &AttributeValue) -> AttributeValue {
    let (AttributeValue::M(stored), AttributeValue::M(old), AttributeValue::M(new)) =
        (stored, old, new)
    else {
        return new.clone();
    };
    let mut after = stored.clone();
    after.retain(|name, _| !old.contains_key(name) || new.contains_key(name));
    for (name, value) in new {
        if old.get(name) == Some(value) {
            continue;
        }
        // The structs without a default, which is stored as NULL or not at all.
        let is_struct = ["home", "branch", "geo", "spare"].contains(&&**name);
        let value = match (old.get(name), stored.get(name)) {
            (Some(old), Some(stored)) if is_struct => expected(stored, old, value),
            _ => value.clone(),
        };
        after.insert(name.clone(), value);
    }
    AttributeValue::M(after)
}

macro_rules! change_each {
    ($db:ident, $entity:ident, $of:expr) => {{
        let of: fn(&Address, Option<&Address>) -> $entity = $of;
        for (old, new) in addresses()
            .iter()
            .flat_map(|old| addresses().into_iter().map(move |new| (old.clone(), new)))
        {
            let (before, after) = (of(&old, Some(&new)), of(&new, Some(&old)));
            let plain = Raw::from(before.to_item()?);
            let replaced = Raw::from(after.to_item()?);
            let mut row = plain.clone();
            row.insert("version".into(), n(1));
            for name in ["home", "branch"] {
                add_foreign(row.get_mut(name).ok_or("an address")?);
            }
            row.insert("center".into(), null());
            for way in ["modify", "changes_to"] {
                $db.plant::<$entity>(row.clone()).await;
                let seen = before.key().get().send(&$db).await?.ok_or("a row")?;
                let (home, branch) = (after.home.clone(), after.branch.clone());
                let next = $entity {
                    home,
                    branch,
                    ..seen.clone()
                };
                let written = match way {
                    "modify" => {
                        let modify = before.key().modify(|it| *it = next.clone());
                        modify.send(&$db).await?
                    }
                    _ => seen.changes_to(&next).send(&$db).await?,
                };
                assert_eq!(
                    (&written.home, &written.branch),
                    (&after.home, &after.branch)
                );
                let maps = [&row, &plain, &replaced].map(|row| AttributeValue::M(row.clone()));
                let [stored, old, new] = &maps;
                let mut wanted = expected(stored, old, new);
                let wanted = members(&mut wanted);
                wanted.insert("center".into(), null());
                let mut found = $db.stored(&before.key()).await;
                wanted.remove("version");
                found.remove("version");
                assert_eq!(&found, wanted, "{way} from {before:?} to {after:?}");
            }
        }
    }};
}

async fn changes_keep_other_members(db: Db) -> Outcome {
    change_each!(db, Shop, |home, branch| Shop {
        id: "a".into(),
        home: home.clone(),
        branch: branch.cloned().map(Wrapped),
        center: Geo::default(),
    });
    change_each!(db, Counted, |home, branch| Counted {
        id: "a".into(),
        home: home.clone(),
        branch: branch.cloned().map(Wrapped),
        center: Geo::default(),
        version: Version::default(),
    });
    Ok(())
}

/// A program that does not raise the version has removed the map. No member is written where no map is.
async fn a_map_that_became_null_is_a_conflict(db: Db) -> Outcome {
    let address = || addresses().remove(0);
    let counted = Counted {
        id: "a".into(),
        home: address(),
        branch: Some(Wrapped(address())),
        center: Geo::default(),
        version: Version::default(),
    };
    let seen = counted.create().send(&db).await?;
    let mut row = db.stored(&seen.key()).await;
    row.insert("branch".into(), null());
    db.plant::<Counted>(row.clone()).await;
    let mut next = seen.clone();
    next.branch = Some(Wrapped(addresses().remove(1)));
    let error = seen.changes_to(&next).send(&db).await.expect_err("no map");
    assert!(error.is_conflict(), "{error}");
    assert_eq!(db.stored(&seen.key()).await, row);
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Settings {
    first: u32,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "wides", key(pk = id))]
struct Wide {
    id: String,
    settings: Settings,
}

/// An expression has 4 KB, so many changes of members are one change of the map.
async fn many_members_are_set_at_once(db: Db) -> Outcome {
    let names = |count: u32| (0..count).map(|at| (format!("name {at}"), Value::from(at)));
    let wide = |rest: Item| Wide {
        id: "a".into(),
        settings: Settings { first: 1, rest },
    };
    for count in [1, 60, 65, 700] {
        wide(Item::new()).put().send(&db).await?;
        let next = wide(names(count).collect());
        let written = Wide::key("a")
            .modify(|it| *it = next.clone())
            .send(&db)
            .await?;
        assert_eq!(written, next);
        let mut map = map([("first", n(1))]);
        for at in 0..count {
            members(&mut map).insert(format!("name {at}"), n(at));
        }
        assert_eq!(db.stored(&next.key()).await.remove("settings"), Some(map));
        let none = wide(Item::new());
        assert_eq!(next.changes_to(&none).send(&db).await?, none);
    }
    Ok(())
}
