//! Models of global tables.

use dynamo_entity::lint::LintRule;
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Replicas, TableSchema};

use crate::case::Case;

fn eventual(schema: TableSchema) -> TableSchema {
    schema.replicated(Replicas::eventual(["eu-west-1", "us-east-1"]))
}

fn strong(schema: TableSchema) -> TableSchema {
    schema.replicated(Replicas::strong(["eu-west-1", "eu-west-2"]).with_witness("eu-west-3"))
}

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "ID#{id}"), unique(by_email, email))]
struct User {
    id: u32,
    email: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "pages", key(pk = id))]
struct Page {
    id: u32,
    text: String,
    #[dynamo(version)]
    version: Version,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sessions", key(pk = id))]
struct Session {
    id: u32,
    #[dynamo(ttl)]
    expires_at: Option<std::time::SystemTime>,
}

#[derive(DynamoEntity)]
#[dynamo(table = "orders", key(pk = user, sk = number))]
#[dynamo(lsi(by_total, sk = total, allow(local_index)))]
struct Order {
    user: u32,
    number: u32,
    total: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: u32))]
struct Hall {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "maps", key(pk = "MAP#{id}"), blob(image))]
struct Map {
    id: u32,
}

/// Without a version, unique values, a TTL and local indexes.
#[derive(DynamoEntity)]
#[dynamo(table = "notes", key(pk = id))]
struct Note {
    id: u32,
    text: String,
}

pub fn cases() -> Vec<Case> {
    let case = |rule, place, found, clean| Case {
        rule,
        place,
        found,
        clean,
    };
    let (eventually, strongly) = (LintRule::EventualReplicas, LintRule::StrongReplicas);
    vec![
        case(
            eventually,
            "User.by_email",
            eventual(User::schema()),
            User::schema(),
        ),
        case(
            eventually,
            "Page.version",
            eventual(Page::schema()),
            strong(Page::schema()),
        ),
        case(
            eventually,
            "Hall.seats",
            eventual(Hall::schema()),
            Hall::schema(),
        ),
        case(
            strongly,
            "Map.image",
            strong(Map::schema()),
            eventual(Note::schema()),
        ),
        case(
            strongly,
            "User.by_email",
            strong(User::schema()),
            eventual(Note::schema()),
        ),
        case(
            strongly,
            "Session",
            strong(Session::schema()),
            eventual(Session::schema()),
        ),
        case(
            strongly,
            "Order.by_total",
            strong(Order::schema()),
            eventual(Order::schema()),
        ),
    ]
}

/// A declaration that allows it is good in every environment.
#[test]
fn an_allow_is_no_lint_where_the_table_is_not_replicated() {
    #[derive(DynamoEntity)]
    #[dynamo(table = "users", key(pk = "ID#{id}"))]
    #[dynamo(unique(by_email, email, allow(eventual_replicas)))]
    struct Allowed {
        id: u32,
        email: String,
    }
    assert_eq!(Allowed::schema().lints(), []);
    assert_eq!(eventual(Allowed::schema()).lints(), []);
    assert_eq!(strong(Allowed::schema()).lints().len(), 1);
}

/// The declaration of a list has no `allow`, so that of its entity silences the lint.
#[test]
fn an_entity_allows_the_lints_of_its_lists() {
    #[derive(DynamoEntity)]
    #[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: u32))]
    #[dynamo(allow(eventual_replicas))]
    struct Allowed {
        id: u32,
    }
    assert_eq!(eventual(Allowed::schema()).lints(), []);
    let lints = strong(Allowed::schema()).lints();
    assert_eq!(lints.len(), 1);
    let text = lints[0].to_string();
    assert!(
        text.contains("Allowed.seats: strong_replicas: writes of `seats`"),
        "{text}"
    );
    assert!(
        text.contains("`#[dynamo(allow(strong_replicas))]` on `Allowed`"),
        "{text}"
    );
}
