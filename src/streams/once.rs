//! Effects outside DynamoDB that are run at most once for each key.
//!
//! ```text
//! no row ── create ──> started ── the effect succeeds ──> done, with its result
//!    ^                    │
//!    └─ the effect fails ─┤
//!                         └─ its owner dies: in progress until the lease expires, interrupted after that
//! ```
//!
//! The row is written before the effect begins and again after it has ended. If the owner dies in between, the library
//! cannot know whether the effect took place, so it does not run the effect again unless the caller allows it.

use std::error::Error as StdError;
use std::fmt;
use std::time::{Duration, SystemTime};

use dynamo_entity_derive::DynamoEntity;

use crate::codec::{DynamoValue, Value};
use crate::dynamo::Dynamo;
use crate::entity::Version;
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Reader, Writer};
use crate::plan::Operation;
use crate::verbs::EntityExt;

/// The default time for which an effect counts as in progress: the longest run time of a Lambda function.
const LEASE: Duration = Duration::from_secs(15 * 60);

/// The default time for which a completed effect is remembered.
const KEPT: Duration = Duration::from_secs(400 * 24 * 3600);

/// The number of races that may be lost to other writers.
const ROUNDS: usize = 8;

/// The state and the result of an effect outside DynamoDB, such as a mail or a payment; see [`once`]. Create its table with
/// your tables: `db.create_tables([OnceEffect::schema()])`.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(crate = crate, table = "once-effects", key(pk = id))]
#[non_exhaustive]
pub struct OnceEffect {
    /// The key of the effect.
    pub id: String,
    /// The random ID of the call that runs the effect or ran it.
    pub owner: String,
    /// The time at which the effect began.
    pub since: SystemTime,
    /// The time until which the effect counts as in progress, unless it is done.
    pub until: SystemTime,
    /// Whether the effect took place.
    pub is_done: bool,
    /// The result of the effect.
    pub result: Option<Value>,
    /// The time at which the row expires, so that the effect can be run again. `None` if the effect is not done.
    #[dynamo(ttl)]
    pub expires_at: Option<SystemTime>,
    /// Counts the changes of the row.
    #[dynamo(version)]
    pub version: Version,
}

/// The result of [`Once::run`] for an effect that took place.
#[derive(Debug)]
pub enum Ran<T> {
    /// The effect took place in this call.
    Now(T),
    /// The effect took place in an earlier call, with this result.
    Before(T),
    /// The effect took place in this call, but its result could not be recorded. Later calls find an interrupted effect.
    Unrecorded(T, Error),
}

impl<T> Ran<T> {
    /// Returns the result of the effect.
    pub fn into_result(self) -> T {
        match self {
            Ran::Now(result) | Ran::Before(result) | Ran::Unrecorded(result, _) => result,
        }
    }
}

/// The reason why [`Once::run`] has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum OnceError<X> {
    /// The effect returned this error, which means that it did not take place. The next call may run it again.
    Failed(X),
    /// Another call is running the effect.
    InProgress {
        /// The time at which the effect began.
        since: SystemTime,
    },
    /// Another call began the effect and did not end it in time, so the effect may or may not have taken place. Look for
    /// the effect, and then delete its [`OnceEffect`] or set `is_done`; or use [`retry_after`](Once::retry_after).
    Interrupted {
        /// The time at which the effect began.
        since: SystemTime,
    },
    /// The table of effects could not be read or written. The effect was not run.
    Table(Error),
}

impl<X: fmt::Display> fmt::Display for OnceError<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnceError::Failed(error) => error.fmt(f),
            OnceError::InProgress { .. } => f.write_str("another call is running this effect"),
            OnceError::Interrupted { .. } => f.write_str(
                "this effect was interrupted, so it may have taken place: look for it, or allow a retry with `retry_after`",
            ),
            OnceError::Table(error) => error.fmt(f),
        }
    }
}

impl<X: fmt::Display + fmt::Debug> StdError for OnceError<X> {}

impl<X> From<Error> for OnceError<X> {
    fn from(error: Error) -> Self {
        OnceError::Table(error)
    }
}

/// A result that can be stored: any value of an attribute, or `()`.
pub trait OnceResult: Sized {
    /// The value to store.
    #[doc(hidden)]
    fn to_stored(&self) -> Result<Option<Value>, CodecError>;

    /// The result from the stored value.
    #[doc(hidden)]
    fn from_stored(stored: Option<Value>) -> Result<Self, CodecError>;
}

impl OnceResult for () {
    fn to_stored(&self) -> Result<Option<Value>, CodecError> {
        Ok(None)
    }

    fn from_stored(_: Option<Value>) -> Result<Self, CodecError> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<T: DynamoValue> OnceResult for T {
    fn to_stored(&self) -> Result<Option<Value>, CodecError> {
        let mut json = Writer::default();
        self.encode(&mut json)?;
        Value::decode(&mut Reader::new(json.as_bytes())).map(Some)
    }

    fn from_stored(stored: Option<Value>) -> Result<Self, CodecError> {
        let mut json = Writer::default();
        let stored = stored.ok_or_else(|| CodecError::new("no result of the effect is stored"))?;
        stored.encode(&mut json)?;
        T::decode(&mut Reader::new(json.as_bytes()))
    }
}

/// Prepares an effect outside DynamoDB that takes place at most once for this key; [`run`](Once::run) runs it.
///
/// A call writes the table [`OnceEffect`] before the effect and after it, which costs two writes. If the effect already took
/// place, the call costs a write whose condition fails and a strong read.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::streams::{OnceEffect, Ran, once};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let db = Dynamo::connect("embedded:memory").await?;
/// db.create_tables([OnceEffect::schema()]).await?;
///
/// let send_mail = async || -> Result<String> { Ok("message 17".to_owned()) };
/// let first = once("mail#order 7").run(&db, send_mail).await?;
/// assert!(matches!(first, Ran::Now(_)));
/// let again = once("mail#order 7").run(&db, send_mail).await?;
/// assert!(matches!(again, Ran::Before(id) if id == "message 17"));
/// # Ok(()) }
/// ```
pub fn once(key: impl Into<String>) -> Once {
    Once {
        key: key.into(),
        lease: LEASE,
        retry_after: None,
        kept: KEPT,
    }
}

/// An effect that is not run yet; see [`once`].
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `.run(&db, ..)`"]
pub struct Once {
    key: String,
    lease: Duration,
    retry_after: Option<Duration>,
    kept: Duration,
}

enum Begun<T> {
    Mine(OnceEffect),
    Before(T),
}

impl Once {
    /// Sets the time that the effect may take, 15 minutes by default. During this time, other calls return
    /// [`InProgress`](OnceError::InProgress), and after it [`Interrupted`](OnceError::Interrupted). An effect that takes
    /// longer is not stopped.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Runs an effect again if it began this long ago and has not ended. **The effect may then take place twice.** Use
    /// this only if a repetition is harmless, for example because the receiver recognizes the key. The time should be
    /// longer than any effect takes plus the difference between the clocks of your machines.
    pub fn retry_after(mut self, time: Duration) -> Self {
        self.retry_after = Some(time);
        self
    }

    /// Sets the time for which the result is kept, 400 days by default. After that, the effect can be run again.
    pub fn keep_for(mut self, time: Duration) -> Self {
        self.kept = time;
        self
    }

    /// Runs the effect and stores its result. If the effect already took place, returns the stored result instead.
    ///
    /// **An error of the effect must mean that it did not take place**, because the next call runs it again. If you do not
    /// know whether it took place, for example after a timeout, then panic, drop the future or exit: later calls then
    /// find an interrupted effect.
    pub async fn run<T, X, F, Fut>(self, db: &Dynamo, effect: F) -> Result<Ran<T>, OnceError<X>>
    where
        T: OnceResult,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, X>>,
    {
        let row = match self.begin_effect(db).await? {
            Begun::Mine(row) => row,
            Begun::Before(result) => return Ok(Ran::Before(result)),
        };
        match effect().await {
            Ok(result) => Ok(match self.finish_effect(row, &result, db).await {
                Ok(()) => Ran::Now(result),
                Err(error) => Ran::Unrecorded(result, error),
            }),
            Err(error) => {
                // If this fails, the row remains, and the effect counts as interrupted. That is safe, because it is not
                // run again unless the caller allows it.
                let _ = row.delete().send(db).await;
                Err(OnceError::Failed(error))
            }
        }
    }

    /// Becomes the owner of the row, or returns the reason why that is not possible.
    async fn begin_effect<T: OnceResult, X>(&self, db: &Dynamo) -> Result<Begun<T>, OnceError<X>> {
        let owner = format!("{:032x}", entropy::random_bits()?);
        let mut last = None;
        for _ in 0..ROUNDS {
            let begun = self.begun_row(owner.clone(), db)?;
            match begun.create().send(db).await {
                Ok(row) => return Ok(Begun::Mine(row)),
                // After a lost response, the row shows by its random owner whether this call has created it.
                Err(error) if error.is_lost_race() || error.is_outcome_unknown() => {
                    last = Some(error)
                }
                Err(error) => return Err(error.into()),
            }
            let key = OnceEffect::key(&self.key);
            let Some(found) = key.get().consistent().send(db).await? else {
                continue;
            };
            // Only this call knows the random ID, so its own create took effect although the response was lost.
            if found.owner == owner {
                return Ok(Begun::Mine(found));
            }
            if found.is_done {
                let result = T::from_stored(found.result);
                return Ok(Begun::Before(result.map_err(unfit_result)?));
            }
            let now: SystemTime = db.now_as()?;
            let since = found.since;
            let is_over = |after: &Duration| since.checked_add(*after).is_some_and(|at| at <= now);
            if !self.retry_after.as_ref().is_some_and(is_over) {
                return Err(match now < found.until {
                    true => OnceError::InProgress { since },
                    false => OnceError::Interrupted { since },
                });
            }
            let taken = OnceEffect {
                // The put checks the version of the row that was found, so only one of several
                // calls can take over an interrupted effect.
                version: found.version,
                ..begun
            };
            match taken.put().send(db).await {
                Ok(row) => return Ok(Begun::Mine(row)),
                Err(error) if error.is_lost_race() || error.is_outcome_unknown() => {
                    last = Some(error)
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(OnceError::Table(last.unwrap_or_else(busy_error)))
    }

    fn begun_row(&self, owner: String, db: &Dynamo) -> Result<OnceEffect> {
        let since: SystemTime = db.now_as()?;
        Ok(OnceEffect {
            id: self.key.clone(),
            owner,
            since,
            until: since.checked_add(self.lease).ok_or_else(too_long)?,
            is_done: false,
            result: None,
            expires_at: None,
            version: Version::default(),
        })
    }

    /// Records the result. The version guards it: if another call has taken over the row, its state is not overwritten.
    async fn finish_effect<T: OnceResult>(
        &self,
        row: OnceEffect,
        result: &T,
        db: &Dynamo,
    ) -> Result<()> {
        let now: SystemTime = db.now_as()?;
        let done = OnceEffect {
            is_done: true,
            result: result.to_stored().map_err(unfit_result)?,
            expires_at: Some(now.checked_add(self.kept).ok_or_else(too_long)?),
            ..row
        };
        let mut last = None;
        for _ in 0..ROUNDS {
            let Err(error) = done.put().send(db).await else {
                return Ok(());
            };
            if !error.is_lost_race() && !error.is_outcome_unknown() {
                return Err(error);
            }
            let stored = done.key().get().consistent().send(db).await?;
            match stored {
                Some(stored) if stored.owner == done.owner && stored.is_done => return Ok(()),
                Some(stored) if stored.version == done.version => last = Some(error),
                _ => return Err(error),
            }
        }
        Err(last.unwrap_or_else(busy_error))
    }
}

#[cold]
fn unfit_result(fault: CodecError) -> Error {
    Error::decode("OnceEffect", fault.at("result"))
}

#[cold]
fn too_long() -> Error {
    Error::config("the time of the effect is outside the range of the clock")
}

#[cold]
fn busy_error() -> Error {
    let message = "other calls changed the row of the effect during each attempt";
    Error::new(ErrorKind::Conflict, Stage::Service, message)
}
