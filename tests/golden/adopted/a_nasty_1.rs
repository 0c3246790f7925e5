//! Declarations for the table `a.nasty-1`, guessed from 3 items, which are all.
//!
//! `unsure` marks guesses. An attribute that is in all items of the sample may be missing in others: declare an
//! `Option` if it may.

use std::collections::{BTreeMap, BTreeSet};
use dynamo_entity::codec::Nullable;
use dynamo_entity::key::JavaScriptTime;
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Timestamp, Value};

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "a.nasty-1", key(pk = key, sk = count_value))]
#[dynamo(lsi(scan_value, rename = "scan", sk = limit_value))]
#[dynamo(gsi(type_, rename = "type", pk = first, sk = item, project = keys))]
pub struct ANasty1 {
    #[dynamo(rename = "Item")]
    pub item: Option<JavaScriptTime<Timestamp>>,
    #[dynamo(rename = "Option")]
    pub option: BTreeSet<Vec<u8>>,
    #[dynamo(rename = "Rest")]
    pub rest2: Option<bool>,
    // unsure: the sample has several types here, or empty lists and maps
    #[dynamo(rename = "SELF")]
    pub self_: Option<Value>,
    #[dynamo(rename = "Self")]
    pub self_2: Option<String>,
    #[dynamo(rename = "String")]
    pub string: Option<BTreeMap<String, u64>>,
    // unsure: the sample has several types here, or empty lists and maps
    #[dynamo(rename = "String2")]
    pub string2: Option<Value>,
    #[dynamo(rename = "Vec")]
    pub vec: Option<String>,
    // unsure: every item of the sample has NULL here
    #[dynamo(rename = "_")]
    pub field: Option<Value>,
    #[dynamo(rename = "a\"b\\{x}")]
    pub a_b_x: Option<String>,
    #[dynamo(rename = "count")]
    pub count_value: Number,
    pub first: Option<i64>,
    pub key: Vec<u8>,
    #[dynamo(rename = "limit")]
    pub limit_value: Option<String>,
    #[dynamo(rename = "rest")]
    pub rest3: Option<ANasty1Rest>,
    #[dynamo(rename = "self")]
    pub self_3: Option<String>,
    #[dynamo(rename = "日本")]
    pub field2: Option<Vec<Nullable<ANasty1_2>>>,
    /// Attributes that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct ANasty1Rest {
    #[dynamo(rename = "Value")]
    pub value: ANasty1RestValue,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct ANasty1RestValue {
    #[dynamo(rename = "type")]
    pub type_: String,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct ANasty1_2 {
    // unsure: a float; use `Number` or a decimal type for amounts of money
    #[dynamo(rename = "fn")]
    pub fn_: f64,
    /// Members that are not declared.
    #[dynamo(rest)]
    pub rest: Item,
}
