//! Reads `when(field = value)`: an index that is sparse by value.

use quote::ToTokens as _;
use syn::Expr;

use crate::model::When;
use crate::parse::attribute;
use crate::parse::option::{Given, Opt};
use crate::parse::reader::{Reader, resolve};

/// Rule: `when` takes one field and one value.
pub(crate) fn read(opt: Opt, reader: &Reader<'_>) -> Option<When> {
    const USAGE: &str = "`when` takes one field and its value; write `when(status = Status::Open)`";
    let span = opt.name.span();
    let mut conditions =
        attribute::options(opt.group(reader.diag)?.tokens(), reader.diag).into_iter();
    let (Some(condition), None) = (conditions.next(), conditions.next()) else {
        reader.diag.at(span, USAGE);
        return None;
    };
    let Given::Value(value) = condition.given else {
        reader.diag.at(condition.name.span(), USAGE);
        return None;
    };
    let field = resolve(&condition.name, reader.fields, reader.diag)?;
    match syn::parse2::<Expr>(value.into_token_stream()) {
        Ok(value) => Some(When { field, value }),
        Err(mistake) => {
            reader.diag.push(mistake);
            None
        }
    }
}
