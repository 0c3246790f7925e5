//! The arguments of the commands, built from the model.

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use dynamo_entity::Cursor;
use dynamo_entity::query::DynamicSortPart;
use dynamo_entity::schema::{FieldRole, IndexKind, KeyType, TableSchema};

use crate::model::{Model, ModelEntity, Question};
use crate::part::PartInput;

/// An option that takes a text.
pub(crate) fn text_option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .value_parser(NonEmptyStringValueParser::new())
        .help(help)
}

/// An option without a value.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// A command for each entity, with the arguments that identify an item.
pub(crate) fn for_entities(
    command: Command,
    model: &Model,
    arguments: fn(ModelEntity<'_>) -> Vec<Arg>,
) -> Command {
    let command = nested(command, "ENTITY", "Entities");
    model.entities().fold(command, |command, entity| {
        let one = Command::new(entity.name())
            .about(match entity.summary() {
                "" => format!("Items of the table {}", entity.schema.name),
                summary => summary.to_owned(),
            })
            .disable_help_subcommand(true)
            .args(arguments(entity));
        command.subcommand(one)
    })
}

/// A command for each table, by its name without a prefix.
pub(crate) fn for_tables(
    command: Command,
    model: &Model,
    arguments: fn(&TableSchema) -> Vec<Arg>,
) -> Command {
    let command = nested(command, "TABLE", "Tables");
    model.schemas.iter().fold(command, |command, schema| {
        let one = Command::new(schema.name.clone())
            .about(format!("Items of the table {}", schema.name))
            .disable_help_subcommand(true)
            .args(arguments(schema));
        command.subcommand(one)
    })
}

/// A command for each access pattern, with the parts of its key.
pub(crate) fn for_questions(
    command: Command,
    model: &Model,
    options: fn(&Question<'_>) -> Vec<Arg>,
) -> Command {
    let command = nested(command, "PATTERN", "Access patterns");
    let questions = model.questions().into_iter();
    questions.fold(command, |command, question| {
        let one = Command::new(question.name.clone())
            .about(question.summary())
            .disable_help_subcommand(true)
            .args(partition(&question))
            .args(sort(&question))
            .args(options(&question));
        command.subcommand(one)
    })
}

fn nested(command: Command, what: &'static str, heading: &'static str) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand_value_name(what)
        .subcommand_help_heading(heading)
}

/// The parts of a primary key.
pub(crate) fn key(entity: ModelEntity<'_>) -> Vec<Arg> {
    let parts = entity.key_parts();
    positions(&parts)
}

/// The attributes of a stored key.
pub(crate) fn stored_key(schema: &TableSchema) -> Vec<Arg> {
    let attributes = [&schema.pk].into_iter().chain(&schema.sk);
    let arguments = attributes.enumerate().map(|(at, attribute)| {
        Arg::new(place(at))
            .value_name(attribute.name.to_uppercase())
            .help(match attribute.ty {
                KeyType::N => "A number",
                KeyType::B => "A binary value, in hexadecimal digits",
                KeyType::S => "A text",
            })
            .required(true)
            .allow_hyphen_values(true)
    });
    arguments.chain([strong()]).collect()
}

fn partition(question: &Question<'_>) -> Vec<Arg> {
    positions(&question.partition)
}

fn positions(parts: &[PartInput<'_>]) -> Vec<Arg> {
    let arguments = parts.iter().enumerate().map(|(at, part)| {
        Arg::new(place(at))
            .value_name(part.value_name())
            .help(help(part))
            .required(true)
            // Otherwise a negative number would be read as an option.
            .allow_negative_numbers(true)
    });
    arguments.collect()
}

fn sort(question: &Question<'_>) -> Vec<Arg> {
    let options = question.sort.iter().enumerate().map(|(at, part)| {
        let name = &part.option;
        let underlined = name.replace('-', "_");
        let option = Arg::new(sort_place(at))
            .long(name.clone())
            .value_name(match part.takes(|part| part.has_ranges) {
                true => "VALUE|A..B",
                false => "VALUE",
            })
            .help(help(part))
            .help_heading("Parts of the sort key, in their order")
            // A range may begin with a negative number.
            .allow_hyphen_values(true);
        match underlined == *name {
            true => option,
            // People copy the name of the field from the code.
            false => option.alias(underlined),
        }
    });
    let mut options: Vec<Arg> = options.collect();
    if question.takes(|part| part.has_prefixes) {
        options.push(
            Arg::new(STARTS_WITH)
                .long(STARTS_WITH)
                .value_name("TEXT")
                .help(format!(
                    "The next part begins with this text: {}",
                    named(question, |part| part.has_prefixes)
                ))
                .help_heading("Parts of the sort key, in their order"),
        );
    }
    if question.takes(|part| part.may_be_missing) {
        options.push(
            Arg::new(MISSING)
                .long(MISSING)
                .value_name("PART")
                .action(ArgAction::Append)
                .help(format!(
                    "A part that is None: {}; may be given several times",
                    named(question, |part| part.may_be_missing)
                ))
                .help_heading("Parts of the sort key, in their order"),
        );
    }
    options
}

/// The option for a part that begins with a text. Only patterns with such a part have it.
pub(crate) const STARTS_WITH: &str = "starts-with";

/// The option for parts that are None. Only patterns with such a part have it.
pub(crate) const MISSING: &str = "missing";

/// The names of the parts that accept conditions.
fn named(question: &Question<'_>, accepts: fn(&DynamicSortPart) -> bool) -> String {
    let parts = question.sort.iter().filter(|part| part.takes(accepts));
    let names: Vec<&str> = parts.map(|part| part.option.as_str()).collect();
    names.join(", ")
}

fn help(part: &PartInput<'_>) -> String {
    match part.summary() {
        "" => part.kind(),
        doc => format!("{doc} ({})", part.kind()),
    }
}

/// The id of a part of a primary key or of a partition.
pub(crate) fn place(at: usize) -> String {
    format!("part-{at}")
}

/// The id of a part of a sort key.
pub(crate) fn sort_place(at: usize) -> String {
    format!("sort-{at}")
}

/// The texts of the parts that are not options.
pub(crate) fn texts(matches: &ArgMatches, count: usize) -> Vec<&str> {
    let texts = (0..count).filter_map(|at| matches.get_one::<String>(&place(at)));
    texts.map(String::as_str).collect()
}

/// The options of a query of pages.
pub(crate) fn pages(question: &Question<'_>) -> Vec<Arg> {
    let mut options = paging();
    options.push(
        Arg::new("descending")
            .long("descending")
            .action(ArgAction::SetTrue)
            .help("Reads from the end to the beginning"),
    );
    options.extend(reads(question));
    options
}

/// The options of all commands with pages.
fn paging() -> Vec<Arg> {
    vec![
        Arg::new("limit")
            .long("limit")
            .value_name("ROWS")
            .default_value("20")
            .value_parser(value_parser!(u32).range(1..))
            .help("Number of rows per page"),
        Arg::new("all")
            .long("all")
            .action(ArgAction::SetTrue)
            .conflicts_with("limit")
            .help("Reads all pages"),
        Arg::new("cursor")
            .long("cursor")
            .value_name("CURSOR")
            .value_parser(value_parser!(Cursor))
            .help("Resumes after an earlier page, or before it"),
    ]
}

/// The options of every query. Global indexes reject strong reads, so the help does not name that option for them.
pub(crate) fn reads(question: &Question<'_>) -> Vec<Arg> {
    let kind = question.keys.pattern.map(|pattern| pattern.kind);
    vec![strong().hide(kind == Some(IndexKind::Global))]
}

fn strong() -> Arg {
    Arg::new("strong")
        .long("strong")
        .action(ArgAction::SetTrue)
        .help("Sees all writes acknowledged before it; costs twice as much")
}

/// The options of a get.
pub(crate) fn get(entity: ModelEntity<'_>) -> Vec<Arg> {
    key(entity).into_iter().chain([strong()]).collect()
}

/// The options of a list.
pub(crate) fn list(_: ModelEntity<'_>) -> Vec<Arg> {
    scanning()
}

/// The options of a list of all items of a table, which is an option itself, beside the entities.
pub(crate) fn list_of_table(model: &Model) -> Vec<Arg> {
    let tables = model.schemas.iter().map(|schema| schema.name.clone());
    let table = Arg::new("table")
        .long("table")
        .value_name("TABLE")
        .value_parser(PossibleValuesParser::new(tables))
        .help("All items of a table, whatever they are, grouped by partition and entity");
    let others = scanning()
        .into_iter()
        .map(|option| option.requires("table"));
    [table].into_iter().chain(others).collect()
}

fn scanning() -> Vec<Arg> {
    let scan = Arg::new("scan")
        .long("scan")
        .action(ArgAction::SetTrue)
        .help("Confirms that a table on AWS is scanned");
    let rate = rate("UNITS", "Reads at most this number of units per second");
    paging().into_iter().chain([rate, scan]).collect()
}

/// The limit of a rate.
pub(crate) fn rate(unit: &'static str, help: &'static str) -> Arg {
    Arg::new("rate")
        .long("rate")
        .value_name(unit)
        .value_parser(value_parser!(u32).range(1..))
        .help(help)
}

/// The options of a put.
pub(crate) fn put(_: ModelEntity<'_>) -> Vec<Arg> {
    vec![
        Arg::new("item")
            .value_name("JSON")
            .required(true)
            .value_parser(NonEmptyStringValueParser::new())
            .help("The item as one object of JSON; `@FILE` reads a file, `-` the standard input"),
        Arg::new("create")
            .long("create")
            .action(ArgAction::SetTrue)
            .help("Fails if the item already exists"),
        Arg::new("unchecked")
            .long("unchecked")
            .action(ArgAction::SetTrue)
            .conflicts_with("create")
            .help("Replaces the item, whatever its version"),
    ]
}

/// The options of a delete.
pub(crate) fn delete(entity: ModelEntity<'_>) -> Vec<Arg> {
    let mut arguments = key(entity);
    if has_version(entity) {
        arguments.push(
            Arg::new("if-version")
                .long("if-version")
                .value_name("VERSION")
                .value_parser(value_parser!(u64))
                .help("Deletes only if the item has this version"),
        );
    }
    arguments.push(yes());
    arguments
}

fn has_version(entity: ModelEntity<'_>) -> bool {
    let mut fields = entity.entity.fields.iter();
    fields.any(|field| field.role == FieldRole::Version)
}

/// The options of every command that prompts for confirmation.
pub(crate) fn yes() -> Arg {
    Arg::new("yes")
        .long("yes")
        .short('y')
        .action(ArgAction::SetTrue)
        .help("Does not prompt for confirmation")
}

/// The names of entities. The stored ones are accepted too, because the steps of the lock file use those.
pub(crate) fn entity_names(model: &Model) -> Vec<PossibleValue> {
    let names = model.entities();
    let names = names.map(|entity| {
        let stored = &entity.entity.stored_name;
        PossibleValue::new(entity.name()).alias(stored.clone())
    });
    names.collect()
}

/// The number of segments of a scan.
pub(crate) fn segments() -> Arg {
    Arg::new("segments")
        .long("segments")
        .value_name("NUMBER")
        .value_parser(value_parser!(u32).range(1..=1_000_000))
        .help("Reads the table in this number of segments at once; 1 by default")
}

/// The file of a position.
pub(crate) fn checkpoint() -> Arg {
    Arg::new("checkpoint")
        .long("checkpoint")
        .value_name("FILE")
        .value_parser(NonEmptyStringValueParser::new())
        .help("Keeps the position in a file, from which the next run continues")
}

/// The number of rows that may fail.
pub(crate) fn max_failures(rows: &'static str) -> Arg {
    Arg::new("max-failures")
        .long("max-failures")
        .value_name(rows)
        .value_parser(value_parser!(u32))
        .help("Stops if more than this number fail; 1000 by default")
}

/// The option of a plan that skips what would be lost.
pub(crate) fn keep_rest(help: &'static str) -> Arg {
    flag("keep-rest", help)
}
