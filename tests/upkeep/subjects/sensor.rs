//! An entity with native keys in its own table and indexes, times in foreign forms, and lossy parts of index
//! keys.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Number, Value};
use fastrand::Rng;

use super::given::{date, filled, maybe, respell, second, text, timed};
use crate::subject::{Effect, IndexKeys, Move, Subject};
use crate::{compute, managed, maybe, parts, set};

crate::declare! {
    pub entity Sensor(table = "sensors", key(pk = id, sk = day), gsi(by_level, pk = level, sk = place),
        gsi(by_hash, pk = hash), gsi(by_seen, pk = "SEEN", sk = "{seen}"),
        gsi(by_month, pk = "{checked:month}", sk = place), gsi(by_write, pk = "{place}", sk = "{written:s}"),
        lsi(by_value, sk = value))
        { pub id: u32, pub day: NaiveDate, pub level: Option<i64>, #[dynamo(rename = "where")] pub place: String,
          pub hash: Option<Vec<u8>>, pub value: Number, #[dynamo(format = "epoch")] pub seen: DateTime<Utc>,
          #[dynamo(format = "rfc3339")] pub checked: Option<DateTime<Utc>>,
          #[dynamo(updated_at, format = "epoch_ms")] pub written: Option<DateTime<Utc>>, pub note: Option<String> }
}

impl Subject for Sensor {
    const KEY: &'static [&'static str] = &["id", "day"];
    const REQUIRED: &'static [&'static str] = &["place", "value", "seen"];
    const GROUPS: &'static [&'static [&'static str]] =
        &[&["seen"], &["checked"], &["place", "written"]];

    parts![plain seen, maybe checked, plain place, maybe written];

    managed![updated_at: written];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Sensor {
            level: maybe(rng, |rng| rng.i64(-2..3)),
            place: filled(rng),
            hash: maybe(rng, |rng| vec![rng.u8(..), 0]),
            value: Number::from(rng.i32(-9..9)),
            seen: second(rng),
            checked: maybe(rng, date),
            note: maybe(rng, text),
            written: maybe(rng, second),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Sensor {
            id: no,
            day: NaiveDate::default(),
            level: None,
            place: "x".into(),
            hash: None,
            value: Number::from(0),
            seen: DateTime::UNIX_EPOCH,
            checked: None,
            written: None,
            note: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        let by = rng.i64(0..4);
        vec![
            match rng.bool() {
                true => maybe!(p.level, maybe(rng, |rng| rng.i64(-2..3))),
                false => compute!(
                    p.level,
                    p.level().add(by),
                    move |sensor: &mut Self, _: &Item| {
                        sensor.level = Some(sensor.level.unwrap_or(0) + by);
                        Effect::Done
                    }
                ),
            },
            set!(p.place, filled(rng)),
            maybe!(p.hash, maybe(rng, |rng| vec![rng.u8(..)])),
            set!(p.value, Number::from(rng.i32(-9..9))),
            set!(p.seen, second(rng)),
            maybe!(p.checked, maybe(rng, date)),
            maybe!(p.note, maybe(rng, text)),
        ]
    }

    fn indexes(&self, _: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let place = || Value::from(&*self.place);
        let mut indexes: Vec<IndexKeys> = vec![
            (
                "by_seen",
                vec![
                    ("by_seen_pk", "SEEN".into()),
                    ("by_seen_sk", timed(self.seen).into()),
                ],
            ),
            (
                "by_value",
                vec![
                    ("id", Value::from(self.id)),
                    ("value", Value::N(self.value.clone())),
                ],
            ),
        ];
        if let Some(level) = self.level {
            indexes.push((
                "by_level",
                vec![("level", level.into()), ("where", place())],
            ));
        }
        if let Some(hash) = &self.hash {
            indexes.push(("by_hash", vec![("hash", hash.clone().into())]));
        }
        if let Some(checked) = self.checked {
            let month = checked.format("%Y-%m").to_string();
            indexes.push((
                "by_month",
                vec![("by_month_pk", month.into()), ("where", place())],
            ));
        }
        if let Some(written) = self.written {
            let seconds = written.format("%Y-%m-%dT%H:%M:%SZ").to_string();
            indexes.push((
                "by_write",
                vec![
                    ("by_write_pk", super::given::escaped(&self.place).into()),
                    ("by_write_sk", seconds.into()),
                ],
            ));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["checked", "note", "written"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        respell(rng, item, "checked");
        item.insert("unknown", rng.i32(..));
    }
}
