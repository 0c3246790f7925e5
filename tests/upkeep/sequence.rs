//! One sequence of writes. The model follows each step.

pub mod check;
mod steps;

use std::collections::BTreeMap;

use dynamo_entity::error::Stage;
use dynamo_entity::{Dynamo, Error, ErrorKind, Item};
use fastrand::Rng;

use crate::model::{Row, fresh};
use crate::subject::{Created, Move, Stamp, Subject};
use crate::support::clock::HandClock;
use crate::support::db::{Db, Http};

/// How many items a sequence writes to.
pub const KEYS: u32 = 2;
/// How many loaded entities are kept, so that some of them become stale.
const LOADED: usize = 5;

pub type Step = Result<(), String>;

/// A table, and the rows that it should hold.
pub struct World<'d, E: Subject> {
    db: &'d Db,
    /// The number of the first key.
    first: u32,
    dynamo: Dynamo,
    http: Http,
    clock: HandClock,
    rng: Rng,
    rows: BTreeMap<u32, Row<E>>,
    loaded: Vec<(u32, E)>,
    actor: Option<String>,
    /// Whether the library refused the last operation before it sent anything.
    is_refused: bool,
    log: Vec<String>,
}

/// The outcomes that a step may have.
pub struct Verdict<E> {
    /// The row after the step, if the step may succeed.
    pub ok: Option<Option<Row<E>>>,
    /// The kinds of errors with which the service may refuse the step.
    pub lost: Vec<ErrorKind>,
    /// Whether the library may refuse the step before it sends anything.
    pub refused: bool,
}

impl<E> Verdict<E> {
    pub fn leaves(row: Option<Row<E>>) -> Self {
        Verdict {
            ok: Some(row),
            lost: Vec::new(),
            refused: false,
        }
    }

    pub fn lost(kind: ErrorKind) -> Self {
        Verdict {
            ok: None,
            lost: vec![kind],
            refused: false,
        }
    }

    pub fn refused() -> Self {
        Verdict {
            ok: None,
            lost: Vec::new(),
            refused: true,
        }
    }
}

/// Runs the sequence of this seed, with keys that start at `first`. An error shows all of its steps.
pub async fn run<E: Subject>(db: &Db, seed: u64, first: u32) -> Result<Vec<Row<E>>, String> {
    let (faulty, http) = db.faulty([]);
    let clock = HandClock::at("2094-03-01T10:00:00.25Z");
    let mut world = World::<E> {
        db,
        first,
        dynamo: faulty.with_clock(clock.clone()),
        http,
        clock,
        rng: Rng::with_seed(seed),
        rows: BTreeMap::new(),
        loaded: Vec::new(),
        actor: None,
        is_refused: false,
        log: Vec::new(),
    };
    let done = world.run().await;
    match done {
        Ok(()) => Ok(world.rows.into_values().collect()),
        Err(failure) => {
            let log = world.log.join("\n  ");
            Err(format!("seed {seed}\n  {log}\n{failure}"))
        }
    }
}

impl<E: Subject> World<'_, E> {
    async fn run(&mut self) -> Step {
        for _ in 0..self.rng.u32(3..11) {
            self.step().await?;
        }
        Ok(())
    }

    async fn step(&mut self) -> Step {
        self.is_refused = false;
        let seconds = self.rng.i64(0..40);
        self.clock.advance(seconds * 1_000 + 1);
        self.actor = self
            .rng
            .choice([None, Some("ann"), Some("bob")])
            .flatten()
            .map(str::to_owned);
        let no = self.first + self.rng.u32(0..KEYS);
        match self.rng.u32(0..100) {
            0..8 => self.plant(no).await,
            8..20 => self.create(no).await,
            20..30 => self.put(no).await,
            30..52 => self.update_by_key(no).await,
            52..67 => self.update_loaded().await,
            67..74 => self.change_to().await,
            74..82 => self.upsert(no).await,
            82..91 => self.modify(no).await,
            91..94 => self.touch(no).await,
            94..97 => self.delete(no).await,
            _ => self.get(no).await,
        }
    }

    /// A connection with the clock and the actor of this world.
    fn connection(&self) -> Dynamo {
        self.http.plan([]);
        match &self.actor {
            Some(actor) => self.dynamo.with_actor(&**actor),
            None => self.dynamo.clone(),
        }
    }

    fn now(&self) -> i64 {
        self.clock.seconds()
    }

    fn stored(&self, no: u32) -> Option<&Row<E>> {
        self.rows.get(&no)
    }

    fn live(&self, no: u32) -> Option<&Row<E>> {
        self.stored(no).filter(|row| row.is_live(self.now()))
    }

    fn stamp(&self, version: Option<u64>, created: Created) -> Stamp {
        Stamp {
            version: version.unwrap_or(0) + 1,
            created,
            now: self.clock.time(),
            actor: self.actor.clone(),
        }
    }

    fn remember(&mut self, no: u32, entity: E) {
        if self.loaded.len() == LOADED {
            let at = self.rng.usize(0..LOADED);
            self.loaded.swap_remove(at);
        }
        self.loaded.push((no, entity));
    }

    fn say(&mut self, what: impl Into<String>) {
        self.log.push(what.into());
    }

    /// A random choice of changes.
    fn moves(&mut self, most: usize) -> Vec<Move<E>> {
        let mut moves = E::moves(&mut self.rng);
        self.rng.shuffle(&mut moves);
        moves.truncate(self.rng.usize(0..=most));
        moves
    }

    /// Conditions on some parts. The stored item may fulfil them or not.
    fn equalities(&mut self, no: u32, other: &E) -> Vec<(&'static str, E)> {
        if self.rng.u32(0..100) < 50 {
            return Vec::new();
        }
        let mut fields = E::PARTS.to_vec();
        self.rng.shuffle(&mut fields);
        fields.truncate(self.rng.usize(1..=fields.len()));
        let right = self.stored(no).map(|row| row.entity.clone());
        let mut chosen = Vec::new();
        for field in fields {
            let of = match &right {
                Some(row) if self.rng.u32(0..100) < 92 => row.clone(),
                _ => other.clone(),
            };
            chosen.push((field, of));
        }
        chosen
    }

    /// Whether the stored item fulfils these conditions.
    fn holds(&self, no: u32, equalities: &[(&'static str, E)]) -> bool {
        let none = Item::new();
        let item = self.stored(no).map_or(&none, |row| &row.item);
        equalities.iter().all(|(field, of)| {
            let stored = crate::model::stored_name::<E>(field);
            item.get(stored) == fresh(of).get(stored)
        })
    }

    /// Compares the result with the verdict, and the stored item with the model.
    async fn judge(
        &mut self,
        no: u32,
        result: Result<Option<E>, Error>,
        verdict: Verdict<E>,
    ) -> Step {
        if self.is_refused && self.http.calls().is_empty() && verdict.refused {
            return Ok(());
        }
        match result {
            Ok(returned) => {
                let Some(row) = verdict.ok else {
                    return Err(format!(
                        "succeeded, and should have failed: {:?}",
                        verdict.lost
                    ));
                };
                if let (Some(returned), Some(row)) = (&returned, &row)
                    && *returned != row.entity
                {
                    return Err(format!(
                        "returned {returned:?}\n instead of {:?}",
                        row.entity
                    ));
                }
                match row {
                    Some(row) => self.rows.insert(no, row),
                    None => self.rows.remove(&no),
                };
                if let Some(returned) = returned {
                    self.remember(no, returned);
                }
            }
            Err(error) if self.is_refused => {
                self.say(format!("  refused: {error}"));
                let calls = self.http.calls();
                return Err(format!("refused without need, after {calls:?}: {error}"));
            }
            Err(error) => {
                self.say(format!("  {:?}", error.kind()));
                if !verdict.lost.contains(&error.kind()) {
                    return Err(format!("failed, and should not so: {error}"));
                }
                let current = error.current::<E>().map_err(|error| error.to_string())?;
                let live = self.live(no).map(|row| row.entity.clone());
                if current.is_some() && current != live {
                    return Err(format!("came with {current:?}\n instead of {live:?}"));
                }
            }
        }
        self.check_item(no).await
    }
}

/// Whether the library refused the operation while it planned the request.
fn is_refused<T>(result: &Result<T, Error>) -> bool {
    result.as_ref().is_err_and(|error| {
        let kind = error.kind();
        error.stage() == Stage::Request
            && (kind == ErrorKind::InvalidKey || kind == ErrorKind::InvalidValue)
    })
}
