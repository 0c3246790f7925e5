//! Constant attributes distinguish the rows of an entity from others of the same type, and every write has them.

use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::{ErrorKind, Item, Value, put_each};

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    random_rows_have_one_owner(Shop),
    a_read_by_key_names_the_constant(Shop),
    every_write_has_them(Shop),
    imports_write_them(Shop),
    the_filter_of_an_index_has_them(Shop),
    no_other_version_is_touched_by_jobs(Shop),
    updates_and_rest_cannot_change_them(Shop),
    touches_leave_rows_of_no_entity(Blind),
];

#[derive(DynamoTable)]
#[dynamo(
    name = "constants",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "__edb_e__",
    entities(First, Second, Note, Label)
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk", project = keys))]
struct Shop;

macro_rules! orders {
    ($($name:ident $version:literal $sk:literal)*) => {$(
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = Shop, rename = "order", constant("__edb_v__" = $version))]
        #[dynamo(key(pk = "$shop#customer_{customer:lower}", sk = $sk))]
        #[dynamo(gsi(by_day, on = gsi1, pk = "day_{day}", sk = "number_{number}"))]
        #[dynamo(gsi(keys_by_day, on = gsi2, pk = "day_{day}", sk = "number_{number}"))]
        struct $name { customer: String, number: u32, day: u8, #[dynamo(rest)] rest: Item }
    )*};
}

orders! {
    First "1" "$order_1#number_{number}"
    Second "2" "$order_2#number_{number}"
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, rename = "note", constant("kind" = 7, "__edb_v__" = "1"))]
#[dynamo(key(pk = "$shop#customer_{customer:lower}", sk = "$note_1#number_{number}"))]
struct Note {
    customer: String,
    number: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Shop, rename = "label", constant("__edb_v__" = -1))]
#[dynamo(key(pk = "$shop#label_{id}", sk = "$label"))]
struct Label {
    id: String,
    text: String,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop)]
enum Everything {
    First(First),
    Second(Second),
    Note(Note),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop)]
enum Known {
    First(First),
    Note(Note),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Shop, partition(customer))]
enum Account {
    First(First),
    Second(Second),
    #[dynamo(other)]
    Other(Item),
}

fn text(text: &str) -> Value {
    Value::S(text.into())
}

fn number(digits: &str) -> Value {
    Value::N(digits.parse().expect("a number"))
}

/// The entity of a row, and whether its key is one of it, as the documentation defines both.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Owner {
    First,
    Second,
    Note,
    None,
}

const OWNERS: [Owner; 3] = [Owner::First, Owner::Second, Owner::Note];

impl Owner {
    fn declared(self) -> (&'static str, Vec<(&'static str, Value)>, &'static str) {
        match self {
            Owner::First => ("order", vec![("__edb_v__", text("1"))], "$order_1#number_"),
            Owner::Second => ("order", vec![("__edb_v__", text("2"))], "$order_2#number_"),
            Owner::Note => (
                "note",
                vec![("__edb_v__", text("1")), ("kind", number("7"))],
                "$note_1#number_",
            ),
            Owner::None => ("", Vec::new(), "$"),
        }
    }

    fn of(item: &Item) -> Owner {
        let owns = |owner: &Owner| {
            let (name, constants, _) = owner.declared();
            match item.get("__edb_e__") {
                Some(stored) => {
                    *stored == text(name)
                        && constants
                            .iter()
                            .all(|(name, own)| item.get(name) == Some(own))
                }
                None => {
                    owner.has_key(item)
                        && constants
                            .iter()
                            .all(|(name, own)| item.get(name).is_none_or(|stored| stored == own))
                }
            }
        };
        OWNERS.into_iter().find(owns).unwrap_or(Owner::None)
    }

    /// Whether only a NULL in the place of the type or of a constant keeps the row from being one of the entity. It belongs
    /// to no entity, and the reads of this one report it.
    fn is_reported(self, item: &Item) -> bool {
        let (name, constants, _) = self.declared();
        let has_type = match item.get("__edb_e__") {
            None | Some(Value::Null) => false,
            Some(stored) if *stored == text(name) => true,
            Some(_) => return false,
        };
        let is_fit = |(name, own): &(&str, Value)| match item.get(name) {
            None => !has_type,
            Some(stored) => *stored == Value::Null || stored == own,
        };
        (has_type || self.has_key(item)) && constants.iter().all(is_fit)
    }

    fn has_key(self, item: &Item) -> bool {
        let sk = item.get("sk").and_then(Value::as_text).unwrap_or_default();
        sk.starts_with(self.declared().2)
    }
}

struct Rows(fastrand::Rng);

impl Rows {
    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())].clone()
    }

    /// A row with an arbitrary type, arbitrary constants and an arbitrary key.
    fn row(&mut self, at: usize) -> Item {
        let customer = self.one_of(&["Ann", "bob"]);
        let front = self.one_of(&[
            "$order_1#number_",
            "$order_2#number_",
            "$note_1#number_",
            "$order_3#x_",
        ]);
        let day = self.0.u8(1..3);
        let mut item = Item::new();
        item.insert(
            "pk",
            text(&format!("$shop#customer_{}", customer.to_lowercase())),
        );
        item.insert("sk", text(&format!("{front}{at}")));
        item.insert("customer", text(customer));
        item.insert("number", number(&at.to_string()));
        item.insert("day", number(&day.to_string()));
        item.insert("gsi1pk", text(&format!("day_{day}")));
        item.insert("gsi1sk", text(&format!("number_{at}")));
        item.insert("gsi2pk", text(&format!("day_{day}")));
        item.insert("gsi2sk", text(&format!("number_{at}")));
        let ty = self.one_of(&[
            None,
            Some(text("order")),
            Some(text("order")),
            Some(text("note")),
            Some(text("other")),
            Some(Value::Null),
        ]);
        let version = self.one_of(&[
            None,
            Some(text("1")),
            Some(text("1")),
            Some(text("2")),
            Some(text("3")),
            Some(number("1")),
            Some(Value::Null),
        ]);
        let kind = self.one_of(&[
            None,
            Some(number("7")),
            Some(number("7")),
            Some(number("8")),
            Some(text("7")),
            Some(Value::Null),
        ]);
        for (name, value) in [("__edb_e__", ty), ("__edb_v__", version), ("kind", kind)] {
            if let Some(value) = value {
                item.insert(name, value);
            }
        }
        item
    }
}

fn sorted(mut items: Vec<Item>) -> Vec<Item> {
    let key = |item: &Item| {
        let text = |name| {
            item.get(name)
                .and_then(Value::as_text)
                .unwrap_or_default()
                .to_owned()
        };
        (text("pk"), text("sk"))
    };
    items.sort_by_key(key);
    items
}

/// The rows of an entity: those that can be read, as they would be written, and the number of the others.
async fn read<E: DynamoEntity>(db: &Db) -> Result<(Vec<Item>, usize)> {
    let rows = E::scan().lenient().all(db).await?;
    let count = E::scan().count(db).await?;
    assert_eq!(
        rows.len(),
        usize::try_from(count).expect("a small number"),
        "{:?}",
        E::scan().explain(db)?
    );
    let faulty = rows.iter().filter(|row| row.is_err()).count();
    let rows: Result<Vec<Item>> = rows
        .into_iter()
        .flatten()
        .map(|row| row.to_item())
        .collect();
    Ok((sorted(rows?), faulty))
}

/// The same by the model. A row without a type gets the type and the constants when it is written.
fn expected(rows: &[Item], owner: Owner) -> (Vec<Item>, usize) {
    let own = rows.iter().filter(|row| Owner::of(row) == owner);
    let (own, faulty): (Vec<&Item>, Vec<_>) = own.partition(|row| owner.has_key(row));
    let written = own.into_iter().map(|row| {
        let mut row = row.clone();
        let (name, constants, _) = owner.declared();
        row.insert("__edb_e__", text(name));
        for (name, value) in constants {
            row.insert(name, value);
        }
        if owner == Owner::Note {
            // It has no `rest`.
            for name in ["day", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"] {
                row.remove(name);
            }
        }
        row
    });
    let reported = rows.iter().filter(|row| Owner::of(row) == Owner::None);
    let reported = reported.filter(|row| owner.is_reported(row)).count();
    (sorted(written.collect()), faulty.len() + reported)
}

async fn random_rows_have_one_owner(db: Db) -> Outcome {
    for seed in 0..4 {
        let mut random = Rows(fastrand::Rng::with_seed(seed));
        let rows: Vec<Item> = (0..50).map(|at| random.row(at)).collect();
        for row in &rows {
            db.plant::<First>(row.clone()).await;
        }
        assert_eq!(
            read::<First>(&db).await?,
            expected(&rows, Owner::First),
            "seed {seed}"
        );
        assert_eq!(
            read::<Second>(&db).await?,
            expected(&rows, Owner::Second),
            "seed {seed}"
        );
        assert_eq!(
            read::<Note>(&db).await?,
            expected(&rows, Owner::Note),
            "seed {seed}"
        );
        collections(&db, &rows, seed).await?;
        for row in &rows {
            let key = Item::from_iter(
                ["pk", "sk"].map(|name| (name, row.get(name).expect("a key").clone())),
            );
            let delete = db.client().delete_item().table_name(db.table::<Shop>());
            delete.set_key(Some(key.into())).send().await?;
        }
    }
    Ok(())
}

async fn collections(db: &Db, rows: &[Item], seed: u64) -> Outcome {
    let everything = Everything::scan().lenient().all(db).await?;
    assert_eq!(everything.len(), rows.len(), "seed {seed}");
    let count =
        |is: fn(&Everything) -> bool| everything.iter().flatten().filter(|row| is(row)).count();
    let readable = |owner| expected(rows, owner).0.len();
    let none = rows.iter().filter(|row| Owner::of(row) == Owner::None);
    assert_eq!(
        count(|row| matches!(row, Everything::First(_))),
        readable(Owner::First),
        "seed {seed}"
    );
    assert_eq!(
        count(|row| matches!(row, Everything::Second(_))),
        readable(Owner::Second),
        "seed {seed}"
    );
    assert_eq!(
        count(|row| matches!(row, Everything::Note(_))),
        readable(Owner::Note),
        "seed {seed}"
    );
    assert_eq!(
        count(|row| matches!(row, Everything::Other(_))),
        none.clone().count(),
        "seed {seed}"
    );
    // Without a variant, rows of the declared entity are omitted, and rows of none are errors.
    let known = Known::scan().lenient().all(db).await?;
    let second = rows
        .iter()
        .filter(|row| Owner::of(row) == Owner::Second)
        .count();
    assert_eq!(known.len(), rows.len() - second, "seed {seed}");
    assert_eq!(
        known.iter().filter(|row| row.is_ok()).count(),
        readable(Owner::First) + readable(Owner::Note)
    );
    let account = Account::in_partition("ANN").lenient().all(db).await?;
    let is_ann = |row: &&Item| row.get("customer") == Some(&text("Ann"));
    let notes = rows
        .iter()
        .filter(|row| is_ann(row) && Owner::of(row) == Owner::Note);
    // A variant for other items receives those of the entity that has none.
    assert_eq!(
        account.len(),
        rows.iter().filter(is_ann).count(),
        "seed {seed}"
    );
    let others = account
        .iter()
        .flatten()
        .filter(|row| matches!(row, Account::Other(_)));
    assert_eq!(
        others.count(),
        none.filter(is_ann).count() + notes.count(),
        "seed {seed}"
    );
    Ok(())
}

fn first(number: u32) -> First {
    First {
        customer: "Ann".into(),
        number,
        day: 1,
        rest: Item::new(),
    }
}

fn second(number: u32) -> Second {
    Second {
        customer: "Ann".into(),
        number,
        day: 1,
        rest: Item::new(),
    }
}

async fn a_read_by_key_names_the_constant(db: Db) -> Outcome {
    for version in [None, Some(text("3")), Some(number("1"))] {
        let mut row = first(1).to_item()?;
        row.remove("__edb_v__");
        if let Some(version) = version {
            row.insert("__edb_v__", version);
        }
        db.plant::<First>(row.clone()).await;
        let error = first(1).key().get().send(&db).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.attribute()),
            (ErrorKind::Decode, Some("__edb_v__"))
        );
        assert!(!error.to_string().contains('3'), "{error}");
        let many = First::get_many([first(1).key()])
            .send(&db)
            .await
            .unwrap_err();
        assert_eq!(many.kind(), ErrorKind::Decode);
        assert!(First::from_item(row).is_err());
        // A creation does not replace the row.
        assert!(
            first(1)
                .create()
                .send(&db)
                .await
                .unwrap_err()
                .is_already_exists()
        );
    }
    Ok(())
}

async fn every_write_has_them(db: Db) -> Outcome {
    let has = async |number: u32| {
        let stored = db.stored(&first(number).key()).await;
        let stored = Item::from(stored);
        assert_eq!(stored.get("__edb_v__"), Some(&text("1")), "{number}");
        assert_eq!(stored.get("__edb_e__"), Some(&text("order")), "{number}");
    };
    first(1).create().send(&db).await?;
    first(2).put().send(&db).await?;
    let label = Label::key("a")
        .upsert()
        .apply(|label| label.text().set("x"));
    label.send(&db).await?;
    let label = Item::from(db.stored(&Label::key("a")).await);
    assert_eq!(label.get("__edb_v__"), Some(&number("-1")));
    assert_eq!(label.get("__edb_e__"), Some(&text("label")));
    first(3).create().send(&db).await?;
    Transaction::new()
        .with(first(4).create())
        .with(second(4).create())
        .send(&db)
        .await?;
    Batch::new()
        .with(first(5).put())
        .send(&db)
        .await?
        .complete()?;
    put_each([first(6).put()]).send(&db).await?.complete()?;
    First::key("Ann", 1)
        .update()
        .apply(|o| o.day().set(2))
        .send(&db)
        .await?;
    First::key("Ann", 2).modify(|o| o.day = 2).send(&db).await?;
    for number in 1..=6 {
        has(number).await;
    }
    assert_eq!(
        Item::from(db.stored(&second(4).key()).await).get("__edb_v__"),
        Some(&text("2"))
    );
    let note = Note {
        customer: "Ann".into(),
        number: 1,
    };
    note.create().send(&db).await?;
    assert_eq!(
        Item::from(db.stored(&note.key()).await).get("kind"),
        Some(&number("7"))
    );
    // A refill writes what a row of another program lacks.
    let mut row = first(7).to_item()?;
    row.remove("__edb_e__");
    row.remove("__edb_v__");
    db.plant::<First>(row).await;
    First::scan().refill().send(&db).await?.complete()?;
    has(7).await;
    Ok(())
}

async fn imports_write_them(db: Db) -> Outcome {
    let plain = br#"{"customer": "Ann", "number": 1, "day": 1}"#;
    let same =
        br#"{"customer": "Ann", "number": 2, "day": 1, "__edb_e__": "order", "__edb_v__": "1"}"#;
    let other =
        br#"{"customer": "Ann", "number": 3, "day": 1, "__edb_e__": "order", "__edb_v__": "2"}"#;
    let import = async |lines: &'static [u8]| {
        First::import(lines)
            .format(RowFormat::Json)
            .send(&db)
            .await?
            .complete()
    };
    import(plain).await?;
    import(same).await?;
    let error = import(other).await.unwrap_err();
    assert!(error.to_string().contains("__edb_v__"), "{error}");
    assert_eq!(First::scan().count(&db).await?, 2);
    assert_eq!(Second::scan().count(&db).await?, 0);
    Ok(())
}

async fn the_filter_of_an_index_has_them(db: Db) -> Outcome {
    first(1).create().send(&db).await?;
    second(1).create().send(&db).await?;
    let mut third = first(2).to_item()?;
    third.insert("sk", text("$order_3#number_2"));
    third.insert("__edb_v__", text("3"));
    db.plant::<First>(third).await;
    assert_eq!(First::by_day(1).all(&db).await?, [first(1)]);
    assert_eq!(Second::by_day(1).all(&db).await?, [second(1)]);
    assert_eq!(First::by_day(1).count(&db).await?, 1);
    // An index of keys contains the constants too.
    assert_eq!(First::keys_by_day(1).all(&db).await?, [first(1).key()]);
    assert_eq!(
        Second::keys_by_day(1).hydrate().all(&db).await?,
        [second(1)]
    );
    assert!(First::by_day(1).explain(&db)?.is_filtering());
    Ok(())
}

async fn no_other_version_is_touched_by_jobs(db: Db) -> Outcome {
    let mut third = first(9).to_item()?;
    third.insert("__edb_v__", text("3"));
    db.plant::<First>(third.clone()).await;
    first(1).create().send(&db).await?;
    second(1).create().send(&db).await?;
    First::scan()
        .update_each(|row| row.update().apply(|o| o.day().set(2)))
        .send(&db)
        .await?
        .complete()?;
    // The row of the third version is an error in that range, as one of another type would be.
    let deleted = First::in_partition("Ann").delete_each().send(&db).await?;
    assert!(deleted.complete().is_err());
    assert_eq!(First::scan().count(&db).await?, 0);
    assert_eq!(Second::scan().all(&db).await?, [second(1)]);
    assert_eq!(Item::from(db.stored(&first(9).key()).await), third);
    Ok(())
}

async fn updates_and_rest_cannot_change_them(db: Db) -> Outcome {
    first(1).create().send(&db).await?;
    let change = First::key("Ann", 1)
        .update()
        .apply(|o| o.rest().entry("__edb_v__").set(text("2")));
    assert_eq!(
        change.send(&db).await.unwrap_err().kind(),
        ErrorKind::InvalidValue
    );
    let mut other = first(2);
    other.rest.insert("__edb_v__", text("2"));
    assert!(other.put().send(&db).await.is_err());
    assert!(
        !First::key("Ann", 1)
            .get()
            .send(&db)
            .await?
            .expect("an item")
            .rest
            .contains("__edb_v__")
    );
    Ok(())
}

/// The key contains no version, as with a `template` of ElectroDB.
#[derive(DynamoTable)]
#[dynamo(
    name = "blind",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "__edb_e__",
    entities(Order)
)]
struct Blind;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Blind, rename = "order", constant("__edb_v__" = "1"))]
#[dynamo(key(pk = "$shop#customer_{customer}", sk = "$order#number_{number}"))]
struct Order {
    customer: String,
    number: u32,
    total: u32,
}

fn order_row(version: AttributeValue, ty: AttributeValue) -> Raw {
    raw([
        ("pk", s("$shop#customer_ann")),
        ("sk", s("$order#number_7")),
        ("customer", s("ann")),
        ("number", n(7)),
        ("total", n(5)),
        ("__edb_e__", ty),
        ("__edb_v__", version),
    ])
}

/// Rows with other constants, of another type, and without a type under another format of the key get no mark.
async fn touches_leave_rows_of_no_entity(db: Db) -> Outcome {
    let mut untyped = order_row(s("1"), s("order"));
    untyped.remove("__edb_e__");
    untyped.insert("sk".into(), s("$order#number_07"));
    let mut other = order_row(s("1"), s("parcel"));
    other.insert("sk".into(), s("$order#number_8"));
    let rows = [order_row(s("2"), s("order")), untyped, other];
    for row in &rows {
        db.plant::<Order>(row.clone()).await;
    }
    let report = Order::in_partition("ann").touch_each().send(&db).await?;
    assert_eq!((report.counts().written, report.failed), (0, 3));
    let scan = db.client().scan().table_name(db.table::<Blind>());
    let stored = scan.consistent_read(true).send().await?;
    let stored = stored.items.unwrap_or_default();
    assert!(rows.iter().all(|row| stored.contains(row)));
    Ok(())
}
