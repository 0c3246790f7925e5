//! Declarations for the table `document_client`, guessed from 3 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;
use dynamo_entity::{Timestamp, Value};

// unsure: `visit` is only in `pk`; if it is a number or a time, declare its type
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "document_client", verbatim, key(pk = "VISIT#{visit}", sk = "{at:epoch_ms}#{guest2}"))]
#[dynamo(gsi(by_day, rename = "by-day", pk = day, project = [self_]))]
pub struct DocumentClient {
    #[dynamo(rename = "0")]
    pub n0: i64,
    #[dynamo(rename = "Guest")]
    pub guest: String,
    #[dynamo(rename = "a b")]
    pub a_b: String,
    // unsure: a time by the name of the attribute and the size of its numbers
    #[dynamo(format = "epoch_ms")]
    pub at: Timestamp,
    pub day: Option<String>,
    // unsure: the sample has several types here, or empty lists and maps
    pub extra: Option<Value>,
    #[dynamo(rename = "größe")]
    pub gr_e: u64,
    #[dynamo(rename = "guest")]
    pub guest2: String,
    #[dynamo(rename = "self")]
    pub self_: bool,
    #[dynamo(skip)]
    pub visit: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
