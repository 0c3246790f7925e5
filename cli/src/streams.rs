//! The streams of a command, and whether a person uses them.

use std::io::{self, BufRead, IsTerminal, Write, stderr, stdin, stdout};

use console::Term;
use indicatif::ProgressBar;

/// The streams of a command.
pub(crate) struct Streams<'s> {
    /// The requested output.
    pub(crate) out: &'s mut (dyn Write + Send),
    /// Additional messages, so that programs can read the output.
    pub(crate) notes: &'s mut (dyn Write + Send),
    pub(crate) input: &'s mut dyn BufRead,
    pub(crate) terminals: Terminals,
}

/// A stream of a command that does not end when its reader closes it.
pub(crate) struct Unheard<'w, W: ?Sized> {
    stream: &'w mut W,
    /// Whether an error of the stream changes nothing.
    is_harmless: fn(&io::Error) -> bool,
}

/// The streams that are terminals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terminals {
    pub(crate) out: bool,
    pub(crate) notes: bool,
    pub(crate) input: bool,
    /// Whether the output may have colours.
    pub(crate) colours: bool,
    /// The number of columns of the output, if it has a limit.
    pub(crate) width: Option<usize>,
}

/// The maximum width of a column on a terminal. Other outputs get all of the text.
const WIDEST: usize = 48;

/// The errors of streams that do not end a command of this name. Commands that read end when no one reads their output.
/// Others go on to the end, because their exit code is a result too.
pub(crate) fn harmless_errors(command: &str) -> fn(&io::Error) -> bool {
    match command {
        "adopt" | "get" | "item" | "query" | "list" | "count" | "tail" | "export"
        | "export-data" | "explain" | "completions" => |_| false,
        "apply" => |_| true,
        _ => |error| error.kind() == io::ErrorKind::BrokenPipe,
    }
}

impl Terminals {
    /// Those of this process. `NO_COLOR` with any content switches colours off.
    pub(crate) fn of_process() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let out = stdout().is_terminal();
        Terminals {
            out,
            notes: stderr().is_terminal(),
            input: stdin().is_terminal(),
            colours: out && !is_set("NO_COLOR") && !is_dumb,
            width: columns_of_output(out),
        }
    }

    /// The width from which a text in a column is cut.
    pub(crate) fn widest_column(&self) -> usize {
        match self.out {
            true => WIDEST,
            false => usize::MAX,
        }
    }
}

/// The variable `COLUMNS`, or else the width of the terminal. Other outputs have no limit, because programs read them.
fn columns_of_output(is_terminal: bool) -> Option<usize> {
    if !is_terminal {
        return None;
    }
    let given = std::env::var("COLUMNS").ok();
    let given = given.and_then(|given| given.parse().ok());
    let of_terminal = || {
        Term::stdout()
            .size_checked()
            .map(|(_, columns)| usize::from(columns))
    };
    given.or_else(of_terminal).filter(|columns| *columns > 0)
}

impl<'w, W: Write + ?Sized> Unheard<'w, W> {
    pub(crate) fn new(stream: &'w mut W, is_harmless: fn(&io::Error) -> bool) -> Self {
        Unheard {
            stream,
            is_harmless,
        }
    }

    fn or<T>(&self, done: io::Result<T>, instead: T) -> io::Result<T> {
        match done {
            // An interruption is no failure: the caller tries again.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if (self.is_harmless)(&error) => Ok(instead),
            done => done,
        }
    }
}

impl<W: Write + ?Sized> Write for Unheard<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.stream.write(bytes);
        self.or(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.stream.flush();
        self.or(done, ())
    }
}

impl Streams<'_> {
    /// A progress bar while the user waits for output. It is hidden if the output goes to a terminal, where the two
    /// would mix.
    pub(crate) fn waiting(&self, message: &'static str) -> ProgressBar {
        if self.terminals.out {
            return ProgressBar::hidden();
        }
        let bar = self.watched();
        bar.set_message(message);
        bar
    }

    /// Progress output during an operation. It exists only if the notes go to a terminal.
    pub(crate) fn watched(&self) -> ProgressBar {
        if !self.terminals.notes {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
        bar
    }

    /// Prompts for confirmation. Without a terminal, the answer is no.
    pub(crate) fn confirm(&mut self, question: &str) -> io::Result<bool> {
        if !(self.terminals.input && self.terminals.notes) {
            return Ok(false);
        }
        write!(self.notes, "{question} [y/N] ")?;
        self.notes.flush()?;
        let mut answer = String::new();
        self.input.read_line(&mut answer)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}
