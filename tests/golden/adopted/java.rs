//! Declarations for the table `java`, guessed from 3 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "java", key(pk = customer_id, sk = number))]
#[dynamo(gsi(by_status, rename = "byStatus", pk = status, sk = placed_at))]
pub struct Java {
    pub amounts: Vec<u64>,
    #[dynamo(format = "rfc3339")]
    pub changed: Timestamp,
    #[dynamo(rename = "customerId")]
    pub customer_id: String,
    #[dynamo(null)]
    pub note: Option<String>,
    pub number: i64,
    #[dynamo(rename = "placedAt")]
    pub placed_at: String,
    pub status: String,
    #[dynamo(rename = "type")]
    pub type_: String,
    // unsure: the version by its name, so every write checks and raises it; otherwise declare a `u64`
    #[dynamo(version)]
    pub version: Version,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
