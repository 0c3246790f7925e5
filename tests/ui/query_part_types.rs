//! What is given for a part of a key is what the key holds of the field, and the message says how to get that.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "visits", key(pk = "{at:month}", sk = "{site}"))]
#[dynamo(gsi(by_assignee, pk = "{assignee}", sk = "{at:date}"))]
pub struct Visit {
    pub at: DateTime<Utc>,
    pub site: u32,
    pub assignee: Option<String>,
}

fn main() {
    let _ = Visit::in_partition(Utc::now());
    let _ = Visit::by_assignee(None::<String>);
    let _ = Visit::by_assignee(Some("ann"));
    let _ = Visit::by_assignee("ann").at().eq(Utc::now());
}
