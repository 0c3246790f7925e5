//! `compress` is a form of a value.

use std::collections::HashSet;

use dynamo_entity::prelude::*;

struct Foreign(String);

#[derive(DynamoEntity)]
#[dynamo(table = "manuals", key(pk = id))]
struct Manual {
    #[dynamo(compress)]
    id: String,
    #[dynamo(compress, null)]
    note: Option<String>,
    #[dynamo(version, compress)]
    version: Version,
    #[dynamo(skip, compress)]
    cached: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "books", key(pk = id))]
struct Book {
    id: u32,
    #[dynamo(compress)]
    foreign: Foreign,
    #[dynamo(compress)]
    tags: HashSet<String>,
}

fn main() {}
