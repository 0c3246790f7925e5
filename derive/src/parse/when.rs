//! Reads `when(..)`: an index that is sparse by the values of fields.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, Path, Token, token};

use crate::model::{KeySource, When, WhenTest, WhenValue, parts_that_end};
use crate::parse::attribute;
use crate::parse::option::{Given, List, Opt, OptionValue};
use crate::parse::reader::{Reader, find_field, resolve};

const USAGE: &str = "`when` takes one field and its value, several values, or a function of fields; write `when(status = \
    Status::Open)`, `when(status = [Status::New, Status::Open])` or `when(is_open(status, due))`";

/// Rule: `when` takes one field and its value, or one function and the fields that it reads.
pub(crate) fn read(opt: Opt, reader: &Reader<'_>) -> Option<When> {
    let span = opt.name.span();
    let list = opt.group(reader.diag)?;
    let text = list.tokens().to_string();
    if begins(&list, |input| input.parse::<Token![|]>().map(drop)) {
        let message = "the fields that a closure reads are unknown; write a function and name them, as in \
            `when(is_open(status, due))`";
        reader.diag.at(list.span(), message);
        return None;
    }
    if begins(&list, |input| call(input).map(drop)) {
        return function(&list, text, reader);
    }
    if doubled(&list, reader) {
        return None;
    }
    let mut conditions = attribute::options(list.tokens(), reader.diag).into_iter();
    let Some(condition) = conditions.next() else {
        reader.diag.at(span, USAGE);
        return None;
    };
    if let Some(second) = conditions.next() {
        let message = "`when` takes one condition; for several fields write a function of them, as in \
            `when(is_open(status, due))`";
        reader.diag.at(second.name.span(), message);
        return None;
    }
    equality(condition, text, reader)
}

/// `field = value` or `field = [value, ..]`
fn equality(condition: Opt, text: String, reader: &Reader<'_>) -> Option<When> {
    let name = condition.name;
    let value = match condition.given {
        Given::Value(value) => value,
        Given::Broken => return None,
        Given::Flag | Given::List(_) => {
            let is_field = find_field(reader.fields, &name.unraw().to_string()).is_some();
            let message = if is_field {
                USAGE.to_owned()
            } else {
                format!(
                    "`{name}` needs the fields that it reads; write them after it, as in `when({name}(status))`"
                )
            };
            reader.diag.at(name.span(), message);
            return None;
        }
    };
    let field = resolve(&name, reader.fields, reader.diag)?;
    let values = match value {
        OptionValue::List(list) => several(list, reader)?,
        one => vec![self::value(one, reader)?],
    };
    Some(When {
        fields: vec![(field, name)],
        test: WhenTest::OneOf(values),
        text,
    })
}

/// Rule: a list of values has at least one, and each once.
fn several(list: List, reader: &Reader<'_>) -> Option<Vec<WhenValue>> {
    let span = list.span();
    let given = attribute::values(list, reader.diag);
    if given.is_empty() {
        let message = "a list without values never holds, and nothing would be in this index; name at least one value";
        reader.diag.at(span, message);
        return None;
    }
    let mut seen: Vec<String> = Vec::new();
    let mut values = Vec::new();
    for one in given {
        let shown = one.to_token_stream().to_string();
        if seen.contains(&shown) {
            reader
                .diag
                .over(one, "this value is in the list already; name it once");
            continue;
        }
        seen.push(shown);
        values.push(value(one, reader)?);
    }
    Some(values)
}

fn value(given: OptionValue, reader: &Reader<'_>) -> Option<WhenValue> {
    if let OptionValue::Word(word) = &given
        && word == "None"
    {
        return Some(WhenValue::Absent(word.span()));
    }
    match syn::parse2::<Expr>(given.into_token_stream()) {
        Ok(value) => Some(WhenValue::Equal(value)),
        Err(mistake) => {
            reader.diag.push(mistake);
            None
        }
    }
}

/// Rule: if all parts of an index have `ends`, an item without a value for any of them is not in the index, as other
/// programs write no keys then.
pub(crate) fn any_part<'a>(
    keys: impl Iterator<Item = &'a KeySource>,
    reader: &Reader<'_>,
) -> Option<When> {
    let mut fields: Vec<usize> = Vec::new();
    for (field, _) in parts_that_end(keys)? {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    let named = |field: &usize| &reader.fields[*field];
    let names: Vec<_> = fields
        .iter()
        .map(named)
        .map(|field| &*field.stored)
        .collect();
    let text = format!("{} is present", names.join(" or "));
    let words = fields.iter().map(named).map(|field| field.ident.clone());
    Some(When {
        fields: std::iter::zip(fields.iter().copied(), words).collect(),
        test: WhenTest::AnyPart,
        text,
    })
}

/// `path(field, ..)`. The fields are named, so that an update knows what the function reads.
fn function(list: &List, text: String, reader: &Reader<'_>) -> Option<When> {
    let read = |input: ParseStream<'_>| {
        let (path, fields) = call(input)?;
        let rest: TokenStream = input.parse()?;
        Ok((path, fields, rest))
    };
    let (path, group, rest) = match read.parse2(list.tokens()) {
        Ok(read) => read,
        Err(mistake) => {
            reader.diag.push(mistake);
            return None;
        }
    };
    let mut rest = rest
        .into_iter()
        .skip_while(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','));
    if let Some(more) = rest.next() {
        let message =
            "`when` takes one function and nothing else; the function can check everything";
        reader.diag.over(more, message);
        return None;
    }
    let fields = named_fields(&path, group, reader)?;
    Some(When {
        fields,
        test: WhenTest::Function(path),
        text,
    })
}

/// Rule: a function of a condition takes fields, at least one, each by its bare name.
fn named_fields(path: &Path, group: List, reader: &Reader<'_>) -> Option<Vec<(usize, Ident)>> {
    let given = attribute::values(group, reader.diag);
    if given.is_empty() {
        let message = "this function reads no field, so its result is the same for every item; name the fields that it \
            reads, as in `when(is_open(status, due))`";
        reader.diag.over(path, message);
        return None;
    }
    let field = |value| match value {
        OptionValue::Word(word) => {
            resolve(&word, reader.fields, reader.diag).map(|field| (field, word))
        }
        other => {
            let message = "a function of a `when` takes fields and nothing else; write the field's name, without `&` \
                or `self.`";
            reader.diag.over(other, message);
            None
        }
    };
    let fields: Vec<_> = given.into_iter().map(field).collect();
    fields.into_iter().collect()
}

/// A path and the list in parentheses after it.
fn call(input: ParseStream<'_>) -> syn::Result<(Path, List)> {
    let path = input.call(Path::parse_mod_style)?;
    if !input.peek(token::Paren) {
        return Err(input.error("no call"));
    }
    let group = input.parse()?;
    Ok((path, List { group }))
}

/// Reports `==`, which is no equality of an attribute.
fn doubled(list: &List, reader: &Reader<'_>) -> bool {
    let equals = |input: ParseStream<'_>| {
        let name = input.call(Ident::parse_any)?;
        let equals: Token![==] = input.parse()?;
        let _: TokenStream = input.parse()?;
        Ok((name, equals))
    };
    let Ok((name, equals)) = equals.parse2(list.tokens()) else {
        return false;
    };
    let message = format!("an attribute is written with one `=`; write `when({name} = ..)`");
    reader.diag.over(equals, message);
    true
}

fn begins(list: &List, with: fn(ParseStream<'_>) -> syn::Result<()>) -> bool {
    let whole = |input: ParseStream<'_>| {
        with(input)?;
        input.parse::<TokenStream>()
    };
    whole.parse2(list.tokens()).is_ok()
}
