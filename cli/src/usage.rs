//! The name of the program, its help, and mistakes in its arguments.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::Path;

use clap::Command;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::streams::Streams;
use crate::text::visible_lines;

/// The name by which the program was called.
pub(crate) fn name_of(arguments: &[OsString]) -> String {
    let path = arguments.first().map(Path::new);
    let name = path
        .and_then(|path| path.file_name())
        .and_then(|name| name.to_str());
    let name = name.unwrap_or("db");
    // Only the ending of the platform is removed: another dot may be part of the name.
    name.strip_suffix(EXE_SUFFIX).unwrap_or(name).to_owned()
}

/// Lists the known names, for a message about an unknown one.
pub(crate) fn known(command: &Command, arguments: &[OsString]) -> String {
    let mut within = command;
    for argument in arguments.iter().skip(1) {
        let name = argument.to_str().unwrap_or_default();
        within = within.find_subcommand(name).unwrap_or(within);
    }
    let names: Vec<&str> = within.get_subcommands().map(Command::get_name).collect();
    format!("There are: {}", names.join(", "))
}

/// Shows help, or the mistake in the arguments.
pub(crate) fn said(
    error: &clap::Error,
    is_harmless: bool,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let text = error.render();
    if error.use_stderr() {
        let has_colours = is_harmless && streams.terminals.notes && streams.terminals.colours;
        let text = match has_colours {
            true => text.ansi().to_string(),
            false => visible_lines(&text.to_string()),
        };
        streams.notes.write_all(text.as_bytes())?;
        return Ok(Exit::Failed);
    }
    let text = match streams.terminals.colours {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    streams.out.write_all(text.as_bytes())?;
    streams.out.flush()?;
    Ok(Exit::Done)
}
