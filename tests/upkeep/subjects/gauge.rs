//! An entity whose index keys are numbers of its fields, which the service may compute.

use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{escaped, filled, maybe, text};
use crate::subject::{Effect, IndexKeys, Move, Subject};
use crate::{compute, default, maybe, parts, set};

crate::declare! {
    pub entity Gauge(table = "gauges", key(pk = id), gsi(by_value, pk = "G#{place}", sk = number(value)),
        gsi(by_class, pk = number(class), sk = "{place}#{note}", when(active = true)),
        gsi(by_ratio, pk = "ALL", sk = number(ratio)))
        { pub id: u32, pub place: String, pub value: Option<i64>, pub class: i16,
          #[dynamo(default = true)] pub active: bool, pub ratio: Option<f64>, pub note: Option<String> }
}

/// A key attribute, and its value if the item has it.
type KeyOfModel = (&'static str, Option<Value>);

fn ratio(rng: &mut Rng) -> f64 {
    rng.choice([0.5, -1.25, 3.0]).unwrap_or(0.5)
}

impl Subject for Gauge {
    const KEY: &'static [&'static str] = &["id"];
    const REQUIRED: &'static [&'static str] = &["place", "class"];
    const TEXTS: &'static [&'static str] = &["note"];
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["place"],
        &["value"],
        &["class", "active"],
        &["place", "note", "active"],
        &["ratio"],
    ];

    parts![plain place, maybe value, plain class, plain active, maybe note, maybe ratio];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Gauge {
            place: filled(rng),
            value: maybe(rng, |rng| rng.i64(-2..3)),
            class: rng.i16(0..3),
            active: rng.bool(),
            ratio: maybe(rng, ratio),
            note: maybe(rng, text),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Gauge {
            id: no,
            place: "x".into(),
            value: None,
            class: 0,
            active: true,
            ratio: None,
            note: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        let (by, step) = (rng.i64(0..4), rng.i16(-2..3));
        vec![
            set!(p.place, filled(rng)),
            match rng.u8(0..3) {
                0 => maybe!(p.value, maybe(rng, |rng| rng.i64(-2..3))),
                1 => compute!(
                    p.value,
                    p.value().sub(by),
                    move |gauge: &mut Self, _: &Item| {
                        gauge.value = Some(gauge.value.unwrap_or(0) - by);
                        Effect::Done
                    }
                ),
                _ => compute!(
                    p.value,
                    p.value().set_if_absent(by),
                    move |gauge: &mut Self, item: &Item| match item.get("value") {
                        None => {
                            gauge.value = Some(by);
                            Effect::Done
                        }
                        // The key would be a NULL.
                        Some(Value::Null) => Effect::Impossible,
                        Some(_) => Effect::Nothing,
                    }
                ),
            },
            match rng.bool() {
                true => set!(p.class, rng.i16(0..3)),
                false => compute!(
                    p.class,
                    p.class().add(step),
                    move |gauge: &mut Self, _: &Item| {
                        gauge.class += step;
                        Effect::Done
                    }
                ),
            },
            match rng.bool() {
                true => default!(p.active, true),
                false => set!(p.active, rng.bool()),
            },
            maybe!(p.ratio, maybe(rng, ratio)),
            maybe!(p.note, maybe(rng, text)),
        ]
    }

    fn indexes(&self, _: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let note = self.note.as_ref().filter(|note| !note.is_empty());
        let text = note.map(|note| format!("{}#{}", escaped(&self.place), escaped(note)));
        let number = |ratio: f64| Value::N(ratio.to_string().parse().expect("a number"));
        let active = |value: Option<Value>| value.filter(|_| self.active);
        let by_index: [(&'static str, [KeyOfModel; 2]); 3] = [
            (
                "by_value",
                [
                    (
                        "by_value_pk",
                        Some(format!("G#{}", escaped(&self.place)).into()),
                    ),
                    ("by_value_sk", self.value.map(Value::from)),
                ],
            ),
            (
                "by_class",
                [
                    ("by_class_pk", active(Some(i64::from(self.class).into()))),
                    ("by_class_sk", active(text.map(Value::from))),
                ],
            ),
            (
                "by_ratio",
                [
                    ("by_ratio_pk", Some("ALL".into())),
                    ("by_ratio_sk", self.ratio.map(number)),
                ],
            ),
        ];
        let indexes = by_index.into_iter().map(|(name, keys)| {
            let is_whole = keys.iter().all(|(_, value)| value.is_some());
            let keys = keys
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)));
            // An item without one of the two keys is in no index, and has the other key nevertheless.
            (if is_whole { name } else { "" }, keys.collect())
        });
        indexes.collect()
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["note", "ratio", "value"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
    }
}
