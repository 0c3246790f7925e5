//! Declarations for the table `discriminators`, guessed from 4 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::codec::Nullable;
use dynamo_entity::prelude::*;

// unsure: `cls` may be the type of several entities with the same keys; they are one struct here
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "discriminators", key(pk = id))]
pub struct Discriminator {
    pub cls: String,
    pub id: String,
    pub lives: Option<u64>,
    pub owner: Option<Nullable<String>>,
    pub seen: Option<u64>,
    pub versions: Option<Vec<String>>,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
