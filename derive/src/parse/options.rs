//! The options of one place: known ones are kept, all others reported.

use std::fmt::Display;

use proc_macro2::Span;
use syn::{Attribute, Ident, LitStr};

use crate::diag::{Diag, instead, nearest};
use crate::parse::attribute;
use crate::parse::option::{Given, List, Opt};
use crate::parse::option_place::{self, OptionPlace};

/// Options whose names are known at this place, each given as often as it may be.
pub(crate) struct Options {
    list: Vec<Opt>,
    /// The probable options of mistyped words: the mistake is reported once, and these options are not reported as
    /// missing too.
    meant: Vec<&'static str>,
}

impl Options {
    pub(crate) fn of(raw: Vec<Opt>, place: &OptionPlace, diag: &Diag) -> Self {
        let mut list: Vec<Opt> = Vec::new();
        let mut meant = Vec::new();
        for mut opt in raw {
            let name = opt.name.to_string();
            let Some(word) = place.words.iter().find(|word| word.name == name) else {
                refuse(&name, opt.name.span(), place, diag);
                meant.extend(nearest(&name, place.words.iter().map(|word| word.name)));
                continue;
            };
            if !word.many && list.iter().any(|other| other.name == name) {
                diag.at(
                    opt.name.span(),
                    format!("`{name}` is given twice; keep one"),
                );
                continue;
            }
            opt.usage = word.usage;
            list.push(opt);
        }
        Options { list, meant }
    }

    /// The options of all `#[dynamo(..)]` of one item.
    pub(crate) fn of_item(attrs: &[Attribute], place: &OptionPlace, diag: &Diag) -> Self {
        Options::of(attribute::read(attrs, diag), place, diag)
    }

    /// Whether nothing was written that could mean this option.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        !self.meant.contains(&name) && self.list.iter().all(|opt| opt.name != name)
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Opt> {
        let at = self.list.iter().position(|opt| opt.name == name)?;
        Some(self.list.remove(at))
    }

    /// Takes a required option, and reports with this message if nothing was written that could mean it.
    pub(crate) fn required(
        &mut self,
        name: &str,
        span: Span,
        message: impl Display,
        diag: &Diag,
    ) -> Option<Opt> {
        if self.lacks(name) {
            diag.at(span, message);
        }
        self.take(name)
    }

    /// All options of these names, in the order they were written.
    pub(crate) fn take_all(&mut self, names: &[&str]) -> Vec<Opt> {
        self.list
            .extract_if(.., |opt| names.iter().any(|name| opt.name == name))
            .collect()
    }
}

/// An option that does not exist here: misplaced, mistyped or unknown.
fn refuse(name: &str, span: Span, place: &OptionPlace, diag: &Diag) {
    let here = place.what;
    let known = place.words.iter().map(|word| word.name);
    if place.words.is_empty() {
        diag.at(span, format!("`{name}`: {here} takes no options"));
    } else if let Some(there) = belongs(name) {
        diag.at(
            span,
            format!("`{name}` is no option of {here}; it belongs to {there}"),
        );
    } else {
        diag.at(
            span,
            format!("`{name}` is no option of {here}{}", instead(name, known)),
        );
    }
}

/// The first place that knows the option.
fn belongs(name: &str) -> Option<&'static str> {
    let knows = |place: &&&OptionPlace| place.words.iter().any(|word| word.name == name);
    option_place::ALL.iter().find(knows).map(|place| place.what)
}

/// The name that comes first in `gsi(NAME, ..)`, and the options after it.
pub(crate) fn named(opt: Opt, diag: &Diag) -> Option<(Ident, Vec<Opt>)> {
    let (kind, usage) = (opt.name.to_string(), opt.usage);
    let list = opt.group(diag)?;
    if let Some(text) = leading_text(&list) {
        let message = format!("the name of a {kind} is a bare word; write `{usage}`");
        diag.at(text.span(), message);
        return None;
    }
    let span = list.span();
    let mut rest = attribute::options(list.tokens(), diag);
    if !matches!(rest.first(), Some(opt) if matches!(opt.given, Given::Flag)) {
        diag.at(span, format!("`{kind}` has no name; write `{usage}`"));
        return None;
    }
    let name = rest.remove(0).name;
    // A keyword, or `_`, cannot name a method.
    if syn::parse2::<Ident>(quote::quote!(#name)).is_err() {
        diag.at(
            name.span(),
            format!("`{name}` is a keyword; choose another name"),
        );
        return None;
    }
    Some((name, rest))
}

fn leading_text(list: &List) -> Option<LitStr> {
    let first = list.tokens().into_iter().next()?;
    syn::parse2(first.into()).ok()
}
