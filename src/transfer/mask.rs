//! The mask of a copy: finds the personal values of an item, and replaces them by pseudonyms or by the values of a closure.

use std::fmt;
use std::sync::Arc;

use super::personal::{contents, holds_personal, is_stored_as};
use super::pseudonym::Pseudonyms;
use crate::codec::{Item, Value, may_be_compressed, plain_value};
use crate::entity::field::is_derived;
use crate::entropy::random_bits;
use crate::error::{Error, Result};
use crate::json::CodecError;
use crate::schema::{
    EntityDef, EntityModel, FieldModel, FieldRole, KeyDef, KeySource, ShapeModel, TableDef,
    TypeModel, TypeOf, is_reserved,
};

/// The minimum length of a secret, in bytes.
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
    /// The name of the struct of the entity.
    pub fn entity(&self) -> &'static str {
        self.entity
    }

    /// The path of the field, as names of fields: `email`, or `address.street`. Elements of lists and maps have no name in it.
    pub fn path(&self) -> &str {
        self.path
    }
}

impl Mask {
    /// Creates a mask with a random secret, so no other copy has the same pseudonyms. A copy with a checkpoint, or of an
    /// entity with a personal field in its primary key, needs [`with_secret`](Self::with_secret) instead, because its next
    /// run must have the same pseudonyms.
    pub fn random() -> Result<Mask> {
        let secret = [random_bits()?, random_bits()?].map(u128::to_ne_bytes);
        Ok(Mask {
            is_random: true,
            ..Mask::of(&secret.concat())?
        })
    }

    /// Creates a mask with this secret, so that every copy with the secret has the same pseudonyms.
    ///
    /// The secret must have at least 16 random bytes. A shorter one is an error of kind
    /// [`Config`](crate::error::ErrorKind::Config), because anyone who guesses the secret can find the values by trying many.
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

    /// Calls the closure for each personal field that has a value other than NULL. The closure returns the value to store,
    /// in the stored form of the field's type, or `None` for the pseudonym.
    ///
    /// If the type of the field does not accept the value, the row fails and is not copied.
    pub fn by(
        mut self,
        decide: impl Fn(&PersonalField<'_>, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.decide = Some(Arc::new(decide));
        self
    }

    /// The pseudonym of a value, for closures and scripts. The method does not know the type of the field. Therefore it masks
    /// an enum as a text, and keys of maps stay as they are.
    pub fn pseudonym(&self, value: &Value) -> Value {
        self.pseudonyms.value(value, None)
    }

    /// Whether no other run can have the same pseudonyms.
    pub(super) fn is_random(&self) -> bool {
        self.is_random
    }

    /// The text by which another run recognizes the mask. It does not reveal the secret.
    pub(super) fn fingerprint(&self) -> String {
        let by = if self.decide.is_some() {
            " by a closure"
        } else {
            ""
        };
        format!("{}{by}", self.pseudonyms.fingerprint())
    }

    /// Replaces the personal values of an item in the present shape. Removes the keys of the table that were built from
    /// them, so that they are built again. Fails if a value that may contain personal data does not fit its type.
    pub(super) fn mask_item(
        &self,
        entity: &'static EntityDef,
        model: &EntityModel,
        table: &TableDef,
        item: Item,
    ) -> Result<Item, CodecError> {
        let mut masked = Item::new();
        for (name, value) in item {
            let mut fields = model.fields.iter();
            let field = fields.find(|field| is_stored_as(field, &name));
            let value = match field {
                Some(field) => self
                    .mask_field(entity.type_name, field.name, field, &value)
                    .map_err(|fault| fault.at(name.as_str()))?,
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
        Ok(masked)
    }

    /// Masks the value of a field that is personal or may contain personal fields.
    fn mask_field(
        &self,
        entity: &'static str,
        path: &str,
        field: &FieldModel,
        value: &Value,
    ) -> Result<Value, CodecError> {
        // Expanded bytes may look like a compressed value, so a field without personal data stays as it is stored.
        let is_open = || !field.is_personal && !field.value_type.is_some_and(holds_personal);
        if may_be_compressed(field.form) && is_open() {
            return Ok(value.clone());
        }
        let value = plain_value(field.form, value)?;
        match field.is_personal {
            true => Ok(self.mask_value(entity, path, &value, field.value_type)),
            false => match field.value_type {
                Some(ty) => self.mask_within(entity, path, &value, ty),
                None => Ok(value.into_owned()),
            },
        }
    }

    /// Masks the value of a personal field.
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

    /// Masks the personal fields within a value that is not personal itself.
    fn mask_within(
        &self,
        entity: &'static str,
        path: &str,
        value: &Value,
        ty: TypeOf,
    ) -> Result<Value, CodecError> {
        let masked = |value: &Value, ty: TypeOf| self.mask_within(entity, path, value, ty);
        match (ty().model, value) {
            // First, because its value may be a list too.
            (
                TypeModel::Of {
                    name: "Nullable",
                    elements: [inner],
                },
                value,
            ) => masked(value, *inner),
            (
                TypeModel::Of {
                    name: "Map",
                    elements: [.., element],
                },
                Value::M(map),
            ) => {
                let entries = map
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), masked(value, *element)?)));
                entries.collect::<Result<_, _>>().map(Value::M)
            }
            (
                TypeModel::Of {
                    name: "Vec" | "Set",
                    elements: [element],
                },
                Value::L(list),
            ) => masked_list(list.iter().map(|value| masked(value, *element))),
            (TypeModel::Array { element, .. }, Value::L(list)) => {
                masked_list(list.iter().map(|value| masked(value, element)))
            }
            (TypeModel::Tuple { elements }, Value::L(list)) if list.len() == elements.len() => {
                let elements = list.iter().zip(elements);
                masked_list(elements.map(|(value, ty)| masked(value, *ty)))
            }
            (TypeModel::Declared { value: declared }, value) => match (declared.shape, value) {
                (ShapeModel::Newtype { inner }, value) => masked(value, inner),
                (ShapeModel::Struct { fields }, Value::M(map)) => {
                    self.mask_members(entity, path, fields, map).map(Value::M)
                }
                (ShapeModel::Tagged { tag, variants }, Value::M(map)) => {
                    let stored = map.get(tag).and_then(Value::as_text);
                    let mut variants = variants.iter();
                    match variants.find(|variant| Some(variant.stored) == stored) {
                        Some(variant) => self
                            .mask_members(entity, path, variant.fields, map)
                            .map(Value::M),
                        None => unmasked(value, ty),
                    }
                }
                _ => unmasked(value, ty),
            },
            _ => unmasked(value, ty),
        }
    }

    fn mask_members(
        &self,
        entity: &'static str,
        path: &str,
        fields: &[FieldModel],
        map: &Item,
    ) -> Result<Item, CodecError> {
        let masked = |field: &FieldModel, value: &Value| {
            let path = format!("{path}.{}", field.name);
            self.mask_field(entity, &path, field, value)
                .map_err(|fault| fault.at(field.name))
        };
        let members = map.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| is_stored_as(field, name));
            let value = match field {
                Some(field) => masked(field, value)?,
                None => match (contents(fields, name, value), personal_rest(fields)) {
                    (Some(contents), _) => {
                        masked_list(contents.map(|(field, value)| masked(field, value)))?
                    }
                    (None, Some(rest)) => {
                        let path = format!("{path}.{}", rest.name);
                        self.mask_value(entity, &path, value, None)
                    }
                    (None, None) => value.clone(),
                },
            };
            Ok((name.clone(), value))
        });
        members.collect()
    }
}

fn masked_list(
    values: impl Iterator<Item = Result<Value, CodecError>>,
) -> Result<Value, CodecError> {
    values.collect::<Result<_, _>>().map(Value::L)
}

/// Returns the value as it is, or an error if its type has personal fields.
fn unmasked(value: &Value, ty: TypeOf) -> Result<Value, CodecError> {
    match *value != Value::Null && holds_personal(ty) {
        true => Err(CodecError::new(
            "its type contains personal fields, and the value has another form, so it cannot be masked",
        )),
        false => Ok(value.clone()),
    }
}

/// The personal `rest` field.
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

/// Whether a personal field determines when an item expires.
pub(super) fn has_personal_expiry(entity: &'static EntityDef, model: &EntityModel) -> bool {
    entity.expiry.is_some_and(|expiry| {
        let mut fields = model.fields.iter();
        fields.any(|field| field.name == expiry.source && field.is_personal)
    })
}

/// Omits the secret.
impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}
