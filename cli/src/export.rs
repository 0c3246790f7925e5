//! `export`: the tables as templates, configurations, documents and policies.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use dynamo_entity::DynamoTable;
use dynamo_entity::export::{
    CloudFormation, ExportFormat, Markdown, Policy, PolicyVerb, StreamConsumer, Terraform,
};
use dynamo_entity::schema::TableSchema;
use dynamo_entity::streams::{OnceEffect, ParkedTable};
use serde_json::{Value, json};

use crate::analytics::{
    ATHENA, DUCKDB, analytics_options, athena_text, check_options, duckdb_script,
};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::Model;

/// The command.
pub(crate) fn export_command(model: &Model) -> Command {
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

/// The schemas themselves. A later export reads the earlier tables from them.
pub(crate) const SCHEMA: &str = "schema";

/// The event filters of a consumer.
const FILTERS: &str = "filters";

/// The names of the formats.
pub(crate) fn formats(model: &Model) -> Vec<&'static str> {
    let formats = ExportFormat::ALL.into_iter().map(ExportFormat::name);
    let filters = (!model.consumers.is_empty()).then_some(FILTERS);
    let others = [SCHEMA, ATHENA, DUCKDB];
    formats.chain(others).chain(filters).collect()
}

pub(crate) fn run(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let text_of = |option: &str| matches.get_one::<String>(option).map(String::as_str);
    let format = text_of("format").unwrap_or(SCHEMA);
    let out = text_of("out").map(PathBuf::from);
    let consumer = consumer(context.model, matches, format)?;
    check_options(matches, format)?;
    if let Some(since) = text_of("since") {
        return numbered(context, format, Path::new(since), out);
    }
    let schemas = context.model.schemas.iter().cloned();
    let prefix = context.prefix.clone().unwrap_or_default();
    let (text, file) = match (format.parse(), consumer) {
        (Ok(ExportFormat::Iam), consumer) => {
            let mut policy = match consumer {
                Some(consumer) => policy_of_consumer(context, consumer)?,
                None => policy_of_all(context)?,
            };
            if let Some(region) = text_of("region") {
                policy = policy.region(region);
            }
            if let Some(account) = text_of("account") {
                policy = policy.account(account);
            }
            (policy.document()?, ExportFormat::Iam.file_name())
        }
        (Ok(format @ ExportFormat::CloudFormation), _) => {
            (cloud_formation(context).template()?, format.file_name())
        }
        (Ok(format @ ExportFormat::Terraform), _) => {
            (terraform(context).configuration()?, format.file_name())
        }
        (Ok(format @ ExportFormat::Markdown), _) => (markdown(context).text(), format.file_name()),
        (Ok(format), _) => (format.write(schemas, &prefix)?, format.file_name()),
        (Err(_), _) if format == ATHENA => (athena_text(context, matches)?, "tables.athena.sql"),
        (Err(_), _) if format == DUCKDB => {
            let script = duckdb_script(context, matches, out.as_deref())?;
            (script, "tables.duckdb.sql")
        }
        (Err(_), Some(consumer)) => (filters(context, consumer)?, "filters.json"),
        (Err(_), None) => (all_schemas(context), "tables.schema.json"),
    };
    let text = text.trim_end().to_owned() + "\n";
    match out {
        None => context.write(&text)?,
        Some(path) => {
            let is_folder = path.to_string_lossy().ends_with(std::path::is_separator);
            if is_folder {
                let made = std::fs::create_dir_all(&path);
                made.map_err(|error| Failure::said(format!("{}: {error}", path.display())))?;
            }
            let path = match is_folder || path.is_dir() {
                true => path.join(file),
                false => path,
            };
            write(context, &path, &text)?;
        }
    }
    Ok(Exit::Done)
}

/// The consumer whose filters or policy are written. The filters require one. Templates and configurations contain all.
fn consumer<'m>(
    model: &'m Model,
    matches: &ArgMatches,
    format: &str,
) -> Result<Option<&'m StreamConsumer>, Failure> {
    // The option exists only if the program has consumers.
    let named = matches.try_get_one::<String>("consumer");
    let named = named.ok().flatten();
    if named.is_some() && ![FILTERS, ExportFormat::Iam.name()].contains(&format) {
        return Err(Failure::said(
            "--consumer: only `filters` and `iam` are written for one consumer",
        ));
    }
    if let Some(name) = named {
        return Ok(model.consumers.iter().find(|of| of.name() == name));
    }
    match (format, &*model.consumers) {
        (FILTERS, [one]) => Ok(Some(one)),
        (FILTERS, consumers) => {
            let names: Vec<&str> = consumers.iter().map(StreamConsumer::name).collect();
            Err(Failure::said(format!(
                "pass `--consumer NAME`, one of: {}",
                names.join(", ")
            )))
        }
        _ => Ok(None),
    }
}

fn cloud_formation(context: &Context<'_, '_>) -> CloudFormation {
    let (model, prefix) = (context.model, context.prefix.clone());
    let schemas = model.schemas.iter().cloned();
    let mut stack = CloudFormation::new(schemas).prefix(prefix.unwrap_or_default());
    for consumer in &model.consumers {
        stack = stack.consumer(consumer.clone());
    }
    match &model.alarms {
        Some(alarms) => stack.alarms(alarms.clone()),
        None => stack,
    }
}

fn markdown(context: &Context<'_, '_>) -> Markdown {
    let (model, prefix) = (context.model, context.prefix.clone());
    let schemas = model.schemas.iter().cloned();
    let document = Markdown::new(schemas).prefix(prefix.unwrap_or_default());
    let document = document.use_cases(model.use_cases.iter().cloned());
    match &model.prices {
        Some(prices) => document.prices(prices.clone()),
        None => document,
    }
}

fn terraform(context: &Context<'_, '_>) -> Terraform {
    let (model, prefix) = (context.model, context.prefix.clone());
    let schemas = model.schemas.iter().cloned();
    let mut tables = Terraform::new(schemas).prefix(prefix.unwrap_or_default());
    for consumer in &model.consumers {
        tables = tables.consumer(consumer.clone());
    }
    match &model.alarms {
        Some(alarms) => tables.alarms(alarms.clone()),
        None => tables,
    }
}

fn policy(context: &Context<'_, '_>) -> Policy {
    let schemas = context.model.schemas.iter().cloned();
    Policy::new(schemas).prefix(context.prefix.clone().unwrap_or_default())
}

/// The policy that allows all operations of all entities, and the requests of all consumers.
fn policy_of_all(context: &mut Context<'_, '_>) -> Result<Policy, Failure> {
    context.note(
        "this policy allows every verb of every entity; `Policy` of the library writes one for each role",
    )?;
    let consumers = context.model.consumers.iter();
    Ok(consumers.fold(policy(context).allow_all(), Policy::allow_consumer))
}

/// The policy of a function. It allows its stream, its queue, and the tables in which the library records its attempts
/// and effects.
fn policy_of_consumer(
    context: &mut Context<'_, '_>,
    consumer: &StreamConsumer,
) -> Result<Policy, Failure> {
    let has = |name: &str| {
        let mut schemas = context.model.schemas.iter();
        schemas.any(|schema| schema.name == name)
    };
    let mut policy = policy(context).allow_consumer(consumer);
    if has(&ParkedTable::schema().name) {
        let attempts = [PolicyVerb::GET, PolicyVerb::UPDATE, PolicyVerb::UPSERT];
        policy = policy.allow("ParkedChange", attempts);
        policy = policy.allow("ParkedPart", [PolicyVerb::BATCH]);
    }
    if has(&OnceEffect::schema().name) {
        let effects = [
            PolicyVerb::CREATE,
            PolicyVerb::DELETE,
            PolicyVerb::GET,
            PolicyVerb::PUT,
        ];
        policy = policy.allow("OnceEffect", effects);
    }
    context.note(
        "this policy does not allow the requests of the handler; `Policy` of the library writes one that does",
    )?;
    Ok(policy)
}

/// The filters in the format that the AWS command line reads.
fn filters(context: &mut Context<'_, '_>, consumer: &StreamConsumer) -> Result<String, Failure> {
    let filters = consumer.filters()?;
    if filters.is_empty() {
        context.note("this consumer receives every record, and needs no filter")?;
    }
    let filters: Vec<Value> = filters
        .into_iter()
        .map(|pattern| json!({ "Pattern": pattern }))
        .collect();
    let criteria = serde_json::to_string_pretty(&json!({ "Filters": filters }));
    criteria.map_err(|error| Failure::said(error.to_string()))
}

/// All schemas as one list of JSON.
fn all_schemas(context: &Context<'_, '_>) -> String {
    let schemas = context.model.schemas.iter().map(TableSchema::to_json);
    let schemas: Vec<String> = schemas.map(|schema| schema.trim_end().to_owned()).collect();
    format!("[\n{}\n]\n", schemas.join(",\n"))
}

/// The templates that change earlier tables into the declared ones.
fn numbered(
    context: &mut Context<'_, '_>,
    format: &str,
    since: &Path,
    out: Option<PathBuf>,
) -> Result<Exit, Failure> {
    if format != ExportFormat::CloudFormation.name() {
        return Err(Failure::said(
            "--since: only CloudFormation has numbered templates",
        ));
    }
    let before = read_schemas(since)?;
    let templates = cloud_formation(context).since(before)?;
    let names: Vec<&str> = templates
        .iter()
        .map(|template| template.file_name.as_str())
        .collect();
    // Before anything is written: a template of an earlier run would be deployed after the new ones.
    if let Some(folder) = out.as_ref().filter(|folder| folder.is_dir()) {
        remove_stale(context, folder, &names)?;
    }
    if templates.is_empty() {
        context.note("nothing differs")?;
        return Ok(Exit::Done);
    }
    let Some(folder) = out else {
        let names = names.join(", ");
        return Err(Failure::said(format!(
            "{names}: pass `--out FOLDER` to write them there"
        )));
    };
    let made = std::fs::create_dir_all(&folder);
    made.map_err(|error| Failure::said(format!("{}: {error}", folder.display())))?;
    for template in templates {
        write(context, &folder.join(&template.file_name), &template.text)?;
        for change in template.changes {
            context.note(&format!("  {change}"))?;
        }
    }
    Ok(Exit::Done)
}

/// Removes the numbered templates of an earlier run that this run does not replace. A deployment of all templates in
/// the folder would include them, and they may delete indexes.
fn remove_stale(
    context: &mut Context<'_, '_>,
    folder: &Path,
    written: &[&str],
) -> Result<(), Failure> {
    let fail =
        |path: &Path, error: std::io::Error| Failure::said(format!("{}: {error}", path.display()));
    let mut stale = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| fail(folder, error))? {
        let entry = entry.map_err(|error| fail(folder, error))?;
        let name = entry.file_name();
        if name
            .to_str()
            .is_some_and(|name| is_numbered(name) && !written.contains(&name))
        {
            stale.push(entry.path());
        }
    }
    stale.sort();
    for path in stale {
        std::fs::remove_file(&path).map_err(|error| fail(&path, error))?;
        context.note(&format!("removed {}, of an earlier run", path.display()))?;
    }
    Ok(())
}

/// Whether a file has the name of a numbered template, `01.template.json`.
fn is_numbered(name: &str) -> bool {
    let number = name.strip_suffix(".template.json").unwrap_or_default();
    number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The schemas of an earlier `export schema`: a list, or one.
fn read_schemas(path: &Path) -> Result<Vec<TableSchema>, Failure> {
    let fail = |why: String| Failure::said(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
    let read: Value = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
    let schemas = match read {
        Value::Array(schemas) => schemas,
        one => vec![one],
    };
    let read = schemas
        .iter()
        .map(|schema| TableSchema::from_json(&schema.to_string()));
    read.collect::<Result<_, _>>()
        .map_err(|error| fail(error.to_string()))
}

fn write(context: &mut Context<'_, '_>, path: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::write(path, text);
    written.map_err(|error| Failure::said(format!("{}: {error}", path.display())))?;
    context.note(&format!("wrote {}", path.display()))
}
