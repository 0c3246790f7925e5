//! The contents of a checkpoint, as an item in DynamoDB JSON, which the library can write and read.

use crate::bulk::BulkCounts;
use crate::bulk::stray::StrayAttempt;
use crate::codec::{Item, Value};
use crate::entropy;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::{CodecError, Number};

const VERSION: u64 = 3;

/// The identity of a job across its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bulk) struct JobIdentity {
    pub(in crate::bulk) name: String,
    /// The verb, so that rows that were half updated are not deleted by mistake.
    pub(in crate::bulk) verb: &'static str,
    /// The identity of its query.
    pub(in crate::bulk) binding: u64,
}

/// How far a job has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::bulk) struct JobState {
    /// The text that marks the items of this job, from its first start to its end.
    pub(in crate::bulk) run: String,
    /// The cursor behind all rows that are dealt with.
    pub(in crate::bulk) position: Option<String>,
    /// The number of those rows.
    pub(in crate::bulk) passed: u64,
    pub(in crate::bulk) counts: BulkCounts,
    /// The sum that tells the given writes that are done from others; 0 for rows.
    pub(in crate::bulk) identity: u64,
    /// The work that the next run retries: the keys of rows that failed, in DynamoDB JSON, or the names of given writes.
    pub(in crate::bulk) failed: Vec<String>,
    /// Attempts at given writes that may still take effect, by the numbers of their items.
    pub(in crate::bulk) strays: Vec<(u64, StrayAttempt)>,
    pub(in crate::bulk) is_finished: bool,
}

impl JobState {
    /// The state of a job that begins.
    pub(in crate::bulk) fn new() -> Result<Self> {
        Ok(JobState {
            // The text is random, because the marks of another run must not equal those of this one: rows would be
            // skipped.
            run: format!("{:016x}", entropy::random_half()?),
            ..JobState::default()
        })
    }

    /// Whether nothing is left to do.
    pub(in crate::bulk) fn is_over(&self) -> bool {
        self.is_finished && self.failed.is_empty()
    }

    pub(in crate::bulk) fn encode(&self, job: &JobIdentity) -> Result<Vec<u8>> {
        let failed = self.failed.iter().map(|key| Value::from(&**key)).collect();
        let mut item: Item = [
            ("version", Value::from(VERSION)),
            ("job", Value::from(&*job.name)),
            ("verb", Value::from(job.verb)),
            ("binding", Value::from(job.binding)),
            ("run", Value::from(&*self.run)),
            ("passed", Value::from(self.passed)),
            ("identity", Value::from(self.identity)),
            ("failed", Value::L(failed)),
            ("finished", Value::from(self.is_finished)),
        ]
        .into_iter()
        .collect();
        if !self.strays.is_empty() {
            let strays = self.strays.iter();
            let strays = strays.map(|(item, stray)| Value::from(stray.to_text(*item)));
            item.extend([("strays", Value::L(strays.collect()))]);
        }
        item.extend(counts(&self.counts));
        item.extend(self.position.iter().map(|at| ("position", &**at)));
        item.to_dynamo_json()
            .map_err(|fault| Error::encode("Checkpoint", fault))
    }

    /// Reads a state, and rejects that of another job.
    pub(in crate::bulk) fn decode(bytes: &[u8], job: &JobIdentity) -> Result<Self> {
        let broken = |fault: CodecError| refused(format!("this is no checkpoint: {fault}"));
        let item = Item::from_dynamo_json(bytes).map_err(broken)?;
        let number = |name| number(&item, name).map_err(broken);
        let text = |name| text(&item, name).map_err(broken);
        if number("version")? != VERSION {
            return Err(refused(
                "another version of the library wrote this checkpoint",
            ));
        }
        let name = text("job")?;
        if name != job.name {
            return Err(refused(format!(
                "the checkpoint belongs to the job `{name}`, and this is `{}`: use another file; remove this one only if that job will never be resumed",
                job.name
            )));
        }
        // With another query, the position would be that of other rows, and rows would be skipped
        // silently.
        if text("verb")? != job.verb || number("binding")? != job.binding {
            return Err(refused(
                "the checkpoint was made with another query or verb (table, index, partition, parts, order, filter): run that one to its end, or give this one another name and place",
            ));
        }
        Ok(JobState {
            run: text("run")?.to_owned(),
            position: text("position").ok().map(str::to_owned),
            passed: number("passed")?,
            identity: number("identity")?,
            counts: BulkCounts {
                found: number("found")?,
                written: number("written")?,
                unchanged: number("unchanged")?,
                vanished: number("vanished")?,
                left_query: number("left")?,
                already_done: number("already_done")?,
                failed: number("failures")?,
            },
            failed: list(&item, "failed").map_err(broken)?,
            strays: strays(&item).map_err(broken)?,
            is_finished: item.get("finished") == Some(&Value::Bool(true)),
        })
    }
}

fn counts(counts: &BulkCounts) -> [(&'static str, Value); 7] {
    [
        ("found", Value::from(counts.found)),
        ("written", Value::from(counts.written)),
        ("unchanged", Value::from(counts.unchanged)),
        ("vanished", Value::from(counts.vanished)),
        ("left", Value::from(counts.left_query)),
        ("already_done", Value::from(counts.already_done)),
        ("failures", Value::from(counts.failed)),
    ]
}

fn text<'i>(item: &'i Item, name: &'static str) -> Result<&'i str, CodecError> {
    let found = item.get(name).and_then(Value::as_text);
    found.ok_or_else(|| CodecError::new("a text is missing").at(name))
}

fn number(item: &Item, name: &'static str) -> Result<u64, CodecError> {
    let found = item.get(name).and_then(Value::as_number);
    let found = found.and_then(|number: &Number| number.as_str().parse().ok());
    found.ok_or_else(|| CodecError::new("a number is missing").at(name))
}

/// Few checkpoints have any.
fn strays(item: &Item) -> Result<Vec<(u64, StrayAttempt)>, CodecError> {
    if item.get("strays").is_none() {
        return Ok(Vec::new());
    }
    let read = |text: String| {
        let stray = StrayAttempt::from_text(&text);
        stray.ok_or_else(|| CodecError::new("a write with its time is missing").at("strays"))
    };
    list(item, "strays")?.into_iter().map(read).collect()
}

fn list(item: &Item, name: &'static str) -> Result<Vec<String>, CodecError> {
    let Some(Value::L(list)) = item.get(name) else {
        return Err(CodecError::new("a list is missing").at(name));
    };
    let texts = list.iter().map(|value| {
        let text = value.as_text().map(str::to_owned);
        text.ok_or_else(|| CodecError::new("a text is missing").at(name))
    });
    texts.collect()
}

pub(in crate::bulk) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Checkpoint, Stage::Request, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> JobIdentity {
        JobIdentity {
            name: "prices".into(),
            verb: "update",
            binding: u64::MAX,
        }
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let state = JobState {
            position: Some("abc".into()),
            passed: 7,
            identity: u64::MAX - 1,
            counts: BulkCounts {
                found: 7,
                written: 5,
                unchanged: 1,
                failed: 1,
                ..BulkCounts::default()
            },
            failed: vec![r#"{"id":{"S":"a\"b"}}"#.into()],
            strays: StrayAttempt::from_text("ff 3 1764000000")
                .into_iter()
                .collect(),
            is_finished: true,
            ..JobState::new().unwrap()
        };
        let bytes = state.encode(&job()).unwrap();
        assert_eq!(JobState::decode(&bytes, &job()).unwrap(), state);
        assert!(!state.is_over());
    }

    #[test]
    fn what_is_not_this_jobs_is_refused() {
        let bytes = JobState::new().unwrap().encode(&job()).unwrap();
        let others = [
            JobIdentity {
                name: "other".into(),
                ..job()
            },
            JobIdentity {
                verb: "delete",
                ..job()
            },
            JobIdentity {
                binding: 1,
                ..job()
            },
        ];
        for other in others {
            let refused = JobState::decode(&bytes, &other).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Checkpoint);
        }
        for cut in 0..bytes.len() {
            let refused = JobState::decode(&bytes[..cut], &job()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Checkpoint);
        }
    }
}
