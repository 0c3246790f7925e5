//! `completions`: the script with which a shell completes the commands.

use clap::{Arg, Command, value_parser};
use clap_complete::Shell;

/// The command.
pub(crate) fn completions_command() -> Command {
    let shell = Arg::new("shell")
        .required(true)
        .value_parser(value_parser!(Shell));
    Command::new("completions")
        .about("Writes the completion script for a shell")
        .arg(shell)
}

/// The script of a shell for the program of this name.
pub(crate) fn script(shell: Shell, command: &mut Command, name: &str) -> Vec<u8> {
    // `generate` panics if it cannot write, so it writes to memory.
    let mut script = Vec::new();
    if shell != Shell::Bash {
        clap_complete::generate(shell, command, name, &mut script);
        return script;
    }
    // For bash, clap makes names of functions out of the name of the program, and replaces dashes in two different
    // ways, so that the functions are not found. The script itself works with any name, so only the line that registers
    // it gets the real one.
    let plain: String = name.chars().map(plain_letter).collect();
    clap_complete::generate(shell, command, &plain, &mut script);
    let text = String::from_utf8_lossy(&script);
    let lines = text.lines().map(|line| registered(line, &plain, name));
    (lines.collect::<Vec<_>>().join("\n") + "\n").into_bytes()
}

fn plain_letter(letter: char) -> char {
    match letter.is_ascii_alphanumeric() {
        true => letter,
        false => '_',
    }
}

/// Replaces the name in the line that registers the program.
fn registered(line: &str, plain: &str, name: &str) -> String {
    let is_registration = line.trim_start().starts_with("complete -F ");
    let front = line.strip_suffix(plain).filter(|_| is_registration);
    match front {
        Some(front) => format!("{front}'{}'", name.replace('\'', r"'\''")),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::registered;

    #[test]
    fn a_program_is_registered_by_its_own_name() {
        let line = "    complete -F _my_db -o bashdefault -o default my_db";
        assert_eq!(
            registered(line, "my_db", "my-db"),
            "    complete -F _my_db -o bashdefault -o default 'my-db'"
        );
        assert_eq!(registered("  my_db", "my_db", "my-db"), "  my_db");
        assert!(registered(line, "my_db", "a'b").ends_with(r"'a'\''b'"));
    }
}
