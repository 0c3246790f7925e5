//! A part of a sort key: its use in a query, and the names of the stages at which it comes next.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::template;
use super::tokens::plain_name;
use crate::model::{Field, FieldRole, Format, Template};

/// One part of a sort key.
pub(super) struct SortPart<'a> {
    pub(super) field: &'a Field,
    pub(super) place: PartPlace<'a>,
}

impl SortPart<'_> {
    /// Names the use of its field in a query.
    pub(super) fn kind(&self) -> TokenStream {
        kind(self.field, self.format())
    }

    /// Returns its format in a template, if it is in one.
    pub(super) fn format(&self) -> Option<Format> {
        match &self.place {
            PartPlace::Value { .. } => None,
            PartPlace::Template { format, .. } => Some(*format),
        }
    }

    /// Returns the order of keys by the part.
    pub(super) fn order(&self) -> TokenStream {
        match &self.place {
            PartPlace::Template {
                order: Some(order), ..
            } => order.clone(),
            _ => code!({ __d::ORDERED }),
        }
    }
}

pub(super) enum PartPlace<'a> {
    /// The value of the field is the key attribute.
    Value {
        /// The name of the attribute.
        name: TokenStream,
    },
    /// The field is in a template.
    Template {
        template: &'a Template,
        at: usize,
        format: Format,
        /// The order of keys by the part, if only the compiler knows it.
        order: Option<TokenStream>,
    },
}

/// A part that is not the next one: a method that cannot be called and gives the reason.
pub(super) fn skipped(part: &SortPart<'_>, stage: &Ident, vis: &syn::Visibility) -> TokenStream {
    let (name, ty, kind) = (&part.field.ident, &part.field.ty, part.kind());
    code! {
        #[doc(hidden)]
        #[inline]
        #vis fn #name(self) -> __d::SortPart<#ty, __d::NotNext<#kind, #stage>>
        where
            for<'x> Self: __d::KnownUpTo<'x>,
        {
            __d::SortPart::never(self.0)
        }
    }
}

/// Names the type of a stage, as `ByStatusOfOrder`, or `ByStatusOfOrderThenNumber` if `number` comes next after other
/// parts.
pub(super) fn stage_name(entity: &Ident, pattern: &Ident, part: Option<&Ident>) -> Ident {
    let (pattern, span) = (camel_case(pattern), entity.span());
    let entity = plain_name(entity);
    match part.map(camel_case) {
        None => format_ident!("{pattern}Of{entity}", span = span),
        Some(part) => format_ident!("{pattern}Of{entity}Then{part}", span = span),
    }
}

/// Turns a name in snake case into one in camel case.
fn camel_case(name: &Ident) -> String {
    let name = plain_name(name);
    let words = name.split('_').map(str::chars);
    let words = words.flat_map(|mut chars| {
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars)
    });
    words.collect()
}

/// Names the use of a field in a query, in a template with this format or as a key itself.
pub(super) fn kind(field: &Field, format: Option<Format>) -> TokenStream {
    match format {
        Some(format) => template::kind(format),
        None => bare_kind(field),
    }
}

/// Names the use of a bare key field in a query.
fn bare_kind(field: &Field) -> TokenStream {
    match field.role {
        FieldRole::Ttl => code!(__d::BareTtl),
        FieldRole::CreatedAt | FieldRole::UpdatedAt => code!(__d::BareTime),
        FieldRole::CreatedBy | FieldRole::UpdatedBy => code!(__d::BareActor),
        FieldRole::Version => code!(__d::BareVersion),
        FieldRole::Attribute | FieldRole::Skip | FieldRole::Flatten | FieldRole::Rest => {
            code!(__d::Bare)
        }
    }
}
