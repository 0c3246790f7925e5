//! The options that `gsi(..)` and `lsi(..)` share, whether a table declares them or an entity.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::Ident;

use crate::diag::{Diag, did_you_mean};
use crate::model::{IndexKind, IndexProjection};
use crate::parse::attribute;
use crate::parse::option::{Given, Opt, OptionValue};
use crate::parse::option_place::OptionPlace;
use crate::parse::options::{Options, named};

/// An index whose name is read, and its options, which are not.
pub(super) struct IndexOptions {
    pub(super) kind: IndexKind,
    pub(super) name: Ident,
    pub(super) options: Options,
}

/// `gsi(NAME, ..)` or `lsi(NAME, ..)`
pub(super) fn open(
    opt: Opt,
    gsi: &OptionPlace,
    lsi: &OptionPlace,
    diag: &Diag,
) -> Option<IndexOptions> {
    let (kind, place) = match opt.name == "gsi" {
        true => (IndexKind::Global, gsi),
        false => (IndexKind::Local, lsi),
    };
    let (name, rest) = named(opt, diag)?;
    let options = Options::of(rest, place, diag);
    Some(IndexOptions {
        kind,
        name,
        options,
    })
}

/// The syntax of a key attribute, for messages.
pub(super) struct KeyUsage {
    pub(super) pk: &'static str,
    pub(super) sk: &'static str,
    /// The options of the key of a local index.
    pub(super) single: &'static str,
}

/// The keys of an index, as far as they can be read.
pub(super) struct IndexKeys<T> {
    /// Empty for a local index.
    pub(super) pk: Vec<T>,
    /// None if no sort key was written.
    pub(super) sk: Option<Vec<T>>,
}

impl IndexOptions {
    /// Rules: a gsi has a `pk`; an lsi has an `sk`, no `pk` and no list.
    pub(super) fn keys<T>(
        &mut self,
        usage: &KeyUsage,
        read: impl Fn(Opt) -> Vec<T>,
        diag: &Diag,
    ) -> Option<IndexKeys<T>> {
        let (no_pk, no_sk) = (self.options.lacks("pk"), self.options.lacks("sk"));
        let (pk, sk) = (self.options.take("pk"), self.options.take("sk"));
        let name = &self.name;
        let say = |span: Span, message: String| diag.at(span, format!("`{name}` {message}"));
        if self.kind == IndexKind::Global {
            if no_pk {
                say(name.span(), format!("has no `pk`; write {}", usage.pk));
            }
            let sk = sk.map(&read);
            let pk = read(pk?);
            return (!pk.is_empty()).then_some(IndexKeys { pk, sk });
        }
        if let Some(pk) = &pk {
            let fix = if no_sk { "write `sk`" } else { "remove `pk`" };
            let message = format!(
                "is an lsi, whose partition key is that of the table; {fix}, or write `gsi`"
            );
            say(pk.name.span(), message);
        } else if no_sk {
            let message = format!(
                "has no `sk`; an lsi gives the partition another order: write {}",
                usage.sk
            );
            say(name.span(), message);
        }
        let sk = sk?;
        if let Given::Value(OptionValue::List(list)) = &sk.given {
            let single = usage.single;
            let message = format!("is an lsi, which takes {single}; lists are for a gsi");
            say(list.span(), message);
            return None;
        }
        let (pk, sk) = (Vec::new(), read(sk));
        (!sk.is_empty()).then_some(IndexKeys { pk, sk: Some(sk) })
    }
}

/// `project = all`, `keys` or a list, which `usage` shows and `list` reads.
pub(super) fn projection<T>(
    opt: Opt,
    usage: &str,
    list: impl FnOnce(Vec<OptionValue>) -> Vec<T>,
    diag: &Diag,
) -> IndexProjection<T> {
    match opt.value(diag) {
        None => IndexProjection::All,
        Some(OptionValue::Word(word)) if word == "all" => IndexProjection::All,
        Some(OptionValue::Word(word)) if word == "keys" => IndexProjection::Keys,
        Some(OptionValue::List(given)) => {
            IndexProjection::Only(list(attribute::values(given, diag)))
        }
        Some(other) => {
            let hint = did_you_mean(&other.to_token_stream().to_string(), ["all", "keys"]);
            let message = format!("`project` takes `all`, `keys` or a list of {usage}{hint}");
            diag.over(other, message);
            IndexProjection::All
        }
    }
}
