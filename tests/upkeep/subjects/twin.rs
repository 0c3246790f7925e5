//! An entity in two indexes that share an attribute.

use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{escaped, maybe, text};
use super::store::Store;
use crate::subject::{IndexKeys, Move, Subject};
use crate::{maybe, parts, set};

crate::declare! {
    pub entity Twin(table = Store, key(pk = "TWIN#{id}", sk = "INFO"),
        gsi(by_left, on = gsi1, pk = "LEFT#{left}", sk = "{rank}"),
        gsi(by_right, on = gsi2, pk = "RIGHT#{right}", sk = "{rank}", shards = 2),
        gsi(by_both, on = gsi3, pk = "{left}", sk = "{right}"))
        { pub id: u32, pub left: Option<String>, pub right: Option<u8>, pub rank: String, pub note: Option<String> }
}

impl Subject for Twin {
    const KEY: &'static [&'static str] = &["id"];
    const REQUIRED: &'static [&'static str] = &["rank"];
    const TEXTS: &'static [&'static str] = &["rank"];
    const GROUPS: &'static [&'static [&'static str]] =
        &[&["left", "right", "rank"], &["left", "right"]];
    // The model does not check whether the other index needs the shared attribute.
    const SHARES: bool = true;

    parts![maybe left, maybe right, plain rank];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Twin {
            id: no,
            left: maybe(rng, text),
            right: maybe(rng, |rng| rng.u8(0..3)),
            rank: text(rng),
            note: maybe(rng, text),
        }
    }

    fn blank(no: u32) -> Self {
        Twin {
            id: no,
            left: None,
            right: None,
            rank: String::new(),
            note: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        vec![
            maybe!(p.left, maybe(rng, text)),
            maybe!(p.right, maybe(rng, |rng| rng.u8(0..3))),
            set!(p.rank, text(rng)),
            maybe!(p.note, maybe(rng, text)),
        ]
    }

    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        let left = self.left.as_deref().filter(|left| !left.is_empty());
        let rank = escaped(&self.rank);
        if let Some(left) = left
            && !rank.is_empty()
        {
            indexes.push((
                "gsi1",
                vec![
                    ("g1pk", format!("LEFT#{}", escaped(left)).into()),
                    ("g1sk", rank.clone().into()),
                ],
            ));
        }
        if let Some(right) = self.right
            && !rank.is_empty()
        {
            indexes.push((
                "gsi2",
                vec![
                    ("g2pk", format!("RIGHT#{right:03}#{}", shard(2)).into()),
                    ("g1sk", rank.into()),
                ],
            ));
        }
        if let (Some(left), Some(right)) = (left, self.right) {
            indexes.push((
                "gsi3",
                vec![
                    ("g3pk", escaped(left).into()),
                    ("g3sk", format!("{right:03}").into()),
                ],
            ));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["left", "right", "note"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        item.insert("unknown", rng.i32(..));
    }
}
