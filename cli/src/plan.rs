//! `plan`: what would be done for the tables to be as they are declared.

use dynamo_entity::Dynamo;
use dynamo_entity::deploy::{Deletion, TablePlan};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::text::{visible_json, visible_lines};

pub(crate) async fn run(context: &mut Context<'_, '_>) -> Result<Exit, Failure> {
    let db = context.connect().await?;
    let plan = made(context, &db).await?;
    show(context, &plan)?;
    Ok(match plan.is_empty() {
        true => Exit::Done,
        false => Exit::Pending,
    })
}

/// Looks at the tables.
pub(crate) async fn made(context: &Context<'_, '_>, db: &Dynamo) -> Result<TablePlan, Failure> {
    let bar = context.streams.waiting("looking at the tables");
    let plan = db.plan(context.model.schemas.iter().cloned()).await;
    bar.finish_and_clear();
    Ok(plan?)
}

/// Shows what would be done, and by which words losses are allowed.
pub(crate) fn show(context: &mut Context<'_, '_>, plan: &TablePlan) -> Result<(), Failure> {
    if context.json {
        let json = plan.to_json();
        return context.write(&format!("{}\n", visible_json(json.trim_end())));
    }
    context.write(&visible_lines(&plan.to_string()))?;
    for deletion in plan.deletions() {
        if let Some(words) = allowing(deletion) {
            context.write(&format!("apply it with {words}\n"))?;
        }
    }
    Ok(())
}

/// The option that allows a loss.
pub(crate) fn allowing(deletion: &Deletion) -> Option<String> {
    match deletion {
        Deletion::Index { table, index } => Some(format!("--allow-delete-index {table}.{index}")),
        Deletion::Stream { table } => Some(format!("--allow-delete-stream {table}")),
        Deletion::Protection { table } => Some(format!("--allow-unprotect {table}")),
        _ => None,
    }
}
