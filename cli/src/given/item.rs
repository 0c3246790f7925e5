//! Reads an item from JSON: members have the names of fields or attributes, and get the types in which they are stored.

use dynamo_entity::codec::Tag;
use dynamo_entity::schema::{EntitySchema, FieldRole, FieldSchema, SHAPE};
use dynamo_entity::{Error, Item, Value};

use crate::failure::Failure;
use crate::model::ModelEntity;
use crate::part::PartInput;
use crate::text::nearest;

/// The item of an object of JSON. JSON has no sets and bytes, so the types of the fields determine them.
pub(crate) fn item_of_json(json: &str, of: ModelEntity<'_>) -> Result<Item, Failure> {
    let given = Item::from_json(json)?;
    let mut item = Item::new();
    for (name, value) in given {
        match field_of(of.entity, &name) {
            Some(field) => put_field(&mut item, of, field, value)?,
            None => {
                check_name(of, &name)?;
                item.insert(name, value);
            }
        }
    }
    add_key(&mut item, of)?;
    Ok(item)
}

/// The field of a member, and the attribute that stores the member. Matches the attribute of a field or its former name
/// first, then the name of the field.
fn field_of<'e>(entity: &'e EntitySchema, name: &str) -> Option<(&'e FieldSchema, &'e str)> {
    let names = |field: &'e FieldSchema| {
        field
            .attribute
            .as_deref()
            .into_iter()
            .chain(field.former.as_deref())
    };
    let mut stored = entity.fields.iter();
    let stored = stored.find_map(|field| {
        let attribute = names(field).find(|attribute| *attribute == name)?;
        Some((field, attribute))
    });
    stored.or_else(|| {
        let field = entity.field(name)?;
        let attribute = field.attribute.as_deref().unwrap_or(&field.name);
        (field.role != FieldRole::Rest).then_some((field, attribute))
    })
}

fn put_field(
    item: &mut Item,
    of: ModelEntity<'_>,
    (field, name): (&FieldSchema, &str),
    value: Value,
) -> Result<(), Failure> {
    let typed = match field.stored {
        Some(stored) if value != Value::Null => value.into_type(stored),
        _ => Some(value),
    };
    let Some(value) = typed else {
        let form = match field.stored {
            Some(Tag::N) if of.schema.ttl.as_deref() == Some(name) => {
                ": it expires at a number of seconds since 1970"
            }
            Some(Tag::N) => ": it is stored as a number",
            Some(Tag::B) => ": it is stored as bytes, which are written in Base64",
            Some(Tag::Ss | Tag::Ns | Tag::Bs) => {
                ": it is stored as a set, which is written as a list"
            }
            _ => "",
        };
        let (entity, field, ty) = (&of.entity.name, &field.name, &field.rust_type);
        return Err(Failure::said(format!(
            "`{field}` of `{entity}` is a `{ty}`, and the given value is none{form}"
        )));
    };
    match item.insert(name, value) {
        None => Ok(()),
        Some(_) => Err(Failure::said(format!(
            "`{}` of `{}` is given twice, by its name and by its attribute",
            field.name, of.entity.name
        ))),
    }
}

/// Rejects a member that no field reads, because it would be lost without a message.
fn check_name(of: ModelEntity<'_>, name: &str) -> Result<(), Failure> {
    let entity = of.entity;
    let has_rest = entity
        .fields
        .iter()
        .any(|field| field.role == FieldRole::Rest);
    let is_shape = name == SHAPE && entity.shape.is_some();
    if has_rest || is_shape || of.is_derived(name) {
        return Ok(());
    }
    let names = entity.fields.iter().map(|field| field.name.as_str());
    let hint = match nearest(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has `{}`", names.collect::<Vec<_>>().join("`, `")),
    };
    Err(Failure::said(format!(
        "`{}` has no field `{name}`: {hint}",
        entity.name
    )))
}

/// Makes the primary key from the values of its fields, if it is needed:
///
/// - A field that only the key contains is read from the key.
/// - A text that is a key attribute itself must be exactly the stored text. People write times, for example, in other
///   forms.
fn add_key(item: &mut Item, of: ModelEntity<'_>) -> Result<(), Failure> {
    let entity = of.entity;
    let parts = of.key_parts();
    let in_key_only = |name: &str| {
        entity
            .field(name)
            .is_some_and(|field| field.attribute.is_none())
    };
    let attribute = |name: &str| {
        let field = entity.field(name)?;
        Some(field.attribute.clone().unwrap_or_else(|| name.to_owned()))
    };
    let text = |name: &str| match item.get(&attribute(name)?)? {
        Value::S(text) => Some(text.clone()),
        Value::N(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    };
    let texts: Option<Vec<String>> = parts.iter().map(|part| text(part.field())).collect();
    let is_needed = parts.iter().any(|part| in_key_only(part.field()));
    if let Some(texts) = texts {
        let made = of.dynamic()?.key(texts.iter().map(String::as_str));
        match made {
            Ok(key) if is_needed => item.extend(key),
            Ok(key) => respell(item, key, of),
            Err(error) => match wrong_key(&error, &parts, &texts, of) {
                Some(failure) => return Err(failure),
                None if is_needed => return Err(error.into()),
                // The item is read by its types later, and that error names the mistake better.
                None => {}
            },
        }
    }
    for part in parts.iter().filter(|part| in_key_only(part.field())) {
        item.remove(part.field());
    }
    Ok(())
}

/// Replaces texts that are key attributes themselves by their stored form. Other attributes of the key stay as they
/// were given. When the item is read, they are compared with the fields.
fn respell(item: &mut Item, key: Item, of: ModelEntity<'_>) {
    for (name, value) in key {
        if !of.is_derived(&name) && matches!(item.get(&name), Some(Value::S(_))) {
            item.insert(name, value);
        }
    }
}

/// The mistake in a text that is a key attribute itself.
fn wrong_key(
    error: &Error,
    parts: &[PartInput<'_>],
    texts: &[String],
    of: ModelEntity<'_>,
) -> Option<Failure> {
    let field = error.attribute()?;
    let mut given = parts.iter().zip(texts);
    let (part, text) = given.find(|(part, _)| part.field() == field && !part.has_format())?;
    let (entity, kind) = (&of.entity.name, part.kind());
    Some(Failure::said(format!(
        "`{field}` of `{entity}`: `{text}` is no {kind}"
    )))
}
