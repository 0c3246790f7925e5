//! An embedded file as a server, for the commands of other processes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use dynamo_entity::prelude::*;
use serde_json::Value as Json;

use crate::place::{Outcome, PROGRAM, Place, said};
use crate::shop_admin::{RequestCount, Shop, User};

/// A server in its own process, which is killed if the test fails.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Server {
    /// Asks the process to end, and returns its notes.
    fn stop(mut self) -> Outcome<String> {
        Command::new("kill").arg(self.0.id().to_string()).status()?;
        let mut notes = String::new();
        for line in BufReader::new(self.0.stderr.take().ok_or("a pipe")?).lines() {
            notes += &(line? + "\n");
        }
        assert!(self.0.wait()?.success(), "{notes}");
        Ok(notes)
    }
}

/// Starts `serve`, and reads the lines that it writes at its start.
fn serve(
    place: &Place,
    arguments: &[&str],
    key: Option<&str>,
    count: usize,
) -> Outcome<(Server, Vec<String>)> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .env(PROGRAM, "shop")
        .env_remove("DYNAMO_URL")
        .arg("serve")
        .args(arguments);
    if !arguments.contains(&"--url") {
        command.args(["--url", &place.url]);
    }
    if let Some(key) = key {
        command.env("DYNAMO_SERVE_KEY", key);
    }
    let mut server = Server(
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?,
    );
    let out = BufReader::new(server.0.stdout.take().ok_or("a pipe")?);
    let lines: Vec<String> = out.lines().take(count).collect::<Result<_, _>>()?;
    assert_eq!(lines.len(), count, "{:?}", server.stop());
    Ok((server, lines))
}

fn is_embedded(place: &Place) -> bool {
    // A server that is tested is one already.
    cfg!(unix) && place.url.starts_with("embedded:")
}

pub fn a_file_is_served_to_other_processes(place: &Place) -> Outcome {
    if !is_embedded(place) {
        return Ok(());
    }
    place.typed(async |db| {
        db.create_tables([Shop::schema(), RequestCount::schema()])
            .await?;
        let ann = User {
            user: "ann".into(),
            email: "ann@example.com".into(),
            name: "Ann".into(),
            version: Version::default(),
            created_at: None,
        };
        ann.create().send(db).await.map(drop)
    })?;
    let (server, lines) = serve(place, &["--json"], None, 1)?;
    let told: Json = serde_json::from_str(&lines[0])?;
    let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    let call = |secret: &str, arguments: &[&str]| -> Outcome<_> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(PROGRAM, "shop").env("DYNAMO_URL", text("url"));
        command
            .env("AWS_ACCESS_KEY_ID", text("access_key_id"))
            .env("AWS_SECRET_ACCESS_KEY", secret);
        said(
            command
                .env_remove("AWS_SESSION_TOKEN")
                .args(["--prefix", &place.prefix])
                .args(arguments)
                .output()?,
        )
    };
    let secret = text("secret_access_key");
    let found = call(&secret, &["get", "User", "ann", "--json"])?;
    assert_eq!(found.rows()?[0]["email"], "ann@example.com", "{found:?}");
    let put = r#"{"user": "bob", "email": "bob@example.com", "name": "Bob"}"#;
    assert_eq!(call(&secret, &["put", "User", put])?.code, 0);
    assert_eq!(call(&secret, &["list", "User", "--json"])?.rows()?.len(), 2);
    // Unique values are taken by a transaction.
    let again = call(
        &secret,
        &["put", "User", &put.replace("\"bob\"", "\"eve\"")],
    )?;
    assert_eq!(again.code, 1, "{again:?}");
    let wrong = call(
        &secret.replace(|digit: char| digit.is_ascii_digit(), "x"),
        &["get", "User", "ann"],
    )?;
    assert!(
        wrong.code == 1 && wrong.notes.contains("signature"),
        "{wrong:?}"
    );

    // The file has one process; the message names the way for it.
    place.refused(
        "shop",
        &["serve"],
        &["in use by another process", "db.serve()?.start()"],
    )?;
    let notes = server.stop()?;
    assert!(
        notes.contains("until Ctrl-C") && notes.contains("stopped"),
        "{notes}"
    );
    // It is free again, with the writes of the other processes.
    assert_eq!(
        place
            .done("shop", &["get", "User", "bob", "--json"])?
            .rows()?
            .len(),
        1
    );
    Ok(())
}

pub fn a_server_sets_the_variables_of_a_shell(place: &Place) -> Outcome {
    if !is_embedded(place) {
        return Ok(());
    }
    place.refused("shop", &["serve"], &["there is no file"])?;
    place.refused(
        "shop",
        &["serve", "embedded:missing.db"],
        &["there is no file `missing.db`"],
    )?;
    let path = place.file("empty.db", "")?;
    let key = "team:0123456789abcdef";
    let (server, lines) = serve(place, &[&path, "--port", "0"], Some(key), 12)?;
    assert!(
        lines
            .iter()
            .all(|line| line.starts_with("export ") || line.starts_with("unset AWS_")),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("export DYNAMO_URL=http://127.0.0.1:"))
    );
    assert!(
        lines
            .iter()
            .any(|line| line == "export AWS_ACCESS_KEY_ID=team")
    );
    // The secret was given, so it is not written to a log, but the shell finds it.
    assert!(
        lines
            .iter()
            .any(|line| line == r#"export AWS_SECRET_ACCESS_KEY="${DYNAMO_SERVE_KEY#*:}""#)
    );
    assert!(!lines.concat().contains("0123456789abcdef"));
    server.stop()?;
    let (server, lines) = serve(place, &["--url", "embedded:memory"], None, 12)?;
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("export AWS_SECRET_ACCESS_KEY="))
    );
    server.stop()?;
    for wrong in ["no-colon", "id:short"] {
        let mut command = place.command("shop", &["serve", &path])?;
        let said = said(command.env("DYNAMO_SERVE_KEY", wrong).output()?)?;
        assert_eq!(said.code, 1, "{said:?}");
    }
    Ok(())
}
