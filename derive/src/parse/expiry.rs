//! Reads `ttl = created_at + "90d"`.

use syn::{BinOp, Expr, ExprLit, Ident, Lit, LitStr};

use crate::diag::Diag;
use crate::model::{Expiry, ExpirySource, Field};
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::reader::resolve;

/// A derived expiry, before the field that it names is known.
pub(crate) struct WrittenExpiry {
    from: Ident,
    seconds: u64,
}

impl WrittenExpiry {
    /// Finds the field that it names, and reports an unknown one.
    pub(crate) fn resolve(self, fields: &[Field], diag: &Diag) -> Option<Expiry> {
        let at = resolve(&self.from, fields, diag)?;
        let field = fields.get(at)?;
        Some(Expiry {
            from: self.from,
            seconds: self.seconds,
            source: ExpirySource {
                field: at,
                ident: field.ident.clone(),
                ty: field.ty.clone(),
                role: field.role,
                form: field.form,
            },
        })
    }
}

/// The field and the lifetime.
pub(crate) fn read(opt: Opt, diag: &Diag) -> Option<WrittenExpiry> {
    let (span, usage) = (opt.name.span(), opt.usage);
    let sum = match opt.given {
        Given::Broken => return None,
        Given::Value(OptionValue::Expr(sum)) => field_and_text(&sum),
        Given::Flag | Given::Value(_) | Given::List(_) => None,
    };
    let Some((from, text)) = sum else {
        diag.at(span, format!("`ttl` is written `{usage}`"));
        return None;
    };
    match seconds(&text.value()) {
        Ok(seconds) => Some(WrittenExpiry { from, seconds }),
        Err(fault) => {
            diag.at(text.span(), fault);
            None
        }
    }
}

/// The sides of `field + "text"`. A fragment of a `macro_rules!` arrives in an invisible group.
fn field_and_text(expr: &Expr) -> Option<(Ident, LitStr)> {
    match expr {
        Expr::Group(group) => field_and_text(&group.expr),
        Expr::Binary(sum) if matches!(sum.op, BinOp::Add(_)) => {
            Some((field(&sum.left)?, text(&sum.right)?))
        }
        _ => None,
    }
}

fn field(expr: &Expr) -> Option<Ident> {
    match expr {
        Expr::Group(group) => field(&group.expr),
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Group(group) => text(&group.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.clone()),
        _ => None,
    }
}

/// The units of a duration, and their seconds.
const UNITS: [(char, u64); 5] = [
    ('w', 604_800),
    ('d', 86_400),
    ('h', 3_600),
    ('m', 60),
    ('s', 1),
];

/// A thousand years. The sum of a time and a longer duration may be beyond the range of a type.
const LONGEST: u64 = 365_000 * 86_400;

/// The seconds of a text such as `90d` or `1d12h`.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    let fault = || {
        format!(
            "`{text}` is no duration; write numbers with the units `w`, `d`, `h`, `m` or `s`, the largest unit first, for example \"90d\" or \"1d12h\""
        )
    };
    let mut units = UNITS.iter();
    let (mut rest, mut total) = (text, 0_u64);
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit());
        let (digits, after) = rest.split_at(end.ok_or_else(fault)?);
        let mut chars = after.chars();
        let unit = chars.next().ok_or_else(fault)?;
        let (_, each) = units.find(|(name, _)| *name == unit).ok_or_else(fault)?;
        let count: u64 = digits.parse().map_err(|_| fault())?;
        let part = count.saturating_mul(*each);
        total = total.saturating_add(part);
        rest = chars.as_str();
    }
    match total {
        0 => Err(fault()),
        1..=LONGEST => Ok(total),
        _ => Err(format!(
            "`{text}` is longer than a thousand years; remove `ttl` if the items should never expire"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, seconds};

    #[test]
    fn durations_are_sums_of_units() {
        for (text, expected) in [
            ("90d", 90 * 86_400),
            ("1d12h", 129_600),
            ("2w", 14 * 86_400),
            ("1w1d1h1m1s", 694_861),
            ("1s", 1),
            ("365000d", LONGEST),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "90",
            "d",
            "90 d",
            "90D",
            "12h1d",
            "1d1d",
            "0d",
            "-1d",
            "+1d",
            "1.5d",
            "90days",
            "99999999999999999999d",
            "365001d",
            "\u{661}d",
        ] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
