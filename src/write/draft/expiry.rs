//! The derived expiry of an item after an update.

use super::complete::refused;
use crate::entity::{EntityDeclaration, Known, UntypedKey};
use crate::error::Result;
use crate::expr::{UpdateAction, UpdateActions, UpdateOperand};
use crate::write::attribute_of;

/// Sets the derived expiry, if the update changes its source or may create the item.
pub(crate) fn derive_expiry(
    declared: &EntityDeclaration,
    update: &mut UpdateActions,
    key: &UntypedKey,
    creates: bool,
) -> Result<()> {
    let (Some(expiry), Some(ttl)) = (declared.def.expiry, declared.def.ttl) else {
        return Ok(());
    };
    let source = attribute_of(declared, expiry.source).map(|(_, known)| known.stored);
    let change = {
        let mut actions = update.place_actions();
        let change = actions.find(|(place, _)| Some(&**place.attribute_name()) == source);
        change.map(|(_, action)| action.clone())
    };
    let known = Source {
        declared,
        field: expiry.source,
    };
    let action = match change {
        Some(UpdateAction::Set(json)) => known.action(&known.is(&json))?,
        Some(UpdateAction::Remove) => known.action(&known.is_absent())?,
        // An item that already has the source also has its expiry. If an older program wrote the item, a refill adds
        // it.
        Some(UpdateAction::SetIfAbsent(UpdateOperand::Json(json))) => {
            let derived = known.action(&known.is(&json))?;
            derived.map(|action| match action {
                UpdateAction::Set(json) => UpdateAction::SetIfAbsent(UpdateOperand::Json(json)),
                other => other,
            })
        }
        // A sum or another computed value is known only to DynamoDB, so nothing can be derived from
        // it here.
        Some(_) => None,
        None if creates => match known.action(key.told())? {
            None => return Ok(()),
            action => action,
        },
        None => return Ok(()),
    };
    let Some(action) = action else {
        let message = format!(
            "the expiry `{ttl}` is derived from `{}`, so its new value must be known: `set` it to a value, or use `modify`",
            expiry.source
        );
        return Err(refused(declared, message));
    };
    update.replace_action(ttl, action);
    Ok(())
}

/// The source of the expiry.
struct Source<'d> {
    declared: &'d EntityDeclaration,
    field: &'static str,
}

impl Source<'_> {
    fn is(&self, json: &[u8]) -> Known {
        let mut known = Known::default();
        known.tell_json(self.field, json.to_vec());
        known
    }

    fn is_absent(&self) -> Known {
        let mut known = Known::default();
        known.tell_absent(self.field);
        known
    }

    /// The change of the expiry; `None` if the source is not known.
    fn action(&self, known: &Known) -> Result<Option<UpdateAction>> {
        let derived = (self.declared.derive_expiry)(known);
        let derived = derived.map_err(|fault| self.declared.unwritten(fault))?;
        Ok(derived.map(|json| json.map_or(UpdateAction::Remove, UpdateAction::Set)))
    }
}
