//! `query`: the rows of an access pattern, page by page.

use std::io::Write;

use clap::{ArgMatches, Command};
use dynamo_entity::query::DynamicQuery;
use dynamo_entity::{Cursor, Dynamo, Item, Query, QueryExt};

use crate::arguments::{self, MISSING, STARTS_WITH, sort_place, texts};
use crate::context::{Context, within};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::given::GivenRange;
use crate::key::wrong_part;
use crate::model::{Model, Question};
use crate::part::PartInput;
use crate::render::{RowGrid, RowTable, json_line};

/// The command.
pub(crate) fn query_command(model: &Model) -> Command {
    let query = Command::new("query").about("Shows the rows of an access pattern");
    arguments::for_questions(query, model, arguments::pages)
}

/// The number of rows that are written at once if all are requested.
const CHUNK: usize = 200;

pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let (name, matches) = within(matches)?;
    let question = context.model.question(name)?;
    let query = pages(&question, matches)?;
    let db = context.connect().await?;
    check_range(&question, matches, &db)?;
    let rows = Rows {
        table: RowWriter::of_question(&question, context),
        midnight: midnight(&question, matches),
        context,
    };
    match matches.get_flag("all") {
        true => all(rows, query, &db).await,
        false => page(rows, query, &db).await,
    }
}

/// Writes the rows of another read.
pub(crate) async fn show(
    context: &mut Context<'_, '_>,
    table: RowWriter<'_>,
    query: Query<Item>,
    is_all: bool,
    db: &Dynamo,
) -> Result<Exit, Failure> {
    let rows = Rows {
        table,
        midnight: None,
        context,
    };
    match is_all {
        true => all(rows, query, db).await,
        false => page(rows, query, db).await,
    }
}

/// The form of rows for people.
pub(crate) enum RowWriter<'q> {
    /// The rows of one entity.
    Table(RowTable<'q>),
    /// The rows of several entities.
    Grid(RowGrid<'q>),
}

impl<'q> RowWriter<'q> {
    pub(crate) fn of_question(question: &'q Question<'q>, context: &Context<'q, '_>) -> Self {
        let terminals = context.streams.terminals;
        match question.collection {
            None => RowWriter::Table(RowTable::new(question, terminals)),
            Some(_) => {
                let entities = context.model.entities_of(question.entity.schema);
                RowWriter::Grid(RowGrid::of_collection(question, entities, terminals))
            }
        }
    }

    fn write(&mut self, rows: &[Item], out: &mut dyn Write) -> Result<(), Failure> {
        match self {
            RowWriter::Table(table) => table.write(rows, out),
            RowWriter::Grid(grid) => grid.write(rows, out),
        }
    }
}

/// The destination of rows.
struct Rows<'q, 'r, 'c, 's> {
    table: RowWriter<'q>,
    /// The arguments that name a midnight, although a day may be intended.
    midnight: Option<String>,
    context: &'r mut Context<'c, 's>,
}

impl Rows<'_, '_, '_, '_> {
    fn write(&mut self, rows: &[Item]) -> Result<(), Failure> {
        if !self.context.json {
            return self.table.write(rows, self.context.streams.out);
        }
        for row in rows {
            let line = json_line(row)?;
            self.context.write(&line)?;
        }
        Ok(())
    }

    fn say_none(&mut self) -> Result<(), Failure> {
        self.context.note("no rows")?;
        match self.midnight.take() {
            Some(asked) => self.context.note(&format!(
                "`{asked}` means its midnight; a day is a range that ends before the next, such as 2026-03-01..2026-03-02"
            )),
            None => Ok(()),
        }
    }

    fn place(&mut self, what: &str, cursor: Option<&Cursor>) -> Result<(), Failure> {
        match cursor {
            Some(cursor) => self.context.note(&format!("{what}: --cursor {cursor}")),
            None => Ok(()),
        }
    }
}

async fn page(
    mut rows: Rows<'_, '_, '_, '_>,
    query: Query<Item>,
    db: &Dynamo,
) -> Result<Exit, Failure> {
    let page = query.page(db).await?;
    rows.write(&page.rows)?;
    rows.context.streams.out.flush()?;
    if page.rows.is_empty() {
        rows.say_none()?;
    }
    rows.place("previous", page.previous.as_ref())?;
    rows.place("next", page.next.as_ref())?;
    Ok(Exit::Done)
}

async fn all(
    mut rows: Rows<'_, '_, '_, '_>,
    query: Query<Item>,
    db: &Dynamo,
) -> Result<Exit, Failure> {
    let bar = rows.context.streams.waiting("reading");
    let mut stream = query.stream(db);
    let mut chunk = Vec::new();
    let mut written: usize = 0;
    loop {
        let next = stream.next().await;
        let is_end = !matches!(next, Some(Ok(_)));
        match next {
            Some(Ok(row)) => chunk.push(row),
            Some(Err(error)) => {
                rows.write(&chunk)?;
                bar.finish_and_clear();
                // The rows before the failure are written. With the cursor, the user can resume after them.
                rows.place("next", stream.cursor().ok().flatten().as_ref())?;
                return Err(error.into());
            }
            None => {}
        }
        if is_end || chunk.len() == CHUNK {
            written += chunk.len();
            rows.write(&chunk)?;
            chunk.clear();
            bar.set_message(format!("{written} rows"));
        }
        if is_end {
            break;
        }
    }
    bar.finish_and_clear();
    if written == 0 {
        rows.say_none()?;
    }
    Ok(Exit::Done)
}

/// The query of a page.
pub(crate) fn pages(question: &Question<'_>, matches: &ArgMatches) -> Result<Query<Item>, Failure> {
    let query = asked(question, matches)?;
    let query = match matches.get_flag("descending") {
        true => query.descending(),
        false => query,
    };
    let query = query.resume(matches.get_one::<Cursor>("cursor").cloned());
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or(u32::MAX);
    Ok(match matches.get_flag("all") {
        true => query,
        false => query.limit(usize::try_from(limit).unwrap_or(usize::MAX)),
    })
}

/// Rejects a range that contains no value, because it is probably a mistake.
pub(crate) fn check_range(
    question: &Question<'_>,
    matches: &ArgMatches,
    db: &Dynamo,
) -> Result<(), Failure> {
    match asked(question, matches)?.explain(db)?.operation {
        Some(_) => Ok(()),
        None => Err(Failure::said(
            "the range is empty: it ends before it begins, or where it begins",
        )),
    }
}

/// The part that is queried by day, if it is a time.
fn midnight(question: &Question<'_>, matches: &ArgMatches) -> Option<String> {
    let mut parts = question.sort.iter().enumerate();
    parts.find_map(|(at, part)| {
        let text = matches.get_one::<String>(&sort_place(at))?;
        let is_day = text.len() == 10
            && text
                .bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_digit());
        (is_day && part.is_time()).then(|| format!("--{} {text}", part.option))
    })
}

/// The rows that are requested.
pub(crate) fn asked(question: &Question<'_>, matches: &ArgMatches) -> Result<Query<Item>, Failure> {
    let parts = texts(matches, question.partition.len());
    let begun = question.begin(&parts);
    let query = begun.map_err(|error| wrong_part(error, question.partition.iter().zip(parts)))?;
    let query = match matches.get_flag("strong") {
        true => query.consistent()?,
        false => query,
    };
    sorted(query, question, matches)
}

/// The condition on a part of the sort key.
enum AskedPart {
    Range(GivenRange),
    Missing,
}

/// Requests the parts of the sort key, in their order.
fn sorted(
    mut query: DynamicQuery,
    question: &Question<'_>,
    matches: &ArgMatches,
) -> Result<Query<Item>, Failure> {
    let given = given_parts(question, matches)?;
    let starts_with = match question.takes(|part| part.has_prefixes) {
        true => matches.get_one::<String>(STARTS_WITH),
        false => None,
    };
    let mut parts = question.sort.iter().zip(given);
    while let Some((part, asked)) = parts.next() {
        let failed = |error, text: &str| wrong_part(error, [(part, text)].into_iter());
        query = match asked {
            Some(AskedPart::Missing) => query.missing(part.field())?,
            Some(AskedPart::Range(GivenRange::Value(text))) => {
                let next = query.eq(part.field(), &text);
                next.map_err(|error| failed(error, &text))?
            }
            Some(AskedPart::Range(GivenRange::Between(from, to))) => {
                let why = format!(
                    "--{} is a range, so no further part can follow",
                    part.option
                );
                check_end(parts, starts_with, &why)?;
                let (from, to) = (from.as_ref(), to.as_ref());
                let shown = [from, to].map(|end| end_text(end).unwrap_or_default());
                let range = (from.map(String::as_str), to.map(String::as_str));
                let found = query.between(part.field(), range);
                return found.map_err(|error| failed(error, &shown.join("..")));
            }
            None => {
                let Some(text) = starts_with else {
                    let why = format!(
                        "the key has `{}` before it: give --{}",
                        part.field(),
                        part.option
                    );
                    check_end(parts, None, &why)?;
                    break;
                };
                let why = "--starts-with applies to the first part that is not given";
                check_end(parts, None, why)?;
                return Ok(query.starts_with(part.field(), text)?);
            }
        };
    }
    match starts_with {
        Some(_)
            if question
                .sort
                .iter()
                .all(|part| matches_of(question, part, matches)) =>
        {
            Err(Failure::said(
                "--starts-with: all parts of the sort key are given, so it applies to none",
            ))
        }
        _ => Ok(query.query()),
    }
}

fn end_text(end: std::ops::Bound<&String>) -> Option<&str> {
    match end {
        std::ops::Bound::Included(text) | std::ops::Bound::Excluded(text) => Some(text),
        std::ops::Bound::Unbounded => None,
    }
}

/// Whether a part was given.
fn matches_of(question: &Question<'_>, part: &PartInput<'_>, matches: &ArgMatches) -> bool {
    let at = question
        .sort
        .iter()
        .position(|known| known.option == part.option);
    at.is_some_and(|at| matches.contains_id(&sort_place(at)))
        || missing(question, matches).any(|name| is_named(part, name))
}

/// Rejects parts after the last one that accepts a condition.
fn check_end<'q>(
    mut rest: impl Iterator<Item = (&'q PartInput<'q>, Option<AskedPart>)>,
    starts_with: Option<&String>,
    why: &str,
) -> Result<(), Failure> {
    if let Some((part, _)) = rest.find(|(_, asked)| asked.is_some()) {
        return Err(Failure::said(format!("--{}: {why}", part.option)));
    }
    match starts_with {
        Some(_) => Err(Failure::said(format!("--starts-with: {why}"))),
        None => Ok(()),
    }
}

/// The conditions on each part of the sort key.
fn given_parts(
    question: &Question<'_>,
    matches: &ArgMatches,
) -> Result<Vec<Option<AskedPart>>, Failure> {
    let mut given: Vec<Option<AskedPart>> = Vec::new();
    for at in 0..question.sort.len() {
        let text = matches.get_one::<String>(&sort_place(at));
        given.push(text.map(|text| AskedPart::Range(GivenRange::read(text))));
    }
    for name in missing(question, matches) {
        let at = question.sort.iter().position(|part| is_named(part, name));
        let place = at.and_then(|at| given.get_mut(at));
        match place {
            Some(place @ None) => *place = Some(AskedPart::Missing),
            Some(Some(_)) => {
                let why = format!("--missing {name}: the part has a value too");
                return Err(Failure::said(why));
            }
            None => {
                let names: Vec<&str> = question
                    .sort
                    .iter()
                    .map(|part| part.option.as_str())
                    .collect();
                let why = format!(
                    "--missing {name}: the sort key has `{}`",
                    names.join("`, `")
                );
                return Err(Failure::said(why));
            }
        }
    }
    Ok(given)
}

fn missing<'m>(question: &Question<'_>, matches: &'m ArgMatches) -> impl Iterator<Item = &'m str> {
    let names = match question.takes(|part| part.may_be_missing) {
        true => matches.get_many::<String>(MISSING),
        false => None,
    };
    names.into_iter().flatten().map(String::as_str)
}

fn is_named(part: &PartInput<'_>, name: &str) -> bool {
    part.option == name || part.field() == name
}
