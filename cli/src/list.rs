//! `list`: the items of an entity, by a scan of its table, page by page.

use clap::ArgMatches;
use dynamo_entity::{Cursor, QueryExt};

use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::query::show;

/// Lists the items. On AWS, a scan must be confirmed by an option, because it reads and costs the whole table.
pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let entity = context.model.entity(name)?;
    let is_on_aws = context
        .url
        .as_deref()
        .is_some_and(|url| url.starts_with("aws"));
    if is_on_aws && !matches.get_flag("scan") {
        return Err(Failure::said(
            "`list` is a scan: DynamoDB reads, and charges, the table until the page is full; pass `--scan` to confirm",
        ));
    }
    let question = entity.scanned();
    let mut scan = entity.dynamic()?.scan();
    scan = scan.resume(matches.get_one::<Cursor>("cursor").cloned());
    if let Some(units) = matches.get_one::<u32>("rate") {
        scan = scan.read_units_per_second(*units);
    }
    let is_all = matches.get_flag("all");
    if let Some(limit) = matches.get_one::<u32>("limit").filter(|_| !is_all) {
        scan = scan.limit(usize::try_from(*limit).unwrap_or(usize::MAX));
    }
    let db = context.connect().await?;
    show(context, &question, scan.into(), is_all, &db).await
}
