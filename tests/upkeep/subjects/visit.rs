//! An entity with a lossy, sharded primary key, a version, and managed times and actors as parts of keys.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{escaped, filled, maybe, respell, text, timed};
use crate::subject::{IndexKeys, Move, Subject};
use crate::{managed, maybe, parts};

crate::declare! {
    pub entity Visit(table = "visits", key(pk = "V#{site}", sk = "{at:date}", shards = 3),
        gsi(by_time, pk = "{at:month}", sk = "{at}#{leaf}"), gsi(by_expiry, pk = "P#{leaf}", sk = "{expires_at}"),
        gsi(by_start, pk = "ALL", sk = "{created_at}", shards = 2),
        gsi(by_author, pk = "{created_by}", sk = "{updated_by}", when(open = true)))
        { pub site: u16, pub at: DateTime<Utc>, pub leaf: Option<String>, pub open: Option<bool>,
          #[dynamo(version, rename = "v")] pub version: Version,
          #[dynamo(created_at)] pub created_at: Option<DateTime<Utc>>,
          #[dynamo(created_by)] pub created_by: Option<String>, #[dynamo(updated_by)] pub updated_by: Option<String>,
          #[dynamo(ttl)] pub expires_at: Option<u32> }
}

impl Subject for Visit {
    const KEY: &'static [&'static str] = &["site"];
    const CAN_UPSERT: bool = false;
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["at", "leaf"],
        &["leaf", "expires_at"],
        &["created_at"],
        &["created_by", "updated_by", "open"],
    ];

    parts![
        plain at, maybe leaf, maybe open, maybe created_at, maybe created_by, maybe updated_by,
        maybe expires_at,
    ];

    managed![
        version: version, created_at: created_at, created_by: created_by, updated_by: updated_by,
    ];

    fn created(&self) -> Option<DateTime<Utc>> {
        self.created_at
    }

    fn random(rng: &mut Rng, no: u32) -> Self {
        Visit {
            at: super::given::time(rng),
            leaf: maybe(rng, text),
            open: maybe(rng, Rng::bool),
            expires_at: maybe(rng, expiry),
            created_at: maybe(rng, super::given::time),
            created_by: maybe(rng, filled),
            updated_by: maybe(rng, filled),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Visit {
            site: no as u16,
            at: super::given::time(&mut Rng::with_seed(0)),
            leaf: None,
            open: None,
            version: Version::default(),
            created_at: None,
            created_by: None,
            updated_by: None,
            expires_at: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        vec![
            maybe!(p.leaf, maybe(rng, text)),
            maybe!(p.open, maybe(rng, Rng::bool)),
            maybe!(p.expires_at, maybe(rng, expiry)),
        ]
    }

    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        let leaf = self
            .leaf
            .as_deref()
            .filter(|leaf| !leaf.is_empty())
            .map(escaped);
        if let Some(leaf) = &leaf {
            indexes.push((
                "by_time",
                vec![
                    ("by_time_pk", self.at.format("%Y-%m").to_string().into()),
                    ("by_time_sk", format!("{}#{leaf}", timed(self.at)).into()),
                ],
            ));
        }
        if let (Some(leaf), Some(expires)) = (&leaf, self.expires_at) {
            indexes.push((
                "by_expiry",
                vec![
                    ("by_expiry_pk", format!("P#{leaf}").into()),
                    ("by_expiry_sk", format!("{expires:010}").into()),
                ],
            ));
        }
        if let Some(at) = self.created_at {
            indexes.push((
                "by_start",
                vec![
                    ("by_start_pk", format!("ALL#{}", shard(2)).into()),
                    ("by_start_sk", timed(at).into()),
                ],
            ));
        }
        if let (Some(creator), Some(writer), Some(true)) =
            (&self.created_by, &self.updated_by, self.open)
        {
            indexes.push((
                "by_author",
                vec![
                    ("by_author_pk", escaped(creator).into()),
                    ("by_author_sk", escaped(writer).into()),
                ],
            ));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["leaf", "open", "created_by", "updated_by", "expires_at"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        match rng.u32(0..6) {
            0 => item.insert("v", Value::Null),
            1 | 2 => item.remove("v"),
            _ => None,
        };
        if rng.u32(0..3) == 0 {
            item.remove("site");
        }
        respell(rng, item, "at");
        respell(rng, item, "created_at");
    }
}

/// Most visits outlive the test.
fn expiry(rng: &mut Rng) -> u32 {
    let far = rng.u32(0..4) > 0;
    3_918_276_000 + if far { 90_000 } else { rng.u32(0..300) }
}
