//! `count`: the number of rows of an access pattern.

use clap::{ArgMatches, Command};
use dynamo_entity::QueryExt;

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Model;
use crate::query::{asked, check_range};

/// The command.
pub(crate) fn count_command(model: &Model) -> Command {
    let count = Command::new("count").about("Counts the rows of an access pattern");
    arguments::for_questions(count, model, arguments::reads)
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let question = context.model.question(name)?;
    let query = asked(&question, matches)?;
    let db = context.connect().await?;
    check_range(&question, matches, &db)?;
    let bar = context.streams.waiting("counting");
    let shown = bar.clone();
    let query = query.on_progress(move |read| shown.set_message(format!("{} items", read.scanned)));
    let rows = query.count(&db).await;
    bar.finish_and_clear();
    context.write(&format!("{}\n", rows?))?;
    Ok(Exit::Done)
}
