//! Reads `constant(..)`: attributes with the same value in all items of an entity.

use proc_macro2::Span;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{LitInt, LitStr, Token};

use crate::diag::Diag;
use crate::model::{Constant, ConstantValue};
use crate::parse::option::Opt;
use crate::parse::options::Options;

/// The constants of an entity. Only a shared table has rows of other entities, from which they distinguish its rows.
pub(crate) fn read_all(options: &mut Options, is_shared: bool, diag: &Diag) -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::new();
    for opt in options.take_all(&["constant"]) {
        let span = opt.name.span();
        if !is_shared {
            let message = "`constant` distinguishes the rows of an entity from others in a shared table; declare the table \
                with `#[derive(DynamoTable)]`, and name it here: `table = Shop`";
            diag.at(span, message);
        }
        read_into(opt, &mut constants, diag);
    }
    constants
}

/// Reads one `constant(..)`, after others.
pub(super) fn read_into(opt: Opt, constants: &mut Vec<Constant>, diag: &Diag) {
    for constant in read(opt, diag) {
        add(constant, constants, diag);
    }
}

/// Rule: a constant has a name, and each name has one value.
fn add(constant: Constant, constants: &mut Vec<Constant>, diag: &Diag) {
    let name = constant.attribute.value();
    let span = constant.attribute.span();
    if name.is_empty() {
        diag.at(
            span,
            "the name of a constant is empty; a stored name has at least one letter",
        );
    } else if constants
        .iter()
        .any(|known| known.attribute.value() == name)
    {
        diag.at(
            span,
            format!("the constant `{name}` is given twice; keep one"),
        );
    } else {
        constants.push(constant);
    }
}

/// `constant("__edb_v__" = "1")`
fn read(opt: Opt, diag: &Diag) -> Vec<Constant> {
    let (span, usage) = (opt.name.span(), opt.usage);
    let Some(list) = opt.group(diag) else {
        return Vec::new();
    };
    let parse = Punctuated::<Constant, Token![,]>::parse_terminated_with;
    let parse = |input: ParseStream<'_>| parse(input, constant);
    match parse.parse2(list.tokens()) {
        Ok(constants) if !constants.is_empty() => constants.into_iter().collect(),
        _ => {
            refuse(span, usage, diag);
            Vec::new()
        }
    }
}

fn constant(input: ParseStream<'_>) -> syn::Result<Constant> {
    let attribute: LitStr = input.parse()?;
    input.parse::<Token![=]>()?;
    let value = match input.peek(LitStr) {
        true => ConstantValue::Text(input.parse::<LitStr>()?.value()),
        false => {
            let minus = input.parse::<Option<Token![-]>>()?;
            let digits = input.parse::<LitInt>()?;
            let sign = if minus.is_some() { "-" } else { "" };
            let number = format!("{sign}{}", digits.base10_digits()).parse::<i64>();
            let number = number.ok().filter(|_| digits.suffix().is_empty());
            ConstantValue::Number(number.ok_or_else(|| input.error("no number"))?)
        }
    };
    Ok(Constant { attribute, value })
}

/// Rule: a constant is a stored name and a text or a number.
fn refuse(span: Span, usage: &str, diag: &Diag) {
    let message =
        format!("`constant` takes stored names, each with a text or an integer; write `{usage}`");
    diag.at(span, message);
}
