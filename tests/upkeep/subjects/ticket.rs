//! An entity with its own table and no version: composite, sparse and sharded keys, and a local index.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};

use dynamo_entity::prelude::*;
use dynamo_entity::{Item, Value};
use fastrand::Rng;

use crate::subject::{Effect, IndexKeys, Move, Subject};
use crate::subjects::given::{escaped, filled, maybe, padded, signed, text, time, timed};
use crate::{compute, default, managed, maybe, parts, set};

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub enum State {
    New,
    Open,
    #[dynamo(rename = "shut")]
    Closed,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub struct Address {
    pub city: String,
    pub zip: Option<String>,
}

crate::declare! {
    pub entity Ticket(table = "tickets", key(pk = "T#{team}", sk = "{number:04}"),
        gsi(by_state, pk = "STATE#{state}", sk = "{due}#{title}"),
        gsi(by_owner, pk = "{owner}#{area}", sk = "{title}", shards = 3),
        gsi(by_change, pk = "ALL", sk = "{updated_at}"), gsi(by_author, pk = "BY#{created_by}", sk = "{points}"),
        gsi(by_team, pk = "{team}", sk = "{number}#{title}"), gsi(by_flag, pk = "{area}", sk = "{flag}"),
        lsi(by_points, sk = "{points}#{area}"))
        { pub team: String, pub number: u16, #[dynamo(rename = "st")] pub state: State,
          pub due: Option<DateTime<Utc>>, pub title: String, pub owner: Option<String>, pub area: bool,
          pub points: i16, pub tags: HashSet<String>, pub colors: BTreeMap<String, String>, pub scores: Vec<i64>,
          #[dynamo(rename = "odd name.x")] pub address: Option<Address>, pub count: u8, pub seen: Option<u32>,
          #[dynamo(default = "none".to_owned())] pub flag: String, pub copy: String,
          #[dynamo(created_by)] pub created_by: Option<String>, #[dynamo(updated_by)] pub updated_by: Option<String>,
          #[dynamo(updated_at)] pub updated_at: Option<DateTime<Utc>> }
}

fn address(rng: &mut Rng) -> Address {
    Address {
        city: text(rng),
        zip: maybe(rng, text),
    }
}

fn state(rng: &mut Rng) -> State {
    rng.choice([State::New, State::Open, State::Closed])
        .unwrap_or(State::New)
}

fn state_text(state: State) -> &'static str {
    match state {
        State::New => "New",
        State::Open => "Open",
        State::Closed => "shut",
    }
}

impl Subject for Ticket {
    const KEY: &'static [&'static str] = &["team", "number"];
    const REQUIRED: &'static [&'static str] = &[
        "state", "title", "area", "points", "colors", "scores", "count", "copy",
    ];
    const TEXTS: &'static [&'static str] = &["title", "flag"];
    const GROUPS: &'static [&'static [&'static str]] = &[
        &["state", "due", "title"],
        &["owner", "area", "title"],
        &["updated_at"],
        &["created_by", "points"],
        &["team", "number", "title"],
        &["points", "area"],
        &["area", "flag"],
    ];

    parts![
        plain state, maybe due, plain title, maybe owner, plain area, plain points, maybe created_by,
        maybe updated_at, plain team, plain number, plain flag,
    ];

    managed![created_by: created_by, updated_by: updated_by, updated_at: updated_at];

    fn random(rng: &mut Rng, no: u32) -> Self {
        Ticket {
            state: state(rng),
            due: maybe(rng, time),
            title: text(rng),
            owner: maybe(rng, text),
            area: rng.bool(),
            points: rng.i16(-2..3),
            tags: (0..rng.u32(0..3)).map(|_| text(rng)).collect(),
            colors: (0..rng.u32(0..3))
                .map(|_| (filled(rng), text(rng)))
                .collect(),
            scores: (0..rng.u32(0..3)).map(|_| rng.i64(..)).collect(),
            address: maybe(rng, address),
            count: rng.u8(..),
            seen: maybe(rng, |rng| rng.u32(..10)),
            copy: text(rng),
            flag: if rng.bool() { text(rng) } else { "none".into() },
            created_by: maybe(rng, |_| "cid".to_owned()),
            ..Self::blank(no)
        }
    }

    fn blank(no: u32) -> Self {
        Ticket {
            team: format!("t#{no}"),
            number: 7,
            state: State::New,
            due: None,
            title: String::new(),
            owner: None,
            area: false,
            points: 0,
            tags: HashSet::new(),
            colors: BTreeMap::new(),
            scores: Vec::new(),
            address: None,
            count: 0,
            seen: None,
            flag: "none".into(),
            copy: String::new(),
            created_by: None,
            updated_by: None,
            updated_at: None,
        }
    }

    fn moves(rng: &mut Rng) -> Vec<Move<Self>> {
        let p = <Self as DynamoEntity>::Paths::default();
        let mut moves = vec![
            set!(p.state, state(rng)),
            maybe!(p.due, maybe(rng, time)),
            set!(p.title, text(rng)),
            maybe!(p.owner, maybe(rng, text)),
            set!(p.area, rng.bool()),
            set!(p.points, rng.i16(-2..3)),
        ];
        moves.push(match rng.bool() {
            true => set!(p.flag, text(rng)),
            false => default!(p.flag, "none".to_owned()),
        });
        moves.push(tags(rng));
        moves.push(colors(rng));
        moves.push(scores(rng));
        moves.push(place(rng));
        moves.push(count(rng));
        moves.push(seen(rng));
        moves.push(match rng.bool() {
            true => set!(p.copy, text(rng)),
            false => compute!(
                p.copy,
                p.copy().set(p.title()),
                |ticket: &mut Self, item: &Item| {
                    let title = item.get("title").and_then(Value::as_text);
                    title.map_or(Effect::Impossible, |title| {
                        ticket.copy = title.to_owned();
                        Effect::Done
                    })
                }
            ),
        });
        moves
    }

    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys> {
        let mut indexes: Vec<IndexKeys> = Vec::new();
        let title = escaped(&self.title);
        if let Some(due) = self.due
            && !title.is_empty()
        {
            indexes.push((
                "by_state",
                vec![
                    (
                        "by_state_pk",
                        format!("STATE#{}", state_text(self.state)).into(),
                    ),
                    ("by_state_sk", format!("{}#{title}", timed(due)).into()),
                ],
            ));
        }
        if let Some(owner) = self.owner.as_deref().filter(|owner| !owner.is_empty())
            && !title.is_empty()
        {
            indexes.push((
                "by_owner",
                vec![
                    (
                        "by_owner_pk",
                        format!("{}#{}#{}", escaped(owner), self.area, shard(3)).into(),
                    ),
                    ("by_owner_sk", title.clone().into()),
                ],
            ));
        }
        if let Some(at) = self.updated_at {
            indexes.push((
                "by_change",
                vec![
                    ("by_change_pk", "ALL".into()),
                    ("by_change_sk", timed(at).into()),
                ],
            ));
        }
        if let Some(author) = &self.created_by {
            indexes.push((
                "by_author",
                vec![
                    ("by_author_pk", format!("BY#{}", escaped(author)).into()),
                    ("by_author_sk", signed(self.points.into(), 5).into()),
                ],
            ));
        }
        if !title.is_empty() {
            indexes.push((
                "by_team",
                vec![
                    ("by_team_pk", escaped(&self.team).into()),
                    (
                        "by_team_sk",
                        format!("{}#{title}", padded(self.number.into(), 5)).into(),
                    ),
                ],
            ));
        }
        if !self.flag.is_empty() {
            indexes.push((
                "by_flag",
                vec![
                    ("by_flag_pk", self.area.to_string().into()),
                    ("by_flag_sk", escaped(&self.flag).into()),
                ],
            ));
        }
        indexes.push((
            "by_points",
            vec![
                ("pk", format!("T#{}", escaped(&self.team)).into()),
                (
                    "by_points_sk",
                    format!("{}#{}", signed(self.points.into(), 5), self.area).into(),
                ),
            ],
        ));
        indexes
    }

    fn estrange(rng: &mut Rng, item: &mut Item) {
        for name in [
            "due",
            "owner",
            "odd name.x",
            "seen",
            "updated_by",
            "tags",
            "created_by",
        ] {
            if !item.contains(name) && rng.bool() {
                item.insert(name, Value::Null);
            }
        }
        for name in ["team", "number"] {
            if rng.bool() {
                item.remove(name);
            }
        }
        if item.get("flag") == Some(&Value::from("none")) {
            match rng.u32(0..3) {
                0 => item.insert("flag", Value::Null),
                1 => item.remove("flag"),
                _ => None,
            };
        }
        respell(rng, item, "due");
        respell(rng, item, "updated_at");
        item.insert("unknown", rng.i32(..));
    }
}

use crate::subjects::given::respell;

fn tags(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let tag = text(rng);
    match rng.u32(0..3) {
        0 => {
            let tags: HashSet<String> = (0..rng.u32(0..3)).map(|_| text(rng)).collect();
            set!(p.tags, tags)
        }
        1 => compute!(
            p.tags,
            p.tags().insert(tag.clone()),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.tags.insert(tag.clone());
                Effect::Done
            }
        ),
        _ => compute!(
            p.tags,
            p.tags().discard(tag.clone()),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.tags.remove(&tag);
                Effect::Done
            }
        ),
    }
}

fn colors(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let (name, color) = (filled(rng), text(rng));
    match rng.u32(0..3) {
        0 => set!(p.colors, BTreeMap::from([(name.clone(), color.clone())])),
        1 => compute!(
            p.colors,
            p.colors().entry(name.clone()).set(color.clone()),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.colors.insert(name.clone(), color.clone());
                Effect::Done
            }
        )
        .nested(),
        _ => compute!(
            p.colors,
            p.colors().remove_entry(name.clone()),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.colors.remove(&name);
                Effect::Done
            }
        )
        .nested(),
    }
}

fn scores(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let (at, score) = (rng.usize(0..3), rng.i64(-9..9));
    match rng.u32(0..5) {
        0 => set!(p.scores, vec![score; at]),
        1 => compute!(
            p.scores,
            p.scores().push(score),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.scores.push(score);
                Effect::Done
            }
        )
        .nested(),
        2 => compute!(
            p.scores,
            p.scores().push_front(score),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.scores.insert(0, score);
                Effect::Done
            }
        )
        .nested(),
        3 => compute!(
            p.scores,
            p.scores().at(at).set(score),
            move |ticket: &mut Ticket, _: &Item| {
                let Some(held) = ticket.scores.get_mut(at) else {
                    return Effect::Impossible;
                };
                *held = score;
                Effect::Done
            }
        )
        .nested(),
        _ => compute!(
            p.scores,
            p.scores().remove_at(at),
            move |ticket: &mut Ticket, _: &Item| {
                if at >= ticket.scores.len() {
                    return Effect::Impossible;
                }
                ticket.scores.remove(at);
                Effect::Done
            }
        )
        .nested(),
    }
}

fn place(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let city = text(rng);
    match rng.bool() {
        true => maybe!(p.address, maybe(rng, address)),
        false => compute!(
            p.address,
            p.address().city().set(city.clone()),
            move |ticket: &mut Ticket, _: &Item| {
                let Some(address) = &mut ticket.address else {
                    return Effect::Impossible;
                };
                address.city = city.clone();
                Effect::Done
            }
        )
        .nested(),
    }
}

fn count(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let by = rng.u8(0..200);
    let minus = rng.bool();
    let change = if minus {
        p.count().sub(by)
    } else {
        p.count().add(by)
    };
    compute!(p.count, change, move |ticket: &mut Ticket, _: &Item| {
        let sum = match minus {
            true => ticket.count.checked_sub(by),
            false => ticket.count.checked_add(by),
        };
        let Some(sum) = sum else {
            return Effect::Impossible;
        };
        ticket.count = sum;
        Effect::Done
    })
}

fn seen(rng: &mut Rng) -> Move<Ticket> {
    let p = <Ticket as DynamoEntity>::Paths::default();
    let value = rng.u32(0..5);
    match rng.bool() {
        true => compute!(
            p.seen,
            p.seen().add(value),
            move |ticket: &mut Ticket, _: &Item| {
                ticket.seen = Some(ticket.seen.unwrap_or(0) + value);
                Effect::Done
            }
        ),
        false => compute!(
            p.seen,
            p.seen().set_if_absent(value),
            move |ticket: &mut Ticket, item: &Item| {
                if item.contains("seen") {
                    return Effect::Nothing;
                }
                ticket.seen = Some(value);
                Effect::Done
            }
        ),
    }
}
