//! `list`: the items of an entity or of a table, by a scan of the table, page by page.

use clap::{ArgMatches, Command};
use dynamo_entity::query::WholeTable;
use dynamo_entity::{Cursor, Item, Query, QueryExt};

use crate::arguments;
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Model;
use crate::query::{RowWriter, show};
use crate::render::RowGrid;

/// The command.
pub(crate) fn list_command(model: &Model) -> Command {
    let list = Command::new("list")
        .about("Shows the items of an entity or of a table, by a scan of the table");
    arguments::for_entities(list, model, arguments::list)
        .subcommand_required(false)
        .args(arguments::list_of_table(model))
}

/// Lists the items. On AWS, a scan must be confirmed by an option, because it reads and costs the whole table.
pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let model = context.model;
    if let Some(name) = matches.get_one::<String>("table") {
        if let Some((entity, _)) = matches.subcommand() {
            return Err(Failure::said(format!(
                "--table lists all items of a table, so omit `{entity}`"
            )));
        }
        let schema = model.table(name)?;
        let entities = model.entities_of(schema);
        let grid = RowGrid::of_table(schema, entities, context.streams.terminals);
        return list(
            context,
            matches,
            RowWriter::Grid(grid),
            schema.scan_items()?,
        )
        .await;
    }
    let (name, matches) = within(matches)?;
    let entity = model.entity(name)?;
    let question = entity.scanned();
    let table = RowWriter::of_question(&question, context);
    list(context, matches, table, entity.dynamic()?.scan()).await
}

async fn list(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
    table: RowWriter<'_>,
    mut scan: Query<Item, WholeTable>,
) -> Result<Exit, Failure> {
    if is_on_aws(context.url.as_deref()) && !matches.get_flag("scan") {
        return Err(Failure::said(
            "`list` is a scan: DynamoDB reads, and charges, the table until the page is full; pass `--scan` to confirm",
        ));
    }
    scan = scan.resume(matches.get_one::<Cursor>("cursor").cloned());
    if let Some(units) = matches.get_one::<u32>("rate") {
        scan = scan.read_units_per_second(*units);
    }
    let is_all = matches.get_flag("all");
    if let Some(limit) = matches.get_one::<u32>("limit").filter(|_| !is_all) {
        scan = scan.limit(usize::try_from(*limit).unwrap_or(usize::MAX));
    }
    let db = context.connect().await?;
    show(context, table, scan.into(), is_all, &db).await
}

/// Whether the URL is one of AWS: by its form, or by the host of an endpoint.
pub(crate) fn is_on_aws(url: Option<&str>) -> bool {
    url.is_some_and(|url| {
        let is_endpoint = url.contains(".amazonaws.") || url.contains(".api.aws");
        url.starts_with("aws") || is_endpoint
    })
}
