//! `explain`: the requests of a command, and their cost.

use clap::{ArgMatches, Command};
use dynamo_entity::{Operation, QueryExt};

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Model;
use crate::render::{explanation, explanation_json};
use crate::{delete, get, put, query};

/// The command.
pub(crate) fn explain_command(model: &Model) -> Command {
    let get = Command::new("get").about("For one item");
    let query = Command::new("query").about("For a page of an access pattern");
    let count = Command::new("count").about("For counting the rows of an access pattern");
    let put = Command::new("put").about("For storing an item");
    let delete = Command::new("delete").about("For deleting an item");
    Command::new("explain")
        .about("Shows the requests of a command and their cost, without sending them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(arguments::for_entities(get, model, arguments::get))
        .subcommand(arguments::for_questions(query, model, arguments::pages))
        .subcommand(arguments::for_questions(count, model, arguments::reads))
        .subcommand(arguments::for_entities(put, model, arguments::put))
        .subcommand(arguments::for_entities(delete, model, arguments::delete))
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (verb, matches) = within(matches)?;
    let (name, matches) = within(matches)?;
    let db = context.connect_or_empty().await?;
    let model = context.model;
    let explained = match verb {
        "query" => query::pages(&model.question(name)?, matches)?.explain(&db),
        "count" => query::asked(&model.question(name)?, matches)?.explain_count(&db),
        "put" => put::request(model.entity(name)?, matches, context.streams)?.explain(&db),
        "delete" => delete::request(model.entity(name)?, matches)?.explain(&db),
        _ => get::request(model.entity(name)?, matches)?.explain(&db),
    }?;
    let cost = db.estimate(model.schemas.iter().cloned()).of(&explained)?;
    let text = match context.json {
        true => explanation_json(&explained, &cost)?,
        false => explanation(&explained, &cost)?,
    };
    context.write(&text)?;
    Ok(Exit::Done)
}
