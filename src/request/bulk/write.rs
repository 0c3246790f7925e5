//! One row, or one write, until it is done: again after a lost race, and as far as that is safe after a lost
//! answer.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;

use super::action::{self, Decide};
use super::mark::Mark;
use super::put::Prepared;
use super::report::{FailedRow, Fate};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result};
use crate::request::call::Plan;
use crate::request::get::read_item;
use crate::request::query::Target;
use crate::request::rate::Rate;
use crate::request::retry_budget::{Patience, Rounds};

/// What all rows of a job share.
pub(super) struct Tools<'j> {
    pub(super) db: &'j Dynamo,
    pub(super) mark: Option<Mark>,
    pub(super) rate: Option<Rate>,
    /// With a service that is busy.
    pub(super) patience: Patience,
    /// With others who write the same rows.
    pub(super) races: Patience,
}

/// What is done to rows.
pub(super) struct Rows<'j> {
    pub(super) target: Target,
    /// The table's full name.
    pub(super) table: String,
    /// The attributes of its primary key.
    pub(super) names: Vec<&'static str>,
    pub(super) action: Action<'j>,
}

pub(super) enum Action<'j> {
    /// The closure may run again while others are under way.
    Change(Mutex<Decide<'j>>),
    Delete,
}

/// Why a row was not done.
#[derive(Debug)]
pub(super) enum Trouble {
    /// This row alone.
    Row(FailedRow),
    /// All that follow would fare alike.
    Job(Error),
}

/// What a failed write means for the row.
enum Failure {
    Lost,
    Unknown,
    Busy,
    Lasting,
    Own,
}

fn sort(error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotFound | ErrorKind::Conflict => Failure::Lost,
        ErrorKind::OutcomeUnknown => Failure::Unknown,
        ErrorKind::Throttled | ErrorKind::Unavailable => Failure::Busy,
        ErrorKind::TableNotFound | ErrorKind::AccessDenied | ErrorKind::Config => Failure::Lasting,
        _ => Failure::Own,
    }
}

impl Tools<'_> {
    fn is_marked(&self, item: &[u8]) -> bool {
        self.mark.as_ref().is_some_and(|mark| mark.is_on(item))
    }

    /// Waits until another write may be sent.
    async fn turn(&self) {
        if let Some(rate) = &self.rate {
            rate.wait().await;
        }
    }
}

impl<'j> Rows<'j> {
    /// Changes or deletes a row that was read.
    pub(super) async fn change(&self, tools: &Tools<'_>, item: Bytes) -> Result<Fate, Trouble> {
        let key = action::key_of(&item, &self.names);
        let key = key.map_err(|error| failed(b"{}", None, error))?;
        self.attempts(tools, item, &key).await
    }

    /// The same with a row that failed in an earlier run: by its key.
    pub(super) async fn again(&self, tools: &Tools<'_>, key: &[u8]) -> Result<Fate, Trouble> {
        match self.read(tools, key).await? {
            Some(item) => self.attempts(tools, item, key).await,
            None => Ok(Fate::Vanished),
        }
    }

    async fn attempts<'a>(
        &'a self,
        tools: &'a Tools<'a>,
        item: Bytes,
        key: &'a [u8],
    ) -> Result<Fate, Trouble> {
        let mut attempt = Attempt {
            rows: self,
            tools,
            key,
            item,
            has_lost: false,
            was_unknown: false,
            races: tools.races.rounds(),
            busy: tools.patience.rounds(),
        };
        loop {
            if let ControlFlow::Break(fate) = attempt.once().await? {
                return Ok(fate);
            }
        }
    }

    /// The item as it is now.
    async fn read(&self, tools: &Tools<'_>, key: &[u8]) -> Result<Option<Bytes>, Trouble> {
        let mut busy = tools.patience.rounds();
        loop {
            let began = Instant::now();
            match read_item(tools.db, self.target.entity(), &self.table, key).await {
                Ok(item) => return Ok(item),
                Err(error) => pause(&mut busy, began, error, key).await?,
            }
        }
    }

    /// The write of the row as it is; what it comes to if there is none.
    fn plan(
        &self,
        tools: &Tools<'_>,
        item: &[u8],
        key: &[u8],
    ) -> Result<ControlFlow<Fate, Plan<()>>> {
        let (db, entity) = (tools.db, self.target.entity());
        let claim = self.target.claim(item, db.now());
        let Some(claim) = claim.map_err(|fault| Error::decode(entity, fault))? else {
            return Ok(ControlFlow::Break(Fate::Vanished));
        };
        let plan = match &self.action {
            Action::Delete => Some(action::delete(db, entity, &self.table, key, claim)?),
            Action::Change(decide) => {
                let mut decide = decide.lock().unwrap_or_else(PoisonError::into_inner);
                decide(db, item, claim)?
            }
        };
        let Some(plan) = plan else {
            return Ok(ControlFlow::Break(Fate::Unchanged));
        };
        match &tools.mark {
            Some(mark) => marked(plan, mark).map(ControlFlow::Continue),
            None => Ok(ControlFlow::Continue(plan)),
        }
    }
}

/// The attempts at one row.
struct Attempt<'a, 'j> {
    rows: &'a Rows<'j>,
    tools: &'a Tools<'a>,
    key: &'a [u8],
    /// The row as it was seen last.
    item: Bytes,
    /// Others were first before.
    has_lost: bool,
    /// An attempt before may have taken effect.
    was_unknown: bool,
    races: Rounds<'a>,
    busy: Rounds<'a>,
}

impl Attempt<'_, '_> {
    async fn once(&mut self) -> Result<ControlFlow<Fate>, Trouble> {
        if self.tools.is_marked(&self.item) {
            return Ok(ControlFlow::Break(self.own()));
        }
        let plan = self.rows.plan(self.tools, &self.item, self.key);
        let plan = match plan.map_err(|error| failed(self.key, None, error))? {
            ControlFlow::Continue(plan) => plan,
            ControlFlow::Break(fate) => return Ok(ControlFlow::Break(fate)),
        };
        self.tools.turn().await;
        let began = Instant::now();
        let Err(error) = plan.send(self.tools.db).await else {
            return Ok(ControlFlow::Break(Fate::Written));
        };
        match sort(&error) {
            Failure::Lost => self.lost(error, began).await,
            Failure::Unknown => self.unknown(error, began).await,
            Failure::Busy => {
                pause(&mut self.busy, began, error, self.key).await?;
                Ok(ControlFlow::Continue(()))
            }
            Failure::Lasting => Err(Trouble::Job(error)),
            Failure::Own => Err(failed(self.key, None, error)),
        }
    }

    /// The mark is on the item.
    fn own(&self) -> Fate {
        if self.was_unknown {
            Fate::Written
        } else {
            Fate::AlreadyDone
        }
    }

    /// No item is there.
    fn gone(&self) -> Fate {
        match self.rows.action {
            Action::Delete if self.was_unknown => Fate::Written,
            _ => Fate::Vanished,
        }
    }

    /// Somebody else was first. The first loser has the winner's item at hand; who loses again waits, and
    /// reads anew.
    async fn lost(&mut self, error: Error, began: Instant) -> Result<ControlFlow<Fate>, Trouble> {
        let Some(current) = error.current_bytes() else {
            return Ok(ControlFlow::Break(self.gone()));
        };
        if is_same(&current, &self.item) {
            // The write was made of this very item: what does not hold is asked by the query or the closure.
            return Ok(ControlFlow::Break(Fate::Vanished));
        }
        if !std::mem::replace(&mut self.has_lost, true) {
            self.item = current;
            return Ok(ControlFlow::Continue(()));
        }
        self.races.in_vain();
        if !self.races.another(began.elapsed()).await {
            return Err(failed(self.key, None, error));
        }
        self.read_anew().await
    }

    /// Nobody knows whether it took effect, but for the item: by its mark, or by its absence.
    async fn unknown(
        &mut self,
        error: Error,
        began: Instant,
    ) -> Result<ControlFlow<Fate>, Trouble> {
        let can_tell = match self.rows.action {
            Action::Delete => true,
            Action::Change(_) => self.tools.mark.is_some(),
        };
        self.busy.in_vain();
        if !can_tell || !self.busy.another(began.elapsed()).await {
            return Err(failed(self.key, None, error));
        }
        self.was_unknown = true;
        // Without an answer to that either it remains unknown.
        let read = self.read_anew().await;
        read.map_err(|_| failed(self.key, None, error))
    }

    async fn read_anew(&mut self) -> Result<ControlFlow<Fate>, Trouble> {
        match self.rows.read(self.tools, self.key).await? {
            Some(item) => self.item = item,
            None => return Ok(ControlFlow::Break(self.gone())),
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Sends one of the writes that were given.
pub(super) async fn write(
    tools: &Tools<'_>,
    number: u64,
    prepared: Result<Box<Prepared>>,
) -> Result<Fate, Trouble> {
    let number = Some(number);
    let prepared = *prepared.map_err(|error| failed(b"{}", number, error))?;
    let key = prepared.key.map_err(|error| failed(b"{}", number, error))?;
    let fail = |error| failed(&key, number, error);
    let mark = tools.mark.as_ref().zip(number);
    let mark = mark.map(|(mark, number)| mark.of_write(number));
    let (mut plan, mut mark) = (prepared.plan, mark);
    if let Some(own) = &mark {
        if plan.is_transaction() {
            return Err(fail(action::not_for_jobs(plan.entity)));
        }
        own.check_free(prepared.table, prepared.entities)
            .map_err(fail)?;
        plan = marked(plan, own).map_err(fail)?;
        // A delete carries none, so nothing tells of it.
        mark = mark.filter(|_| plan.request.operation != crate::wire::Operation::DeleteItem);
    }
    let (mut busy, mut was_unknown) = (tools.patience.rounds(), false);
    loop {
        tools.turn().await;
        let began = Instant::now();
        let Err(error) = plan.again().send(tools.db).await else {
            return Ok(Fate::Written);
        };
        let is_own = |item: Option<Bytes>| {
            let mark = mark.as_ref().zip(item);
            mark.is_some_and(|(mark, item)| mark.is_on(&item))
        };
        let own = if was_unknown {
            Fate::Written
        } else {
            Fate::AlreadyDone
        };
        match sort(&error) {
            Failure::Lost if is_own(error.current_bytes()) => return Ok(own),
            Failure::Unknown if mark.is_some() => {
                was_unknown = true;
                busy.in_vain();
                if !busy.another(began.elapsed()).await {
                    return Err(fail(error));
                }
            }
            Failure::Busy => pause(&mut busy, began, error, &key).await?,
            Failure::Lasting => return Err(Trouble::Job(error)),
            Failure::Lost | Failure::Unknown | Failure::Own => return Err(fail(error)),
        }
    }
}

/// The same write with a mark.
fn marked(plan: Plan<()>, mark: &Mark) -> Result<Plan<()>> {
    let request = mark.onto(plan.request.clone());
    let request = request.map_err(|fault| Error::encode(plan.entity, fault))?;
    Ok(Plan { request, ..plan })
}

/// Waits for a service that is busy. One that stays so stops the job: what follows would fare alike.
async fn pause(
    busy: &mut Rounds<'_>,
    began: Instant,
    error: Error,
    key: &[u8],
) -> Result<(), Trouble> {
    match sort(&error) {
        Failure::Busy => {}
        Failure::Lasting => return Err(Trouble::Job(error)),
        _ => return Err(failed(key, None, error)),
    }
    busy.in_vain();
    if busy.another(began.elapsed()).await {
        Ok(())
    } else {
        Err(Trouble::Job(error))
    }
}

fn failed(key: &[u8], number: Option<u64>, error: Error) -> Trouble {
    let key = Item::from_dynamo_json(key).unwrap_or_default();
    Trouble::Row(FailedRow { key, number, error })
}

/// Whether two items hold the same, in whatever order.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let read = |json| Item::from_dynamo_json(json).ok();
    read(left).is_some_and(|left| read(right) == Some(left))
}
