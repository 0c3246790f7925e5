//! `get`: one item by its key.

use clap::{ArgMatches, Command};
use dynamo_entity::items::GetItem;
use dynamo_entity::{Item, Operation};

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::{Failure, explained};
use crate::key::key_of;
use crate::model::{Model, ModelEntity};
use crate::render::{described, json_line};

/// The command.
pub(crate) fn get_command(model: &Model) -> Command {
    let get = Command::new("get").about("Shows one item");
    arguments::for_entities(get, model, arguments::get)
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let entity = context.model.entity(name)?;
    let request = request(entity, matches)?;
    let db = context.connect().await?;
    let read = request.send(&db).await;
    // The library reads an item without a type here, and does not know the entity.
    let read = read.map_err(|error| Failure::said(of_entity(&explained(&error), name)))?;
    let Some(item) = read else {
        return Err(Failure::said(format!("no such `{name}` exists")));
    };
    if is_expired(&item, entity, db.now().seconds()) {
        context.note("it has expired, and has not been deleted yet")?;
    }
    show(context, &item, entity)?;
    Ok(Exit::Done)
}

/// The text of an error that names the entity instead of an item without a type.
fn of_entity(text: &str, name: &str) -> String {
    match text.strip_prefix("Item: ") {
        Some(rest) => format!("{name}: {rest}"),
        None => text.to_owned(),
    }
}

/// The read of the item.
pub(crate) fn request(entity: ModelEntity<'_>, matches: &ArgMatches) -> Result<GetItem, Failure> {
    let key = key_of(entity, matches)?;
    let get = Item::in_table(&entity.schema.name).get(key);
    Ok(match matches.get_flag("strong") {
        true => get.consistent(),
        false => get,
    })
}

/// Shows an item.
pub(crate) fn show(
    context: &mut Context<'_, '_>,
    item: &Item,
    entity: ModelEntity<'_>,
) -> Result<(), Failure> {
    let text = match context.json {
        true => json_line(item)?,
        false => described(item, entity)?,
    };
    context.write(&text)
}

fn is_expired(item: &Item, entity: ModelEntity<'_>, now: i64) -> bool {
    let ttl = entity.schema.ttl.as_ref();
    let expires = ttl.and_then(|name| item.get(name)?.as_number());
    expires.is_some_and(|at| at.to_string().parse().is_ok_and(|at: i64| at <= now))
}
