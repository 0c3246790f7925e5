//! Failures, each with a message for a person.

use std::error::Error as _;
use std::io;

use dynamo_entity::{Error, ErrorKind};

use crate::exit::Exit;
use crate::text::visible_lines;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// This is what is wrong.
    Said(String),
    /// The library or the service said so.
    Store(Error),
    /// A stream is closed.
    Output(io::Error),
}

impl Failure {
    pub(crate) fn said(message: impl Into<String>) -> Self {
        Failure::Said(message.into())
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Failed,
        }
    }

    /// The message, if there is anything to say. Nobody reads it behind a closed pipe, as of `query --all | head`.
    pub(crate) fn message(&self) -> Option<String> {
        let message = match self {
            Failure::Said(message) => message.clone(),
            Failure::Store(error) => explained(error),
            Failure::Output(_) if self.exit() == Exit::Done => return None,
            Failure::Output(error) => error.to_string(),
        };
        Some(visible_lines(&message))
    }
}

/// The text of an error, with those causes that it does not tell already.
fn explained(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    let hint = match error.kind() {
        ErrorKind::TableNotFound => ": `plan` says what is missing",
        ErrorKind::OutcomeUnknown => ": nobody knows whether it was done, so look first",
        ErrorKind::Unavailable => ": is the URL right, and the service there?",
        _ => "",
    };
    text + hint
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Store(error)
    }
}

/// Such an error is one of the standard streams. Those of files are told with their names.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}
