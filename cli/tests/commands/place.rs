//! Where the commands of one test work, and what they said.

use std::error::Error;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use dynamo_entity::Dynamo;
use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// The variable that names the program that the process is to be.
pub const PROGRAM: &str = "COMMANDS_PROGRAM";

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub fn runtime() -> Runtime {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    runtime.expect("a runtime")
}

/// Tables that no other test uses.
pub struct Place {
    folder: TempDir,
    pub url: String,
    pub prefix: String,
}

/// What a command said.
#[derive(Debug, PartialEq)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub notes: String,
}

impl Place {
    pub fn open() -> Outcome<Place> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir()?;
        let url = match std::env::var("DYNAMO_URL") {
            Ok(url) if !url.is_empty() => url,
            _ => format!("embedded:{}", folder.path().join("tables.db").display()),
        };
        let micros = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Place {
            folder,
            url,
            prefix: format!("cli{micros:x}-{next}"),
        })
    }

    pub fn file(&self, name: &str, content: &str) -> Outcome<String> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content)?;
        Ok(path.display().to_string())
    }

    /// Does something by typed calls. A file has one process at a time, so the connection ends with it.
    pub fn typed<T>(
        &self,
        work: impl AsyncFnOnce(&Dynamo) -> dynamo_entity::Result<T>,
    ) -> Outcome<T> {
        let done = runtime().block_on(async {
            let db = Dynamo::connect(&self.url).await?.with_prefix(&self.prefix);
            work(&db).await
        });
        Ok(done?)
    }

    pub fn command(&self, program: &str, arguments: &[&str]) -> Outcome<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(PROGRAM, program).env_remove("NO_COLOR");
        command
            .env_remove("DYNAMO_URL")
            .args(["--url", &self.url, "--prefix", &self.prefix]);
        command.args(arguments).stdin(Stdio::null());
        Ok(command)
    }

    pub fn run(&self, program: &str, arguments: &[&str]) -> Outcome<Said> {
        said(self.command(program, arguments)?.output()?)
    }

    /// A command of the shop.
    pub fn shop(&self, arguments: &[&str]) -> Outcome<Said> {
        self.run("shop", arguments)
    }

    /// A command that has to succeed.
    pub fn done(&self, program: &str, arguments: &[&str]) -> Outcome<Said> {
        let said = self.run(program, arguments)?;
        match said.code {
            0 => Ok(said),
            _ => Err(format!("{arguments:?}: {said:?}").into()),
        }
    }

    /// A command that has to fail, with all of these words.
    pub fn refused(&self, program: &str, arguments: &[&str], words: &[&str]) -> Outcome {
        let said = self.run(program, arguments)?;
        if said.code != 1 || !words.iter().all(|word| said.notes.contains(word)) {
            return Err(format!("{arguments:?}: wanted {words:?}, and it said {said:?}").into());
        }
        Ok(())
    }

    /// A command that reads its input.
    pub fn given(&self, program: &str, arguments: &[&str], input: &str) -> Outcome<Said> {
        let mut command = self.command(program, arguments)?;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        child
            .stdin
            .take()
            .ok_or("a pipe")?
            .write_all(input.as_bytes())?;
        said(child.wait_with_output()?)
    }
}

pub fn said(output: Output) -> Outcome<Said> {
    Ok(Said {
        code: output.status.code().ok_or("a code")?,
        out: String::from_utf8(output.stdout)?,
        notes: String::from_utf8(output.stderr)?,
    })
}

impl Said {
    /// The rows of JSON.
    pub fn rows(&self) -> Outcome<Vec<Json>> {
        let rows = self.out.lines().map(serde_json::from_str);
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The cursor behind this word.
    pub fn cursor(&self, what: &str) -> Option<&str> {
        let start = format!("{what}: --cursor ");
        self.notes
            .lines()
            .find_map(|line| line.strip_prefix(&start))
    }
}
