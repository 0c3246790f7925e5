//! The program: reads the arguments, runs a command and returns its exit code.

use std::ffi::OsString;
use std::io::{BufReader, BufWriter, stderr, stdin, stdout};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use clap_complete::Shell;
use dynamo_entity::export::{StreamConsumer, TableAlarms, UnitPrices, UseCase};
use dynamo_entity::query::DynamicCollection;
use dynamo_entity::schema::TableSchema;
use dynamo_entity::streams::{HandlerError, StreamEvent};
use dynamo_entity::{Dynamo, DynamoCollection, DynamoEntity};

use crate::command::command;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::model::{Environment, Model, ReplayHandler};
use crate::streams::{Streams, Terminals, Unheard, harmless_errors};
use crate::text::visible;
use crate::usage::{known, name_of, said};
use crate::writable::Writable;
use crate::{
    adopt, apply, check, completions, copy, count, delete, explain, export, export_data, fill, get,
    import_data, item, lint, list, parked, plan, put, query, tail, to_s3,
};

/// A command line for the tables of these schemas; see [the crate](crate).
#[derive(Debug, Clone)]
#[must_use = "nothing happens until `.run().await`"]
pub struct App {
    model: Model,
    /// The mistake in the declaration of the program.
    fault: Option<String>,
}

impl App {
    /// A mistake in the tables of a program.
    pub fn new(schemas: impl IntoIterator<Item = TableSchema>) -> Self {
        App {
            model: Model {
                schemas: schemas.into_iter().collect(),
                ..Model::default()
            },
            fault: None,
        }
    }

    /// Adds a collection, which is not part of the schemas: `query` and `count` read its partitions, and exports name
    /// it.
    pub fn collection<C: DynamoCollection>(mut self) -> Self {
        for schema in &mut self.model.schemas {
            if let Ok(more) = schema.clone().with_collection::<C>() {
                *schema = more;
                let table = schema.name.clone();
                let collection = DynamicCollection::of::<C>();
                self.model.collections.push((table, collection));
                return self;
            }
        }
        let fault = "the `App` was not given the table of a collection";
        self.fault.get_or_insert_with(|| fault.to_owned());
        self
    }

    /// Lets `put`, `delete`, `import-data`, `copy` and `fill` write this entity. They behave like the typed verbs, so they need
    /// its type. Without this call, the program only reads.
    pub fn writes<E: DynamoEntity>(mut self) -> Self {
        let writable = Writable::of::<E>();
        let is_known = {
            let mut entities = self.model.entities();
            entities.any(|entity| writable.writes.are_of(entity.entity))
        };
        if !is_known {
            let name = writable.writes.name();
            let fault = format!("`{name}` is in none of the schemas that the `App` was given");
            self.fault.get_or_insert(fault);
        }
        self.model.writable.push(writable);
        self
    }

    /// Adds an environment, such as `production`: its settings of every table, and the safeguards that it demands. `--env`
    /// selects it, for example in `db --env production plan`.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::schema::{Safeguard, TableSchema};
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    ///
    /// fn production(table: TableSchema) -> TableSchema {
    ///     table
    ///         .deletion_protection(true)
    ///         .point_in_time_recovery(35)
    ///         .on_demand_maximum(4_000, 1_000)
    ///         .demand(Safeguard::ALL)
    /// }
    ///
    /// let app = dynamo_entity_cli::App::new([Order::schema()]).environment("production", production);
    /// # assert!(app.command("db").render_long_help().to_string().contains("--env"));
    /// ```
    pub fn environment(
        mut self,
        name: impl Into<String>,
        settings: impl Fn(TableSchema) -> TableSchema + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let mut others = self.model.environments.iter();
        if others.any(|other| other.name == name) {
            let fault = format!("the `App` was given two environments `{name}`");
            self.fault.get_or_insert(fault);
        }
        let environment = Environment::new(name, settings);
        self.model.environments.push(environment);
        self
    }

    /// Lets `fill` write complete fills into the [journal](dynamo_entity::journal), which `check --deployed` compares
    /// with the lock file of the step before. Programs that use the tables should record their starts there.
    pub fn journal(mut self) -> Self {
        self.model.has_journal = true;
        self
    }

    /// Lets `parked replay` call this handler for the parked changes of a consumer of a stream. It may be the function of the
    /// consumer: a parked change is deleted if the result is `Ok`, so return [`complete`] of its response. The command `parked`
    /// exists if the schemas contain that of [`ParkedTable`].
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{BatchResponse, ParkedTable, StreamEvent};
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number))]
    /// # struct Order { number: u32 }
    ///
    /// async fn handle(db: &Dynamo, event: StreamEvent) -> BatchResponse {
    ///     let changes = Order::changes_of(&event).park_after(5, "invoices", db);
    ///     changes.each(async |change| -> Result<()> { Ok(println!("{:?}", change.event)) }).await
    /// }
    ///
    /// let app = dynamo_entity_cli::App::new([Order::schema(), ParkedTable::schema()])
    ///     .replays("invoices", |db, event| async move { handle(&db, event).await.complete() });
    /// # assert!(app.command("db").render_long_help().to_string().contains("parked"));
    /// ```
    ///
    /// [`complete`]: dynamo_entity::streams::BatchResponse::complete
    /// [`ParkedTable`]: dynamo_entity::streams::ParkedTable
    pub fn replays<F, Fut>(mut self, consumer: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Dynamo, StreamEvent) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        let handler = ReplayHandler::new(consumer.into(), handler);
        self.model.replays.push(handler);
        self
    }

    /// Adds a function that follows the stream of one of the tables. `export` writes its event source mapping, filters
    /// and permissions.
    ///
    /// ```
    /// use dynamo_entity::export::{FollowedChange, StreamConsumer, TableAlarms};
    /// use dynamo_entity::prelude::*;
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
    /// # struct Order { number: u32 }
    ///
    /// let invoices = StreamConsumer::new("invoices", Order::schema()).follow("Order", [FollowedChange::Created]);
    /// let app = dynamo_entity_cli::App::new([Order::schema()])
    ///     .consumer(invoices)
    ///     .alarms(TableAlarms::new().notify("arn:aws:sns:eu-west-1:111122223333:on-call"));
    /// # assert!(app.command("db").find_subcommand("export").is_some());
    /// ```
    pub fn consumer(mut self, consumer: StreamConsumer) -> Self {
        let (name, table) = (consumer.name(), &consumer.table().name);
        let mut schemas = self.model.schemas.iter();
        if !schemas.any(|schema| schema.name == *table) {
            let fault = format!(
                "the consumer `{name}` follows table `{table}`, which is in none of the schemas that the `App` was given"
            );
            self.fault.get_or_insert(fault);
        }
        let mut others = self.model.consumers.iter();
        if others.any(|other| other.name() == name) {
            let fault = format!("the `App` was given two consumers `{name}`");
            self.fault.get_or_insert(fault);
        }
        self.model.consumers.push(consumer);
        self
    }

    /// Adds alarms about the tables and the consumers to the templates and configurations that `export` writes.
    pub fn alarms(mut self, alarms: TableAlarms) -> Self {
        self.model.alarms = Some(alarms);
        self
    }

    /// Adds a use case to the document that `export markdown` writes: a question, the operation that answers it, and how often.
    ///
    /// ```
    /// use dynamo_entity::export::{UnitPrices, UseCase};
    /// use dynamo_entity::prelude::*;
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "meters", key(pk = meter))]
    /// # struct MeterStatus { meter: String }
    /// # fn main() -> Result<()> {
    ///
    /// let status = UseCase::new("UC-04", "meter status on the home screen", |db| MeterStatus::key("m").get().explain(db))?;
    /// let app = dynamo_entity_cli::App::new([MeterStatus::schema()])
    ///     .use_case(status.per_day(20_000.0))
    ///     .prices(UnitPrices::new("USD", 0.125, 0.625)); // of a million units
    /// # assert!(app.command("db").find_subcommand("export").is_some());
    /// # Ok(()) }
    /// ```
    pub fn use_case(mut self, case: UseCase) -> Self {
        self.model.use_cases.push(case);
        self
    }

    /// Sets the prices of the use cases.
    pub fn prices(mut self, prices: UnitPrices) -> Self {
        self.model.prices = Some(prices);
        self
    }

    /// The commands, for example to generate manuals.
    pub fn command(&self, name: &str) -> Command {
        command(&self.model, name)
    }

    /// Runs the command that the arguments of the process name. The exit code is 0 if the command succeeded or had
    /// nothing to do, 2 if `plan`, `check` or `lint` found something, and 1 if it failed.
    pub async fn run(self) -> ExitCode {
        // The input is not locked, because an import reads it on another thread.
        let (mut out, mut notes, mut input) =
            (BufWriter::new(stdout()), stderr(), BufReader::new(stdin()));
        let mut streams = Streams {
            out: &mut out,
            notes: &mut notes,
            input: &mut input,
            terminals: Terminals::of_process(),
        };
        let arguments: Vec<OsString> = std::env::args_os().collect();
        self.run_with(arguments, &mut streams).await.into()
    }

    /// Runs a command on other streams.
    pub(crate) async fn run_with(
        &self,
        arguments: Vec<OsString>,
        streams: &mut Streams<'_>,
    ) -> Exit {
        let ended = self.ended(arguments, streams).await;
        ended.unwrap_or_else(|failure| {
            if let Some(message) = failure.message() {
                // If the notes cannot be written either, no stream is left for the message.
                let _ = writeln!(streams.notes, "error: {message}");
            }
            failure.exit()
        })
    }

    async fn ended(
        &self,
        arguments: Vec<OsString>,
        streams: &mut Streams<'_>,
    ) -> Result<Exit, Failure> {
        if let Some(fault) = &self.fault {
            return Err(Failure::said(fault.clone()));
        }
        let name = name_of(&arguments);
        let mut command = self.command(&name);
        // Errors repeat what was typed. If that has characters that a terminal would obey, the error is shown without
        // colours, and such characters are escaped.
        let is_harmless = arguments.iter().all(|argument| {
            let text = argument.to_str();
            text.is_some_and(|text| visible(text) == text)
        });
        let matches = match command.try_get_matches_from_mut(arguments.clone()) {
            Ok(matches) => matches,
            Err(error) => {
                let exit = said(&error, is_harmless, streams)?;
                if error.kind() == ErrorKind::InvalidSubcommand {
                    writeln!(streams.notes, "{}", known(&command, &arguments))?;
                }
                return Ok(exit);
            }
        };
        let harmless = harmless_errors(matches.subcommand_name().unwrap_or_default());
        let mut streams = Streams {
            out: &mut Unheard::new(&mut *streams.out, harmless),
            notes: &mut Unheard::new(&mut *streams.notes, harmless),
            input: &mut *streams.input,
            terminals: streams.terminals,
        };
        let environment = match self.model.environments.is_empty() {
            true => None,
            false => matches.get_one::<String>("env"),
        };
        let model = match environment {
            Some(name) => &self.model.in_environment(name)?,
            None => &self.model,
        };
        let mut context = Context {
            model,
            streams: &mut streams,
            url: matches.get_one::<String>("url").cloned(),
            prefix: matches.get_one::<String>("prefix").cloned(),
            json: matches.get_flag("json"),
        };
        // In a box, because the compiler cannot compute the layout of one future of all commands.
        let ended = Box::pin(run_command(&mut context, &matches, &mut command)).await;
        let flushed = context.streams.out.flush();
        ended.and_then(|exit| Ok(flushed.map(|()| exit)?))
    }
}

async fn run_command(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
    command: &mut Command,
) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("plan", matches)) => plan::run(context, matches).await,
        Some(("apply", matches)) => apply::run(context, matches).await,
        // These two read the tables. The other checks only compare files, without a connection.
        Some(("check", matches)) if matches.contains_id("deployed") => {
            fill::deployed(context, matches).await
        }
        Some(("check", matches)) if matches.get_flag("filled") => {
            fill::check(context, matches).await
        }
        Some(("check", matches)) => check::run(context, matches),
        Some(("fill", matches)) => fill::run(context, matches).await,
        Some(("lint", _)) => lint::run(context),
        Some(("export", matches)) => export::run(context, matches),
        Some(("adopt", matches)) => adopt::run(context, matches).await,
        Some(("get", matches)) => get::run(context, matches).await,
        Some(("item", matches)) => item::run(context, matches).await,
        Some(("query", matches)) => query::run(context, matches).await,
        Some(("count", matches)) => count::run(context, matches).await,
        Some(("list", matches)) => list::run(context, matches).await,
        Some(("export-data", matches)) => export_data::run(context, matches).await,
        Some(("import-data", matches)) => import_data::run(context, matches).await,
        Some(("copy", matches)) => copy::run(context, matches).await,
        Some(("export-to-s3", matches)) => to_s3::start(context, matches).await,
        Some(("export-status", matches)) => to_s3::status(context, matches).await,
        Some(("put", matches)) => put::run(context, matches).await,
        Some(("delete", matches)) => delete::run(context, matches).await,
        Some(("tail", matches)) => tail::run(context, matches).await,
        Some(("parked", matches)) => parked::run(context, matches).await,
        #[cfg(feature = "serve")]
        Some(("serve", matches)) => crate::serve::run(context, matches).await,
        Some(("explain", matches)) => explain::run(context, matches).await,
        Some(("completions", matches)) => {
            if let Some(shell) = matches.get_one::<Shell>("shell") {
                let name = command.get_name().to_owned();
                let script = completions::script(*shell, command, &name);
                context.streams.out.write_all(&script)?;
            }
            Ok(Exit::Done)
        }
        _ => Err(Failure::said(
            "a command is missing: `--help` lists the commands",
        )),
    }
}

#[cfg(test)]
mod tests {
    use dynamo_entity::prelude::*;

    use super::*;

    #[derive(DynamoEntity)]
    #[dynamo(table = "notes", key(pk = owner, sk = number))]
    #[allow(dead_code)]
    struct Note {
        owner: String,
        number: u32,
    }

    async fn said(arguments: &[&str], terminals: Terminals, input: &str) -> (Exit, String, String) {
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            out: &mut out,
            notes: &mut notes,
            input: &mut input.as_bytes(),
            terminals,
        };
        let arguments = ["db", "--url", "embedded:memory"].iter().chain(arguments);
        let app = App::new([Note::schema()]).writes::<Note>();
        let exit = app
            .run_with(arguments.map(OsString::from).collect(), &mut streams)
            .await;
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (exit, text(out), text(notes))
    }

    #[tokio::test]
    async fn terminals_have_colours_unless_they_are_not_wanted() {
        let terminal = Terminals {
            out: true,
            notes: true,
            colours: true,
            ..Terminals::default()
        };
        let plain = Terminals {
            colours: false,
            ..terminal
        };
        for arguments in [&["--help"][..], &["get", "Not"], &["get"]] {
            let (_, out, notes) = said(arguments, terminal, "").await;
            assert!((out + &notes).contains('\u{1b}'), "{arguments:?}");
            let (_, out, notes) = said(arguments, plain, "").await;
            assert!(!(out + &notes).contains('\u{1b}'), "{arguments:?}");
        }
        // What was typed is shown, and does nothing.
        let (_, _, notes) = said(&["get", "\u{1b}[2J"], terminal, "").await;
        assert!(!notes.contains("\u{1b}[2J"), "{notes:?}");
    }

    #[tokio::test]
    async fn a_wrong_declaration_is_told() {
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let mut streams = Streams {
            out: &mut out,
            notes: &mut notes,
            input: &mut &b""[..],
            terminals: Terminals::default(),
        };
        let app = App::new([]).writes::<Note>();
        assert_eq!(
            app.run_with(vec!["db".into(), "lint".into()], &mut streams)
                .await,
            Exit::Failed
        );
        let notes = String::from_utf8(notes).unwrap();
        assert!(
            notes.contains("`Note` is in none of the schemas"),
            "{notes}"
        );
    }

    #[tokio::test]
    async fn a_wrong_consumer_is_reported() {
        let mails = || StreamConsumer::new("mails", Note::schema());
        for (app, words) in [
            (
                App::new([]).consumer(mails()),
                "`mails` follows table `notes`",
            ),
            (
                App::new([Note::schema()])
                    .consumer(mails())
                    .consumer(mails()),
                "two consumers `mails`",
            ),
        ] {
            let (mut out, mut notes) = (Vec::new(), Vec::new());
            let mut streams = Streams {
                out: &mut out,
                notes: &mut notes,
                input: &mut &b""[..],
                terminals: Terminals::default(),
            };
            let arguments = vec!["db".into(), "lint".into()];
            let exit = app.run_with(arguments, &mut streams).await;
            assert_eq!(exit, Exit::Failed);
            let notes = String::from_utf8(notes).unwrap();
            assert!(notes.contains(words), "{notes}");
        }
    }

    #[tokio::test]
    async fn people_are_asked() {
        let people = Terminals {
            notes: true,
            input: true,
            ..Terminals::default()
        };
        for (answer, is_meant) in [("y\n", true), ("n\n", false), ("\n", false), ("", false)] {
            let delete = ["delete", "Note", "ann", "7"];
            let (exit, _, notes) = said(&delete, people, answer).await;
            // Of this engine there is no table, so what is meant fails later.
            assert_eq!(exit, Exit::Failed);
            assert!(
                notes.starts_with("Delete this `Note` for good? [y/N] "),
                "{notes}"
            );
            assert_eq!(notes.contains("does not exist"), is_meant, "{notes}");
        }
        let (exit, ..) = said(&["apply"], people, "y\n").await;
        assert_eq!(exit, Exit::Done);
    }
}
