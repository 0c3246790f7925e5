//! Programs of real declarations behind one interface: rows without a declaration, and their writes.

use std::any::Any;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use dynamo_entity::Dynamo;
use dynamo_entity::bulk::BulkReport;
use dynamo_entity::prelude::*;
use fastrand::Rng;

use crate::support::db::Raw;

/// The content of a row, without the declaration of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub name: String,
    pub count: Option<i64>,
    pub total: i64,
}

/// One operation of a program on one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    Create(Row),
    Put(Row),
    TransactPut(Row),
    SetCount(Option<i64>),
    AddCount(i64),
    SetName(String),
    SetTotal(i64),
    TransactTotal(i64),
    /// Sets the name if the count has this value.
    NameIfCount(Option<i64>, String),
    /// Keeps the row in memory.
    Load,
    /// Puts the row in memory, with these values instead.
    PutLoaded(i64, Option<i64>),
    UpdateLoaded(i64, String),
    DeleteLoaded,
    /// Deletes the row unless the total has this value.
    DeleteUnless(i64),
    /// Sets the total and adds to the count.
    Modify(i64, i64),
    ModifyName(String),
    Delete,
    /// A refill of the whole table, with a checkpoint or without one.
    Fill(Option<PathBuf>),
}

/// The result of an operation.
#[derive(Debug)]
pub enum Done {
    Wrote,
    Loaded(bool),
    /// The memory contains no row.
    Nothing,
    Filled(Box<BulkReport>),
}

/// The row in memory.
pub type Slot = Arc<Mutex<Option<Box<dyn Any + Send>>>>;
pub type Running<T> = Pin<Box<dyn Future<Output = Result<T>>>>;

/// Rows with their numbers.
pub type Rows = Vec<(u32, Row)>;

/// Finds the rows that have a name.
pub type FindNamed = fn(Dynamo, String) -> Running<Vec<u32>>;

/// A program with one declaration.
#[derive(Clone, Copy)]
pub struct Program {
    pub name: &'static str,
    pub run: fn(Dynamo, u32, Op, Slot) -> Running<Done>,
    pub read: fn(Dynamo, u32) -> Running<Option<Row>>,
    pub scan: fn(Dynamo) -> Running<Rows>,
    pub unfilled: fn(Dynamo) -> Running<u64>,
    /// The rows with this name, by an index or a unique value.
    pub named: Option<FindNamed>,
    /// Whether an item is as this program would put it.
    pub is_whole: fn(&Raw) -> Result<bool>,
    /// Whether it may run a refill.
    pub fills: bool,
    /// Whether one of its operations may find a row that it cannot read.
    pub rejects: bool,
}

pub const IDS: u32 = 3;
pub const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn name(rng: &mut Rng) -> String {
    NAMES[rng.usize(..NAMES.len())].to_owned()
}

fn count(rng: &mut Rng) -> Option<i64> {
    rng.bool().then(|| rng.i64(0..4))
}

pub fn row(rng: &mut Rng) -> Row {
    Row {
        name: name(rng),
        count: count(rng),
        total: rng.i64(0..9),
    }
}

impl Op {
    pub fn random(rng: &mut Rng) -> Op {
        match rng.u8(..26) {
            0 | 1 => Op::Create(row(rng)),
            2 | 3 => Op::Put(row(rng)),
            4 => Op::TransactPut(row(rng)),
            5 | 6 => Op::SetCount(count(rng)),
            7 => Op::AddCount(rng.i64(1..4)),
            8 | 9 => Op::SetName(name(rng)),
            10 | 11 => Op::SetTotal(rng.i64(0..9)),
            12 => Op::TransactTotal(rng.i64(0..9)),
            13 => Op::NameIfCount(count(rng), name(rng)),
            14..17 => Op::Load,
            17 => Op::PutLoaded(rng.i64(0..9), count(rng)),
            18 | 19 => Op::UpdateLoaded(rng.i64(0..9), name(rng)),
            20 => Op::DeleteLoaded,
            21 => Op::DeleteUnless(rng.i64(0..9)),
            22 => Op::NameIfCount(count(rng), name(rng)),
            23 | 24 => Op::Modify(rng.i64(0..9), rng.i64(1..4)),
            _ if rng.u8(..3) > 0 => Op::ModifyName(name(rng)),
            _ => Op::Delete,
        }
    }

    /// Whether the operation may take effect twice after a lost response.
    pub fn repeats(&self) -> bool {
        matches!(
            self,
            Op::Put(_) | Op::PutLoaded(..) | Op::Delete | Op::DeleteLoaded
        )
    }

    pub fn needs_loaded(&self) -> bool {
        matches!(
            self,
            Op::PutLoaded(..) | Op::UpdateLoaded(..) | Op::DeleteLoaded
        )
    }
}

/// `program!(module, conversion of totals, named, fills, rejects)`: the program of the entity `Order` of a module.
macro_rules! program {
    ($module:ident, $total:ident, $named:tt, fills = $fills:expr, rejects = $rejects:expr) => {{
        use $crate::evolution::program::{Done, Op, Program, Row, Running, Slot};
        use $module::Order;

        #[allow(clippy::needless_update, reason = "not every declaration has more")]
        fn of(id: u32, row: &Row) -> Order {
            let (name, total) = (row.name.clone(), $total::stored(row.total));
            let amount = row.count;
            Order {
                id,
                name,
                amount,
                total,
                ..Order::default()
            }
        }

        fn row(order: Order) -> (u32, Row) {
            let total = $total::read(order.total);
            (
                order.id,
                Row {
                    name: order.name,
                    count: order.amount,
                    total,
                },
            )
        }

        fn loaded(slot: &Slot) -> Option<Order> {
            let held = slot.lock().expect("no panic").take()?;
            held.downcast().ok().map(|order| *order)
        }

        fn run(db: Dynamo, id: u32, op: Op, slot: Slot) -> Running<Done> {
            Box::pin(async move {
                let key = Order::key(id);
                match op {
                    Op::Create(row) => drop(of(id, &row).create().send(&db).await?),
                    Op::Put(row) => drop(of(id, &row).put().send(&db).await?),
                    Op::TransactPut(row) => {
                        let order = of(id, &row);
                        drop(Transaction::new().with(order.put()).send(&db).await?);
                    }
                    Op::SetCount(count) => {
                        let update = key.update().apply(|o| o.amount().set_or_remove(count));
                        drop(update.send(&db).await?);
                    }
                    Op::AddCount(by) => {
                        drop(key.update().apply(|o| o.amount().add(by)).send(&db).await?);
                    }
                    Op::SetName(name) => {
                        drop(key.update().apply(|o| o.name().set(name)).send(&db).await?);
                    }
                    Op::SetTotal(total) => {
                        let total = $total::stored(total);
                        drop(
                            key.update()
                                .apply(|o| o.total().set(total))
                                .send(&db)
                                .await?,
                        );
                    }
                    Op::TransactTotal(total) => {
                        let update = key.update().apply(|o| o.total().set($total::stored(total)));
                        drop(Transaction::new().with(update).send(&db).await?);
                    }
                    Op::NameIfCount(count, name) => {
                        let update = key.update().apply(|o| o.name().set(name));
                        let update = update.when(|o| match count {
                            Some(count) => o.amount().eq(count),
                            None => o.amount().missing(),
                        });
                        drop(update.send(&db).await?);
                    }
                    Op::Load => {
                        let found = key.get().consistent().send(&db).await?;
                        let is_found = found.is_some();
                        let found = found.map(|order| Box::new(order) as _);
                        *slot.lock().expect("no panic") = found;
                        return Ok(Done::Loaded(is_found));
                    }
                    Op::PutLoaded(total, count) => {
                        let Some(mut order) = loaded(&slot) else {
                            return Ok(Done::Nothing);
                        };
                        order.total = $total::stored(total);
                        order.amount = count;
                        drop(order.put().send(&db).await?);
                    }
                    Op::UpdateLoaded(total, name) => {
                        let Some(order) = loaded(&slot) else {
                            return Ok(Done::Nothing);
                        };
                        let total = $total::stored(total);
                        let update = order.update();
                        let update = update.apply(|o| (o.total().set(total), o.name().set(name)));
                        drop(update.send(&db).await?);
                    }
                    Op::DeleteLoaded => {
                        let Some(order) = loaded(&slot) else {
                            return Ok(Done::Nothing);
                        };
                        order.delete().send(&db).await?;
                    }
                    Op::DeleteUnless(total) => {
                        let total = $total::stored(total);
                        let delete = key.delete().when(|o| o.total().ne(total));
                        delete.send(&db).await?;
                    }
                    Op::Modify(total, by) => {
                        let modify = key.modify(|order| {
                            order.total = $total::stored(total);
                            order.amount = Some(order.amount.unwrap_or(0) + by);
                        });
                        drop(modify.send(&db).await?);
                    }
                    Op::ModifyName(name) => {
                        let modify = key.modify(|order| order.name.clone_from(&name));
                        drop(modify.send(&db).await?);
                    }
                    Op::Delete => drop(key.delete().send(&db).await?),
                    Op::Fill(checkpoint) => {
                        let fill = Order::scan().page_size(2).refill().concurrency(1);
                        let fill = match checkpoint {
                            Some(path) => {
                                let file = dynamo_entity::bulk::FileCheckpoint::new(path);
                                fill.checkpoint("fill", file).save_every(Duration::ZERO)
                            }
                            None => fill,
                        };
                        return Ok(Done::Filled(Box::new(fill.send(&db).await?)));
                    }
                }
                Ok(Done::Wrote)
            })
        }

        fn read(db: Dynamo, id: u32) -> Running<Option<Row>> {
            Box::pin(async move {
                let found = Order::key(id).get().consistent().send(&db).await?;
                Ok(found.map(|order| row(order).1))
            })
        }

        fn scan(db: Dynamo) -> Running<Vec<(u32, Row)>> {
            Box::pin(async move {
                let found = Order::scan().consistent().all(&db).await?;
                Ok(found.into_iter().map(row).collect())
            })
        }

        fn unfilled(db: Dynamo) -> Running<u64> {
            Box::pin(async move { Order::scan().unfilled(&db).await })
        }

        fn is_whole(item: &$crate::support::db::Raw) -> Result<bool> {
            let item = dynamo_entity::Item::from(item.clone());
            let own = of(0, &Row::default()).to_item()?;
            // A row under another key has another type.
            if own.get("_type") != item.get("_type") {
                return Ok(true);
            }
            Ok(Order::from_item(item.clone())?.to_item()? == item)
        }

        Program {
            name: stringify!($module),
            run,
            read,
            scan,
            unfilled,
            named: $crate::evolution::program::named!($module, $named),
            is_whole,
            fills: $fills,
            rejects: $rejects,
        }
    }};
}

macro_rules! named {
    ($module:ident, none) => {
        None
    };
    ($module:ident, index) => {{
        fn named(db: Dynamo, name: String) -> Running<Vec<u32>> {
            Box::pin(async move {
                let found = $module::Order::by_name(&name).all(&db).await?;
                Ok(found.into_iter().map(|order| order.id).collect())
            })
        }
        Some(named)
    }};
    ($module:ident, unique) => {{
        fn named(db: Dynamo, name: String) -> Running<Vec<u32>> {
            Box::pin(async move {
                let found = $module::Order::by_name(&name).send(&db).await?;
                Ok(found.into_iter().map(|order| order.id).collect())
            })
        }
        Some(named)
    }};
}

pub(crate) use {named, program};
