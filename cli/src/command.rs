//! The whole command line: its commands, and the help, which shows this model.

use std::env;
use std::fmt::Write;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command, value_parser};
use clap_complete::Shell;
use dynamo_entity::DynamoTable;
use dynamo_entity::streams::ParkedTable;

use crate::analytics::analytics_options;
use crate::arguments::{self, flag, text_option};
use crate::data::FORMATS;
use crate::exit::EXITS;
use crate::export::formats;
use crate::model::{Model, ModelEntity, PartInput};
use crate::tail::read_start;
use crate::to_s3::s3_commands;

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
        .subcommands(tables(model))
        .subcommands(data(model))
        .subcommands([export_data(model), import_data(model), copy(model)])
        .subcommands(s3_commands())
        .subcommand(tail(model))
        .subcommands(parked(model))
        .subcommands(serve())
        .subcommand(explain(model))
        .subcommand(completions())
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

fn tables(model: &Model) -> Vec<Command> {
    let allow = |option: &'static str, name: &'static str, help: &'static str| {
        Arg::new(option)
            .long(option)
            .value_name(name)
            .action(ArgAction::Append)
            // DynamoDB accepts names that begin with a dash.
            .allow_hyphen_values(true)
            .help(help)
    };
    let keep = |help: &'static str| {
        Arg::new("keep-rest")
            .long("keep-rest")
            .action(ArgAction::SetTrue)
            .help(help)
    };
    let plan = Command::new("plan")
        .about("Shows the steps that would make the tables match their declarations")
        .arg(keep(
            "Exits with 0 if the only remaining steps would lose something",
        ));
    let apply = Command::new("apply")
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
        .arg(keep(
            "Skips steps that would lose something that was not allowed",
        ))
        .arg(arguments::yes());
    let lint = Command::new("lint").about("Lists declarations that you are likely to regret");
    vec![plan, apply, check(model), fill(model), lint, export(model)]
}

/// The names of entities. The stored ones are accepted too, because the steps of the lock file use those.
fn entities(model: &Model) -> Vec<PossibleValue> {
    let names = model.entities();
    let names = names.map(|entity| {
        let stored = &entity.entity.stored_name;
        PossibleValue::new(entity.name()).alias(stored.clone())
    });
    names.collect()
}

fn check(model: &Model) -> Command {
    let names = entities(model);
    Command::new("check")
        .about("Compares the stored form with the lock file, and lists the lints; or counts unfilled rows")
        .arg(
            Arg::new("lock")
                .long("lock")
                .value_name("FILE")
                .default_value("dynamo.lock")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The lock file"),
        )
        .arg(
            Arg::new("write")
                .long("write")
                .action(ArgAction::SetTrue)
                .help("Writes the lock file"),
        )
        .arg(
            Arg::new("filled")
                .long("filled")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["lock", "write"])
                .help("Instead, counts by strong reads the rows that `fill` would write; writes nothing"),
        )
        .arg(
            Arg::new("entities")
                .value_name("ENTITY")
                .num_args(0..)
                .requires("filled")
                .value_parser(PossibleValuesParser::new(names))
                .help("The entities to count; by default those with `filling` or `was`"),
        )
        .arg(segments().requires("filled"))
        .arg(
            Arg::new("deployed")
                .long("deployed")
                .value_name("FILE")
                .conflicts_with_all(["lock", "write", "filled"])
                .value_parser(NonEmptyStringValueParser::new())
                .help("Instead, compares the journal with this file, the lock file of the step before"),
        )
}

fn fill(model: &Model) -> Command {
    let names = entities(model);
    Command::new("fill")
        .about("Adds the missing keys, unique values, defaults and names to all items of an entity")
        .after_help("You may stop it and run it again at any time: correct rows are not written.")
        .arg(
            Arg::new("entity")
                .value_name("ENTITY")
                .required(true)
                .value_parser(PossibleValuesParser::new(names))
                .help("The entity"),
        )
        .arg(segments())
        .arg(arguments::rate(
            "WRITES",
            "Writes at most this number of items per second",
        ))
        .arg(checkpoint())
}

fn segments() -> Arg {
    Arg::new("segments")
        .long("segments")
        .value_name("NUMBER")
        .value_parser(value_parser!(u32).range(1..=1_000_000))
        .help("Reads the table in this number of segments at once; 1 by default")
}

fn checkpoint() -> Arg {
    Arg::new("checkpoint")
        .long("checkpoint")
        .value_name("FILE")
        .value_parser(NonEmptyStringValueParser::new())
        .help("Keeps the position in a file, from which the next run continues")
}

fn export(model: &Model) -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let format = Arg::new("format")
        .value_name("FORMAT")
        .required(true)
        .value_parser(PossibleValuesParser::new(formats(model)))
        .help("The format to write; --since reads `schema`");
    Command::new("export")
        .about("Writes the tables as a template, a configuration, a document, a policy or SQL")
        .args([
            format,
            option("out", "PATH", "The file to write, or the folder for it"),
            option(
                "since",
                "FILE",
                "An earlier `export schema`: writes numbered templates that migrate from it",
            ),
            option("region", "REGION", "The region of the policy"),
            option("account", "ACCOUNT", "The account of the policy"),
        ])
        .args(analytics_options())
        .args(consumer_of_export(model))
}

/// The option that selects one of the consumers, if the program has any.
fn consumer_of_export(model: &Model) -> Option<Arg> {
    let names: Vec<String> = model
        .consumers
        .iter()
        .map(|consumer| consumer.name().to_owned())
        .collect();
    (!names.is_empty()).then(|| {
        Arg::new("consumer")
            .long("consumer")
            .value_name("CONSUMER")
            .value_parser(PossibleValuesParser::new(names))
            .help(
                "The function whose filters or policy are written; `iam` then allows nothing else",
            )
    })
}

fn data(model: &Model) -> Vec<Command> {
    let get = Command::new("get").about("Shows one item");
    let query = Command::new("query").about("Shows the rows of an access pattern");
    let count = Command::new("count").about("Counts the rows of an access pattern");
    let list = Command::new("list")
        .about("Shows the items of an entity or of a table, by a scan of the table");
    let item = Command::new("item")
        .about("Shows any item by its stored key, with sizes and the indexes that contain it");
    let put = Command::new("put").about("Stores an item, with its keys and unique values");
    let delete = Command::new("delete").about("Deletes an item, and releases its unique values");
    vec![
        arguments::for_entities(get, model, arguments::get),
        arguments::for_questions(query, model, arguments::pages),
        arguments::for_questions(count, model, arguments::reads),
        arguments::for_entities(list, model, arguments::list)
            .subcommand_required(false)
            .args(arguments::list_of_table(model)),
        arguments::for_tables(item, model, arguments::stored_key),
        arguments::for_entities(put, model, arguments::put),
        arguments::for_entities(delete, model, arguments::delete),
    ]
}

fn export_data(model: &Model) -> Command {
    Command::new("export-data")
        .about("Writes all items of an entity, or of a table, as lines; reads the whole table")
        .args(whole(model, "All items of a table, whatever they are"))
        .arg(arguments::rate(
            "UNITS",
            "Reads at most this number of units per second",
        ))
        .args([
            Arg::new("out")
                .long("out")
                .value_name("PATH")
                .required_if_eq("format", "aws")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The file to write instead of the standard output; with the format `aws`, the folder to write"),
            flag("resume", "Resumes an export into the folder that was stopped or killed"),
        ])
}

/// An option without a value.
fn import_data(model: &Model) -> Command {
    let file = Arg::new("file")
        .value_name("FILE")
        .long("from")
        .required(true)
        .value_parser(NonEmptyStringValueParser::new())
        .help("The file with the lines, or the folder of an export; `-` is the standard input");
    Command::new("import-data")
        .about("Stores the lines of a file as items; replaces nothing without --replace")
        .args(whole(
            model,
            "The lines are items of a table, stored as they are",
        ))
        .arg(file)
        .args([
            flag(
                "as-is",
                "Stores the attributes of the file and builds no keys",
            ),
            flag("replace", "Replaces items with the same keys"),
            flag("drop-unknown", "Drops attributes that no field has"),
            flag(
                "allow-missing-rows",
                "Accepts a folder whose export could not read some rows",
            ),
        ])
        .arg(arguments::rate(
            "WRITES",
            "Writes at most this number of items per second",
        ))
        .arg(checkpoint())
}

fn copy(model: &Model) -> Command {
    let tables = model.schemas.iter().map(|schema| schema.name.clone());
    Command::new("copy")
        .about("Copies items to the same tables of another connection, if wanted with pseudonyms; replaces nothing without --replace")
        .after_help("You may stop it and run it again at any time: items that are copied already are not written. A masked copy needs the same \
             secret for this.")
        .args([
            Arg::new("entities")
                .value_name("ENTITY")
                .num_args(0..)
                .value_parser(PossibleValuesParser::new(entities(model)))
                .help("The entities to copy, with their unique values; without any, all items of all tables"),
            Arg::new("table")
                .long("table")
                .value_name("TABLE")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(tables))
                .help("All items of a table, whatever they are"),
            text_option("to", "URL", "URL of the target: aws, aws://REGION, http://HOST:PORT, embedded:PATH").required(true),
            text_option("to-prefix", "PREFIX", "Prefix for all table names of the target; none by default"),
            flag("masked", "Replaces the values of personal fields by pseudonyms"),
            text_option(
                "secret-env",
                "NAME",
                "The environment variable with the secret of the pseudonyms, so that later copies have the same ones; random by default, and required if a key contains personal data",
            )
            .requires("masked"),
            flag("drop-unknown", "Drops attributes that no field has").requires("masked"),
            flag("copy-others", "Copies items of no entity as they are").requires("masked"),
            flag("replace", "Replaces items with the same keys"),
            segments(),
            arguments::rate("WRITES", "Writes at most this number of items per second"),
            arguments::rate("UNITS", "Reads at most this number of units per second")
                .id("read-rate")
                .long("read-rate"),
            checkpoint(),
            flag("scan", "Confirms that a table on AWS is scanned"),
        ])
}

/// The arguments for an entity or a table, and for the format of its lines.
fn whole(model: &Model, help: &'static str) -> [Arg; 6] {
    let names: Vec<String> = model.entities().map(|entity| entity.name()).collect();
    let tables: Vec<String> = model
        .schemas
        .iter()
        .map(|schema| schema.name.clone())
        .collect();
    [
        Arg::new("entity")
            .value_name("ENTITY")
            .required_unless_present("table")
            .conflicts_with("table")
            .value_parser(PossibleValuesParser::new(names))
            .help("The entity"),
        Arg::new("table")
            .long("table")
            .value_name("TABLE")
            .value_parser(PossibleValuesParser::new(tables))
            .help(help),
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .default_value("json")
            .value_parser(PossibleValuesParser::new(FORMATS))
            .help("Plain JSON, DynamoDB JSON, CSV, or a folder in the layout of DynamoDB's exports"),
        flag("gzip", "Compresses the file, or reads a compressed one; the default if its name ends in `.gz`"),
        Arg::new("columns")
            .long("columns")
            .value_name("ATTRIBUTE[=NAME],..")
            .value_delimiter(',')
            .value_parser(NonEmptyStringValueParser::new())
            .help("The columns of the CSV file, with their names in its first line; all fields by default"),
        flag(
            "escape-formulas",
            "Marks CSV cells that a spreadsheet would run as formulas; an import removes the marks",
        ),
    ]
}

fn tail(model: &Model) -> Command {
    let tables = model.schemas.iter().map(|schema| schema.name.clone());
    Command::new("tail")
        .about("Shows the changes of a table as they happen, from its stream")
        .args([
            Arg::new("table")
                .value_name("TABLE")
                .required(true)
                .value_parser(PossibleValuesParser::new(tables))
                .help("The table, without the prefix"),
            Arg::new("from")
                .long("from")
                .value_name("START")
                .default_value("latest")
                .value_parser(read_start)
                .help("The start: oldest, latest, an age such as 90s, 15m or 2h, or a position that `tail` printed"),
            Arg::new("limit")
                .long("limit")
                .value_name("CHANGES")
                .value_parser(value_parser!(u64).range(1..))
                .help("Ends after this many changes"),
            checkpoint(),
        ])
}

/// The command of parked changes, if the program has their table.
fn parked(model: &Model) -> Option<Command> {
    let mut schemas = model.schemas.iter();
    if !schemas.any(|schema| schema.name == ParkedTable::schema().name) {
        return None;
    }
    let consumer = || {
        Arg::new("consumer")
            .value_name("CONSUMER")
            .required(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help("The name of the consumer, as passed to `park_after`")
    };
    let events = || {
        Arg::new("events")
            .value_name("EVENT")
            .num_args(1..)
            .value_parser(NonEmptyStringValueParser::new())
            .help("The ids of the records, as `list` shows them")
    };
    let all = |help: &'static str| {
        Arg::new("all")
            .long("all")
            .action(ArgAction::SetTrue)
            .required_unless_present("events")
            .conflicts_with("events")
            .help(help)
    };
    let list = Command::new("list")
        .about("Lists the parked changes; without a consumer, by a scan of their table")
        .arg(consumer().required(false));
    let show = Command::new("show")
        .about("Writes parked changes as events, each as a Lambda function would receive it")
        .args([
            consumer(),
            events(),
            all("Writes all parked changes of the consumer"),
        ]);
    let replay = Command::new("replay")
        .about("Calls the handler of the consumer again, and deletes the parked changes for which it succeeds")
        .args([consumer(), events(), all("Replays all parked changes of the consumer")]);
    let drop = Command::new("drop")
        .visible_alias("discard")
        .about("Deletes parked changes without handling them")
        .args([
            consumer(),
            events(),
            all("Deletes all parked changes of the consumer"),
            arguments::yes(),
        ]);
    Some(
        Command::new("parked")
            .about("Shows, replays and drops the changes of a stream that failed too often")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .disable_help_subcommand(true)
            .subcommands([list, show, replay, drop]),
    )
}

/// The command that serves a file, if the program is built with it.
#[cfg(feature = "serve")]
fn serve() -> Option<Command> {
    let command = Command::new("serve")
        .about("Serves an embedded file to other programs on this machine, through the protocol of DynamoDB")
        .after_help(format!(
            "The output sets the environment variables by which the AWS command line, the SDKs and this program find the \
             server. Without {}=ID:SECRET, the server creates a random key.",
            crate::serve::KEY_VARIABLE
        ))
        .args([
            Arg::new("path")
                .value_name("PATH")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The file; by default that of `--url embedded:PATH`"),
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .help("The port on 127.0.0.1; by default a free one"),
        ]);
    Some(command)
}

#[cfg(not(feature = "serve"))]
fn serve() -> Option<Command> {
    None
}

fn explain(model: &Model) -> Command {
    let get = Command::new("get").about("For one item");
    let query = Command::new("query").about("For a page of an access pattern");
    let count = Command::new("count").about("For counting the rows of an access pattern");
    let put = Command::new("put").about("For storing an item");
    let delete = Command::new("delete").about("For deleting an item");
    Command::new("explain")
        .about("Shows the requests of a command and their cost, without sending them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(arguments::for_entities(get, model, arguments::get))
        .subcommand(arguments::for_questions(query, model, arguments::pages))
        .subcommand(arguments::for_questions(count, model, arguments::reads))
        .subcommand(arguments::for_entities(put, model, arguments::put))
        .subcommand(arguments::for_entities(delete, model, arguments::delete))
}

fn completions() -> Command {
    let shell = Arg::new("shell")
        .required(true)
        .value_parser(value_parser!(Shell));
    Command::new("completions")
        .about("Writes the completion script for a shell")
        .arg(shell)
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
