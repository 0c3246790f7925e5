//! Items move to another primary key while programs of five declarations share the table: the old key, both rows of which the
//! old one is read, both rows of which the new one is read, the new row with the old one deleted, and the new key alone.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dynamo_entity::prelude::*;
use dynamo_entity::streams::{ChangeEvent, StreamEvent};
use dynamo_entity::{Timestamp, put_each};
use fastrand::Rng;

use crate::followed::event;
use crate::support::db::{Db, Raw};
use crate::support::suite::{Outcome, meanwhile};
use crate::tests;

tests![
    both_rows_are_written(old::Moving),
    the_other_row_is_hidden(old::Moving),
    neighbours_lose_no_write(old::Moving),
    a_skipped_step_loses_writes(old::Moving),
    writers_of_both_rows_race(old::Moving),
    a_write_between_two_requests_of_another_is_kept(old::Moving),
    a_write_between_two_requests_of_a_refill_is_kept(old::Moving),
    a_refill_between_two_requests_of_a_write_leaves_no_row(old::Moving),
    a_refill_between_two_requests_of_a_delete_with_drop_leaves_no_row(old::Moving),
    two_items_never_get_one_key(old::Moving),
    two_new_items_race_for_one_key(old::Moving),
    a_change_under_a_key_of_another_item_ends_at_once(old::Moving),
    a_condition_that_does_not_hold_comes_before_a_key_of_another_item(old::Moving),
    an_item_that_is_replaced_between_two_reads_is_not_found(old::Moving),
    a_refill_never_takes_the_row_of_another_item(old::Moving),
    a_refill_keeps_the_row_of_an_item_that_comes_back(old::Moving),
    a_delete_leaves_the_row_of_another_item(old::Moving),
    a_refill_reports_two_items_with_one_key(crowded::Moving),
    what_cannot_write_both_rows_is_rejected(old::Moving),
    the_other_declaration_writes_nothing(old::Moving),
    attributes_of_others_move_too(old::Moving),
    a_from_that_loses_a_value_is_rejected(old::Moving),
    a_refill_moves_what_old_programs_wrote(old::Moving),
    a_condition_that_does_not_hold_is_a_conflict(stocked::Stocked),
    a_step_back_is_filled_first(before::Moving),
    the_last_step_deletes_old_rows_that_have_a_new_one(old::Moving),
    expired_rows_are_not_filled(sessions::Moving),
    a_consumer_follows_one_of_two_rows(old::Moving),
    a_touch_writes_the_row_that_is_read(old::Moving),
    the_costs_are_explained,
    the_model_knows_the_step,
];

/// The content of an item, without the declaration of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    customer: String,
    cents: i64,
    note: Option<String>,
}

/// The way from each of two declarations to the other, which has the same fields.
macro_rules! same_item {
    ($one:ident, $other:ident { $($field:ident),+ }) => {
        impl From<&$one> for $other {
            fn from(one: &$one) -> Self {
                $other { $($field: one.$field.clone()),+ }
            }
        }

        impl From<&$other> for $one {
            fn from(other: &$other) -> Self {
                $one { $($field: other.$field.clone()),+ }
            }
        }
    };
}

/// One declaration of the old rows or of the new ones.
macro_rules! orders {
    ($module:ident, [$($entities:path),+], $($options:tt)*) => {
        #[allow(dead_code, reason = "not every program uses each")]
        pub mod $module {
            use dynamo_entity::prelude::*;

            #[derive(DynamoTable)]
            #[dynamo(name = "moving", pk = "pk", sk = "sk", entities($($entities),+))]
            pub struct Moving;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = Moving, $($options)*)]
            pub struct Order {
                pub id: u32,
                pub customer: String,
                pub cents: i64,
                pub note: Option<String>,
                #[dynamo(version)]
                pub version: Version,
            }

            /// The same items under the other key.
            #[allow(unused_imports, reason = "not every program has one")]
            pub mod other {
                use dynamo_entity::prelude::*;
                use super::Moving;

                other!($module);
            }
        }
    };
}

/// The other declaration of a program.
macro_rules! other {
    (before) => {
        rows!(
            "CustomerOrder",
            pk = "CUSTOMER#{customer}",
            sk = "ORDER#{id}"
        );
    };
    (after) => {
        rows!("Order", pk = "ORDER#{id}", sk = "ORDER");
    };
    (last) => {
        rows!("Order", pk = "ORDER#{id}", sk = "ORDER");
    };
    ($other:ident) => {};
}

macro_rules! rows {
    ($name:literal, $($key:tt)*) => {
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = Moving, rename = $name, key($($key)*))]
        pub struct Order {
            pub id: u32,
            pub customer: String,
            pub cents: i64,
            pub note: Option<String>,
            #[dynamo(version)]
            pub version: Version,
        }

        impl From<&super::Order> for Order {
            fn from(order: &super::Order) -> Self {
                let super::Order { id, cents, version, .. } = *order;
                let (customer, note) = (order.customer.clone(), order.note.clone());
                Order { id, customer, cents, note, version }
            }
        }

        impl From<&Order> for super::Order {
            fn from(order: &Order) -> Self {
                let Order { id, cents, version, .. } = *order;
                let (customer, note) = (order.customer.clone(), order.note.clone());
                super::Order { id, customer, cents, note, version }
            }
        }
    };
}

orders!(old, [Order], key(pk = "ORDER#{id}", sk = "ORDER"));
orders!(
    before,
    [Order, other::Order],
    key(pk = "ORDER#{id}", sk = "ORDER"),
    next_key(other::Order)
);
orders!(
    after,
    [Order, other::Order],
    rename = "CustomerOrder",
    key(pk = "CUSTOMER#{customer}", sk = "ORDER#{id}"),
    was_key(other::Order)
);
orders!(
    last,
    [Order, other::Order],
    rename = "CustomerOrder",
    key(pk = "CUSTOMER#{customer}", sk = "ORDER#{id}"),
    was_key(other::Order, drop)
);
orders!(
    new,
    [Order],
    rename = "CustomerOrder",
    key(pk = "CUSTOMER#{customer}", sk = "ORDER#{id}")
);

/// A write by one program.
#[derive(Debug, Clone)]
pub enum Write {
    Create(Content),
    Put(Content),
    AddCents(i64),
    SetNote(Option<String>),
    SetCustomer(String),
    ModifyCents(i64),
    Upsert(Content),
    Delete,
    DeleteLoaded,
}

/// The item of a write: its number, and its customer before the write.
type Which = (u32, String);

/// The writes of a program. A program of the new key takes no change of the customer.
macro_rules! writes {
    ($module:ident, |$id:ident, $customer:ident| $key:expr, $moves:tt) => {
        impl $module::Order {
            fn content(&self) -> ((u32, String), Content) {
                let content = Content {
                    customer: self.customer.clone(),
                    cents: self.cents,
                    note: self.note.clone(),
                };
                ((self.id, self.customer.clone()), content)
            }
        }

        impl $module::Moving {
            pub async fn write(db: &Dynamo, which: &Which, write: &Write) -> Result<()> {
                let ($id, $customer) = which.clone();
                let _ = &$customer;
                let key = || $key;
                let (id, version) = ($id, Version::default());
                let of = |content: &Content| $module::Order {
                    id,
                    customer: content.customer.clone(),
                    cents: content.cents,
                    note: content.note.clone(),
                    version,
                };
                match write {
                    Write::Create(content) => drop(of(content).create().send(db).await?),
                    Write::Put(content) => drop(of(content).put().unchecked().send(db).await?),
                    Write::AddCents(cents) => {
                        let update = key().update().apply(|o| o.cents().add(*cents));
                        update.send(db).await?;
                    }
                    Write::SetNote(note) => {
                        let update = key().update();
                        match note.clone() {
                            Some(note) => drop(update.apply(|o| o.note().set(note)).send(db).await?),
                            None => drop(update.apply(|o| o.note().remove()).send(db).await?),
                        }
                    }
                    Write::SetCustomer(to) => writes!(@moves $moves, key, db, to),
                    Write::ModifyCents(cents) => {
                        key().modify(|order| order.cents = order.cents * 2 + cents).send(db).await?;
                    }
                    Write::Upsert(content) => {
                        let upsert = key().upsert().apply(|o| o.cents().set(content.cents));
                        writes!(@customer $moves, upsert, content, db);
                    }
                    Write::Delete => drop(key().delete().send(db).await?),
                    Write::DeleteLoaded => {
                        if let Some(order) = key().get().send(db).await? {
                            order.delete().send(db).await?;
                        }
                    }
                }
                Ok(())
            }

            pub async fn read(db: &Dynamo, which: &Which) -> Result<Option<Content>> {
                let ($id, $customer) = which.clone();
                let _ = &$customer;
                let found = $key.get().consistent().send(db).await?;
                Ok(found.map(|order| order.content().1))
            }

            /// All items, in each way in which a program finds them.
            pub async fn all(db: &Dynamo) -> Result<BTreeMap<Which, Content>> {
                let scanned = $module::Order::scan().consistent().all(db).await?;
                let count = $module::Order::scan().consistent().count(db).await?;
                assert_eq!(count, scanned.len() as u64);
                let keys: Vec<_> = scanned.iter().map(|order| order.content().0).collect();
                let mut found = BTreeMap::new();
                for order in &scanned {
                    found.insert(order.content().0, order.content().1);
                }
                assert_eq!(found.len(), keys.len(), "an item is found twice");
                Ok(found)
            }
        }
    };
    (@moves true, $key:ident, $db:ident, $to:ident) => {{
        let to = $to.clone();
        drop($key().update().apply(|o| o.customer().set(to)).send($db).await?)
    }};
    (@moves false, $key:ident, $db:ident, $to:ident) => {{ let _ = $to; }};
    (@customer true, $upsert:ident, $content:ident, $db:ident) => {{
        let customer = $content.customer.clone();
        drop($upsert.apply(|o| o.customer().set(customer)).send($db).await?)
    }};
    (@customer false, $upsert:ident, $content:ident, $db:ident) => {{
        let _ = &$content;
        drop($upsert.send($db).await?)
    }};
}

writes!(old, |id, customer| old::Order::key(id), true);
writes!(before, |id, customer| before::Order::key(id), true);
writes!(after, |id, customer| after::Order::key(customer, id), false);
writes!(last, |id, customer| last::Order::key(customer, id), false);
writes!(new, |id, customer| new::Order::key(customer, id), false);

fn which(id: u32, customer: &str) -> Which {
    (id, customer.into())
}

fn content(customer: &str, cents: i64) -> Content {
    let (customer, note) = (customer.into(), None);
    Content {
        customer,
        cents,
        note,
    }
}

async fn both_rows_are_written(db: Db) -> Outcome {
    let one = which(1, "ann");
    before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    for seen in [
        old::Moving::read(&db, &one).await?,
        after::Moving::read(&db, &one).await?,
    ] {
        assert_eq!(seen, Some(content("ann", 5)));
    }
    before::Moving::write(&db, &one, &Write::AddCents(2)).await?;
    assert_eq!(
        after::Moving::read(&db, &one).await?,
        Some(content("ann", 7))
    );
    before::Moving::write(&db, &one, &Write::ModifyCents(1)).await?;
    assert_eq!(
        after::Moving::read(&db, &one).await?,
        Some(content("ann", 15))
    );

    // another customer is another new key
    before::Moving::write(&db, &one, &Write::SetCustomer("bob".into())).await?;
    assert_eq!(after::Moving::read(&db, &one).await?, None);
    let moved = which(1, "bob");
    assert_eq!(
        after::Moving::read(&db, &moved).await?,
        Some(content("bob", 15))
    );
    after::Moving::write(&db, &moved, &Write::AddCents(5)).await?;
    assert_eq!(
        before::Moving::read(&db, &one).await?,
        Some(content("bob", 20))
    );
    let versions = (
        before::Order::key(1)
            .get()
            .send(&db)
            .await?
            .map(|order| order.version),
        after::Order::key("bob", 1)
            .get()
            .send(&db)
            .await?
            .map(|order| order.version),
    );
    assert!(versions.0.is_some() && versions.0 == versions.1);
    after::Moving::write(&db, &moved, &Write::Delete).await?;
    assert_eq!(db.count::<old::Moving>().await, 0);
    Ok(())
}

async fn the_other_row_is_hidden(db: Db) -> Outcome {
    for id in 0..3 {
        let one = which(id, "ann");
        before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    }
    assert_eq!(db.count::<old::Moving>().await, 6);
    assert_eq!(old::Moving::all(&db).await?.len(), 3);
    assert_eq!(before::Moving::all(&db).await?.len(), 3);
    assert_eq!(after::Moving::all(&db).await?.len(), 3);
    assert_eq!(new::Moving::all(&db).await?.len(), 3);
    Ok(())
}

/// Both rows of an item are items of a table, and a stream has a record of each.
#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = before::Moving)]
enum Rows {
    Old(before::Order),
    New(before::other::Order),
}

/// The rows of the item under its two keys.
async fn both_rows(db: &Db, customer: &str) -> [Option<Raw>; 2] {
    let old = db.raw(&before::Order::key(1)).await;
    [old, db.raw(&after::Order::key(customer, 1)).await]
}

/// The records of the changes of these rows.
fn records(old: &[Option<Raw>], new: &[Option<Raw>]) -> Vec<StreamEvent> {
    let rows = old.iter().zip(new);
    let rows = rows.filter(|(old, new)| old != new);
    rows.map(|(old, new)| event("NEW_AND_OLD_IMAGES", old.as_ref(), new.as_ref()))
        .collect()
}

fn cents(change: Option<&i64>) -> i64 {
    *change.unwrap_or(&0)
}

/// The cents of the changes that a consumer sees, before and after.
macro_rules! seen {
    ($entity:ty, $events:expr) => {
        $events
            .iter()
            .flat_map(|event| <$entity>::changes_of(event))
            .map(|change| {
                let event = change.expect("an order").event;
                let [before, after] =
                    [event.before(), event.after()].map(|side| cents(side.map(|row| &row.cents)));
                (before, after)
            })
            .collect::<Vec<_>>()
    };
}

async fn a_consumer_follows_one_of_two_rows(db: Db) -> Outcome {
    let one = which(1, "ann");
    let none = [None, None];
    old::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    let first = both_rows(&db, "ann").await;
    assert_eq!(seen!(old::Order, records(&none, &first)), [(0, 5)]);
    // The fill creates the new row, which is another item for a consumer of both.
    let report = before::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let filled = both_rows(&db, "ann").await;
    let fill = records(&first, &filled);
    assert_eq!(fill.len(), 1);
    assert!(seen!(before::Order, fill).is_empty());
    assert_eq!(seen!(after::Order, fill), [(0, 5)]);

    before::Moving::write(&db, &one, &Write::AddCents(2)).await?;
    let added = both_rows(&db, "ann").await;
    let add = records(&filled, &added);
    assert_eq!(add.len(), 2, "one record for each row");
    assert_eq!(seen!(old::Order, add), [(5, 7)]);
    assert_eq!(seen!(before::Order, add), [(5, 7)]);
    assert_eq!(seen!(after::Order, add), [(5, 7)]);
    assert_eq!(seen!(new::Order, add), [(5, 7)]);
    let kinds: Vec<_> = add
        .iter()
        .flat_map(Rows::changes_of)
        .map(|change| match change.expect("a row").event {
            ChangeEvent::Changed {
                old: Rows::Old(_),
                new: Rows::Old(_),
            } => "old",
            ChangeEvent::Changed {
                old: Rows::New(_),
                new: Rows::New(_),
            } => "new",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["old", "new"]);

    // The last step writes the new row alone, and its fill deletes the old one. The item remains.
    last::Moving::write(&db, &one, &Write::AddCents(1)).await?;
    let last_row = both_rows(&db, "ann").await;
    let add = records(&added, &last_row);
    assert_eq!(add.len(), 1);
    assert_eq!(seen!(last::Order, add), [(7, 8)]);
    assert!(seen!(old::Order, add).is_empty());
    let report = last::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 1);
    let dropped = both_rows(&db, "ann").await;
    assert_eq!(dropped[0], None);
    let drop = records(&last_row, &dropped);
    assert_eq!(seen!(old::Order, drop), [(7, 0)]);
    assert!(seen!(last::Order, drop).is_empty());
    assert!(seen!(new::Order, drop).is_empty());
    Ok(())
}

async fn a_touch_writes_the_row_that_is_read(db: Db) -> Outcome {
    let one = which(1, "ann");
    before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    let written = both_rows(&db, "ann").await;
    let report = before::Order::scan()
        .touch_each()
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(report.written, 1);
    let touched = both_rows(&db, "ann").await;
    assert_eq!(written[1], touched[1]);
    let touch = records(&written, &touched);
    assert_eq!(seen!(before::Order, touch), [(5, 5)]);
    // The next write of the item is that of any other.
    before::Moving::write(&db, &one, &Write::AddCents(2)).await?;
    assert_eq!(
        after::Moving::read(&db, &one).await?,
        Some(content("ann", 7))
    );
    let report = after::Order::scan()
        .touch_each()
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(report.written, 1);
    after::Moving::write(&db, &one, &Write::AddCents(1)).await?;
    assert_eq!(old::Moving::read(&db, &one).await?, Some(content("ann", 8)));
    Ok(())
}

/// A program, as the functions of its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Old,
    Before,
    After,
    Last,
    New,
}

impl Program {
    async fn write(self, db: &Dynamo, which: &Which, write: &Write) -> Result<()> {
        match self {
            Program::Old => old::Moving::write(db, which, write).await,
            Program::Before => before::Moving::write(db, which, write).await,
            Program::After => after::Moving::write(db, which, write).await,
            Program::Last => last::Moving::write(db, which, write).await,
            Program::New => new::Moving::write(db, which, write).await,
        }
    }

    async fn all(self, db: &Dynamo) -> Result<BTreeMap<Which, Content>> {
        match self {
            Program::Old => old::Moving::all(db).await,
            Program::Before => before::Moving::all(db).await,
            Program::After => after::Moving::all(db).await,
            Program::Last => last::Moving::all(db).await,
            Program::New => new::Moving::all(db).await,
        }
    }

    async fn read(self, db: &Dynamo, which: &Which) -> Result<Option<Content>> {
        match self {
            Program::Old => old::Moving::read(db, which).await,
            Program::Before => before::Moving::read(db, which).await,
            Program::After => after::Moving::read(db, which).await,
            Program::Last => last::Moving::read(db, which).await,
            Program::New => new::Moving::read(db, which).await,
        }
    }

    fn reads_old(self) -> bool {
        matches!(self, Program::Old | Program::Before)
    }
}

/// The items as one program after the other should leave them.
#[derive(Debug, Clone, Default)]
struct Truth {
    items: BTreeMap<Which, Content>,
    /// The customer in each old row, by its number.
    old: BTreeMap<u32, String>,
}

impl Truth {
    /// The item that a program finds under the key of a write.
    fn found(&self, program: Program, which: &Which) -> Option<Which> {
        let mut items = self.items.keys();
        match program.reads_old() {
            true => items.find(|item| item.0 == which.0).cloned(),
            false => self.items.contains_key(which).then(|| which.clone()),
        }
    }

    /// Makes a write, and returns whether it should take effect.
    fn write(&mut self, program: Program, which: &Which, write: &Write) -> bool {
        // There is no such change of a key.
        if matches!(write, Write::SetCustomer(_)) && !program.reads_old() {
            return true;
        }
        let found = self.found(program, which);
        let held = found
            .as_ref()
            .and_then(|found| self.items.get(found))
            .cloned();
        // The old rows of two items with one number would be one row.
        let holder = self.old.get(&which.0);
        let is_taken = program == Program::After && holder.is_some_and(|of| *of != which.1);
        let next = match (write, held) {
            (Write::Create(_), Some(_)) => return false,
            (Write::Create(content) | Write::Put(content), _) => Some(content.clone()),
            (Write::Upsert(content), held) => Some(Content {
                note: held.and_then(|held| held.note),
                ..content.clone()
            }),
            (Write::Delete | Write::DeleteLoaded, _) => None,
            (_, None) => return false,
            (Write::AddCents(cents), Some(held)) => Some(Content {
                cents: held.cents + cents,
                ..held
            }),
            (Write::SetNote(note), Some(held)) => Some(Content {
                note: note.clone(),
                ..held
            }),
            (Write::SetCustomer(to), Some(held)) => Some(Content {
                customer: to.clone(),
                ..held
            }),
            (Write::ModifyCents(cents), Some(held)) => Some(Content {
                cents: held.cents * 2 + cents,
                ..held
            }),
        };
        if is_taken && next.is_some() {
            return false;
        }
        if let Some((id, customer)) = found {
            if program != Program::New && self.old.get(&id) == Some(&customer) && next.is_none() {
                self.old.remove(&id);
            }
            self.items.remove(&(id, customer));
        }
        if let Some(content) = next {
            if !matches!(program, Program::Last | Program::New) {
                self.old.insert(which.0, content.customer.clone());
            }
            self.items
                .insert((which.0, content.customer.clone()), content);
        }
        true
    }
}

fn any_write(random: &mut Rng, which: &Which, program: Program) -> Write {
    let customer = match program.reads_old() {
        true => random.choice(["ann", "bob"]).unwrap_or("ann"),
        false => &which.1,
    };
    let note = random.bool().then(|| random.alphabetic().to_string());
    let any = Content {
        note,
        ..content(customer, random.i64(-50..50))
    };
    match random.u8(0..9) {
        0 => Write::Create(any),
        1 => Write::Put(any),
        2 => Write::AddCents(any.cents),
        3 => Write::SetNote(any.note),
        4 => Write::SetCustomer(any.customer),
        5 => Write::ModifyCents(1),
        6 => Write::Upsert(any),
        7 => Write::Delete,
        _ => Write::DeleteLoaded,
    }
}

fn any_item(random: &mut Rng) -> Which {
    which(
        random.u32(0..3),
        random.choice(["ann", "bob"]).unwrap_or("ann"),
    )
}

/// The programs of each step, and whether the rows of both keys are filled before it.
const STEPS: [&[Program]; 7] = [
    &[Program::Old, Program::Before],
    &[Program::Before],
    &[Program::Before, Program::After],
    &[Program::After],
    &[Program::After, Program::Last],
    &[Program::Last],
    &[Program::Last, Program::New],
];

async fn neighbours_lose_no_write(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    for history in 0..histories() {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let mut truth = Truth::default();
        let mut told = Vec::new();
        for programs in STEPS {
            for _ in 0..random.usize(0..6) {
                let program = random
                    .choice(programs.iter().copied())
                    .unwrap_or(programs[0]);
                let which = any_item(&mut random);
                let write = any_write(&mut random, &which, program);
                told.push(format!("{program:?} {which:?} {write:?}"));
                let should = truth.write(program, &which, &write);
                let done = program.write(&db, &which, &write).await;
                assert_eq!(
                    done.is_ok(),
                    should,
                    "seed {seed}, history {history}: {done:?} of {told:#?}"
                );
                let item = any_item(&mut random);
                for reader in programs {
                    let found = reader.read(&db, &item).await?;
                    let known = truth
                        .found(*reader, &item)
                        .and_then(|item| truth.items.get(&item));
                    assert_eq!(
                        found.as_ref(),
                        known,
                        "seed {seed}, history {history}: {told:#?}"
                    );
                    let found = reader.all(&db).await?;
                    assert_eq!(
                        found, truth.items,
                        "seed {seed}, history {history}: {reader:?} after {told:#?}"
                    );
                }
            }
            fill(&db, programs).await?;
            if let [Program::Last] = programs {
                truth.old.clear();
            }
            told.push(format!("filled by {programs:?}"));
        }
    }
    Ok(())
}

fn histories() -> usize {
    let given = std::env::var("MOVED_HISTORIES").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(12)
}

/// Fills the rows after the last program of the step before has ended.
async fn fill(db: &Db, programs: &[Program]) -> Outcome {
    let report = match programs {
        [Program::Before] => before::Order::scan().refill().send(db).await?,
        [Program::Last] => last::Order::scan().refill().send(db).await?,
        _ => return Ok(()),
    };
    report.complete()?;
    let left = match programs {
        [Program::Before] => before::Order::scan().unfilled(db).await?,
        _ => last::Order::scan().unfilled(db).await?,
    };
    assert_eq!(left, 0);
    Ok(())
}

/// The histories for which the lock file rejects a skipped step.
async fn a_skipped_step_loses_writes(db: Db) -> Outcome {
    let one = which(1, "ann");
    let add = Write::AddCents(1);
    for (program, rival) in [
        (Program::Old, Program::After),
        (Program::Old, Program::Last),
        (Program::Before, Program::Last),
        (Program::Before, Program::New),
    ] {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
        for writer in [rival, program] {
            writer.write(&db, &one, &add).await?;
        }
        let found = [program.read(&db, &one).await?, rival.read(&db, &one).await?];
        let cents = found.map(|found| found.map(|found| found.cents));
        assert_ne!(cents, [Some(7), Some(7)], "{program:?} beside {rival:?}");
    }
    Ok(())
}

async fn writers_of_both_rows_race(db: Db) -> Outcome {
    let one = which(1, "ann");
    before::Moving::write(&db, &one, &Write::Create(content("ann", 0))).await?;
    let (db, one) = (&db, &one);
    let adds = (0..12).map(|number| async move {
        let program = if number % 2 == 0 {
            Program::Before
        } else {
            Program::After
        };
        program.write(db, one, &Write::AddCents(1)).await
    });
    futures_util::future::try_join_all(adds).await?;
    for program in [Program::Before, Program::After] {
        let found = program.all(db).await?;
        assert_eq!(
            found.values().map(|found| found.cents).collect::<Vec<_>>(),
            [12]
        );
    }
    Ok(())
}

/// A connection that sends a write of another program after so many of its own requests, and the result of that write.
fn interrupted(
    db: &Db,
    after: usize,
    (program, which, write): (Program, Which, Write),
) -> (Dynamo, Arc<Mutex<Option<bool>>>) {
    let (sent, done) = (AtomicUsize::new(0), Arc::new(Mutex::new(None)));
    let other = db.of_another_process();
    let result = done.clone();
    let watched = Dynamo::clone(db).with_observer(move |_| {
        if sent.fetch_add(1, Ordering::SeqCst) + 1 != after {
            return;
        }
        let is_ok = meanwhile(program.write(&other, &which, &write)).is_ok();
        *result.lock().unwrap() = Some(is_ok);
    });
    (watched, done)
}

/// The programs of which one writes between two requests of the other one, and those that see all items afterwards.
const RIVALS: [(Program, Program, &[Program]); 8] = [
    (
        Program::Before,
        Program::Old,
        &[Program::Old, Program::Before],
    ),
    (
        Program::Before,
        Program::Before,
        &[Program::Old, Program::New],
    ),
    (
        Program::Before,
        Program::After,
        &[Program::Old, Program::New],
    ),
    (
        Program::After,
        Program::Before,
        &[Program::Old, Program::New],
    ),
    (
        Program::After,
        Program::After,
        &[Program::Old, Program::New],
    ),
    (Program::After, Program::Last, &[Program::New]),
    (Program::Last, Program::After, &[Program::New]),
    (Program::Last, Program::New, &[Program::New]),
];

async fn a_write_between_two_requests_of_another_is_kept(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    for history in 0..8 * histories() {
        let (program, rival, readers) = RIVALS[history % RIVALS.len()];
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let mut truth = Truth::default();
        let one = which(1, random.choice(["ann", "bob"]).unwrap_or("ann"));
        if random.u8(0..4) > 0 {
            let first = Write::Create(content(&one.1, 5));
            let by = match program {
                Program::Last => Program::After,
                program => program,
            };
            assert!(truth.write(by, &one, &first));
            by.write(&db, &one, &first).await?;
        }
        let mut any = |program| {
            let one = which(1, random.choice(["ann", "ann", "bob"]).unwrap_or("ann"));
            let write = any_write(&mut random, &one, program);
            (program, one, write)
        };
        let (mine, others) = (any(program), any(rival));
        // It reads the item as a step of its own, so a write after that makes it fail.
        if matches!(mine.2, Write::DeleteLoaded) {
            continue;
        }
        let after = random.usize(1..5);
        let (watched, done) = interrupted(&db, after, others.clone());
        let result = program.write(&watched, &mine.1, &mine.2).await;
        // An item may be deleted before it is read back.
        let is_ok = result.as_ref().err().is_none_or(Error::took_effect);
        let between = *done.lock().unwrap();
        let is_other_ok = match between {
            Some(is_ok) => is_ok,
            None => others.0.write(&db, &others.1, &others.2).await.is_ok(),
        };
        let told = format!(
            "seed {seed}, history {history}: {others:?} after {after} requests of {mine:?}, {result:?} and {is_other_ok}"
        );
        let orders = [[&mine, &others], [&others, &mine]].map(|order| {
            let mut after = truth.clone();
            let took = order.map(|(program, which, write)| after.write(*program, which, write));
            (after.items, took)
        });
        let orders = [
            (&orders[0].0, [orders[0].1[0], orders[0].1[1]]),
            (&orders[1].0, [orders[1].1[1], orders[1].1[0]]),
        ];
        for reader in readers {
            let found = (&reader.all(&db).await?, [is_ok, is_other_ok]);
            assert!(
                orders.contains(&found),
                "{reader:?} finds {found:#?}: {told}"
            );
        }
        if rival == Program::Old {
            fill(&db, &[Program::Before]).await?;
            assert_eq!(
                new::Moving::all(&db).await?,
                old::Moving::all(&db).await?,
                "{told}"
            );
        }
    }
    Ok(())
}

async fn a_write_between_two_requests_of_a_refill_is_kept(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    for history in 0..4 * histories() {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let is_first = history % 2 == 0;
        let (writers, job): (&[Program], Program) = match is_first {
            true => (&[Program::Old, Program::Before], Program::Before),
            false => (&[Program::After, Program::Last], Program::Last),
        };
        let (mut truth, mut told) = (Truth::default(), Vec::new());
        let mut any = |programs: &[Program]| {
            let program = random.choice(programs.iter().copied());
            let program = program.unwrap_or(programs[0]);
            let one = any_item(&mut random);
            let write = any_write(&mut random, &one, program);
            (program, one, write)
        };
        for _ in 0..5 {
            let (program, which, write) = any(writers);
            truth.write(program, &which, &write);
            drop(program.write(&db, &which, &write).await);
            told.push(format!("{program:?} {which:?} {write:?}"));
        }
        let others = any(&writers[usize::from(!is_first)..]);
        let after = fastrand::usize(1..8);
        told.push(format!("{others:?} after {after} requests of {job:?}"));
        let (watched, done) = interrupted(&db, after, others.clone());
        let report = match is_first {
            true => before::Order::scan().refill().send(&watched).await?,
            false => last::Order::scan().refill().send(&watched).await?,
        };
        report.complete()?;
        if done.lock().unwrap().is_none() {
            drop(others.0.write(&db, &others.1, &others.2).await);
        }
        let (program, which, write) = &others;
        truth.write(*program, which, write);
        let found = job.all(&db).await?;
        assert_eq!(
            found, truth.items,
            "seed {seed}, history {history}: {told:#?}"
        );
        fill(&db, &[job]).await?;
        let (old, new) = (old::Moving::all(&db).await?, new::Moving::all(&db).await?);
        assert_eq!(
            new, truth.items,
            "seed {seed}, history {history}: {told:#?}"
        );
        if is_first {
            assert_eq!(
                old, truth.items,
                "seed {seed}, history {history}: {told:#?}"
            );
        } else {
            assert!(old.is_empty(), "seed {seed}, history {history}: {told:#?}");
        }
    }
    Ok(())
}

/// A refill writes the other row of an item and leaves the row that the program reads as it is.
async fn a_refill_between_two_requests_of_a_write_leaves_no_row(db: Db) -> Outcome {
    for (first, program, write) in [
        (Program::Old, Program::Before, Write::Delete),
        (
            Program::Old,
            Program::Before,
            Write::SetCustomer("bob".into()),
        ),
        (Program::Last, Program::After, Write::Delete),
    ] {
        refill_between(&db, first, (program, write), program).await?;
    }
    Ok(())
}

/// A program with `drop` deletes both rows, beside a program of the step before that refills the old ones.
async fn a_refill_between_two_requests_of_a_delete_with_drop_leaves_no_row(db: Db) -> Outcome {
    for write in [Write::Delete, Write::DeleteLoaded] {
        refill_between(&db, Program::Last, (Program::Last, write), Program::After).await?;
    }
    Ok(())
}

/// The first program creates an item, and the job runs after each of the first requests of the write.
async fn refill_between(
    db: &Db,
    first: Program,
    (program, write): (Program, Write),
    job: Program,
) -> Outcome {
    let one = which(1, "ann");
    for after in 1..5 {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let create = Write::Create(content("ann", 5));
        first.write(db, &one, &create).await?;
        let other = db.of_another_process();
        let sent = AtomicUsize::new(0);
        let watched = Dynamo::clone(db).with_observer(move |_| {
            if sent.fetch_add(1, Ordering::SeqCst) + 1 == after {
                meanwhile(refill(&other, job)).unwrap();
            }
        });
        program.write(&watched, &one, &write).await?;
        let told = format!("{program:?}: a refill by {job:?} after {after} requests of {write:?}");
        let left = match job {
            Program::Before => before::Order::scan().unfilled(db).await,
            _ => after::Order::scan().unfilled(db).await,
        };
        assert_eq!(left.map_err(|error| error.to_string()), Ok(0), "{told}");
        let (old, new) = (Program::Old.all(db).await?, Program::New.all(db).await?);
        assert_eq!(old, new, "{told}");
    }
    Ok(())
}

async fn refill(db: &Dynamo, program: Program) -> Result<()> {
    let report = match program {
        Program::Before => before::Order::scan().refill().send(db).await?,
        _ => after::Order::scan().refill().send(db).await?,
    };
    report.complete().map(drop)
}

async fn two_items_never_get_one_key(db: Db) -> Outcome {
    after::Moving::write(&db, &which(1, "ann"), &Write::Create(content("ann", 5))).await?;
    let second = content("bob", 6);
    let error = after::Moving::write(&db, &which(1, "bob"), &Write::Create(second)).await;
    let error = error.expect_err("the old key is taken");
    assert!(error.is_conflict(), "{error}");
    assert!(
        error.to_string().contains("already has the key of `Order`"),
        "{error}"
    );
    let found = before::Moving::all(&db).await?;
    assert_eq!(found.into_values().collect::<Vec<_>>(), [content("ann", 5)]);
    assert_eq!(after::Moving::all(&db).await?.len(), 1);
    Ok(())
}

async fn two_new_items_race_for_one_key(db: Db) -> Outcome {
    for after in 1..4 {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let (ann, bob) = (which(1, "ann"), which(1, "bob"));
        let other = (Program::After, bob, Write::Create(content("bob", 6)));
        let (watched, done) = interrupted(&db, after, other);
        let create = Write::Create(content("ann", 5));
        let is_ok = after::Moving::write(&watched, &ann, &create).await.is_ok();
        let done = done.lock().unwrap().take();
        assert_eq!(
            done.map(|is_other_ok| is_ok != is_other_ok),
            Some(true),
            "{after}"
        );
        let found = after::Moving::all(&db).await?;
        assert_eq!(
            (found.len(), found),
            (1, old::Moving::all(&db).await?),
            "{after}"
        );
    }
    Ok(())
}

async fn a_change_under_a_key_of_another_item_ends_at_once(db: Db) -> Outcome {
    let bob = which(1, "bob");
    after::Moving::write(&db, &which(1, "ann"), &Write::Create(content("ann", 5))).await?;
    last::Moving::write(&db, &bob, &Write::Create(content("bob", 6))).await?;
    for write in [Write::ModifyCents(1), Write::AddCents(1)] {
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = requests.clone();
        let watched = Dynamo::clone(&db).with_observer(move |_| {
            seen.fetch_add(1, Ordering::SeqCst);
        });
        let error = after::Moving::write(&watched, &bob, &write).await;
        let error = error.expect_err("another item has the old key").to_string();
        assert!(error.contains("already has the key of `Order`"), "{error}");
        // The second reading of both rows shows that it is no race.
        let requests = requests.load(Ordering::SeqCst);
        assert!(requests <= 5, "{requests} requests of {write:?}");
    }
    let found = new::Moving::all(&db).await?;
    assert_eq!(found[&bob], content("bob", 6));
    Ok(())
}

/// The error names the condition and brings the stored item, as it does for an item whose other key is free.
async fn a_condition_that_does_not_hold_comes_before_a_key_of_another_item(db: Db) -> Outcome {
    after::Moving::write(&db, &which(1, "ann"), &Write::Create(content("ann", 5))).await?;
    last::Moving::write(&db, &which(1, "bob"), &Write::Create(content("bob", 6))).await?;
    let bob = || after::Order::key("bob", 1);
    let stored = bob().get().consistent().send(&db).await?;
    let stored = stored.ok_or("an item")?;

    let update = bob().update().apply(|o| o.cents().add(1));
    let update = update.when(|o| o.cents().eq(100)).send(&db).await;
    let error = update.err().ok_or("the condition does not hold")?;
    assert!(error.is_conflict(), "{error}");
    assert_eq!(error.current::<after::Order>()?.as_ref(), Some(&stored));

    let create = stored.create().send(&db).await;
    let error = create.err().ok_or("the item exists")?;
    assert!(error.is_already_exists(), "{error}");
    assert_eq!(error.current::<after::Order>()?.as_ref(), Some(&stored));

    // with a condition that holds, the other item is the reason
    let update = bob().update().apply(|o| o.cents().add(1));
    let update = update.when(|o| o.cents().eq(6)).send(&db).await;
    let error = update.err().ok_or("another item has the old key")?;
    assert!(
        error.to_string().contains("already has the key of `Order`"),
        "{error}"
    );
    assert_eq!(bob().get().consistent().send(&db).await?, Some(stored));
    Ok(())
}

async fn an_item_that_is_replaced_between_two_reads_is_not_found(db: Db) -> Outcome {
    let (ann, bob) = (which(1, "ann"), which(1, "bob"));
    for (after, write) in [(2, Write::ModifyCents(1)), (1, Write::AddCents(1))] {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        after::Moving::write(&db, &bob, &Write::Create(content("bob", 6))).await?;
        let other = db.of_another_process();
        let (sent, ann) = (AtomicUsize::new(0), ann.clone());
        let replaced = bob.clone();
        let watched = Dynamo::clone(&db).with_observer(move |_| {
            if sent.fetch_add(1, Ordering::SeqCst) + 1 == after {
                let create = Write::Create(content("ann", 5));
                meanwhile(after::Moving::write(&other, &replaced, &Write::Delete)).unwrap();
                meanwhile(after::Moving::write(&other, &ann, &create)).unwrap();
            }
        });
        let error = after::Moving::write(&watched, &bob, &write).await;
        let error = error.expect_err("the item is gone");
        assert!(error.is_not_found(), "{write:?}: {error}");
    }
    Ok(())
}

async fn a_refill_never_takes_the_row_of_another_item(db: Db) -> Outcome {
    for after in 1..6 {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        let (ann, bob) = (which(1, "ann"), which(1, "bob"));
        new::Moving::write(&db, &ann, &Write::Create(content("ann", 5))).await?;
        let other = (
            Program::After,
            bob.clone(),
            Write::Create(content("bob", 6)),
        );
        let (watched, done) = interrupted(&db, after, other);
        drop(after::Order::scan().refill().send(&watched).await?);
        let done = done.lock().unwrap().take();
        let owner = match done {
            Some(true) => bob,
            Some(false) | None => ann,
        };
        let found = old::Moving::all(&db).await?;
        assert_eq!(
            found.into_keys().collect::<Vec<_>>(),
            [owner],
            "{after}, {done:?}"
        );
    }
    Ok(())
}

/// The row of the new item is the same as that of the deleted one, so only the item itself shows that it is not left over.
async fn a_refill_keeps_the_row_of_an_item_that_comes_back(db: Db) -> Outcome {
    let ann = which(1, "ann");
    let create = Write::Create(content("ann", 5));
    for after in 1..6 {
        db.truncate([old::Moving::schema()]).even_on_aws().await?;
        before::Moving::write(&db, &ann, &create).await?;
        old::Moving::write(&db, &ann, &Write::Delete).await?;
        let other = (Program::Before, ann.clone(), create.clone());
        let (watched, done) = interrupted(&db, after, other);
        refill(&watched, Program::Before).await?;
        let is_back = done.lock().unwrap().take();
        let expected = match is_back {
            Some(true) => vec![content("ann", 5)],
            _ => vec![],
        };
        let found = new::Moving::all(&db).await?.into_values();
        assert_eq!(found.collect::<Vec<_>>(), expected, "{after}: {is_back:?}");
        assert_eq!(old::Moving::all(&db).await?.len(), expected.len());
    }
    Ok(())
}

async fn a_delete_leaves_the_row_of_another_item(db: Db) -> Outcome {
    after::Moving::write(&db, &which(1, "ann"), &Write::Create(content("ann", 5))).await?;
    let bob = which(1, "bob");
    for program in [Program::After, Program::Last] {
        last::Moving::write(&db, &bob, &Write::Create(content("bob", 6))).await?;
        program.write(&db, &bob, &Write::Delete).await?;
        let found = old::Moving::all(&db).await?;
        assert_eq!(found.into_values().collect::<Vec<_>>(), [content("ann", 5)]);
    }
    Ok(())
}

/// A next key that two items may have.
mod crowded {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "crowded", pk = "pk", sk = "sk", entities(Order, Next))]
    pub struct Moving;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "ORDER#{id}", sk = "ORDER"), next_key(Next))]
    pub struct Order {
        pub id: u32,
        pub customer: String,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "CUSTOMER#{customer}", sk = "ORDER"))]
    pub struct Next {
        pub id: u32,
        pub customer: String,
    }

    same_item!(Order, Next { id, customer });
}

async fn a_refill_reports_two_items_with_one_key(db: Db) -> Outcome {
    let order = |id, customer: &str| crowded::Order {
        id,
        customer: customer.into(),
    };
    order(1, "ann").create().send(&db).await?;
    order(2, "bob").create().send(&db).await?;
    let second = order(3, "ann").create().send(&db).await;
    let error = second.expect_err("the next key is taken");
    assert!(error.to_string().contains("already has the key"), "{error}");
    // an old program gives the second item the next key of the first one
    let mut row = db.stored(&crowded::Order::key(2)).await;
    row.insert("customer".into(), crate::support::db::s("ann"));
    db.plant::<crowded::Order>(row).await;
    let report = crowded::Order::scan().refill().send(&db).await?;
    assert_eq!(report.failed, 1);
    let error = report.complete().err().ok_or("a row fails")?;
    assert!(
        format!("{error} {error:?}").contains("already has the key"),
        "{error:?}"
    );
    let next = crowded::Next::key("ann").get().send(&db).await?;
    assert_eq!(next.map(|next| next.id), Some(1));
    assert_eq!(crowded::Order::scan().count(&db).await?, 2);
    Ok(())
}

async fn what_cannot_write_both_rows_is_rejected(db: Db) -> Outcome {
    before::Moving::write(&db, &which(1, "ann"), &Write::Create(content("ann", 5))).await?;
    let order = before::Order::key(1)
        .get()
        .send(&db)
        .await?
        .ok_or("an order")?;
    let put = order.put().unchecked();
    let mut errors = vec![
        Transaction::new().with(order.put()).send(&db).await.err(),
        Transaction::new()
            .with(order.update().apply(|o| o.cents().add(1)))
            .send(&db)
            .await
            .err(),
        Transaction::new()
            .with(order.delete())
            .send(&db)
            .await
            .err(),
        put.idempotent().send(&db).await.err(),
        order
            .update()
            .apply(|o| o.cents().add(1))
            .returning_old()
            .send(&db)
            .await
            .err(),
    ];
    let update =
        before::Order::scan().update_each(|order| order.update().apply(|o| o.cents().add(1)));
    let puts = before::Order::scan().all(&db).await?;
    let puts: Vec<_> = puts.iter().map(|order| order.put().unchecked()).collect();
    errors.push(update.send(&db).await?.complete().err());
    errors.push(
        before::Order::scan()
            .delete_each()
            .send(&db)
            .await?
            .complete()
            .err(),
    );
    errors.push(put_each(puts).send(&db).await?.complete().err());
    for (number, error) in errors.into_iter().enumerate() {
        let error = error.ok_or_else(|| format!("write {number} is accepted"))?;
        let message = format!("{error} {error:?}");
        assert!(message.contains("two keys"), "{number}: {message}");
    }
    for program in [Program::Before, Program::After] {
        assert_eq!(
            program.all(&db).await?.into_values().collect::<Vec<_>>(),
            [content("ann", 5)]
        );
    }
    Ok(())
}

async fn the_other_declaration_writes_nothing(db: Db) -> Outcome {
    let one = which(1, "ann");
    before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    let other = || before::other::Order::key("ann", 1);
    let order = other().get().send(&db).await?.ok_or("the other row")?;
    let new = before::other::Order {
        id: 2,
        ..order.clone()
    };
    let modified = other()
        .modify(|order| order.cents = 9)
        .send(&db)
        .await
        .err();
    let puts = put_each([new.put().unchecked()]).send(&db).await?;
    let batch = Batch::new().with(order.put().unchecked());
    let errors = [
        new.create().send(&db).await.err(),
        order.put().send(&db).await.err(),
        new.put().unchecked().send(&db).await.err(),
        order
            .update()
            .apply(|o| o.cents().add(1))
            .send(&db)
            .await
            .err(),
        other()
            .upsert()
            .apply(|o| o.cents().set(9))
            .send(&db)
            .await
            .err(),
        modified,
        Transaction::new().with(new.create()).send(&db).await.err(),
        new.create().idempotent().send(&db).await.err(),
        puts.complete().err(),
        batch.send(&db).await?.complete().err(),
        before::other::Order::scan()
            .update_each(|order| order.update().apply(|o| o.cents().add(1)))
            .send(&db)
            .await?
            .complete()
            .err(),
    ];
    for (number, error) in errors.into_iter().enumerate() {
        let error = error.ok_or_else(|| format!("write {number} is accepted"))?;
        let message = format!("{error} {error:?}");
        assert!(message.contains("write `Order`"), "{number}: {message}");
    }
    for program in [Program::Before, Program::After] {
        let found = program.all(&db).await?;
        assert_eq!(found.into_values().collect::<Vec<_>>(), [content("ann", 5)]);
    }
    // a row that is deleted by its own declaration comes back
    other().delete().send(&db).await?;
    before::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(after::Moving::all(&db).await?.len(), 1);
    Ok(())
}

async fn attributes_of_others_move_too(db: Db) -> Outcome {
    let one = which(1, "ann");
    before::Moving::write(&db, &one, &Write::Create(content("ann", 5))).await?;
    let mut item = db.stored(&before::Order::key(1)).await;
    item.insert("colour".into(), crate::support::db::s("red"));
    db.plant::<before::Order>(item).await;
    before::Moving::write(&db, &one, &Write::AddCents(1)).await?;
    let moved = db.stored(&after::Order::key("ann", 1)).await;
    assert_eq!(moved.get("colour"), Some(&crate::support::db::s("red")));
    Ok(())
}

/// A declaration whose `From` forgets the note.
mod forgets {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "moving", pk = "pk", sk = "sk", entities(Order, Next))]
    pub struct Moving;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "ORDER#{id}", sk = "ORDER"), next_key(Next))]
    pub struct Order {
        pub id: u32,
        pub note: Option<String>,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "NEXT#{id}", sk = "ORDER"))]
    pub struct Next {
        pub id: u32,
        pub note: Option<String>,
    }

    impl From<&Order> for Next {
        fn from(order: &Order) -> Self {
            Next {
                id: order.id,
                note: None,
            }
        }
    }

    impl From<&Next> for Order {
        fn from(next: &Next) -> Self {
            Order {
                id: next.id,
                note: next.note.clone(),
            }
        }
    }
}

async fn a_from_that_loses_a_value_is_rejected(db: Db) -> Outcome {
    forgets::Order { id: 1, note: None }
        .create()
        .send(&db)
        .await?;
    let note = Some("x".to_owned());
    let error = forgets::Order { id: 2, note }.create().send(&db).await;
    let error = error.expect_err("the note would be lost");
    assert!(error.to_string().contains("lose a value"), "{error}");
    assert_eq!(db.count::<forgets::Moving>().await, 2);
    Ok(())
}

async fn a_refill_moves_what_old_programs_wrote(db: Db) -> Outcome {
    for id in 0..5 {
        old::Moving::write(&db, &which(id, "ann"), &Write::Create(content("ann", 5))).await?;
    }
    for id in 5..8 {
        before::Moving::write(&db, &which(id, "bob"), &Write::Create(content("bob", 5))).await?;
    }
    // An old program changes the old rows alone: the content, the part of the new key, and the item.
    old::Moving::write(&db, &which(5, "bob"), &Write::AddCents(1)).await?;
    old::Moving::write(&db, &which(6, "bob"), &Write::SetCustomer("ann".into())).await?;
    old::Moving::write(&db, &which(7, "bob"), &Write::Delete).await?;

    // five rows are missing, one is outdated, one is elsewhere, and two have no item
    assert_eq!(before::Order::scan().unfilled(&db).await?, 9);
    let versions = before::Order::scan().all(&db).await?;
    let report = before::Order::scan()
        .segments(3)
        .refill()
        .send(&db)
        .await?
        .complete()?;
    assert_eq!(report.written, 9);
    assert_eq!(before::Order::scan().unfilled(&db).await?, 0);
    let report = before::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!((report.written, report.unchanged), (0, 14));
    let mut kept = before::Order::scan().all(&db).await?;
    let (by_id, mut known) = (|order: &before::Order| order.id, versions);
    kept.sort_by_key(by_id);
    known.sort_by_key(by_id);
    assert_eq!(kept, known);
    assert_eq!(
        after::Moving::all(&db).await?,
        before::Moving::all(&db).await?
    );
    assert_eq!(after::Moving::all(&db).await?.len(), 7);
    Ok(())
}

async fn the_last_step_deletes_old_rows_that_have_a_new_one(db: Db) -> Outcome {
    for id in 0..4 {
        before::Moving::write(&db, &which(id, "ann"), &Write::Create(content("ann", 5))).await?;
    }
    // this one was never filled
    old::Moving::write(&db, &which(4, "bob"), &Write::Create(content("bob", 6))).await?;
    last::Moving::write(&db, &which(0, "ann"), &Write::AddCents(1)).await?;
    last::Moving::write(&db, &which(1, "ann"), &Write::Delete).await?;
    assert_eq!(old::Moving::read(&db, &which(1, "ann")).await?, None);

    let report = last::Order::scan().refill().send(&db).await?;
    assert_eq!((report.written, report.failed), (3, 1));
    let error = report.complete().err().ok_or("a row is left")?;
    assert!(
        format!("{error} {error:?}").contains("may be the only one of its item"),
        "{error:?}"
    );
    assert_eq!(
        old::Moving::all(&db)
            .await?
            .into_values()
            .collect::<Vec<_>>(),
        [content("bob", 6)]
    );
    let cents: Vec<_> = new::Moving::all(&db)
        .await?
        .into_values()
        .map(|of| of.cents)
        .collect();
    assert_eq!(cents, [6, 5, 5]);
    // a program of the step before reports it too, and deletes nothing
    let report = after::Order::scan().refill().send(&db).await?;
    assert_eq!((report.written, report.failed), (3, 1));
    assert_eq!(old::Moving::all(&db).await?.len(), 4);
    Ok(())
}

/// A declaration whose changes can leave the range of a field.
mod stocked {
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "stock", pk = "pk", sk = "sk", entities(Part, Next))]
    pub struct Stocked;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Stocked, key(pk = "PART#{id}", sk = "INFO"), next_key(Next))]
    pub struct Part {
        pub id: u32,
        pub stock: u32,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Stocked, key(pk = "NEXT#{id}", sk = "INFO"))]
    pub struct Next {
        pub id: u32,
        pub stock: u32,
    }

    same_item!(Part, Next { id, stock });
}

/// As without the word, although the other row is computed from the item before the write.
async fn a_condition_that_does_not_hold_is_a_conflict(db: Db) -> Outcome {
    use stocked::{Next, Part};

    let part = Part { id: 1, stock: 0 }.create().send(&db).await?;
    let fewer = || Part::key(1).update().apply(|p| p.stock().sub(1));
    for update in [fewer(), fewer().when(|p| p.stock().ge(1))] {
        let error = update.send(&db).await.err().ok_or("a conflict")?;
        assert!(error.is_conflict(), "{error}");
        assert_eq!(error.current::<Part>()?.as_ref(), Some(&part));
    }
    let next = Next::key(1).get().consistent().send(&db).await?;
    assert_eq!(next.map(|next| next.stock), Some(0));
    Ok(())
}

/// A program of the step before writes the old rows again, before programs read them again.
async fn a_step_back_is_filled_first(db: Db) -> Outcome {
    for id in 0..4 {
        before::Moving::write(&db, &which(id, "ann"), &Write::Create(content("ann", 5))).await?;
    }
    last::Moving::write(&db, &which(0, "ann"), &Write::AddCents(1)).await?;
    last::Moving::write(&db, &which(1, "ann"), &Write::Delete).await?;
    last::Moving::write(&db, &which(9, "ann"), &Write::Create(content("ann", 7))).await?;
    last::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(old::Moving::all(&db).await?.len(), 0);

    let now = after::Moving::all(&db).await?;
    let report = after::Order::scan().refill().send(&db).await?.complete()?;
    assert_eq!(report.written, 4);
    assert_eq!(before::Moving::all(&db).await?, now);
    assert_eq!(before::Order::scan().unfilled(&db).await?, 0);
    Ok(())
}

/// Items that expire.
mod sessions {
    use dynamo_entity::Timestamp;
    use dynamo_entity::prelude::*;

    #[derive(DynamoTable)]
    #[dynamo(name = "sessions", pk = "pk", sk = "sk", entities(Session, Next))]
    pub struct Moving;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "SESSION#{id}", sk = "INFO"), next_key(Next))]
    pub struct Session {
        pub id: u32,
        #[dynamo(ttl)]
        pub until: Option<Timestamp>,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = Moving, key(pk = "NEXT#{id}", sk = "INFO"))]
    pub struct Next {
        pub id: u32,
        #[dynamo(ttl)]
        pub until: Option<Timestamp>,
    }

    same_item!(Session, Next { id, until });
}

async fn expired_rows_are_not_filled(db: Db) -> Outcome {
    let at = |seconds: i64| Timestamp::from_unix(db.now().seconds() + seconds, 0);
    let (over, ahead) = (at(-60), at(3600));
    sessions::Session { id: 1, until: over }
        .put()
        .send(&db)
        .await?;
    sessions::Session {
        id: 2,
        until: ahead,
    }
    .put()
    .send(&db)
    .await?;
    // an old program prolongs one item, and expires another
    let mut rows = [
        db.stored(&sessions::Session::key(1)).await,
        db.stored(&sessions::Session::key(2)).await,
    ];
    let [first, second] = &mut rows;
    let (first_until, second_until) = (first.get("until").cloned(), second.get("until").cloned());
    first.insert("until".into(), second_until.ok_or("a time")?);
    second.insert("until".into(), first_until.ok_or("a time")?);
    for row in rows {
        db.plant::<sessions::Session>(row).await;
    }
    let report = sessions::Session::scan()
        .refill()
        .send(&db)
        .await?
        .complete()?;
    // The row of the first item is prolonged, and that of the second one is as gone as its item.
    assert_eq!(report.written, 2);
    let next = sessions::Next::scan().all(&db).await?;
    assert_eq!(next.iter().map(|next| next.id).collect::<Vec<_>>(), [1]);
    Ok(())
}

async fn the_costs_are_explained(db: Db) -> Outcome {
    let order = before::Order {
        id: 1,
        customer: "ann".into(),
        cents: 5,
        note: None,
        version: Version::default(),
    };
    let explained = order.create().explain(&db)?;
    let requests: Vec<_> = explained.requests.iter().map(String::as_str).collect();
    assert_eq!(requests.len(), 3, "{requests:?}");
    assert!(
        requests[0].contains("{\"S\":\"ORDER\"}") && requests[1].contains("CUSTOMER#ann"),
        "{requests:?}"
    );
    assert_eq!(requests[2].matches("\"Put\"").count(), 2, "{requests:?}");
    // In the last step, a write costs what it costs without the word.
    let order = last::Order {
        id: 1,
        customer: "ann".into(),
        cents: 5,
        note: None,
        version: Version::default(),
    };
    assert_eq!(order.create().explain(&db)?.requests.len(), 1);
    Ok(())
}

async fn the_model_knows_the_step(_: Db) -> Outcome {
    let schema = before::Moving::schema();
    let second = schema
        .entities
        .iter()
        .find_map(|entity| entity.second_key.as_ref());
    assert_eq!(second.map(|second| &*second.other), Some("CustomerOrder"));
    let text = dynamo_entity::export::Markdown::new([schema.clone()]).text();
    assert!(
        text.contains("Its items move to the key of `CustomerOrder`"),
        "{text}"
    );
    Ok(())
}
