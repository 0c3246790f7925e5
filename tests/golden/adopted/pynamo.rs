//! Declarations for the table `pynamo`, guessed from 3 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use std::collections::BTreeSet;
use dynamo_entity::key::PynamoTime;
use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "pynamo", key(pk = customer, sk = number))]
pub struct Pynamo {
    pub customer: String,
    pub note: Option<String>,
    pub number: u64,
    pub photo: Option<Vec<u8>>,
    pub placed_at: PynamoTime<Timestamp>,
    pub tags: BTreeSet<String>,
    // unsure: a float; use `Number` or a decimal type for amounts of money
    pub total: f64,
    // unsure: the version by its name, so every write checks and raises it; otherwise declare a `u64`
    #[dynamo(version)]
    pub version: Version,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
