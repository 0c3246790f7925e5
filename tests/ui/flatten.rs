//! A flattened struct has no attribute, and its fields are not those of the entity.

use dynamo_entity::prelude::*;

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Contact {
    mail: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Open {
    mail: String,
    #[dynamo(rest)]
    rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
enum State {
    Open,
    Closed,
}

#[derive(DynamoEntity)]
#[dynamo(table = "renamed", key(pk = id))]
struct Renamed {
    id: String,
    #[dynamo(flatten, rename = "c", default)]
    contact: Contact,
}

#[derive(DynamoEntity)]
#[dynamo(table = "keyed", key(pk = id), unique(by_contact, contact))]
#[dynamo(gsi(of_contact, pk = "C#{contact}"))]
struct Keyed {
    id: String,
    #[dynamo(flatten)]
    contact: Contact,
}

#[derive(DynamoEntity)]
#[dynamo(table = "optional", key(pk = id))]
struct Optional {
    id: String,
    #[dynamo(flatten)]
    contact: Option<Contact>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "opened", key(pk = id))]
struct Opened {
    id: String,
    #[dynamo(flatten)]
    contact: Open,
}

#[derive(DynamoEntity)]
#[dynamo(table = "named", key(pk = id))]
struct Named {
    id: String,
    #[dynamo(flatten)]
    state: State,
}

#[derive(DynamoEntity)]
#[dynamo(table = "twice", key(pk = id))]
struct Twice {
    id: String,
    mail: String,
    #[dynamo(flatten)]
    contact: Contact,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
struct Nested {
    #[dynamo(flatten)]
    contact: Contact,
}

#[derive(DynamoEntity)]
#[dynamo(table = "customers", key(pk = id))]
struct Customer {
    id: String,
    #[dynamo(flatten)]
    contact: Contact,
}

#[derive(DynamoProjection)]
#[dynamo(entity = Customer)]
struct Mail {
    mail: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "keyed", key(pk = "K#{mail}"))]
struct InKey {
    #[dynamo(skip)]
    mail: String,
    #[dynamo(flatten)]
    contact: Contact,
}

fn main() {
    let _ = Customer::key("a").update().apply(|c| c.mail().set("m"));
    let _ = Customer::scan().filter(|c| c.contact().exists());
}
