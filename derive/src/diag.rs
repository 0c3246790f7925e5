//! Collects mistakes, so that one run of the compiler shows all of them.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// The mistakes found in one item, in the order they were found.
pub(crate) struct Diag {
    mistakes: RefCell<Vec<Error>>,
}

impl Diag {
    pub(crate) fn new() -> Self {
        Diag {
            mistakes: RefCell::new(Vec::new()),
        }
    }

    /// A mistake at one token.
    pub(crate) fn at(&self, span: Span, message: impl Display) {
        self.push(Error::new(span, message));
    }

    /// A mistake over several tokens.
    pub(crate) fn over(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&self, mistake: Error) {
        self.mistakes.borrow_mut().push(mistake);
    }

    /// The mistakes as code the compiler reports, if there are any.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        let mistakes = self.mistakes.into_inner();
        if mistakes.is_empty() {
            return None;
        }
        Some(mistakes.iter().map(Error::to_compile_error).collect())
    }

    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.mistakes
            .borrow()
            .iter()
            .map(Error::to_string)
            .collect()
    }
}

/// `; did you mean ..?` if one of the known words is near, else nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

/// `; did you mean ..?` if one of the known words is near, else all of them.
pub(crate) fn instead<'a, I>(word: &str, known: I) -> String
where
    I: IntoIterator<Item = &'a str> + Clone,
{
    match nearest(word, known.clone()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are {}", words(known)),
    }
}

/// The known word that differs in at most a third of the letters, whatever their case.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // In a short word two changes make any word of any other one.
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|other| {
            (
                // Words in the wrong case are near, but of two that differ only in case, the equal
                // one is nearer.
                distance(&word.to_lowercase(), &other.to_lowercase()),
                distance(word, other),
                other,
            )
        })
        .filter(|(folded, _, other)| *folded <= limit && *folded < other.chars().count())
        .min_by_key(|(folded, exact, _)| (*folded, *exact))
        .map(|(_, _, other)| other)
}

/// The number of letters that must be added, removed, changed or swapped with the next one to turn one word into the
/// other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b))
                .min(row[j + 1] + 1)
                .min(next[j] + 1);
            let swapped = i > 0 && j > 0 && from[i - 1] == *b && to[j - 1] == *a;
            if swapped {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

/// "`a`, `b` and `c`"
fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
