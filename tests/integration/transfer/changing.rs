//! Items are imported by programs whose declaration is being changed: rows of an older shape, and renamed attributes.

use dynamo_entity::prelude::*;
use dynamo_entity::transfer::RowFormat;

use super::FORMATS;
use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    rows_of_an_older_shape_are_imported(Person),
    a_value_that_is_not_read_is_not_lost(keeping::Parcel),
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
