//! `export`: the tables as templates, configurations, documents and policies.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use dynamo_entity::export::{CloudFormation, ExportFormat, Policy};
use dynamo_entity::schema::TableSchema;
use serde_json::Value;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// The schemas themselves. A later export reads the earlier tables from them.
pub(crate) const SCHEMA: &str = "schema";

/// The names of the formats.
pub(crate) fn formats() -> Vec<&'static str> {
    let formats = ExportFormat::ALL.into_iter().map(ExportFormat::name);
    formats.chain([SCHEMA]).collect()
}

pub(crate) fn run(context: &mut Context<'_, '_>, matches: &ArgMatches) -> Result<Exit, Failure> {
    let text_of = |option: &str| matches.get_one::<String>(option).map(String::as_str);
    let format = text_of("format").unwrap_or(SCHEMA);
    let out = text_of("out").map(PathBuf::from);
    if let Some(since) = text_of("since") {
        return numbered(context, format, Path::new(since), out);
    }
    let schemas = context.model.schemas.iter().cloned();
    let prefix = context.prefix.clone().unwrap_or_default();
    let (text, file) = match format.parse() {
        Ok(ExportFormat::Iam) => {
            let mut policy = Policy::new(schemas).prefix(prefix).allow_all();
            if let Some(region) = text_of("region") {
                policy = policy.region(region);
            }
            if let Some(account) = text_of("account") {
                policy = policy.account(account);
            }
            context.note(
                "this policy allows every verb of every entity; `Policy` of the library writes one for each role",
            )?;
            (policy.document()?, ExportFormat::Iam.file_name())
        }
        Ok(format) => (format.write(schemas, &prefix)?, format.file_name()),
        Err(_) => (all_schemas(context), "tables.schema.json"),
    };
    let text = text.trim_end().to_owned() + "\n";
    match out {
        None => context.write(&text)?,
        Some(path) => {
            let path = if path.is_dir() { path.join(file) } else { path };
            write(context, &path, &text)?;
        }
    }
    Ok(Exit::Done)
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
    let prefix = context.prefix.clone().unwrap_or_default();
    let schemas = context.model.schemas.iter().cloned();
    let templates = CloudFormation::new(schemas).prefix(prefix).since(before)?;
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
