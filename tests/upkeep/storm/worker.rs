//! One task of a storm: its rows, its faults, and what it has done.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use dynamo_entity::{Error, Key};
use fastrand::Rng;

use super::entities::{Member, Plain, Row, Rows, Shared};
use super::judge::{Effect, Forecast, Id, Seen, World, effect};
use super::weather::{Traffic, Weather};
use crate::support::db::Db;

/// How many rows of each entity a task writes to.
pub const NUMBERS: u32 = 5;

pub struct Worker {
    pub task: u32,
    /// A connection without faults, to prepare and to check.
    pub db: Db,
    pub weather: Weather,
    pub rng: Rng,
    pub world: World,
    pub shared: Arc<Shared>,
    pub seen: Seen,
    is_calm: bool,
    texts: u64,
    log: String,
}

impl Worker {
    pub fn new(db: &Db, task: u32, seed: u64, shared: Arc<Shared>) -> Worker {
        Worker {
            task,
            db: db.clone(),
            weather: Weather::over(db),
            rng: Rng::with_seed(seed.wrapping_mul(1_000).wrapping_add(u64::from(task))),
            world: World::new(),
            shared,
            seen: Seen::default(),
            is_calm: true,
            texts: 0,
            log: String::new(),
        }
    }

    pub async fn run(mut self, steps: u32) -> Result<Worker, String> {
        for _ in 0..steps {
            let done = match self.rng.u32(0..10) {
                0..4 => self.plain().await,
                4..7 => self.member().await,
                _ => self.many().await,
            };
            if let Err(failure) = done {
                let calls = self.weather.calls();
                return Err(format!(
                    "task {}\n{}{failure}\nsent: {calls:?}",
                    self.task, self.log
                ));
            }
        }
        Ok(self)
    }

    /// Plans the faults of the next operation.
    pub fn expect(&mut self, name: &'static str, traffic: Traffic) {
        self.is_calm = self.weather.change(&mut self.rng, traffic);
        let _ = writeln!(self.log, "  {name}, calm: {}", self.is_calm);
    }

    pub fn is_calm(&self) -> bool {
        self.is_calm
    }

    pub fn say(&mut self, what: impl std::fmt::Display) {
        let _ = writeln!(self.log, "    {what}");
    }

    /// A text that was never written.
    pub fn text(&mut self) -> u64 {
        self.texts += 1;
        self.texts
    }

    pub fn number(&mut self) -> u32 {
        self.rng.u32(0..NUMBERS)
    }

    pub fn row(&self, id: Id) -> Option<Row> {
        self.world.get(&id).copied()
    }

    /// Compares an operation that takes effect as a whole with its forecast.
    pub async fn judge<T>(
        &mut self,
        name: &'static str,
        forecast: Forecast,
        result: Result<T, Error>,
    ) -> Result<Effect, String> {
        self.seen.note(name, &result);
        self.say(match &result {
            Ok(_) => "ok".to_owned(),
            Err(error) => error.to_string(),
        });
        let effect = effect(&forecast, &result, self.is_calm)?;
        if let Err(error) = &result {
            self.wait_for_others(error).await;
        }
        self.let_late_requests_arrive().await;
        let before: Vec<_> = forecast
            .about
            .iter()
            .map(|id| (*id, self.row(*id)))
            .collect();
        let mut found = Vec::new();
        for id in &forecast.about {
            found.push((*id, self.stored(*id).await));
        }
        let is_done = forecast.after.as_ref() == Some(&found);
        let is_undone = found == before;
        let is_true = match effect {
            Effect::Once => is_done,
            Effect::None => is_undone,
            Effect::Either => is_done || is_undone,
        };
        if !is_true {
            let after = &forecast.after;
            return Err(format!(
                "{effect:?}: stored is {found:?}\n before {before:?}\n after {after:?}"
            ));
        }
        self.learn(found);
        Ok(effect)
    }

    /// Waits a while until the task that holds a value has given it up, if a request that wants the value can still arrive.
    async fn wait_for_others(&self, error: &Error) {
        let Ok(Some(holder)) = error.holder::<Member>() else {
            return;
        };
        let held = self.badge_of(&holder).await;
        for _ in 0..60 {
            if self.weather.late() == 0 || held.is_none() || self.badge_of(&holder).await != held {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn badge_of(&self, key: &Key<Member>) -> Option<u32> {
        let item = self.db.raw(key).await;
        item.as_ref().map(Row::read).and_then(|row| row.badge)
    }

    /// Requests that were given up arrive before the rows are looked at.
    pub async fn let_late_requests_arrive(&mut self) {
        if self.weather.late() > 0 {
            let pause = self.rng.u64(0..10);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            self.weather.deliver().await;
        }
    }

    pub fn learn(&mut self, found: Vec<(Id, Option<Row>)>) {
        for (id, row) in found {
            match row {
                Some(row) => self.world.insert(id, row),
                None => self.world.remove(&id),
            };
        }
    }

    /// The stored row, read without the library.
    pub async fn stored(&self, id: Id) -> Option<Row> {
        let item = match id {
            Id::Plain(number) => self.db.raw(&self.plain_key(number)).await,
            Id::Member(number) => self.db.raw(&self.member_key(number)).await,
        };
        item.as_ref().map(Row::read)
    }

    pub fn plain_key(&self, number: u32) -> Key<Plain> {
        Plain::key(self.task, number)
    }

    pub fn member_key(&self, number: u32) -> Key<Member> {
        Member::key(self.task, number)
    }

    pub fn plain_rows(&self) -> Rows {
        let plain = self.world.iter().filter_map(|(id, row)| match id {
            Id::Plain(number) => Some((format!("{} {number}", self.task), *row)),
            Id::Member(_) => None,
        });
        plain.collect()
    }

    pub fn member_rows(&self) -> Rows {
        let members = self.world.iter().filter_map(|(id, row)| match id {
            Id::Member(number) => Some((format!("W#{:010} M#{number:010}", self.task), *row)),
            Id::Plain(_) => None,
        });
        members.collect()
    }
}
