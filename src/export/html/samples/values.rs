//! Values by the names of types.

use std::collections::BTreeSet;

use crate::codec::{Item, Value};
use crate::json::{Number, Tag};
use crate::schema::{
    EntitySchema, FieldRole, FieldSchema, MomentForm, StoredType, TableSchema, ValueContent,
    ValueKind, ValueSchema, VariantSchema,
};

/// The values of one sample.
#[derive(Clone, Copy)]
pub(super) struct Values<'s> {
    pub(super) schema: &'s TableSchema,
    /// The name of the entity.
    pub(super) entity: &'s str,
    /// Which sample it is, and so which of several values.
    pub(super) at: usize,
}

/// How deep values of values go; types may hold themselves.
const DEPTH: usize = 6;
/// 2026-03-01T09:30:00Z
const FIRST_TIME: i64 = 1_772_357_400;
const DAY: i64 = 86_400;
/// 2036-01-01, so that no sample has expired.
const EXPIRY: i64 = 2_082_758_400;
const PEOPLE: [&str; 3] = ["ann", "bob", "eve"];

impl Values<'_> {
    /// Values for a type that only its code knows.
    pub(super) fn candidate_values() -> Vec<Value> {
        vec![
            Value::S("sample".into()),
            Value::from(1),
            Value::Bool(true),
            Value::M(Item::new()),
            Value::L(Vec::new()),
            Value::S("1".into()),
            Value::S("2026-03-01".into()),
            Value::B(vec![1, 2, 3]),
        ]
    }

    pub(super) fn of_field(&self, field: &FieldSchema) -> Option<Value> {
        if field.role == FieldRole::Ttl {
            return Some(Value::from(EXPIRY + self.sample_day()));
        }
        // The forms that serde reads are unknown here, and are found by trial.
        if matches!(field.form.as_deref(), Some("serde" | "serde_null")) {
            return None;
        }
        self.stored_value(field, DEPTH)
    }

    /// The value of a field, as the type of DynamoDB that it is stored as.
    fn stored_value(&self, field: &FieldSchema, depth: usize) -> Option<Value> {
        let ty = field.value_type.as_deref()?;
        let value = self.of_type(ty, &field.name, depth);
        let value = match (value, field.stored) {
            // A time with a form is stored in another type than usual; what is stored decides.
            (Some(Value::S(_)), Some(Tag::N)) => Value::from(FIRST_TIME + self.sample_day()),
            (Some(Value::N(number)), Some(Tag::S)) => Value::S(number.to_string()),
            (Some(value), _) => value,
            (None, Some(Tag::S)) => Value::S(self.sample_text(&field.name)),
            (None, Some(Tag::N)) => Value::from(self.sample_ordinal()),
            (None, Some(Tag::Bool)) => Value::Bool(true),
            (None, Some(Tag::B)) => Value::B(vec![1, 2, 3]),
            (None, Some(Tag::L)) => Value::L(Vec::new()),
            (None, Some(Tag::M)) => Value::M(Item::new()),
            (None, _) => return None,
        };
        Some(value)
    }

    fn of_type(&self, ty: &str, name: &str, depth: usize) -> Option<Value> {
        let is_declared = |name: &str| self.schema.value_type(name).is_some();
        self.of_stored(&StoredType::read(ty, &is_declared), name, depth)
    }

    fn of_stored(&self, ty: &StoredType, name: &str, depth: usize) -> Option<Value> {
        // A type may hold itself; an `Option` or a list then ends empty.
        let depth = depth.checked_sub(1)?;
        let within = |of| self.of_stored(of, name, depth);
        Some(match (ty.name.as_str(), &ty.of[..]) {
            ("Vec", [of]) => Value::L(within(of).into_iter().collect()),
            ("Set", [of]) => match within(of)? {
                Value::S(text) => Value::Ss(BTreeSet::from([text])),
                Value::N(number) => Value::Ns(BTreeSet::from([number])),
                Value::B(bytes) => Value::Bs(BTreeSet::from([bytes])),
                _ => return None,
            },
            ("Map", [_, of]) => {
                let value = within(of).map(|value| ("key".to_owned(), value));
                Value::M(value.into_iter().collect())
            }
            ("()", of) => Value::L(of.iter().map(within).collect::<Option<_>>()?),
            (array, [of]) => {
                let len = array.strip_prefix("[;")?.strip_suffix(']')?;
                let len = len.parse::<usize>().ok().filter(|len| *len < 1000)?;
                Value::L(vec![within(of)?; len])
            }
            (ty, _) => {
                let option = ty.strip_prefix("Option<");
                return match (
                    option.and_then(|ty| ty.strip_suffix('>')),
                    self.schema.value_type(ty),
                ) {
                    (Some(inner), _) => self.of_type(inner, name, depth),
                    (_, Some(declared)) => self.declared_value(declared, name, depth),
                    (_, None) => self.known_value(ty, name),
                };
            }
        })
    }

    fn known_value(&self, ty: &str, name: &str) -> Option<Value> {
        let time = FIRST_TIME + self.sample_day();
        Some(match ValueKind::of_name(ty)? {
            ValueKind::Text | ValueKind::Any => Value::S(self.sample_text(name)),
            ValueKind::Flag => Value::Bool(self.at.is_multiple_of(2)),
            ValueKind::Char => Value::S("x".into()),
            ValueKind::Bytes => Value::B(vec![1, 2, 3, self.at.to_le_bytes().first().copied()?]),
            ValueKind::Integer { .. } | ValueKind::Version => Value::from(self.sample_ordinal()),
            ValueKind::Float { .. } | ValueKind::Number | ValueKind::Decimal => Value::N(
                format!("{}.5", self.sample_ordinal())
                    .parse::<Number>()
                    .ok()?,
            ),
            ValueKind::Uuid => Value::S(format!(
                "018f3b6e-3c4a-7d2e-9a51-0f6b7c8d9e{:02x}",
                self.at % 256
            )),
            ValueKind::UppercaseUuid => Value::S(format!(
                "018F3B6E-3C4A-7D2E-9A51-0F6B7C8D9E{:02X}",
                self.at % 256
            )),
            ValueKind::Ulid => Value::S(format!("01J0Z3K4M5N6P7Q8R9S0T1V2{:02}", self.at % 100)),
            ValueKind::Moment(MomentForm::EpochSeconds) => Value::from(time),
            ValueKind::Moment(MomentForm::EpochMillis) => Value::from(time * 1000),
            ValueKind::Moment(MomentForm::Civil) => Value::S("09:30:00".into()),
            ValueKind::Moment(form) => {
                let rest = match form {
                    // The digits that keys have; elsewhere the entity writes fewer of them again.
                    MomentForm::Timestamp => "00.000000000Z",
                    MomentForm::JavaScript => "00.000Z",
                    MomentForm::Python => "00+00:00",
                    MomentForm::Pynamo => "00.000000+0000",
                    _ => "00Z",
                };
                Value::S(format!("{}T09:30:{rest}", self.sample_date()))
            }
            ValueKind::Day => Value::S(self.sample_date()),
            ValueKind::Month => Value::S("2026-03".into()),
            ValueKind::Year => Value::S("2026".into()),
            // The number of the page and the generation of its list.
            ValueKind::PagePosition => {
                Value::S(format!("{} 00000000000000{:02x}", self.at, self.at % 256))
            }
            ValueKind::Map => Value::M(Item::new()),
            ValueKind::Collection => return None,
        })
    }

    fn declared_value(&self, value: &ValueSchema, name: &str, depth: usize) -> Option<Value> {
        match &value.content {
            ValueContent::Struct(fields) => self.map_value(fields, depth).map(Value::M),
            ValueContent::Newtype(inner) => self.of_type(inner, name, depth),
            ValueContent::Names(variants) => {
                let variant = self.chosen_variant(variants)?;
                Some(Value::S(variant.stored.clone()))
            }
            ValueContent::Numbers(variants) => {
                let variant = self.chosen_variant(variants)?;
                variant.stored.parse::<Number>().ok().map(Value::N)
            }
            ValueContent::Tagged { tag, variants } => {
                let variant = self.chosen_variant(variants)?;
                let mut map = self.map_value(&variant.fields, depth)?;
                map.insert(tag.clone(), Value::S(variant.stored.clone()));
                Some(Value::M(map))
            }
        }
    }

    fn chosen_variant<'v>(&self, variants: &'v [VariantSchema]) -> Option<&'v VariantSchema> {
        variants.get(self.at.checked_rem(variants.len())?)
    }

    fn map_value(&self, fields: &[FieldSchema], depth: usize) -> Option<Item> {
        let mut item = Item::new();
        for field in fields {
            let Some(attribute) = &field.attribute else {
                continue;
            };
            match self.stored_value(field, depth) {
                Some(value) => {
                    item.insert(attribute.clone(), value);
                }
                None if field.is_required => return None,
                None => {}
            }
        }
        Some(item)
    }

    /// A text that fits the name of its field.
    fn sample_text(&self, name: &str) -> String {
        let person = PEOPLE
            .get(self.at % PEOPLE.len())
            .copied()
            .unwrap_or_default();
        let round = self.at / PEOPLE.len();
        let person = match round {
            0 => person.to_owned(),
            round => format!("{person}{}", round + 1),
        };
        match name {
            "id" => format!("{}-{}", self.entity.to_lowercase(), self.sample_ordinal()),
            _ if name.contains("mail") => format!("{person}@example.com"),
            "name" | "owner" | "user" | "author" | "customer" => person,
            _ => format!("{}-{}", name.replace('_', "-"), self.sample_ordinal()),
        }
    }

    fn sample_ordinal(&self) -> i64 {
        i64::try_from(self.at).map_or(1, |at| at + 1)
    }

    fn sample_day(&self) -> i64 {
        (self.sample_ordinal() - 1) * DAY
    }

    fn sample_date(&self) -> String {
        format!("2026-03-{:02}", self.at % 28 + 1)
    }
}

/// The texts by which a value may be given as a part of a key: as it is stored, and the forms of a time.
pub(in crate::export::html) fn value_texts(value: &Value, variation: usize) -> Vec<String> {
    let schema = TableSchema::default();
    let entity = EntitySchema::default();
    let values = Values {
        schema: &schema,
        entity: &entity.name,
        at: variation,
    };
    let date = values.sample_date();
    let mut texts = match value {
        Value::S(text) => vec![text.clone()],
        Value::N(number) => vec![number.to_string()],
        Value::Bool(value) => vec![value.to_string()],
        Value::B(bytes) => vec![base64_simd::STANDARD.encode_to_string(bytes)],
        _ => Vec::new(),
    };
    // A key may hold only the day or the month of the time.
    if let [text] = texts.as_slice()
        && let Some((day, _)) = text.clone().split_once('T')
    {
        texts.push(day.to_owned());
        texts.extend(day.get(..7).map(str::to_owned));
    }
    texts.extend([format!("{date}T09:30:00Z"), date.clone(), "2026-03".into()]);
    texts
}
