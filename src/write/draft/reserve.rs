//! What an update does to unique values, derived from what is known.

use super::source::{UpdateOrigin, known, tell_changes};
use crate::entity::{DynamoEntity, Key};
use crate::error::{Error, Result};
use crate::expr::{Node, UpdateActions};
use crate::write::{Holdings, UniqueExchange, unique};

/// Which values are taken and given up, and what that relies on in the stored item.
pub(super) fn reserve<E: DynamoEntity>(
    update: &UpdateActions,
    source: &UpdateOrigin,
    condition: &Node,
    key: &Key<E>,
    changed: &[&'static str],
) -> Result<(Node, UniqueExchange)> {
    let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
    let renews = unique::ttl_field::<E>().is_some_and(|ttl| changed.contains(&ttl));
    let uniques = E::ENTITY.uniques;
    let is_touched = |number: usize| {
        let fields = uniques.get(number).map_or(&[][..], |unique| unique.fields);
        renews || fields.iter().any(|field| changed.contains(field))
    };
    let mut known = known::<E>(source, condition, key).map_err(fail)?;
    let before = Holdings::of::<E>(&known, is_touched)?;
    tell_changes::<E>(update, &mut known);
    let after = Holdings::of::<E>(&known, is_touched)?;
    let exchange = UniqueExchange::between::<E>(&before, &after, false)?;
    // A loaded entity may be out of date, or changed in memory, so a value that seems to stay may be a new one. The
    // condition is asked anyway, so what it says needs no guard.
    let guard = match source {
        UpdateOrigin::Entity { attributes, .. } => {
            let numbers = (0..uniques.len()).filter(|number| is_touched(*number));
            let fields = numbers
                .flat_map(|number| uniques.get(number).map_or(&[][..], |unique| unique.fields));
            let fields = fields.copied().chain(unique::ttl_field::<E>());
            unique::as_loaded::<E>(attributes, fields).map_err(fail)?
        }
        _ => Node::all([]),
    };
    Ok((guard, exchange))
}
