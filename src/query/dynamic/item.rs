//! Items of JSON that a person or another program has written.

use crate::codec::{Item, Value};
use crate::error::{Error, ErrorKind, Result, Stage, nearest_word};
use crate::json::Tag;
use crate::schema::{EntitySchema, FieldInKey, FieldRole, FieldSchema, SHAPE, TableSchema};

impl TableSchema {
    /// An item of the entity of this name, from an object of JSON that a person or another program has written, for
    /// [`DynamicWrites`](crate::write::DynamicWrites). Members have the names of fields or attributes, and get the types in
    /// which they are stored: a set is given as a list, and bytes as a text in Base64. The item gets its primary key, if
    /// some fields are stored only in the key, and a text that is a key attribute itself gets its stored form.
    ///
    /// Fails if a member is no field and no attribute, is given twice, or does not fit its type.
    ///
    /// ```
    /// # use std::collections::BTreeSet;
    /// # use dynamo_entity::{Value, prelude::*};
    /// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = "USER#{owner}", sk = "{number:04}"))]
    /// # struct Note { owner: String, number: u16, #[dynamo(rename = "t")] tags: BTreeSet<String> }
    /// let note = Note::schema().item_from_json("Note", r#"{"owner": "ann", "number": 7, "tags": ["new"]}"#)?;
    /// assert_eq!(note.get("t"), Some(&Value::Ss(["new".into()].into())));
    ///
    /// let refused = Note::schema().item_from_json("Note", r#"{"owner": "ann", "nunber": 7}"#).unwrap_err();
    /// assert!(refused.to_string().contains("did you mean `number`?"));
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn item_from_json(&self, entity: &str, json: &str) -> Result<Item> {
        let of = GivenItem {
            schema: self,
            entity: self.named_entity(entity)?,
        };
        let mut item = Item::new();
        for (name, value) in Item::from_json(json)? {
            match of.field_of(&name) {
                Some(field) => of.put_field(&mut item, field, value)?,
                None => {
                    of.check_name(&name)?;
                    item.insert(name, value);
                }
            }
        }
        of.add_key(&mut item)?;
        Ok(item)
    }

    /// Whether an attribute is derived from fields: a key with a template, or the type.
    pub fn is_derived(&self, entity: &EntitySchema, attribute: &str) -> bool {
        let mut fields = entity.fields.iter();
        !fields.any(|field| field.attribute.as_deref() == Some(attribute))
            && (self.key_types().contains_key(attribute)
                || entity.type_attribute_in(self) == Some(attribute))
    }
}

/// The declaration of an item that was given.
struct GivenItem<'s> {
    schema: &'s TableSchema,
    entity: &'s EntitySchema,
}

impl<'s> GivenItem<'s> {
    /// The field of a member, and the attribute that stores the member. Matches the attribute of a field or its former name
    /// first, then the name of the field.
    fn field_of(&self, name: &str) -> Option<(&'s FieldSchema, &'s str)> {
        let mut stored = self.entity.fields.iter();
        let stored = stored.find_map(|field| {
            let mut names = field.attribute.iter().chain(&field.former);
            let attribute = names.find(|attribute| *attribute == name)?;
            Some((field, attribute.as_str()))
        });
        stored.or_else(|| {
            let field = self.entity.field(name)?;
            let attribute = field.attribute.as_deref().unwrap_or(&field.name);
            (field.role != FieldRole::Rest).then_some((field, attribute))
        })
    }

    fn put_field(
        &self,
        item: &mut Item,
        (field, name): (&FieldSchema, &str),
        value: Value,
    ) -> Result<()> {
        let typed = match field.stored {
            Some(stored) if value != Value::Null => value.into_type(stored),
            _ => Some(value),
        };
        let entity = &self.entity.name;
        let Some(value) = typed else {
            let form = match field.stored {
                Some(Tag::N) if self.schema.ttl.as_deref() == Some(name) => {
                    ": it expires at a number of seconds since 1970"
                }
                Some(Tag::N) => ": it is stored as a number",
                Some(Tag::B) => ": it is stored as bytes, which are written in Base64",
                Some(Tag::Ss | Tag::Ns | Tag::Bs) => {
                    ": it is stored as a set, which is written as a list"
                }
                _ => "",
            };
            let (field, ty) = (&field.name, &field.rust_type);
            return Err(unfit(format!(
                "`{field}` of `{entity}` is a `{ty}`, and the given value is none{form}"
            )));
        };
        match item.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(unfit(format!(
                "`{}` of `{entity}` is given twice, by its name and by its attribute",
                field.name
            ))),
        }
    }

    /// Rejects a member that no field reads, because it would be lost without a message.
    fn check_name(&self, name: &str) -> Result<()> {
        let entity = self.entity;
        let mut fields = entity.fields.iter();
        let has_rest = fields.any(|field| field.role == FieldRole::Rest);
        let is_shape = name == SHAPE && entity.shape.is_some();
        if has_rest || is_shape || self.schema.is_derived(entity, name) {
            return Ok(());
        }
        let names: Vec<&str> = entity.fields.iter().map(|field| &*field.name).collect();
        let hint = match nearest_word(&name.to_lowercase(), &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has `{}`", names.join("`, `")),
        };
        Err(unfit(format!(
            "`{}` has no field `{name}`: {hint}",
            entity.name
        )))
    }

    /// Makes the primary key from the values of its fields, if it is needed:
    ///
    /// - A field that only the key contains is read from the key.
    /// - A text that is a key attribute itself must be exactly the stored text. People write times, for example, in other
    ///   forms.
    fn add_key(&self, item: &mut Item) -> Result<()> {
        let parts = self.entity.key_fields();
        let is_in_key_only =
            |part: &FieldInKey<'_>| part.field.is_some_and(|field| field.attribute.is_none());
        let texts: Option<Vec<String>> = parts.iter().map(|part| text_of(item, part)).collect();
        let is_needed = parts.iter().any(is_in_key_only);
        if let Some(texts) = texts {
            let dynamic = self.schema.dynamic(&self.entity.name)?;
            match dynamic.key(texts.iter().map(String::as_str)) {
                Ok(key) if is_needed => item.extend(key),
                Ok(key) => self.take_stored_form(item, key),
                Err(error) if is_needed || is_whole_field(&error, &parts) => return Err(error),
                // The item is read by its types later, and that error names the mistake better.
                Err(_) => {}
            }
        }
        for part in parts.iter().filter(|part| is_in_key_only(part)) {
            item.remove(part.name);
        }
        Ok(())
    }

    /// Replaces texts that are key attributes themselves by their stored form. Other attributes of the key stay as they
    /// were given. When the item is read, they are compared with the fields.
    fn take_stored_form(&self, item: &mut Item, key: Item) {
        for (name, value) in key {
            let is_text = matches!(item.get(&name), Some(Value::S(_)));
            if is_text && !self.schema.is_derived(self.entity, &name) {
                item.insert(name, value);
            }
        }
    }
}

/// The value of a part of a key as a text, if the item has it.
fn text_of(item: &Item, part: &FieldInKey<'_>) -> Option<String> {
    let attribute = part.field?.attribute.as_deref();
    match item.get(attribute.unwrap_or(part.name))? {
        Value::S(text) => Some(text.clone()),
        Value::N(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Whether the mistake is in a text that is a key attribute, and not in a part of one.
fn is_whole_field(error: &Error, parts: &[FieldInKey<'_>]) -> bool {
    let mut whole = parts.iter().filter(|part| part.format().is_none());
    error
        .attribute()
        .is_some_and(|name| whole.any(|part| part.name == name))
}

fn unfit(message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, Stage::Encode, message)
}
