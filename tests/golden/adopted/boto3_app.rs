//! Declarations for the table `boto3-app`, guessed from 6 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use std::collections::BTreeSet;
use dynamo_entity::key::PythonTime;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Timestamp};

// unsure: the items have no type, so their keys identify their entities; `put` adds the attribute `_type`
#[derive(DynamoTable)]
#[dynamo(name = "boto3-app", pk = "PK", sk = "SK", verbatim, entities(Order, User, Session))]
#[dynamo(gsi(gsi1, rename = "GSI1", pk = "GSI1PK", sk = "GSI1SK", project = keys))]
pub struct Boto3AppTable;

// unsure: guessed from 2 items
// unsure: `user` is only in `PK`; if it is a number or a time, declare its type
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Boto3AppTable, key(pk = "USER#{user}", sk = "ORDER#{placed}#{order_id}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{order_id}"))]
pub struct Order {
    #[dynamo(ttl)]
    pub expires: Option<Timestamp>,
    #[dynamo(rename = "orderId")]
    pub order_id: String,
    pub placed: PythonTime<Timestamp>,
    // unsure: a float; use `Number` or a decimal type for amounts of money
    pub price: f64,
    pub rate: Number,
    pub status: String,
    #[dynamo(skip)]
    pub user: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 2 items
// unsure: `user` is only in `PK`; if it is a number or a time, declare its type
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Boto3AppTable, key(pk = "USER#{user}", sk = "PROFILE"))]
pub struct User {
    pub email: String,
    pub joined: PythonTime<Timestamp>,
    pub scores: BTreeSet<u64>,
    pub settings: UserSettings,
    #[dynamo(skip)]
    pub user: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct UserSettings {
    pub mail: bool,
    pub theme: String,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 2 items
// unsure: `user` is only in `PK`; if it is a number or a time, declare its type
// unsure: `session` is only in `SK`; if it is a number or a time, declare its type
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = Boto3AppTable, key(pk = "USER#{user}", sk = "SESSION#{session}"))]
pub struct Session {
    #[dynamo(ttl)]
    pub expires: Timestamp,
    pub ip: String,
    #[dynamo(skip)]
    pub user: String,
    #[dynamo(skip)]
    pub session: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
