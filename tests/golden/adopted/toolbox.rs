//! Declarations for the table `toolbox`, guessed from 4 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::codec::Nullable;
use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(DynamoTable)]
#[dynamo(name = "toolbox", pk = "pk", sk = "sk", verbatim, type_attribute = "_et", entities(Order, Profile))]
pub struct ToolboxTable;

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ToolboxTable, key(pk = "{customer}", sk = "ORDER#{number}"))]
pub struct Order {
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, rename = "_ct", format = "rfc3339_ms")]
    pub created: Timestamp,
    // unsure: the time of the last write by its name, so the library sets it
    #[dynamo(updated_at, rename = "_md", format = "rfc3339_ms")]
    pub updated: Timestamp,
    #[dynamo(null)]
    pub coupon: Option<String>,
    pub customer: String,
    pub number: u64,
    pub tags: Vec<Nullable<String>>,
    pub total: u64,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ToolboxTable, key(pk = "{customer}", sk = "PROFILE"))]
pub struct Profile {
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, rename = "_ct", format = "rfc3339_ms")]
    pub created: Timestamp,
    // unsure: the time of the last write by its name, so the library sets it
    #[dynamo(updated_at, rename = "_md", format = "rfc3339_ms")]
    pub updated: Timestamp,
    pub address: ProfileAddress,
    pub customer: String,
    #[dynamo(rename = "type")]
    pub type_: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct ProfileAddress {
    pub floor: Option<u64>,
    pub street: String,
    pub zip: String,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
