//! Reads the fields of an entity, a value struct or a struct variant.

use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ExprLit, FieldsNamed, FieldsUnnamed, Ident, Lit, LitStr, Token, Type};

use crate::diag::Diag;
use crate::marks::FieldMarks;
use crate::model::{DefaultValue, Field, FieldRole, Form, FormerName, FormerUse};
use crate::parse::allow;
use crate::parse::attribute;
use crate::parse::expiry::{self, WrittenExpiry};
use crate::parse::option::{Given, Opt};
use crate::parse::option_place::{OptionPlace, UNNAMED_FIELD};
use crate::parse::options::Options;
use crate::parse::reader::known;
use crate::parse::rename::Case;

/// The fields, and where their options were written.
pub(crate) fn named(
    fields: FieldsNamed,
    place: &OptionPlace,
    case: Option<Case>,
    diag: &Diag,
) -> (Vec<Field>, Vec<FieldMarks>) {
    let read = fields.named.into_iter();
    let read: Vec<_> = read
        .filter_map(|field| one(field, place, case, diag))
        .collect();
    let mut written = Vec::new();
    let (mut fields, mut all_marks) = (Vec::new(), Vec::new());
    for (field, marks, expiry) in read {
        written.extend(expiry.map(|expiry| (fields.len(), expiry)));
        fields.push(field);
        all_marks.push(marks);
    }
    for (at, expiry) in written {
        let resolved = expiry.resolve(&fields, diag);
        if let Some(field) = fields.get_mut(at) {
            field.expiry = resolved;
        }
    }
    (fields, all_marks)
}

/// The types of unnamed fields, which accept no options.
pub(crate) fn unnamed(fields: FieldsUnnamed, diag: &Diag) -> Vec<Type> {
    let mut types = Vec::new();
    for field in fields.unnamed {
        Options::of_item(&field.attrs, &UNNAMED_FIELD, diag);
        types.push(field.ty);
    }
    types
}

fn one(
    field: syn::Field,
    place: &OptionPlace,
    case: Option<Case>,
    diag: &Diag,
) -> Option<(Field, FieldMarks, Option<WrittenExpiry>)> {
    let ident = field.ident?;
    let mut options = Options::of_item(&field.attrs, place, diag);
    let mut marks = FieldMarks::default();

    let rename = options.take("rename").and_then(|opt| {
        marks.rename = Some(opt.name.span());
        opt.stored_name(diag)
    });
    let stored = match (rename, case) {
        (Some(text), _) => text.value(),
        (None, Some(case)) => case.of_field(&ident.unraw().to_string()),
        (None, None) => ident.unraw().to_string(),
    };
    let former = options.take("was").and_then(|opt| {
        marks.former = Some(opt.name.span());
        former(opt, diag)
    });
    let (role, expiry) = role(&mut options, &mut marks, diag);
    let form = form(&mut options, &mut marks, diag);
    let default = options.take("default").and_then(|opt| {
        marks.default = Some(opt.name.span());
        default(opt, diag)
    });
    marks.personal = options.take("personal").and_then(|opt| opt.flag(diag));
    let read = Field {
        is_personal: marks.personal.is_some(),
        doc: attribute::doc(&field.attrs),
        ident,
        vis: field.vis,
        ty: field.ty,
        stored,
        role,
        form,
        default,
        former,
        expiry: None,
        allows: allow::take(&mut options, diag),
    };
    Some((read, marks, expiry))
}

/// `was = "old name"`, or with a word in parentheses
fn former(opt: Opt, diag: &Diag) -> Option<FormerName> {
    if !matches!(opt.given, Given::List(_)) {
        let name = opt.stored_name(diag)?.value();
        let usage = FormerUse::First;
        return Some(FormerName { name, usage });
    }
    let (span, usage) = (opt.name.span(), opt.usage);
    let parse = |input: ParseStream<'_>| {
        let name: LitStr = input.parse()?;
        input.parse::<Token![,]>()?;
        let word: Ident = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok((name.value(), FormerUse::WORDS.meaning(&word.to_string())))
    };
    match parse.parse2(opt.group(diag)?.tokens()) {
        Ok((name, Some(usage))) if !name.is_empty() => Some(FormerName { name, usage }),
        _ => {
            diag.at(span, format!("`was` is written `{usage}`"));
            None
        }
    }
}

/// Rule: a field has one role.
fn role(
    options: &mut Options,
    marks: &mut FieldMarks,
    diag: &Diag,
) -> (FieldRole, Option<WrittenExpiry>) {
    let names: Vec<&str> = FieldRole::WORDS.all().collect();
    let mut chosen: Option<(String, FieldRole)> = None;
    let mut expiry = None;
    for opt in options.take_all(&names) {
        let name = opt.name.to_string();
        let found = FieldRole::WORDS.meaning(&name);
        let span = match (&opt.given, found) {
            (Given::Flag, _) | (_, None) => opt.flag(diag),
            (_, Some(FieldRole::Ttl)) => {
                let span = opt.name.span();
                expiry = expiry::read(opt, diag);
                Some(span)
            }
            (_, Some(_)) => opt.flag(diag),
        };
        let (Some(span), Some(role)) = (span, found) else {
            continue;
        };
        if let Some((first, _)) = &chosen {
            let message =
                format!("`{name}` and `{first}` exclude each other; a field has one role");
            diag.at(span, message);
            continue;
        }
        marks.role = Some(span);
        chosen = Some((name, role));
    }
    (
        chosen.map_or(FieldRole::Attribute, |(_, role)| role),
        expiry,
    )
}

/// Rule: a field is stored in one form.
fn form(options: &mut Options, marks: &mut FieldMarks, diag: &Diag) -> Form {
    let mut form = Form::Own;
    let mut first = String::new();
    for opt in options.take_all(&["serde", "format", "null", "compress", "decompress"]) {
        let (name, span) = (opt.name.to_string(), opt.name.span());
        let read = match &*name {
            "serde" => opt.flag(diag).map(|_| Form::Serde),
            "null" => opt.flag(diag).map(|_| Form::Null),
            "compress" => opt.flag(diag).map(|_| Form::Compress),
            "decompress" => opt.flag(diag).map(|_| Form::Decompress),
            _ => format(opt, diag),
        };
        // `null` says how the None is stored, and `serde` says how everything else is.
        let of_both = match (form, read) {
            (Form::Serde, Some(Form::Null)) | (Form::Null, Some(Form::Serde)) => {
                Some(Form::SerdeNull)
            }
            _ => None,
        };
        if let Some(both) = of_both {
            form = both;
            continue;
        }
        if marks.form.is_some() {
            let message = format!("`{first}` and `{name}` exclude each other; keep one");
            diag.at(span, message);
            continue;
        }
        first = name;
        marks.form = Some(span);
        form = read.unwrap_or(Form::Own);
    }
    form
}

fn format(opt: Opt, diag: &Diag) -> Option<Form> {
    let text = opt.text(diag)?;
    known(
        &text.value(),
        text.span(),
        &Form::FOREIGN,
        "stored form",
        diag,
    )
}

fn default(opt: Opt, diag: &Diag) -> Option<DefaultValue> {
    if matches!(opt.given, Given::Flag) {
        return Some(DefaultValue::Trait);
    }
    match syn::parse2::<Expr>(opt.value(diag)?.into_token_stream()) {
        Ok(expr) => Some(match text_of(&expr) {
            Some(text) => DefaultValue::Text(text.clone()),
            None => DefaultValue::Expr(expr),
        }),
        Err(mistake) => {
            diag.push(mistake);
            None
        }
    }
}

/// The text, if the expression is one. A fragment of a `macro_rules!` arrives in an invisible group.
fn text_of(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        Expr::Group(group) => text_of(&group.expr),
        _ => None,
    }
}
