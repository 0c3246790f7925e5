//! An entity of a shared table with a version, `when`, shards, a TTL, unknown attributes and a skipped field.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{escaped, maybe, respell, text, time, timed};
use super::store::Store;
use crate::subject::{Effect, IndexKeys, Move, Subject};
use crate::{compute, default, managed, maybe, parts, set};

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Stage {
    Packed,
    #[dynamo(rename = "sent")]
    Sent,
}

crate::declare! {
    pub entity Parcel(table = Store, key(pk = "USER#{user}", sk = "PARCEL#{number:08}"),
        gsi(by_stage, on = gsi1, pk = "S#{stage}", sk = "{placed}", shards = 4),
        gsi(by_region, on = gsi3, pk = "X#{region}", sk = "{expires_at}", when(urgent = true)),
        lsi(by_note, on = lsi1, sk = "N#{note}", when(stage = Stage::Sent)))
        { pub user: String, #[dynamo(skip)] pub number: u32, pub stage: Stage, pub placed: DateTime<Utc>,
          pub region: Option<u8>, #[dynamo(default = true)] pub urgent: bool, pub note: Option<String>,
          #[dynamo(default = 10)] pub lives: i8, #[dynamo(version)] pub version: Version,
          #[dynamo(created_at)] pub created_at: Option<DateTime<Utc>>,
          #[dynamo(updated_at)] pub updated_at: Option<DateTime<Utc>>,
          #[dynamo(ttl)] pub expires_at: Option<DateTime<Utc>>, #[dynamo(rest)] pub rest: Item }
}

fn stage(rng: &mut Rng) -> Stage {
    rng.choice([Stage::Packed, Stage::Sent])
        .unwrap_or(Stage::Sent)
}

/// Most parcels outlive the test. The others expire while it runs.
fn expiry(rng: &mut Rng) -> DateTime<Utc> {
    let far = rng.u32(0..4) > 0;
    let day = chrono::TimeDelta::days(if far { 1 } else { 0 });
    time(rng) + day + chrono::TimeDelta::minutes(2)
}

impl Subject for Parcel {
    const KEY: &'static [&'static str] = &["user", "number"];
    const REQUIRED: &'static [&'static str] = &["stage", "placed"];
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["stage", "placed"],
        &["region", "expires_at", "urgent"],
        &["note", "stage"],
    ];

    parts![plain stage, plain placed, maybe region, plain urgent, maybe note, maybe expires_at];

    managed![version: version, created_at: created_at, updated_at: updated_at];

    fn created(&self) -> Option<DateTime<Utc>> {
        self.created_at
    }

    fn random(rng: &mut Rng, no: u32) -> Self {
        Parcel {
            stage: stage(rng),
            placed: time(rng),
            region: maybe(rng, |rng| rng.u8(0..3)),
            urgent: rng.bool(),
            note: maybe(rng, text),
            lives: rng.i8(..),
            expires_at: maybe(rng, expiry),
            rest: [("extra", rng.i32(0..9))].into_iter().collect(),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Parcel {
            user: format!("u{no}"),
            number: 7,
            stage: Stage::Packed,
            placed: DateTime::UNIX_EPOCH,
            region: None,
            urgent: true,
            note: None,
            lives: 10,
            version: Version::default(),
            created_at: None,
            updated_at: None,
            expires_at: None,
            rest: Item::new(),
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        let by = rng.i8(0..100);
        let minus = rng.bool();
        let lives = if minus {
            p.lives().sub(by)
        } else {
            p.lives().add(by)
        };
        vec![
            set!(p.stage, stage(rng)),
            set!(p.placed, time(rng)),
            maybe!(p.region, maybe(rng, |rng| rng.u8(0..3))),
            match rng.bool() {
                true => set!(p.urgent, rng.bool()),
                false => default!(p.urgent, true),
            },
            maybe!(p.note, maybe(rng, text)),
            match rng.bool() {
                true => default!(p.lives, 10),
                false => compute!(p.lives, lives, move |parcel: &mut Self, _: &Item| {
                    let sum = match minus {
                        true => parcel.lives.checked_sub(by),
                        false => parcel.lives.checked_add(by),
                    };
                    let Some(sum) = sum else {
                        return Effect::Impossible;
                    };
                    parcel.lives = sum;
                    Effect::Done
                }),
            },
            maybe!(p.expires_at, maybe(rng, expiry)),
        ]
    }

    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let stage = match self.stage {
            Stage::Packed => "Packed",
            Stage::Sent => "sent",
        };
        let mut indexes: Vec<IndexKeys> = vec![(
            "gsi1",
            vec![
                ("g1pk", format!("S#{stage}#{}", shard(4)).into()),
                ("g1sk", timed(self.placed).into()),
            ],
        )];
        if let (Some(region), Some(expires), true) = (self.region, self.expires_at, self.urgent) {
            indexes.push((
                "gsi3",
                vec![
                    ("g3pk", format!("X#{region:03}").into()),
                    ("g3sk", timed(expires).into()),
                ],
            ));
        }
        if let (Some(note), Stage::Sent) = (
            self.note.as_deref().filter(|note| !note.is_empty()),
            self.stage,
        ) {
            indexes.push((
                "lsi1",
                vec![
                    ("pk", format!("USER#{}", self.user).into()),
                    ("l1sk", format!("N#{}", escaped(note)).into()),
                ],
            ));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["region", "note", "created_at", "updated_at", "expires_at"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        if item.get("urgent") == Some(&Value::Bool(true)) && rng.bool() {
            item.remove("urgent");
        }
        match rng.u32(0..6) {
            0 => item.insert("version", Value::Null),
            1 | 2 => item.remove("version"),
            _ => None,
        };
        for name in ["user", "created_at", "updated_at"] {
            if rng.u32(0..3) == 0 {
                item.remove(name);
            }
        }
        for name in ["placed", "created_at", "updated_at"] {
            respell(rng, item, name);
        }
        let fraction = item
            .get("expires_at")
            .and_then(Value::as_number)
            .map(|number| format!("{number}.5"));
        if let Some(Ok(number)) = fraction.map(|text| text.parse::<dynamo_entity::Number>())
            && rng.u32(0..3) == 0
        {
            item.insert("expires_at", number);
        }
    }
}
