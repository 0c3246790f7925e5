//! `put`: stores an item, as the typed verbs do.

use clap::{ArgMatches, Command};
use dynamo_entity::Error;
use dynamo_entity::write::DynamicWrite;

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::get::show;
use crate::model::{Model, ModelEntity};
use crate::streams::Streams;

/// The command.
pub(crate) fn put_command(model: &Model) -> Command {
    let put = Command::new("put").about("Stores an item, with its keys and unique values");
    arguments::for_entities(put, model, arguments::put)
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let entity = context.model.entity(name)?;
    let write = request(entity, matches, context.streams)?;
    let db = context.connect().await?;
    if let Some(stored) = write.send(&db).await? {
        show(context, &stored, entity)?;
    }
    Ok(Exit::Done)
}

/// The write of the item.
pub(crate) fn request(
    entity: ModelEntity<'_>,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<DynamicWrite, Failure> {
    let writes = entity.writable()?.writes;
    let given = matches.get_one::<String>("item").map_or("", String::as_str);
    let item = entity
        .schema
        .item_from_json(&entity.entity.name, &json_of(given, streams)?)
        .map_err(|error| wrong_field(error, entity))?;
    let write = match (matches.get_flag("create"), matches.get_flag("unchecked")) {
        (true, _) => writes.create(item),
        (false, true) => writes.put_unchecked(item),
        (false, false) => writes.put(item),
    };
    Ok(write?)
}

/// The error with an example, if a text is no value of a field that is a key attribute itself.
fn wrong_field(error: Error, entity: ModelEntity<'_>) -> Failure {
    let concerned = error.attribute();
    let parts = entity.key_parts();
    let mut whole = parts.iter().filter(|part| !part.has_format());
    match whole.find(|part| concerned == Some(part.field())) {
        Some(part) => Failure::said(format!(
            "`{}` of `{}`: the given text is no {}",
            part.field(),
            entity.entity.name,
            part.kind()
        )),
        None => error.into(),
    }
}

/// The JSON itself, or that of a file.
fn json_of(given: &str, streams: &mut Streams<'_>) -> Result<String, Failure> {
    if given == "-" {
        let mut text = String::new();
        let read = streams.input.read_to_string(&mut text);
        read.map_err(|error| Failure::said(format!("the standard input: {error}")))?;
        return Ok(text);
    }
    match given.strip_prefix('@') {
        Some(path) => {
            let read = std::fs::read_to_string(path);
            read.map_err(|error| Failure::said(format!("{path}: {error}")))
        }
        None => Ok(given.to_owned()),
    }
}
