//! The same help desk on the command line.

use std::error::Error;

use clap::{Parser, Subcommand};
use dynamo_entity::{Dynamo, DynamoTable, QueryExt};

use super::api;
use super::desk::{Desk, NewTicket};
use super::model::{HelpDesk, Status};

#[derive(Debug, Parser)]
pub struct Cli {
    #[arg(long, default_value = "acme")]
    pub tenant: String,
    #[arg(long, default_value = "ann")]
    pub agent: String,
    #[arg(long, default_value = "127.0.0.1:3000")]
    pub address: String,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answers requests over HTTP.
    Serve,
    /// Makes the tenant, with its first agent.
    SignUp {
        name: String,
        email: String,
    },
    /// Prints a token for requests.
    LogIn,
    Open(NewTicket),
    /// Prints the tickets to take next: the new ones, or those of another status.
    Queue {
        status: Option<Status>,
    },
    Report,
    /// Moves all comments of a ticket into another one. It may be run again after a crash.
    Merge {
        from: u64,
        into: u64,
    },
    /// Takes away what a customer has written, and the customer.
    Erase {
        email: String,
    },
}

pub async fn run(cli: Cli) -> Result<(), Box<dyn Error>> {
    let db = Dynamo::from_env_or("embedded:help_desk.db").await?;
    let db = db.with_prefix("example");
    db.create_tables([HelpDesk::schema()]).await?;
    let desk = Desk::of(&db, &cli.tenant, &cli.agent);
    match cli.command {
        Command::Serve => {
            let listener = tokio::net::TcpListener::bind(cli.address).await?;
            axum::serve(listener, api::router(db)).await?;
        }
        Command::SignUp { name, email } => desk.sign_up(&name, &email).await?,
        Command::LogIn => println!("{}", desk.log_in().await?),
        Command::Open(new) => println!("{}", desk.open(&new).await?),
        Command::Queue { status } => {
            let queue = desk.queue(status.unwrap_or(Status::New)).limit(20);
            for ticket in queue.all(&db).await? {
                println!("{} {:?} {}", ticket.ticket, ticket.priority, ticket.subject);
            }
        }
        Command::Report => {
            for tally in desk.tallies().all(&db).await? {
                println!("{:?} {}", tally.status, tally.tickets);
            }
        }
        Command::Merge { from, into } => desk.merge(from, into).await?,
        Command::Erase { email } => desk.erase(&email).await?,
    }
    Ok(())
}
