//! The model as the rules look at it: keys with the fields in them.

use super::{Lint, LintPlace, LintRule};
use crate::json::Tag;
use crate::schema::{
    EntitySchema, FieldRole, FieldSchema, IndexKind, IndexSchema, KeyContent, KeySchema,
    PatternSchema, PieceSchema, Presence, TableSchema, Width,
};

/// The findings of the rules.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) lints: Vec<Lint>,
    rule: Option<LintRule>,
}

impl Findings {
    pub(super) fn of_rule(&mut self, rule: LintRule, model: &LintModel<'_>) {
        self.rule = Some(rule);
        rule.check()(model, self);
    }

    pub(super) fn add(&mut self, place: LintPlace, message: String, fix: impl Into<String>) {
        let Some(rule) = self.rule else { return };
        let fix = fix.into();
        self.lints.push(Lint {
            rule,
            place,
            message,
            fix,
        });
    }
}

/// A table and what is in it.
#[derive(Clone, Copy)]
pub(super) struct LintModel<'s> {
    pub(super) table: &'s TableSchema,
}

/// A partition key with the sort key behind it: those of an entity's table, or those of an access pattern.
#[derive(Clone, Copy)]
pub(super) struct KeyPair<'s> {
    pub(super) entity: &'s EntitySchema,
    /// None if they are those of the table.
    pub(super) pattern: Option<&'s PatternSchema>,
    pub(super) pk: &'s [KeySchema],
    pub(super) sk: &'s [KeySchema],
}

/// A field where it is in a key.
#[derive(Clone, Copy)]
pub(super) struct FieldInKey<'s> {
    pub(super) name: &'s str,
    pub(super) field: Option<&'s FieldSchema>,
    /// How it is in a template; None if it is the key attribute itself.
    pub(super) template: Option<(Option<&'s str>, Width, Presence)>,
}

/// The precision of a time in a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeInKey {
    /// A day or a month.
    Period,
    /// A point in time.
    Moment,
}

impl<'s> LintModel<'s> {
    pub(super) fn new(table: &'s TableSchema) -> Self {
        LintModel { table }
    }

    pub(super) fn entities(self) -> impl Iterator<Item = &'s EntitySchema> {
        self.table.entities.iter()
    }

    /// The keys of all entities in their table and in all indexes.
    pub(super) fn keys(self) -> impl Iterator<Item = KeyPair<'s>> {
        self.entities().flat_map(|entity| {
            let patterns = entity.patterns.iter();
            std::iter::once(KeyPair::of_table(entity))
                .chain(patterns.map(|pattern| KeyPair::of_pattern(entity, pattern)))
        })
    }

    /// Those that have partitions of their own: local indexes have those of the table.
    pub(super) fn partitions(self) -> impl Iterator<Item = KeyPair<'s>> {
        self.keys().filter(|keys| !keys.is_local())
    }

    /// The access patterns of all entities.
    pub(super) fn patterns(self) -> impl Iterator<Item = (KeyPair<'s>, &'s PatternSchema)> {
        let keys = self.keys();
        keys.filter_map(|keys| Some((keys, keys.pattern?)))
    }

    /// The access patterns that fill an index.
    pub(super) fn filling(self, index: &'s IndexSchema) -> impl Iterator<Item = KeyPair<'s>> {
        let patterns = self.patterns();
        patterns
            .filter(|(_, pattern)| pattern.index == index.name)
            .map(|(keys, _)| keys)
    }

    /// Whether the items of another entity may be in the same partition of the index, to be read together.
    pub(super) fn is_read_together(self, keys: KeyPair<'_>, pattern: &PatternSchema) -> bool {
        let front = keys.front();
        self.patterns().any(|(other, filled)| {
            filled.index == pattern.index
                && other.entity.name != keys.entity.name
                && other.front() == front
        })
    }

    /// Whether the table lists its entities, and so is declared beside them.
    pub(super) fn is_shared(self) -> bool {
        self.table.type_attribute.is_some() || self.table.entities.len() != 1
    }

    /// The place of the declaration of the table.
    pub(super) fn table_place(self) -> LintPlace {
        match self.table.entities.first() {
            Some(entity) if !self.is_shared() => LintPlace::Entity {
                entity: entity.name.clone(),
            },
            _ => LintPlace::Table {
                table: self.table.name.clone(),
            },
        }
    }

    pub(super) fn field_place(self, entity: &EntitySchema, field: &FieldSchema) -> LintPlace {
        LintPlace::Field {
            entity: entity.name.clone(),
            field: field.name.clone(),
        }
    }

    /// The place where an index is declared: an entity with a table of its own declares it by the first pattern that fills it.
    pub(super) fn index_place(self, index: &'s IndexSchema) -> LintPlace {
        match self.filling(index).next() {
            Some(keys) if !self.is_shared() => keys.place(),
            _ => LintPlace::Index {
                table: self.table.name.clone(),
                index: index.name.clone(),
            },
        }
    }
}

impl<'s> KeyPair<'s> {
    pub(super) fn of_table(entity: &'s EntitySchema) -> Self {
        KeyPair {
            entity,
            pattern: None,
            pk: std::slice::from_ref(&entity.pk),
            sk: entity.sk.as_slice(),
        }
    }

    fn of_pattern(entity: &'s EntitySchema, pattern: &'s PatternSchema) -> Self {
        let pk = match pattern.kind {
            IndexKind::Global => pattern.pk.as_slice(),
            IndexKind::Local => std::slice::from_ref(&entity.pk),
        };
        KeyPair {
            entity,
            pattern: Some(pattern),
            pk,
            sk: &pattern.sk,
        }
    }

    fn is_local(&self) -> bool {
        self.pattern
            .is_some_and(|pattern| pattern.kind == IndexKind::Local)
    }

    pub(super) fn place(&self) -> LintPlace {
        let entity = self.entity.name.clone();
        match self.pattern {
            Some(pattern) => LintPlace::Pattern {
                entity,
                pattern: pattern.name.clone(),
            },
            None => LintPlace::Entity { entity },
        }
    }

    /// The fields in the partition key.
    pub(super) fn partition_fields(&self) -> Vec<FieldInKey<'s>> {
        self.fields_of(self.pk)
    }

    /// The fields in the sort key.
    pub(super) fn sort_fields(&self) -> Vec<FieldInKey<'s>> {
        self.fields_of(self.sk)
    }

    fn fields_of(&self, keys: &'s [KeySchema]) -> Vec<FieldInKey<'s>> {
        let entity = self.entity;
        keys.iter()
            .flat_map(|key| fields_in_key(entity, key))
            .collect()
    }

    /// Whether a partition is spread over several.
    pub(super) fn is_spread(&self) -> bool {
        self.pk.iter().any(|key| key.shards() > Some(1))
    }

    /// Whether the key tells no two items apart, so that there is one.
    pub(super) fn is_one_item(&self) -> bool {
        self.pattern.is_none()
            && self.partition_fields().is_empty()
            && self.sort_fields().is_empty()
    }

    /// The partition key, as it is declared.
    pub(super) fn partition_text(&self) -> String {
        let keys: Vec<String> = self.pk.iter().map(|key| format!("`{key}`")).collect();
        keys.join(", ")
    }

    /// The text that the partition key begins with.
    fn front(&self) -> Option<&'s str> {
        match &self.pk.first()?.content {
            KeyContent::Template(pieces) => match pieces.first() {
                Some(PieceSchema::Text(text)) => Some(text),
                _ => None,
            },
            KeyContent::Field(_) => None,
        }
    }

    /// How many values `when` lets a field have, if it says that.
    pub(super) fn values_by_when(&self, field: &str) -> Option<usize> {
        let (pinned, values) = pinned_by_when(self.pattern?)?;
        (pinned == field).then_some(values)
    }
}

/// The field of `when(field = ..)`, and how many values it may have.
pub(super) fn pinned_by_when(pattern: &PatternSchema) -> Option<(&str, usize)> {
    let (field, value) = pattern.when.as_deref()?.split_once(" = ")?;
    let listed = value.trim().strip_prefix('[');
    let values = listed.map_or(1, |list| {
        let list = list.trim_end_matches(']').split(',');
        list.filter(|value| !value.trim().is_empty()).count()
    });
    Some((field.trim(), values))
}

/// The fields in a key attribute.
fn fields_in_key<'s>(entity: &'s EntitySchema, key: &'s KeySchema) -> Vec<FieldInKey<'s>> {
    let pieces = match &key.content {
        KeyContent::Field(name) => {
            let field = entity.field(name);
            return vec![FieldInKey {
                name,
                field,
                template: None,
            }];
        }
        KeyContent::Template(pieces) => pieces.iter(),
    };
    let parts = pieces.filter_map(|piece| match piece {
        PieceSchema::Part(part) => Some(FieldInKey {
            name: &part.field,
            field: entity.field(&part.field),
            template: Some((part.format.as_deref(), part.width, part.presence)),
        }),
        PieceSchema::Text(_) | PieceSchema::Shard(_) => None,
    });
    parts.collect()
}

impl<'s> FieldInKey<'s> {
    /// The format that cuts it or changes its case, so that the key holds less than the field.
    pub(super) fn cut(&self) -> Option<&'s str> {
        let format = self.template?.0?.split(':').next()?;
        let cuts = [
            "s", "ms", "epoch", "epoch_ms", "date", "month", "lower", "upper",
        ];
        cuts.contains(&format).then_some(format)
    }

    /// Whether this is the same part of the same field as another one.
    pub(super) fn is_like(&self, other: &FieldInKey<'_>) -> bool {
        (self.name, self.cut()) == (other.name, other.cut())
    }

    pub(super) fn presence(&self) -> Presence {
        self.template
            .map_or(Presence::Always, |(_, _, presence)| presence)
    }

    /// Whether an item is not in the index if the field is None.
    pub(super) fn leaves_items_out(&self) -> bool {
        match self.template {
            Some((.., presence)) => presence == Presence::Optional,
            None => self
                .field
                .is_some_and(|field| field.rust_type.contains("Option<")),
        }
    }

    fn type_name(&self) -> &'s str {
        self.field.map_or("", |field| type_name(&field.rust_type))
    }

    pub(super) fn role(&self) -> Option<FieldRole> {
        self.field.map(|field| field.role)
    }

    pub(super) fn is_flag(&self) -> bool {
        self.field.is_some_and(is_flag)
    }

    pub(super) fn is_float(&self) -> bool {
        matches!(self.type_name(), "f32" | "f64")
    }

    /// Whether it is a text of any length.
    pub(super) fn is_free_text(&self) -> bool {
        matches!(self.type_name(), "String" | "str")
    }

    /// Its precision, if it is a time.
    pub(super) fn time(&self) -> Option<TimeInKey> {
        match self.cut() {
            Some("date" | "month") => return Some(TimeInKey::Period),
            Some("s" | "ms" | "epoch" | "epoch_ms") => return Some(TimeInKey::Moment),
            _ => {}
        }
        let role = self.role();
        if matches!(
            role,
            Some(FieldRole::CreatedAt | FieldRole::UpdatedAt | FieldRole::Ttl)
        ) {
            return Some(TimeInKey::Moment);
        }
        match self.type_name() {
            "NaiveDate" | "Date" | "YearMonth" => Some(TimeInKey::Period),
            "DateTime" | "NaiveDateTime" | "OffsetDateTime" | "PrimitiveDateTime"
            | "UtcDateTime" | "SystemTime" | "Timestamp" | "Zoned" | "Seconds" | "Millis"
            | "EpochSeconds" | "EpochMillis" | "JavaScriptTime" => Some(TimeInKey::Moment),
            _ => None,
        }
    }
}

/// Whether a field is yes or no.
pub(super) fn is_flag(field: &FieldSchema) -> bool {
    field.stored == Some(Tag::Bool) || type_name(&field.rust_type) == "bool"
}

/// The name of a type without its path and parameters; that of what an `Option`, a `Box` or a reference holds.
pub(super) fn type_name(written: &str) -> &str {
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
