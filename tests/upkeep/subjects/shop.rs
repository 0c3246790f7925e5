//! An entity whose index keys consist of several attributes, one of them renamed.

use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{filled, maybe};
use crate::subject::{IndexKeys, Move, Subject};
use crate::{maybe, parts, set};

crate::declare! {
    pub entity Shop(table = "shops", key(pk = "SHOP#{id}"), gsi(by_city, pk = [country, kind], sk = [city, size]),
        gsi(by_label, pk = "{kind}#{label}"))
        { pub id: u32, #[dynamo(rename = "c")] pub country: Option<String>, pub kind: u8, pub city: Option<String>,
          pub size: u32, pub label: Option<String> }
}

impl Subject for Shop {
    const KEY: &'static [&'static str] = &["id"];
    const REQUIRED: &'static [&'static str] = &["kind", "size"];
    const GROUPS: &'static [&'static [&'static str]] = &[&["kind", "label"]];

    parts![plain kind, maybe label];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Shop {
            id: no,
            country: maybe(rng, filled),
            kind: rng.u8(0..3),
            city: maybe(rng, filled),
            size: rng.u32(0..3),
            label: maybe(rng, filled),
        }
    }

    fn blank(no: u32) -> Self {
        Shop {
            id: no,
            country: None,
            kind: 0,
            city: None,
            size: 0,
            label: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        vec![
            maybe!(p.country, maybe(rng, filled)),
            set!(p.kind, rng.u8(0..3)),
            maybe!(p.city, maybe(rng, filled)),
            set!(p.size, rng.u32(0..3)),
            maybe!(p.label, maybe(rng, filled)),
        ]
    }

    fn indexes(&self, _: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        if let (Some(country), Some(city)) = (&self.country, &self.city) {
            indexes.push((
                "by_city",
                vec![
                    ("c", country.clone().into()),
                    ("kind", Value::from(u32::from(self.kind))),
                    ("city", city.clone().into()),
                    ("size", self.size.into()),
                ],
            ));
        }
        if let Some(label) = &self.label {
            let key = format!("{:03}#{}", self.kind, super::given::escaped(label));
            indexes.push(("by_label", vec![("by_label_pk", key.into())]));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        if !item.contains("label") && rng.bool() {
            item.insert("label", Value::Null);
        }
        item.insert("unknown", rng.i32(..));
    }
}
