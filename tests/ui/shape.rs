//! `shape` and the words beside it: what contradicts itself is refused with the way out.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "first", key(pk = id), was(OldV1), writes = 1)]
struct NoShape {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "second", key(pk = id), shape = 1, was(OldV1))]
struct FirstWithBefore {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "third", key(pk = id), shape = 2, writes = 1)]
struct WritesUnknown {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "fourth", key(pk = id), shape = 3, writes = 1, was(OldV2), into(OldV2))]
struct WritesTooOld {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "fifth", key(pk = id), shape = 2, was(OldV1), into(OtherV1))]
struct TwoBefore {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "sixth", key(pk = id), shape = 2, into(OldV1))]
struct OnlyInto {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "seventh", key(pk = id), shape = "2")]
struct TextShape {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "eighth", key(pk = id), shape = 0)]
struct NoNumber {
    id: u32,
}

#[derive(DynamoEntity)]
#[dynamo(table = "ninth", key(pk = id), shape = 2, was = OldV1)]
struct WrongForm {
    id: u32,
}

fn main() {}
