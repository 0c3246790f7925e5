//! A help desk for many tenants, over HTTP and on the command line. It is a template for services of many entities.
//!
//!     cargo run --example help_desk -- sign-up "Acme Ltd" ann@acme.example
//!     cargo run --example help_desk -- open bob@customer.example "It does not start" "There is smoke." --priority urgent
//!     cargo run --example help_desk -- queue
//!     cargo run --example help_desk -- serve
//!     curl localhost:3000/tickets?status=new -H "Authorization: Bearer $(cargo run --example help_desk -- log-in)"

use std::process::ExitCode;

use clap::Parser;
use dynamo_entity::{Dynamo, DynamoTable};

pub mod api;
pub mod cli;
pub mod desk;
pub mod jobs;
pub mod model;

use cli::{Cli, Command};
use desk::Outcome;

async fn start(cli: Cli) -> Outcome {
    let db = Dynamo::connect(&cli.url).await?.with_prefix("example");
    db.create_tables([model::HelpDesk::schema()]).await?;
    if let Command::Serve { address } = &cli.command {
        let listener = tokio::net::TcpListener::bind(address).await;
        let listener = listener.map_err(|_| desk::DeskError::Refused("the address is taken"))?;
        let served = axum::serve(listener, api::router(db)).await;
        return served.map_err(|_| desk::DeskError::Refused("the connection was closed"));
    }
    cli::run(db, cli).await
}

#[tokio::main]
async fn main() -> ExitCode {
    match start(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
