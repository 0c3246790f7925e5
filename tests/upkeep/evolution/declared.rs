//! The declarations of the programs, which are the steps of changes.

use std::time::Duration;

use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

use super::program::{Program, program};

/// A declaration of orders: its options, the attributes of its three fields, and its other fields.
macro_rules! order {
    ($module:ident($($options:tt)*), $name:meta, $count:meta, $total:meta: $type:ty, { $($more:tt)* }) => {
        pub mod $module {
            #[allow(unused_imports, reason = "not every declaration has more fields")]
            use chrono::{DateTime, Utc};
            use dynamo_entity::prelude::*;

            #[derive(Debug, Clone, PartialEq, Default, DynamoEntity)]
            #[dynamo(key(pk = "ORDER#{id}"), $($options)*)]
            pub struct Order {
                pub id: u32,
                #[$name]
                pub name: String,
                #[$count]
                pub amount: Option<i64>,
                #[$total]
                pub total: $type,
                $($more)*
            }
        }
    };
}

/// Unchanged totals.
mod plain {
    pub fn stored(total: i64) -> i64 {
        total
    }

    pub fn read(total: i64) -> i64 {
        total
    }
}

/// Totals in thousandths.
mod thousandths {
    pub fn stored(total: i64) -> i64 {
        total * 1000
    }

    pub fn read(total: i64) -> i64 {
        total / 1000
    }
}

/// Totals as hours after a day in the future.
mod hours {
    use chrono::{DateTime, TimeDelta, Utc};

    fn base() -> DateTime<Utc> {
        DateTime::from_timestamp(4_000_000_000, 0).expect("a time")
    }

    pub fn stored(total: i64) -> DateTime<Utc> {
        base() + TimeDelta::hours(total)
    }

    pub fn read(total: DateTime<Utc>) -> i64 {
        (total - base()).num_hours()
    }
}

// A renamed attribute that no program removes, and one that is part of an index key.
mod required {
    order!(old(table = "required", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(rename = "n"), dynamo(rename = "count"), dynamo(rename = "t"): i64, {});
    order!(both(table = "required", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(was = "n"), dynamo(rename = "count"), dynamo(was = "t"): i64, {});
    order!(drops(table = "required", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(was("n", drop)), dynamo(rename = "count"), dynamo(was("t", drop)): i64, {});
    order!(new(table = "required", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(rename = "name"), dynamo(rename = "count"), dynamo(rename = "total"): i64, {});
}

// A renamed attribute that programs may remove, in rows with versions.
mod optional {
    order!(old(table = "optional", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64,
        { #[dynamo(version)] pub version: Version });
    order!(keeps(table = "optional", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(was("n", keep)), dynamo(was("c", keep)), dynamo(was("t", keep)): i64,
        { #[dynamo(version)] pub version: Version });
    order!(both(table = "optional", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(was = "n"), dynamo(was = "c"), dynamo(was = "t"): i64,
        { #[dynamo(version)] pub version: Version });
    order!(drops(table = "optional", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(was("n", drop)), dynamo(was("c", drop)), dynamo(was("t", drop)): i64,
        { #[dynamo(version)] pub version: Version });
    order!(new(table = "optional", gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
        dynamo(rename = "name"), dynamo(rename = "amount"), dynamo(rename = "total"): i64,
        { #[dynamo(version)] pub version: Version });
}

// A new index.
mod index {
    order!(old(table = "index"), dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
    order!(fills(table = "index", gsi(by_name, pk = "NAME#{name}", sk = "{total}#{id}", filling)),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
    order!(new(table = "index", gsi(by_name, pk = "NAME#{name}", sk = "{total}#{id}")),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
}

// A new field with a default. A job that stores it requires only that the attribute is missing.
mod default {
    order!(old(table = "default"), dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
    order!(new(table = "default"), dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64,
        { #[dynamo(default = 3)] pub grade: u8 });
}

// A new unique value.
mod unique {
    order!(old(table = "unique"), dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
    order!(fills(table = "unique", unique(by_name, name, filling)),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
    order!(new(table = "unique", unique(by_name, name)),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): i64, {});
}

/// Five declarations of two shapes. In the second one, the count has another name, and the total another unit.
macro_rules! shapes {
    ($module:ident, $table:literal, { $($more:tt)* }, [$($managed:ident)?]) => {
        mod $module {
            order!(unaware(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}")),
                dynamo(rename = "name"), dynamo(rename = "c"), dynamo(rename = "total"): i64, { $($more)* });
            order!(first(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}"), shape = 1),
                dynamo(rename = "name"), dynamo(rename = "c"), dynamo(rename = "total"): i64, { $($more)* });
            order!(reads(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}"),
                    shape = 2, writes = 1, was(super::unaware::Order), into(super::unaware::Order)),
                dynamo(rename = "name"), dynamo(rename = "count"), dynamo(rename = "total"): i64, { $($more)* });
            order!(writes(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}"),
                    shape = 2, was(super::unaware::Order), into(super::unaware::Order)),
                dynamo(rename = "name"), dynamo(rename = "count"), dynamo(rename = "total"): i64, { $($more)* });
            order!(ended(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}"), shape = 2),
                dynamo(rename = "name"), dynamo(rename = "count"), dynamo(rename = "total"): i64, { $($more)* });

            // A program of the first shape that has something to fill.
            order!(graded(table = $table, gsi(by_name, pk = "NAME#{name}", sk = "{id}"), shape = 1),
                dynamo(rename = "name"), dynamo(rename = "c"), dynamo(rename = "total"): i64,
                { #[dynamo(default = 3)] pub grade: u8, $($more)* });

            shapes!(@convert reads, [$($managed)?]);
            shapes!(@convert writes, [$($managed)?]);
        }
    };
    (@convert $module:ident, [$($managed:ident)?]) => {
        impl From<unaware::Order> for $module::Order {
            fn from(old: unaware::Order) -> Self {
                let total = super::thousandths::stored(old.total);
                $module::Order { id: old.id, name: old.name, amount: old.amount, total, $($managed: old.$managed)? }
            }
        }

        impl From<&$module::Order> for unaware::Order {
            fn from(new: &$module::Order) -> Self {
                let (name, total) = (new.name.clone(), super::thousandths::read(new.total));
                unaware::Order { id: new.id, name, amount: new.amount, total, $($managed: new.$managed)? }
            }
        }
    };
}

shapes!(versioned, "versioned", { #[dynamo(version)] pub version: Version }, [version]);
shapes!(unversioned, "unversioned", {}, []);

// An expiry that is derived, and then another one.
mod expiry {
    order!(old(table = "expiry"),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): DateTime<Utc>, {});
    order!(hour(table = "expiry"),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): DateTime<Utc>,
        { #[dynamo(ttl = total + "1h")] pub expires: Option<i64> });
    order!(day(table = "expiry"),
        dynamo(rename = "n"), dynamo(rename = "c"), dynamo(rename = "t"): DateTime<Utc>,
        { #[dynamo(ttl = total + "1d")] pub expires: Option<i64> });
}

/// The rows with one key.
macro_rules! moved_order {
    ($stored:literal, $pk:literal, $($keys:tt)*) => {
        #[derive(Debug, Clone, PartialEq, Default, DynamoEntity)]
        #[dynamo(table = Moved, rename = $stored, key(pk = $pk), $($keys)*)]
        pub struct Order {
            pub id: u32,
            #[dynamo(rename = "n")]
            pub name: String,
            #[dynamo(rename = "c")]
            pub amount: Option<i64>,
            #[dynamo(rename = "t")]
            pub total: i64,
        }
    };
}

/// The declaration of the old rows, or of the new ones; and the other one, if the program writes its rows, too.
macro_rules! moved {
    ($module:ident, [$($entities:path),+], $stored:literal, $pk:literal, $([$($keys:tt)*],)? $(other = $other:literal, $other_pk:literal)?) => {
        pub mod $module {
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "moved", pk = "pk", entities($($entities),+))]
            pub struct Moved;

            moved_order!($stored, $pk, $($($keys)*)?);

            $(
                /// The same items under the other key.
                pub mod other {
                    use dynamo_entity::prelude::*;

                    use super::Moved;

                    moved_order!($other, $other_pk,);

                    impl From<&super::Order> for Order {
                        fn from(order: &super::Order) -> Self {
                            let super::Order { id, amount, total, .. } = *order;
                            Order { id, name: order.name.clone(), amount, total }
                        }
                    }

                    impl From<&Order> for super::Order {
                        fn from(order: &Order) -> Self {
                            let Order { id, amount, total, .. } = *order;
                            super::Order { id, name: order.name.clone(), amount, total }
                        }
                    }
                }
            )?
        }
    };
}

// Another primary key.
mod moved {
    moved!(old, [Order], "Order", "ORDER#{id}",);
    moved!(
        before,
        [Order, other::Order],
        "Order",
        "ORDER#{id}",
        [next_key(other::Order)],
        other = "NewOrder",
        "NEW#{id}"
    );
    moved!(
        after,
        [Order, other::Order],
        "NewOrder",
        "NEW#{id}",
        [was_key(other::Order)],
        other = "Order",
        "ORDER#{id}"
    );
    moved!(
        last,
        [Order, other::Order],
        "NewOrder",
        "NEW#{id}",
        [was_key(other::Order, drop)],
        other = "Order",
        "ORDER#{id}"
    );
    moved!(new, [Order], "NewOrder", "NEW#{id}",);
}

/// A period in which the same programs run. Between two stages, the programs that are not part of the second one end.
#[derive(Debug, Clone)]
pub struct Stage {
    pub programs: Vec<usize>,
    /// Whether the last of them completes a fill.
    pub fills: bool,
    /// The stages that may follow.
    pub next: Vec<usize>,
    /// Whether every row is as each of these programs would put it, so that programs may query new names.
    pub is_filled: bool,
}

impl Stage {
    pub fn of(programs: impl Into<Vec<usize>>) -> Stage {
        Stage {
            programs: programs.into(),
            fills: false,
            next: Vec::new(),
            is_filled: false,
        }
    }

    fn fills(self) -> Stage {
        Stage {
            fills: true,
            ..self
        }
    }

    pub fn filled(self) -> Stage {
        Stage {
            is_filled: true,
            ..self
        }
    }
}

fn stage(programs: &[usize], next: &[usize]) -> Stage {
    Stage {
        next: next.into(),
        ..Stage::of(programs)
    }
}

/// One change of a declaration.
pub struct Change {
    pub name: &'static str,
    pub schema: fn() -> TableSchema,
    pub programs: Vec<Program>,
    pub stages: Vec<Stage>,
    /// Pairs of programs that must not run at the same time.
    pub forbidden: &'static [[usize; 2]],
    pub has_version: bool,
    pub is_unique: bool,
}

impl Change {
    pub fn is_shape(&self) -> bool {
        self.name.ends_with("versioned")
    }

    /// Whether a put cannot be part of a transaction, because it reads the row first.
    pub fn reads_first(&self) -> bool {
        self.is_unique || self.name == "moved"
    }
}

pub fn changes() -> Vec<Change> {
    vec![
        required(),
        optional(),
        index(),
        default(),
        unique(),
        versioned(),
        unversioned(),
        expiry(),
        moved(),
    ]
}

fn required() -> Change {
    use required::{both, drops, new, old};
    Change {
        name: "required",
        schema: new::Order::schema,
        programs: vec![
            program!(old, plain, index, fills = true, rejects = false),
            program!(both, plain, index, fills = true, rejects = false),
            program!(drops, plain, index, fills = true, rejects = false),
            program!(new, plain, index, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1, 1, 2]),
            stage(&[1, 2], &[2]),
            stage(&[1, 2], &[3, 1]),
            stage(&[2], &[4]).fills(),
            stage(&[2, 3], &[1, 4]).filled(),
        ],
        forbidden: &[[0, 2], [0, 3], [1, 3]],
        has_version: false,
        is_unique: false,
    }
}

fn optional() -> Change {
    use optional::{both, drops, keeps, new, old};
    Change {
        name: "optional",
        schema: new::Order::schema,
        programs: vec![
            program!(old, plain, index, fills = true, rejects = false),
            program!(keeps, plain, index, fills = true, rejects = false),
            program!(both, plain, index, fills = true, rejects = false),
            program!(drops, plain, index, fills = true, rejects = false),
            program!(new, plain, index, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1]),
            stage(&[1], &[2]).fills(),
            stage(&[1, 2], &[0, 3, 3]).filled(),
            stage(&[2, 3], &[4]),
            stage(&[3], &[5]).fills(),
            stage(&[3, 4], &[3, 5]).filled(),
        ],
        forbidden: &[[0, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 4]],
        has_version: true,
        is_unique: false,
    }
}

fn index() -> Change {
    use index::{fills, new, old};
    Change {
        name: "index",
        schema: new::Order::schema,
        programs: vec![
            program!(old, plain, none, fills = true, rejects = false),
            program!(fills, plain, none, fills = true, rejects = false),
            program!(new, plain, index, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1]),
            stage(&[1], &[2]).fills(),
            stage(&[1, 2], &[0, 2, 2]).filled(),
        ],
        forbidden: &[[0, 2]],
        has_version: false,
        is_unique: false,
    }
}

fn default() -> Change {
    use default::{new, old};
    Change {
        name: "default",
        schema: new::Order::schema,
        programs: vec![
            program!(old, plain, none, fills = true, rejects = false),
            program!(new, plain, none, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1]),
            stage(&[1], &[2]).fills(),
            stage(&[1], &[0]).filled(),
        ],
        forbidden: &[],
        has_version: false,
        is_unique: false,
    }
}

fn unique() -> Change {
    use unique::{fills, new, old};
    Change {
        name: "unique",
        schema: new::Order::schema,
        programs: vec![
            program!(old, plain, none, fills = true, rejects = false),
            program!(fills, plain, none, fills = true, rejects = false),
            program!(new, plain, unique, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1]),
            stage(&[1], &[2]).fills(),
            stage(&[1, 2], &[0, 2, 2]).filled(),
        ],
        forbidden: &[[0, 2]],
        has_version: false,
        is_unique: true,
    }
}

/// Without a shape, with `shape = 1`, reading both, writing both, and with the second shape alone.
fn shape_stages() -> Vec<Stage> {
    vec![
        stage(&[0, 1], &[1, 3]),
        stage(&[0, 1, 2], &[2, 3]),
        stage(&[0, 2], &[3]),
        stage(&[1, 2, 3], &[4, 5]),
        stage(&[2, 3], &[5]),
        stage(&[3], &[6]).fills(),
        stage(&[3, 4], &[4, 6]).filled(),
    ]
}

macro_rules! shape_change {
    ($module:ident, $has_version:expr) => {
        fn $module() -> Change {
            use $module::{ended, first, graded, reads, unaware, writes};
            Change {
                name: stringify!($module),
                schema: ended::Order::schema,
                programs: vec![
                    program!(unaware, plain, index, fills = true, rejects = false),
                    program!(first, plain, index, fills = true, rejects = true),
                    program!(reads, thousandths, index, fills = false, rejects = false),
                    program!(writes, thousandths, index, fills = true, rejects = false),
                    program!(ended, thousandths, index, fills = true, rejects = false),
                    program!(graded, plain, index, fills = true, rejects = true),
                ],
                stages: shape_stages(),
                forbidden: &[[0, 3], [2, 4]],
                has_version: $has_version,
                is_unique: false,
            }
        }
    };
}

shape_change!(versioned, true);
shape_change!(unversioned, false);

fn expiry() -> Change {
    use expiry::{day, hour, old};
    Change {
        name: "expiry",
        schema: hour::Order::schema,
        programs: vec![
            program!(old, hours, none, fills = true, rejects = false),
            program!(hour, hours, none, fills = true, rejects = false),
            program!(day, hours, none, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1, 3]),
            stage(&[1], &[2]).fills(),
            stage(&[1], &[0, 3]).filled(),
            stage(&[1, 2], &[4]),
            stage(&[2], &[5]).fills(),
            stage(&[2], &[3, 5]).filled(),
        ],
        forbidden: &[],
        has_version: false,
        is_unique: false,
    }
}

fn moved() -> Change {
    use moved::{after, before, last, new, old};
    Change {
        name: "moved",
        schema: old::Moved::schema,
        programs: vec![
            program!(old, plain, none, fills = true, rejects = false),
            program!(before, plain, none, fills = true, rejects = false),
            program!(after, plain, none, fills = true, rejects = false),
            program!(last, plain, none, fills = true, rejects = false),
            program!(new, plain, none, fills = true, rejects = false),
        ],
        stages: vec![
            stage(&[0, 1], &[1]),
            stage(&[1], &[2]).fills(),
            stage(&[1, 2], &[0, 3, 3]).filled(),
            stage(&[2, 3], &[4]).filled(),
            stage(&[3], &[5]).fills(),
            stage(&[3, 4], &[3, 5]).filled(),
        ],
        forbidden: &[[0, 2], [0, 3], [0, 4], [1, 3], [1, 4]],
        has_version: false,
        is_unique: false,
    }
}
