//! Rules for the access patterns of an entity.

use crate::check::service::{MOST_ATTRIBUTES, indexes_are_few, local_index_needs_a_sort_key};
use crate::check::types::is_option;
use crate::check::uses;
use crate::diag::Diag;
use crate::marks::{EntityMarks, IndexMarks};
use crate::model::{
    Entity, Format, Index, IndexKind, IndexProjection, KeySource, NoneSide, Piece, parts_that_end,
};

pub(super) fn check(entity: &Entity, marks: &EntityMarks, diag: &Diag) {
    for (index, marks) in entity.indexes.iter().zip(&marks.indexes) {
        sparse_keys_are_templates(index, marks, diag);
        none_sorts_in_sort_keys(entity, &index.pk, diag);
        ends_after_a_text(entity, index, diag);
        one_part_stays_beside_a_condition(entity, index, marks, diag);
        conditions_are_stored(entity, index, diag);
        let sort_key = "a primary key with a sort key; add `sk` to `key(..)`";
        let is_sorted = entity.sk.is_some();
        local_index_needs_a_sort_key((index.kind, &index.name), is_sorted, sort_key, diag);
        lists_are_short(index, diag);
        lists_stand_beside_fields(index, diag);
        one_index_is_filled_for_all(entity, index, diag);
        projected_fields_are_stored(entity, index, marks, diag);
    }
    none_sorts_in_sort_keys(entity, entity.primary(), diag);
    primary_keys_never_end(entity, diag);
    if entity.own_table().is_some() {
        distinct_indexes_are_few(entity, diag);
    }
}

/// A key that ends at a None has a text before it, and no optional part after it keeps the item out of the index.
fn ends_after_a_text(entity: &Entity, index: &Index, diag: &Diag) {
    let ends = |format: &Format| format.none == Some(NoneSide::Ends);
    for template in index.keys().filter_map(KeySource::template) {
        let at = |piece: &Piece| matches!(piece, Piece::Part { format, .. } if ends(format));
        let Some(first) = template.pieces.iter().position(at) else {
            continue;
        };
        let (before, after) = template.pieces.split_at(first);
        if before.is_empty()
            && let Some((field, format)) = template.parts().next()
        {
            let part = uses::placeholder(&entity.fields[field], format);
            let message = format!(
                "{part}: a key that ends here would be empty; write a text before it, as in \"TASK#{}\"",
                part.trim_matches('"')
            );
            diag.at(template.span, message);
        }
        for piece in after {
            let Piece::Part { field, format } = piece else {
                continue;
            };
            let field = &entity.fields[*field];
            if format.none.is_none() && is_option(&field.ty) {
                let ended = Format {
                    none: Some(NoneSide::Ends),
                    ..*format
                };
                let message = format!(
                    "{}: this part follows one with `ends`, and without `ends` its None leaves the item out of the index; write {}",
                    uses::placeholder(field, *format),
                    uses::placeholder(field, ended)
                );
                diag.at(template.span, message);
            }
        }
    }
}

/// An index whose parts all have `ends` has a condition already: an item without a value for any of them is not in it.
fn one_part_stays_beside_a_condition(
    entity: &Entity,
    index: &Index,
    marks: &IndexMarks,
    diag: &Diag,
) {
    let (Some(when), IndexKind::Global) = (marks.when, index.kind) else {
        return;
    };
    let parts = parts_that_end(index.keys());
    if let Some(&(field, format)) = parts.as_deref().and_then(<[_]>::first) {
        let message = format!(
            "all parts of this index have `ends`, so it contains the items with a value for any of them, and takes no other condition; \
             write {}, or remove `when`",
            uses::placeholder(&entity.fields[field], format.unplaced())
        );
        diag.at(when, message);
    }
}

/// A part of a primary key is never None.
fn primary_keys_never_end(entity: &Entity, diag: &Diag) {
    for part in entity.primary().flat_map(uses::parts) {
        let (Some(format), Some(field)) = (part.format, entity.fields.get(part.field)) else {
            continue;
        };
        if format.none == Some(NoneSide::Ends) {
            let message = format!(
                "{} ends the key at a None, which a primary key never has; write {}",
                uses::placeholder(field, format),
                uses::placeholder(field, format.unplaced())
            );
            diag.at(part.span, message);
        }
    }
}

/// `first` and `last` set the position of a None in the order. A partition key has no order, and a primary key has no
/// None.
fn none_sorts_in_sort_keys<'a>(
    entity: &Entity,
    keys: impl IntoIterator<Item = &'a KeySource>,
    diag: &Diag,
) {
    for part in keys.into_iter().flat_map(uses::parts) {
        let (Some(format), Some(field)) = (part.format, entity.fields.get(part.field)) else {
            continue;
        };
        if matches!(format.none, Some(NoneSide::First | NoneSide::Last)) {
            let message = format!(
                "{} sets the position of a None, which only the sort key of an index has; write {}",
                uses::placeholder(field, format),
                uses::placeholder(field, format.unplaced())
            );
            diag.at(part.span, message);
        }
    }
}

/// `when` removes key attributes, but the index may not remove the attribute of a bare field.
fn sparse_keys_are_templates(index: &Index, marks: &IndexMarks, diag: &Diag) {
    let Some(when) = marks.when else { return };
    if index.pk.len() > 1 || index.sk.len() > 1 {
        diag.at(
            when,
            "`when` and a list exclude each other; every key of such an index is a template",
        );
        return;
    }
    for source in index.keys() {
        if let KeySource::Field { span, .. } = source {
            let message = "this index has a `when`, and every key of such an index is a \
                template; write `\"{field}\"`";
            diag.at(*span, message);
        }
    }
}

/// `when` looks at an attribute, which `skip` and `rest` fields do not have.
fn conditions_are_stored(entity: &Entity, index: &Index, diag: &Diag) {
    for (field, word) in index.when.iter().flat_map(|when| &when.fields) {
        if !entity.fields[*field].is_stored() {
            diag.at(
                word.span(),
                format!("`{word}` has no attribute of its own; `when` needs a stored field"),
            );
        }
    }
}

/// The partition key of a gsi has up to four attributes, and so has its sort key.
fn lists_are_short(index: &Index, diag: &Diag) {
    for list in [&index.pk, &index.sk] {
        if let Some(KeySource::Field { span, .. }) = list.get(MOST_ATTRIBUTES) {
            let message = format!(
                "a list holds at most {MOST_ATTRIBUTES} fields, this one has {}",
                list.len()
            );
            diag.at(*span, message);
        }
    }
}

/// If one key of an index is a list, all of its keys are bare fields.
fn lists_stand_beside_fields(index: &Index, diag: &Diag) {
    if index.pk.len() < 2 && index.sk.len() < 2 {
        return;
    }
    for source in index.keys() {
        let span = match source {
            KeySource::Field { .. } => continue,
            KeySource::Number { span, .. } => *span,
            KeySource::Template(template) => template.span,
        };
        let message = "the keys of an index with a list are bare fields; write the field's name";
        diag.at(span, message);
    }
}

/// The patterns of one index have the same keys, so old items miss them for all of these patterns or for none.
fn one_index_is_filled_for_all(entity: &Entity, index: &Index, diag: &Diag) {
    let mut others = entity.indexes.iter().filter(|other| other.on == index.on);
    let Some(filling) = others
        .find(|other| other.filling)
        .filter(|_| !index.filling)
    else {
        return;
    };
    let (name, other, on) = (&index.name, &filling.name, &index.on);
    let message = format!(
        "`{name}` queries the index `{on}`, which `{other}` is `filling`; write `filling` here too, or remove it there"
    );
    diag.at(name.span(), message);
}

/// A projection names attributes, each once.
fn projected_fields_are_stored(entity: &Entity, index: &Index, marks: &IndexMarks, diag: &Diag) {
    let (IndexProjection::Only(fields), Some(span)) = (&index.project, marks.project) else {
        return;
    };
    for (at, number) in fields.iter().enumerate() {
        let Some(field) = entity.fields.get(*number) else {
            continue;
        };
        if !field.is_stored() {
            let message = format!(
                "`{}` has no attribute of its own and cannot be projected; remove it from the list",
                field.ident
            );
            diag.at(span, message);
        } else if fields.iter().take(at).any(|other| other == number) {
            diag.at(
                span,
                format!("`{}` is projected twice; keep one", field.ident),
            );
        }
    }
}

/// Several access patterns of one index count once.
fn distinct_indexes_are_few(entity: &Entity, diag: &Diag) {
    let mut distinct: Vec<&Index> = Vec::new();
    for index in &entity.indexes {
        let is_same = |other: &&Index| other.kind == index.kind && other.on == index.on;
        if !distinct.iter().any(is_same) {
            distinct.push(index);
        }
    }
    let indexes = distinct.into_iter();
    let indexes: Vec<_> = indexes.map(|index| (index.kind, &index.name)).collect();
    indexes_are_few(
        &indexes,
        "; let several patterns share one by `on = ..`",
        diag,
    );
}
