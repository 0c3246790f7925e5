//! Entities with one type, whose rows are identified by their keys: `identify_by = key`.

use dynamo_entity::prelude::*;
use dynamo_entity::streams::StreamEvent;
use dynamo_entity::{ErrorKind, Item, Value};

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    random_rows_have_one_owner(Services),
    jobs_touch_only_own_rows(Services),
    cursors_belong_to_one_entity(Services),
    streams_use_the_key(Services),
    rows_of_no_entity_are_not_hidden(Widths),
];

#[derive(DynamoTable)]
#[dynamo(
    name = "services",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "__edb_e__",
    identify_by = key,
    entities(Order, Refund, Note),
    stream = new_and_old_images
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"), gsi(gsi2, pk = "gsi2pk", sk = "gsi2sk", project = keys))]
struct Services;

macro_rules! orders {
    ($($name:ident $pk:literal)*) => {$(
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = Services, rename = "order", constant("__edb_v__" = "1"))]
        #[dynamo(key(pk = $pk, sk = "$order_1#number_{number}"))]
        #[dynamo(gsi(by_day, on = gsi1, pk = "day_{day}", sk = "number_{number}"))]
        #[dynamo(gsi(keys_by_day, on = gsi2, pk = "day_{day}", sk = "number_{number}"))]
        struct $name { customer: String, number: u32, day: u8, #[dynamo(rest)] rest: Item }
    )*};
}

orders! {
    Order "$shop#customer_{customer:lower}"
    Refund "$refunds#customer_{customer:lower}"
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Services, rename = "note", constant("__edb_v__" = "1"))]
#[dynamo(key(pk = "$shop#customer_{customer:lower}", sk = "$note_1#number_{number}"))]
struct Note {
    customer: String,
    number: u32,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Services)]
enum Everything {
    Order(Order),
    Refund(Refund),
    Note(Note),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Services)]
enum Known {
    Order(Order),
    Note(Note),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Services, index = gsi1, partition(day))]
enum Day {
    Order(Order),
    Refund(Refund),
}

fn text(text: &str) -> Value {
    Value::S(text.into())
}

fn number(digits: &str) -> Value {
    Value::N(digits.parse().expect("a number"))
}

fn text_of<'i>(item: &'i Item, name: &str) -> &'i str {
    item.get(name).and_then(Value::as_text).unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Owner {
    Order,
    Refund,
    Note,
}

const OWNERS: [Owner; 3] = [Owner::Order, Owner::Refund, Owner::Note];

impl Owner {
    fn type_name(self) -> &'static str {
        match self {
            Owner::Order | Owner::Refund => "order",
            Owner::Note => "note",
        }
    }

    fn literals(self) -> [&'static str; 2] {
        match self {
            Owner::Order => ["$shop#customer_", "$order_1#number_"],
            Owner::Refund => ["$refunds#customer_", "$order_1#number_"],
            Owner::Note => ["$shop#customer_", "$note_1#number_"],
        }
    }

    /// Whether the type and the constants of a row allow that it belongs to the entity.
    fn admits(self, row: &Item) -> bool {
        let version = row.get("__edb_v__");
        match row.get("__edb_e__") {
            Some(stored) => *stored == text(self.type_name()) && version == Some(&text("1")),
            None => version.is_none_or(|version| *version == text("1")),
        }
    }

    /// Whether a row has a key of the entity in its format.
    fn has_key(self, row: &Item) -> bool {
        let [pk, sk] = self.literals();
        let number = text_of(row, "sk").strip_prefix(sk);
        let is_canonical = |number: &str| number == "0" || !number.starts_with('0');
        text_of(row, "pk").starts_with(pk) && number.is_some_and(is_canonical)
    }

    /// Whether a row may have a key of the entity in another format.
    fn resembles_key(self, row: &Item) -> bool {
        let [pk, sk] = self.literals();
        let has = |name, front| text_of(row, name).to_lowercase().starts_with(front);
        has("pk", pk) && has("sk", sk)
    }

    /// The rows that its reads return: readable ones, as they would be written, and those that are errors.
    fn expected(self, rows: &[Item]) -> (Vec<Item>, usize) {
        let own = rows
            .iter()
            .filter(|row| self.admits(row) && self.resembles_key(row));
        let (own, faulty): (Vec<&Item>, Vec<_>) = own.partition(|row| self.has_key(row));
        let written = own.into_iter().map(|row| {
            let mut row = row.clone();
            row.insert("__edb_e__", text(self.type_name()));
            row.insert("__edb_v__", text("1"));
            row
        });
        (sorted(written.collect()), faulty.len())
    }
}

struct Rows(fastrand::Rng);

impl Rows {
    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())].clone()
    }

    fn row(&mut self, at: usize) -> Item {
        let customer = self.one_of(&["Ann", "bob"]);
        let pk = self.one_of(&["$shop", "$shop", "$refunds", "$refunds", "$stock", "$SHOP"]);
        let sk = self.one_of(&["$order_1", "$order_1", "$order_1", "$note_1", "$order_2"]);
        let zeros = self.one_of(&["", "", "", "00"]);
        let day = self.0.u8(1..3);
        let (day_key, number_key) = (format!("day_{day}"), format!("number_{at}"));
        let mut item = Item::from_iter([
            (
                "pk",
                text(&format!("{pk}#customer_{}", customer.to_lowercase())),
            ),
            ("sk", text(&format!("{sk}#number_{zeros}{at}"))),
            ("customer", text(customer)),
            ("number", number(&at.to_string())),
        ]);
        if sk != "$note_1" {
            item.insert("day", number(&day.to_string()));
            for name in ["gsi1pk", "gsi2pk"] {
                item.insert(name, text(&day_key));
            }
            for name in ["gsi1sk", "gsi2sk"] {
                item.insert(name, text(&number_key));
            }
        }
        let types = [
            Some("order"),
            Some("order"),
            Some("order"),
            Some("note"),
            None,
            Some("x"),
        ];
        if let Some(name) = self.one_of(&types) {
            item.insert("__edb_e__", text(name));
        }
        if let Some(version) = self.one_of(&[Some("1"), Some("1"), Some("1"), None, Some("2")]) {
            item.insert("__edb_v__", text(version));
        }
        item
    }
}

fn sorted(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| {
        (
            text_of(item, "pk").to_owned(),
            text_of(item, "sk").to_owned(),
        )
    });
    items
}

/// Whether a note can be read as an order: it has no day.
fn has_day(row: &Item) -> bool {
    row.contains("day")
}

async fn read<E: DynamoEntity>(db: &Db) -> Result<(Vec<Item>, usize)> {
    let rows = E::scan().lenient().all(db).await?;
    assert_eq!(rows.len() as u64, E::scan().count(db).await?);
    let mut paged = 0;
    let mut cursor = None;
    loop {
        let page = E::scan().lenient().resume(cursor).limit(3).page(db).await?;
        paged += page.rows.len();
        assert!(page.rows.len() == 3 || page.next.is_none());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, rows.len());
    let faulty = rows.iter().filter(|row| row.is_err()).count();
    let rows: Result<Vec<Item>> = rows
        .into_iter()
        .flatten()
        .map(|row| row.to_item())
        .collect();
    Ok((sorted(rows?), faulty))
}

async fn random_rows_have_one_owner(db: Db) -> Outcome {
    for seed in 0..2 {
        let mut random = Rows(fastrand::Rng::with_seed(seed));
        let rows: Vec<Item> = (0..60).map(|at| random.row(at)).collect();
        for row in &rows {
            db.plant::<Order>(row.clone()).await;
        }
        let [orders, refunds, notes] = OWNERS.map(|owner| owner.expected(&rows));
        assert_eq!(read::<Order>(&db).await?, orders, "seed {seed}");
        assert_eq!(read::<Refund>(&db).await?, refunds, "seed {seed}");
        assert_eq!(read::<Note>(&db).await?, notes, "seed {seed}");
        collections(&db, &rows, seed).await?;
        index_reads(&db, &rows, seed).await?;
        for row in &rows {
            let key = Item::from_iter(["pk", "sk"].map(|name| (name, text(text_of(row, name)))));
            let delete = db.client().delete_item().table_name(db.table::<Services>());
            delete.set_key(Some(key.into())).send().await?;
        }
    }
    Ok(())
}

async fn collections(db: &Db, rows: &[Item], seed: u64) -> Outcome {
    // A row that is no row of an entity, or whose key has another format, is in `Other`.
    let everything = Everything::scan().lenient().all(db).await?;
    assert_eq!(everything.len(), rows.len(), "seed {seed}");
    let readable: usize = OWNERS
        .map(|owner| owner.expected(rows).0.len())
        .iter()
        .sum();
    let of_entities = everything.iter().flatten();
    let of_entities = of_entities.filter(|row| !matches!(row, Everything::Other(_)));
    assert_eq!(of_entities.count(), readable, "seed {seed}");

    // Without a variant, only rows of the other entity are omitted. All others are rows or errors.
    let known = Known::scan().lenient().all(db).await?;
    let is_refund = |row: &&Item| Owner::Refund.admits(row) && Owner::Refund.has_key(row);
    let refunds = rows.iter().filter(is_refund).count();
    assert_eq!(known.len(), rows.len() - refunds, "seed {seed}");
    assert_eq!(
        Known::scan().count(db).await?,
        known.len() as u64,
        "seed {seed}"
    );
    let [orders, notes] = [Owner::Order, Owner::Note].map(|owner| owner.expected(rows).0.len());
    assert_eq!(
        known.iter().filter(|row| row.is_ok()).count(),
        orders + notes,
        "seed {seed}"
    );
    Ok(())
}

async fn index_reads(db: &Db, rows: &[Item], seed: u64) -> Outcome {
    let of_day = |owner: Owner| {
        let rows = rows
            .iter()
            .filter(|row| row.get("day") == Some(&number("1")));
        owner.expected(&rows.cloned().collect::<Vec<_>>())
    };
    let (orders, faulty) = of_day(Owner::Order);
    let by_day = Order::by_day(1).lenient().all(db).await?;
    let found: Result<Vec<Item>> = by_day.iter().flatten().map(|row| row.to_item()).collect();
    assert_eq!(sorted(found?), orders, "seed {seed}");
    assert_eq!(by_day.len() - orders.len(), faulty, "seed {seed}");
    assert_eq!(
        Order::by_day(1).count(db).await?,
        by_day.len() as u64,
        "seed {seed}"
    );
    let hydrated = Refund::keys_by_day(1).hydrate().lenient().all(db).await?;
    assert_eq!(
        hydrated.iter().filter(|row| row.is_ok()).count(),
        of_day(Owner::Refund).0.len()
    );

    let day = Day::in_partition(1).lenient().all(db).await?;
    let is_note = |row: &&&Item| {
        Owner::Note.admits(row) && Owner::Note.has_key(row) || text_of(row, "__edb_e__") == "note"
    };
    let in_day = rows
        .iter()
        .filter(|row| has_day(row) && row.get("day") == Some(&number("1")));
    let in_day: Vec<&Item> = in_day.collect();
    // Notes have no access pattern there, so the collection filters no types.
    assert_eq!(
        day.len(),
        in_day.len(),
        "seed {seed}: {}",
        in_day.iter().filter(is_note).count()
    );
    let own = of_day(Owner::Order).0.len() + of_day(Owner::Refund).0.len();
    assert_eq!(
        day.iter().filter(|row| row.is_ok()).count(),
        own,
        "seed {seed}"
    );
    Ok(())
}

fn order(number: u32) -> Order {
    Order {
        customer: "Ann".into(),
        number,
        day: 1,
        rest: Item::new(),
    }
}

fn refund(number: u32) -> Refund {
    Refund {
        customer: "Ann".into(),
        number,
        day: 1,
        rest: Item::new(),
    }
}

/// A row of a service that is not declared, with the type and the constants of an order.
fn stranger(number: u32) -> Result<Item> {
    let mut row = order(number).to_item()?;
    row.insert("pk", text("$stock#customer_ann"));
    Ok(row)
}

async fn jobs_touch_only_own_rows(db: Db) -> Outcome {
    for number in 1..=3 {
        order(number).create().send(&db).await?;
        refund(number).create().send(&db).await?;
        db.plant::<Order>(stranger(number)?).await;
    }
    let change = Order::scan().update_each(|row| row.update().apply(|o| o.day().set(9)));
    assert_eq!(change.send(&db).await?.complete()?.written, 3);
    assert_eq!(Refund::by_day(1).count(&db).await?, 3);
    assert_eq!(Order::by_day(9).count(&db).await?, 3);
    Refund::scan().refill().send(&db).await?.complete()?;
    assert_eq!(
        Order::by_day(1)
            .delete_each()
            .send(&db)
            .await?
            .complete()?
            .written,
        0
    );
    assert_eq!(
        Order::scan()
            .delete_each()
            .send(&db)
            .await?
            .complete()?
            .written,
        3
    );
    assert_eq!(Order::scan().count(&db).await?, 0);
    assert_eq!(Refund::scan().all(&db).await?.len(), 3);

    // A row in another format in the range of an order is an error, and stays.
    let mut row = order(7).to_item()?;
    row.insert("sk", text("$order_1#number_007"));
    db.plant::<Order>(row).await;
    let error = Order::scan().all(&db).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyMismatch);
    let deleted = Order::in_partition("Ann").delete_each().send(&db).await?;
    assert!(deleted.complete().is_err());
    assert_eq!(db.count::<Services>().await, 3 + 3 + 1);
    Ok(())
}

async fn cursors_belong_to_one_entity(db: Db) -> Outcome {
    for number in 1..=3 {
        order(number).create().send(&db).await?;
        refund(number).create().send(&db).await?;
    }
    let page = Order::scan().limit(1).page(&db).await?;
    let foreign = Refund::scan().resume(page.next.clone()).page(&db).await;
    assert_eq!(foreign.unwrap_err().kind(), ErrorKind::InvalidCursor);
    assert_eq!(Order::scan().resume(page.next).all(&db).await?.len(), 2);
    Ok(())
}

async fn streams_use_the_key(db: Db) -> Outcome {
    let items = [order(1).to_item()?, refund(1).to_item()?, stranger(1)?];
    let records = items.iter().map(|item| {
        let image = item.to_dynamodb_json().expect("an item");
        format!(
            r#"{{"eventID":"1","eventName":"INSERT","eventSource":"aws:dynamodb","dynamodb":{{"Keys":{{"pk":{{"S":"{}"}},"sk":{{"S":"{}"}}}},"NewImage":{image},"SequenceNumber":"1","StreamViewType":"NEW_AND_OLD_IMAGES"}}}}"#,
            text_of(item, "pk"),
            text_of(item, "sk"),
        )
    });
    let records: Vec<String> = records.collect();
    let event = format!(r#"{{"Records":[{}]}}"#, records.join(","));
    let event = StreamEvent::from_json(event.as_bytes())?;
    let orders: Vec<_> = Order::changes_of(&event).collect();
    assert_eq!(orders.len(), 1);
    let refunds: Vec<_> = Refund::changes_of(&event).collect();
    assert_eq!(refunds.len(), 1);
    let known: Vec<_> = Known::changes_of(&event).collect();
    assert_eq!(known.len(), 1);
    drop(db);
    Ok(())
}

#[derive(DynamoTable)]
#[dynamo(name = "widths", pk = "pk", identify_by = key, entities(Short, Long))]
struct Widths;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Widths, key(pk = "A#{number:04}"))]
struct Short {
    number: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Widths, key(pk = "A#{number:06}"))]
struct Long {
    number: u32,
}

/// A row with the type of one entity and the key of another belongs to neither. Its key resembles both, so a read of its type
/// reports it.
async fn rows_of_no_entity_are_not_hidden(db: Db) -> Outcome {
    Short { number: 1 }.create().send(&db).await?;
    Long { number: 2 }.create().send(&db).await?;
    let mut row = Long { number: 3 }.to_item()?;
    row.insert("_type", text("Short"));
    db.plant::<Long>(row).await;
    let short = Short::scan().lenient().all(&db).await?;
    assert_eq!(short.len(), 2);
    let errors: Vec<_> = short.into_iter().filter_map(Result::err).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind(), ErrorKind::KeyMismatch);
    assert_eq!(Long::scan().all(&db).await?, [Long { number: 2 }]);
    Ok(())
}
