//! One description of the lines of a block for both directions: it lists each fact once, to write it and to read it.
//!
//! Reading takes the words that it expects and rejects nothing. Then the result is written again, and must be the same
//! lines.

use std::iter::Peekable;
use std::{slice, vec};

use super::blocks::{FileBlock, FileLine};
use super::words::{name, quoted, words};
use crate::schema::Word;

/// The lines of one level, while they are written or read in their order.
pub(super) enum Facts {
    Written { indent: usize, lines: Vec<String> },
    Read(Peekable<vec::IntoIter<Fact>>),
}

/// The words of a line, while they are written or read in their order.
pub(super) enum FactLine {
    Written {
        indent: usize,
        text: String,
        below: Vec<String>,
    },
    Read(Fact),
}

/// A line of a file, and the lines that belong to it.
pub(super) struct Fact {
    words: vec::IntoIter<String>,
    below: Vec<Fact>,
}

/// Takes the lines with at least this indentation. A line belongs to the last line before it with a smaller one.
fn facts(lines: &mut Peekable<slice::Iter<'_, FileLine<'_>>>, least: usize) -> Vec<Fact> {
    let mut found = Vec::new();
    let depth = |text: &str| (text.len() - text.trim_start().len()) / 2;
    while let Some(line) = lines.next_if(|line| depth(line.text) >= least) {
        let words = words(line.text.trim_start()).unwrap_or_default();
        found.push(Fact {
            words: words.into_iter(),
            below: facts(lines, least + 1),
        });
    }
    found
}

impl Facts {
    pub(super) fn of(block: &FileBlock<'_>) -> Facts {
        let facts = facts(&mut block.facts.iter().peekable(), 1);
        Facts::Read(facts.into_iter().peekable())
    }

    /// The lines of these facts.
    pub(super) fn lines(indent: usize, tell: impl FnOnce(&mut Facts)) -> Vec<String> {
        let lines = Vec::new();
        let mut facts = Facts::Written { indent, lines };
        tell(&mut facts);
        match facts {
            Facts::Written { lines, .. } => lines,
            Facts::Read(_) => Vec::new(),
        }
    }

    /// A fact that may be missing: a line that begins with this word, and the rest of it.
    pub(super) fn may<T: Default>(
        &mut self,
        word: &str,
        value: &mut Option<T>,
        rest: impl Fn(&mut FactLine, &mut T),
    ) {
        match self {
            Facts::Written { indent, lines } => {
                let Some(value) = value else { return };
                let mut line = FactLine::Written {
                    indent: *indent,
                    text: format!("{:indent$}{word}", "", indent = *indent),
                    below: Vec::new(),
                };
                rest(&mut line, value);
                if let FactLine::Written { text, below, .. } = line {
                    lines.push(text);
                    lines.extend(below);
                }
            }
            Facts::Read(facts) => {
                // When it reads, what the caller had in there must not pass for something that was
                // read.
                *value = None;
                let begins =
                    |fact: &Fact| fact.words.as_slice().first().is_some_and(|it| it == word);
                if let Some(mut fact) = facts.next_if(begins) {
                    fact.words.next();
                    rest(&mut FactLine::Read(fact), value.insert(T::default()));
                }
            }
        }
    }

    /// A fact that every block of its kind has.
    pub(super) fn must<T: Default>(
        &mut self,
        word: &str,
        value: &mut T,
        rest: impl Fn(&mut FactLine, &mut T),
    ) {
        let mut found = Some(std::mem::take(value));
        self.may(word, &mut found, rest);
        *value = found.unwrap_or_default();
    }

    /// Any number of facts that begin with this word.
    pub(super) fn all<T: Default>(
        &mut self,
        word: &str,
        values: &mut Vec<T>,
        rest: impl Fn(&mut FactLine, &mut T),
    ) {
        // One loop serves both ways: written values end with the list, and read ones with the first
        // line of another word.
        let mut known = std::mem::take(values).into_iter();
        loop {
            let mut value = known.next();
            self.may(word, &mut value, &rest);
            match value {
                Some(value) => values.push(value),
                None => return,
            }
        }
    }

    /// A fact of one word, which is there or not.
    pub(super) fn flag(&mut self, word: &str, value: &mut bool) {
        let mut found = value.then_some(());
        self.may(word, &mut found, |_, ()| {});
        *value = found.is_some();
    }
}

impl FactLine {
    /// A name: in quotes only if it needs them.
    pub(super) fn name(&mut self, text: &mut String) {
        self.pass(text, name);
    }

    /// A text, always in quotes.
    pub(super) fn text(&mut self, text: &mut String) {
        self.pass(text, quoted);
    }

    /// A value that is one word.
    pub(super) fn word<W: Word>(&mut self, value: &mut W) {
        let mut word = value.word();
        self.name(&mut word);
        if let Some(read) = W::of_word(&word) {
            *value = read;
        }
    }

    /// One of two words.
    pub(super) fn either(&mut self, value: &mut bool, [yes, no]: [&str; 2]) {
        let mut word = if *value { yes } else { no }.to_owned();
        self.name(&mut word);
        *value = word == yes;
    }

    /// A word that says nothing by itself.
    pub(super) fn literal(&mut self, word: &str) {
        self.pass(&mut word.to_owned(), str::to_owned);
    }

    /// A value behind a label, or neither.
    pub(super) fn labelled<T: Default>(
        &mut self,
        label: &str,
        value: &mut Option<T>,
        rest: impl Fn(&mut Self, &mut T),
    ) {
        if let FactLine::Read(fact) = self {
            // A label has a word behind it. So the last word of a line is never one, not even the template `=` of a
            // key.
            let is_label = matches!(fact.words.as_slice(), [first, _, ..] if first == label);
            *value = is_label.then(T::default);
        }
        if let Some(value) = value {
            self.literal(label);
            rest(self, value);
        }
    }

    /// A last word, which is left out while it is the usual one.
    pub(super) fn unusual<W: Word + Default + PartialEq>(&mut self, value: &mut W) {
        let is_there = match self {
            FactLine::Written { .. } => *value != W::default(),
            FactLine::Read(fact) => fact.words.len() > 0,
        };
        if is_there {
            self.word(value);
        }
    }

    /// The lines that belong to this one.
    pub(super) fn below(&mut self, tell: impl FnOnce(&mut Facts)) {
        match self {
            FactLine::Written { indent, below, .. } => *below = Facts::lines(*indent + 2, tell),
            FactLine::Read(fact) => {
                let facts = std::mem::take(&mut fact.below).into_iter();
                tell(&mut Facts::Read(facts.peekable()));
            }
        }
    }

    fn pass(&mut self, value: &mut String, shown: fn(&str) -> String) {
        match self {
            FactLine::Written { text, .. } => {
                text.push(' ');
                text.push_str(&shown(value));
            }
            FactLine::Read(fact) => *value = fact.words.next().unwrap_or_default(),
        }
    }
}
