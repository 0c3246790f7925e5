//! One random history: a few programs and a job on one table, whose requests are executed in a random order.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use dynamo_entity::{Dynamo, Error};
use fastrand::Rng;

use super::declared::{Change, Stage};
use super::gate::{Effect, Fate, Gate, Waiting};
use super::program::{Done, IDS, NAMES, Op, Program, Running, Slot};
use super::truth::{Memory, Prediction, Truth};
use crate::support::db::{Db, Raw};

pub type Step<T = ()> = Result<T, String>;

/// A limit that no request reaches.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection whose requests wait at a gate.
#[derive(Clone)]
pub struct Line {
    pub gate: Gate,
    pub db: Dynamo,
}

/// How often each operation of each program took effect, and how often rarer events happened.
#[derive(Debug, Default)]
pub struct Seen(pub BTreeMap<String, u64>);

impl Seen {
    pub fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    pub fn add(&mut self, other: Seen) {
        for (what, times) in other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }
}

/// An operation in progress.
struct Current {
    id: u32,
    op: Op,
    future: Running<Done>,
    memory: Option<Memory>,
    /// How often it took effect, including its late requests.
    effects: Rc<Cell<usize>>,
    is_disturbed: bool,
    has_faults: bool,
    late: usize,
    predicted: Prediction,
}

/// A process of one program, which executes one operation at a time.
struct Actor {
    line: Line,
    program: usize,
    slot: Slot,
    memory: Option<Memory>,
    current: Option<Current>,
    /// Whether the last fill was complete.
    is_filled: bool,
}

/// A request that arrives after its client has stopped waiting for it.
struct Late {
    waiting: Waiting,
    id: u32,
    op: Op,
    memory: Option<Memory>,
    effects: Rc<Cell<usize>>,
}

pub struct World<'w> {
    db: &'w Db,
    change: &'w Change,
    rng: Rng,
    actors: Vec<Actor>,
    late: Vec<Late>,
    truth: Truth,
    stage: Stage,
    has_faults: bool,
    folder: &'w Path,
    pub seen: Seen,
    pub log: Vec<String>,
}

impl<'w> World<'w> {
    pub fn new(
        db: &'w Db,
        lines: &[Line],
        change: &'w Change,
        seed: u64,
        folder: &'w Path,
    ) -> Self {
        let actors = lines.iter().map(|line| Actor {
            line: line.clone(),
            program: 0,
            slot: Slot::default(),
            memory: None,
            current: None,
            is_filled: false,
        });
        let mut rng = Rng::with_seed(seed);
        World {
            db,
            change,
            has_faults: rng.bool(),
            rng,
            actors: actors.collect(),
            late: Vec::new(),
            truth: Truth {
                has_version: change.has_version,
                ..Truth::default()
            },
            stage: change.stages[0].clone(),
            folder,
            seen: Seen::default(),
            log: Vec::new(),
        }
    }

    /// Goes from stage to stage.
    pub async fn run(&mut self) -> Step {
        let change = self.change;
        let mut at = self.rng.usize(..change.stages.len());
        // A later stage relies on the ones before.
        if change.stages[at].is_filled || change.stages[at].fills {
            at = 0;
        }
        self.stage = change.stages[at].clone();
        self.actors[0].program = self.stage.programs[0];
        for id in 0..IDS - 1 {
            let row = super::program::row(&mut self.rng);
            self.start(0, id, Op::Create(row)).await?;
            self.finish(0).await?;
        }
        for _ in 0..self.rng.usize(2..7) {
            self.stage(change.stages[at].clone()).await?;
            let next = &change.stages[at].next;
            at = next[self.rng.usize(..next.len())];
        }
        Ok(())
    }

    /// Runs two programs that must not run at the same time.
    pub async fn run_forbidden(&mut self, pair: &[usize; 2]) -> Step {
        for _ in 0..3 {
            self.stage(Stage::of(*pair)).await?;
        }
        Ok(())
    }

    /// Executes these operations one after the other, each by one program.
    pub async fn run_fixed(&mut self, stage: Stage, steps: &[(usize, Op)]) -> Step {
        self.has_faults = false;
        self.stage = stage;
        self.truth.is_unique = false;
        for (program, op) in steps {
            self.start_as(0, *program, 0, op.clone()).await?;
            self.finish(0).await?;
        }
        self.check_all().await
    }

    /// Starts an operation by a program.
    pub async fn start_as(&mut self, at: usize, program: usize, id: u32, op: Op) -> Step {
        self.actors[at].program = program;
        self.start(at, id, op).await
    }

    /// Fails if the last fill was complete, but two rows have the same name, or a name does not have exactly one
    /// sentinel.
    pub async fn check_fill(&self, at: usize) -> Step {
        if !self.actors[at].is_filled {
            return Ok(());
        }
        match self.truth.twin(&NAMES) {
            Some((id, _)) => Err(format!("{id} has the name of another row after a fill")),
            None => self.check_sentinels().await,
        }
    }

    /// Runs an operation to its end.
    pub async fn finish(&mut self, at: usize) -> Step {
        while self.actors[at].current.is_some() {
            self.release(at, Fate::Pass).await?;
        }
        Ok(())
    }

    async fn stage(&mut self, stage: Stage) -> Step {
        self.stage = stage.clone();
        self.truth.is_unique = self.change.is_unique && stage.is_filled;
        self.forget_jobs()?;
        self.log.push(format!("stage {:?}", self.names()));
        for at in 0..self.actors.len() {
            let last = stage.programs.len() - 1;
            let program = match at {
                at if at <= last => stage.programs[at],
                _ => stage.programs[self.rng.usize(..=last)],
            };
            let actor = &mut self.actors[at];
            if actor.program != program {
                actor.slot = Slot::default();
                actor.memory = None;
                actor.program = program;
            }
        }
        for _ in 0..self.rng.usize(4..16) {
            self.step().await?;
        }
        if stage.fills {
            self.fill().await?;
        }
        self.end().await?;
        self.check_all().await
    }

    /// A fill that began in another stage is not continued: older programs may have written the rows that it has passed.
    fn forget_jobs(&self) -> Step {
        for entry in fs::read_dir(self.folder).map_err(|error| error.to_string())? {
            let entry = entry.map_err(|error| error.to_string())?;
            fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn names(&self) -> Vec<&'static str> {
        let programs = self.stage.programs.iter();
        programs.map(|at| self.change.programs[*at].name).collect()
    }

    fn program(&self, at: usize) -> Program {
        self.change.programs[self.actors[at].program]
    }

    async fn step(&mut self) -> Step {
        if !self.late.is_empty() && self.rng.u8(..4) == 0 {
            let at = self.rng.usize(..self.late.len());
            let late = self.late.remove(at);
            return self.arrive(late).await;
        }
        let at = self.rng.usize(..self.actors.len());
        if self.actors[at].current.is_some() {
            return self.proceed(at).await;
        }
        let is_alone = self.rng.bool() && self.actors.iter().all(|a| a.current.is_none());
        let id = self.rng.u32(..IDS);
        let op = match self.rng.u8(..10) {
            0 if self.program(at).fills => self.fill_op(at),
            _ => self.random_op(at),
        };
        self.start(at, id, op).await?;
        match is_alone {
            true => self.finish(at).await,
            false => Ok(()),
        }
    }

    fn fill_op(&mut self, at: usize) -> Op {
        let job = format!("job-{}", self.actors[at].program);
        Op::Fill((self.rng.u8(..4) == 0).then(|| self.folder.join(job)))
    }

    fn random_op(&mut self, at: usize) -> Op {
        match Op::random(&mut self.rng) {
            op if op.needs_loaded() && self.actors[at].memory.is_none() => Op::Load,
            Op::TransactPut(row) if self.change.reads_first() => Op::Put(row),
            Op::TransactTotal(total) if self.change.name == "moved" => Op::SetTotal(total),
            op => op,
        }
    }

    async fn start(&mut self, at: usize, id: u32, op: Op) -> Step {
        let memory = match op.needs_loaded() {
            true => self.actors[at].memory.take(),
            false => None,
        };
        let id = memory.as_ref().map_or(id, |memory| memory.id);
        self.log.push(format!(
            "{at} {} starts {op:?} of {id}",
            self.program(at).name
        ));
        let predicted = self.truth.predict(id, &op, memory.as_ref());
        let is_disturbed = self.actors.iter().any(|actor| actor.current.is_some());
        for other in self.actors.iter_mut().filter_map(|a| a.current.as_mut()) {
            other.is_disturbed = true;
        }
        let actor = &self.actors[at];
        let run = self.program(at).run;
        let future = run(actor.line.db.clone(), id, op.clone(), actor.slot.clone());
        self.actors[at].current = Some(Current {
            id,
            op,
            future,
            memory,
            effects: Rc::default(),
            is_disturbed,
            has_faults: false,
            late: 0,
            predicted,
        });
        self.advance(at).await
    }

    /// Runs the actor until it waits for a request or is done.
    async fn advance(&mut self, at: usize) -> Step {
        let actor = &mut self.actors[at];
        let Some(current) = &mut actor.current else {
            return Ok(());
        };
        let advance = actor.line.gate.advance(&mut current.future);
        let done = tokio::time::timeout(PATIENCE, advance).await;
        match done.map_err(|_| format!("{at} hangs"))? {
            None => Ok(()),
            Some(done) => self.judge(at, done).await,
        }
    }

    /// The next request of an operation: it arrives, or is lost, or its process ends.
    async fn proceed(&mut self, at: usize) -> Step {
        let fault = match self.has_faults {
            true => self.rng.u8(..24),
            false => 24,
        };
        match fault {
            0 => self.release(at, Fate::Lose).await,
            1 => self.release(at, Fate::Vanish).await,
            2 | 3 => self.delay(at).await,
            4 => self.crash(at).await,
            _ => self.release(at, Fate::Pass).await,
        }
    }

    pub async fn release(&mut self, at: usize, fate: Fate) -> Step {
        let Some(waiting) = self.actors[at].line.gate.take() else {
            return self.advance(at).await;
        };
        let operation = waiting.operation();
        if fate != Fate::Pass {
            self.log.push(format!("  {at} {operation} {fate:?}"));
            self.seen.count(format!("{fate:?}"));
        }
        let effect = waiting.release(fate).await;
        let Some(current) = &mut self.actors[at].current else {
            return Ok(());
        };
        current.has_faults |= fate != Fate::Pass;
        match effect {
            None => {}
            Some(Effect::Read) if current.op == Op::Load => {
                let memory = self.truth.memory(current.id);
                self.actors[at].memory = memory;
            }
            Some(Effect::Read) => {}
            Some(effect) => {
                self.log.push(format!("  {at} {operation} {effect:?}"));
                let (id, op) = (current.id, current.op.clone());
                let (memory, effects) = (current.memory.clone(), current.effects.clone());
                self.took(effect, &operation, id, &op, memory.as_ref(), &effects)
                    .await?;
            }
        }
        self.advance(at).await
    }

    /// Records that a write was executed.
    async fn took(
        &mut self,
        effect: Effect,
        operation: &str,
        id: u32,
        op: &Op,
        memory: Option<&Memory>,
        effects: &Cell<usize>,
    ) -> Step {
        if effect == Effect::Rejected {
            return Ok(());
        }
        let is_job = matches!(op, Op::Fill(_));
        // A transaction that is sent again has the token of the first one.
        let is_same = operation == "TransactWriteItems" && effects.get() > 0;
        if !is_job && !is_same {
            effects.set(effects.get() + 1);
            if effects.get() > 1 && !op.repeats() {
                return Err(format!("{op:?} of {id} took effect twice"));
            }
            self.truth.apply(id, op, memory)?;
        }
        if is_job && self.change.is_shape() {
            self.truth.upgrade();
        }
        let programs = self.stage.programs.len();
        let reader = self.stage.programs[self.rng.usize(..programs)];
        match is_job {
            true => self.check_scan(reader).await,
            false => self.check_row(reader, id).await,
        }
    }

    fn note_fault(&mut self, at: usize) {
        if let Some(current) = &mut self.actors[at].current {
            current.has_faults = true;
        }
    }

    async fn delay(&mut self, at: usize) -> Step {
        let Some(waiting) = self.actors[at].line.gate.take() else {
            return self.advance(at).await;
        };
        if !waiting.writes() {
            self.note_fault(at);
            waiting.release(Fate::Vanish).await;
            return self.advance(at).await;
        }
        self.log
            .push(format!("  {at} {} is late", waiting.operation()));
        self.seen.count("Late");
        if let Some(current) = &mut self.actors[at].current {
            current.has_faults = true;
            current.late += 1;
            self.late.push(Late {
                waiting: waiting.delayed(),
                id: current.id,
                op: current.op.clone(),
                memory: current.memory.clone(),
                effects: current.effects.clone(),
            });
        }
        self.advance(at).await
    }

    /// Ends the process. Its last request may still arrive.
    async fn crash(&mut self, at: usize) -> Step {
        self.log.push(format!("  {at} crashes"));
        self.seen.count("Crash");
        if self.rng.bool() {
            self.delay(at).await?;
        }
        let actor = &mut self.actors[at];
        actor.current = None;
        actor.memory = None;
        actor.slot = Slot::default();
        actor.line.gate.clear();
        Ok(())
    }

    async fn arrive(&mut self, late: Late) -> Step {
        let Late {
            waiting,
            id,
            op,
            memory,
            effects,
        } = late;
        for current in self.actors.iter_mut().filter_map(|a| a.current.as_mut()) {
            current.is_disturbed = true;
        }
        let operation = waiting.operation();
        let effect = waiting.release(Fate::Pass).await.unwrap_or(Effect::Read);
        self.log
            .push(format!("  late {operation} of {op:?} of {id}: {effect:?}"));
        if effect == Effect::Read {
            return Ok(());
        }
        self.took(effect, &operation, id, &op, memory.as_ref(), &effects)
            .await
    }

    /// Compares the result of an operation with its effects.
    async fn judge(&mut self, at: usize, done: Result<Done, Error>) -> Step {
        let Some(current) = self.actors[at].current.take() else {
            return Ok(());
        };
        let program = self.program(at);
        let (op, effects) = (&current.op, current.effects.get());
        let said = format!("{} {op:?} of {}", program.name, current.id);
        self.log.push(match &done {
            Ok(done) => format!("  {at} is done: {}", short(done)),
            Err(error) => format!("  {at} fails: {error}"),
        });
        let is_sure = !current.is_disturbed && !current.has_faults;
        match done {
            Ok(Done::Wrote) => {
                // Nothing is written if nothing changes.
                if effects == 0 && !matches!(op, Op::ModifyName(_)) {
                    return Err(format!("{said} succeeded without a write"));
                }
                let kind = format!("{op:?}");
                let kind = kind.split(['(', ' ']).next().unwrap_or_default();
                self.seen
                    .count(format!("{} {} {kind}", self.change.name, program.name));
                if let (Prediction::Fails(why), true) = (&current.predicted, is_sure) {
                    return Err(format!("{said} succeeded, although {why}"));
                }
            }
            Ok(_) if effects > 0 => return Err(format!("{said} wrote")),
            Ok(Done::Loaded(is_found)) => {
                if is_found != self.actors[at].memory.is_some() {
                    return Err(format!("{said} found a row: {is_found}"));
                }
            }
            Ok(Done::Filled(report)) => self.actors[at].is_filled = report.complete().is_ok(),
            Ok(Done::Nothing) => {}
            Err(error) => {
                // The caller may repeat such a write, so the outcome can remain unknown.
                let is_harmless = op.repeats() && current.has_faults;
                let is_told = error.is_outcome_unknown() || error.took_effect();
                let is_unknown = is_told || is_harmless;
                if effects + current.late > 0 && !is_unknown {
                    return Err(format!("{said} wrote and failed: {error}"));
                }
                if matches!(op, Op::Load) {
                    self.actors[at].memory = None;
                }
                let is_expected = matches!(
                    current.predicted,
                    Prediction::Fails(_) | Prediction::Either(_)
                );
                let may_fail = is_expected || self.may_reject(program, op, &error);
                if is_sure && !may_fail {
                    return Err(format!("{said} failed: {error}"));
                }
            }
        }
        self.check_row(self.actors[at].program, current.id).await
    }

    /// Whether the documentation says that this operation may fail.
    fn may_reject(&self, program: Program, op: &Op, error: &Error) -> bool {
        if program.rejects && error.is_newer_shape() {
            return true;
        }
        if self.change.is_unique && !self.stage.is_filled && error.is_unique_violation() {
            return true;
        }
        // An update by key does not know the value before.
        let sets_name = matches!(op, Op::SetName(_) | Op::NameIfCount(..));
        if self.change.is_unique && program.name != "old" && sets_name {
            return true;
        }
        // A partial change in a transaction and a condition require an item of the shape that the program writes.
        let needs_shape = matches!(op, Op::TransactTotal(_) | Op::DeleteUnless(_));
        self.change.is_shape() && needs_shape && ["reads", "writes"].contains(&program.name)
    }

    /// Completes a fill by the last program while the others run.
    async fn fill(&mut self) -> Step {
        let at = self.stage.programs.len() - 1;
        while self.actors[at].current.is_some() {
            self.proceed(at).await?;
        }
        for attempt in 0..8 {
            if attempt > 2 {
                self.end().await?;
                self.has_faults = false;
                self.settle().await?;
            }
            if !self.fill_once(at).await? {
                continue;
            }
            self.end().await?;
            let unfilled = (self.program(at).unfilled)((**self.db).clone()).await;
            let unfilled = unfilled.map_err(|error| error.to_string())?;
            if unfilled != 0 {
                return Err(format!("{unfilled} rows are unfilled after a fill"));
            }
            self.seen.count(format!("{} filled", self.change.name));
            return Ok(());
        }
        Err("the fill does not come to an end".to_owned())
    }

    async fn fill_once(&mut self, at: usize) -> Step<bool> {
        self.actors[at].is_filled = false;
        let op = self.fill_op(at);
        self.start(at, 0, op).await?;
        while self.actors[at].current.is_some() {
            match self.rng.bool() {
                true => self.proceed(at).await?,
                false => self.step().await?,
            }
        }
        Ok(self.actors[at].is_filled)
    }

    /// Gives rows with the same name other names, because only one row can keep it.
    async fn settle(&mut self) -> Step {
        if !self.change.is_unique {
            return Ok(());
        }
        let at = self.stage.programs.len() - 1;
        while let Some((id, name)) = self.truth.twin(&NAMES) {
            self.start(at, id, Op::ModifyName(name.to_owned())).await?;
            self.finish(at).await?;
        }
        Ok(())
    }

    /// Runs every operation and every late request to its end.
    async fn end(&mut self) -> Step {
        while let Some(at) = self.busy() {
            self.release(at, Fate::Pass).await?;
        }
        while !self.late.is_empty() {
            let late = self.late.remove(0);
            self.arrive(late).await?;
        }
        Ok(())
    }

    fn busy(&mut self) -> Option<usize> {
        let busy: Vec<usize> = (0..self.actors.len())
            .filter(|at| self.actors[*at].current.is_some())
            .collect();
        self.rng.choice(busy)
    }

    fn db(&self) -> Dynamo {
        Dynamo::clone(self.db)
    }

    /// Checks that a program reads the row as all programs together have written it.
    async fn check_row(&self, program: usize, id: u32) -> Step {
        let program = self.change.programs[program];
        let expected = self.truth.rows.get(&id);
        match (program.read)(self.db(), id).await {
            Ok(found) if found.as_ref() == expected => Ok(()),
            Err(error) if program.rejects && error.is_newer_shape() => Ok(()),
            found => Err(format!(
                "{} reads {found:?} as {id}\n instead of {expected:?}, stored {:?}",
                program.name,
                self.items().await
            )),
        }
    }

    async fn check_scan(&self, program: usize) -> Step {
        let found = (self.change.programs[program].scan)(self.db()).await;
        let program = self.change.programs[program];
        match found.map(BTreeMap::from_iter) {
            Ok(found) if found == self.truth.rows => Ok(()),
            Err(error) if program.rejects && error.is_newer_shape() => Ok(()),
            found => Err(format!(
                "{} reads {found:?}\n instead of {:?}, stored {:?}",
                program.name,
                self.truth.rows,
                self.items().await
            )),
        }
    }

    /// Checks that every program reads every row, and finds it by its name. After a fill, each item is as they would
    /// put it.
    pub async fn check_all(&self) -> Step {
        for at in &self.stage.programs {
            self.check_scan(*at).await?;
            let program = self.change.programs[*at];
            let named = program.named.filter(|_| !program.rejects);
            for name in NAMES.iter().filter(|_| named.is_some()) {
                self.check_name(program, name).await?;
            }
            if !self.stage.is_filled {
                continue;
            }
            self.check_sentinels().await?;
            for item in self.items().await.into_iter().filter(is_row) {
                let is_whole = (program.is_whole)(&item);
                if !is_whole.map_err(|error| error.to_string())? {
                    return Err(format!("{} would not put {item:?}", program.name));
                }
            }
        }
        Ok(())
    }

    /// Checks that each name has one sentinel, and that no other sentinel exists.
    async fn check_sentinels(&self) -> Step {
        let items = self.items().await;
        let sentinels = items.iter().filter(|item| !is_row(item)).count();
        let names: BTreeSet<&str> = self.truth.rows.values().map(|row| &*row.name).collect();
        if !self.change.is_unique || sentinels == names.len() {
            return Ok(());
        }
        Err(format!("{names:?} have {sentinels} sentinels: {items:?}"))
    }

    async fn check_name(&self, program: Program, name: &str) -> Step {
        let Some(named) = program.named else {
            return Ok(());
        };
        let found = named(self.db(), name.to_owned()).await;
        let mut found = found.map_err(|error| error.to_string())?;
        found.sort_unstable();
        let rows = self.truth.rows.iter().filter(|(_, row)| row.name == name);
        let expected: Vec<u32> = rows.map(|(id, _)| *id).collect();
        if found == expected {
            return Ok(());
        }
        let stored = self.items().await;
        Err(format!(
            "{} finds {found:?} by {name}\n instead of {expected:?}, stored {stored:?}",
            program.name
        ))
    }

    /// All stored items.
    async fn items(&self) -> Vec<Raw> {
        let name = (self.change.schema)().name;
        let table = format!("{}-{name}", self.db.prefix());
        let scan = self.db.client().scan().table_name(table);
        let found = scan.consistent_read(true).send().await;
        found.expect("a scan").items.unwrap_or_default()
    }

    /// Empties the table and ends all requests of the connections.
    pub async fn wipe(&mut self) {
        for actor in &mut self.actors {
            actor.current = None;
            actor.line.gate.clear();
        }
        let name = (self.change.schema)().name;
        let table = format!("{}-{name}", self.db.prefix());
        for item in self.items().await {
            let delete = self.db.client().delete_item().table_name(&table);
            let key = item.get("pk").expect("a key").clone();
            delete.key("pk", key).send().await.expect("a delete");
        }
    }
}

/// Whether the item is a row, and not the item of a unique value.
fn is_row(item: &Raw) -> bool {
    !item.keys().any(|name| name.starts_with("$unique"))
}

fn short(done: &Done) -> String {
    match done {
        Done::Filled(report) => format!(
            "{} written, {} unchanged, {:?}",
            report.written,
            report.unchanged,
            report.errors()
        ),
        done => format!("{done:?}"),
    }
}
