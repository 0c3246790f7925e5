//! An entity with an index over the table's own sort key, whose None has a place, and with managed fields as parts and in
//! conditions.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{escaped, maybe, padded, respell, text, timed};
use super::store::Store;
use crate::subject::{IndexKeys, Move, Subject};
use crate::{default, managed, maybe, parts, set};

crate::declare! {
    pub entity Badge(table = Store, key(pk = "BADGE#{id}", sk = "KIND#{kind}"),
        gsi(by_kind, on = inverted, pk = "KIND#{kind}", sk = "{level:03}#{label}#{note:last}"),
        gsi(by_writer, on = gsi3, pk = "W#{updated_by}", sk = "{made_at}", when(hidden = false)),
        gsi(by_level, on = gsi1, pk = "L#{level}", sk = "{made_at:date}#{rank}"))
        { pub id: u32, #[dynamo(skip)] pub kind: String, pub level: u8,
          #[dynamo(default = "none".to_owned())] pub label: String, #[dynamo(default)] pub hidden: bool,
          pub rank: Option<i8>, pub note: Option<String>, #[dynamo(created_at)] pub made_at: DateTime<Utc>,
          #[dynamo(updated_by, rename = "by")] pub updated_by: Option<String> }
}

impl Subject for Badge {
    const KEY: &'static [&'static str] = &["id", "kind"];
    const REQUIRED: &'static [&'static str] = &["level"];
    const TEXTS: &'static [&'static str] = &["label"];
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["level", "label", "note"],
        &["updated_by", "made_at", "hidden"],
        &["level", "made_at", "rank"],
    ];

    parts![plain level, plain label, plain hidden, maybe rank, maybe note, plain made_at, maybe updated_by];

    managed![made_at: made_at, updated_by: updated_by];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Badge {
            level: rng.u8(0..3),
            label: text(rng),
            hidden: rng.bool(),
            rank: maybe(rng, |rng| rng.i8(-1..2)),
            note: maybe(rng, text),
            made_at: super::given::date(rng),
            updated_by: maybe(rng, |_| "cid".to_owned()),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Badge {
            id: no,
            kind: "k#1".into(),
            level: 0,
            label: "none".into(),
            hidden: false,
            rank: None,
            note: None,
            made_at: DateTime::UNIX_EPOCH,
            updated_by: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        vec![
            set!(p.level, rng.u8(0..3)),
            match rng.bool() {
                true => set!(p.label, text(rng)),
                false => default!(p.label, "none".to_owned()),
            },
            match rng.bool() {
                true => set!(p.hidden, rng.bool()),
                false => default!(p.hidden, false),
            },
            maybe!(p.rank, maybe(rng, |rng| rng.i8(-1..2))),
            maybe!(p.note, maybe(rng, text)),
        ]
    }

    fn indexes(&self, _: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        if !self.label.is_empty() {
            indexes.push((
                "inverted",
                vec![
                    ("sk", format!("KIND#{}", escaped(&self.kind)).into()),
                    (
                        "inv",
                        format!(
                            "{}#{}#{}",
                            padded(self.level.into(), 3),
                            escaped(&self.label),
                            match self.note.as_deref().unwrap_or_default() {
                                "" => "1".to_owned(),
                                note => format!("0{}", escaped(note)),
                            }
                        )
                        .into(),
                    ),
                ],
            ));
        }
        if let (Some(by), false) = (&self.updated_by, self.hidden) {
            indexes.push((
                "gsi3",
                vec![
                    ("g3pk", format!("W#{}", escaped(by)).into()),
                    ("g3sk", timed(self.made_at).into()),
                ],
            ));
        }
        if let Some(rank) = self.rank {
            let rank = super::given::signed(rank.into(), 3);
            indexes.push((
                "gsi1",
                vec![
                    ("g1pk", format!("L#{}", padded(self.level.into(), 3)).into()),
                    (
                        "g1sk",
                        format!("{}#{rank}", self.made_at.date_naive()).into(),
                    ),
                ],
            ));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["rank", "note", "by"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        for (name, value) in [
            ("label", Value::from("none")),
            ("hidden", Value::from(false)),
        ] {
            if item.get(name) == Some(&value) && rng.bool() {
                item.remove(name);
            }
        }
        if rng.bool() {
            item.remove("id");
        }
        respell(rng, item, "made_at");
    }
}
