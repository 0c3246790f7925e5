//! What the command line takes. The comments are the text of `--help`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgAction, Args, Parser, Subcommand};
use dynamo_entity::Cursor;

use super::transfer::Card;

/// Keeps contacts in DynamoDB, or in a file.
#[derive(Debug, Parser)]
#[command(name = "contacts", after_help = EXITS)]
pub struct Cli {
    /// Where the contacts are: embedded:PATH, embedded:memory, http://HOST:PORT, aws or aws://REGION.
    #[arg(
        long,
        global = true,
        env = "DYNAMO_URL",
        default_value = "embedded:contacts.db"
    )]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub url: String,

    /// The prefix of the table's name.
    #[arg(
        long,
        global = true,
        env = "CONTACTS_PREFIX",
        default_value = "example"
    )]
    pub prefix: String,

    /// The book that the command works on.
    #[arg(long, global = true, default_value = "main")]
    pub book: String,

    /// Logs more to the standard error; -vv and -vvv log still more.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,

    #[command(subcommand)]
    pub command: Command,
}

const EXITS: &str = "Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 4 conflict, \
    5 not available (try again later), 6 some lines were not imported";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Adds a contact that does not exist yet
    Create(Create),
    /// Shows one contact
    Get { handle: String },
    /// Shows contacts in the order of their handles
    List(List),
    /// Changes a contact
    Update(Update),
    /// Removes a contact
    Delete(Delete),
    /// Writes all contacts of the book to a file, a line of JSON for each; `-` is the standard output
    Export { file: PathBuf },
    /// Adds the contacts of such a file; an import that was stopped can be run again
    Import(Import),
}

#[derive(Debug, Args)]
pub struct Create {
    pub handle: String,
    #[arg(long)]
    pub name: String,
    #[arg(long)]
    pub email: Option<String>,
    /// May be given several times.
    #[arg(long = "tag")]
    pub tags: Vec<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Lists only handles that begin with this.
    #[arg(long)]
    pub starts_with: Option<String>,
    /// Lists only contacts with this tag.
    #[arg(long)]
    pub tag: Option<String>,
    /// How many contacts are listed at once.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub limit: u16,
    /// Goes on where an earlier list ended.
    #[arg(long)]
    pub cursor: Option<Cursor>,
    /// Lists all pages.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Update {
    pub handle: String,
    #[command(flatten)]
    pub changes: Changes,
    /// Changes the contact only if it has this version.
    #[arg(long)]
    pub if_version: Option<u64>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct Changes {
    #[arg(long)]
    pub name: Option<String>,
    #[arg(long)]
    pub email: Option<String>,
    #[arg(long, conflicts_with = "email")]
    pub no_email: bool,
    /// Adds a tag; may be given several times.
    #[arg(long = "tag", conflicts_with = "untag")]
    pub tags: Vec<String>,
    /// Takes a tag away; may be given several times.
    #[arg(long)]
    pub untag: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Delete {
    pub handle: String,
    /// Removes the contact only if it has this version.
    #[arg(long)]
    pub if_version: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The file to import; `-` is the standard input.
    pub file: PathBuf,
    /// Replaces existing contacts that differ, instead of reporting them.
    #[arg(long)]
    pub replace: bool,
    /// How many writes run at the same time.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
}

impl From<Create> for Card {
    fn from(create: Create) -> Self {
        Card {
            handle: create.handle,
            name: create.name,
            email: create.email,
            tags: create.tags.into_iter().collect(),
        }
    }
}
