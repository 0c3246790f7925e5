//! The context of every command.

use clap::ArgMatches;
use dynamo_entity::Dynamo;

use crate::failure::Failure;
use crate::model::Model;
use crate::streams::Streams;

/// The model, the connection, and the streams.
pub(crate) struct Context<'c, 's> {
    pub(crate) model: &'c Model,
    pub(crate) streams: &'c mut Streams<'s>,
    pub(crate) url: Option<String>,
    pub(crate) prefix: Option<String>,
    /// Whether programs read the output.
    pub(crate) json: bool,
}

impl Context<'_, '_> {
    /// Opens the connection.
    pub(crate) async fn connect(&self) -> Result<Dynamo, Failure> {
        let Some(url) = &self.url else {
            return Err(Failure::said(
                "the URL of the tables is missing: pass `--url URL`, or set the environment variable DYNAMO_URL; the URL is aws, aws://REGION, \
                 http://HOST:PORT or embedded:PATH",
            ));
        };
        let db = Dynamo::connect(url).await?;
        Ok(match &self.prefix {
            Some(prefix) => db.with_prefix(prefix),
            None => db,
        })
    }

    pub(crate) fn write(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.streams.out.write_all(text.as_bytes())?)
    }

    /// Writes a note, which is not part of the output.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.streams.notes, "{text}")?)
    }
}

/// The command within a command, which was built from the model.
pub(crate) fn within(matches: &ArgMatches) -> Result<(&str, &ArgMatches), Failure> {
    let found = matches.subcommand();
    found.ok_or_else(|| Failure::said("an argument is missing: `--help` lists the choices"))
}
