//! One description of the lines of a block for both ways: each fact is told once, and written or read by that.

use std::iter::Peekable;
use std::vec;

use super::blocks::{FileBlock, not_ours};
use super::words::{name, quoted, words};
use crate::error::Result;
use crate::schema::Word;

/// The lines of one level, while they are written or read in their order.
pub(super) enum Facts {
    Written {
        indent: usize,
        lines: Vec<String>,
    },
    /// The facts below a line.
    Read {
        line: usize,
        facts: Peekable<vec::IntoIter<Fact>>,
    },
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

/// A line of a file, and those that belong to it.
pub(super) struct Fact {
    line: usize,
    words: vec::IntoIter<String>,
    below: Vec<Fact>,
}

impl Facts {
    pub(super) fn written() -> Facts {
        let lines = Vec::new();
        Facts::Written { indent: 2, lines }
    }

    pub(super) fn of(block: &FileBlock<'_>) -> Result<Facts> {
        let mut facts: Vec<Fact> = Vec::new();
        for line in &block.facts {
            let words = words(line.text.trim_start()).ok_or_else(|| not_ours(line.number))?;
            let depth = (line.text.len() - line.text.trim_start().len()) / 2;
            // A line belongs to the last line that is one step less deep. A step that is skipped
            // has no such line.
            let mut level = &mut facts;
            for _ in 1..depth {
                level = match level.last_mut() {
                    Some(fact) => &mut fact.below,
                    None => return Err(not_ours(line.number)),
                };
            }
            level.push(Fact {
                line: line.number,
                words: words.into_iter(),
                below: Vec::new(),
            });
        }
        Ok(Facts::below(block.header.number, facts))
    }

    fn below(line: usize, facts: Vec<Fact>) -> Facts {
        let facts = facts.into_iter().peekable();
        Facts::Read { line, facts }
    }

    /// The lines that were written.
    pub(super) fn into_lines(self) -> Vec<String> {
        match self {
            Facts::Written { lines, .. } => lines,
            Facts::Read { .. } => Vec::new(),
        }
    }

    /// Fails if a fact was not read.
    pub(super) fn check_end(&mut self) -> Result<()> {
        match self {
            Facts::Written { .. } => Ok(()),
            Facts::Read { facts, .. } => {
                facts.next().map_or(Ok(()), |fact| Err(not_ours(fact.line)))
            }
        }
    }

    /// A fact that may be missing: a line that begins with this word, and the rest of it.
    pub(super) fn may<T: Default>(
        &mut self,
        word: &str,
        value: &mut Option<T>,
        rest: impl Fn(&mut T, &mut FactLine) -> Result<()>,
    ) -> Result<()> {
        match self {
            Facts::Written { indent, lines } => {
                let Some(value) = value else { return Ok(()) };
                let mut line = FactLine::Written {
                    indent: *indent,
                    text: format!("{:indent$}{word}", "", indent = *indent),
                    below: Vec::new(),
                };
                rest(value, &mut line)?;
                if let FactLine::Written { text, below, .. } = line {
                    lines.push(text);
                    lines.extend(below);
                }
            }
            Facts::Read { facts, .. } => {
                // When it reads, what the caller had in there must not pass for something that was
                // read.
                *value = None;
                let begins = |fact: &Fact| {
                    fact.words
                        .as_slice()
                        .first()
                        .is_some_and(|first| first == word)
                };
                let Some(mut fact) = facts.next_if(begins) else {
                    return Ok(());
                };
                fact.words.next();
                let mut line = FactLine::Read(fact);
                rest(value.insert(T::default()), &mut line)?;
                line.check_end()?;
            }
        }
        Ok(())
    }

    /// A fact that every block of its kind has.
    pub(super) fn must<T: Default>(
        &mut self,
        word: &str,
        value: &mut T,
        rest: impl Fn(&mut T, &mut FactLine) -> Result<()>,
    ) -> Result<()> {
        let mut found = Some(std::mem::take(value));
        self.may(word, &mut found, rest)?;
        match (found, &self) {
            (Some(found), _) => *value = found,
            (None, Facts::Read { line, .. }) => return Err(not_ours(*line)),
            // Cannot occur: writing leaves the value in place.
            (None, Facts::Written { .. }) => {}
        }
        Ok(())
    }

    /// Any number of facts that begin with this word.
    pub(super) fn all<T: Default>(
        &mut self,
        word: &str,
        values: &mut Vec<T>,
        rest: impl Fn(&mut T, &mut FactLine) -> Result<()>,
    ) -> Result<()> {
        // One loop serves both ways: written values end with the list, and read ones with the first
        // line of another word.
        let mut known = std::mem::take(values).into_iter();
        loop {
            let mut value = known.next();
            self.may(word, &mut value, &rest)?;
            match value {
                Some(value) => values.push(value),
                None => return Ok(()),
            }
        }
    }

    /// A fact of one word, which is there or not.
    pub(super) fn flag(&mut self, word: &str, value: &mut bool) -> Result<()> {
        let mut found = value.then_some(());
        self.may(word, &mut found, |(), _| Ok(()))?;
        *value = found.is_some();
        Ok(())
    }
}

impl FactLine {
    /// A name: in quotes only if it needs them.
    pub(super) fn name(&mut self, text: &mut String) -> Result<()> {
        self.pass(text, name)
    }

    /// A text, always in quotes.
    pub(super) fn text(&mut self, text: &mut String) -> Result<()> {
        self.pass(text, quoted)
    }

    /// A value that is one word.
    pub(super) fn word<W: Word>(&mut self, value: &mut W) -> Result<()> {
        let mut word = value.word();
        self.name(&mut word)?;
        *value = W::of_word(&word).ok_or_else(|| self.wrong())?;
        Ok(())
    }

    pub(super) fn number(&mut self, number: &mut u16) -> Result<()> {
        let mut word = number.to_string();
        self.name(&mut word)?;
        *number = word.parse().map_err(|_| self.wrong())?;
        Ok(())
    }

    /// One of two words.
    pub(super) fn either(&mut self, value: &mut bool, [yes, no]: [&str; 2]) -> Result<()> {
        let mut word = if *value { yes } else { no }.to_owned();
        self.name(&mut word)?;
        *value = word == yes;
        match *value || word == no {
            true => Ok(()),
            false => Err(self.wrong()),
        }
    }

    /// A word that says nothing by itself.
    pub(super) fn literal(&mut self, word: &str) -> Result<()> {
        match self {
            FactLine::Written { text, .. } => {
                text.push(' ');
                text.push_str(word);
                Ok(())
            }
            FactLine::Read(fact) => match fact.words.next() {
                Some(found) if found == word => Ok(()),
                _ => Err(self.wrong()),
            },
        }
    }

    /// A value behind a label, or neither.
    pub(super) fn labelled<T: Default>(
        &mut self,
        label: &str,
        value: &mut Option<T>,
        rest: impl Fn(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        if let FactLine::Read(fact) = self {
            // A label has a word behind it. So the last word of a line is never one, not even the template `=` of a
            // key.
            let is_label = matches!(fact.words.as_slice(), [first, _, ..] if first == label);
            *value = is_label.then(T::default);
        }
        match value {
            Some(value) => {
                self.literal(label)?;
                rest(self, value)
            }
            None => Ok(()),
        }
    }

    /// A last word, which is left out while it is the usual one.
    pub(super) fn unusual<W: Word + Default + PartialEq>(&mut self, value: &mut W) -> Result<()> {
        let is_there = match self {
            FactLine::Written { .. } => *value != W::default(),
            FactLine::Read(fact) => fact.words.len() > 0,
        };
        match is_there {
            true => self.word(value),
            false => Ok(()),
        }
    }

    /// The lines that belong to this one.
    pub(super) fn below(&mut self, tell: impl FnOnce(&mut Facts) -> Result<()>) -> Result<()> {
        match self {
            FactLine::Written { indent, below, .. } => {
                let indent = *indent + 2;
                let lines = std::mem::take(below);
                let mut facts = Facts::Written { indent, lines };
                tell(&mut facts)?;
                *below = facts.into_lines();
                Ok(())
            }
            FactLine::Read(fact) => {
                let mut facts = Facts::below(fact.line, std::mem::take(&mut fact.below));
                tell(&mut facts)?;
                facts.check_end()
            }
        }
    }

    /// The line is not as it is written.
    pub(super) fn wrong(&self) -> crate::error::Error {
        match self {
            FactLine::Written { .. } => not_ours(0),
            FactLine::Read(fact) => not_ours(fact.line),
        }
    }

    fn pass(&mut self, value: &mut String, shown: fn(&str) -> String) -> Result<()> {
        match self {
            FactLine::Written { text, .. } => {
                text.push(' ');
                text.push_str(&shown(value));
            }
            FactLine::Read(fact) => {
                *value = fact.words.next().ok_or_else(|| not_ours(fact.line))?
            }
        }
        Ok(())
    }

    /// Fails if a word or a line below was not read.
    fn check_end(&mut self) -> Result<()> {
        match self {
            // A word that a later version added must be an error here. It would be dropped by the
            // next write otherwise.
            FactLine::Read(fact) if fact.words.len() > 0 || !fact.below.is_empty() => {
                Err(self.wrong())
            }
            _ => Ok(()),
        }
    }
}
