//! The beginnings of the keys of partitions, as IAM compares texts.

use super::partitions::{KeyCondition, Partitions};
use crate::error::{Error, Result};
use crate::export::key_text::{FieldValues, KeyLimit, KeyReader};
use crate::key::escape_part;
use crate::schema::{KeySchema, PatternSchema, Style};

impl KeyReader<'_> {
    /// The partitions of something, or an error if the values of fields make no difference to them: it would be allowed for
    /// all values.
    pub(super) fn limited_partitions(
        &self,
        what: &str,
        partitions: impl Fn(&KeyReader<'_>) -> Partitions,
    ) -> Result<Partitions> {
        let limited = partitions(self);
        let plain = KeyReader {
            values: &FieldValues::new(),
            ..*self
        };
        // If the value changes nothing, it is in no key here. The policy would then reach the rows
        // of all values.
        match self.values.is_empty() || limited != partitions(&plain) {
            true => Ok(limited),
            false => Err(unlimited_error(what, self.values)),
        }
    }

    /// The partitions of the table that the entity is in, those of the items that keep its unique values, and those of its
    /// rows under another key.
    pub(super) fn of_entity(&self) -> Partitions {
        let own = self.leading_partitions(&self.entity.pk);
        let mut others = self.table.entities.iter();
        let second = self.entity.second_key.as_ref();
        let second = second
            .and_then(|second| others.find(|other| other.identity(self.table) == second.other));
        let own = match second {
            Some(other) => own.union_with(&self.leading_partitions(&other.pk)),
            None => own,
        };
        // Each write takes and releases unique values, and their items have partitions of their
        // own.
        let limits = self.unique_limits().chain(self.large_limits());
        limits.fold(own, |all, unique| {
            all.union_with(&Partitions::any_partition().limited_by(KeyCondition::Leading, unique))
        })
    }

    /// The partitions of the items that keep the unique values of the entity, and of no other: in a table of several they
    /// begin with its stored name, in one of its own with that of the value. Known values limit them further.
    fn unique_limits(&self) -> impl Iterator<Item = Option<KeyLimit>> + '_ {
        let is_shared = self.table.type_attribute.is_some();
        self.entity.uniques.iter().map(move |unique| {
            if let Some(row) = &unique.row {
                return self.known_limit(&row.pk);
            }
            let has_known = unique
                .fields
                .iter()
                .any(|field| self.values.contains_key(field));
            let mut front = b"$UNIQUE#".to_vec();
            let mut push_name = |name: &str| {
                escape_part(name, Style::Escaped, &mut front);
                front.push(b'#');
            };
            if is_shared {
                push_name(&self.entity.stored_name);
            }
            // Without a known value, one text covers all unique values of an entity in a shared table.
            if !is_shared || has_known {
                push_name(&unique.stored);
            }
            let front = String::from_utf8_lossy(&front).into_owned();
            Some(match has_known {
                true => self.unique_limit(unique, front),
                false => KeyLimit::Beginning(front),
            })
        })
    }

    /// The partitions of the rows of its lists and blobs. Their keys contain that of the item, so they have the same limits.
    fn large_limits(&self) -> impl Iterator<Item = Option<KeyLimit>> + '_ {
        let is_shared = self.table.type_attribute.is_some();
        self.entity.large.iter().flat_map(move |value| {
            let mut front = b"$LARGE#".to_vec();
            if is_shared {
                escape_part(&self.entity.stored_name, Style::Escaped, &mut front);
                front.push(b'#');
            }
            escape_part(&value.stored, Style::Escaped, &mut front);
            front.push(b'#');
            let within = |pk: &str| {
                let mut text = front.clone();
                escape_part(pk, Style::Escaped, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            };
            match self.known_limit(&self.entity.pk) {
                // A sort key and the id of a part follow after a separator, so that `ann` does not allow `anna` too.
                Some(KeyLimit::Exact(pk)) => vec![
                    Some(KeyLimit::Exact(within(&pk))),
                    Some(KeyLimit::Beginning(format!("{}#", within(&pk)))),
                ],
                Some(KeyLimit::Beginning(pk) | KeyLimit::Enclosed(pk, _)) => {
                    vec![Some(KeyLimit::Beginning(within(&pk)))]
                }
                None => vec![Some(KeyLimit::Beginning(within("")))],
            }
        })
    }

    /// The partitions of an index that the entity is in; a local index has those of its table.
    pub(super) fn of_pattern(&self, pattern: &PatternSchema) -> Partitions {
        match &*pattern.pk {
            [] => self.leading_partitions(&self.entity.pk),
            [key] => self.leading_partitions(key),
            several => {
                let keys = KeyCondition::OF_SEVERAL.into_iter().zip(several);
                keys.fold(Partitions::any_partition(), |all, (condition, key)| {
                    all.limited_by(condition, self.known_limit(key))
                })
            }
        }
    }

    fn leading_partitions(&self, key: &KeySchema) -> Partitions {
        Partitions::any_partition().limited_by(KeyCondition::Leading, self.known_limit(key))
    }
}

/// The error of a policy that would allow more than its values say.
pub(super) fn unlimited_error(what: &str, values: &FieldValues) -> Error {
    let fields: Vec<String> = values.keys().map(|field| format!("`{field}`")).collect();
    Error::config(format!(
        "a policy with a value of {} cannot allow {what}, which would reach the partitions of all values: give that to another \
         role",
        fields.join(", ")
    ))
}
