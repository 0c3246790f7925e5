//! A derived expiry: its value in a write, and its definition.

use proc_macro2::TokenStream;

use super::library::{form, stamp_kind};
use super::tokens::{name, of, option, plain_name};
use crate::model::{Entity, Expiry, Field, FieldRole};

/// The field with a derived expiry.
pub(super) fn derived(entity: &Entity) -> Option<(&Field, &Expiry)> {
    let field = entity.field_of(FieldRole::Ttl)?;
    Some((field, field.expiry.as_ref()?))
}

/// The value of the field after a write, as a `Result`.
pub(super) fn stamping(field: &Field, expiry: &Expiry) -> TokenStream {
    let (seconds, ty, source) = (expiry.seconds, &field.ty, &expiry.source);
    let from = &source.ident;
    let moment = of(&source.ty, &code!(ExpirySource), "moment");
    // A managed time gets its value in this write, so the expiry is derived from that value and not
    // from the old one.
    if !matches!(source.role, FieldRole::CreatedAt | FieldRole::UpdatedAt) {
        return code!(__d::derived_ttl::<#ty>(#moment(&self.#from), #seconds));
    }
    let stamped = of(&source.ty, &code!(ManagedTime), "stamped");
    let (kind, form) = (stamp_kind(source.role), option(form(source.form).as_ref()));
    code! {
        #stamped(&self.#from, stamp, #kind, #form)
            .and_then(|time| __d::derived_ttl::<#ty>(#moment(&time), #seconds))
    }
}

/// Writes the field.
pub(super) fn encode(field: &Field, expiry: &Expiry) -> TokenStream {
    let (stored, name) = (&field.stored, name(&field.stored));
    let stamping = stamping(field, expiry);
    let encode = of(&field.ty, &code!(TtlTime), "encode_ttl");
    code! {
        __d::within(#stored, #stamping.and_then(|ttl| #encode(&ttl, &#name, writer)))?;
    }
}

/// `ExpiryDef`, if the entity has one.
pub(super) fn definition(entity: &Entity) -> TokenStream {
    option(derived(entity).map(|(_, expiry)| {
        let (source, seconds) = (plain_name(&expiry.source.ident), expiry.seconds);
        code!(__d::ExpiryDef { source: #source, seconds: #seconds })
    }))
}

/// Compares the types of the source and the expiry.
pub(super) fn check(entity: &Entity) -> Option<TokenStream> {
    let (field, expiry) = derived(entity)?;
    let source = of(&expiry.source.ty, &code!(ExpirySource), "IS_OPTIONAL");
    let target = of(&field.ty, &code!(TtlTime), "IS_OPTIONAL");
    let message = format!(
        "`{}` may be missing, so `{}` needs to be an `Option` too: without the time, the item does not expire",
        plain_name(&expiry.from),
        plain_name(&field.ident)
    );
    Some(super::tokens::check(
        expiry.from.span(),
        &code!(__d::expiry_fits(#source, #target)),
        &message,
    ))
}
