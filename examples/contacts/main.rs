//! A book of contacts on the command line. It is a template for programs around an entity.
//!
//!     cargo run --example contacts -- create ann --name "Ann Lee" --tag friend
//!     cargo run --example contacts -- update ann --email ann@example.com --if-version 1
//!     cargo run --example contacts -- list --tag friend --limit 20
//!     cargo run --example contacts -- export contacts.jsonl
//!     cargo run --example contacts -- help
//!
//! It keeps the contacts in `contacts.db` in the current folder, or in the database that `--url` or `DYNAMO_URL`
//! selects.

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use clap::Parser;
use dynamo_entity::prelude::*;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{fmt, registry};

pub mod cli;
mod commands;
mod failure;
mod pages;
mod transfer;

use cli::{Cli, Command};
pub use failure::{Exit, Failure};

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "contact", key(pk = "BOOK#{book}", sk = handle), repository)]
pub struct Contact {
    pub book: String,
    pub handle: String,
    pub name: String,
    pub email: Option<String>,
    // A contact has a few tags.
    #[dynamo(allow(growing_attribute))]
    pub tags: BTreeSet<String>,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(created_at)]
    pub created_at: Option<DateTime<Utc>>,
    #[dynamo(updated_at)]
    pub updated_at: Option<DateTime<Utc>>,
}

/// What every command is given. It holds only a trait object and two writers, so that tests can run commands
/// directly.
pub struct App<'a> {
    pub contacts: Arc<dyn ContactRepository>,
    pub book: String,
    /// Takes the results of the command.
    pub out: &'a mut dyn io::Write,
    /// Takes the messages for a person.
    pub notes: &'a mut dyn io::Write,
}

pub async fn run(app: &mut App<'_>, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(card) => commands::create(app, card.into()).await,
        Command::Get { handle } => commands::get(app, &handle).await,
        Command::List(list) => commands::list(app, list).await,
        Command::Update(update) => commands::update(app, update).await,
        Command::Delete(delete) => commands::delete(app, delete).await,
        Command::Export { file } => transfer::export(app, &file).await,
        Command::Import(import) => transfer::import(app, import).await,
    }
}

async fn open(url: &str, prefix: &str) -> Result<Dynamo> {
    let db = Dynamo::connect(url).await?.with_prefix(prefix);
    db.create_tables([Contact::schema()]).await?;
    Ok(db)
}

async fn start(cli: Cli) -> Result<(), Failure> {
    let db = open(&cli.url, &cli.prefix).await?;
    tracing::info!(?db, book = cli.book, "open");
    let mut app = App {
        contacts: Arc::new(db),
        book: cli.book,
        out: &mut io::stdout(),
        notes: &mut io::stderr(),
    };
    run(&mut app, cli.command).await
}

/// The log goes to the standard error. It shows warnings, and with `-v` more of this program. `-vv` and
/// `-vvv` show more of the SDK too, but never all, because that would show stored values.
fn log(verbose: u8) {
    let (ours, others) = match verbose {
        0 => (Level::WARN, Level::WARN),
        1 => (Level::INFO, Level::WARN),
        2 => (Level::DEBUG, Level::INFO),
        _ => (Level::TRACE, Level::DEBUG),
    };
    let levels = Targets::new().with_default(others);
    let levels = levels.with_target(env!("CARGO_CRATE_NAME"), ours);
    let log = fmt::layer().with_writer(io::stderr);
    registry().with(log.with_filter(levels)).init();
}

#[tokio::main]
async fn main() -> ExitCode {
    // A wrong command line ends the program here, with a message and the exit code 2.
    let cli = Cli::parse();
    log(cli.verbose);
    match start(cli).await {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            if let Some(message) = failure.message() {
                eprintln!("error: {message}");
            }
            tracing::debug!(?failure, "failed");
            failure.exit().into()
        }
    }
}
