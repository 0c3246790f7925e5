//! Where an update comes from, and what is known because of that.

use crate::entity::{DynamoEntity, Key, Known, encode_as_is};
use crate::expr::{Comparison, Node, Term, UpdateAction, UpdateActions};
use crate::json::{CodecError, members};
use crate::plan::LoadedItem;
use crate::schema::{AttributeDef, KeySource};
use crate::write::unique;

/// Where the update comes from.
pub(crate) enum UpdateOrigin {
    Key,
    Entity {
        /// What was loaded, if the entity has a version.
        loaded: Option<LoadedItem>,
        /// The attributes of the entity, if keys of indexes or unique values are made of them.
        attributes: Vec<(String, Vec<u8>)>,
        checks_version: bool,
    },
}

impl UpdateOrigin {
    /// What was loaded, if the stored row had a version.
    pub(crate) fn numbered(&self) -> Option<&LoadedItem> {
        match self {
            UpdateOrigin::Entity {
                loaded: Some(loaded),
                ..
            } => Some(loaded).filter(|loaded| loaded.version().number().is_some()),
            _ => None,
        }
    }

    /// The version of a loaded entity, and no attributes.
    pub(crate) fn version_of<E: DynamoEntity>(entity: &E) -> Result<Self, CodecError> {
        Ok(UpdateOrigin::Entity {
            loaded: LoadedItem::of(entity)?,
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

/// What a loaded entity knows.
pub(super) fn source<E: DynamoEntity>(entity: &E) -> Result<UpdateOrigin, CodecError> {
    let attributes = if has_templates::<E>() {
        split(&encode_as_is(entity)?)?
    } else {
        Vec::new()
    };
    Ok(UpdateOrigin::Entity {
        loaded: LoadedItem::of(entity)?,
        attributes,
        checks_version: true,
    })
}

/// Whether keys of indexes or unique values are made of fields.
fn has_templates<E: DynamoEntity>() -> bool {
    let is_template = |source: &KeySource| matches!(source, KeySource::Template(_));
    let keys = E::ENTITY.indexes.iter();
    keys.flat_map(|index| index.pk.iter().chain(index.sk))
        .any(|key| is_template(&key.source))
        || unique::concerns::<E>()
}

/// The attributes of an item, name by name.
pub(crate) fn split(item: &[u8]) -> Result<Vec<(String, Vec<u8>)>, CodecError> {
    let attributes = members(item)?.into_iter();
    Ok(attributes
        .map(|(name, json)| (name.into_owned(), json.to_vec()))
        .collect())
}

/// The field that is stored as an attribute.
pub(crate) fn field_of<E: DynamoEntity>(attribute: &str) -> Option<&'static str> {
    let found = E::ENTITY
        .attributes
        .iter()
        .find(|known| known.stored == attribute);
    found.map(|known| known.field)
}

pub(crate) fn attribute_of<E: DynamoEntity>(field: &str) -> Option<(usize, &'static AttributeDef)> {
    let mut known = E::ENTITY.attributes.iter().enumerate();
    known.find(|(_, known)| known.field == field)
}

/// What is known before the changes, from the loaded entity, from equalities in the condition, and from the key.
pub(crate) fn known<E: DynamoEntity>(
    source: &UpdateOrigin,
    condition: &Node,
    key: &Key<E>,
) -> Result<Known, CodecError> {
    let mut known = Known::default();
    if let UpdateOrigin::Entity { attributes, .. } = source
        && has_templates::<E>()
    {
        for attribute in E::ENTITY.attributes {
            match attributes.iter().find(|(name, _)| name == attribute.stored) {
                Some((_, json)) => known.tell_json(attribute.field, json.clone()),
                None => known.tell_absent(attribute.field),
            }
        }
    }
    for node in condition.top_level() {
        match node {
            Node::Compare(Term::Place(place), Comparison::Eq, Term::Value(json))
                if place.is_attribute() =>
            {
                if let Some(field) = field_of::<E>(place.attribute()) {
                    known.tell_json(field, json.clone());
                }
            }
            Node::Missing(place) if place.is_attribute() => {
                if let Some(field) = field_of::<E>(place.attribute()) {
                    known.tell_absent(field);
                }
            }
            _ => {}
        }
    }
    key.tell(&mut known)?;
    Ok(known)
}

/// What is known after the changes; returns the fields that change.
pub(crate) fn tell_changes<E: DynamoEntity>(
    update: &UpdateActions,
    known: &mut Known,
) -> Vec<&'static str> {
    let mut fields = Vec::new();
    for (place, action) in update.actions() {
        let Some(field) = field_of::<E>(place.attribute()) else {
            continue;
        };
        match action {
            UpdateAction::Set(json) if place.is_attribute() => known.tell_json(field, json.clone()),
            UpdateAction::Remove if place.is_attribute() => known.tell_absent(field),
            _ => known.tell_computed(field),
        }
        fields.push(field);
    }
    fields
}
