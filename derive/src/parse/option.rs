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
    /// The option could not be read, and that is reported already.
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
    /// Reports that the option does not have the shape that its place requires.
    fn refuse(&self, diag: &Diag) {
        if matches!(self.given, Given::Broken) {
            return;
        }
        diag.at(
            self.name.span(),
            format!("`{}` is written `{}`", self.name, self.usage),
        );
    }

    /// `name`
    pub(crate) fn flag(self, diag: &Diag) -> Option<Span> {
        match self.given {
            Given::Flag => Some(self.name.span()),
            Given::Broken => None,
            _ => {
                diag.at(
                    self.name.span(),
                    format!("`{}` stands alone; it takes no value", self.name),
                );
                None
            }
        }
    }

    /// `name = value`
    pub(crate) fn value(self, diag: &Diag) -> Option<OptionValue> {
        match self.given {
            Given::Value(value) => Some(value),
            _ => {
                self.refuse(diag);
                None
            }
        }
    }

    /// `name = "text"`
    pub(crate) fn text(self, diag: &Diag) -> Option<LitStr> {
        match self.given {
            Given::Value(OptionValue::Text(text)) => Some(text),
            _ => {
                self.refuse(diag);
                None
            }
        }
    }

    /// Reads `name = "text"` where the text is a stored name, which DynamoDB does not allow to be empty.
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
        match self.given {
            Given::Value(OptionValue::Word(word)) => Some(word),
            _ => {
                self.refuse(diag);
                None
            }
        }
    }

    /// `name = path`; a word is a path of one segment.
    pub(crate) fn path(self, diag: &Diag) -> Option<Path> {
        match self.given {
            Given::Value(OptionValue::Path(path)) => Some(path),
            Given::Value(OptionValue::Word(ref word)) => {
                // `crate` and `self` are paths, other keywords are not.
                let path = Path::parse_mod_style.parse2(word.to_token_stream()).ok();
                if path.is_none() {
                    self.refuse(diag);
                }
                path
            }
            _ => {
                self.refuse(diag);
                None
            }
        }
    }

    /// `name(..)`, not read.
    pub(crate) fn group(self, diag: &Diag) -> Option<List> {
        match self.given {
            Given::List(list) => Some(list),
            _ => {
                self.refuse(diag);
                None
            }
        }
    }
}
