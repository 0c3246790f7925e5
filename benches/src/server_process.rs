//! `bin/server` as a process of its own: what it does is nobody's work.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

pub struct ServerProcess {
    process: Child,
    said: BufReader<ChildStdout>,
    pub address: String,
    /// As PEM, where there is TLS.
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

    /// From now on its answers wait.
    pub fn close_gate(&mut self) {
        self.tell("close");
        // It has listened when it answers.
        self.waiting();
    }

    pub fn open_gate(&mut self) {
        self.tell("open");
    }

    /// So many answers wait.
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

/// The program of this name that was built with this one.
pub fn beside_this(name: &str) -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.with_file_name(name)
}
