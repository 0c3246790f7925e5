//! Partition keys with their sort keys, and the fields in both. Lints, command lines and other tools use these
//! properties of keys.

use super::{
    EntitySchema, FieldRole, FieldSchema, IndexKind, IndexSchema, KeySchema, PartSchema,
    PatternSchema, Presence, TableSchema, ValueKind,
};
use crate::json::Tag;

/// A partition key with its sort key: the keys of an entity in its table, or those of an access pattern.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct KeyPair<'s> {
    /// The entity.
    pub entity: &'s EntitySchema,
    /// The access pattern; None if the keys are those of the table.
    pub pattern: Option<&'s PatternSchema>,
    /// The attributes of the partition key. A local index has that of the table.
    pub pk: &'s [KeySchema],
    /// The attributes of the sort key.
    pub sk: &'s [KeySchema],
}

/// A field in a key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FieldInKey<'s> {
    /// Its name.
    pub name: &'s str,
    /// The field; None only if the schema was not declared and does not contain it.
    pub field: Option<&'s FieldSchema>,
    /// The part of a template; None if the value of the field is the key.
    pub part: Option<&'s PartSchema>,
}

/// The precision of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimePrecision {
    /// A day or a month.
    Period,
    /// A point in time.
    Moment,
}

impl TableSchema {
    /// The keys of all entities in their table and in all indexes.
    pub(crate) fn key_pairs(&self) -> impl Iterator<Item = KeyPair<'_>> {
        self.entities.iter().flat_map(|entity| {
            let patterns = entity.patterns.iter();
            std::iter::once(KeyPair::of_table(entity))
                .chain(patterns.map(|pattern| KeyPair::of_pattern(entity, pattern)))
        })
    }

    /// Those that have partitions of their own: local indexes have those of the table.
    pub(crate) fn partitions(&self) -> impl Iterator<Item = KeyPair<'_>> {
        self.key_pairs().filter(|keys| !keys.is_local())
    }

    /// The access patterns of all entities.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = (KeyPair<'_>, &PatternSchema)> {
        let keys = self.key_pairs();
        keys.filter_map(|keys| Some((keys, keys.pattern?)))
    }

    /// The access patterns that fill an index.
    pub(crate) fn filling(&self, index: &IndexSchema) -> impl Iterator<Item = KeyPair<'_>> {
        let patterns = self.patterns();
        patterns
            .filter(|(_, pattern)| pattern.index == index.name)
            .map(|(keys, _)| keys)
    }

    /// Whether the items of another entity may be in the same partition of the index, to be read together.
    pub(crate) fn is_read_together(&self, keys: KeyPair<'_>, pattern: &PatternSchema) -> bool {
        let front = keys.front();
        self.patterns().any(|(other, filled)| {
            filled.index == pattern.index
                && other.entity.name != keys.entity.name
                && other.front() == front
        })
    }

    /// Whether the table lists its entities, and so is declared beside them.
    pub(crate) fn is_shared(&self) -> bool {
        self.type_attribute.is_some() || self.entities.len() != 1
    }
}

impl EntitySchema {
    /// The fields that `key(..)` of the entity takes, each once and in order.
    pub fn key_fields(&self) -> Vec<FieldInKey<'_>> {
        let keys = KeyPair::of_table(self);
        let mut fields: Vec<FieldInKey<'_>> = Vec::new();
        for field in [keys.partition_fields(), keys.sort_fields()].concat() {
            match fields.iter_mut().find(|known| known.name == field.name) {
                // The key needs the whole field, which also determines the cut.
                Some(known) if field.format().is_none() => *known = field,
                Some(_) => {}
                None => fields.push(field),
            }
        }
        fields
    }
}

impl<'s> KeyPair<'s> {
    /// The keys of the table.
    pub fn of_table(entity: &'s EntitySchema) -> Self {
        KeyPair {
            entity,
            pattern: None,
            pk: std::slice::from_ref(&entity.pk),
            sk: entity.sk.as_slice(),
        }
    }

    /// The keys of an access pattern of the entity.
    pub fn of_pattern(entity: &'s EntitySchema, pattern: &'s PatternSchema) -> Self {
        KeyPair {
            entity,
            pattern: Some(pattern),
            pk: entity.partition_key(Some(pattern)),
            sk: &pattern.sk,
        }
    }

    fn is_local(&self) -> bool {
        self.pattern
            .is_some_and(|pattern| pattern.kind == IndexKind::Local)
    }

    /// The fields in the partition key.
    pub fn partition_fields(&self) -> Vec<FieldInKey<'s>> {
        self.fields_of(self.pk)
    }

    /// The fields in the sort key.
    pub fn sort_fields(&self) -> Vec<FieldInKey<'s>> {
        self.fields_of(self.sk)
    }

    fn fields_of(&self, keys: &'s [KeySchema]) -> Vec<FieldInKey<'s>> {
        let fields = keys.iter().flat_map(|key| {
            let bare = key.whole_field().map(|name| (name, None));
            let parts = key.parts().map(|part| (part.field.as_str(), Some(part)));
            bare.into_iter().chain(parts)
        });
        let fields = fields.map(|(name, part)| FieldInKey {
            name,
            field: self.entity.field(name),
            part,
        });
        fields.collect()
    }

    /// Whether a partition is spread over several.
    pub(crate) fn is_spread(&self) -> bool {
        self.pk.iter().any(|key| key.shards() > Some(1))
    }

    /// Whether the key tells no two items apart, so that there is one.
    pub(crate) fn is_one_item(&self) -> bool {
        self.pattern.is_none()
            && self.partition_fields().is_empty()
            && self.sort_fields().is_empty()
    }

    /// The partition key, as it is declared.
    pub(crate) fn partition_text(&self) -> String {
        let keys: Vec<String> = self.pk.iter().map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    }

    /// The text that the partition key begins with.
    fn front(&self) -> Option<&'s str> {
        self.pk.first()?.front()
    }

    /// How many values `when` lets a field have, if it says that.
    pub(crate) fn values_by_when(&self, field: &str) -> Option<usize> {
        let (pinned, values) = self.pattern?.pinned()?;
        (pinned == field).then_some(values)
    }
}

impl PatternSchema {
    /// The field of `when(field = ..)`, and how many values it may have.
    pub(crate) fn pinned(&self) -> Option<(&str, usize)> {
        let [field] = &self.when_fields[..] else {
            return None;
        };
        (!self.when_values.is_empty()).then_some((field, self.when_values.len()))
    }
}

impl<'s> FieldInKey<'s> {
    /// The text after the colon in the template, such as `08` or `date:last`.
    pub fn format(&self) -> Option<&'s str> {
        self.part?.format.as_deref()
    }

    /// The format that cuts it or changes its case, so that the key holds less than the field.
    pub(crate) fn cut(&self) -> Option<&'s str> {
        self.part?.cut()
    }

    /// Whether this is the same part of the same field as another one.
    pub(crate) fn is_like(&self, other: &FieldInKey<'_>) -> bool {
        (self.name, self.cut()) == (other.name, other.cut())
    }

    /// Whether the template sets the number of decimals, so that no other number has this text.
    pub(crate) fn has_decimals(&self) -> bool {
        self.part.is_some_and(|part| part.decimals().is_some())
    }

    pub(crate) fn presence(&self) -> Presence {
        self.part.map_or(Presence::Always, |part| part.presence)
    }

    /// Whether an item is not in the index if the field is None.
    pub(crate) fn leaves_items_out(&self) -> bool {
        match self.part {
            Some(part) => part.presence == Presence::Optional,
            None => self
                .field
                .is_some_and(|field| field.rust_type.contains("Option<")),
        }
    }

    pub(crate) fn role(&self) -> Option<FieldRole> {
        self.field.map(|field| field.role)
    }

    pub(crate) fn is_flag(&self) -> bool {
        self.field.is_some_and(FieldSchema::is_flag)
    }

    pub(crate) fn is_float(&self) -> bool {
        let kind = self.field.and_then(FieldSchema::kind);
        matches!(kind, Some(ValueKind::Float { .. }))
    }

    /// Its precision, if it is a time.
    pub(crate) fn time(&self) -> Option<TimePrecision> {
        match self.cut() {
            Some("date" | "month" | "year") => Some(TimePrecision::Period),
            Some("s" | "ms" | "s:lower" | "ms:lower" | "epoch" | "epoch_ms") => {
                Some(TimePrecision::Moment)
            }
            _ => self.field?.time(),
        }
    }
}

impl FieldSchema {
    /// The kind of its type by the stored values, or else by the name of the type; None if the library does not know
    /// the type.
    pub fn kind(&self) -> Option<ValueKind> {
        match self.type_name() {
            "str" => Some(ValueKind::Text),
            name => ValueKind::of_name(name),
        }
    }

    /// The name of its type without parameters, by what it stores; by how it is written if that is not known.
    pub(crate) fn type_name(&self) -> &str {
        match &self.value_type {
            Some(known) => known.split('<').next().unwrap_or_default(),
            None => written_name(&self.rust_type),
        }
    }

    /// The number of elements of an array or a vector; None for other types.
    pub(crate) fn fixed_length(&self) -> Option<usize> {
        let known = self.value_type.as_deref()?.strip_prefix('[')?;
        let (_, length) = known.strip_suffix(']')?.rsplit_once(';')?;
        length.trim().parse().ok()
    }

    /// Whether it is a text of any length.
    pub(crate) fn is_free_text(&self) -> bool {
        self.kind() == Some(ValueKind::Text)
    }

    /// Whether it is yes or no.
    pub(crate) fn is_flag(&self) -> bool {
        self.stored == Some(Tag::Bool) || self.kind() == Some(ValueKind::Flag)
    }

    /// Its precision, if it is a time.
    pub(crate) fn time(&self) -> Option<TimePrecision> {
        match (self.role, self.kind()) {
            (FieldRole::CreatedAt | FieldRole::UpdatedAt | FieldRole::Ttl, _) => {
                Some(TimePrecision::Moment)
            }
            (_, Some(ValueKind::Day | ValueKind::Month | ValueKind::Year)) => {
                Some(TimePrecision::Period)
            }
            (_, Some(ValueKind::Moment(_))) => Some(TimePrecision::Moment),
            _ => None,
        }
    }
}

/// The name of a type without its path and parameters; that of what an `Option`, a `Box` or a reference holds.
fn written_name(written: &str) -> &str {
    let mut inner = written.trim();
    loop {
        inner = inner.trim_start_matches('&').trim();
        if let Some(rest) = inner.strip_prefix('\'') {
            inner = rest.split_once(' ').map_or("", |(_, rest)| rest);
            continue;
        }
        let (path, held) = match inner.split_once('<') {
            Some((path, held)) => (path, Some(held)),
            None => (inner, None),
        };
        let name = path.rsplit("::").next().unwrap_or_default().trim();
        match (name, held) {
            ("Option" | "Box" | "Arc" | "Rc", Some(held)) => {
                inner = held.trim_end().trim_end_matches('>').trim();
            }
            ("Cow", Some(held)) => {
                inner = held
                    .split_once(',')
                    .map_or(held, |(_, held)| held)
                    .trim_end_matches('>')
                    .trim()
            }
            _ => return name,
        }
    }
}
