//! The write of a whole item in another shape than the stored one. It is an update, so that attributes which no shape
//! knows are kept.

use crate::dynamo::Dynamo;
use crate::entity::field::is_derived;
use crate::entity::shape::stored_shape;
use crate::entity::{Created, EntityDeclaration, ManagedValues, UntypedEntity, UntypedKey};
use crate::error::Result;
use crate::expr::{UpdateAction, UpdateActions};
use crate::json::Names;
use crate::plan::size;
use crate::schema::{EntityDef, Pattern, SHAPE};
use crate::write::difference::{Attributes, attributes};
use crate::write::unchanged::unchanged;
use crate::write::{Edit, UniqueChanges, UpdateOrigin, split, stamp_fields};

/// Whether an item has another shape than the one that is written. If the shape before is written, changes of single
/// attributes are those of another shape, so the whole item is written too.
pub(crate) fn is_of_other_shape(declared: &EntityDeclaration, stored: &[u8]) -> Result<bool> {
    let Some(written) = declared.def.written_shape() else {
        return Ok(false);
    };
    let found = stored_shape(stored).map_err(|fault| declared.unwritten(fault))?;
    // While the older shape is written, the entity in memory and the item differ in every
    // attribute, so single changes are never enough.
    Ok(found != written || declared.def.writes_older_shape())
}

/// The write of the new entity in the place of the item that was read as the old one; None if nothing differs.
pub(super) fn reshaped(
    db: &Dynamo,
    of: (&'static Pattern, &UntypedKey),
    stored: &[u8],
    old: &dyn UntypedEntity,
    new: &dyn UntypedEntity,
) -> Result<Option<Edit>> {
    let fail = |fault| of.1.declared.unwritten(fault);
    let (before, after) = (
        attributes(old).map_err(fail)?,
        attributes(new).map_err(fail)?,
    );
    let managed = of.1.declared.def.managed();
    let is_field = |name: &str| !managed.contains(&Some(name));
    let fields = |all: &Attributes| -> Attributes {
        let mut fields = all.clone();
        fields.retain(|(name, _)| is_field(name));
        fields.sort();
        fields
    };
    // Managed fields are excluded, because the library changes them only together with another
    // change.
    if fields(&before) == fields(&after) {
        return Ok(None);
    }
    edit(db, of, stored, old, (&before, &after)).map(Some)
}

/// The write of an item in the present shape, without any other change.
pub(crate) fn upgraded(
    db: &Dynamo,
    of: (&'static Pattern, &UntypedKey),
    stored: &[u8],
    entity: &dyn UntypedEntity,
) -> Result<Edit> {
    let after = attributes(entity).map_err(|fault| of.1.declared.unwritten(fault))?;
    edit(db, of, stored, entity, (&after, &after))
}

/// Sets what differs from the stored item, and removes what only the stored shape has. The version is raised.
fn edit(
    db: &Dynamo,
    (pattern, key): (&'static Pattern, &UntypedKey),
    stored: &[u8],
    old: &dyn UntypedEntity,
    (before, after): (&Attributes, &Attributes),
) -> Result<Edit> {
    let declared = key.declared;
    let (def, table) = (declared.def, declared.table);
    let fail = |fault| declared.unwritten(fault);
    let managed = def.managed();
    let is_kept =
        |name: &str| name == table.pk || table.sk == Some(name) || managed.contains(&Some(name));
    let item = split(stored).map_err(fail)?;
    let (held, seen, fresh) = (
        Names::of_json(&item),
        Names::of_json(before),
        Names::of_json(after),
    );
    let sizes = after.iter().map(|(name, json)| (&**name, &**json));
    size::check_least(def.type_name, sizes)?;
    let mut update = UpdateActions::default();
    for (name, json) in after.iter().filter(|(name, _)| !is_kept(name)) {
        if held.get_named(name) != Some(json.as_slice()) {
            update.set_action(name.clone(), UpdateAction::Set(json.clone()));
        }
    }
    for (name, _) in item.iter().filter(|(name, _)| !is_kept(name)) {
        // Attributes that no shape declares belong to other programs and remain.
        if !fresh.has_name(name) && (seen.has_name(name) || is_of_a_shape(declared, name)) {
            update.set_action(name.clone(), UpdateAction::Remove);
        }
    }
    let now = db.now();
    let loaded = UpdateOrigin::version_of(old).map_err(fail)?;
    let stamp = ManagedValues::write(1, now, Created::Now).by(db.current_actor());
    stamp_fields(declared, &mut update, &loaded, false, &stamp).map_err(fail)?;
    let touched = before.iter().chain(after);
    let seen: Vec<String> = touched.map(|(name, _)| name.clone()).collect();
    Ok(Edit {
        pattern,
        key: key.clone(),
        update,
        asked: unchanged(declared, &loaded, &seen, stored, db).map_err(fail)?,
        unique_changes: UniqueChanges::default(),
    })
}

/// Whether this shape or an older one has an attribute of this name.
fn is_of_a_shape(declared: &EntityDeclaration, name: &str) -> bool {
    let is_of = |def: &EntityDef| {
        let mut fields = def.attributes.iter();
        fields.any(|field| field.names().any(|known| known == name))
            || is_derived(def, declared.table, name)
    };
    name == SHAPE || is_of(declared.def) || declared.def.older_shapes().any(is_of)
}
