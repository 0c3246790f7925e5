//! Creates the `when` condition of an index: on a whole entity, and on the known values of an update.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;

use super::known;
use super::tokens::{local, of, respanned};
use crate::model::{Entity, When, WhenTest, WhenValue};

/// Creates the expression for the condition. `place` creates a reference to the value of a field; its second argument
/// is the position of the field in the condition.
pub(super) fn holds(
    entity: &Entity,
    when: &When,
    place: impl Fn(usize, usize) -> TokenStream,
) -> TokenStream {
    match &when.test {
        WhenTest::OneOf(values) => {
            let mut answers = Vec::new();
            for (field, word) in &when.fields {
                let place = place(*field, 0);
                answers.extend(
                    values
                        .iter()
                        .map(|value| is_held(entity, *field, word, value, &place)),
                );
            }
            code!((#(#answers)||*))
        }
        WhenTest::AnyPart => {
            let answers = when.fields.iter().enumerate().map(|(at, (field, _))| {
                let place = place(*field, at);
                code!(::core::option::Option::is_some(#place))
            });
            code!((#(#answers)||*))
        }
        WhenTest::Function(path) => {
            let arguments = when.fields.iter().enumerate().map(|(at, (field, word))| {
                let ty = respanned(&entity.fields[*field].ty, word.span());
                let place = place(*field, at);
                quote_spanned!(word.span()=> <_ as __d::WhenArgument<'_, #ty>>::of(#place))
            });
            let call = quote_spanned!(path.span()=> #path(#(#arguments),*));
            quote_spanned!(path.span()=> <_ as __d::WhenAnswer>::holds(#call))
        }
    }
}

fn is_held(
    entity: &Entity,
    field: usize,
    word: &Ident,
    value: &WhenValue,
    place: &TokenStream,
) -> TokenStream {
    let ty = &entity.fields[field].ty;
    match value {
        WhenValue::Absent(span) => {
            let is_absent = of(&respanned(ty, *span), &code!(WhenAbsent), "is_absent");
            code!(#is_absent(#place))
        }
        // The type of the value is fixed before it is compared, so that a wrong type is reported as such.
        WhenValue::Equal(value) => {
            let (span, compared) = (value.span(), value.to_token_stream());
            let ty = respanned(ty, word.span());
            quote_spanned!(span=> __d::WhenValue(&#compared).is_held_by::<#ty>(#place))
        }
    }
}

/// Creates the `Result<Option<bool>, _>` for the condition, if its values are known.
pub(super) fn holds_as_known(entity: &Entity, when: &When) -> TokenStream {
    if let (WhenTest::OneOf(_), [(field, _)]) = (&when.test, &*when.fields) {
        let holds = holds(entity, when, |_, _| code!(held));
        return known::holds_of(entity, *field, &code!(|held| #holds));
    }
    let name = |at: usize| local(&format!("value_{at}"));
    let values = when.fields.iter().enumerate().map(|(at, (field, _))| {
        let (name, value) = (name(at), known::value(entity, *field));
        code! {
            let ::core::option::Option::Some(#name) = #value else {
                return ::core::result::Result::Ok(::core::option::Option::None);
            };
        }
    });
    let holds = holds(entity, when, |_, at| {
        let name = name(at);
        code!(&*#name)
    });
    code! {
        {
            #(#values)*
            ::core::result::Result::Ok(::core::option::Option::Some(#holds))
        }
    }
}
