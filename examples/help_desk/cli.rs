//! The same help desk on the command line.

use clap::{Parser, Subcommand};
use dynamo_entity::prelude::*;

use super::desk::{Desk, NewTicket, Outcome, sign_up};
use super::model::Status;

#[derive(Debug, Parser)]
pub struct Cli {
    #[arg(long, env = "DYNAMO_URL", default_value = "embedded:help_desk.db")]
    pub url: String,
    #[arg(long, default_value = "acme")]
    pub tenant: String,
    #[arg(long, default_value = "ann")]
    pub agent: String,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answers requests over HTTP.
    Serve {
        #[arg(default_value = "127.0.0.1:3000")]
        address: String,
    },
    /// Makes the tenant, with its first agent.
    SignUp {
        name: String,
        email: String,
    },
    /// Prints a token for requests.
    LogIn,
    Open(NewTicket),
    Queue {
        #[arg(value_enum, default_value = "new")]
        status: Status,
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

pub async fn run(db: Dynamo, cli: Cli) -> Outcome {
    let desk = Desk::of(&db, &cli.tenant, &cli.agent);
    match cli.command {
        Command::Serve { .. } => {}
        Command::SignUp { name, email } => {
            drop(sign_up(&db, &cli.tenant, &name, &cli.agent, &email).await?)
        }
        Command::LogIn => println!("{}", desk.log_in().await?),
        Command::Open(new) => println!("{}", desk.open(&new).await?),
        Command::Queue { status } => {
            for ticket in desk.queue(status).limit(20).all(&db).await? {
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
