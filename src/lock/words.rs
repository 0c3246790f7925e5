//! The words of a line: names as they are, everything else in quotes.

use std::iter::Peekable;
use std::str::Chars;

/// A name as it is, if it needs no quotes.
pub(super) fn name(text: &str) -> String {
    match is_plain(text) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

pub(super) fn is_plain(text: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:$".contains(&byte);
    !text.is_empty() && text.bytes().all(is_fit)
}

/// A text in quotes, on one line, with nothing in it that a review would not show.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            ' '..='~' => quoted.push(character),
            // Letters of any language stay readable in a diff. All else could be invisible, or the
            // end of a line, and is escaped.
            _ if character.is_alphanumeric() => quoted.push(character),
            _ => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(character))),
        }
    }
    quoted.push('"');
    quoted
}

/// The words of a line; `None` if it has a quote without an end, or an escape that no one writes.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let mut characters = line.chars().peekable();
    let mut words = Vec::new();
    while let Some(first) = characters.next_if(|character| *character != ' ') {
        words.push(match first {
            '"' => unquoted(&mut characters)?,
            _ => {
                let mut word = String::from(first);
                while let Some(next) = characters.next_if(|character| *character != ' ') {
                    word.push(next);
                }
                word
            }
        });
        // The library never writes a quote that ends in the middle of a word.
        if characters.next().is_some_and(|between| between != ' ') {
            return None;
        }
    }
    // Two spaces in a row leave something over.
    characters.next().is_none().then_some(words)
}

fn unquoted(characters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(text),
            '\\' => text.push(match characters.next()? {
                'u' => code(characters)?,
                escaped => escaped,
            }),
            character => text.push(character),
        }
    }
}

fn code(characters: &mut Peekable<Chars<'_>>) -> Option<char> {
    characters.next_if_eq(&'{')?;
    let mut digits = String::new();
    loop {
        match characters.next()? {
            '}' => {
                return u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32);
            }
            digit => digits.push(digit),
        }
    }
}
