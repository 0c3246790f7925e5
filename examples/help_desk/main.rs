//! A help desk for many tenants, over HTTP and on the command line. It is a template for services of many entities.
//!
//! ```sh
//! cargo run --example help_desk -- sign-up "Acme Ltd" ann@acme.example
//! cargo run --example help_desk -- open bob@customer.example "It does not start" "There is smoke." --priority urgent
//! cargo run --example help_desk -- queue
//! token=$(cargo run --example help_desk -- log-in)
//! cargo run --example help_desk -- serve
//! curl localhost:3000/tickets?status=new -H "Authorization: Bearer $token"
//! ```

use std::process::ExitCode;

use clap::Parser;

pub mod api;
pub mod cli;
pub mod desk;
pub mod jobs;
pub mod model;

#[tokio::main]
async fn main() -> ExitCode {
    match cli::run(cli::Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
