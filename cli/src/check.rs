//! `check`: compares the model with the lock file, and runs the lints.

use std::path::Path;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use dynamo_entity::lock::{self, StoredChange};
use serde_json::json;

use crate::arguments::{entity_names, segments};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::lint;
use crate::model::Model;
use crate::text::{visible_json_line, visible_lines};

/// The command.
pub(crate) fn check_command(model: &Model) -> Command {
    let names = entity_names(model);
    Command::new("check")
        .about("Compares the stored form with the lock file, and lists the lints; or counts unfilled rows")
        .arg(
            Arg::new("lock")
                .long("lock")
                .value_name("FILE")
                .default_value("dynamo.lock")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The lock file"),
        )
        .arg(
            Arg::new("write")
                .long("write")
                .action(ArgAction::SetTrue)
                .help("Writes the lock file"),
        )
        .arg(
            Arg::new("filled")
                .long("filled")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["lock", "write"])
                .help("Instead, counts by strong reads the rows that `fill` would write; writes nothing"),
        )
        .arg(
            Arg::new("entities")
                .value_name("ENTITY")
                .num_args(0..)
                .requires("filled")
                .value_parser(PossibleValuesParser::new(names))
                .help("The entities to count; by default those with `filling` or `was`"),
        )
        .arg(segments().requires("filled"))
        .arg(
            Arg::new("deployed")
                .long("deployed")
                .value_name("FILE")
                .conflicts_with_all(["lock", "write", "filled"])
                .value_parser(NonEmptyStringValueParser::new())
                .help("Instead, compares the journal with this file, the lock file of the step before"),
        )
}

pub(crate) fn run(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let stored = stored(context, matches)?;
    let lints = lint::run(context)?;
    Ok(match (stored, lints) {
        (Exit::Done, Exit::Done) => Exit::Done,
        _ => Exit::Pending,
    })
}

/// Compares the lock file, or writes it.
fn stored(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let name = matches.get_one::<String>("lock").map_or("", String::as_str);
    // A relative path of a command starts in the current folder. The library would take the folder of the package, as
    // in tests.
    let path = std::path::absolute(name);
    let path = path.map_err(|error| Failure::said(format!("{name}: {error}")))?;
    let schemas = || context.model.schemas.iter().cloned();
    let is_there = Path::new(&path).exists();
    let writes = matches.get_flag("write");
    if !is_there && !writes {
        let why =
            format!("{name} does not exist: `check --write` writes it; commit it with the code");
        return Err(Failure::said(why));
    }
    // `--write` may replace a file that cannot be read, so the error counts only without it.
    let compared = lock::compare(&path, schemas());
    if writes {
        let is_new = lock::write(&path, schemas())?;
        let told = compared.map(|comparison| comparison.changes().to_vec());
        tell(context, &told.unwrap_or_default())?;
        if is_new {
            context.note(&format!("wrote {name}"))?;
        }
        return Ok(Exit::Done);
    }
    let comparison = compared?;
    tell(context, comparison.changes())?;
    if comparison.is_same() {
        context.note("the stored form has not changed")?;
        return Ok(Exit::Done);
    }
    context.note("the lock file orders commits, not deployments: deploy each step everywhere before you commit the next one")?;
    context.note(&format!("the stored form differs from {name}: when the steps are done or planned, run `check --write`"))?;
    Ok(Exit::Pending)
}

fn tell(context: &mut Context<'_, '_>, changes: &[StoredChange]) -> Result<(), Failure> {
    for change in changes {
        let text = match context.json {
            true => line(change),
            false => visible_lines(&change.to_string()) + "\n\n",
        };
        context.write(&text)?;
    }
    Ok(())
}

fn line(change: &StoredChange) -> String {
    let said = json!({
        "class": change.class().to_string(),
        "table": change.table(),
        "place": change.place(),
        "what": change.what(),
        "steps": change.steps(),
    });
    visible_json_line(said)
}
