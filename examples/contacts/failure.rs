//! Failures, each with a message for a person and an exit code for a program.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dynamo_entity::{Error, ErrorKind};

use super::Contact;

/// The exit codes are part of the interface, because scripts depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    NotFound = 3,
    Conflict = 4,
    Unavailable = 5,
    BadLines = 6,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

#[derive(Debug)]
pub enum Failure {
    /// The contact does not exist.
    Missing(String),
    /// The store failed, at the contact of this handle if there is one.
    Store(Option<String>, Error),
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// The standard output or error is closed.
    Output(io::Error),
    /// This many lines were not imported. Each of them was reported.
    BadLines(u64),
    /// An import ended early, after this many lines.
    Stopped(u64, Error),
}

impl Failure {
    pub fn missing(handle: &str) -> Self {
        Failure::Missing(handle.to_owned())
    }

    pub fn of(handle: &str) -> impl FnOnce(Error) -> Self {
        let handle = handle.to_owned();
        |error| match error.kind() {
            ErrorKind::NotFound => Failure::Missing(handle),
            _ => Failure::Store(Some(handle), error),
        }
    }

    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |error| Failure::File(path, error)
    }

    pub fn exit(&self) -> Exit {
        match self {
            Failure::Missing(_) => Exit::NotFound,
            Failure::Store(_, error) => exit_of(error.kind()),
            Failure::File(..) => Exit::Failed,
            // The reader has closed its end because it has read enough, as in `contacts list --all | head`.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Failure::Output(_) => Exit::Failed,
            Failure::BadLines(_) => Exit::BadLines,
            Failure::Stopped(_, error) => exit_of(error.kind()),
        }
    }

    /// The message for a person, or `None` if there is nothing to say.
    pub fn message(&self) -> Option<String> {
        let message = match self {
            Failure::Missing(handle) => format!("there is no `{handle}`"),
            Failure::Store(Some(handle), error) => about(handle, error),
            Failure::Store(None, error) => explained(error),
            Failure::File(path, error) => format!("{}: {error}", path.display()),
            Failure::Output(_) if self.exit() == Exit::Done => return None,
            Failure::Output(error) => error.to_string(),
            Failure::BadLines(1) => "a line was not imported".to_owned(),
            Failure::BadLines(lines) => format!("{lines} lines were not imported"),
            Failure::Stopped(lines, error) => {
                let why = explained(error);
                format!("stopped after {lines} lines, run it again to go on: {why}")
            }
        };
        Some(message)
    }
}

fn exit_of(kind: ErrorKind) -> Exit {
    use ErrorKind as K;
    match kind {
        K::NotFound => Exit::NotFound,
        K::AlreadyExists | K::Conflict => Exit::Conflict,
        K::Throttled | K::Unavailable | K::OutcomeUnknown | K::Locked => Exit::Unavailable,
        K::InvalidKey | K::InvalidValue | K::TooLarge | K::InvalidCursor | K::Config => Exit::Usage,
        _ => Exit::Failed,
    }
}

/// The message for a failure at one contact, with what a person can do about it.
fn about(handle: &str, error: &Error) -> String {
    match error.kind() {
        ErrorKind::AlreadyExists => format!("`{handle}` is there already: `update` changes it"),
        // The error holds the current contact, so no second read is needed.
        ErrorKind::Conflict => match error.current::<Contact>() {
            Ok(Some(now)) => format!("`{handle}` has changed: it has version {} now", now.version),
            _ => format!("`{handle}` has changed"),
        },
        _ => format!("`{handle}`: {}", explained(error)),
    }
}

/// The text of an error with its causes. Errors never hold stored values, so they can be shown as they are.
pub fn explained(error: &Error) -> String {
    let mut text = match error.kind() {
        ErrorKind::OutcomeUnknown => "nobody knows whether it was done, look first".to_owned(),
        ErrorKind::Throttled => "the store is busy, try again later".to_owned(),
        ErrorKind::Unavailable => "the store cannot be reached, try again later".to_owned(),
        _ => return error.to_string(),
    };
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Store(None, error)
    }
}

/// Such an error belongs to the standard output or error. Errors of files are converted with the name of the
/// file.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}
