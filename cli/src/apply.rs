//! `apply`: changes the tables to match their declarations, step by step.

use clap::{Arg, ArgAction, ArgMatches, Command};
use dynamo_entity::deploy::{ChangeKind, Deletion, StepState, TablePlan};

use crate::arguments::{keep_rest, yes};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::plan::{allowing, is_kept, made, show};
use crate::text::visible;

/// The command.
pub(crate) fn apply_command() -> Command {
    let allow = |option: &'static str, name: &'static str, help: &'static str| {
        Arg::new(option)
            .long(option)
            .value_name(name)
            .action(ArgAction::Append)
            // DynamoDB accepts names that begin with a dash.
            .allow_hyphen_values(true)
            .help(help)
    };
    Command::new("apply")
        .about("Makes the tables match their declarations, step by step")
        .args([
            allow(
                "allow-delete-index",
                "TABLE.INDEX",
                "Allows this index to be deleted; if a name contains a dot, write TABLE/INDEX",
            ),
            allow(
                "allow-delete-stream",
                "TABLE",
                "Allows the stream of this table to be deleted",
            ),
            allow(
                "allow-unprotect",
                "TABLE",
                "Allows the deletion protection of this table to be removed",
            ),
            allow(
                "allow-delete-ttl",
                "TABLE",
                "Allows the expiry of this table's items to be switched off",
            ),
            allow(
                "allow-shorten-recovery",
                "TABLE",
                "Allows the recovery period of this table to be shortened",
            ),
        ])
        .arg(keep_rest(
            "Skips steps that would lose something that was not allowed",
        ))
        .arg(yes())
}

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let allowed = allowed(context, matches)?;
    let keeps = matches.get_flag("keep-rest");
    // A file is created only after the confirmation.
    let db = context.connect_or_empty().await?;
    let plan = made(context, &db).await?;
    show(context, &plan)?;
    warn_of_others(context, &plan, &allowed)?;
    if plan.is_empty() {
        context.note("nothing to do")?;
        return Ok(Exit::Done);
    }
    check_possible(&plan)?;
    check_allowed(&plan, &allowed, keeps)?;
    check_exchanged(&plan, &allowed)?;
    // The plan must be visible before the prompt, which is on the other stream.
    context.streams.out.flush()?;
    let named_losses = allowed.as_slice();
    let steps = plan.steps().map(|step| (step, is_kept(step, named_losses)));
    let (kept, left): (Vec<_>, Vec<_>) = steps.partition(|(_, is_kept)| *is_kept);
    for (step, _) in kept {
        if let Some(what) = step.deletes.as_ref().and_then(named) {
            context.note(&format!("kept: {what}, because it was not named"))?;
        }
    }
    if left.is_empty() {
        context.note("nothing done")?;
        return Ok(Exit::Done);
    }
    let is_meant = matches.get_flag("yes") || context.streams.confirm("Do this?")?;
    if !is_meant {
        return Err(Failure::said("nothing was changed: pass `--yes`"));
    }
    let db = match context.has_missing_file() {
        true => context.connect_or_create().await?,
        false => db,
    };
    let bar = context.streams.watched();
    let notes = &mut *context.streams.notes;
    let mut application = plan.apply(&db).on_progress(|now| {
        bar.set_message(now.to_string());
        if now.state != StepState::Waits {
            // A closed stream of notes is no request to stop in the middle of the steps.
            let _ = bar.suspend(|| writeln!(notes, "{now}"));
        }
    });
    for deletion in allowed {
        application = application.allow(deletion);
    }
    if keeps {
        application = application.keeping_the_rest();
    }
    let done = application.await;
    bar.finish_and_clear();
    done?;
    Ok(Exit::Done)
}

/// The loss of something of a table.
type LossOf = fn(String) -> Deletion;

/// The losses that are allowed.
fn allowed(context: &Context<'_, '_>, matches: &ArgMatches) -> Result<Vec<Deletion>, Failure> {
    let named = |option: &str| -> Vec<String> {
        let names = matches.get_many::<String>(option);
        names.into_iter().flatten().cloned().collect()
    };
    let mut allowed = Vec::new();
    for name in named("allow-delete-index") {
        let (table, index) = index_of_table(context, &name)?;
        allowed.push(Deletion::index(table, index));
    }
    let tables: [(&str, LossOf); 4] = [
        ("allow-delete-stream", Deletion::stream),
        ("allow-unprotect", Deletion::protection),
        ("allow-delete-ttl", Deletion::ttl),
        ("allow-shorten-recovery", Deletion::recovery),
    ];
    for (option, deletion) in tables {
        for table in named(option) {
            if !is_table(context, &table) {
                return Err(Failure::said(format!(
                    "--{option} {table}: no table is declared by that name"
                )));
            }
            allowed.push(deletion(table));
        }
    }
    Ok(allowed)
}

/// The table and the index of a name. Each may contain dots. In that case `TABLE/INDEX` separates them.
fn index_of_table<'n>(
    context: &Context<'_, '_>,
    name: &'n str,
) -> Result<(&'n str, &'n str), Failure> {
    let slashes = name.match_indices('/');
    let dots = name.match_indices('.').filter(|_| !name.contains('/'));
    let parts = slashes.chain(dots).map(|(at, _)| {
        let (table, index) = name.split_at(at);
        (table, index.get(1..).unwrap_or_default())
    });
    let mut known = parts.filter(|(table, index)| is_table(context, table) && !index.is_empty());
    match (known.next(), known.next()) {
        (Some(found), None) => Ok(found),
        (Some((one, _)), Some((other, _))) => Err(Failure::said(format!(
            "--allow-delete-index {name}: both `{one}` and `{other}` are tables: write TABLE/INDEX"
        ))),
        (None, _) => Err(Failure::said(format!(
            "--allow-delete-index {name}: write TABLE.INDEX, or TABLE/INDEX where a name has a dot, with the name of a \
             declared table and without the prefix"
        ))),
    }
}

fn is_table(context: &Context<'_, '_>, name: &str) -> bool {
    let mut schemas = context.model.schemas.iter();
    schemas.any(|schema| schema.name == name)
}

/// Describes a loss.
fn named(deletion: &Deletion) -> Option<String> {
    match deletion {
        Deletion::Index { table, index } => Some(format!("index {index} of {table}")),
        Deletion::Stream { table } => Some(format!("the stream of {table}")),
        Deletion::Protection { table } => Some(format!("the protection of {table}")),
        Deletion::Ttl { table } => Some(format!("the TTL of {table}")),
        Deletion::Recovery { table } => Some(format!("the days of recovery of {table}")),
        _ => None,
    }
}

/// Warns of losses that were allowed, but are not in the plan: a name may be misspelled, or the step was done before.
fn warn_of_others(
    context: &mut Context<'_, '_>,
    plan: &TablePlan,
    allowed: &[Deletion],
) -> Result<(), Failure> {
    let is_there = |deletion: &&Deletion| plan.deletions().any(|planned| planned == *deletion);
    for deletion in allowed.iter().filter(|deletion| !is_there(deletion)) {
        if let (Some(option), Some(what)) = (allowing(deletion), named(deletion)) {
            let warning = format!("warning: {option}: the plan does not remove {what}");
            context.note(&visible(&warning))?;
        }
    }
    Ok(())
}

/// Rejects a plan with a step that can never be done, before the prompt.
fn check_possible(plan: &TablePlan) -> Result<(), Failure> {
    let mut steps = plan.steps();
    match steps.any(|step| step.kind == ChangeKind::Replace) {
        true => Err(Failure::said(
            "nothing was changed: steps marked `!` cannot be applied; each one explains the alternative",
        )),
        false => Ok(()),
    }
}

/// Rejects an index that cannot be added beside one that is kept, before the prompt.
fn check_exchanged(plan: &TablePlan, allowed: &[Deletion]) -> Result<(), Failure> {
    for step in plan.steps() {
        let mut kept = step.after.iter().filter(|loss| {
            let is_index = matches!(loss, Deletion::Index { .. });
            is_index && !allowed.contains(loss)
        });
        if let Some(words) = kept.next().and_then(allowing) {
            return Err(Failure::said(format!(
                "nothing was changed: to {}, another index must be removed first, which {words} allows",
                step.change
            )));
        }
    }
    Ok(())
}

/// Names the option that allows a loss. The library would reject the loss too, but its message names a method.
fn check_allowed(plan: &TablePlan, allowed: &[Deletion], keeps: bool) -> Result<(), Failure> {
    let mut refused = plan
        .deletions()
        .filter(|deletion| !allowed.contains(deletion));
    match refused.next().and_then(allowing) {
        Some(words) if !keeps => Err(Failure::said(format!(
            "nothing was changed: you must name what is lost, by {words}; --keep-rest skips it, unless another step needs it"
        ))),
        _ => Ok(()),
    }
}
