//! The context of every command.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

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
    /// Opens the connection to tables that exist. A file that does not exist is an error, because only `apply` creates one.
    pub(crate) async fn connect(&self) -> Result<Dynamo, Failure> {
        check_file(self.url()?)?;
        self.connect_or_create().await
    }

    /// Opens the connection, and creates the file of an embedded engine.
    pub(crate) async fn connect_or_create(&self) -> Result<Dynamo, Failure> {
        self.open(self.url()?).await
    }

    /// Whether the connection would create the file of an embedded engine.
    pub(crate) fn has_missing_file(&self) -> bool {
        self.url.as_deref().and_then(missing_file).is_some()
    }

    /// Opens the connection for a command that changes nothing. A file that does not exist is like one without tables.
    pub(crate) async fn connect_or_empty(&self) -> Result<Dynamo, Failure> {
        let url = self.url()?;
        let url = missing_file(url).map_or(url, |_| "embedded:memory");
        self.open(url).await
    }

    fn url(&self) -> Result<&str, Failure> {
        self.url.as_deref().ok_or_else(|| {
            Failure::said(
                "the URL of the tables is missing: pass `--url URL`, or set the environment variable DYNAMO_URL; the URL is aws, aws://REGION, \
                 http://HOST:PORT or embedded:PATH",
            )
        })
    }

    async fn open(&self, url: &str) -> Result<Dynamo, Failure> {
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

/// The first bytes of the file of an embedded database.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Returns an error if the URL names a file that does not exist, or one that is not a database. Otherwise a wrong path would be
/// an empty database, or the library would create a lock file beside the file of another program.
pub(crate) fn check_file(url: &str) -> Result<(), Failure> {
    if let Some(path) = missing_file(url) {
        return Err(Failure::said(format!(
            "there is no file `{path}`: `apply --url embedded:{path}` creates it with its tables"
        )));
    }
    match url
        .strip_prefix("embedded:")
        .filter(|path| is_foreign(path))
    {
        None => Ok(()),
        Some(path) => Err(Failure::said(format!(
            "`{path}` is no database of the embedded engine: name another file"
        ))),
    }
}

/// Whether another program has written the file. An empty file becomes a database.
fn is_foreign(path: &str) -> bool {
    let file = File::open(path).ok().filter(|_| Path::new(path).is_file());
    let mut begin = Vec::new();
    let read = file.map(|file| file.take(DATABASE.len() as u64).read_to_end(&mut begin));
    matches!(read, Some(Ok(_))) && !begin.is_empty() && begin != DATABASE
}

/// Whether both URLs name the same file, even by different paths. A file can be opened only once.
pub(crate) fn is_same_file(one: &str, other: &str) -> bool {
    let path = |url: &str| {
        Path::new(url.strip_prefix("embedded:")?)
            .canonicalize()
            .ok()
    };
    path(one).is_some_and(|one| path(other) == Some(one))
}

/// The path in the URL, if no file has it. A URL of another form is left to the library, which explains what is wrong.
fn missing_file(url: &str) -> Option<&str> {
    let path = url.strip_prefix("embedded:")?;
    let is_path = !path.is_empty()
        && !path.starts_with("//")
        && !path.contains('?')
        && !path.trim_matches(':').eq_ignore_ascii_case("memory");
    (is_path && !Path::new(path).exists()).then_some(path)
}

/// The command within a command, which was built from the model.
pub(crate) fn within(matches: &ArgMatches) -> Result<(&str, &ArgMatches), Failure> {
    let found = matches.subcommand();
    found.ok_or_else(|| Failure::said("an argument is missing: `--help` lists the choices"))
}
