//! Reads `shape`, `writes`, `was` and `into` of an entity.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Ident, LitInt, Path, Token};

use crate::diag::Diag;
use crate::model::ItemShape;
use crate::parse::option::Opt;
use crate::parse::options::Options;

/// The shape of the items of an entity.
pub(crate) fn read(options: &mut Options, ident: &Ident, diag: &Diag) -> Option<ItemShape> {
    let shape = options.take("shape");
    let given = ["writes", "was", "into"].map(|name| options.take(name));
    let Some(shape) = shape else {
        for opt in given.into_iter().flatten() {
            let name = &opt.name;
            let message =
                format!("`{name}` of `{ident}` needs the number of the shape: write `shape = 2`");
            diag.at(name.span(), message);
        }
        return None;
    };
    let number = number(shape, diag)?;
    let [writes, was, into] = given;
    let (was, into) = (
        was.map(|opt| older(opt, diag)),
        into.map(|opt| older(opt, diag)),
    );
    let writes = writes.map(|opt| (opt.name.span(), self::number(opt, diag)));
    // A mistake within an option is reported already.
    let is_sound = !matches!(was, Some(None))
        && !matches!(into, Some(None))
        && !matches!(writes, Some((_, None)));
    let (was, into) = (was.flatten(), into.flatten());
    let writes = writes.and_then(|(span, number)| Some((span, number?)));
    if is_sound {
        check(number, &was, &into, writes, diag);
    }
    Some(ItemShape {
        number,
        writes: writes.map_or(number, |(_, writes)| writes),
        was: was.map(|(_, path)| path),
    })
}

/// Rules: the shape before the first one does not exist, and only a program that knows the shape before can write it.
fn check(
    number: u16,
    was: &Option<(Span, Path)>,
    into: &Option<(Span, Path)>,
    writes: Option<(Span, u16)>,
    diag: &Diag,
) {
    let before = number.saturating_sub(1);
    if let (Some((span, _)), 1) = (was, number) {
        let message = "the first shape has none before it; remove `was`, or write `shape = 2`";
        diag.at(*span, message);
    }
    match (was, into) {
        (None, Some((span, into))) => {
            let into = shown(into);
            diag.at(
                *span,
                format!(
                    "`into({into})` needs `was({into})`, because items of that shape are read too"
                ),
            );
        }
        (Some((_, was)), Some((span, into))) if shown(was) != shown(into) => {
            let (was, into) = (shown(was), shown(into));
            diag.at(*span, format!("`into({into})` names another declaration than `was({was})`; both name the shape before"));
        }
        _ => {}
    }
    match writes {
        Some((span, writes)) if number == 1 || writes != before => {
            let message = match number {
                1 => "the first shape is always written; remove `writes`".to_owned(),
                _ => format!(
                    "`writes` is the shape before, `writes = {before}`; without it, `shape = {number}` is written"
                ),
            };
            diag.at(span, message);
        }
        Some((span, writes)) if into.is_none() => {
            let message = format!(
                "`writes = {writes}` needs `was(..)` and `into(..)`, the declaration of that shape"
            );
            diag.at(span, message);
        }
        _ => {}
    }
}

fn shown(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// A number of a shape: at least 1.
fn number(opt: Opt, diag: &Diag) -> Option<u16> {
    let (name, usage) = (opt.name.to_string(), opt.usage);
    let value = opt.value(diag)?;
    let literal = syn::parse2::<LitInt>(value.to_token_stream()).ok();
    let number = literal.and_then(|text| text.base10_parse::<u16>().ok());
    let number = number.filter(|number| *number > 0);
    if number.is_none() {
        diag.over(
            value,
            format!("`{name}` is a number from 1; write `{usage}`"),
        );
    }
    number
}

/// `was(OrderV1)`
fn older(opt: Opt, diag: &Diag) -> Option<(Span, Path)> {
    let (span, usage, name) = (opt.name.span(), opt.usage, opt.name.to_string());
    let parse = |input: ParseStream<'_>| {
        let path: Path = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(path)
    };
    match parse.parse2(opt.group(diag)?.tokens()) {
        Ok(path) => Some((span, path)),
        Err(_) => {
            let message = format!(
                "`{name}` names one declaration, that of the shape before; write `{usage}`"
            );
            diag.at(span, message);
            None
        }
    }
}
