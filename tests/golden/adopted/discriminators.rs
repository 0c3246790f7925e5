//! Declarations for the table `discriminators`, guessed from 4 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;

// unsure: `cls` is taken for the type
#[derive(DynamoTable)]
#[dynamo(name = "discriminators", pk = "id", verbatim, type_attribute = "cls", identify_by = type, entities(Cat, Dog))]
pub struct DiscriminatorsTable;

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = DiscriminatorsTable, key(pk = id))]
pub struct Cat {
    pub id: String,
    pub lives: u64,
    pub owner: Option<String>,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = DiscriminatorsTable, key(pk = id))]
pub struct Dog {
    pub id: String,
    #[dynamo(null)]
    pub owner: Option<String>,
    pub seen: Option<u64>,
    pub versions: Option<Vec<String>>,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
