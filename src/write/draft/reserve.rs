//! The effect of an update on unique values, derived from the known facts.

use crate::entity::UntypedKey;
use crate::error::Result;
use crate::expr::{Node, UpdateActions};
use crate::write::{HeldUniqueValues, UniqueChanges, UpdateOrigin, known, tell_changes, unique};

/// The values that are claimed and released, and the parts of the stored item on which that relies.
pub(super) fn reserve(
    update: &UpdateActions,
    source: &UpdateOrigin,
    condition: &Node,
    key: &UntypedKey,
    changed: &[&'static str],
) -> Result<(Node, UniqueChanges)> {
    let declared = key.declared;
    // Sentinels expire with their owner, so a new TTL must be written to all of them.
    let renews = unique::ttl_field(declared).is_some_and(|ttl| changed.contains(&ttl));
    let uniques = declared.def.uniques;
    let is_touched = |number: usize| {
        let fields = uniques.get(number).map_or(&[][..], |unique| unique.fields);
        renews || fields.iter().any(|field| changed.contains(field))
    };
    let mut known = known(source, condition, key);
    let before = HeldUniqueValues::of(declared, &known, is_touched)?;
    tell_changes(declared, update, &mut known);
    let after = HeldUniqueValues::of(declared, &known, is_touched)?;
    let unique_changes = UniqueChanges::between(declared, &before, &after, false)?;
    // A loaded entity may be outdated, or changed in memory, so a value that seems unchanged may be a new one. The
    // condition is checked anyway, so its facts need no guard.
    let guard = match source {
        UpdateOrigin::Entity { attributes, .. } => {
            let numbers = (0..uniques.len()).filter(|number| is_touched(*number));
            let fields = numbers
                .flat_map(|number| uniques.get(number).map_or(&[][..], |unique| unique.fields));
            let fields = fields.copied().chain(unique::ttl_field(declared));
            unique::as_loaded(declared, attributes, fields)
                .map_err(|fault| declared.unwritten(fault))?
        }
        _ => Node::all([]),
    };
    Ok((guard, unique_changes))
}
