//! Entities of one table whose types are stored in different attributes.

use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::{Item, Value};

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    random_rows_have_one_owner(Programs),
    every_write_has_its_own_type(Programs),
    unique_values_are_no_rows(Programs),
];

#[derive(DynamoTable)]
#[dynamo(
    name = "programs",
    pk = "pk",
    sk = "sk",
    verbatim,
    type_attribute = "__edb_e__",
    identify_by = key,
    entities(Order, Ticket, Pet)
)]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk", project = keys))]
struct Programs;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Programs, rename = "order")]
#[dynamo(key(pk = "customer_{customer}", sk = "order_{number}"))]
#[dynamo(gsi(by_day, on = gsi1, pk = "day_{day}", sk = "number_{number}"))]
struct Order {
    customer: String,
    number: u32,
    day: u8,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Programs, rename = "Ticket", type_attribute = "_et", constant("v" = 2))]
#[dynamo(key(pk = "customer_{customer}", sk = "TICKET#{number}"))]
#[dynamo(gsi(by_day, on = gsi1, pk = "day_{day}", sk = "number_{number}"))]
struct Ticket {
    customer: String,
    number: u32,
    day: u8,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Programs, rename = "pet", type_attribute = "type")]
#[dynamo(
    key(pk = "owner_{customer}", sk = "{number}::pet"),
    unique(by_name, name)
)]
struct Pet {
    customer: String,
    number: u32,
    name: Option<String>,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Programs)]
enum Everything {
    Order(Order),
    Ticket(Ticket),
    Pet(Pet),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Programs)]
enum Known {
    Ticket(Ticket),
    Pet(Pet),
}

fn text(text: &str) -> Value {
    Value::S(text.into())
}

fn number(digits: usize) -> Value {
    Value::N(digits.to_string().parse().expect("a number"))
}

fn text_of<'i>(item: &'i Item, name: &str) -> &'i str {
    item.get(name).and_then(Value::as_text).unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Owner {
    Order,
    Ticket,
    Pet,
}

const OWNERS: [Owner; 3] = [Owner::Order, Owner::Ticket, Owner::Pet];

impl Owner {
    fn ty(self) -> (&'static str, &'static str) {
        match self {
            Owner::Order => ("__edb_e__", "order"),
            Owner::Ticket => ("_et", "Ticket"),
            Owner::Pet => ("type", "pet"),
        }
    }

    fn admits(self, row: &Item) -> bool {
        let (attribute, name) = self.ty();
        let constant = row.get("v").filter(|_| self == Owner::Ticket);
        let is_own = constant.is_none_or(|stored| *stored == number(2));
        match row.get(attribute) {
            Some(stored) => {
                *stored == text(name) && is_own && (self != Owner::Ticket || constant.is_some())
            }
            None => is_own,
        }
    }

    fn has_key(self, row: &Item) -> bool {
        let (pk, sk) = (text_of(row, "pk"), text_of(row, "sk"));
        match self {
            Owner::Order => pk.starts_with("customer_") && sk.starts_with("order_"),
            Owner::Ticket => pk.starts_with("customer_") && sk.starts_with("TICKET#"),
            Owner::Pet => sk.ends_with("::pet"),
        }
    }

    fn owns(self, row: &Item) -> bool {
        self.admits(row) && self.has_key(row)
    }

    /// Its rows, as they would be written.
    fn rows(self, rows: &[Item]) -> Vec<Item> {
        let (attribute, name) = self.ty();
        let own = rows.iter().filter(|row| self.owns(row)).cloned();
        let written = own.map(|mut row| {
            row.insert(attribute, text(name));
            if self == Owner::Ticket {
                row.insert("v", number(2));
            }
            row
        });
        sorted(written.collect())
    }
}

struct Rows(fastrand::Rng);

impl Rows {
    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())].clone()
    }

    /// A row with arbitrary values of all type attributes, of which two are data for each entity.
    fn row(&mut self, at: usize) -> Item {
        let (pk, sk) = self.one_of(&[
            ("customer_ann", format!("order_{at}")),
            ("customer_ann", format!("TICKET#{at}")),
            ("owner_ann", format!("{at}::pet")),
            ("owner_ann", format!("{at}::owner")),
        ]);
        let mut item = Item::from_iter([
            ("pk", text(pk)),
            ("sk", text(&sk)),
            ("customer", text("ann")),
            ("number", number(at)),
        ]);
        if pk == "customer_ann" {
            item.insert("day", number(1));
            item.insert("gsi1pk", text("day_1"));
            item.insert("gsi1sk", text(&format!("number_{at}")));
        }
        for attribute in ["__edb_e__", "_et", "type"] {
            let types = [
                None,
                None,
                Some("order"),
                Some("Ticket"),
                Some("pet"),
                Some("x"),
            ];
            if let Some(name) = self.one_of(&types) {
                item.insert(attribute, text(name));
            }
        }
        if let Some(value) = self.one_of(&[None, Some(2), Some(2), Some(3)]) {
            item.insert("v", number(value));
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

async fn read<E: DynamoEntity>(db: &Db) -> Result<Vec<Item>> {
    let rows = E::scan().all(db).await?;
    assert_eq!(rows.len() as u64, E::scan().count(db).await?);
    let page = E::scan().limit(4).page(db).await?;
    let rest = match page.next {
        Some(cursor) => E::scan().resume(cursor).all(db).await?.len(),
        None => 0,
    };
    assert_eq!(page.rows.len() + rest, rows.len());
    let rows: Result<Vec<Item>> = rows.into_iter().map(|row| row.to_item()).collect();
    Ok(sorted(rows?))
}

async fn random_rows_have_one_owner(db: Db) -> Outcome {
    for seed in 0..2 {
        let mut random = Rows(fastrand::Rng::with_seed(seed));
        let rows: Vec<Item> = (0..60).map(|at| random.row(at)).collect();
        for row in &rows {
            db.plant::<Order>(row.clone()).await;
        }
        let [orders, tickets, pets] = OWNERS.map(|owner| owner.rows(&rows));
        assert_eq!(read::<Order>(&db).await?, orders, "seed {seed}");
        assert_eq!(read::<Ticket>(&db).await?, tickets, "seed {seed}");
        assert_eq!(read::<Pet>(&db).await?, pets, "seed {seed}");

        let everything = Everything::scan().all(&db).await?;
        assert_eq!(everything.len(), rows.len(), "seed {seed}");
        let others = everything
            .iter()
            .filter(|row| matches!(row, Everything::Other(_)));
        let of_entities = orders.len() + tickets.len() + pets.len();
        assert_eq!(others.count(), rows.len() - of_entities, "seed {seed}");
        // Only orders are omitted: every other row is an entity or an error.
        let known = Known::scan().lenient().all(&db).await?;
        assert_eq!(known.len(), rows.len() - orders.len(), "seed {seed}");
        assert_eq!(
            known.iter().filter(|row| row.is_ok()).count(),
            tickets.len() + pets.len()
        );

        assert_eq!(
            Order::by_day(1).count(&db).await?,
            orders.len() as u64,
            "seed {seed}"
        );
        let by_day = Ticket::by_day(1).hydrate().all(&db).await?;
        assert_eq!(by_day.len(), tickets.len(), "seed {seed}");

        Ticket::scan().delete_each().send(&db).await?.complete()?;
        let left = rows.len() - tickets.len();
        assert_eq!(db.count::<Programs>().await as usize, left, "seed {seed}");
        assert_eq!(read::<Order>(&db).await?, orders, "seed {seed}");
        for row in &rows {
            let key = Item::from_iter(["pk", "sk"].map(|name| (name, text(text_of(row, name)))));
            let delete = db.client().delete_item().table_name(db.table::<Programs>());
            delete.set_key(Some(key.into())).send().await?;
        }
    }
    Ok(())
}

fn ticket(number: u32) -> Ticket {
    Ticket {
        customer: "ann".into(),
        number,
        day: 1,
        rest: Item::new(),
    }
}

async fn every_write_has_its_own_type(db: Db) -> Outcome {
    let has = async |number: u32| {
        let stored = Item::from(db.stored(&ticket(number).key()).await);
        assert_eq!(stored.get("_et"), Some(&text("Ticket")), "{number}");
        assert_eq!(stored.get("__edb_e__"), None, "{number}");
    };
    ticket(1).create().send(&db).await?;
    ticket(2).put().send(&db).await?;
    let upsert = Ticket::key("ann", 3).upsert().apply(|t| t.day().set(1));
    upsert.send(&db).await?;
    Transaction::new()
        .with(ticket(4).create())
        .send(&db)
        .await?;
    Batch::new()
        .with(ticket(5).put())
        .send(&db)
        .await?
        .complete()?;
    let line = br#"{"customer": "ann", "number": 6, "day": 1, "_et": "Ticket", "v": 2}"#;
    let import = Ticket::import(&line[..]).format(RowFormat::Json);
    import.send(&db).await?.complete()?;
    let mut row = ticket(7).to_item()?;
    row.remove("_et");
    db.plant::<Ticket>(row).await;
    Ticket::scan().refill().send(&db).await?.complete()?;
    for number in 1..=7 {
        has(number).await;
    }
    let line = br#"{"customer": "ann", "number": 8, "day": 1, "_et": "order", "v": 2}"#;
    let import = Ticket::import(&line[..]).format(RowFormat::Json);
    let error = import.send(&db).await?.complete().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the type of the line is `order`"),
        "{error}"
    );

    // The type attributes of other entities are data.
    let mut tagged = ticket(9);
    tagged.rest.insert("type", text("pet"));
    tagged.rest.insert("__edb_e__", text("order"));
    let stored = tagged.create().send(&db).await?;
    assert_eq!(stored, tagged);
    assert_eq!(Ticket::key("ann", 9).get().send(&db).await?, Some(tagged));
    assert_eq!(
        (
            Pet::scan().count(&db).await?,
            Order::scan().count(&db).await?
        ),
        (0, 0)
    );

    let mut foreign = ticket(10).to_item()?;
    foreign.insert("_et", text("x"));
    db.plant::<Ticket>(foreign).await;
    let error = Ticket::key("ann", 10).get().send(&db).await.unwrap_err();
    assert_eq!(error.attribute(), Some("_et"));
    Ok(())
}

async fn unique_values_are_no_rows(db: Db) -> Outcome {
    let pet = |number: u32, name: &str| Pet {
        customer: "ann".into(),
        number,
        name: Some(name.into()),
        rest: Item::new(),
    };
    pet(1, "rex").create().send(&db).await?;
    pet(2, "tom").create().send(&db).await?;
    assert!(pet(3, "rex").create().send(&db).await.is_err());
    assert_eq!(Pet::by_name("rex").send(&db).await?, Some(pet(1, "rex")));
    assert_eq!(Pet::scan().all(&db).await?.len(), 2);
    assert_eq!(Pet::scan().count(&db).await?, 2);
    let refilled = Pet::scan().refill().send(&db).await?.complete()?;
    assert_eq!(refilled.written, 0);
    // A refill finds the item of a unique value whose owner is gone.
    let key = Item::from_iter([("pk", text("owner_ann")), ("sk", text("2::pet"))]);
    let delete = db.client().delete_item().table_name(db.table::<Programs>());
    delete.set_key(Some(key.into())).send().await?;
    assert_eq!(db.count::<Programs>().await, 3);
    Pet::scan().refill().send(&db).await?.complete()?;
    assert_eq!(db.count::<Programs>().await, 2);
    pet(2, "tom").create().send(&db).await?;
    assert_eq!(Known::scan().all(&db).await?.len(), 2);
    Pet::scan().delete_each().send(&db).await?.complete()?;
    assert_eq!(db.count::<Programs>().await, 0);
    Ok(())
}
