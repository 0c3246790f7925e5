//! An entity in indexes that hold items by more than one value, by an absence and by a function of fields.

use chrono::{DateTime, Utc};
use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use super::given::{date, escaped, maybe, padded, respell, signed, text};
use crate::subject::{IndexKeys, Move, Subject};
use crate::{default, maybe, parts, set};

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum Step {
    New,
    #[dynamo(rename = "open")]
    Open,
    Paused,
    Done,
}

/// Each field decides, whatever the others hold.
fn is_odd(urgent: bool, solved_at: Option<&DateTime<Utc>>, helper: &Option<String>) -> bool {
    urgent ^ solved_at.is_some() ^ helper.is_some()
}

impl Errand {
    fn is_far(distance: &i16) -> bool {
        *distance > 0
    }
}

crate::declare! {
    pub entity Errand(table = "errands", key(pk = "E#{id}"),
        gsi(at_work, pk = "LIST#{list}", sk = "{rank}", when(step = [Step::New, Step::Open])),
        gsi(unsolved, pk = "UNSOLVED", sk = "{rank}#{list}", when(solved_at = None)),
        gsi(odd, pk = "{list}", sk = "{distance}", when(is_odd(urgent, solved_at, helper))),
        gsi(helped, pk = "HELPED", sk = "{solved_at:date:last}#{distance}", when(helper = ["a", None])),
        gsi(far, pk = "FAR#{step}", sk = "{id}", when(Errand::is_far(distance))))
        { pub id: u32, pub step: Step, pub list: String, pub rank: u8, #[dynamo(default)] pub urgent: bool,
          pub distance: i16, pub helper: Option<String>, pub solved_at: Option<DateTime<Utc>> }
}

fn step(rng: &mut Rng) -> Step {
    rng.choice([Step::New, Step::Open, Step::Paused, Step::Done])
        .unwrap_or(Step::New)
}

/// What `helped` asks for is among the texts.
fn helper(rng: &mut Rng) -> Option<String> {
    match rng.u32(0..3) {
        0 => Some("a".into()),
        _ => maybe(rng, text),
    }
}

impl Subject for Errand {
    const KEY: &'static [&'static str] = &["id"];
    const REQUIRED: &'static [&'static str] = &["step", "list", "rank", "distance"];
    const TEXTS: &'static [&'static str] = &["list"];
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["list", "rank", "step"],
        &["rank", "list", "solved_at"],
        &["list", "distance", "urgent", "solved_at", "helper"],
        &["solved_at", "distance", "helper"],
        &["step", "distance"],
    ];

    parts![
        plain step, plain list, plain rank, plain urgent, plain distance, maybe helper, maybe solved_at,
    ];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Errand {
            id: no,
            step: step(rng),
            list: text(rng),
            rank: rng.u8(0..3),
            urgent: rng.bool(),
            distance: rng.i16(-1..3),
            helper: helper(rng),
            solved_at: maybe(rng, date),
        }
    }

    fn blank(no: u32) -> Self {
        Errand {
            id: no,
            step: Step::New,
            list: String::new(),
            rank: 0,
            urgent: false,
            distance: 0,
            helper: None,
            solved_at: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        vec![
            set!(p.step, step(rng)),
            set!(p.list, text(rng)),
            set!(p.rank, rng.u8(0..3)),
            match rng.bool() {
                true => set!(p.urgent, rng.bool()),
                false => default!(p.urgent, false),
            },
            set!(p.distance, rng.i16(-1..3)),
            maybe!(p.helper, helper(rng)),
            maybe!(p.solved_at, maybe(rng, date)),
        ]
    }

    fn indexes(&self, _: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        let mut add = |name, pk: (&'static str, String), sk: (&'static str, String)| {
            indexes.push((name, vec![(pk.0, pk.1.into()), (sk.0, sk.1.into())]));
        };
        let (list, rank) = (escaped(&self.list), padded(self.rank.into(), 3));
        let distance = signed(self.distance.into(), 5);
        if !list.is_empty() {
            if matches!(self.step, Step::New | Step::Open) {
                let pk = format!("LIST#{list}");
                add("at_work", ("at_work_pk", pk), ("at_work_sk", rank.clone()));
            }
            if self.solved_at.is_none() {
                let sk = format!("{rank}#{list}");
                add(
                    "unsolved",
                    ("unsolved_pk", "UNSOLVED".into()),
                    ("unsolved_sk", sk),
                );
            }
            let facts = [self.urgent, self.solved_at.is_some(), self.helper.is_some()];
            if facts.into_iter().filter(|fact| *fact).count() % 2 == 1 {
                add("odd", ("odd_pk", list), ("odd_sk", distance.clone()));
            }
        }
        if self.helper.as_deref().unwrap_or("a") == "a" {
            let solved = match self.solved_at {
                Some(at) => format!("0{}", at.date_naive()),
                None => "1".to_owned(),
            };
            let sk = format!("{solved}#{distance}");
            add("helped", ("helped_pk", "HELPED".into()), ("helped_sk", sk));
        }
        if self.distance > 0 {
            let step = match self.step {
                Step::Open => "open".to_owned(),
                other => format!("{other:?}"),
            };
            let sk = padded(self.id.into(), 10);
            add("far", ("far_pk", format!("FAR#{step}")), ("far_sk", sk));
        }
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in ["helper", "solved_at"] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        if item.get("urgent") == Some(&Value::from(false)) && rng.bool() {
            item.remove("urgent");
        }
        if rng.bool() {
            item.remove("id");
        }
        respell(rng, item, "solved_at");
        item.insert("unknown", rng.i32(..));
    }
}
