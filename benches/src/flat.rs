//! A flat item that every side stores, too: twelve attributes without lists and maps, about 0.9 KB of JSON.

use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, S};
use dynamo_entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::by_hand::{Map, number, text};
use crate::order::CUSTOMER;

#[derive(Debug, Clone, PartialEq, DynamoEntity, Serialize, Deserialize)]
#[dynamo(table = "visits", key(pk = customer, sk = number))]
pub struct Visit {
    pub customer: String,
    pub number: u64,
    pub page: String,
    pub referrer: Option<String>,
    pub agent: String,
    pub language: String,
    pub country: String,
    pub session: String,
    pub milliseconds: u32,
    pub bytes: i64,
    pub signed_in: bool,
    pub seen_at: String,
}

/// The first visits of one customer.
pub fn visits(count: u64) -> Vec<Visit> {
    (1..=count).map(numbered).collect()
}

fn numbered(number: u64) -> Visit {
    Visit {
        customer: CUSTOMER.into(),
        number,
        page: format!("https://shop.example/catalogue/kitchen/kettles/model-{number:06}?sort=price&order=ascending&colour=brushed-steel&volume=1.5-litres&delivery=within-two-days&campaign=spring-in-the-kitchen"),
        referrer: Some("https://search.example/results?query=quiet+kettle+with+temperature+and+a+long+cord&page=2&region=ch-de&safe=on&source=address-bar&time=last-twelve-months&kind=shops-and-reviews&layout=two-columns&session=8f1d7c02b95e4a6e".into()),
        agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36".into(),
        language: "de-CH,de;q=0.9,en;q=0.8".into(),
        country: "CH".into(),
        session: format!("0c5e1f2a-7b64-4a52-9a2e-{number:012}"),
        milliseconds: 1234,
        bytes: 187_654,
        signed_in: true,
        seen_at: "2024-02-29T12:30:05.000000001Z".into(),
    }
}

pub fn to_map(visit: &Visit) -> Map {
    let mut map = Map::with_capacity(12);
    map.insert("customer".into(), S(visit.customer.clone()));
    map.insert("number".into(), N(visit.number.to_string()));
    map.insert("page".into(), S(visit.page.clone()));
    if let Some(referrer) = &visit.referrer {
        map.insert("referrer".into(), S(referrer.clone()));
    }
    map.insert("agent".into(), S(visit.agent.clone()));
    map.insert("language".into(), S(visit.language.clone()));
    map.insert("country".into(), S(visit.country.clone()));
    map.insert("session".into(), S(visit.session.clone()));
    map.insert("milliseconds".into(), N(visit.milliseconds.to_string()));
    map.insert("bytes".into(), N(visit.bytes.to_string()));
    map.insert("signed_in".into(), Bool(visit.signed_in));
    map.insert("seen_at".into(), S(visit.seen_at.clone()));
    map
}

/// Returns `None` for an item of another shape.
pub fn from_map(mut map: Map) -> Option<Visit> {
    Some(Visit {
        customer: text(map.remove("customer")?)?,
        number: number(map.remove("number")?)?,
        page: text(map.remove("page")?)?,
        referrer: match map.remove("referrer") {
            Some(referrer) => Some(text(referrer)?),
            None => None,
        },
        agent: text(map.remove("agent")?)?,
        language: text(map.remove("language")?)?,
        country: text(map.remove("country")?)?,
        session: text(map.remove("session")?)?,
        milliseconds: number(map.remove("milliseconds")?)?,
        bytes: number(map.remove("bytes")?)?,
        signed_in: match map.remove("signed_in")? {
            Bool(signed_in) => signed_in,
            _ => return None,
        },
        seen_at: text(map.remove("seen_at")?)?,
    })
}
