//! The source of an update, and the facts that are known because of it.

use crate::entity::{EntityDeclaration, Known, UntypedEntity, UntypedKey, encode_as_is};
use crate::expr::{Comparison, Node, Term, UpdateAction, UpdateActions};
use crate::json::{CodecError, Names, object_members};
use crate::plan::LoadedItem;
use crate::schema::AttributeDef;

/// The source of the update.
pub(crate) enum UpdateOrigin {
    Key,
    Entity {
        /// The loaded entity, if it has a version.
        loaded: Option<LoadedItem>,
        /// The attributes of the entity, if keys of indexes or unique values are made of them.
        attributes: Vec<(String, Vec<u8>)>,
        checks_version: bool,
    },
}

impl UpdateOrigin {
    /// The loaded row, if it had a version.
    pub(crate) fn numbered(&self) -> Option<&LoadedItem> {
        match self {
            UpdateOrigin::Entity {
                loaded: Some(loaded),
                ..
            } => Some(loaded).filter(|loaded| loaded.loaded_version().number().is_some()),
            _ => None,
        }
    }

    /// The version of a loaded entity, and no attributes.
    pub(crate) fn version_of(entity: &dyn UntypedEntity) -> Result<Self, CodecError> {
        Ok(UpdateOrigin::Entity {
            loaded: LoadedItem::of_entity(entity)?,
            attributes: Vec::new(),
            checks_version: true,
        })
    }

    /// An origin that knows these attributes of an entity.
    pub(crate) fn of(attributes: Vec<(String, Vec<u8>)>) -> Self {
        UpdateOrigin::Entity {
            loaded: None,
            attributes,
            checks_version: false,
        }
    }
}

/// The facts that a loaded entity contains.
pub(in crate::write) fn source(entity: &dyn UntypedEntity) -> Result<UpdateOrigin, CodecError> {
    // Only entities with templates or unique values need to know their stored attributes, so others
    // save the encoding.
    let attributes = if entity.declaration().has_templates() {
        split(&encode_as_is(entity)?)?
    } else {
        Vec::new()
    };
    Ok(UpdateOrigin::Entity {
        loaded: LoadedItem::of_entity(entity)?,
        attributes,
        checks_version: true,
    })
}

/// The attributes of an item, name by name.
pub(crate) fn split(item: &[u8]) -> Result<Vec<(String, Vec<u8>)>, CodecError> {
    let attributes = object_members(item)?.into_iter();
    Ok(attributes
        .map(|(name, json)| (name.into_owned(), json.to_vec()))
        .collect())
}

/// The field that is stored as an attribute.
pub(in crate::write) fn field_of(
    declared: &EntityDeclaration,
    attribute: &str,
) -> Option<&'static str> {
    let found = declared
        .def
        .attributes
        .iter()
        .find(|known| known.stored == attribute);
    found.map(|known| known.field)
}

/// The field that older programs store as an attribute.
pub(in crate::write) fn formerly_of(
    declared: &EntityDeclaration,
    attribute: &str,
) -> Option<&'static str> {
    let mut known = declared.def.attributes.iter();
    let found = known.find(|known| known.former_name() == Some(attribute));
    found.map(|known| known.field)
}

pub(crate) fn attribute_of(
    declared: &EntityDeclaration,
    field: &str,
) -> Option<(usize, &'static AttributeDef)> {
    let mut known = declared.def.attributes.iter().enumerate();
    known.find(|(_, known)| known.field == field)
}

/// The known facts before the changes, from the loaded entity, from equalities in the condition, and from the key.
pub(crate) fn known(source: &UpdateOrigin, condition: &Node, key: &UntypedKey) -> Known {
    let (declared, mut known) = (key.declared, Known::default());
    if let UpdateOrigin::Entity { attributes, .. } = source
        && declared.has_templates()
    {
        let held = Names::of_json(attributes);
        for attribute in declared.def.attributes {
            match attribute.read_names().find_map(|name| held.get_named(name)) {
                Some(json) => known.tell_json(attribute.field, json.to_vec()),
                None => known.tell_absent(attribute.field),
            }
        }
    }
    for node in condition.top_level() {
        match node {
            Node::Compare(Term::Place(place), Comparison::Eq, Term::Value(json))
                if place.is_attribute() =>
            {
                if let Some(field) = field_of(declared, place.attribute_name()) {
                    known.tell_json(field, json.clone());
                }
            }
            Node::Missing(place) if place.is_attribute() => {
                if let Some(field) = field_of(declared, place.attribute_name()) {
                    known.tell_absent(field);
                }
            }
            _ => {}
        }
    }
    // The key names the item, so its parts are certain, whatever else is known.
    known.tell_all(key.told());
    known
}

/// The known facts after the changes; returns the fields that change.
pub(crate) fn tell_changes(
    declared: &EntityDeclaration,
    update: &UpdateActions,
    known: &mut Known,
) -> Vec<&'static str> {
    let mut fields = Vec::new();
    for (place, action) in update.place_actions() {
        let Some(field) = field_of(declared, place.attribute_name()) else {
            continue;
        };
        match action {
            UpdateAction::Set(json) if place.is_attribute() => known.tell_json(field, json.clone()),
            UpdateAction::Remove if place.is_attribute() => known.tell_absent(field),
            // The result of an expression is known only to DynamoDB.
            _ => known.tell_computed(field),
        }
        fields.push(field);
    }
    fields
}
