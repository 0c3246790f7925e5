//! `lint`: the declarations that the author is likely to regret.

use clap::Command;
use dynamo_entity::lint::Lint;
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::text::{visible_json_line, visible_lines};

/// The command.
pub(crate) fn lint_command() -> Command {
    Command::new("lint").about("Lists declarations that you are likely to regret")
}

pub(crate) fn run(context: &mut Context<'_, '_>) -> Result<Exit, Failure> {
    let lints: Vec<Lint> = context
        .model
        .schemas
        .iter()
        .flat_map(|schema| schema.lints())
        .collect();
    for lint in &lints {
        let text = match context.json {
            true => line(lint),
            false => visible_lines(&lint.to_string()) + "\n\n",
        };
        context.write(&text)?;
    }
    context.note(&match lints.len() {
        0 => "no lints".to_owned(),
        1 => "1 lint".to_owned(),
        many => format!("{many} lints"),
    })?;
    Ok(match lints.is_empty() {
        true => Exit::Done,
        false => Exit::Pending,
    })
}

fn line(lint: &Lint) -> String {
    let said = json!({
        "place": lint.place.to_string(),
        "rule": lint.rule.name(),
        "message": lint.message,
        "fix": lint.fix,
    });
    visible_json_line(said)
}
