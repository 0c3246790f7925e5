//! Items are imported by programs whose declaration is being changed: rows of an older shape, and renamed attributes.

use dynamo_entity::Value;
use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;
use dynamo_entity::write::DynamicWrites;

use super::FORMATS;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    rows_of_an_older_shape_are_imported(Person),
    a_value_that_is_not_read_is_not_lost(keeping::Parcel),
    a_removed_value_stays_removed(keeping::Letter),
    a_renaming_does_not_concern_older_shapes(Bill),
];

/// The first shape: `name` has another type in the second one, and `city` is gone.
#[derive(DynamoEntity)]
#[dynamo(table = "people", key(pk = id))]
pub struct PersonV1 {
    pub id: u32,
    pub name: String,
    pub city: String,
}

#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "people", key(pk = id))]
#[dynamo(shape = 2, was(PersonV1), into(PersonV1))]
pub struct Person {
    pub id: u32,
    pub name: Vec<String>,
}

impl From<PersonV1> for Person {
    fn from(old: PersonV1) -> Self {
        let words = old.name.split(' ').chain([&*old.city]);
        Self {
            id: old.id,
            name: words.map(str::to_owned).collect(),
        }
    }
}

impl From<&Person> for PersonV1 {
    fn from(new: &Person) -> Self {
        Self {
            id: new.id,
            name: new.name.join(" "),
            city: String::new(),
        }
    }
}

async fn rows_of_an_older_shape_are_imported(db: Db) -> Outcome {
    let old = PersonV1 {
        id: 1,
        name: "Ann Lee".into(),
        city: "Rome".into(),
    };
    old.put().send(&db).await?;
    let name = vec!["Bob".to_owned()];
    Person { id: 2, name }.put().send(&db).await?;
    for format in FORMATS {
        let mut file = Vec::new();
        let scan = Person::schema().scan_items()?.consistent();
        scan.export(&mut file)
            .format(format)
            .send(&db)
            .await?
            .complete()?;
        db.truncate([Person::schema()]).even_on_aws().await?;
        let report = Person::import(&file[..]).format(format).send(&db).await?;
        assert_eq!(report.complete()?.written, 2);
        let stored = Person::scan().consistent().all(&db).await?;
        let names: Vec<_> = stored.iter().map(|person| person.name.join("+")).collect();
        let is_one = |name: &str| names.iter().any(|stored| stored == name);
        assert!(is_one("Ann+Lee+Rome") && is_one("Bob"), "{names:?}");
        // Again as a row of the first shape.
        db.truncate([Person::schema()]).even_on_aws().await?;
        old.put().send(&db).await?;
        let name = vec!["Bob".to_owned()];
        Person { id: 2, name }.put().send(&db).await?;
    }
    // A field that neither shape has would be lost.
    let line = br#"{"id": 3, "name": "Cy", "city": "Oslo", "zip": 5}"#;
    let report = Person::import(&line[..])
        .format(RowFormat::Json)
        .send(&db)
        .await?;
    let failed = report.errors()[0].error().to_string();
    assert!(
        failed.contains("zip") && failed.contains("no field"),
        "{failed}"
    );
    Ok(())
}

mod keeping {
    use super::*;

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "parcels", key(pk = id))]
    pub struct Parcel {
        pub id: u32,
        #[dynamo(was("note", keep))]
        pub remark: Option<String>,
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "letters", key(pk = id))]
    pub struct Letter {
        pub id: u32,
        #[dynamo(was("note", keep))]
        pub remark: Option<String>,
        #[dynamo(version)]
        pub version: Version,
    }
}

async fn a_value_that_is_not_read_is_not_lost(db: Db) -> Outcome {
    use keeping::Parcel;

    let lines = br#"{"id": 1, "note": "a"}
{"id": 2, "remark": "b"}
{"id": 3, "note": "c", "remark": "d"}
"#;
    let import = || Parcel::import(&lines[..]).format(RowFormat::Json);
    let report = import().send(&db).await?;
    assert_eq!(report.counts().written, 2);
    let failed: Vec<_> = report
        .errors()
        .iter()
        .map(|line| (line.number(), line.error().to_string()))
        .collect();
    assert_eq!(failed.len(), 1);
    assert!(
        failed[0].0 == 2 && failed[0].1.contains("`note`"),
        "{failed:?}"
    );
    // Rows in which an older program has changed one of both are read like stored ones.
    let third = Parcel::key(3).get().send(&db).await?.ok_or("an item")?;
    assert_eq!(third.remark.as_deref(), Some("c"));
    db.truncate([Parcel::schema()]).even_on_aws().await?;
    assert_eq!(
        import().drop_unknown().send(&db).await?.complete()?.written,
        3
    );
    let second = Parcel::key(2).get().send(&db).await?.ok_or("an item")?;
    assert_eq!(second.remark, None);
    Ok(())
}

/// An older program has removed the value under the former name. An edit of the stored item does not bring it back.
async fn a_removed_value_stays_removed(db: Db) -> Outcome {
    use keeping::Letter;

    let stored = [
        ("id", Value::from(1)),
        ("version", Value::from(1)),
        ("remark", Value::from("outdated")),
    ];
    let letters = DynamicWrites::of::<Letter>();
    let error = letters.put(Item::from_iter(stored.clone()));
    let error = error.err().ok_or("an item that may be read in two ways")?;
    assert!(error.to_string().contains("name it `note`"), "{error}");
    // An item that was never stored has the value.
    let new = stored.into_iter().filter(|(name, _)| *name != "version");
    letters.put(Item::from_iter(new))?.send(&db).await?;
    let letter = Letter::key(1).get().send(&db).await?.ok_or("an item")?;
    assert_eq!(letter.remark.as_deref(), Some("outdated"));
    Ok(())
}

#[derive(DynamoEntity)]
#[dynamo(table = "bills", key(pk = id))]
pub struct BillV1 {
    pub id: u32,
    pub total: Option<String>,
}

/// Its `total` has another form than that of the first shape, and had another name.
#[derive(Debug, PartialEq, DynamoEntity)]
#[dynamo(table = "bills", key(pk = id), shape = 2, was(BillV1))]
pub struct Bill {
    pub id: u32,
    #[dynamo(was("sum", keep))]
    pub total: Option<i64>,
}

impl From<BillV1> for Bill {
    fn from(old: BillV1) -> Self {
        let total = old.total.and_then(|total| total.parse().ok());
        Self { id: old.id, total }
    }
}

async fn a_renaming_does_not_concern_older_shapes(db: Db) -> Outcome {
    let line = br#"{"id": 1, "total": "5"}"#;
    let import = Bill::import(&line[..]).format(RowFormat::Json);
    assert_eq!(import.send(&db).await?.complete()?.written, 1);
    let first = Bill::key(1).get().send(&db).await?.ok_or("an item")?;
    assert_eq!(first.total, Some(5));
    let second = [
        ("id", Value::from(2)),
        ("total", Value::from("6")),
        ("_shape", Value::from(1)),
    ];
    let bills = DynamicWrites::of::<Bill>();
    bills.put(Item::from_iter(second))?.send(&db).await?;
    let second = Bill::key(2).get().send(&db).await?.ok_or("an item")?;
    assert_eq!(second.total, Some(6));
    Ok(())
}
