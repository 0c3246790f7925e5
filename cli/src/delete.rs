//! `delete`: deletes an item with its lists and blobs, and releases its unique values.

use clap::{ArgMatches, Command};
use dynamo_entity::write::DynamicWrite;

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::key_of;
use crate::model::{Model, ModelEntity};

/// The command.
pub(crate) fn delete_command(model: &Model) -> Command {
    let delete = Command::new("delete")
        .about("Deletes an item with its lists and blobs, and releases its unique values");
    arguments::for_entities(delete, model, arguments::delete)
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let entity = context.model.entity(name)?;
    let write = request(entity, matches)?;
    let db = context.connect().await?;
    let is_meant = matches.get_flag("yes")
        || context
            .streams
            .confirm(&format!("Delete this `{name}` for good?"))?;
    if !is_meant {
        return Err(Failure::said("nothing was deleted: pass `--yes`"));
    }
    if let Err(error) = write.send(&db).await {
        return Err(match version_of(matches) {
            Some(version) if error.is_conflict() => Failure::said(format!(
                "the stored `{name}` does not have version {version}: another write came first"
            )),
            _ => error.into(),
        });
    }
    context.note("deleted")?;
    Ok(Exit::Done)
}

/// The delete of the item.
pub(crate) fn request(
    entity: ModelEntity<'_>,
    matches: &ArgMatches,
) -> Result<DynamicWrite, Failure> {
    let writes = entity.writable()?.writes;
    let key = key_of(entity, matches)?;
    Ok(match version_of(matches) {
        Some(version) => writes.delete_version(key, version)?,
        None => writes.delete(key)?,
    })
}

/// The version that the item must have. The option exists only if items have versions.
fn version_of(matches: &ArgMatches) -> Option<u64> {
    let version = matches.try_get_one::<u64>("if-version");
    version.ok().flatten().copied()
}
