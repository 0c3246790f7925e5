//! Declarations for the table `one_table`, guessed from 7 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(DynamoTable)]
#[dynamo(name = "one_table", pk = "pk", sk = "sk", verbatim, type_attribute = "_type", entities(Account, User))]
#[dynamo(gsi(gs1, pk = "gs1pk", sk = "gs1sk"))]
pub struct OneTableTable;

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = OneTableTable, key(pk = "account#{id}", sk = "account#"))]
pub struct Account {
    // unsure: a float; use `Number` or a decimal type for amounts of money
    pub balance: f64,
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, format = "rfc3339_ms")]
    pub created: Timestamp,
    pub id: String,
    pub name: String,
    // unsure: the time of the last write by its name, so the library sets it
    #[dynamo(updated_at, format = "rfc3339_ms")]
    pub updated: Timestamp,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: the keys of the index `gs1` are fields, and no write derives them: some items have only one of them
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = OneTableTable, key(pk = "account#{account_id}", sk = "user#{name}"))]
#[dynamo(gsi(gs1, pk = gs1pk, sk = gs1sk))]
#[dynamo(unique(unique_email, pk = "_unique#User#email#{email}", sk = "_unique#", constant("_type" = "_Unique")))]
pub struct User {
    #[dynamo(rename = "accountId")]
    pub account_id: String,
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, format = "rfc3339_ms")]
    pub created: Timestamp,
    pub email: Option<String>,
    pub gs1pk: Option<String>,
    pub gs1sk: String,
    #[dynamo(format = "rfc3339_ms")]
    pub joined: Option<Timestamp>,
    pub name: String,
    pub role: Option<String>,
    // unsure: the time of the last write by its name, so the library sets it
    #[dynamo(updated_at, format = "rfc3339_ms")]
    pub updated: Timestamp,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
