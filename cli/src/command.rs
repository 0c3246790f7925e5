//! The whole command line: its commands, and the help, which shows this model.

use std::env;
use std::fmt::Write;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command};

use crate::exit::EXITS;
use crate::model::{Model, ModelEntity};
use crate::part::PartInput;
use crate::to_s3::s3_commands;
use crate::{
    adopt, apply, check, completions, copy, count, delete, explain, export, export_data, fill, get,
    import_data, item, lint, list, parked, plan, put, query, tail,
};

/// The command line of a model.
pub(crate) fn command(model: &Model, name: &str) -> Command {
    Command::new(name.to_owned())
        .about("Reads and writes the tables of this model")
        .after_help(format!("{}\n{EXITS}", examples(model, name)))
        .after_long_help(format!(
            "{}\n{}\n{EXITS}",
            patterns(model),
            examples(model, name)
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .args(connection())
        .args(environment(model))
        .subcommands([
            plan::plan_command(),
            apply::apply_command(),
            check::check_command(model),
            fill::fill_command(model),
            lint::lint_command(),
            export::export_command(model),
            adopt::adopt_command(),
        ])
        .subcommands([
            get::get_command(model),
            query::query_command(model),
            count::count_command(model),
            list::list_command(model),
            item::item_command(model),
            put::put_command(model),
            delete::delete_command(model),
        ])
        .subcommands([
            export_data::export_command(model),
            import_data::import_command(model),
            copy::copy_command(model),
        ])
        .subcommands(s3_commands())
        .subcommand(tail::tail_command(model))
        .subcommands(parked::parked_command(model))
        .subcommands(serve())
        .subcommand(explain::explain_command(model))
        .subcommand(completions::completions_command())
}

/// The command that serves a file, if the program is built with it.
fn serve() -> Option<Command> {
    #[cfg(feature = "serve")]
    return Some(crate::serve::serve_command());
    #[cfg(not(feature = "serve"))]
    None
}

fn connection() -> Vec<Arg> {
    vec![
        Arg::new("url")
            .long("url")
            .value_name("URL")
            .env("DYNAMO_URL")
            .hide_env_values(true)
            .global(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help("URL of the tables: aws, aws://REGION, http://HOST:PORT, embedded:PATH"),
        Arg::new("prefix")
            .long("prefix")
            .value_name("PREFIX")
            .global(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help("Prefix for all table names, as in `PREFIX-shop`"),
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .global(true)
            .help("Writes JSON, one row per line"),
    ]
}

/// The option of the environment, if the program has environments.
fn environment(model: &Model) -> Option<Arg> {
    let names = model.environments.iter();
    let names: Vec<&str> = names.map(|environment| environment.name.as_str()).collect();
    let names: Vec<PossibleValue> = names
        .into_iter()
        .map(|name| name.to_owned().into())
        .collect();
    (!names.is_empty()).then(|| {
        let option = Arg::new("env").long("env").value_name("ENVIRONMENT");
        // A pipeline may set the variable to an empty text, which means no environment.
        let option = match env::var_os("DYNAMO_ENV").is_some_and(|value| value.is_empty()) {
            true => option,
            false => option.env("DYNAMO_ENV"),
        };
        option
            .global(true)
            .value_parser(PossibleValuesParser::new(names))
            .help("Uses the table settings of this environment, and the safeguards that it demands")
    })
}

/// The entities and their access patterns.
fn patterns(model: &Model) -> String {
    let mut text = String::from("Entities and access patterns:\n");
    for schema in &model.schemas {
        // Writing to a text does not fail.
        let _ = writeln!(text, "  table {}", schema.name);
        let mine = model.entities();
        let mine = mine.filter(|entity| entity.schema.name == schema.name);
        for entity in mine {
            let keys = entity.key_parts();
            let keys = keys.iter().map(|part| format!(" <{}>", part.value_name()));
            let _ = writeln!(
                text,
                "    get {}{}",
                entity.name(),
                keys.collect::<String>()
            );
            for question in entity.questions() {
                let _ = writeln!(text, "    query {}", question.usage());
            }
        }
        let collections = model.questions().into_iter();
        let collections = collections.filter(|question| {
            question.collection.is_some() && question.entity.schema.name == schema.name
        });
        for question in collections {
            let _ = writeln!(text, "    query {}", question.usage());
        }
    }
    text
}

/// Examples of `get` and `query`, with values of the right types.
fn examples(model: &Model, name: &str) -> String {
    let text = |part: &PartInput<'_>| {
        part.example()
            .map_or_else(|| part.value_name(), str::to_owned)
    };
    let mut lines = vec!["Examples:".to_owned()];
    if let Some(entity) = model.entities().next() {
        let parts: Vec<String> = entity.key_parts().iter().map(text).collect();
        lines.push(format!(
            "  {name} get {} {}",
            entity.name(),
            parts.join(" ")
        ));
    }
    let questions: Vec<_> = model.entities().flat_map(ModelEntity::questions).collect();
    let indexed = questions.iter().find(|question| {
        let first = question.sort.first();
        question.keys.pattern.is_some() && first.is_some_and(|part| part.example().is_some())
    });
    if let Some(question) = indexed.or(questions.first()) {
        let parts: String = question
            .partition
            .iter()
            .map(|part| format!(" {}", text(part)))
            .collect();
        let sort = question.sort.first();
        let sort = sort.map(|part| format!(" --{} {}..", part.option, text(part)));
        let line = format!(
            "  {name} query {}{parts}{} --limit 10",
            question.name,
            sort.unwrap_or_default()
        );
        lines.push(line);
    }
    lines.join("\n") + "\n"
}
