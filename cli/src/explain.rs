//! `explain`: the requests of a command, and their cost.

use clap::ArgMatches;
use dynamo_entity::{Operation, QueryExt};

use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::render::{explanation, explanation_json};
use crate::{delete, get, put, query};

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
