//! Flattened structs: their fields are attributes of the item.

use dynamo_entity::prelude::*;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Contact {
    mail: String,
    phone: Option<String>,
    #[dynamo(default)]
    calls: u32,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "customers", key(pk = id))]
#[dynamo(gsi(by_name, pk = name))]
struct Customer {
    id: String,
    name: String,
    #[dynamo(flatten)]
    contact: Contact,
    #[dynamo(version)]
    version: Version,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "plain", key(pk = id))]
struct Plain {
    id: String,
    title: String,
    #[dynamo(flatten)]
    contact: Contact,
}

fn customer(id: &str, mail: &str) -> Customer {
    Customer {
        id: id.to_owned(),
        name: "Ann".to_owned(),
        contact: Contact {
            mail: mail.to_owned(),
            phone: None,
            calls: 0,
        },
        version: Version::default(),
        rest: Item::new(),
    }
}

tests![
    fields_are_attributes(Customer),
    changes_reach_the_fields(Customer),
    changes_are_guarded_by_defaults(Plain),
    a_missing_field_is_named(Customer)
];

async fn fields_are_attributes(db: Db) -> Outcome {
    let mut ann = customer("ann", "ann@x.org");
    ann.rest.insert("theme", "dark");
    let ann = ann.create().send(&db).await?;
    let item = ann.to_item()?;
    let names: Vec<&str> = item.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["calls", "id", "mail", "name", "theme", "version"]);

    let read = Customer::key("ann").get().consistent().send(&db).await?;
    assert_eq!(read, Some(ann.clone()));
    let with_mail = Customer::scan().filter(|c| c.contact().mail().eq("ann@x.org"));
    assert_eq!(with_mail.all(&db).await?, [ann]);
    let with_phone = Customer::scan().filter(|c| c.contact().phone().exists());
    assert!(with_phone.all(&db).await?.is_empty());

    // An unknown attribute of the name of a field belongs to the field.
    let mut bob = customer("bob", "bob@x.org");
    bob.rest.insert("phone", "1");
    let refused = bob.create().send(&db).await.unwrap_err();
    assert!(refused.to_string().contains("phone"), "{refused}");
    Ok(())
}

async fn changes_reach_the_fields(db: Db) -> Outcome {
    let ann = customer("ann", "ann@x.org").create().send(&db).await?;
    let called = ann.update().apply(|c| c.contact().calls().add(1));
    let called = called.apply(|c| c.contact().phone().set("41"));
    let called = called.when(|c| c.contact().mail().eq("ann@x.org"));
    let ann = called.send(&db).await?;
    assert_eq!(
        (ann.contact.calls, ann.contact.phone.as_deref()),
        (1, Some("41"))
    );

    let moved = Customer::key("ann").modify(|c| {
        c.contact.mail = "ann@y.org".to_owned();
        c.contact.phone = None;
    });
    let ann = moved.send(&db).await?;
    let read = Customer::key("ann").get().consistent().send(&db).await?;
    assert_eq!(read.as_ref(), Some(&ann));
    assert_eq!(ann.contact.mail, "ann@y.org");
    assert!(!ann.to_item()?.contains("phone"));

    let other = Customer::key("ann")
        .update()
        .apply(|c| c.contact().calls().set(9));
    let refused = other
        .when(|c| c.contact().mail().eq("ann@x.org"))
        .send(&db)
        .await;
    assert!(refused.is_err_and(|error| error.is_conflict()));

    // An upsert gives all fields that an item needs.
    let created = Customer::key("eve").upsert().apply(|c| c.name().set("Eve"));
    let created = created.apply(|c| c.contact().mail().set("eve@x.org"));
    assert_eq!(created.send(&db).await?.contact.mail, "eve@x.org");
    let lacking = Customer::key("joe").upsert().apply(|c| c.name().set("Joe"));
    let refused = lacking.send(&db).await.unwrap_err();
    assert!(refused.to_string().contains("mail"), "{refused}");
    Ok(())
}

/// Without a version, a change between two values is guarded by the values themselves.
async fn changes_are_guarded_by_defaults(db: Db) -> Outcome {
    let row = Item::from_json(r#"{"id": "ann", "title": "Ann", "mail": "a@x.org"}"#)?;
    Item::in_table("plain").put(row).send(&db).await?;
    let seen = Plain::key("ann").get().consistent().send(&db).await?;
    let seen = seen.ok_or("the row")?;
    let mut next = seen.clone();
    next.title = "Anna".to_owned();
    seen.changes_to(&next).send(&db).await?;
    let read = Plain::key("ann").get().consistent().send(&db).await?;
    assert_eq!(read, Some(next));
    Ok(())
}

async fn a_missing_field_is_named(db: Db) -> Outcome {
    let row = Item::from_json(r#"{"id": "ann", "name": "Ann", "version": 1}"#)?;
    Item::in_table("customers").put(row).send(&db).await?;
    let refused = Customer::key("ann").get().send(&db).await.unwrap_err();
    assert!(
        refused.to_string().starts_with("Customer.mail: "),
        "{refused}"
    );
    Ok(())
}
