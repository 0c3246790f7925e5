//! Declarations for the table `electrodb`, guessed from 7 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use dynamo_entity::prelude::*;
use dynamo_entity::Timestamp;

#[derive(DynamoTable)]
#[dynamo(name = "electrodb", pk = "pk", sk = "sk", verbatim, type_attribute = "__edb_e__", identify_by = key, entities(Customer, StockCustomer2, Order, StockOrder1))]
#[dynamo(gsi(gsi1pk_gsi1sk_index, rename = "gsi1pk-gsi1sk-index", pk = "gsi1pk", sk = "gsi1sk"))]
pub struct ElectrodbTable;

// unsure: guessed from 2 items
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ElectrodbTable, rename = "customer", constant("__edb_v__" = "1"), key(pk = "$shop#customer_{customer:lower}", sk = "$customer_1"))]
pub struct Customer {
    // unsure: a time by the name of the attribute and the size of its numbers
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, rename = "createdAt", format = "epoch_ms")]
    pub created_at: Timestamp,
    pub customer: String,
    pub mail: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 1 item
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ElectrodbTable, rename = "customer", constant("__edb_v__" = "2"), key(pk = "$stock#customer_{customer:lower}", sk = "$customer_2"))]
pub struct StockCustomer2 {
    // unsure: keys may contain the text as it is, because the sample has no capitals
    pub customer: String,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ElectrodbTable, rename = "order", constant("__edb_v__" = "1"), key(pk = "$shop#customer_{customer:lower}", sk = "$order_1#number_{number:06}"))]
#[dynamo(gsi(by_status, on = gsi1pk_gsi1sk_index, pk = "$shop#status_{status:lower}", sk = "$order_1#createdat_{created_at:ms:lower}#number_{number:06}"))]
pub struct Order {
    // unsure: the time of creation by its name, so the library sets it
    #[dynamo(created_at, rename = "createdAt", format = "rfc3339_ms")]
    pub created_at: Timestamp,
    pub customer: String,
    pub lines: Vec<OrderLine>,
    pub note: Option<String>,
    pub number: u64,
    pub paid: bool,
    // unsure: keys may contain the text as it is, because the sample has no capitals
    pub status: String,
    pub total: u64,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct OrderLine {
    pub count: u64,
    pub gift: Option<bool>,
    pub sku: String,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

// unsure: guessed from 1 item
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = ElectrodbTable, rename = "order", constant("__edb_v__" = "1"), key(pk = "$stock#customer_{customer:lower}", sk = "$order_1#number_{number:06}"))]
pub struct StockOrder1 {
    pub customer: String,
    pub number: u64,
    pub total: u64,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
