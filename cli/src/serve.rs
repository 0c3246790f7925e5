//! `serve`: an embedded file behind the protocol of DynamoDB, until the command is interrupted.

use std::env;
use std::io;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use dynamo_entity::ErrorKind;
use dynamo_entity::embedded::{EmbeddedEngine, EmbeddedServer};
use serde_json::json;
use tokio::runtime::Handle;

use crate::context::{Context, check_file};
use crate::exit::Exit;
use crate::failure::Failure;

/// The command.
pub(crate) fn serve_command() -> Command {
    Command::new("serve")
        .about("Serves an embedded file to other programs on this machine, through the protocol of DynamoDB")
        .after_help(format!(
            "The output sets the environment variables by which the AWS command line, the SDKs and this program find the \
             server. Without {}=ID:SECRET, the server creates a random key.",
            KEY_VARIABLE
        ))
        .args([
            Arg::new("path")
                .value_name("PATH")
                .value_parser(NonEmptyStringValueParser::new())
                .help("The file; by default that of `--url embedded:PATH`"),
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .help("The port on 127.0.0.1; by default a free one"),
        ])
}

/// The key of the server as `ID:SECRET`. It is no option, because other users of the machine see those.
pub(crate) const KEY_VARIABLE: &str = "DYNAMO_SERVE_KEY";

/// Serves until Ctrl-C, or until the process is asked to end.
pub(crate) async fn run(
    context: &mut Context<'_, '_>,
    matches: &ArgMatches,
) -> Result<Exit, Failure> {
    let given = given_key()?;
    let (engine, name) = open_engine(context, matches.get_one::<String>("path")).await?;
    let port = matches.get_one::<u16>("port").copied().unwrap_or_default();
    let mut serve = engine.serve().port(port);
    let is_drawn = given.is_none();
    if let Some((id, secret)) = given {
        serve = serve.key(id, secret);
    }
    if Handle::try_current().is_err() {
        return Err(Failure::said(
            "`serve` works only within a Tokio runtime that was built with `enable_all`, for example from `#[tokio::main]`",
        ));
    }
    // The signals are watched before the address is shown, because a script may stop the server as soon as it has that.
    let stopped = signals().map_err(|error| {
        Failure::said(format!(
            "the signals of the process cannot be watched: {error}"
        ))
    })?;
    let server = serve.start().await?;
    context.note(&format!("serving {name} at {} until Ctrl-C", server.url()))?;
    if !is_drawn {
        context.note(&format!("the key is that of {KEY_VARIABLE}"))?;
    }
    let shown = match context.json {
        true => json_text(&server, is_drawn),
        false => shell_text(&server, is_drawn),
    };
    context.write(&shown)?;
    context.streams.out.flush()?;
    stopped.await;
    server.stop().await;
    context.note("stopped")?;
    Ok(Exit::Done)
}

/// The engine, and its name for messages.
async fn open_engine(
    context: &Context<'_, '_>,
    path: Option<&String>,
) -> Result<(EmbeddedEngine, String), Failure> {
    let of_url = context
        .url
        .as_deref()
        .and_then(|url| url.strip_prefix("embedded:"));
    let place = match (path, of_url) {
        // People copy the URL.
        (Some(path), _) => path.strip_prefix("embedded:").unwrap_or(path),
        (None, Some("memory")) => {
            return Ok((
                EmbeddedEngine::memory().await?,
                "an empty database in memory".to_owned(),
            ));
        }
        (None, Some(path)) => path,
        (None, None) => {
            return Err(Failure::said(
                "the file to serve is missing: give its path, or `--url embedded:PATH`; other engines are servers already",
            ));
        }
    };
    check_file(&format!("embedded:{place}"))?;
    match EmbeddedEngine::open(place).await {
        Ok(engine) => Ok((engine, place.to_owned())),
        Err(error) if error.kind() == ErrorKind::Locked => Err(Failure::said(format!(
            "`{place}` is in use by another process. Stop it, or let it serve its own data: with the feature `serve` of \
             dynamo-entity, by `db.serve()?.start().await?`"
        ))),
        Err(error) => Err(error.into()),
    }
}

/// The ID and the secret of the variable, if it is set.
fn given_key() -> Result<Option<(String, String)>, Failure> {
    let Some(given) = env::var_os(KEY_VARIABLE).filter(|given| !given.is_empty()) else {
        return Ok(None);
    };
    let pair = given.to_str().and_then(|given| given.split_once(':'));
    let (id, secret) = pair.ok_or_else(|| {
        Failure::said(format!(
            "{KEY_VARIABLE} must be the ID of a key, a colon and its secret"
        ))
    })?;
    Ok(Some((id.to_owned(), secret.to_owned())))
}

/// The variables as commands of a shell. The secret of a given key is known, so it is not repeated in logs.
fn shell_text(server: &EmbeddedServer, is_drawn: bool) -> String {
    let variables = server.variables().into_iter();
    let lines = variables.map(|(name, value)| match value {
        None => format!("unset {name}\n"),
        Some(_) if name == "AWS_SECRET_ACCESS_KEY" && !is_drawn => {
            format!("export {name}=\"${{{KEY_VARIABLE}#*:}}\"\n")
        }
        Some(value) => format!("export {name}={value}\n"),
    });
    lines.collect()
}

fn json_text(server: &EmbeddedServer, is_drawn: bool) -> String {
    let line = json!({
        "url": server.url(),
        "region": server.region(),
        "access_key_id": server.access_key_id(),
        "secret_access_key": is_drawn.then(|| server.secret_access_key()),
    });
    line.to_string() + "\n"
}

/// Ends when the process is interrupted or asked to end.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()>> {
    use std::future::poll_fn;
    use std::task::Poll;

    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(poll_fn(move |cx| {
        match interrupted.poll_recv(cx).is_ready() || terminated.poll_recv(cx).is_ready() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }))
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without this signal, only the end of the process stops the server.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
