//! Exit codes, which are part of the interface, because scripts depend on them.

use std::process::ExitCode;

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It succeeded, or had nothing to do.
    Done = 0,
    /// It failed, or its arguments were wrong.
    Failed = 1,
    /// It found something: steps of a plan, changes of a stored form, lints.
    Pending = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The meanings of the codes, for the help.
pub(crate) const EXITS: &str = "Exit codes: 0 done, or nothing to do; 1 failed, or not found; 2 found something to do or review (plan, check, lint)";
