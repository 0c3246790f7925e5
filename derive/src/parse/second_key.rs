//! Reads `next_key` and `was_key` of an entity.

use syn::parse::{ParseStream, Parser as _};
use syn::{Ident, Path, Token};

use crate::diag::Diag;
use crate::model::{SecondKey, SecondKeyUse};
use crate::parse::option::Opt;
use crate::parse::options::Options;

/// The declaration of the same items under another primary key.
pub(crate) fn read(
    options: &mut Options,
    ident: &Ident,
    shared: bool,
    diag: &Diag,
) -> Option<SecondKey> {
    let given = ["next_key", "was_key"].map(|name| options.take(name));
    let opt = match given {
        [Some(_), Some(was)] => {
            let message = format!(
                "`{ident}` has `next_key` and `was_key`: an item moves from one key to one other; complete one move before the next one"
            );
            diag.at(was.name.span(), message);
            return None;
        }
        [opt, None] | [None, opt] => opt?,
    };
    let second = named(opt, diag)?;
    if !shared {
        let word = &second.word;
        let message = format!(
            "`{word}` needs a shared table, `table = Shop`, which stores both types: a table of its own has no type attribute, so programs of the other declaration would find these rows"
        );
        diag.at(word.span(), message);
        return None;
    }
    Some(second)
}

/// `next_key(next::Order)`, `was_key(before::Order)` or `was_key(before::Order, drop)`
fn named(opt: Opt, diag: &Diag) -> Option<SecondKey> {
    let (word, usage) = (opt.name.clone(), opt.usage);
    let is_next = word == "next_key";
    let parse = |input: ParseStream<'_>| {
        let path: Path = input.parse()?;
        let mut last = None;
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            last = Some(input.parse::<Ident>()?);
        }
        Ok((path, last))
    };
    let parsed = parse.parse2(opt.group(diag)?.tokens());
    let (entity, usage) = match parsed {
        Ok((entity, None)) if is_next => (entity, SecondKeyUse::Next),
        Ok((entity, None)) => (entity, SecondKeyUse::Was),
        Ok((entity, Some(last))) if !is_next && last == "drop" => (entity, SecondKeyUse::Dropped),
        Ok((_, Some(last))) if is_next => {
            let message = format!(
                "`{word}` names one declaration, that of the items under their next key; remove `{last}`"
            );
            diag.at(last.span(), message);
            return None;
        }
        Ok((_, Some(last))) => {
            diag.at(
                last.span(),
                format!("unknown word `{last}`; write `{usage}`"),
            );
            return None;
        }
        Err(_) => {
            let message = format!(
                "`{word}` names the declaration of the same items under another key; write `{usage}`"
            );
            diag.at(word.span(), message);
            return None;
        }
    };
    Some(SecondKey {
        usage,
        word,
        entity,
    })
}
