//! What the keys of partitions begin with, as IAM compares texts.

use std::collections::BTreeSet;

use super::Partitions;
use crate::key::escape_part;
use crate::schema::{
    EntitySchema, KeyContent, KeySchema, KeyType, PatternSchema, PieceSchema, Style, TableSchema,
};

/// The partitions of the table that an entity is in, and those of the items that keep its unique values.
pub(super) fn of_entity(table: &TableSchema, entity: &EntitySchema) -> Partitions {
    let mut partitions = of_key(&entity.pk)?;
    partitions.extend(of_uniques(table, entity));
    Some(partitions)
}

/// The partitions of the items that keep the unique values of an entity, and of no other: in a table of several they begin with
/// its stored name, in one of its own with that of the value.
fn of_uniques(table: &TableSchema, entity: &EntitySchema) -> impl Iterator<Item = String> {
    let is_shared = table.type_attribute.is_some();
    entity.uniques.iter().map(move |unique| {
        let mut front = b"$UNIQUE#".to_vec();
        let name = match is_shared {
            true => &entity.stored_name,
            false => &unique.stored,
        };
        escape_part(name, Style::Escaped, &mut front);
        format!("{}#*", escaped(&String::from_utf8_lossy(&front)))
    })
}

/// The partitions of an index that an entity is in; a local index has those of its table.
pub(super) fn of_pattern(entity: &EntitySchema, pattern: &PatternSchema) -> Partitions {
    match &*pattern.pk {
        [] => of_key(&entity.pk),
        [key] => of_key(key),
        // Which of several attributes would be compared is not documented.
        _ => None,
    }
}

fn of_key(key: &KeySchema) -> Partitions {
    let KeyContent::Template(pieces) = &key.content else {
        return None;
    };
    if key.ty != KeyType::S {
        return None;
    }
    let texts = pieces.iter().map_while(|piece| match piece {
        PieceSchema::Text(text) => Some(text.as_str()),
        PieceSchema::Part(_) | PieceSchema::Shard(_) => None,
    });
    let texts: Vec<&str> = texts.collect();
    let rest = if texts.len() < pieces.len() { "*" } else { "" };
    let begin = escaped(&texts.concat());
    (!begin.is_empty()).then(|| BTreeSet::from([format!("{begin}{rest}")]))
}

/// A text in which IAM finds nothing to replace and nothing that stands for others.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('*' | '?', _) | ('$', Some('{')) => {
                out.push_str("${");
                out.push(letter);
                out.push('}');
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn texts_stand_for_themselves() {
        assert_eq!(escaped("ORDER#"), "ORDER#");
        assert_eq!(escaped("$UNIQUE"), "$UNIQUE");
        assert_eq!(escaped("a*b?${c}"), "a${*}b${?}${$}{c}");
    }
}
