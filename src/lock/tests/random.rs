//! Random models, most of which no declaration gives, and random changes of them.

use fastrand::Rng;

use crate::json::Tag;
use crate::lock::stored::{condition_text, rest_field, sorted, sorted_fields};
use crate::schema::{
    ConstantSchema, DistanceFunction, EntitySchema, ExpirySchema, FieldRole, FieldSchema,
    FormerUse, IndexKind, IndexSchema, KeyAttribute, KeyContent, KeySchema, KeyType, LargeSchema,
    PartSchema, PatternSchema, PieceSchema, Presence, ProjectionSchema, SecondKeySchema,
    SecondKeyUse, ShapeSchema, StreamView, Style, TableSchema, UniqueRowSchema, UniqueSchema,
    ValueContent, ValueSchema, VariantSchema, VectorIndexSchema, Width,
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

    pub(super) fn model(&mut self) -> Vec<TableSchema> {
        self.named(
            |random| {
                let name = random.name();
                random.table(name)
            },
            |table| &table.name,
        )
    }

    fn table(&mut self, name: String) -> TableSchema {
        TableSchema {
            name,
            entities: self.named(
                |random| {
                    let name = random.name();
                    random.entity_named(name)
                },
                |entity| &entity.stored_name,
            ),
            ..self.head()
        }
    }

    fn head(&mut self) -> TableSchema {
        let views = [StreamView::KeysOnly, StreamView::NewImage];
        let mut head = TableSchema {
            pk: self.attribute(),
            sk: self.may(Self::attribute),
            type_attribute: self.may(Self::name),
            style: self.one(&[Style::Escaped, Style::Verbatim('#'), Style::Verbatim(' ')]),
            ttl: self.may(Self::name),
            stream: self.may(|random| random.one(&views)),
            ..TableSchema::default()
        };
        for index in self.named(Self::index, |index| &index.name) {
            match self.one(&[IndexKind::Global, IndexKind::Local]) {
                IndexKind::Global => head.global_indexes.push(index),
                IndexKind::Local => head.local_indexes.push(index),
            }
        }
        head.vector_indexes = self.named(Self::vector_index, |index| &index.name);
        head
    }

    fn vector_index(&mut self) -> VectorIndexSchema {
        VectorIndexSchema {
            name: self.name(),
            attribute: self.name(),
            dimensions: self.0.u16(..),
            distance: self.one(&[DistanceFunction::Cosine, DistanceFunction::DotProduct]),
            within: self.may(Self::attribute),
            filters: self.named(Self::attribute, |filter| &filter.name),
            projection: self.index().projection,
        }
    }

    /// Sorted by their names, as the stored form has them.
    fn named<T>(&mut self, make: impl Fn(&mut Self) -> T, name: fn(&T) -> &String) -> Vec<T> {
        let count = self.0.usize(..4);
        let values: Vec<T> = (0..count).map(|_| make(self)).collect();
        sorted(values.into_iter(), name)
    }

    fn attribute(&mut self) -> KeyAttribute {
        KeyAttribute {
            name: self.name(),
            ty: self.one(&[KeyType::S, KeyType::N]),
        }
    }

    fn index(&mut self) -> IndexSchema {
        let included = ProjectionSchema::Include(self.some(Self::name));
        IndexSchema {
            name: self.name(),
            pk: self.some(Self::attribute),
            sk: self.some(Self::attribute),
            projection: self.one(&[ProjectionSchema::All, ProjectionSchema::Keys, included]),
        }
    }

    fn shape(&mut self) -> ShapeSchema {
        let number = self.0.u16(1..4);
        let was = (number > 1 && self.0.bool()).then(String::new);
        ShapeSchema {
            number,
            writes: number - u16::from(was.is_some() && self.0.bool()),
            was,
        }
    }

    fn constants(&mut self) -> Vec<ConstantSchema> {
        let constants = (0..self.0.usize(..3)).map(|_| ConstantSchema {
            attribute: self.name(),
            ty: self.one(&[KeyType::S, KeyType::N]),
            value: self.name(),
        });
        let constants: Vec<_> = constants.collect();
        sorted(constants.into_iter(), |constant| &constant.attribute)
    }

    pub(super) fn entity_named(&mut self, stored_name: String) -> EntitySchema {
        let mut fields = self.fields();
        fields.extend(self.key_only());
        EntitySchema {
            stored_name,
            type_attribute: self.may(Self::name),
            constants: self.constants(),
            append_only: self.0.bool(),
            shape: self.may(Self::shape),
            second_key: self.may(|random| SecondKeySchema {
                other: random.name(),
                usage: random.one(&[SecondKeyUse::Next, SecondKeyUse::Was, SecondKeyUse::Dropped]),
            }),
            fields: sorted_fields(fields.into_iter()),
            pk: self.key(),
            sk: self.may(Self::key),
            patterns: self.named(Self::pattern, |pattern| &pattern.name),
            uniques: self.named(Self::unique, |unique| &unique.stored),
            large: self.named(Self::large, |value| &value.stored),
            values: self.named(Self::declared, |value| &value.name),
            ..EntitySchema::default()
        }
    }

    fn key_only(&mut self) -> Vec<FieldSchema> {
        self.some(|random| FieldSchema {
            name: random.name(),
            value_type: Some(random.one(&TYPES).to_owned()),
            ..FieldSchema::default()
        })
    }

    fn unique(&mut self) -> UniqueSchema {
        UniqueSchema {
            name: self.name(),
            stored: self.name(),
            fields: Vec::new(),
            parts: self.some(Self::part),
            is_filling: self.0.bool(),
            row: self.may(|random| UniqueRowSchema {
                pk: random.key(),
                sk: random.may(Self::key),
                constants: random.constants(),
            }),
        }
    }

    fn large(&mut self) -> LargeSchema {
        LargeSchema {
            stored: self.name(),
            element: self.may(|random| random.one(&TYPES).to_owned()),
            outside: self.0.bool(),
            ..LargeSchema::default()
        }
    }

    fn declared(&mut self) -> ValueSchema {
        let content = match self.0.u8(..5) {
            0 => ValueContent::Struct(self.fields()),
            1 => ValueContent::Newtype(self.one(&TYPES).to_owned()),
            2 => ValueContent::Names(self.variants()),
            3 => ValueContent::Numbers(self.variants()),
            _ => ValueContent::Tagged {
                tag: self.name(),
                variants: self.variants(),
            },
        };
        ValueSchema {
            name: self.name(),
            doc: String::new(),
            content,
        }
    }

    fn variants(&mut self) -> Vec<VariantSchema> {
        self.named(
            |random| {
                let stored = random.name();
                VariantSchema {
                    name: random.may(Self::name).unwrap_or_else(|| stored.clone()),
                    stored,
                    fields: random.fields(),
                }
            },
            |variant| &variant.stored,
        )
    }

    fn fields(&mut self) -> Vec<FieldSchema> {
        let rest = self.may(|_| rest_field());
        sorted_fields(self.some(Self::value).into_iter().chain(rest))
    }

    fn value(&mut self) -> FieldSchema {
        let roles = [
            FieldRole::Attribute,
            FieldRole::Version,
            FieldRole::CreatedAt,
        ];
        let attribute = self.name();
        FieldSchema {
            name: self.may(Self::name).unwrap_or_else(|| attribute.clone()),
            attribute: Some(attribute),
            value_type: Some(self.one(&TYPES).to_owned()),
            stored: self.may(|random| random.one(&[Tag::S, Tag::N, Tag::Ss])),
            is_required: self.0.bool(),
            role: self.one(&roles),
            form: self.may(|random| random.one(&["serde", "epoch"]).to_owned()),
            default: self.may(Self::name),
            former: self.may(Self::name),
            expiry: self.may(Self::expiry),
            ..FieldSchema::default()
        }
    }

    fn expiry(&mut self) -> ExpirySchema {
        ExpirySchema {
            source: self.name(),
            seconds: self.0.u64(1..1_000_000),
        }
    }

    fn key(&mut self) -> KeySchema {
        let mut pieces = self.pieces();
        let shards = self.may(|random| random.0.u16(1..4));
        pieces.extend(shards.map(PieceSchema::Shard));
        let contents = [
            KeyContent::Field(self.name()),
            KeyContent::Number(self.name()),
            KeyContent::Template(pieces),
        ];
        let KeyAttribute { name, ty } = self.attribute();
        KeySchema {
            attribute: name,
            ty,
            content: self.one(&contents),
        }
    }

    fn pieces(&mut self) -> Vec<PieceSchema> {
        let texts = ["#", "A#", "{", "}}{", "=", "\"", "é"];
        let mut pieces: Vec<PieceSchema> = Vec::new();
        for _ in 0..self.0.u8(..4) {
            let after_text = matches!(pieces.last(), Some(PieceSchema::Text(_)));
            pieces.push(match after_text || self.0.bool() {
                true => PieceSchema::Part(self.part()),
                false => PieceSchema::Text(self.one(&texts).to_owned()),
            });
        }
        pieces
    }

    fn part(&mut self) -> PartSchema {
        let widths = [
            Width::Variable,
            Width::Fixed(10),
            Width::Fixed(20),
            Width::Signed(3),
        ];
        let formats = ["08", "date", "date:last", "}"];
        PartSchema {
            field: self.name(),
            format: self.may(|random| random.one(&formats).to_owned()),
            width: self.one(&widths),
            presence: self.one(&[
                Presence::Always,
                Presence::Optional,
                Presence::Text,
                Presence::Last,
                Presence::Ends,
            ]),
        }
    }

    fn pattern(&mut self) -> PatternSchema {
        let pk = self.some(Self::key);
        let mut pattern = PatternSchema {
            name: self.name(),
            index: self.name(),
            kind: kind_of(&pk),
            pk,
            sk: self.some(Self::key),
            read_shards: self.may(|random| random.0.u16(..4)),
            is_filling: self.0.bool(),
            ..PatternSchema::default()
        };
        match self.0.u8(..4) {
            0 => pattern.when = Some(self.name()),
            1 => {
                let values = ["1", "\"a, b\"", "Status::Open", "\n#=", ""];
                let field = self.name();
                pattern.when_values = self.some(|random| random.one(&values).to_owned());
                pattern.when = Some(condition_text(&field, &pattern.when_values));
                pattern.when_fields = vec![field];
            }
            _ => {}
        }
        pattern
    }

    /// The model with something in it made anew, which may be what it was.
    pub(super) fn changed(&mut self, model: &[TableSchema]) -> Vec<TableSchema> {
        let mut changed = model.to_vec();
        let what = self.0.u8(..10);
        if changed.is_empty() || what == 0 {
            let name = self.name();
            let table = self.table(name);
            return self.with_or_without(changed, table, |table| &table.name);
        }
        let at = self.0.usize(..changed.len());
        let table = &mut changed[at];
        if what == 1 || table.entities.is_empty() {
            self.change_head(table);
        } else if what == 2 {
            let name = self.name();
            let entity = self.entity_named(name);
            let entities = std::mem::take(&mut table.entities);
            table.entities = self.with_or_without(entities, entity, |entity| &entity.stored_name);
        } else {
            let at = self.0.usize(..table.entities.len());
            self.change_entity(&mut table.entities[at]);
        }
        changed
    }

    /// With this value instead of the one of the same name, or without that one.
    fn with_or_without<T>(
        &mut self,
        mut values: Vec<T>,
        value: T,
        name: fn(&T) -> &String,
    ) -> Vec<T> {
        let known = values.iter().position(|known| name(known) == name(&value));
        match known.filter(|_| self.0.bool()) {
            Some(at) => drop(values.remove(at)),
            None => values.push(value),
        }
        sorted(values.into_iter(), name)
    }

    fn change_head(&mut self, head: &mut TableSchema) {
        let other = self.head();
        match self.0.u8(..7) {
            0 => head.pk = other.pk,
            1 => head.sk = other.sk,
            2 => head.type_attribute = other.type_attribute,
            3 => head.style = other.style,
            4 => head.ttl = other.ttl,
            5 => head.stream = other.stream,
            _ => {
                head.global_indexes = other.global_indexes;
                head.local_indexes = other.local_indexes;
            }
        }
    }

    fn change_entity(&mut self, entity: &mut EntitySchema) {
        let other = self.entity_named(String::new());
        match self.0.u8(..13) {
            11 => entity.shape = other.shape,
            9 => entity.values = other.values,
            10 => match entity.values.first_mut() {
                Some(value) => self.change_declared(value),
                None => entity.values = other.values,
            },
            0 => entity.append_only = other.append_only,
            12 => entity.constants = other.constants,
            2 => entity.pk = other.pk,
            3 => entity.sk = other.sk,
            5 => entity.uniques = other.uniques,
            8 => entity.large = other.large,
            6 => match entity.patterns.first_mut() {
                Some(pattern) => self.change_pattern(pattern),
                None => entity.patterns = other.patterns,
            },
            what => self.change_fields(&mut entity.fields, other.fields, what),
        }
    }

    fn change_fields(&mut self, fields: &mut Vec<FieldSchema>, other: Vec<FieldSchema>, what: u8) {
        if what == 7
            && let Some(field) = fields.first_mut().filter(|field| field.attribute.is_some())
        {
            self.change_value(field);
            return;
        }
        // Fields of one group are replaced by those of the other list.
        let group = |field: &FieldSchema| match (field.role, &field.attribute) {
            (FieldRole::Rest, _) => 1,
            (_, None) => 4,
            (_, Some(_)) => 7,
        };
        let what = if [1, 4].contains(&what) { what } else { 7 };
        fields.retain(|field| group(field) != what);
        let others = other.into_iter().filter(|field| group(field) == what);
        *fields = sorted_fields(std::mem::take(fields).into_iter().chain(others));
    }

    fn change_pattern(&mut self, pattern: &mut PatternSchema) {
        let other = self.pattern();
        match self.0.u8(..6) {
            0 => pattern.index = other.index,
            1 => (pattern.kind, pattern.pk) = (other.kind, other.pk),
            2 => pattern.sk = other.sk,
            3 => pattern.read_shards = other.read_shards,
            4 => pattern.is_filling = other.is_filling,
            _ => {
                pattern.when = other.when;
                pattern.when_fields = other.when_fields;
                pattern.when_values = other.when_values;
            }
        }
    }

    fn change_declared(&mut self, value: &mut ValueSchema) {
        let other = self.declared();
        match (&mut value.content, self.0.u8(..4)) {
            (ValueContent::Struct(fields), 1) => {
                let others = self.fields();
                self.change_fields(fields, others, 7);
            }
            (ValueContent::Tagged { tag, .. }, 0) => *tag = self.name(),
            (
                ValueContent::Names(variants)
                | ValueContent::Numbers(variants)
                | ValueContent::Tagged { variants, .. },
                1..3,
            ) => match variants.first_mut() {
                Some(variant) => variant.name = self.name(),
                None => *variants = self.variants(),
            },
            (content, _) => *content = other.content,
        }
    }

    fn change_value(&mut self, field: &mut FieldSchema) {
        let other = self.value();
        match self.0.u8(..9) {
            8 => field.expiry = other.expiry,
            7 => {
                let uses = [FormerUse::First, FormerUse::Alone, FormerUse::Dropped];
                field.former_use = match other.former {
                    Some(_) => self.one(&uses),
                    None => FormerUse::default(),
                };
                field.former = other.former;
            }
            6 => field.name = other.name,
            0 => field.stored = other.stored,
            1 => field.is_required = other.is_required,
            2 => field.role = other.role,
            3 => field.form = other.form,
            4 => field.default = other.default,
            _ => field.value_type = other.value_type,
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

fn kind_of(pk: &[KeySchema]) -> IndexKind {
    match pk.is_empty() {
        true => IndexKind::Local,
        false => IndexKind::Global,
    }
}
