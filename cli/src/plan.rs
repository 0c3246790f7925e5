//! `plan`: what would be done for the tables to be as they are declared.

use clap::ArgMatches;
use dynamo_entity::Dynamo;
use dynamo_entity::deploy::{Deletion, PlanStep, TablePlan};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::text::{visible_json, visible_lines};

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    let plan = made(context, &db).await?;
    show(context, &plan)?;
    let keeps = matches.get_flag("keep-rest");
    let is_pending = match keeps {
        true => plan.steps().any(|step| !is_kept(step, &[])),
        false => !plan.is_empty(),
    };
    Ok(match is_pending {
        false => Exit::Done,
        true => Exit::Pending,
    })
}

/// Whether `--keep-rest` leaves a step out: what is lost by it was not allowed, or what it puts something in the place of.
pub(crate) fn is_kept(step: &PlanStep, allowed: &[Deletion]) -> bool {
    let replaced = step.after.iter();
    let replaced = replaced.filter(|loss| !matches!(loss, Deletion::Index { .. }));
    let mut losses = step.deletes.iter().chain(replaced);
    losses.any(|loss| !allowed.contains(loss))
}

/// Looks at the tables.
pub(crate) async fn made(context: &Context<'_, '_>, db: &Dynamo) -> Result<TablePlan, Failure> {
    let bar = context.streams.waiting("reading the tables");
    let plan = db.plan(context.model.schemas.iter().cloned()).await;
    bar.finish_and_clear();
    Ok(plan?)
}

/// Shows what would be done, and by which options losses are allowed.
pub(crate) fn show(context: &mut Context<'_, '_>, plan: &TablePlan) -> Result<(), Failure> {
    if context.json {
        // Within texts there are no line breaks, so it is the same on one line.
        let json: String = plan.to_json().lines().map(str::trim_start).collect();
        return context.write(&format!("{}\n", visible_json(&json)));
    }
    let mut text = plan.to_string();
    for deletion in plan.deletions() {
        if let Some(words) = allowing(deletion) {
            // The library tells it in Rust.
            text = text.replace(&format!(".allow({deletion})"), &words);
        }
    }
    context.write(&visible_lines(&text))
}

/// The option that allows a loss, as a shell takes it: names of the service have letters, digits and `_.-` alone.
pub(crate) fn allowing(deletion: &Deletion) -> Option<String> {
    let (option, value) = match deletion {
        // With a dot in a name, another sign tells where the name of the table ends.
        Deletion::Index { table, index } if table.contains('.') || index.contains('.') => {
            ("--allow-delete-index", format!("{table}/{index}"))
        }
        Deletion::Index { table, index } => ("--allow-delete-index", format!("{table}.{index}")),
        Deletion::Stream { table } => ("--allow-delete-stream", table.clone()),
        Deletion::Protection { table } => ("--allow-unprotect", table.clone()),
        Deletion::Ttl { table } => ("--allow-delete-ttl", table.clone()),
        Deletion::Recovery { table } => ("--allow-shorten-recovery", table.clone()),
        _ => return None,
    };
    Some(match value.starts_with('-') {
        true => format!("{option}={value}"),
        false => format!("{option} {value}"),
    })
}
