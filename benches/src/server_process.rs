//! Runs `bin/server` as a process of its own, so that its work is not counted for any side.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

pub struct ServerProcess {
    process: Child,
    said: BufReader<ChildStdout>,
    pub address: String,
    /// The certificate as PEM, if the server uses TLS.
    pub certificate: Option<String>,
}

impl ServerProcess {
    pub fn start(program: &Path, arguments: &[&str]) -> Self {
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server; build all programs with `cargo build --release --bins`");
        let said = BufReader::new(process.stdout.take().expect("its output"));
        let mut server = ServerProcess {
            process,
            said,
            address: String::new(),
            certificate: None,
        };
        server.address = server.line();
        if server.address.starts_with("https:") {
            let mut certificate = String::new();
            while !certificate.contains("-----END") {
                certificate = certificate + &server.line() + "\n";
            }
            server.certificate = Some(certificate);
        }
        server
    }

    /// Makes the answers of the server wait from now on.
    pub fn close_gate(&mut self) {
        self.tell("close");
        // The server has obeyed once it answers this.
        self.waiting();
    }

    pub fn open_gate(&mut self) {
        self.tell("open");
    }

    /// How many answers are waiting.
    pub fn waiting(&mut self) -> usize {
        self.tell("waiting");
        self.line().parse().expect("a number")
    }

    fn tell(&mut self, what: &str) {
        let input = self.process.stdin.as_mut().expect("its input");
        writeln!(input, "{what}").expect("it listens");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("its output");
        assert!(line.ends_with('\n'), "the server has ended");
        line.trim_end().to_owned()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The path of a program that was built together with this one.
pub fn beside_this(name: &str) -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.with_file_name(name)
}
