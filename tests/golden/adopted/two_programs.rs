//! Declarations for the table `two_programs`, guessed from 5 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;

#[derive(DynamoTable)]
#[dynamo(name = "two_programs", pk = "pk", sk = "sk", verbatim, type_attribute = "__edb_e__", identify_by = key, entities(Order, Ticket))]
pub struct TwoProgramsTable;

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = TwoProgramsTable, rename = "order", constant("__edb_v__" = "1"), key(pk = "$shop#customer_{customer:lower}", sk = "$order_1#number_{number}"))]
pub struct Order {
    pub customer: String,
    pub number: u64,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = TwoProgramsTable, type_attribute = "_et", key(pk = "{customer}", sk = "TICKET#{number}"))]
pub struct Ticket {
    pub customer: String,
    pub number: u64,
    #[dynamo(rename = "type")]
    pub type_: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
