//! One option of `#[dynamo(..)]`, and the shapes in which it can be given.

use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser as _;
use syn::{Expr, Ident, LitStr, Path};

use crate::diag::Diag;

/// One option of a list.
pub(crate) struct Opt {
    pub(crate) name: Ident,
    pub(crate) given: Given,
    /// The syntax of the option in its place; set after the place is known.
    pub(crate) usage: &'static str,
}

pub(crate) enum Given {
    /// `name`
    Flag,
    /// `name = value`
    Value(OptionValue),
    /// `name(..)`
    List(List),
    /// The option could not be read, which has been reported.
    Broken,
}

pub(crate) enum OptionValue {
    /// A bare word; keywords are words too, since fields may be named `r#type`.
    Word(Ident),
    /// A string.
    Text(LitStr),
    /// `[..]`
    List(List),
    /// A path of several segments.
    Path(Path),
    /// Any other expression.
    Expr(Box<Expr>),
}

/// The inside of parentheses or brackets, not yet read.
pub(crate) struct List {
    pub(crate) group: Group,
}

impl List {
    pub(crate) fn span(&self) -> Span {
        self.group.span()
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        self.group.stream()
    }
}

impl ToTokens for OptionValue {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            OptionValue::Word(word) => word.to_tokens(tokens),
            OptionValue::Text(text) => text.to_tokens(tokens),
            OptionValue::List(list) => list.group.to_tokens(tokens),
            OptionValue::Path(path) => path.to_tokens(tokens),
            OptionValue::Expr(expr) => expr.to_tokens(tokens),
        }
    }
}

impl Opt {
    /// Takes the shape that the place of the option requires, and reports any other.
    fn shape<T>(self, take: impl FnOnce(Given) -> Option<T>, diag: &Diag) -> Option<T> {
        let is_reported = matches!(self.given, Given::Broken);
        let shape = take(self.given);
        if shape.is_none() && !is_reported {
            let message = format!("`{}` is written `{}`", self.name, self.usage);
            diag.at(self.name.span(), message);
        }
        shape
    }

    /// `name`
    pub(crate) fn flag(self, diag: &Diag) -> Option<Span> {
        match self.given {
            Given::Flag => Some(self.name.span()),
            Given::Broken => None,
            _ => {
                diag.at(
                    self.name.span(),
                    format!("`{}` takes no value; write the name alone", self.name),
                );
                None
            }
        }
    }

    /// `name = value`
    pub(crate) fn value(self, diag: &Diag) -> Option<OptionValue> {
        let value = |given| match given {
            Given::Value(value) => Some(value),
            _ => None,
        };
        self.shape(value, diag)
    }

    /// `name = "text"`
    pub(crate) fn text(self, diag: &Diag) -> Option<LitStr> {
        let text = |given| match given {
            Given::Value(OptionValue::Text(text)) => Some(text),
            _ => None,
        };
        self.shape(text, diag)
    }

    /// Reads `name = "text"` if the text is a stored name. DynamoDB allows no empty names.
    pub(crate) fn stored_name(self, diag: &Diag) -> Option<LitStr> {
        let what = self.name.to_string();
        let text = self.text(diag)?;
        if text.value().is_empty() {
            diag.at(
                text.span(),
                format!("`{what}` is empty; a stored name has at least one letter"),
            );
            return None;
        }
        Some(text)
    }

    /// `name = word`
    pub(crate) fn word(self, diag: &Diag) -> Option<Ident> {
        let word = |given| match given {
            Given::Value(OptionValue::Word(word)) => Some(word),
            _ => None,
        };
        self.shape(word, diag)
    }

    /// `name = path`; a word is a path of one segment.
    pub(crate) fn path(self, diag: &Diag) -> Option<Path> {
        let path = |given| match given {
            Given::Value(OptionValue::Path(path)) => Some(path),
            // `crate` and `self` are paths, other keywords are not.
            Given::Value(OptionValue::Word(word)) => {
                Path::parse_mod_style.parse2(word.to_token_stream()).ok()
            }
            _ => None,
        };
        self.shape(path, diag)
    }

    /// `name(..)`, not read.
    pub(crate) fn group(self, diag: &Diag) -> Option<List> {
        let list = |given| match given {
            Given::List(list) => Some(list),
            _ => None,
        };
        self.shape(list, diag)
    }
}
