//! Whether rows of other entities can be among those of a query.

use super::overlap::{is_fallback, key_may_meet, may_begin, same_text};
use super::{EntityDef, EntityIndexDef, KeyDef, Piece, TableDef};

/// Whether another entity could have rows among the keys with the same beginning: the same partition key, and a sort
/// key that begins with `front`. In doubt, it returns true.
pub(crate) fn others_may_be_among(
    table: &TableDef,
    entities: &[&EntityDef],
    entity: &EntityDef,
    index: Option<&EntityIndexDef>,
    front: &'static [Piece],
) -> bool {
    let mut others = entities.iter().filter(|other| other.id != entity.id);
    match index {
        None => others
            .any(|other| is_among(table, entity, None, &[other.pk], other.sk.as_slice(), front)),
        Some(index) => others.any(|other| {
            let mut same = other
                .indexes
                .iter()
                .filter(|other| same_text(other.index, index.index));
            same.any(|theirs| {
                let own_pk = [other.pk];
                // A local index has the partition key of its table.
                let pk = if theirs.pk.is_empty() {
                    &own_pk
                } else {
                    theirs.pk
                };
                is_among(table, entity, Some(index), pk, theirs.sk, front)
            })
        }),
    }
}

fn is_among(
    table: &TableDef,
    entity: &EntityDef,
    index: Option<&EntityIndexDef>,
    pk: &[KeyDef],
    sk: &[KeyDef],
    front: &'static [Piece],
) -> bool {
    if is_fallback(entity) {
        return false;
    }
    let own_pk = [entity.pk];
    let mine = match index {
        Some(index) if !index.pk.is_empty() => index.pk,
        _ => &own_pk,
    };
    let may_share = mine
        .iter()
        .zip(pk)
        .all(|(mine, theirs)| key_may_meet(mine, theirs, table.style));
    may_share
        && sk
            .first()
            .is_none_or(|sk| may_begin(front, sk, table.style))
}
