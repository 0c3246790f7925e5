//! `plan`: what would be done for the tables to be as they are declared.

use clap::ArgMatches;
use dynamo_entity::Dynamo;
use dynamo_entity::deploy::{Deletion, PlanStep, PlannedTable, TableChange, TablePlan};

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
        true => plan.tables.iter().any(|table| {
            let mut steps = table.steps.iter();
            steps.any(|step| !is_kept(table, step, &[]))
        }),
        false => !plan.is_empty(),
    };
    Ok(match is_pending {
        false => Exit::Done,
        true => Exit::Pending,
    })
}

/// Whether `--keep-rest` leaves a step out: what is lost by it was not allowed, or what it puts something in the place of.
pub(crate) fn is_kept(table: &PlannedTable, step: &PlanStep, allowed: &[Deletion]) -> bool {
    let removal = |is_it: fn(&TableChange) -> bool| {
        let mut steps = table.steps.iter();
        steps.find(|step| is_it(&step.change))
    };
    let loses = match step.change {
        TableChange::AddStream(_) => removal(|change| matches!(change, TableChange::RemoveStream)),
        TableChange::AddTtl(_) => removal(|change| matches!(change, TableChange::RemoveTtl(_))),
        _ => Some(step),
    };
    let deleted = loses.and_then(|step| step.deletes.as_ref());
    deleted.is_some_and(|deletion| !allowed.contains(deletion))
}

/// Looks at the tables.
pub(crate) async fn made(context: &Context<'_, '_>, db: &Dynamo) -> Result<TablePlan, Failure> {
    let bar = context.streams.waiting("looking at the tables");
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

/// The option that allows a loss.
pub(crate) fn allowing(deletion: &Deletion) -> Option<String> {
    match deletion {
        Deletion::Index { table, index } => Some(format!("--allow-delete-index {table}.{index}")),
        Deletion::Stream { table } => Some(format!("--allow-delete-stream {table}")),
        Deletion::Protection { table } => Some(format!("--allow-unprotect {table}")),
        Deletion::Ttl { table } => Some(format!("--allow-delete-ttl {table}")),
        Deletion::Recovery { table } => Some(format!("--allow-shorten-recovery {table}")),
        _ => None,
    }
}
