//! Every schema is read back as it was written, and broken texts are rejected.

use crate::json::Tag;
use crate::schema::{
    AllowSchema, Billing, CollectionSchema, ConstantSchema, DistanceFunction, Encryption,
    EntitySchema, ExpirySchema, FieldRole, FieldSchema, FormerUse, IdentifyBy, IndexKind,
    IndexSchema, IndexSettings, KeyAttribute, KeyContent, KeySchema, KeyType, LargeSchema,
    OnDemandMaximum, Origin, PartSchema, PatternSchema, PieceSchema, Presence, ProjectionSchema,
    Replicas, Safeguard, SecondKeySchema, SecondKeyUse, ShapeSchema, StreamView, Style, TableClass,
    TableSchema, TableSettings, UniqueRowSchema, UniqueSchema, ValueContent, ValueSchema,
    VariantSchema, VectorIndexSchema, VectorSearchSchema, WarmThroughput, Width,
};

/// Makes random schemas, most of which no declaration gives.
struct RandomSchema(fastrand::Rng);

impl RandomSchema {
    fn one<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.0.usize(..values.len())].clone()
    }

    fn text(&mut self) -> String {
        let texts = [
            "",
            "a",
            "pk",
            "a\"b\\",
            "\u{0}\n\t",
            "é\u{10ffff}",
            "all",
            "on_demand",
            "{x}",
        ];
        self.one(&texts).to_owned()
    }

    fn may<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.0.bool().then(|| make(self))
    }

    fn some<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.0.usize(..3)).map(|_| make(self)).collect()
    }

    fn texts(&mut self) -> Vec<String> {
        self.some(Self::text)
    }

    fn attribute(&mut self) -> KeyAttribute {
        KeyAttribute {
            name: self.text(),
            ty: self.one(&[KeyType::S, KeyType::N, KeyType::B]),
        }
    }

    fn index(&mut self) -> IndexSchema {
        let included = ProjectionSchema::Include(self.texts());
        IndexSchema {
            name: self.text(),
            pk: self.some(Self::attribute),
            sk: self.some(Self::attribute),
            projection: self.one(&[ProjectionSchema::All, ProjectionSchema::Keys, included]),
        }
    }

    fn key(&mut self) -> KeySchema {
        KeySchema {
            attribute: self.text(),
            ty: self.one(&[KeyType::S, KeyType::N, KeyType::B]),
            content: match self.0.u8(..3) {
                0 => KeyContent::Field(self.text()),
                1 => KeyContent::Number(self.text()),
                _ => KeyContent::Template(self.some(Self::piece)),
            },
        }
    }

    fn piece(&mut self) -> PieceSchema {
        match self.0.u8(..3) {
            0 => PieceSchema::Text(self.text()),
            1 => PieceSchema::Shard(self.0.u16(..)),
            _ => PieceSchema::Part(self.part()),
        }
    }

    fn part(&mut self) -> PartSchema {
        let count = self.0.usize(..50);
        let widths = [
            Width::Variable,
            Width::Fixed(count),
            Width::Digits(count),
            Width::Signed(count),
            Width::Decimal,
        ];
        let presences = [
            Presence::Always,
            Presence::Text,
            Presence::Optional,
            Presence::First,
            Presence::Last,
            Presence::Ends,
        ];
        PartSchema {
            field: self.text(),
            format: self.may(Self::text),
            width: self.one(&widths),
            presence: self.one(&presences),
        }
    }

    fn value(&mut self) -> ValueSchema {
        let content = match self.0.u8(..5) {
            0 => ValueContent::Struct(self.some(Self::field)),
            1 => ValueContent::Newtype(self.text()),
            2 => ValueContent::Names(self.some(Self::variant)),
            3 => ValueContent::Numbers(self.some(Self::variant)),
            _ => ValueContent::Tagged {
                tag: self.text(),
                variants: self.some(Self::variant),
            },
        };
        ValueSchema {
            name: self.text(),
            doc: self.text(),
            content,
        }
    }

    fn variant(&mut self) -> VariantSchema {
        VariantSchema {
            name: self.text(),
            stored: self.text(),
            fields: self.some(Self::field),
        }
    }

    fn field(&mut self) -> FieldSchema {
        let tags = [
            Tag::S,
            Tag::N,
            Tag::B,
            Tag::Bool,
            Tag::Null,
            Tag::L,
            Tag::M,
            Tag::Ss,
            Tag::Ns,
            Tag::Bs,
        ];
        let roles = [
            FieldRole::Attribute,
            FieldRole::Skip,
            FieldRole::Rest,
            FieldRole::Version,
            FieldRole::Ttl,
            FieldRole::CreatedAt,
            FieldRole::UpdatedAt,
            FieldRole::CreatedBy,
            FieldRole::UpdatedBy,
        ];
        FieldSchema {
            name: self.text(),
            attribute: self.may(Self::text),
            rust_type: self.text(),
            value_type: self.may(Self::text),
            stored: self.may(|random| random.one(&tags)),
            role: self.one(&roles),
            is_required: self.0.bool(),
            form: self.may(Self::text),
            default: self.may(Self::text),
            former: self.may(Self::text),
            former_use: self.one(&[FormerUse::First, FormerUse::Alone, FormerUse::Dropped]),
            is_personal: self.0.bool(),
            expiry: self.may(|random| ExpirySchema {
                source: random.text(),
                seconds: random.0.u64(..),
            }),
            doc: self.text(),
        }
    }

    fn pattern(&mut self) -> PatternSchema {
        PatternSchema {
            name: self.text(),
            index: self.text(),
            kind: self.one(&[IndexKind::Global, IndexKind::Local]),
            pk: self.some(Self::key),
            sk: self.some(Self::key),
            read_shards: self.may(|random| random.0.u16(..)),
            when: self.may(Self::text),
            when_fields: self.texts(),
            when_values: self.texts(),
            has_whole_rows: self.0.bool(),
            is_filling: self.0.bool(),
        }
    }

    fn constant(&mut self) -> ConstantSchema {
        ConstantSchema {
            attribute: self.text(),
            ty: self.one(&[KeyType::S, KeyType::N]),
            value: self.text(),
        }
    }

    fn entity(&mut self) -> EntitySchema {
        EntitySchema {
            name: self.text(),
            stored_name: self.text(),
            type_attribute: self.may(Self::text),
            constants: self.some(Self::constant),
            doc: self.text(),
            append_only: self.0.bool(),
            shape: self.may(|random| ShapeSchema {
                number: random.0.u16(..),
                writes: random.0.u16(..),
                was: random.may(Self::text),
            }),
            second_key: self.may(|random| SecondKeySchema {
                other: random.text(),
                usage: random.one(&[SecondKeyUse::Next, SecondKeyUse::Was, SecondKeyUse::Dropped]),
            }),
            fields: self.some(Self::field),
            pk: self.key(),
            sk: self.may(Self::key),
            patterns: self.some(Self::pattern),
            uniques: self.some(|random| UniqueSchema {
                name: random.text(),
                stored: random.text(),
                fields: random.texts(),
                parts: random.some(Self::part),
                is_filling: random.0.bool(),
                row: random.may(|random| UniqueRowSchema {
                    pk: random.key(),
                    sk: random.may(Self::key),
                    constants: random.some(Self::constant),
                }),
            }),
            large: self.some(|random| LargeSchema {
                name: random.text(),
                stored: random.text(),
                element: random.may(Self::text),
                rust_type: random.may(Self::text),
                outside: random.0.bool(),
            }),
            searches: self.some(|random| VectorSearchSchema {
                name: random.text(),
                index: random.text(),
                field: random.text(),
                within: random.may(Self::text),
                filters: random.texts(),
            }),
            allows: self.allows(),
            values: Vec::new(),
            origin: Origin(None),
        }
    }

    fn vector_index(&mut self) -> VectorIndexSchema {
        VectorIndexSchema {
            name: self.text(),
            attribute: self.text(),
            dimensions: self.0.u16(..),
            distance: self.one(&[
                DistanceFunction::Cosine,
                DistanceFunction::Euclidean,
                DistanceFunction::DotProduct,
            ]),
            within: self.may(Self::attribute),
            filters: self.some(Self::attribute),
            projection: self.index().projection,
        }
    }

    fn allows(&mut self) -> Vec<AllowSchema> {
        self.some(|random| AllowSchema {
            of: random.may(Self::text),
            rule: random
                .one(&["constant_partition", "long_key", "unused_allow", ""])
                .to_owned(),
        })
    }

    fn replicas(&mut self) -> Replicas {
        let replicas = match self.0.bool() {
            true => Replicas::eventual(self.texts()),
            false => Replicas::strong(self.texts()),
        };
        match self.0.bool() {
            true => replicas.with_witness(self.text()),
            false => replicas,
        }
    }

    fn settings(&mut self) -> TableSettings {
        let (reads, writes) = (self.0.u64(..), self.0.u64(..));
        let billings = [
            Billing::OnDemand,
            Billing::Provisioned { reads, writes },
            Billing::Scaled { reads, writes },
        ];
        TableSettings {
            deletion_protection: self.may(|random| random.0.bool()),
            point_in_time_recovery: self.may(|random| random.0.u8(..)),
            class: self
                .may(|random| random.one(&[TableClass::Standard, TableClass::InfrequentAccess])),
            billing: self.may(|random| random.one(&billings)),
            tags: self
                .some(|random| (random.text(), random.text()))
                .into_iter()
                .collect(),
            replicas: self.may(Self::replicas),
            on_demand_maximum: self.may(Self::maximum),
            warm_throughput: self.may(Self::warmth),
            encryption: self.may(|random| {
                let keys = [
                    Encryption::AwsOwned,
                    Encryption::AwsManaged,
                    Encryption::Key(random.text()),
                ];
                random.one(&keys)
            }),
            indexes: self
                .some(|random| {
                    let settings = IndexSettings {
                        on_demand_maximum: random.may(Self::maximum),
                        warm_throughput: random.may(Self::warmth),
                    };
                    (random.text(), settings)
                })
                .into_iter()
                .collect(),
            demands: self
                .some(|random| random.one(Safeguard::ALL))
                .into_iter()
                .collect(),
        }
    }

    fn maximum(&mut self) -> OnDemandMaximum {
        let (reads, writes) = (self.0.u64(..), self.0.u64(..));
        self.one(&[
            OnDemandMaximum::Unlimited,
            OnDemandMaximum::Units { reads, writes },
        ])
    }

    fn warmth(&mut self) -> WarmThroughput {
        WarmThroughput {
            reads: self.0.u64(..),
            writes: self.0.u64(..),
        }
    }

    fn schema(&mut self) -> TableSchema {
        let views = [
            StreamView::KeysOnly,
            StreamView::NewImage,
            StreamView::OldImage,
            StreamView::NewAndOldImages,
        ];
        TableSchema {
            name: self.text(),
            pk: self.attribute(),
            sk: self.may(Self::attribute),
            global_indexes: self.some(Self::index),
            local_indexes: self.some(Self::index),
            vector_indexes: self.some(Self::vector_index),
            ttl: self.may(Self::text),
            stream: self.may(|random| random.one(&views)),
            doc: self.text(),
            type_attribute: self.may(Self::text),
            identify_by: self.may(|random| random.one(&[IdentifyBy::Key, IdentifyBy::Type])),
            tenant: self.may(Self::text),
            style: self.one(&[Style::Escaped, Style::Verbatim('#'), Style::Verbatim(':')]),
            entities: self.some(Self::entity),
            values: self.some(Self::value),
            collections: self.some(|random| CollectionSchema {
                name: random.text(),
                doc: random.text(),
                index: random.may(Self::text),
                partition: random.may(Self::texts),
                entities: random.texts(),
            }),
            settings: self.settings(),
            allows: self.allows(),
            origin: Origin(None),
        }
    }
}

#[test]
fn every_schema_is_read_back() {
    for seed in 0..crate::random_cases(2_000) {
        let schema = RandomSchema(fastrand::Rng::with_seed(seed)).schema();
        let json = schema.to_json();
        let read = TableSchema::from_json(&json).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert_eq!(read, schema, "seed {seed}: {json}");
        assert_eq!(read.to_json(), json, "seed {seed}");
    }
}

/// A schema that was read may contain anything, and has lints all the same.
#[test]
fn every_schema_has_its_lints() {
    let mut rules = std::collections::BTreeSet::new();
    for seed in 0..crate::random_cases(20_000) {
        let schema = RandomSchema(fastrand::Rng::with_seed(seed)).schema();
        for lint in schema.lints() {
            assert!(!lint.to_string().is_empty());
            rules.insert(lint.rule);
        }
    }
    // Most rules have looked at something.
    assert!(rules.len() > 20, "{rules:?}");
}

/// A text that is cut, or has a byte changed, is an error or a schema, and never a panic.
#[test]
fn broken_schemas_are_refused_in_words() {
    for seed in 0..300 {
        let mut random = RandomSchema(fastrand::Rng::with_seed(seed));
        let json = random.schema().to_json();
        let mut chars: Vec<char> = json.chars().collect();
        let at = random.0.usize(..chars.len());
        match random.0.bool() {
            true => chars.truncate(at),
            false => chars[at] = random.one(&['"', '{', '}', '[', '0', 'x', ',']),
        }
        let _ = TableSchema::from_json(&chars.into_iter().collect::<String>());
    }
}
