//! `export athena` and `export duckdb`: statements over the files of exports to S3.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use dynamo_entity::export::{Athena, DuckDb};
use dynamo_entity::schema::TableSchema;

use crate::context::Context;
use crate::failure::Failure;

pub(crate) const ATHENA: &str = "athena";
pub(crate) const DUCKDB: &str = "duckdb";

/// The options of both formats.
pub(crate) fn analytics_options() -> [Arg; 3] {
    let places = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .action(ArgAction::Append)
            .help(help)
    };
    [
        places(
            "location",
            "[TABLE=]URI",
            "The folder `data/` of an export to S3, for `athena`; can be repeated",
        ),
        places(
            "files",
            "[TABLE=]PATTERN",
            "The files of an export, for `duckdb`; can be repeated",
        ),
        Arg::new("scale")
            .long("scale")
            .value_name("DIGITS")
            .value_parser(value_parser!(u8).range(0..=38))
            .help("Makes decimal numbers columns of this scale, which rounds; by default they are text"),
    ]
}

/// Rejects options of another format.
pub(crate) fn check_options(matches: &ArgMatches, format: &str) -> Result<(), Failure> {
    let fits = [
        ("location", [ATHENA].as_slice()),
        ("files", &[DUCKDB]),
        ("scale", &[ATHENA, DUCKDB]),
    ];
    for (option, formats) in fits {
        if matches.contains_id(option) && !formats.contains(&format) {
            let formats = formats.join("` and `");
            return Err(Failure::said(format!(
                "--{option}: it belongs to the format `{formats}`"
            )));
        }
    }
    Ok(())
}

/// The statements for Athena.
pub(crate) fn athena_text(
    context: &Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<String, Failure> {
    let schemas = context.model.schemas.iter().cloned();
    let prefix = context.prefix.clone().unwrap_or_default();
    let mut athena = Athena::new(schemas).prefix(prefix);
    if let Some(scale) = matches.get_one::<u8>("scale") {
        athena = athena.decimal_scale(*scale);
    }
    for (table, location) in placed_tables(context, matches, "location")? {
        athena = athena.location(&table, location);
    }
    Ok(athena.text()?)
}

/// The script for DuckDB. If it is written to a folder, its Parquet files belong there too.
pub(crate) fn duckdb_script(
    context: &Context<'_, '_>,
    matches: &ArgMatches,
    out: Option<&Path>,
) -> Result<String, Failure> {
    let schemas = context.model.schemas.iter().cloned();
    let prefix = context.prefix.clone().unwrap_or_default();
    let mut duckdb = DuckDb::new(schemas).prefix(prefix);
    if let Some(scale) = matches.get_one::<u8>("scale") {
        duckdb = duckdb.decimal_scale(*scale);
    }
    for (table, files) in placed_tables(context, matches, "files")? {
        duckdb = duckdb.files(&table, files);
    }
    if let Some(folder) = out.filter(|path| path.is_dir()) {
        duckdb = duckdb.folder(folder.display().to_string());
    }
    Ok(duckdb.script()?)
}

/// The tables that are named before `=`, each with the text after it. A program with one table need not name it.
fn placed_tables(
    context: &Context<'_, '_>,
    matches: &ArgMatches,
    option: &str,
) -> Result<Vec<(String, String)>, Failure> {
    let tables = &context.model.schemas;
    let given = matches.get_many::<String>(option).into_iter().flatten();
    let named = given.map(|text| match (text.split_once('='), &**tables) {
        (Some((name, place)), _) if tables.iter().any(|table| table.name == name) => {
            Ok((name.to_owned(), place.to_owned()))
        }
        (_, [only]) => Ok((only.name.clone(), text.clone())),
        _ => {
            let names = tables.iter().map(|table: &TableSchema| &*table.name);
            let names: Vec<&str> = names.collect();
            Err(Failure::said(format!(
                "--{option} {text}: begin with `TABLE=`, and one of: {}",
                names.join(", ")
            )))
        }
    });
    let named: Vec<(String, String)> = named.collect::<Result<_, _>>()?;
    match named.is_empty() {
        true => Err(Failure::said(format!("pass `--{option}`"))),
        false => Ok(named),
    }
}
