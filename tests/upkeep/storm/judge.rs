//! Which outcomes an operation may have, and whether its outcome is one of them.

use std::collections::BTreeMap;
use std::fmt;

use dynamo_entity::{Error, ErrorKind};

use super::entities::Row;

pub type Step = Result<(), String>;

/// Names one row of a task by its entity and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    Plain(u32),
    Member(u32),
}

/// The rows of one task, as the model knows them.
pub type World = BTreeMap<Id, Row>;

/// What an operation should do to the rows of its task.
pub struct Forecast {
    /// The rows of the operation as they are after it, or `None` if it cannot succeed.
    pub after: Option<Vec<(Id, Option<Row>)>>,
    /// The rows that the operation reads or writes.
    pub about: Vec<Id>,
    /// The kinds of errors with which the operation may be refused.
    pub refusals: Vec<ErrorKind>,
    /// Whether the operation is sent again after any failure and ends as unavailable: puts and deletes by key.
    pub is_resent: bool,
}

impl Forecast {
    pub fn leaves(id: Id, row: Option<Row>) -> Forecast {
        Forecast::all([(id, row)])
    }

    pub fn all(rows: impl IntoIterator<Item = (Id, Option<Row>)>) -> Forecast {
        let rows: Vec<_> = rows.into_iter().collect();
        Forecast {
            about: rows.iter().map(|(id, _)| *id).collect(),
            after: Some(rows),
            refusals: Vec::new(),
            is_resent: false,
        }
    }

    pub fn refused(id: Id, refusals: impl Into<Vec<ErrorKind>>) -> Forecast {
        Forecast {
            about: vec![id],
            after: None,
            refusals: refusals.into(),
            is_resent: false,
        }
    }

    /// The forecast of a change, which fails if the row does not exist.
    pub fn change(id: Id, row: Option<Row>) -> Forecast {
        match row {
            Some(row) => Forecast::leaves(id, Some(row)),
            None => Forecast::refused(id, [ErrorKind::NotFound]),
        }
    }

    pub fn or(mut self, refusal: ErrorKind) -> Forecast {
        self.refusals.push(refusal);
        self
    }

    pub fn resent(mut self) -> Forecast {
        self.is_resent = true;
        self
    }
}

/// The effect that an outcome allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Once,
    None,
    Either,
}

/// The effect that this outcome stands for, or an error if the operation must not end like this.
pub fn effect<T>(
    forecast: &Forecast,
    result: &Result<T, Error>,
    is_calm: bool,
) -> Result<Effect, String> {
    let kind = match result {
        Ok(_) if forecast.after.is_some() => return Ok(Effect::Once),
        Ok(_) => return Err(format!("succeeded instead of {:?}", forecast.refusals)),
        Err(error) => error.kind(),
    };
    if forecast.refusals.contains(&kind) {
        return Ok(Effect::None);
    }
    let is_weather = match kind {
        ErrorKind::OutcomeUnknown => Some(Effect::Either),
        // The write succeeded, and the read after it failed.
        ErrorKind::AppliedButUnread => Some(Effect::Once),
        ErrorKind::Unavailable | ErrorKind::Throttled if forecast.is_resent => Some(Effect::Either),
        ErrorKind::Unavailable | ErrorKind::Throttled => Some(Effect::None),
        // The answer was a refusal that was cut short.
        ErrorKind::Service => Some(Effect::None),
        _ => None,
    };
    match is_weather {
        Some(_) if is_calm => Err(format!("{kind:?} in calm weather")),
        Some(effect) => Ok(effect),
        None => Err(format!("{kind:?} instead of {:?}", forecast.refusals)),
    }
}

/// The name under which `Seen` counts requests.
const REQUESTS: &str = "requests";

/// How often each operation ended in each way.
#[derive(Debug, Clone, Default)]
pub struct Seen(BTreeMap<&'static str, BTreeMap<String, u64>>);

impl Seen {
    pub fn note<T>(&mut self, name: &'static str, result: &Result<T, Error>) {
        let outcome = match result {
            Ok(_) => "Ok".to_owned(),
            Err(error) => format!("{:?}", error.kind()),
        };
        *self.0.entry(name).or_default().entry(outcome).or_default() += 1;
    }

    /// Adds the numbers of requests that took each way.
    pub fn count(&mut self, ways: BTreeMap<String, u64>) {
        let mine = self.0.entry(REQUESTS).or_default();
        for (way, count) in ways {
            *mine.entry(way).or_default() += count;
        }
    }

    /// Most requests go past the SDK, as in a program, so that they meet their faults there.
    pub fn went_past_the_sdk(&self) -> Step {
        let ways = self.0.get(REQUESTS).cloned().unwrap_or_default();
        let all: u64 = ways.values().sum();
        let [direct, replayed] =
            ["Direct", "Replayed"].map(|way| ways.get(way).copied().unwrap_or_default());
        match 2 * (direct + replayed) > all && replayed > 0 {
            true => Ok(()),
            false => Err(format!(
                "{direct} and {replayed} of {all} requests went past the SDK: {ways:?}"
            )),
        }
    }

    pub fn add(&mut self, other: &Seen) {
        for (name, outcomes) in &other.0 {
            let mine = self.0.entry(name).or_default();
            for (outcome, count) in outcomes {
                *mine.entry(outcome.clone()).or_default() += count;
            }
        }
    }

    /// Every operation has to succeed and to fail at least once. A short run is not checked.
    pub fn is_wide_enough(&self) -> Step {
        let operations = self.0.iter().filter(|(name, _)| **name != REQUESTS);
        let all: u64 = operations.flat_map(|(_, outcomes)| outcomes.values()).sum();
        // Reads of many rows, and jobs, ask again for what broke off, so it is luck if one of so few fails.
        let asks_again = |name: &str| {
            ["get_many", "batch_get", "scan, stream"].contains(&name)
                || name.ends_with("delete_each")
                || name.ends_with("touch_each")
        };
        let narrow = self
            .0
            .iter()
            .find(|(name, outcomes)| outcomes.len() < 2 && !asks_again(name));
        match narrow {
            Some((name, outcomes)) if all >= 3_500 => {
                Err(format!("`{name}` only ended in {outcomes:?}"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcomes) in &self.0 {
            write!(f, "\n  {name}: {outcomes:?}")?;
        }
        Ok(())
    }
}
