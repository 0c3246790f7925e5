//! The shape of the items of an entity, and the checks between two shapes that follow each other.

use super::agree::{PartMatch, name_or_empty, same_pieces};
use super::overlap::same_text;
use super::{EntityDef, EntityIndexDef, KeyDef, KeySource};

impl EntityDef {
    /// The shape that is written, if one is declared.
    pub(crate) fn written_shape(&self) -> Option<u16> {
        self.shape.map(|shape| shape.writes)
    }

    /// Whether the shape before is written.
    pub(crate) fn writes_older_shape(&self) -> bool {
        self.shape.is_some_and(|shape| shape.writes < shape.number)
    }

    /// Whether items of an older shape are read.
    pub(crate) const fn reads_older_shapes(&self) -> bool {
        match self.shape {
            Some(shape) => shape.older.is_some(),
            None => false,
        }
    }

    /// The declarations of the older shapes that are read, the next one first.
    pub(crate) fn older_shapes(&self) -> impl Iterator<Item = &'static EntityDef> + use<> {
        let older = |def: &EntityDef| def.shape.and_then(|shape| shape.older);
        std::iter::successors(older(self), move |def| older(def))
    }
}

/// The number of the shape of an entity; one without the word has the first.
pub const fn shape_number(entity: &EntityDef) -> u16 {
    match entity.shape {
        Some(shape) => shape.number,
        None => 1,
    }
}

/// Whether two shapes have the same primary key. The types of its parts are compared when an item is read.
pub const fn same_primary_key(new: &EntityDef, old: &EntityDef) -> bool {
    let same_sort = match (&new.sk, &old.sk) {
        (Some(new), Some(old)) => same_key(new, old, false),
        (None, None) => true,
        _ => false,
    };
    same_sort && same_key(&new.pk, &old.pk, false)
}

/// Whether two shapes store the version, the TTL, times and actors under the same names.
pub const fn same_managed(new: &EntityDef, old: &EntityDef) -> bool {
    same_name(new.ttl, old.ttl)
        && same_name(new.version, old.version)
        && same_name(new.created_at, old.created_at)
        && same_name(new.updated_at, old.updated_at)
        && same_name(new.created_by, old.created_by)
        && same_name(new.updated_by, old.updated_by)
}

const fn same_name(new: Option<&'static str>, old: Option<&'static str>) -> bool {
    same_text(name_or_empty(new), name_or_empty(old))
}

/// Whether each index that the new shape queries has the same keys in the old one.
pub const fn same_index_keys(new: &EntityDef, old: &EntityDef) -> bool {
    let mut at = 0;
    while at < new.indexes.len() {
        let index = &new.indexes[at];
        // A `filling` index is allowed to lack the items of the old shape: no query can see it yet.
        if !index.filling && !is_filled_alike(index, old) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_filled_alike(index: &EntityIndexDef, old: &EntityDef) -> bool {
    let mut at = 0;
    while at < old.indexes.len() {
        let other = &old.indexes[at];
        if same_text(index.index, other.index)
            && same_keys(index.pk, other.pk)
            && same_keys(index.sk, other.sk)
            && same_condition(index, other)
        {
            return true;
        }
        at += 1;
    }
    false
}

const fn same_condition(new: &EntityIndexDef, old: &EntityIndexDef) -> bool {
    match (&new.when, &old.when) {
        (Some(new), Some(old)) => same_text(new.condition, old.condition),
        (None, None) => true,
        _ => false,
    }
}

const fn same_keys(new: &[KeyDef], old: &[KeyDef]) -> bool {
    if new.len() != old.len() {
        return false;
    }
    let mut at = 0;
    while at < new.len() {
        if !same_key(&new[at], &old[at], true) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether two keys have one attribute, one type and the same template. In an index, the same fields fill it.
const fn same_key(new: &KeyDef, old: &KeyDef, same_fields: bool) -> bool {
    if !same_text(new.attribute, old.attribute) || new.ty as u8 != old.ty as u8 {
        return false;
    }
    match (new.source, old.source) {
        (KeySource::Field(_), KeySource::Field(_)) => true,
        (KeySource::Number { field: new, .. }, KeySource::Number { field: old, .. }) => {
            same_text(new, old)
        }
        (KeySource::Template(new), KeySource::Template(old)) => {
            // In the primary key the field may have another name, because the key is compared after each conversion.
            // The keys of indexes are not, so they must be made of the same fields.
            let parts = PartMatch {
                field: same_fields,
                form: false,
            };
            same_pieces(new, old, parts)
        }
        _ => false,
    }
}
