//! `completions`: what a shell needs to complete the commands.

use clap::Command;
use clap_complete::Shell;

/// The script of a shell for the program of this name.
pub(crate) fn script(shell: Shell, command: &mut Command, name: &str) -> Vec<u8> {
    // It panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    if shell != Shell::Bash {
        clap_complete::generate(shell, command, name, &mut script);
        return script;
    }
    // For bash, a name becomes part of the names of its commands, and dashes do so in two ways, so that none is found. The
    // script knows the program by what was typed, and its name is needed only where it is registered.
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

/// A line that registers the program, by its own name.
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
