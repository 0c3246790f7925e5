//! An update of an item in an older shape reads the item first, so it checks there whose item it is.

use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::Outcome;

#[derive(DynamoTable)]
#[dynamo(name = "staff", pk = "pk", type_attribute = "cls", identify_by = type, entities(Person, Robot))]
pub(super) struct Staff;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Staff, rename = "Person", key(pk = "STAFF#{id}"))]
struct PersonV1 {
    id: u32,
    cents: u64,
    #[dynamo(version)]
    version: Version,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Staff, key(pk = "STAFF#{id}"))]
#[dynamo(shape = 2, writes = 1, was(PersonV1), into(PersonV1))]
struct Person {
    id: u32,
    wage: u64,
    #[dynamo(version)]
    version: Version,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Staff, key(pk = "STAFF#{id}"))]
struct Robot {
    id: u32,
    cents: u64,
}

impl From<PersonV1> for Person {
    fn from(old: PersonV1) -> Self {
        Person {
            id: old.id,
            wage: old.cents * 10,
            version: old.version,
        }
    }
}

impl From<&Person> for PersonV1 {
    fn from(new: &Person) -> Self {
        PersonV1 {
            id: new.id,
            cents: new.wage / 10,
            version: new.version,
        }
    }
}

pub(super) async fn evaluated_updates_change_no_other_item(db: Db) -> Outcome {
    let robot = Robot { id: 1, cents: 5 }.create().send(&db).await?;
    let stored = db.stored(&robot.key()).await;
    let update = Person::key(1).update().apply(|p| p.wage().set(70));
    let error = update.send(&db).await.expect_err("a robot");
    assert!(error.is_conflict(), "{error}");
    assert_eq!(error.current::<Robot>()?, Some(robot.clone()));
    assert_eq!(db.stored(&robot.key()).await, stored);

    let person = Person {
        id: 2,
        wage: 50,
        version: Version::default(),
    };
    person.create().send(&db).await?;
    let update = Person::key(2).update().apply(|p| p.wage().set(70));
    assert_eq!(update.send(&db).await?.wage, 70);
    Ok(())
}
