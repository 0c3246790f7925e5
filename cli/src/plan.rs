//! `plan`: the steps that would make the tables match their declarations.

use clap::{ArgMatches, Command};
use dynamo_entity::Dynamo;
use dynamo_entity::deploy::{Deletion, PlanStep, TablePlan};

use crate::arguments::keep_rest;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::text::{visible_json_line, visible_lines};

/// The command.
pub(crate) fn plan_command() -> Command {
    Command::new("plan")
        .about("Shows the steps that would make the tables match their declarations")
        .arg(keep_rest(
            "Exits with 0 if the only remaining steps would lose something",
        ))
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let db = context.connect_or_empty().await?;
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

/// Whether `--keep-rest` skips a step: its loss was not allowed, or the loss that it follows was not.
pub(crate) fn is_kept(step: &PlanStep, allowed: &[Deletion]) -> bool {
    let replaced = step.after.iter();
    let replaced = replaced.filter(|loss| !matches!(loss, Deletion::Index { .. }));
    let mut losses = step.deletes.iter().chain(replaced);
    losses.any(|loss| !allowed.contains(loss))
}

/// Reads the tables.
pub(crate) async fn made(context: &Context<'_, '_>, db: &Dynamo) -> Result<TablePlan, Failure> {
    let bar = context.streams.waiting("reading the tables");
    let plan = db.plan(context.model.schemas.iter().cloned()).await;
    bar.finish_and_clear();
    Ok(plan?)
}

/// Shows the steps, and the options that allow losses.
pub(crate) fn show(context: &mut Context<'_, '_>, plan: &TablePlan) -> Result<(), Failure> {
    if context.json {
        // JSON escapes line breaks within texts, so joining the lines changes no value.
        let json: String = plan.to_json().lines().map(str::trim_start).collect();
        return context.write(&visible_json_line(json));
    }
    let option = |deletion: &Deletion| allowing(deletion).unwrap_or_else(|| deletion.to_string());
    let text = plan.text_with(option);
    context.write(&visible_lines(&text))
}

/// The option that allows a loss. It needs no quotes in a shell, because names of DynamoDB contain only letters, digits
/// and `_.-`.
pub(crate) fn allowing(deletion: &Deletion) -> Option<String> {
    let (option, value) = match deletion {
        // If a name contains a dot, a slash separates the two names.
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
