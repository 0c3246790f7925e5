//! The options of `export-data` and `import-data`: the rows, and the format of their lines.

use std::io;
use std::path::Path;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::{Arg, ArgMatches};
use dynamo_entity::schema::TableSchema;
use dynamo_entity::transfer::{Csv, CsvColumn, RowFormat};

use crate::arguments::flag;
use crate::context::Context;
use crate::failure::Failure;
use crate::model::Model;

/// The names of the formats.
const FORMATS: [&str; 4] = ["json", "dynamodb", "csv", "aws"];

/// The arguments for an entity or a table, and for the format of its lines.
pub(crate) fn whole(model: &Model, help: &'static str) -> [Arg; 6] {
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

/// The failure of a file.
pub(crate) fn unusable(path: &Path, error: &io::Error) -> Failure {
    Failure::said(format!("{}: {error}", path.display()))
}

/// Whether the lines are in a folder.
pub(crate) fn is_folder(matches: &ArgMatches) -> bool {
    format_name(matches) == "aws"
}

/// Whether the lines are CSV.
pub(crate) fn is_csv(matches: &ArgMatches) -> bool {
    format_name(matches) == "csv"
}

/// Whether the file is compressed.
pub(crate) fn is_compressed(matches: &ArgMatches, path: Option<&Path>) -> bool {
    let has_ending = path
        .and_then(Path::extension)
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    matches.get_flag("gzip") || has_ending
}

/// The columns, if the format is CSV.
pub(crate) fn csv(context: &Context<'_, '_>, matches: &ArgMatches) -> Result<Option<Csv>, Failure> {
    let columns = matches.get_many::<String>("columns");
    if !is_csv(matches) {
        return match columns.is_some() || matches.get_flag("escape-formulas") {
            true => Err(Failure::said("only CSV has columns: pass `--format csv`")),
            false => Ok(None),
        };
    }
    if table(context, matches)?.is_some() {
        let message = "CSV has the columns of one entity: name it instead of the table";
        return Err(Failure::said(message));
    }
    let found = context.model.entity(entity(matches))?;
    let mut csv = Csv::of_entity(found.schema, &found.entity.name);
    if let Some(columns) = columns {
        let columns = columns.map(|column| {
            let (attribute, name) = column.split_once('=').unwrap_or((column, column));
            CsvColumn::from((attribute, name))
        });
        csv = csv.columns(columns);
    }
    Ok(Some(match matches.get_flag("escape-formulas") {
        true => csv.escape_formulas(),
        false => csv,
    }))
}

pub(crate) fn entity(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("entity")
        .map_or("", String::as_str)
}

/// The table, if the command is about all of its items.
pub(crate) fn table<'c>(
    context: &Context<'c, '_>,
    matches: &ArgMatches,
) -> Result<Option<&'c TableSchema>, Failure> {
    let Some(name) = matches.get_one::<String>("table") else {
        return Ok(None);
    };
    context.model.table(name).map(Some)
}

fn format_name(matches: &ArgMatches) -> &str {
    matches
        .get_one::<String>("format")
        .map_or("", String::as_str)
}

pub(crate) fn format(matches: &ArgMatches) -> RowFormat {
    match format_name(matches) {
        "dynamodb" => RowFormat::DynamoJson,
        _ => RowFormat::Json,
    }
}
