//! Failures, each with a message for a person.

use std::error::Error as _;
use std::io;

use dynamo_entity::error::Remedy;
use dynamo_entity::{Error, ErrorKind};

use crate::exit::Exit;
use crate::text::visible_lines;

/// The reason why a command ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The message.
    #[error("{0}")]
    Said(String),
    /// The error is from the library or the service.
    #[error("{}", explained(.0))]
    Store(#[from] Error),
    /// A standard stream is closed, or cannot be written. Errors of files are messages with the names of the files.
    #[error("{0}")]
    Output(#[from] io::Error),
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

    /// The message, if there is one. A closed pipe, as in `query --all | head`, has none.
    pub(crate) fn message(&self) -> Option<String> {
        let is_told = self.exit() != Exit::Done;
        is_told.then(|| visible_lines(&self.to_string()))
    }
}

/// The text of an error, with the causes that it does not contain already.
pub(crate) fn explained(error: &Error) -> String {
    let mut text = told(error);
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = match error.downcast_ref::<Error>() {
            Some(error) => error.reason(),
            None => error.to_string(),
        };
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    let hint = match error.kind() {
        ErrorKind::TableNotFound if !error.remedies().contains(&Remedy::CreateTargetTables) => {
            ": `plan` shows what is missing"
        }
        ErrorKind::OutcomeUnknown => ": the write may have been applied, so check before you retry",
        ErrorKind::Unavailable => ": check the URL, and that the service is reachable",
        _ => "",
    };
    text + hint
}

/// The failure of a command that uses this checkpoint, whose path the library does not know.
pub(crate) fn with_checkpoint(error: &Error, path: Option<&str>) -> Failure {
    let text = explained(error);
    Failure::Said(
        match path.filter(|_| error.kind() == ErrorKind::Checkpoint) {
            Some(path) => format!("{path}: {text}"),
            None => text,
        },
    )
}

/// The text of an error. The library names the calls in Rust that avoid it, and this the options instead.
pub(crate) fn told(error: &Error) -> String {
    let remedies = error.remedies().iter();
    let options: Vec<&str> = remedies.filter_map(option_text).collect();
    match options.is_empty() {
        true => error.reason(),
        false => format!("{}: {}", error.reason(), options.join(", or ")),
    }
}

/// The option of a remedy; None if the command line has none for it.
fn option_text(remedy: &Remedy) -> Option<&'static str> {
    Some(match remedy {
        Remedy::CreateTables => "create it by `apply`, or check `--url` and `--prefix`",
        Remedy::CreateTargetTables => {
            "create it by `apply` with the URL and prefix of the target, or check `--to` and `--to-prefix`"
        }
        Remedy::Unchecked => "pass `--unchecked` to replace it",
        Remedy::Upgrade => "upgrade it by `fill`, then retry",
        Remedy::IncludeExpired => "give that part",
        Remedy::DropUnknown => "drop such attributes by `--drop-unknown`",
        Remedy::AsIs => "store lines unchanged by `--as-is`",
        Remedy::NotAsIs => "remove `--as-is`",
        Remedy::ImportEntity => "name the entity of such lines",
        Remedy::ImportTable => "import its table by `--table`",
        Remedy::DynamoJson => "pass `--format dynamodb`",
        Remedy::PlainJson => "pass `--format json`",
        Remedy::AllowMissingRows => "export again, or pass `--allow-missing-rows`",
        Remedy::Replace => "pass `--replace` to replace such items",
        Remedy::ByEntity => {
            "name each entity instead of the table, because that checks unique values"
        }
        Remedy::MaxFailures => "let more fail by `--max-failures`",
        Remedy::DoNotReplace => "copy into an empty table, without `--replace`",
        Remedy::CopyTable => {
            "copy the whole table by `--table` without `--masked`, or wait until the old key is removed"
        }
        Remedy::WithSecret => "pass `--secret-env NAME`",
        Remedy::ExportRows => {
            "`export-data --format dynamodb` writes the same lines from every engine"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use dynamo_entity::Cursor;

    use super::*;

    #[test]
    fn each_failure_has_its_text() {
        let said = Failure::said("say `--yes`\u{1b}");
        assert_eq!(said.message().as_deref(), Some("say `--yes`\\u{1b}"));
        assert!(said.source().is_none());

        let full = Failure::from(io::Error::other("the disk is full"));
        assert_eq!(full.message().as_deref(), Some("the disk is full"));
        assert_eq!(full.exit(), Exit::Failed);

        let error = "no cursor".parse::<Cursor>().unwrap_err();
        let text = error.to_string();
        let store = Failure::from(error);
        assert_eq!(store.message(), Some(text));
        let source = store.source().and_then(|source| source.downcast_ref());
        assert_eq!(source.map(Error::kind), Some(ErrorKind::InvalidCursor));

        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((closed.message(), closed.exit()), (None, Exit::Done));
    }
}
