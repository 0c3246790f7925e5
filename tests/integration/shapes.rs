//! Items of two and three shapes in one table, read and written by programs that know some of them.

use std::sync::atomic::{AtomicBool, Ordering};

use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::{Error, batch_get, transact_get};

use crate::support::db::{Db, Raw, n, s};
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    every_read_knows_both_shapes,
    the_older_shape_is_written_while_it_is_named,
    what_no_shape_knows_is_kept,
    a_refill_upgrades_and_raises_the_version,
    a_refill_keeps_an_item_that_was_created_again,
    a_refill_upgrades_rows_of_many_attributes,
    an_update_upgrades_first,
    an_update_writes_the_older_shape,
    conditions_hold_of_the_present_shape,
    a_shape_that_is_no_longer_read_is_named,
    a_from_may_not_change_the_key_or_the_version,
    the_model_knows_the_shape,
    programs_side_by_side,
    concurrent_programs_lose_nothing,
    a_modify_without_a_version_notices_another_shape(bare_first::Meter),
];

const SHAPE: &str = "_shape";

/// `amount` is in cents in shape 1, in thousandths of a cent in shape 2, and in millionths in shape 3. The name is split
/// in shape 2.
macro_rules! first_shape {
    ($module:ident, $($shape:tt)*) => {
        mod $module {
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Payer))]
            #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
            pub struct Shop;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            #[dynamo($($shape)*)]
            pub struct Order {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub name: String,
                #[dynamo(version)]
                pub version: Version,
            }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "INFO"))]
            pub struct Payer {
                pub user: String,
            }

            #[allow(dead_code, reason = "not every program reads a collection")]
            #[derive(Debug, Clone, PartialEq, DynamoCollection)]
            #[dynamo(table = Shop, partition(user))]
            pub enum Account {
                Order(Order),
                Payer(Payer),
            }
        }
    };
}

first_shape!(unaware,);
first_shape!(first, shape = 1);

macro_rules! second_shape {
    ($module:ident, $($shape:tt)*) => {
        mod $module {
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order, Payer))]
            #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
            pub struct Shop;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, rename = "Order", key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            pub struct OrderV1 {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub name: String,
                #[dynamo(version)]
                pub version: Version,
            }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            #[dynamo($($shape)*)]
            pub struct Order {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub first: String,
                pub last: Option<String>,
                #[dynamo(version)]
                pub version: Version,
            }

            impl From<OrderV1> for Order {
                fn from(old: OrderV1) -> Self {
                    let (first, last) = match old.name.split_once(' ') {
                        Some((first, last)) => (first.to_owned(), Some(last.to_owned())),
                        None => (old.name, None),
                    };
                    Order {
                        user: old.user,
                        id: old.id,
                        region: old.region,
                        amount: old.amount * 1000,
                        first,
                        last,
                        version: old.version,
                    }
                }
            }

            impl From<&Order> for OrderV1 {
                fn from(new: &Order) -> Self {
                    let last = new.last.as_ref().map(|last| format!(" {last}"));
                    OrderV1 {
                        user: new.user.clone(),
                        id: new.id,
                        region: new.region.clone(),
                        amount: new.amount / 1000,
                        name: format!("{}{}", new.first, last.unwrap_or_default()),
                        version: new.version,
                    }
                }
            }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "INFO"))]
            pub struct Payer {
                pub user: String,
            }

            #[allow(dead_code, reason = "not every program reads a collection")]
            #[derive(Debug, Clone, PartialEq, DynamoCollection)]
            #[dynamo(table = Shop, partition(user))]
            pub enum Account {
                Order(Order),
                Payer(Payer),
            }

            #[allow(dead_code, reason = "not every program reads parts")]
            #[derive(Debug, Clone, PartialEq, DynamoProjection)]
            #[dynamo(entity = Order)]
            pub struct Name {
                pub first: String,
                pub amount: u64,
            }
        }
    };
}

second_shape!(reading, shape = 2, writes = 1, was(OrderV1), into(OrderV1));
second_shape!(writing, shape = 2, was(OrderV1), into(OrderV1));

macro_rules! third_shape {
    ($module:ident, $($shape:tt)*) => {
        mod $module {
            use super::writing::Order as Second;
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
            #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
            pub struct Shop;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, rename = "Order", key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            pub struct OrderV1 {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub name: String,
                #[dynamo(version)]
                pub version: Version,
            }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, rename = "Order", key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            #[dynamo(shape = 2, was(OrderV1))]
            pub struct OrderV2 {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub first: String,
                pub last: Option<String>,
                #[dynamo(version)]
                pub version: Version,
            }

            impl From<OrderV1> for OrderV2 {
                fn from(old: OrderV1) -> Self {
                    let OrderV1 { user, id, region, amount, name, version } = old;
                    let (first, last) = match name.split_once(' ') {
                        Some((first, last)) => (first.to_owned(), Some(last.to_owned())),
                        None => (name, None),
                    };
                    let amount = amount * 1000;
                    OrderV2 { user, id, region, amount, first, last, version }
                }
            }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{id:05}"))]
            #[dynamo(gsi(by_region, on = gsi1, pk = "REGION#{region}", sk = "{id:05}"))]
            #[dynamo($($shape)*)]
            pub struct Order {
                pub user: String,
                pub id: u32,
                pub region: String,
                pub amount: u64,
                pub names: Vec<String>,
                #[dynamo(version)]
                pub version: Version,
            }

            impl From<OrderV2> for Order {
                fn from(old: OrderV2) -> Self {
                    Order {
                        user: old.user,
                        id: old.id,
                        region: old.region,
                        amount: old.amount * 1000,
                        names: [old.first].into_iter().chain(old.last).collect(),
                        version: old.version,
                    }
                }
            }

            impl From<&Order> for OrderV2 {
                fn from(new: &Order) -> Self {
                    OrderV2 {
                        user: new.user.clone(),
                        id: new.id,
                        region: new.region.clone(),
                        amount: new.amount / 1000,
                        first: new.names.first().cloned().unwrap_or_default(),
                        last: new.names.get(1).cloned(),
                        version: new.version,
                    }
                }
            }

            /// Both declarations of shape 2 are the same.
            #[allow(dead_code, reason = "the compiler compares them")]
            fn same(second: Second) -> OrderV2 {
                let Second { user, id, region, amount, first, last, version } = second;
                OrderV2 { user, id, region, amount, first, last, version }
            }
        }
    };
}

third_shape!(
    reading_third,
    shape = 3,
    writes = 2,
    was(OrderV2),
    into(OrderV2)
);
third_shape!(writing_third, shape = 3, was(OrderV2), into(OrderV2));

/// No item of shape 1 is left.
mod ended {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(Order))]
    pub struct Shop;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{id:05}"), shape = 2)]
    pub struct Order {
        pub user: String,
        pub id: u32,
        pub amount: u64,
        #[dynamo(version)]
        pub version: Version,
    }
}

fn old(id: u32, name: &str, amount: u64) -> unaware::Order {
    unaware::Order {
        user: "ann".into(),
        id,
        region: "EU".into(),
        amount,
        name: name.into(),
        version: Version::default(),
    }
}

fn key(id: u32) -> Key<writing::Order> {
    writing::Order::key("ann", id)
}

async fn begin(db: &Db) -> Outcome {
    db.create_tables([unaware::Shop::schema()]).await?;
    Ok(())
}

/// One item of each shape.
async fn both(db: &Db) -> Outcome {
    begin(db).await?;
    old(1, "Ann Lee", 5).create().send(db).await?;
    let new = writing::Order::from(writing::OrderV1 {
        user: "ann".into(),
        id: 2,
        region: "EU".into(),
        amount: 7,
        name: "Bob".into(),
        version: Version::default(),
    });
    new.create().send(db).await?;
    assert_eq!(db.stored(&key(2)).await.get(SHAPE), Some(&n(2)));
    assert!(!db.stored(&key(1)).await.contains_key(SHAPE));
    Ok(())
}

fn error<T>(result: Result<T>) -> Error {
    result.err().expect("an error")
}

async fn every_read_knows_both_shapes(db: Db) -> Outcome {
    use writing::{Account, Name, Order};
    both(&db).await?;
    let seen = |orders: Vec<Order>| -> Vec<(u64, String, Option<String>)> {
        let parts = orders.into_iter();
        parts.map(|o| (o.amount, o.first, o.last)).collect()
    };
    let expected = vec![
        (5000, "Ann".to_owned(), Some("Lee".to_owned())),
        (7000, "Bob".to_owned(), None),
    ];
    let one = async |id| -> Result<Order> { Ok(key(id).get().send(&db).await?.expect("an order")) };
    assert_eq!(seen(vec![one(1).await?, one(2).await?]), expected);
    assert_eq!(seen(Order::in_partition("ann").all(&db).await?), expected);
    assert_eq!(seen(Order::by_region("EU").all(&db).await?), expected);
    assert_eq!(
        seen(
            Order::by_region("EU")
                .select::<Name>()
                .hydrate()
                .all(&db)
                .await?
        ),
        expected
    );
    let scanned = Order::scan().lenient().all(&db).await?;
    assert!(scanned.iter().all(|row| row.is_ok()));
    let many = Order::get_many([key(1), key(2)]).send(&db).await?;
    assert_eq!(seen(many.into_iter().flatten().collect()), expected);
    let (first, second) = transact_get((key(1).get(), key(2).get())).send(&db).await?;
    assert_eq!(
        seen([first, second].into_iter().flatten().collect()),
        expected
    );
    let (first, second) = batch_get((key(1).get(), key(2).get())).send(&db).await?;
    assert_eq!(
        seen([first, second].into_iter().flatten().collect()),
        expected
    );
    let account = Account::in_partition("ann").all(&db).await?;
    let orders = account.into_iter().map(|member| match member {
        Account::Order(order) => order,
        Account::Payer(payer) => panic!("{payer:?}"),
    });
    assert_eq!(seen(orders.collect()), expected);
    // projections, of an item and of a query
    let names = |found: Vec<Name>| -> Vec<(u64, String)> {
        found
            .into_iter()
            .map(|name| (name.amount, name.first))
            .collect()
    };
    let expected_names = vec![(5000, "Ann".to_owned()), (7000, "Bob".to_owned())];
    let selected = Order::in_partition("ann").select::<Name>().all(&db).await?;
    assert_eq!(names(selected), expected_names);
    let one = key(1).get().select::<Name>().send(&db).await?;
    assert_eq!(
        one.map(|name| (name.amount, name.first)),
        Some(expected_names[0].clone())
    );
    // the current item of an error, and the item that a delete returns
    let lost = error(one_of(1, 1).create().send(&db).await);
    let current = lost.current::<Order>()?.expect("the item");
    assert_eq!(seen(vec![current]), expected[..1]);
    let deleted = key(1).delete().returning_old().send(&db).await?;
    assert_eq!(seen(deleted.into_iter().collect()), expected[..1]);
    let item = old(1, "Ann Lee", 5).to_item()?;
    assert_eq!(seen(vec![Order::from_item(item)?]), expected[..1]);
    // a filter would compare the old attributes
    let refused = error(Order::scan().filter(|o| o.amount().gt(1)).all(&db).await);
    assert!(refused.to_string().contains("older shape"), "{refused}");
    Ok(())
}

fn one_of(id: u32, amount: u64) -> writing::Order {
    writing::Order {
        user: "ann".into(),
        id,
        region: "EU".into(),
        amount: amount * 1000,
        first: "New".into(),
        last: None,
        version: Version::default(),
    }
}

async fn the_older_shape_is_written_while_it_is_named(db: Db) -> Outcome {
    use reading::Order;
    both(&db).await?;
    // an item of the newer shape is written in the older one, too
    for id in [1, 2] {
        let order = Order::key("ann", id)
            .get()
            .send(&db)
            .await?
            .expect("an order");
        let put = Order {
            amount: 9_000,
            ..order
        }
        .put()
        .send(&db)
        .await?;
        assert_eq!(put.amount, 9_000);
        let seen = unaware::Order::key("ann", id).get().send(&db).await?;
        assert_eq!(seen.expect("an order").amount, 9);
        assert!(!db.stored(&key(id)).await.contains_key(SHAPE));
    }
    let modified = Order::key("ann", 1u32)
        .modify(|o| o.last = None)
        .send(&db)
        .await?;
    assert_eq!(modified.last, None);
    let seen = unaware::Order::key("ann", 1u32).get().send(&db).await?;
    assert_eq!(seen.expect("an order").name, "Ann");
    let created = Order {
        id: 3,
        version: Version::default(),
        ..modified
    };
    created.create().send(&db).await?;
    assert_eq!(unaware::Order::in_partition("ann").count(&db).await?, 3);
    assert_eq!(unaware::Order::scan().all(&db).await?.len(), 3);
    Ok(())
}

async fn what_no_shape_knows_is_kept(db: Db) -> Outcome {
    both(&db).await?;
    let mut stored = db.stored(&key(1)).await;
    stored.insert("other".into(), s("kept"));
    db.plant::<writing::Order>(stored).await;
    key(1).modify(|o| o.amount += 1000).send(&db).await?;
    let stored = db.stored(&key(1)).await;
    let expected: Raw = [
        ("pk", s("USER#ann")),
        ("sk", s("ORDER#00001")),
        ("gsi1pk", s("REGION#EU")),
        ("gsi1sk", s("00001")),
        ("_type", s("Order")),
        ("_shape", n(2)),
        ("user", s("ann")),
        ("id", n(1)),
        ("region", s("EU")),
        ("amount", n(6000)),
        ("first", s("Ann")),
        ("last", s("Lee")),
        ("version", n(2)),
        ("other", s("kept")),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    assert_eq!(stored, expected);
    Ok(())
}

async fn a_refill_upgrades_and_raises_the_version(db: Db) -> Outcome {
    use writing::Order;
    both(&db).await?;
    let held = unaware::Order::key("ann", 1u32)
        .get()
        .send(&db)
        .await?
        .expect("an order");
    assert_eq!(Order::scan().unfilled(&db).await?, 1);
    let report = Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!((report.written, report.unchanged), (1, 1));
    assert_eq!(Order::scan().unfilled(&db).await?, 0);
    let again = Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(again.written, 0);
    assert_eq!(db.stored(&key(1)).await.get("version"), Some(&n(2)));
    assert_eq!(db.stored(&key(2)).await.get("version"), Some(&n(1)));
    // a program that has loaded it before gets a conflict
    let lost = error(unaware::Order { amount: 1, ..held }.put().send(&db).await);
    assert!(lost.is_conflict(), "{lost}");
    // the word is no longer needed
    let found = ended::Order::scan()
        .filter(|o| o.amount().ge(5000))
        .all(&db)
        .await?;
    assert_eq!(found.len(), 2);
    let reader = reading::Order::scan().refill().send(&db).await?;
    assert_eq!(reader.failed, 2);
    Ok(())
}

/// Both items have the version 1.
async fn a_refill_keeps_an_item_that_was_created_again(db: Db) -> Outcome {
    use writing::Order;
    begin(&db).await?;
    old(1, "Ann Lee", 5).create().send(&db).await?;
    let (other, is_done) = (db.clone(), AtomicBool::new(false));
    let racing = Dynamo::clone(&db).with_observer(move |event| {
        if event.operation == "Scan" && !is_done.swap(true, Ordering::SeqCst) {
            meanwhile(async {
                unaware::Order::key("ann", 1u32)
                    .delete()
                    .send(&other)
                    .await?;
                old(1, "Bob", 7).create().send(&other).await
            })
            .unwrap();
        }
    });
    let report = Order::scan().refill().send(&racing).await?.complete()?;
    assert_eq!(report.written, 1);
    let found = Order::key("ann", 1u32).get().send(&db).await?;
    let found = found.map(|order| (order.first, order.last, order.amount));
    assert_eq!(found, Some(("Bob".into(), None, 7000)));
    Ok(())
}

/// Two shapes of many fields, most of which are missing. The first module has as many as a condition can compare.
macro_rules! many_fields {
    ($module:ident: $($field:ident)*) => {
        mod $module {
            use dynamo_entity::prelude::*;

            #[derive(Default, DynamoEntity)]
            #[dynamo(table = "wide", key(pk = id))]
            pub struct First {
                pub id: u32,
                #[dynamo(version)]
                pub version: Version,
                $(pub $field: Option<u8>,)*
            }

            #[derive(DynamoEntity)]
            #[dynamo(table = "wide", key(pk = id), shape = 2, was(First))]
            pub struct Second {
                pub id: u32,
                #[dynamo(version)]
                pub version: Version,
                $(pub $field: Option<u8>,)*
                pub is_second: bool,
            }

            impl From<First> for Second {
                fn from(old: First) -> Self {
                    let (id, version) = (old.id, old.version);
                    Self { id, version, $($field: old.$field,)* is_second: true }
                }
            }
        }
    };
}

many_fields! { some:
    a000 a001 a002 a003 a004 a005 a006 a007 a008 a009 a010 a011 a012 a013 a014 a015 a016 a017 a018 a019
    a020 a021 a022 a023 a024 a025 a026 a027 a028 a029 a030 a031 a032 a033 a034 a035 a036 a037 a038 a039
    a040 a041 a042 a043 a044 a045 a046 a047 a048 a049 a050 a051 a052 a053 a054 a055 a056 a057 a058 a059
    a060 a061 a062 a063 a064 a065 a066 a067 a068 a069 a070 a071 a072 a073 a074 a075 a076 a077 a078 a079
    a080 a081 a082 a083 a084 a085 a086 a087 a088 a089 a090 a091 a092 a093 a094
}
many_fields! { more:
    a000 a001 a002 a003 a004 a005 a006 a007 a008 a009 a010 a011 a012 a013 a014 a015 a016 a017 a018 a019
    a020 a021 a022 a023 a024 a025 a026 a027 a028 a029 a030 a031 a032 a033 a034 a035 a036 a037 a038 a039
    a040 a041 a042 a043 a044 a045 a046 a047 a048 a049 a050 a051 a052 a053 a054 a055 a056 a057 a058 a059
    a060 a061 a062 a063 a064 a065 a066 a067 a068 a069 a070 a071 a072 a073 a074 a075 a076 a077 a078 a079
    a080 a081 a082 a083 a084 a085 a086 a087 a088 a089 a090 a091 a092 a093 a094 b00 b01 b02 b03 b04 b05
    b06 b07 b08 b09 b10 b11 b12 b13 b14 b15 b16 b17 b18 b19 b20 b21 b22 b23 b24 b25 b26 b27 b28 b29
}

async fn a_refill_upgrades_rows_of_many_attributes(db: Db) -> Outcome {
    db.create_tables([some::Second::schema()]).await?;
    let first = || some::First {
        id: 1,
        a001: Some(1),
        ..Default::default()
    };
    first().create().send(&db).await?;
    let report = some::Second::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    assert_eq!(some::Second::scan().unfilled(&db).await?, 0);
    let first = more::First {
        id: 2,
        a001: Some(2),
        b01: Some(3),
        ..Default::default()
    };
    first.create().send(&db).await?;
    let report = more::Second::scan().refill().send(&db).await?.complete()?;
    assert_eq!((report.written, report.unchanged), (1, 1));
    Ok(())
}

async fn an_update_upgrades_first(db: Db) -> Outcome {
    use writing::Order;
    both(&db).await?;
    // by key, by a loaded entity, and as the difference of two values
    let changed = key(1)
        .update()
        .apply(|o| (o.amount().add(1000), o.last().remove()));
    let changed = changed.when(|o| o.first().eq("Ann") & o.amount().between(4000..=5000));
    let changed = changed.send(&db).await?;
    assert_eq!((changed.amount, changed.last.clone()), (6000, None));
    let stored = db.stored(&key(1)).await;
    assert_eq!(
        (stored.get(SHAPE), stored.get("version")),
        (Some(&n(2)), Some(&n(2)))
    );
    assert!(!stored.contains_key("name"));
    let changed = changed
        .update()
        .apply(|o| o.amount().set(8000))
        .send(&db)
        .await?;
    assert_eq!(changed.version.number(), Some(3));
    for id in [3, 4, 5] {
        old(id, "Ann Lee", 5).create().send(&db).await?;
    }
    let loaded = key(3).get().send(&db).await?.expect("an order");
    let changed = loaded
        .update()
        .apply(|o| o.amount().sub(1000))
        .send(&db)
        .await?;
    assert_eq!((changed.amount, changed.version.number()), (4000, Some(2)));
    let lost = error(
        loaded
            .update()
            .apply(|o| o.amount().sub(1000))
            .send(&db)
            .await,
    );
    assert!(lost.is_conflict(), "{lost}");
    let loaded = key(4).get().send(&db).await?.expect("an order");
    let next = Order {
        first: "Bea".into(),
        ..loaded.clone()
    };
    let changed = loaded.changes_to(&next).send(&db).await?;
    assert_eq!((changed.first.as_str(), changed.amount), ("Bea", 5000));
    assert_eq!(db.stored(&key(4)).await.get(SHAPE), Some(&n(2)));
    let touched = key(5).touch().send(&db).await?;
    assert_eq!((touched.amount, touched.version.number()), (5000, Some(2)));
    // a condition that does not hold changes nothing, in neither shape
    old(6, "Ann Lee", 5).create().send(&db).await?;
    let before = db.stored(&key(6)).await;
    let refused = key(6)
        .update()
        .apply(|o| o.amount().add(1))
        .when(|o| o.amount().lt(1000));
    let refused = error(refused.send(&db).await);
    assert!(refused.is_conflict(), "{refused}");
    assert_eq!(refused.current::<Order>()?.expect("the item").amount, 5000);
    assert_eq!(db.stored(&key(6)).await, before);
    // an upsert of an item that exists
    let upsert = Order::key("ann", 6u32).upsert().apply(|o| {
        (
            o.region().set("US"),
            o.amount().set(1),
            o.first().set("Bob"),
        )
    });
    assert_eq!(upsert.send(&db).await?.region, "US");
    let found = Order::by_region("US").all(&db).await?;
    assert_eq!(found.len(), 1);
    let gone = error(key(9).update().apply(|o| o.amount().add(1)).send(&db).await);
    assert!(gone.is_not_found(), "{gone}");
    // a program that knows shape 1 changes nothing of shape 2
    let refused = first::Order::key("ann", 2u32)
        .update()
        .apply(|o| o.amount().add(1));
    let refused = error(refused.send(&db).await);
    assert!(refused.is_newer_shape(), "{refused}");
    Ok(())
}

async fn an_update_writes_the_older_shape(db: Db) -> Outcome {
    use reading::Order;
    both(&db).await?;
    for id in [1, 2] {
        let update = Order::key("ann", id)
            .update()
            .apply(|o| (o.amount().add(1000), o.last().set("Low")));
        let changed = update.when(|o| o.amount().ge(5000)).send(&db).await?;
        assert_eq!(changed.last.as_deref(), Some("Low"));
        assert!(!db.stored(&key(id)).await.contains_key(SHAPE));
        let seen = unaware::Order::key("ann", id)
            .get()
            .send(&db)
            .await?
            .expect("an order");
        assert_eq!(seen.amount, if id == 1 { 6 } else { 8 });
        assert!(seen.name.ends_with(" Low"), "{seen:?}");
        let next = Order {
            amount: 9000,
            ..changed.clone()
        };
        let changed = changed.changes_to(&next).send(&db).await?;
        assert_eq!(changed.amount, 9000);
    }
    let refused = error(
        Transaction::new()
            .with(
                Order::key("ann", 1u32)
                    .update()
                    .apply(|o| o.amount().add(1)),
            )
            .send(&db)
            .await,
    );
    assert!(
        refused.to_string().contains("the shape before"),
        "{refused}"
    );
    let upsert = Order::key("ann", 1u32).upsert().apply(|o| {
        (
            o.region().set("US"),
            o.amount().set(1),
            o.first().set("Bob"),
        )
    });
    assert!(
        error(upsert.send(&db).await)
            .to_string()
            .contains("`create` or `put`")
    );
    Ok(())
}

async fn conditions_hold_of_the_present_shape(db: Db) -> Outcome {
    use writing::Order;
    both(&db).await?;
    // 5 cents are 5000, which the stored 5 is not
    let delete = Order::key("ann", 1u32)
        .delete()
        .when(|o| o.amount().lt(1000));
    let refused = error(delete.send(&db).await);
    assert!(refused.is_older_shape(), "{refused}");
    let new = one_of(4, 1);
    let put = new.put().unchecked().when(|o| o.amount().missing());
    put.send(&db).await?;
    Order::key("ann", 2u32)
        .delete()
        .when(|o| o.amount().eq(7000))
        .send(&db)
        .await?;
    let delete = reading::Order::key("ann", 1u32)
        .delete()
        .when(|o| o.amount().lt(1000));
    let refused = error(delete.send(&db).await);
    assert!(
        refused.to_string().contains("the shape before"),
        "{refused}"
    );
    let fifth = one_of(5, 1);
    let check = Transaction::new()
        .with(
            Order::key("ann", 1u32)
                .check()
                .when(|o| o.amount().lt(1000)),
        )
        .with(fifth.create());
    let failed = error(check.send(&db).await);
    assert!(failed.is_older_shape(), "{failed}");
    Ok(())
}

async fn a_shape_that_is_no_longer_read_is_named(db: Db) -> Outcome {
    both(&db).await?;
    let refused = error(ended::Order::key("ann", 1u32).get().send(&db).await);
    assert!(refused.is_older_shape(), "{refused}");
    assert_eq!(refused.attribute(), Some(SHAPE));
    let newer = error(first::Order::key("ann", 2u32).get().send(&db).await);
    assert!(newer.is_newer_shape());
    let mut stored = db.stored(&key(2)).await;
    stored.insert(SHAPE.into(), n(3));
    db.plant::<writing::Order>(stored).await;
    let newer = error(key(2).get().send(&db).await);
    assert!(newer.is_newer_shape(), "{newer}");
    Ok(())
}

mod careless {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "careless", key(pk = id))]
    pub struct NoteV1 {
        pub id: u32,
        #[dynamo(version)]
        pub version: Version,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "careless", key(pk = id), shape = 2, was(NoteV1), into(NoteV1), writes = 1)]
    pub struct Note {
        pub id: u32,
        #[dynamo(version)]
        pub version: Version,
    }

    impl From<NoteV1> for Note {
        fn from(old: NoteV1) -> Self {
            match old.id {
                1 => Note {
                    id: 11,
                    version: old.version,
                },
                2 => Note {
                    id: 2,
                    version: Version::from(7),
                },
                id => Note {
                    id,
                    version: old.version,
                },
            }
        }
    }

    impl From<&Note> for NoteV1 {
        fn from(new: &Note) -> Self {
            NoteV1 {
                id: new.id + u32::from(new.id == 3),
                version: new.version,
            }
        }
    }
}

async fn a_from_may_not_change_the_key_or_the_version(db: Db) -> Outcome {
    use careless::{Note, NoteV1};
    db.create_tables([NoteV1::schema()]).await?;
    for id in [1, 2, 3] {
        NoteV1 {
            id,
            version: Version::default(),
        }
        .create()
        .send(&db)
        .await?;
    }
    let read = async |id: u32| Note::key(id).get().send(&db).await;
    assert!(error(read(1).await).to_string().contains("changes the key"));
    assert!(
        error(read(2).await)
            .to_string()
            .contains("changes the version")
    );
    let third = read(3).await?.expect("a note");
    assert!(
        error(third.put().send(&db).await)
            .to_string()
            .contains("changes the key")
    );
    Ok(())
}

async fn the_model_knows_the_shape(_: Db) -> Outcome {
    let schema = reading::Shop::schema();
    let shape = schema.entity("Order").and_then(|order| order.shape.clone());
    let shape = shape.expect("a shape");
    assert_eq!(
        (shape.number, shape.writes, shape.was.as_deref()),
        (2, 1, Some("OrderV1"))
    );
    assert_eq!(
        TableSchema::from_json(&schema.to_json()).expect("a schema"),
        schema
    );
    Ok(())
}

/// A program that writes orders. Amounts are in cents, whatever is stored.
struct Program {
    name: &'static str,
    /// The newest shape that it reads, and the one that it writes.
    knows: u16,
    writes: u16,
    run: for<'r> fn(&'r Db, &'r Act) -> Done<'r>,
}

type Done<'r> = std::pin::Pin<Box<dyn Future<Output = Result<Option<u64>>> + 'r>>;

/// What a program does with the order of one key.
#[derive(Debug, Clone, Copy)]
enum Act {
    Get(u32),
    /// From the index.
    Query(u32),
    Create(u32, u64),
    /// Reads, and puts under the version.
    Put(u32, u64),
    /// Adds by key.
    Add(u32, u64),
    /// Adds by key, if the amount is this one.
    AddIf(u32, u64, u64),
    /// Reads, and adds under the version.
    AddLoaded(u32, u64),
    Modify(u32, u64),
    Delete(u32),
    Refill,
}

/// Returns the amount after the act.
macro_rules! program {
    ($name:ident, $unit:expr, $shapes:expr, $new:expr) => {{
        use $name::Order;
        fn run<'r>(db: &'r Db, act: &'r Act) -> Done<'r> {
            Box::pin(async move {
                let unit: u64 = $unit;
                let key = |id: u32| Order::key("ann", id);
                let cents = |order: Order| Some(order.amount / unit);
                Ok(match *act {
                    Act::Get(id) => key(id).get().consistent().send(db).await?.and_then(cents),
                    Act::Query(id) => {
                        let rows = Order::by_region("EU").id().eq(id).all(db).await?;
                        rows.into_iter().next().and_then(cents)
                    }
                    Act::Create(id, amount) => {
                        let new: fn(u32, u64) -> Order = $new;
                        cents(new(id, amount * unit).create().send(db).await?)
                    }
                    Act::Put(id, amount) => {
                        let Some(mut order) = key(id).get().consistent().send(db).await? else {
                            return Ok(None);
                        };
                        order.amount = amount * unit;
                        cents(order.put().send(db).await?)
                    }
                    Act::Add(id, amount) => {
                        let update = key(id).update().apply(|o| o.amount().add(amount * unit));
                        cents(update.send(db).await?)
                    }
                    Act::AddIf(id, expected, amount) => {
                        let update = key(id).update().apply(|o| o.amount().add(amount * unit));
                        let update = update.when(|o| o.amount().eq(expected * unit));
                        cents(update.send(db).await?)
                    }
                    Act::AddLoaded(id, amount) => {
                        let Some(order) = key(id).get().consistent().send(db).await? else {
                            return Ok(None);
                        };
                        let update = order.update().apply(|o| o.amount().add(amount * unit));
                        cents(update.send(db).await?)
                    }
                    Act::Modify(id, amount) => {
                        let modify = key(id).modify(|o| o.amount += amount * unit);
                        cents(modify.send(db).await?)
                    }
                    Act::Delete(id) => {
                        key(id).delete().send(db).await?;
                        None
                    }
                    Act::Refill => {
                        let _ = Order::scan().refill().send(db).await?;
                        None
                    }
                })
            })
        }
        Program {
            name: stringify!($name),
            knows: $shapes.0,
            writes: $shapes.1,
            run,
        }
    }};
}

fn programs() -> [Program; 6] {
    [
        program!(unaware, 1, (1, 1), |id, amount| old(id, "Ann Lee", amount)),
        program!(first, 1, (1, 1), |id, amount| Order {
            user: "ann".into(),
            id,
            region: "EU".into(),
            amount,
            name: "Ann Lee".into(),
            version: Version::default(),
        }),
        program!(reading, 1000, (2, 1), |id, amount| {
            Order {
                user: "ann".into(),
                id,
                region: "EU".into(),
                amount,
                first: "Ann".into(),
                last: Some("Lee".into()),
                version: Version::default(),
            }
        }),
        program!(writing, 1000, (2, 2), |id, amount| Order {
            user: "ann".into(),
            id,
            region: "EU".into(),
            amount,
            first: "Ann".into(),
            last: Some("Lee".into()),
            version: Version::default(),
        }),
        program!(reading_third, 1_000_000, (3, 2), |id, amount| Order {
            user: "ann".into(),
            id,
            region: "EU".into(),
            amount,
            names: vec!["Ann".into(), "Lee".into()],
            version: Version::default(),
        }),
        program!(writing_third, 1_000_000, (3, 3), |id, amount| Order {
            user: "ann".into(),
            id,
            region: "EU".into(),
            amount,
            names: vec!["Ann".into(), "Lee".into()],
            version: Version::default(),
        }),
    ]
}

/// Random histories of two and three programs that may run beside each other, beside a model that knows cents alone.
async fn programs_side_by_side(db: Db) -> Outcome {
    begin(&db).await?;
    let programs = programs();
    let groups: [&[usize]; 12] = [
        &[0, 1],
        &[0, 2],
        &[1, 2],
        &[2, 3],
        &[1, 3],
        &[3, 4],
        &[4, 5],
        &[3, 5],
        &[0, 1, 2],
        &[1, 2, 3],
        &[2, 3, 4],
        &[3, 4, 5],
    ];
    let steps = std::env::var("SHAPES")
        .ok()
        .and_then(|steps| steps.parse().ok());
    let steps: usize = steps.unwrap_or(300);
    for (number, pair) in groups.into_iter().enumerate() {
        let mut random = fastrand::Rng::with_seed(number as u64 + 7);
        let mut model = std::collections::BTreeMap::<u32, u64>::new();
        let mut done = vec![0; pair.len()];
        let newest = pair
            .iter()
            .map(|at| programs[*at].writes)
            .max()
            .unwrap_or(1);
        for id in 0..4 {
            key(id).delete().send(&db).await?;
        }
        for step in 0..steps {
            let which = random.usize(0..pair.len());
            let program = &programs[pair[which]];
            let (id, amount) = (random.u32(0..4), random.u64(1..9));
            let held = model.get(&id).copied();
            let act = match random.u8(0..14) {
                0..3 => Act::Get(id),
                3 => Act::Query(id),
                4 | 5 => Act::Create(id, amount),
                6 => Act::Put(id, amount),
                7 => Act::Add(id, amount),
                8 => Act::AddIf(id, held.unwrap_or(1) + u64::from(random.bool()), amount),
                9 => Act::AddLoaded(id, amount),
                10 | 11 => Act::Modify(id, amount),
                12 if random.u8(0..4) > 0 => Act::Delete(id),
                _ => Act::Refill,
            };
            let said = format!(
                "step {step} of {:?}: {} {act:?} beside {held:?}",
                pair, program.name
            );
            match (program.run)(&db, &act).await {
                Ok(found) => {
                    done[which] += 1;
                    let expected = match act {
                        Act::Get(_) => held,
                        // the index of the service may be late
                        Act::Query(_) => found,
                        Act::Create(_, amount) => {
                            assert_eq!(held, None, "{said}");
                            Some(amount)
                        }
                        Act::Put(_, amount) => held.map(|_| amount),
                        Act::AddIf(_, expected, amount) => {
                            assert_eq!(held, Some(expected), "{said}");
                            Some(expected + amount)
                        }
                        Act::Add(_, amount)
                        | Act::AddLoaded(_, amount)
                        | Act::Modify(_, amount) => held.map(|held| held + amount),
                        Act::Delete(_) | Act::Refill => None,
                    };
                    assert_eq!(found, expected, "{said}");
                    match (act, found) {
                        (Act::Get(_) | Act::Query(_) | Act::Refill, _) => {}
                        (_, Some(found)) => drop(model.insert(id, found)),
                        (_, None) => drop(model.remove(&id)),
                    }
                }
                Err(error) => {
                    let is_newer = error.is_newer_shape() && program.knows < newest;
                    let is_expected = match act {
                        _ if is_newer => true,
                        Act::Create(..) => held.is_some() && error.is_already_exists(),
                        Act::AddIf(_, expected, _) if held.is_some() => {
                            error.is_conflict() && held != Some(expected)
                        }
                        Act::Add(..) | Act::AddIf(..) => held.is_none() && error.is_not_found(),
                        Act::Modify(..) => held.is_none() && error.is_not_found(),
                        _ => false,
                    };
                    assert!(is_expected, "{said}: {error}");
                }
            }
            // every program that knows the shape of an item reads the same
            for reader in pair.iter().map(|at| &programs[*at]) {
                let id = random.u32(0..4);
                match (reader.run)(&db, &Act::Get(id)).await {
                    Ok(found) => assert_eq!(
                        found,
                        model.get(&id).copied(),
                        "{said}, read by {}",
                        reader.name
                    ),
                    Err(error) => assert!(
                        error.is_newer_shape() && reader.knows < newest,
                        "{said}: {error}"
                    ),
                }
            }
        }
        assert!(
            done.iter().all(|done| *done > steps / 12),
            "{pair:?}: {done:?}"
        );
    }
    Ok(())
}

/// Programs of three neighbouring declarations add to the same items at once, while a job upgrades them.
async fn concurrent_programs_lose_nothing(db: Db) -> Outcome {
    begin(&db).await?;
    let programs = programs();
    for round in 0..6 {
        for id in 0..3 {
            key(id).delete().send(&db).await?;
            old(id, "Ann Lee", 1).create().send(&db).await?;
        }
        let neighbours = &programs[[1, 2, 2, 2, 3, 3][round]..][..2];
        let acts = (0..36).map(|number: u32| {
            let id = number % 3;
            let act = match number % 5 {
                0 => Act::Add(id, 1),
                1 => Act::AddLoaded(id, 1),
                2 if neighbours[1].writes == neighbours[1].knows => Act::Refill,
                _ => Act::Modify(id, 1),
            };
            (
                id,
                act,
                &neighbours[usize::from(number.is_multiple_of(2) || matches!(act, Act::Refill))],
            )
        });
        let acts: Vec<_> = acts.collect();
        let done =
            acts.iter().map(
                async |(id, act, program)| match (program.run)(&db, act).await {
                    Ok(Some(_)) => Some(*id),
                    Ok(None) => None,
                    Err(error) => {
                        let is_race = error.is_conflict() || error.is_newer_shape();
                        assert!(is_race, "{} {act:?}: {error}", program.name);
                        None
                    }
                },
            );
        let done = futures_util::future::join_all(done).await;
        for id in 0..3 {
            let added = done.iter().filter(|done| **done == Some(id)).count() as u64;
            let found = (neighbours[1].run)(&db, &Act::Get(id)).await?;
            assert_eq!(found, Some(1 + added), "{}", neighbours[1].name);
        }
    }
    Ok(())
}

mod bare_first {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = "meters", key(pk = "METER#{id}"), shape = 1)]
    pub struct Meter {
        pub id: u32,
        pub amount: u64,
    }
}

mod bare_second {
    use dynamo_entity::prelude::*;

    /// The amount is in thousandths.
    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(
        table = "meters",
        key(pk = "METER#{id}"),
        shape = 2,
        was(super::bare_first::Meter)
    )]
    pub struct Meter {
        pub id: u32,
        pub amount: u64,
        pub note: Option<String>,
    }

    impl From<super::bare_first::Meter> for Meter {
        fn from(old: super::bare_first::Meter) -> Self {
            Meter {
                id: old.id,
                amount: old.amount * 1_000,
                note: None,
            }
        }
    }
}

/// All attributes of the older shape have the same values in the newer one.
async fn a_modify_without_a_version_notices_another_shape(db: Db) -> Outcome {
    let zero = bare_first::Meter { id: 1, amount: 0 };
    zero.put().send(&db).await?;
    let (other, upgraded) = (db.of_another_process(), AtomicBool::new(false));
    let change = |meter: &mut bare_first::Meter| {
        if !upgraded.swap(true, Ordering::SeqCst) {
            let key = bare_second::Meter::key(1);
            let upgrade = key.modify(|meter| meter.note = Some("checked".into()));
            meanwhile(upgrade.send(&other).into_future()).expect("an upgrade");
        }
        meter.amount += 5;
    };
    let error = bare_first::Meter::key(1).modify(change).send(&db).await;
    assert!(error.expect_err("a newer shape").is_newer_shape());
    let stored = bare_second::Meter::key(1).get().send(&db).await?;
    let expected = bare_second::Meter {
        id: 1,
        amount: 0,
        note: Some("checked".into()),
    };
    assert_eq!(stored, Some(expected));
    Ok(())
}
