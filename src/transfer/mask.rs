//! The pseudonyms of personal data: which values of an item are replaced, and who decides.

use std::fmt;
use std::sync::Arc;

use super::pseudonym::Pseudonyms;
use crate::codec::{Item, Value};
use crate::entity::field::is_derived;
use crate::entropy::random_bits;
use crate::error::{Error, Result};
use crate::schema::{
    EntityDef, EntityModel, FieldModel, FieldRole, KeyDef, KeySource, ShapeModel, TableDef,
    TypeModel, TypeOf, is_reserved,
};

/// How many bytes a secret has at least.
const LEAST_SECRET: usize = 16;

/// Replaces the values of [`personal`](crate::guide::copying#test-data-from-production) fields by pseudonyms, in a
/// [masked copy](super::RowCopy::masked).
///
/// A pseudonym is computed from a secret and the value: the same secret and the same value give the same pseudonym, of the
/// same type. See [the guide](crate::guide::copying#pseudonyms) for their forms.
///
/// ```
/// use dynamo_entity::Value;
/// use dynamo_entity::transfer::Mask;
///
/// let mask = Mask::with_secret("8f1d7c02b95e4a6e8f1d7c02b95e4a6e")?;
/// let masked = mask.pseudonym(&Value::from("ann.lee@mail.com"));
/// assert!(masked.as_text().is_some_and(|text| text.ends_with("@example.com")));
/// assert_eq!(mask.pseudonym(&Value::from("ann.lee@mail.com")), masked);
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
#[derive(Clone)]
pub struct Mask {
    pseudonyms: Pseudonyms,
    decide: Option<Arc<ChooseValue>>,
    is_random: bool,
}

type ChooseValue = dyn Fn(&PersonalField<'_>, &Value) -> Option<Value> + Send + Sync;

/// A field that is `personal`; see [`Mask::by`].
#[derive(Debug, Clone, Copy)]
pub struct PersonalField<'f> {
    entity: &'static str,
    path: &'f str,
}

impl PersonalField<'_> {
    /// The name of the struct that is stored.
    pub fn entity(&self) -> &'static str {
        self.entity
    }

    /// The names of the fields that lead to it: `email`, or `address.street`. Elements of lists and maps have no name.
    pub fn path(&self) -> &str {
        self.path
    }
}

impl Mask {
    /// Uses a random secret, so no other copy has the same pseudonyms. A copy with a checkpoint needs
    /// [`with_secret`](Self::with_secret), because its next run needs the same pseudonyms.
    pub fn random() -> Result<Mask> {
        let secret = [random_bits()?, random_bits()?].map(u128::to_ne_bytes);
        Ok(Mask {
            is_random: true,
            ..Mask::of(&secret.concat())?
        })
    }

    /// Uses this secret, so that every copy with it has the same pseudonyms.
    ///
    /// A secret must have at least 16 random bytes. A shorter one is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config): whoever knows the secret finds the values by trying many.
    pub fn with_secret(secret: impl AsRef<[u8]>) -> Result<Mask> {
        let secret = secret.as_ref();
        if secret.len() < LEAST_SECRET {
            return Err(Error::config(format!(
                "a secret of pseudonyms has {LEAST_SECRET} random bytes or more, and this one {}",
                secret.len()
            )));
        }
        Mask::of(secret)
    }

    fn of(secret: &[u8]) -> Result<Mask> {
        Ok(Mask {
            pseudonyms: Pseudonyms::new(secret)?,
            decide: None,
            is_random: false,
        })
    }

    /// Calls this for each personal field that has a value other than NULL. It returns the value to store, in the stored
    /// form of the field's type, or `None` for the pseudonym.
    ///
    /// If the type of the field does not accept the value, the row fails, and is not copied.
    pub fn by(
        mut self,
        decide: impl Fn(&PersonalField<'_>, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.decide = Some(Arc::new(decide));
        self
    }

    /// The pseudonym of a value, for closures and scripts. Without the type of a field, the values of enums and the keys of
    /// maps are unknown: an enum is masked as text, and keys stay as they are.
    pub fn pseudonym(&self, value: &Value) -> Value {
        self.pseudonyms.value(value, None)
    }

    /// Whether no other run can have the same pseudonyms.
    pub(super) fn is_random(&self) -> bool {
        self.is_random
    }

    /// Whether two values may have one pseudonym, because a closure decides.
    pub(super) fn may_repeat(&self) -> bool {
        self.decide.is_some()
    }

    /// A text by which another run recognizes the mask, and which does not tell the secret.
    pub(super) fn fingerprint(&self) -> String {
        let by = if self.decide.is_some() {
            " by a closure"
        } else {
            ""
        };
        format!("{}{by}", self.pseudonyms.fingerprint())
    }

    /// Replaces the personal values of an item in the present shape. Keys of the table that were built from them are
    /// removed, so that they are built again.
    pub(super) fn mask_item(
        &self,
        entity: &'static EntityDef,
        model: &EntityModel,
        table: &TableDef,
        item: Item,
    ) -> Item {
        let mut masked = Item::new();
        for (name, value) in item {
            let mut fields = model.fields.iter();
            let field = fields.find(|field| is_stored_as(field, &name));
            let value = match field {
                Some(field) => self.mask_field(entity.type_name, field.name, field, &value),
                None => match rest_field(model).filter(|_| {
                    // These are written by the library, and no field keeps them.
                    !is_reserved(&name) && !is_derived(entity, table, &name)
                }) {
                    Some(rest) => self.mask_value(entity.type_name, rest.name, &value, None),
                    None => value,
                },
            };
            masked.insert(name, value);
        }
        for key in changing_keys(entity, model) {
            masked.remove(key.attribute);
        }
        masked
    }

    /// The value of a field, which may contain personal fields itself.
    fn mask_field(
        &self,
        entity: &'static str,
        path: &str,
        field: &FieldModel,
        value: &Value,
    ) -> Value {
        match field.is_personal {
            true => self.mask_value(entity, path, value, field.value_type),
            false => match field.value_type {
                Some(ty) => self.mask_within(entity, path, value, ty),
                None => value.clone(),
            },
        }
    }

    /// The value of a personal field.
    fn mask_value(
        &self,
        entity: &'static str,
        path: &str,
        value: &Value,
        ty: Option<TypeOf>,
    ) -> Value {
        if *value == Value::Null {
            return Value::Null;
        }
        let field = PersonalField { entity, path };
        let decided = self.decide.as_ref().and_then(|by| by(&field, value));
        decided.unwrap_or_else(|| self.pseudonyms.value(value, ty))
    }

    /// A value that is not personal itself: the personal fields within it are masked.
    fn mask_within(&self, entity: &'static str, path: &str, value: &Value, ty: TypeOf) -> Value {
        let masked = |value: &Value, ty: TypeOf| self.mask_within(entity, path, value, ty);
        match (ty().model, value) {
            (TypeModel::Of { elements, .. }, Value::L(list)) => {
                let element = elements.last();
                Value::L(
                    list.iter()
                        .map(|value| match element {
                            Some(ty) => masked(value, *ty),
                            None => value.clone(),
                        })
                        .collect(),
                )
            }
            (
                TypeModel::Of {
                    name: "Map",
                    elements,
                },
                Value::M(map),
            ) => {
                let element = elements.last();
                let entries = map.iter().map(|(name, value)| {
                    let value = match element {
                        Some(ty) => masked(value, *ty),
                        None => value.clone(),
                    };
                    (name.clone(), value)
                });
                Value::M(entries.collect())
            }
            (
                TypeModel::Of {
                    name: "Nullable",
                    elements,
                },
                value,
            ) => match elements.first() {
                Some(ty) => masked(value, *ty),
                None => value.clone(),
            },
            (TypeModel::Array { element, .. }, Value::L(list)) => {
                Value::L(list.iter().map(|value| masked(value, element)).collect())
            }
            (TypeModel::Tuple { elements }, Value::L(list)) => {
                let elements = list.iter().zip(elements);
                Value::L(elements.map(|(value, ty)| masked(value, *ty)).collect())
            }
            (TypeModel::Declared { value: declared }, value) => match (declared.shape, value) {
                (ShapeModel::Newtype { inner }, value) => masked(value, inner),
                (ShapeModel::Struct { fields }, Value::M(map)) => {
                    Value::M(self.mask_members(entity, path, fields, map))
                }
                (ShapeModel::Tagged { tag, variants }, Value::M(map)) => {
                    let stored = map.get(tag).and_then(Value::as_text);
                    let mut variants = variants.iter();
                    match variants.find(|variant| Some(variant.stored) == stored) {
                        Some(variant) => {
                            Value::M(self.mask_members(entity, path, variant.fields, map))
                        }
                        None => value.clone(),
                    }
                }
                _ => value.clone(),
            },
            _ => value.clone(),
        }
    }

    fn mask_members(
        &self,
        entity: &'static str,
        path: &str,
        fields: &[FieldModel],
        map: &Item,
    ) -> Item {
        let members = map.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| is_stored_as(field, name));
            let masked = match field {
                Some(field) => {
                    let path = format!("{path}.{}", field.name);
                    self.mask_field(entity, &path, field, value)
                }
                None => match (contents(fields, name, value), personal_rest(fields)) {
                    (Some(contents), _) => Value::L(
                        contents
                            .map(|(field, value)| {
                                let path = format!("{path}.{}", field.name);
                                self.mask_field(entity, &path, field, value)
                            })
                            .collect(),
                    ),
                    (None, Some(rest)) => {
                        let path = format!("{path}.{}", rest.name);
                        self.mask_value(entity, &path, value, None)
                    }
                    (None, None) => value.clone(),
                },
            };
            (name.clone(), masked)
        });
        members.collect()
    }
}

/// Whether a field is stored under this name, or under its former one.
pub(super) fn is_stored_as(field: &FieldModel, name: &str) -> bool {
    !name.is_empty() && (field.attribute == name || field.former == name)
}

/// The values of a tuple variant with several values, with their fields.
pub(super) fn contents<'f>(
    fields: &'f [FieldModel],
    name: &str,
    value: &'f Value,
) -> Option<impl Iterator<Item = (&'f FieldModel, &'f Value)> + use<'f>> {
    let Value::L(values) = value else { return None };
    let begin = format!("{name}[");
    let is_all = fields
        .iter()
        .all(|field| field.attribute.starts_with(&begin));
    (is_all && fields.len() == values.len()).then(|| fields.iter().zip(values))
}

/// The personal field that collects attributes.
fn rest_field(model: &EntityModel) -> Option<&'static FieldModel> {
    personal_rest(model.fields)
}

fn personal_rest(fields: &[FieldModel]) -> Option<&FieldModel> {
    let mut fields = fields.iter();
    fields.find(|field| field.role == FieldRole::Rest && field.is_personal)
}

/// The keys of the table that are built from personal fields.
fn changing_keys<'m>(
    entity: &'static EntityDef,
    model: &'m EntityModel,
) -> impl Iterator<Item = &'static KeyDef> + 'm {
    let is_personal = |name: &str| {
        let mut fields = model.fields.iter();
        fields.any(|field| field.name == name && field.is_personal)
    };
    let keys = [&entity.pk].into_iter().chain(&entity.sk);
    let is_any = keys.clone().flat_map(KeyDef::fields).any(is_personal);
    keys.filter(move |key| {
        // The shard of a partition depends on the whole key.
        let is_built = matches!(key.source, KeySource::Template(_));
        is_built && (is_any && key.shards().is_some() || key.fields().any(is_personal))
    })
}

/// Whether a personal field is a part of the primary key.
pub(super) fn has_personal_key(entity: &'static EntityDef, model: &EntityModel) -> bool {
    let keys = [&entity.pk].into_iter().chain(&entity.sk);
    let mut names = keys.flat_map(KeyDef::fields);
    names.any(|name| {
        let mut fields = model.fields.iter();
        fields.any(|field| field.name == name && field.is_personal)
    })
}

/// Leaves the secret out.
impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}
