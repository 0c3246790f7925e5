//! Reads `chunked(seats: Seat)` and `blob(plan)`, both with `outside` and `rename = ".."`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Ident, Token, Type};

use crate::diag::Diag;
use crate::model::LargeValue;
use crate::parse::option::Opt;
use crate::parse::options::Options;
use crate::parse::{attribute, option_place};

/// All lists and blobs, in the order in which they were written.
pub(crate) fn read_all(opts: Vec<Opt>, diag: &Diag) -> Vec<LargeValue> {
    opts.into_iter().filter_map(|opt| one(opt, diag)).collect()
}

/// Rule: a list has a name and the type of its elements, and a blob has only a name.
fn one(opt: Opt, diag: &Diag) -> Option<LargeValue> {
    let (word, usage) = (opt.name.clone(), opt.usage);
    let is_list = word == "chunked";
    let group = opt.group(diag)?;
    let parsed = |input: ParseStream<'_>| {
        let name = input.call(Ident::parse_any)?;
        let element = match input.parse::<Option<Token![:]>>()? {
            Some(_) => Some(input.parse::<Type>()?),
            None => None,
        };
        let _: Option<Token![,]> = input.parse()?;
        Ok((name, element, input.parse::<TokenStream>()?))
    };
    let Ok((name, element, rest)) = parsed.parse2(group.tokens()) else {
        diag.at(word.span(), format!("`{word}` is written `{usage}`"));
        return None;
    };
    // A keyword, or `_`, cannot name a function.
    if syn::parse2::<Ident>(name.to_token_stream()).is_err() {
        let message = format!("`{name}` is a keyword; choose another name");
        diag.at(name.span(), message);
        return None;
    }
    match (&element, is_list) {
        (None, true) => {
            let message = format!(
                "`{name}` has no type for its elements; write it as a field is written, as in `{usage}`"
            );
            diag.at(name.span(), message);
            return None;
        }
        (Some(ty), false) => {
            let message = "a blob has no type, because it is bytes; write `blob(plan)`, or `chunked(..)` for a list";
            diag.over(ty, message);
            return None;
        }
        _ => {}
    }
    let rest = attribute::options(rest, diag);
    let mut options = Options::of(rest, &option_place::LARGE, diag);
    let outside = options.take("outside").and_then(|opt| opt.flag(diag));
    let renamed = options.take("rename").and_then(|opt| opt.stored_name(diag));
    let (stored, stored_at): (String, Span) = match renamed {
        Some(text) => (text.value(), text.span()),
        None => (name.unraw().to_string(), name.span()),
    };
    Some(LargeValue {
        name,
        element,
        stored,
        stored_at,
        is_outside: outside.is_some(),
    })
}
