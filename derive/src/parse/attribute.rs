//! Reads the lists of `#[dynamo(..)]` into options, whatever they mean.
//!
//! Four shapes exist: `flag`, `name = value`, `name(..)` and, as a value, `[..]`. After a mistake, parsing continues
//! after the next comma.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token, token};

use crate::diag::Diag;
use crate::parse::option::{Given, List, Opt, OptionValue};

/// All options of all `#[dynamo(..)]` of one item, in the order they were written.
pub(crate) fn read(attrs: &[Attribute], diag: &Diag) -> Vec<Opt> {
    let mut all = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("dynamo")) {
        match &attr.meta {
            Meta::List(list) => all.extend(options(list.tokens.clone(), diag)),
            other => diag.over(
                other,
                "options must be in parentheses; write `#[dynamo(..)]`",
            ),
        }
    }
    all
}

/// The text of a doc comment, without the leading space of its lines.
pub(crate) fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').map_or(line.clone(), str::to_owned))
        .collect();
    lines.join("\n").trim().to_owned()
}

/// The options of one list.
pub(crate) fn options(tokens: TokenStream, diag: &Diag) -> Vec<Opt> {
    separated(tokens, |input| option(input, diag), diag)
}

/// Reads `name(..)` as options.
pub(crate) fn list(opt: Opt, diag: &Diag) -> Option<Vec<Opt>> {
    opt.group(diag).map(|list| options(list.tokens(), diag))
}

/// The elements of `[..]`.
pub(crate) fn values(list: List, diag: &Diag) -> Vec<OptionValue> {
    separated(list.tokens(), value, diag)
}

/// The paths of `entities(..)`.
pub(crate) fn paths(list: List, diag: &Diag) -> Vec<Path> {
    let path = |input: ParseStream<'_>| {
        let path = input.call(Path::parse_mod_style);
        path.map_err(|mistake| {
            syn::Error::new(
                mistake.span(),
                "this list holds the names of types; write `User`",
            )
        })
    };
    separated(list.tokens(), path, diag)
}

/// Elements between commas. One that cannot be read is reported and omitted.
fn separated<T>(
    tokens: TokenStream,
    element: impl Fn(ParseStream<'_>) -> syn::Result<T>,
    diag: &Diag,
) -> Vec<T> {
    let mut all = Vec::new();
    let everything = |input: ParseStream<'_>| -> syn::Result<()> {
        while !input.is_empty() {
            match element(input) {
                Ok(read) => all.push(read),
                Err(mistake) => {
                    diag.push(mistake);
                    skip_to_comma(input)?;
                }
            }
            comma(input, diag)?;
        }
        Ok(())
    };
    if let Err(mistake) = everything.parse2(tokens) {
        diag.push(mistake);
    }
    all
}

/// If a comma is missing, the next element is still read, so that it is not reported as missing too.
fn comma(input: ParseStream<'_>, diag: &Diag) -> syn::Result<()> {
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
    } else if !input.is_empty() {
        diag.push(input.error("a comma is missing before this"));
    }
    Ok(())
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !ends(input) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

fn option(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Opt> {
    if !input.peek(Ident::peek_any) {
        let message = "an option starts with its name, as in `name`, `name = ..` or `name(..)`";
        return Err(input.error(message));
    }
    let name = input.call(Ident::parse_any)?;
    let given = if input.peek(Token![=]) {
        assigned(&name, input).or_else(|mistake| {
            diag.push(mistake);
            skip_to_comma(input).map(|()| Given::Broken)
        })?
    } else if input.peek(token::Paren) {
        Given::List(List {
            group: input.parse()?,
        })
    } else {
        Given::Flag
    };
    Ok(Opt {
        name,
        given,
        usage: "",
    })
}

fn assigned(name: &Ident, input: ParseStream<'_>) -> syn::Result<Given> {
    let equals: Token![=] = input.parse()?;
    if ends(input) {
        return Err(syn::Error::new_spanned(
            equals,
            format!("`{name} =` has no value"),
        ));
    }
    let read = value(input).map_err(|mistake| {
        if !input.is_empty() {
            return mistake;
        }
        // The end of a list has no position, so the mistake is reported at the start of the option.
        let expected = mistake.to_string();
        let expected = expected.trim_start_matches("unexpected end of input, ");
        syn::Error::new(
            name.span(),
            format!("the value of `{name}` is cut off: {expected}"),
        )
    });
    read.map(Given::Value)
}

/// The simple shapes are tried first, because an expression parser would reject keywords as words.
fn value(input: ParseStream<'_>) -> syn::Result<OptionValue> {
    if let Some(word) = alone(input, Ident::parse_any) {
        return Ok(OptionValue::Word(word));
    }
    if let Some(text) = alone(input, <LitStr as syn::parse::Parse>::parse) {
        return Ok(OptionValue::Text(text));
    }
    if input.peek(token::Bracket)
        && let Some(group) = alone(input, <Group as syn::parse::Parse>::parse)
    {
        return Ok(OptionValue::List(List { group }));
    }
    Ok(match input.parse::<Expr>()? {
        Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => {
            match path.path.get_ident() {
                Some(word) => OptionValue::Word(word.clone()),
                None => OptionValue::Path(path.path),
            }
        }
        Expr::Lit(ExprLit {
            attrs,
            lit: Lit::Str(text),
        }) if attrs.is_empty() => OptionValue::Text(text),
        other => OptionValue::Expr(Box::new(other)),
    })
}

/// The result of `read`, if only a comma or the end follows it.
fn alone<T>(input: ParseStream<'_>, read: fn(ParseStream<'_>) -> syn::Result<T>) -> Option<T> {
    let ahead = input.fork();
    let found = read(&ahead).ok().filter(|_| ends(&ahead))?;
    input.advance_to(&ahead);
    Some(found)
}

fn ends(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}
