//! Reads the source of a key attribute: a bare field, the number of a field, a template, or a list of bare fields.

use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Expr, ExprCall, Ident};

use crate::model::KeySource;
use crate::parse::option::{Opt, OptionValue};
use crate::parse::options::Options;
use crate::parse::reader::{Reader, resolve};
use crate::parse::{attribute, option_place, shards, template};

/// The declaration of a key attribute; `None` inside means that it was wrong and is reported.
pub(crate) struct Key {
    pub(crate) pk: Option<KeySource>,
    pub(crate) sk: Option<KeySource>,
    /// Whether a sort key was written at all.
    pub(crate) sorted: bool,
}

/// `key(pk = .., sk = ..)`
///
/// Rule: a key has a `pk`.
pub(crate) fn primary(opt: Opt, reader: &Reader<'_>) -> Option<Key> {
    let span = opt.name.span();
    let mut options = Options::of(
        attribute::list(opt, reader.diag)?,
        &option_place::KEY,
        reader.diag,
    );
    let message = "`key` has no `pk`; write `key(pk = field)` or `key(pk = \"TEXT#{field}\")`";
    let pk = options.required("pk", span, message, reader.diag);
    let sk = options.take("sk");
    let sorted = sk.is_some();
    let source = |opt: Opt| single(opt, reader);
    let (mut pk, sk) = (pk.and_then(source), sk.and_then(source));
    shards::end_partition(&mut options, pk.as_mut_slice(), reader);
    Some(Key { pk, sk, sorted })
}

/// `pk = field` or `pk = "TEXT#{field}"`
fn single(opt: Opt, reader: &Reader<'_>) -> Option<KeySource> {
    let name = opt.name.to_string();
    match opt.value(reader.diag)? {
        OptionValue::List(list) => {
            let message =
                format!("`{name}` takes one field or one template here; lists are for a gsi");
            reader.diag.at(list.span(), message);
            None
        }
        value => match source(&name, value, reader)? {
            KeySource::Number { field, span } => {
                let field = reader.fields.get(field)?;
                let message = format!(
                    "an attribute of the primary key is a field or a text; write `{name} = {field}` and store the field under the \
                     name of the attribute by `rename`",
                    field = field.ident
                );
                reader.diag.at(span, message);
                None
            }
            source => Some(source),
        },
    }
}

/// One field, one template, or for a gsi `[field, ..]`.
///
/// Rule: a list contains at least one field, and only fields.
pub(crate) fn several(opt: Opt, reader: &Reader<'_>) -> Vec<KeySource> {
    let name = opt.name.to_string();
    let list = match opt.value(reader.diag) {
        Some(OptionValue::List(list)) => list,
        Some(value) => return source(&name, value, reader).into_iter().collect(),
        None => return Vec::new(),
    };
    let span = list.span();
    if list.tokens().is_empty() {
        reader.diag.at(
            span,
            format!("the list of `{name}` is empty; write `{name} = [field, ..]`"),
        );
    }
    let element = |value| match value {
        OptionValue::Word(word) => field(word, reader),
        other => {
            let message = "a list holds bare fields only; write the field's name, or one \
                template without the list";
            reader.diag.over(other, message);
            None
        }
    };
    attribute::values(list, reader.diag)
        .into_iter()
        .filter_map(element)
        .collect()
}

fn source(name: &str, value: OptionValue, reader: &Reader<'_>) -> Option<KeySource> {
    match value {
        OptionValue::Word(word) => field(word, reader),
        OptionValue::Text(text) => Some(KeySource::Template(template::read(&text, reader))),
        OptionValue::Expr(expr) if number_call(&expr).is_some() => {
            number(name, number_call(&expr)?, reader)
        }
        OptionValue::Expr(expr) if matches!(*expr, Expr::Field(_)) => {
            reader.diag.over(
                expr,
                "only top-level fields can be key parts; write the name of one",
            );
            None
        }
        other => {
            let message = format!(
                "`{name}` takes a field or a string; write `{name} = field` or `{name} = \
                    \"TEXT#{{field}}\"`"
            );
            reader.diag.over(other, message);
            None
        }
    }
}

/// The call in `sk = number(score)`. A fragment of a `macro_rules!` arrives in an invisible group.
fn number_call(expr: &Expr) -> Option<&ExprCall> {
    match expr {
        Expr::Group(group) => number_call(&group.expr),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(path) if path.path.is_ident("number")).then_some(call)
        }
        _ => None,
    }
}

/// `number(field)`
///
/// Rule: it names one field.
fn number(name: &str, call: &ExprCall, reader: &Reader<'_>) -> Option<KeySource> {
    let mut given = call.args.iter();
    if let (Some(one), None) = (given.next(), given.next())
        && let Ok(word) = syn::parse2::<Ident>(one.to_token_stream())
    {
        let span = word.span();
        let field = resolve(&word, reader.fields, reader.diag)?;
        return Some(KeySource::Number { field, span });
    }
    let message = match call.args.first() {
        Some(Expr::Lit(text)) if call.args.len() == 1 => {
            reader.diag.at(
                text.span(),
                format!(
                    "`number` takes the bare name of a field, without quotes or a format; write `{name} = number(field)`"
                ),
            );
            return None;
        }
        _ => format!(
            "`number` takes one field; write `{name} = number(field)`, or a template of several fields such as \
             `{name} = \"{{a}}#{{b}}\"`"
        ),
    };
    reader.diag.over(call, message);
    None
}

fn field(word: Ident, reader: &Reader<'_>) -> Option<KeySource> {
    let span = word.span();
    resolve(&word, reader.fields, reader.diag).map(|field| KeySource::Field { field, span })
}
