//! The declarations of a new shape: which may follow which, and the steps that must not be skipped.

use dynamo_entity::lock::{self, ChangeClass};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

macro_rules! first {
    ($name:ident, $($option:tt)*) => {
        mod $name {
            use dynamo_entity::prelude::*;

            #[derive(DynamoEntity)]
            #[dynamo(table = "parcels", key(pk = "P#{id}"), $($option)*)]
            pub struct Parcel {
                pub id: u32,
                pub address: String,
                pub weight: u32,
            }
        }
    };
}

macro_rules! second {
    ($name:ident, $($option:tt)*) => {
        mod $name {
            #[allow(unused_imports, reason = "not every declaration reads the shape before")]
            use super::unaware::Parcel as ParcelV1;
            use dynamo_entity::prelude::*;

            #[derive(DynamoEntity)]
            #[dynamo(table = "parcels", key(pk = "P#{id}"), $($option)*)]
            pub struct Parcel {
                pub id: u32,
                pub street: String,
                pub weight: f64,
            }

            impl From<ParcelV1> for Parcel {
                fn from(old: ParcelV1) -> Self {
                    Parcel { id: old.id, street: old.address, weight: old.weight.into() }
                }
            }

            impl From<&Parcel> for ParcelV1 {
                fn from(new: &Parcel) -> Self {
                    ParcelV1 { id: new.id, address: new.street.clone(), weight: new.weight as u32 }
                }
            }
        }
    };
}

first!(unaware,);
first!(first_shape, shape = 1);
second!(
    reading,
    shape = 2,
    writes = 1,
    was(ParcelV1),
    into(ParcelV1)
);
second!(writing, shape = 2, was(ParcelV1), into(ParcelV1));
second!(ended, shape = 2);

fn class(before: TableSchema, after: TableSchema) -> (Option<ChangeClass>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [before]).expect("a file");
    let comparison = lock::compare(&path, [after]).expect("a comparison");
    assert!(comparison.changes().len() <= 1, "{comparison}");
    (comparison.class(), comparison.to_string())
}

#[test]
fn neighbours_follow_each_other() {
    use ChangeClass::{BreaksRunning, FillFirst, Free};
    let all = [
        unaware::Parcel::schema,
        first_shape::Parcel::schema,
        reading::Parcel::schema,
        writing::Parcel::schema,
        ended::Parcel::schema,
    ];
    let (free, fill, breaks) = (Some(Free), Some(FillFirst), Some(BreaksRunning));
    let expected = [
        [None, free, free, breaks, breaks],
        [free, None, free, breaks, breaks],
        [free, free, None, free, breaks],
        [breaks, breaks, free, None, fill],
        [breaks, breaks, breaks, free, None],
    ];
    for (before, row) in all.iter().zip(expected) {
        for (after, wanted) in all.iter().zip(row) {
            let (found, text) = class(before(), after());
            assert_eq!(found, wanted, "{text}");
        }
    }
}

#[test]
fn a_skipped_step_is_named() {
    for (before, after, says) in [
        (
            unaware::Parcel::schema(),
            writing::Parcel::schema(),
            "the first `shape` and the next one in one step",
        ),
        (
            first_shape::Parcel::schema(),
            writing::Parcel::schema(),
            "declare `shape = 2, writes = 1`",
        ),
        (
            writing::Parcel::schema(),
            ended::Parcel::schema(),
            "`scan().refill()`, until `scan().unfilled(..)` is 0",
        ),
        (
            writing::Parcel::schema(),
            first_shape::Parcel::schema(),
            "declare `writes = 1` first",
        ),
    ] {
        let (_, text) = class(before, after);
        assert!(text.contains(says), "{text}");
    }
}
