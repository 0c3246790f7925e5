//! Random models, most of which no declaration gives, and random changes of them.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::json::Tag;
use crate::lock::stored::{
    StoredAttribute, StoredContent, StoredEntity, StoredFields, StoredIndex, StoredKey,
    StoredModel, StoredPart, StoredPattern, StoredPiece, StoredTable, StoredTableHead,
    StoredTemplate, StoredUnique, StoredValue, StoredVariant, StoredWhen, ValueKind,
};
use crate::schema::{
    FieldRole, IndexKind, KeyAttribute, KeyType, Presence, ProjectionSchema, StreamView, Style,
    Width,
};

pub(super) struct RandomModel(pub(super) Rng);

const NAMES: [&str; 12] = [
    "a",
    "b",
    "pk",
    "sk",
    "note",
    "entity",
    "sum",
    "of",
    "a b",
    "é\"\\{x}",
    "",
    "\n=\u{202e}:",
];
/// The first two are names of declared values, if there are some.
const TYPES: [&str; 11] = [
    "a",
    "Vec<b>",
    "u32",
    "u64",
    "String",
    "bytes",
    "Map<String,a>",
    "(u8,[b;3])",
    "shop::Status",
    "Decimal",
    "timestamp",
];

impl RandomModel {
    fn one<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())].clone()
    }

    fn name(&mut self) -> String {
        // Most names are words.
        let most = if self.0.u8(..4) > 0 { 8 } else { NAMES.len() };
        self.one(&NAMES[..most]).to_owned()
    }

    fn may<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.0.bool().then(|| make(self))
    }

    fn some<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.0.usize(..3)).map(|_| make(self)).collect()
    }

    fn map<T>(&mut self, make: impl Fn(&mut Self) -> T) -> BTreeMap<String, T> {
        (0..self.0.usize(..4))
            .map(|_| (self.name(), make(self)))
            .collect()
    }

    pub(super) fn model(&mut self) -> StoredModel {
        StoredModel {
            tables: self.map(Self::table),
        }
    }

    fn table(&mut self) -> StoredTable {
        StoredTable {
            head: self.head(),
            entities: self.map(Self::entity),
        }
    }

    fn head(&mut self) -> StoredTableHead {
        let views = [StreamView::KeysOnly, StreamView::NewImage];
        StoredTableHead {
            pk: self.attribute(),
            sk: self.may(Self::attribute),
            type_attribute: self.may(Self::name),
            style: self.one(&[Style::Escaped, Style::Verbatim('#'), Style::Verbatim(' ')]),
            ttl: self.may(Self::name),
            stream: self.may(|random| random.one(&views)),
            indexes: self.map(Self::index),
        }
    }

    fn attribute(&mut self) -> KeyAttribute {
        KeyAttribute {
            name: self.name(),
            ty: self.one(&[KeyType::S, KeyType::N]),
        }
    }

    fn index(&mut self) -> StoredIndex {
        let included = ProjectionSchema::Include(self.some(Self::name));
        StoredIndex {
            kind: self.one(&[IndexKind::Global, IndexKind::Local]),
            pk: self.some(Self::attribute),
            sk: self.some(Self::attribute),
            projection: self.one(&[ProjectionSchema::All, ProjectionSchema::Keys, included]),
        }
    }

    pub(super) fn entity(&mut self) -> StoredEntity {
        StoredEntity {
            append_only: self.0.bool(),
            keeps_rest: self.0.bool(),
            pk: self.key(),
            sk: self.may(Self::key),
            attributes: self.map(Self::value),
            key_only: self.map(|random| random.one(&TYPES).to_owned()),
            patterns: self.map(Self::pattern),
            uniques: self.map(|random| StoredUnique {
                look_up: random.name(),
                parts: random.some(Self::part),
            }),
            values: self.map(Self::declared),
        }
    }

    fn declared(&mut self) -> StoredValue {
        let wraps = self.one(&TYPES).to_owned();
        let tag = self.name();
        StoredValue {
            kind: self.one(&[
                ValueKind::Struct,
                ValueKind::Wraps(wraps),
                ValueKind::Names,
                ValueKind::Numbers,
                ValueKind::Tagged(tag),
            ]),
            fields: self.fields(),
            variants: self.map(|random| StoredVariant {
                rust_name: random.may(Self::name),
                fields: random.fields(),
            }),
        }
    }

    fn fields(&mut self) -> StoredFields {
        StoredFields {
            keeps_rest: self.0.bool(),
            attributes: self.map(Self::value),
        }
    }

    fn value(&mut self) -> StoredAttribute {
        let roles = [
            FieldRole::Attribute,
            FieldRole::Version,
            FieldRole::CreatedAt,
        ];
        StoredAttribute {
            stored: self.may(|random| random.one(&[Tag::S, Tag::N, Tag::Ss])),
            is_required: self.0.bool(),
            role: self.one(&roles),
            form: self.may(|random| random.one(&["serde", "epoch"]).to_owned()),
            default: self.may(Self::name),
            value_type: self.one(&TYPES).to_owned(),
            rust_name: self.may(Self::name),
        }
    }

    fn key(&mut self) -> StoredKey {
        let template = StoredTemplate {
            pieces: self.pieces(),
            shards: self.may(|random| random.0.u16(1..4)),
        };
        let bare = StoredContent::Bare(self.name());
        StoredKey {
            attribute: self.attribute(),
            content: self.one(&[bare, StoredContent::Template(template)]),
        }
    }

    fn pieces(&mut self) -> Vec<StoredPiece> {
        let texts = ["#", "A#", "{", "}}{", "=", "\"", "é"];
        let mut pieces: Vec<StoredPiece> = Vec::new();
        for _ in 0..self.0.u8(..4) {
            let after_text = matches!(pieces.last(), Some(StoredPiece::Text(_)));
            pieces.push(match after_text || self.0.bool() {
                true => StoredPiece::Part(self.part()),
                false => StoredPiece::Text(self.one(&texts).to_owned()),
            });
        }
        pieces
    }

    fn part(&mut self) -> StoredPart {
        let widths = [
            Width::Variable,
            Width::Fixed(10),
            Width::Fixed(20),
            Width::Signed(3),
        ];
        let formats = ["08", "date", "date:last", "}"];
        StoredPart {
            name: self.name(),
            format: self.may(|random| random.one(&formats).to_owned()),
            width: self.one(&widths),
            presence: self.one(&[
                Presence::Always,
                Presence::Optional,
                Presence::Text,
                Presence::Last,
            ]),
        }
    }

    fn pattern(&mut self) -> StoredPattern {
        StoredPattern {
            index: self.name(),
            pk: self.some(Self::key),
            sk: self.some(Self::key),
            read_shards: self.may(|random| random.0.u16(..4)),
            when: self.may(Self::when),
        }
    }

    fn when(&mut self) -> StoredWhen {
        let values = ["1", "\"a, b\"", "Status::Open", "\n#=", ""];
        match self.0.bool() {
            true => StoredWhen::Function(self.name()),
            false => StoredWhen::OneOf(
                self.name(),
                self.some(|random| random.one(&values).to_owned()),
            ),
        }
    }

    /// The model with something in it made anew, which may be what it was.
    pub(super) fn changed(&mut self, model: &StoredModel) -> StoredModel {
        let mut changed = model.clone();
        let mut tables: Vec<&mut StoredTable> = changed.tables.values_mut().collect();
        let what = self.0.u8(..10);
        if tables.is_empty() || what == 0 {
            let (name, table) = (self.name(), self.table());
            match changed.tables.contains_key(&name) && self.0.bool() {
                true => drop(changed.tables.remove(&name)),
                false => drop(changed.tables.insert(name, table)),
            }
            return changed;
        }
        let at = self.0.usize(..tables.len());
        let table = &mut *tables[at];
        let mut entities: Vec<&mut StoredEntity> = table.entities.values_mut().collect();
        if what == 1 || entities.is_empty() {
            self.change_head(&mut table.head);
        } else if what == 2 {
            let (name, entity) = (self.name(), self.entity());
            match table.entities.contains_key(&name) && self.0.bool() {
                true => drop(table.entities.remove(&name)),
                false => drop(table.entities.insert(name, entity)),
            }
        } else {
            let at = self.0.usize(..entities.len());
            self.change_entity(entities[at]);
        }
        changed
    }

    fn change_head(&mut self, head: &mut StoredTableHead) {
        let other = self.head();
        match self.0.u8(..7) {
            0 => head.pk = other.pk,
            1 => head.sk = other.sk,
            2 => head.type_attribute = other.type_attribute,
            3 => head.style = other.style,
            4 => head.ttl = other.ttl,
            5 => head.stream = other.stream,
            _ => head.indexes = other.indexes,
        }
    }

    fn change_entity(&mut self, entity: &mut StoredEntity) {
        let other = self.entity();
        match self.0.u8(..11) {
            9 => entity.values = other.values,
            10 => match entity.values.values_mut().next() {
                Some(value) => self.change_declared(value),
                None => entity.values = other.values,
            },
            0 => entity.append_only = other.append_only,
            1 => entity.keeps_rest = other.keeps_rest,
            2 => entity.pk = other.pk,
            3 => entity.sk = other.sk,
            4 => entity.key_only = other.key_only,
            5 => entity.uniques = other.uniques,
            6 => match entity.patterns.values_mut().next() {
                Some(pattern) => self.change_pattern(pattern),
                None => entity.patterns = other.patterns,
            },
            7 => match entity.attributes.values_mut().next() {
                Some(attribute) => self.change_value(attribute),
                None => entity.attributes = other.attributes,
            },
            _ => entity.attributes = other.attributes,
        }
    }

    fn change_pattern(&mut self, pattern: &mut StoredPattern) {
        let other = self.pattern();
        match self.0.u8(..5) {
            0 => pattern.index = other.index,
            1 => pattern.pk = other.pk,
            2 => pattern.sk = other.sk,
            3 => pattern.read_shards = other.read_shards,
            _ => pattern.when = other.when,
        }
    }

    fn change_declared(&mut self, value: &mut StoredValue) {
        let other = self.declared();
        match self.0.u8(..4) {
            0 => value.kind = other.kind,
            1 => match value.fields.attributes.values_mut().next() {
                Some(attribute) => self.change_value(attribute),
                None => value.fields = other.fields,
            },
            2 => match value.variants.values_mut().next() {
                Some(variant) => variant.rust_name = self.may(Self::name),
                None => value.variants = other.variants,
            },
            _ => value.variants = other.variants,
        }
    }

    fn change_value(&mut self, attribute: &mut StoredAttribute) {
        let other = self.value();
        match self.0.u8(..7) {
            6 => attribute.rust_name = other.rust_name,
            0 => attribute.stored = other.stored,
            1 => attribute.is_required = other.is_required,
            2 => attribute.role = other.role,
            3 => attribute.form = other.form,
            4 => attribute.default = other.default,
            _ => attribute.value_type = other.value_type,
        }
    }

    /// The lines with one of them lost, doubled, moved down, and changed by one character.
    pub(super) fn broken(&mut self, lines: &[&str], at: usize) -> Vec<Vec<String>> {
        let owned = || {
            lines
                .iter()
                .map(|line| (*line).to_owned())
                .collect::<Vec<_>>()
        };
        let (mut lost, mut doubled, mut moved, mut changed) = (owned(), owned(), owned(), owned());
        lost.remove(at);
        doubled.insert(at, lines[at].to_owned());
        if at + 1 < moved.len() {
            moved.swap(at, at + 1);
        }
        let mut characters: Vec<char> = lines[at].chars().collect();
        let place = self.0.usize(..characters.len());
        let others: Vec<char> = ['x', '0', ' ', '"', '#']
            .into_iter()
            .filter(|other| *other != characters[place])
            .collect();
        characters[place] = self.one(&others);
        changed[at] = characters.into_iter().collect();
        vec![lost, doubled, moved, changed]
    }
}
