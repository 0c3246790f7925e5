//! The attributes that an update writes in addition to its changes, and those that it must not omit.

use crate::entity::{EntityDeclaration, ManagedValues};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{UpdateAction, UpdateActions, UpdateOperand};
use crate::json::{CodecError, Name, Writer};
use crate::path::{Place, json as field_json};
use crate::schema::{AttributeDef, FieldModel, KeyDef, SHAPE, is_reserved, same_text};
use crate::write::knowledge::{field_of, formerly_of};
use crate::write::{UpdateOrigin, split};

/// Returns an error for names that the library writes itself, which a path of `rest` could name.
pub(crate) fn check_places(declared: &EntityDeclaration, update: &UpdateActions) -> Result<()> {
    let table = declared.table;
    for (place, _) in update.place_actions() {
        let name = &**place.attribute_name();
        let is_key = name == table.pk || table.sk == Some(name);
        if is_key
            || crate::entity::field::is_derived(declared.def, table, name)
                && field_of(declared, name).is_none()
        {
            let message = format!(
                "the attribute `{name}` is kept by the library and cannot be changed by an update"
            );
            return Err(refused(declared, message));
        }
        if place.is_of_rest() && is_reserved(name) {
            let message =
                format!("the library keeps the attribute `{name}` for itself: take another name");
            return Err(refused(declared, message));
        }
        // Written through `rest`, the attribute would escape the maintenance of the indexes that
        // contain the field.
        let field = field_of(declared, name).or_else(|| formerly_of(declared, name));
        if let Some(field) = field.filter(|_| place.is_of_rest()) {
            let message = format!(
                "the attribute `{name}` is the field `{field}`: change it by the path of the field, not by that of `rest`"
            );
            return Err(refused(declared, message));
        }
    }
    Ok(())
}

/// Law W1: an upsert may create the item, so it must contain every field without which the entity cannot be read.
pub(crate) fn check_complete(declared: &EntityDeclaration, update: &UpdateActions) -> Result<()> {
    let lacks = |(at, attribute): &(usize, &AttributeDef)| {
        let sets = |(place, action): (&Place, &UpdateAction)| {
            *place.attribute_name() == attribute.stored
                && place.is_attribute()
                && action.makes_a_value()
        };
        let def = declared.def;
        let is_key = attribute.stored == def.pk.attribute
            || def.sk.is_some_and(|sk| sk.attribute == attribute.stored);
        !is_key && !(declared.may_be_absent)(*at) && !update.place_actions().any(sets)
    };
    let attributes = declared.def.attributes.iter().enumerate();
    let (of_key, settable): (Vec<&AttributeDef>, Vec<_>) = attributes
        .filter(lacks)
        .map(|(_, attribute)| attribute)
        .partition(|attribute| is_in_key(declared, attribute.field));
    let message = match (&of_key[..], &settable[..]) {
        ([], []) => return Ok(()),
        // A key field has no `set`, so the caller cannot add it to the upsert.
        ([_, ..], _) => format!(
            "an upsert may create the item, and the key contains {} only in part (in one case, or truncated): \
             use `create` or `put` with the whole entity, or `update` for an item that exists",
            named(&of_key)
        ),
        ([], _) => format!(
            "an upsert may create the item, and it could not be read without {}: set it in the same upsert, or use `update` for an item that exists",
            named(&settable)
        ),
    };
    Err(refused(declared, message))
}

fn is_in_key(declared: &EntityDeclaration, field: &str) -> bool {
    let keys = [Some(&declared.def.pk), declared.def.sk.as_ref()];
    let mut fields = keys.into_iter().flatten().flat_map(KeyDef::fields);
    fields.any(|known| known == field)
}

fn named(attributes: &[&AttributeDef]) -> String {
    let names = attributes.iter().map(|it| format!("`{}`", it.field));
    names.collect::<Vec<_>>().join(", ")
}

/// Sets the attributes of a fresh item in addition to its fields, because an upsert may create one. Key attributes
/// are already in the key, and index keys are added later. The fields that the key contains whole come as an object.
pub(crate) fn set_identity(
    declared: &EntityDeclaration,
    update: &mut UpdateActions,
    key_fields: &[u8],
) -> Result<(), CodecError> {
    if let Some(attribute) = declared.def.type_attribute_in(declared.table) {
        let mut json = Writer::default();
        json.text(declared.def.stored_name);
        update.set_action(attribute, UpdateAction::Set(json.into_bytes()));
    }
    for constant in declared.def.constants {
        update.set_action(constant.attribute, UpdateAction::Set(constant.json()));
    }
    if let Some(number) = declared.def.written_shape().filter(|number| *number > 1) {
        let json = format!("{{\"N\":\"{number}\"}}").into_bytes();
        update.set_action(SHAPE, UpdateAction::Set(json));
    }
    for (name, json) in split(key_fields)? {
        let stored = declared
            .def
            .attributes
            .iter()
            .find(|known| known.stored == name);
        if let Some(known) = stored {
            update.set_action(known.place(), UpdateAction::Set(json));
        }
    }
    Ok(())
}

/// The fields of an entity if one of them has `null`, otherwise none. Therefore a program holds no model of an entity
/// without one.
pub(crate) const fn fields_with_null(fields: &'static [FieldModel]) -> &'static [FieldModel] {
    let mut at = 0;
    while at < fields.len() {
        let form = fields[at].form;
        if same_text(form, NULL_WORD) || same_text(form, SERDE_NULL) {
            return fields;
        }
        at += 1;
    }
    &[]
}

/// The words by which the model tells such a field.
const NULL_WORD: &str = "null";
const SERDE_NULL: &str = "serde_null";

/// Sets NULL for the fields of a fresh item that store their None so, unless the item has a value.
pub(crate) fn set_nulls(
    declared: &EntityDeclaration,
    fields: &[FieldModel],
    update: &mut UpdateActions,
) {
    let writes_null = |field: &&FieldModel| [NULL_WORD, SERDE_NULL].contains(&field.form);
    for field in fields.iter().filter(writes_null) {
        let is_changed = |(place, _): (&Place, _)| *place.attribute_name() == field.attribute;
        if update.place_actions().any(is_changed) {
            continue;
        }
        let mut known = declared.def.attributes.iter();
        if let Some(known) = known.find(|known| known.stored == field.attribute) {
            let mut json = Writer::default();
            json.null();
            let null = UpdateOperand::Json(json.into_bytes());
            update.set_action(known.place(), UpdateAction::SetIfAbsent(null));
        }
    }
}

/// Version and timestamps (law W7).
pub(crate) fn stamp_fields(
    declared: &EntityDeclaration,
    update: &mut UpdateActions,
    source: &UpdateOrigin,
    creates: bool,
    stamp: &ManagedValues,
) -> Result<(), CodecError> {
    let json = |attribute| {
        field_json(|name: &Name, writer: &mut Writer| {
            (declared.encode_now)(attribute, stamp, name, writer)
        })
    };
    let def = declared.def;
    if let Some(attribute) = def.version {
        update.set_action(attribute, next_version(source)?);
    }
    for attribute in [def.updated_at, def.updated_by].into_iter().flatten() {
        let action = json(attribute)?.map_or(UpdateAction::Remove, UpdateAction::Set);
        update.set_action(attribute, action);
    }
    let created = [def.created_at, def.created_by].into_iter().flatten();
    for attribute in created.filter(|_| creates) {
        if let Some(json) = json(attribute)? {
            update.set_action(
                attribute,
                // An upsert of an existing item must keep its time of creation.
                UpdateAction::SetIfAbsent(UpdateOperand::Json(json)),
            );
        }
    }
    Ok(())
}

/// The version after the loaded one. An update by key increments any stored version.
fn next_version(source: &UpdateOrigin) -> Result<UpdateAction, CodecError> {
    let number = |number: u64| format!("{{\"N\":\"{number}\"}}").into_bytes();
    Ok(match source {
        UpdateOrigin::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => UpdateAction::Set(number(loaded.loaded_version().next()?)),
        // Without a checked version, the stored number is unknown, so it is incremented where it is
        // stored.
        _ => UpdateAction::Add {
            start: number(0),
            delta: UpdateOperand::Json(number(1)),
            minus: false,
        },
    })
}

pub(crate) fn refused(declared: &EntityDeclaration, message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, Stage::Request, message).of(declared.def.type_name)
}
