//! The differences between two values of one entity, as changes of attributes.

use std::collections::HashSet;

use crate::entity::{self, EntityDeclaration, UntypedEntity, UntypedKey, encode_as_is};
use crate::expr::{Expression, Node, UpdateAction};
use crate::json::{CodecError, Names};
use crate::path::Place;
use crate::plan::check;
use crate::schema::AttributeDef;
use crate::write::{loaded_condition, split};

/// The attributes of an entity in DynamoDB JSON, by their stored names.
pub(crate) type Attributes = Vec<(String, Vec<u8>)>;

pub(crate) fn attributes(entity: &dyn UntypedEntity) -> Result<Attributes, CodecError> {
    split(&encode_as_is(entity)?)
}

/// The new attributes, except for managed ones: no value of the struct changes these.
pub(crate) fn merged(
    declared: &'static EntityDeclaration,
    before: &Attributes,
    mut after: Attributes,
) -> Attributes {
    let kept = KeptNames::of(declared);
    after.retain(|(name, _)| !kept.contains(name));
    // The closure may have changed managed fields or keys in memory. They count as unchanged,
    // because the library writes them itself.
    let kept = before.iter().filter(|(name, _)| kept.contains(name));
    after.extend(kept.cloned());
    after
}

/// The changes of fields and of unknown attributes. Keys of indexes follow later.
pub(crate) fn differences(before: &Attributes, after: &Attributes) -> Vec<(String, UpdateAction)> {
    let (old, new) = (Names::of_json(before), Names::of_json(after));
    let changed = after
        .iter()
        .filter(|(name, json)| old.get_named(name) != Some(json.as_slice()));
    let changed = changed.map(|(name, json)| (name.clone(), UpdateAction::Set(json.clone())));
    let gone = before.iter().filter(|(name, _)| !new.has_name(name));
    let gone = gone.map(|(name, _)| (name.clone(), UpdateAction::Remove));
    changed.chain(gone).collect()
}

/// The places that these changes of attributes concern. A renamed attribute changes under both of its names at once, so
/// the one under its former name is omitted.
pub(crate) fn at_places(
    declared: &EntityDeclaration,
    changes: Vec<(String, UpdateAction)>,
) -> impl Iterator<Item = (Place, UpdateAction)> {
    let renamed = declared.def.attributes.iter();
    let renamed: Vec<_> = renamed.filter(|known| known.former.is_some()).collect();
    changes.into_iter().filter_map(move |(name, action)| {
        let mut known = renamed.iter();
        if let Some(known) = known.find(|known| known.names().any(|known| known == name)) {
            // A renamed field is written under both names by one change of its path, so the change
            // of the other name is dropped.
            return (known.stored == name).then(|| (known.place(), action));
        }
        Some((Place::of(name), action))
    })
}

/// The attributes that the library manages: keys, the type, and managed fields.
pub(crate) struct KeptNames {
    declared: &'static EntityDeclaration,
    fields: Names<'static, AttributeDef>,
}

impl KeptNames {
    pub(crate) fn of(declared: &'static EntityDeclaration) -> Self {
        KeptNames {
            declared,
            fields: stored_names(declared),
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        let (def, table) = (self.declared.def, self.declared.table);
        let is_key = name == table.pk || table.sk == Some(name);
        is_key
            || def.managed().contains(&Some(name))
            || entity::field::is_derived(def, table, name) && !self.fields.has_name(name)
    }
}

/// The fields by the names of their attributes.
fn stored_names(declared: &EntityDeclaration) -> Names<'static, AttributeDef> {
    let fields = declared.def.attributes.iter();
    Names::new(fields.map(|known| (known.stored, known)))
}

/// The names of the attributes of all fields, former ones among them, and of those of the `rest` that are among these. The primary key is left
/// out, because it is the same.
pub(crate) fn seen_attributes<'a>(
    declared: &EntityDeclaration,
    seen: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let (def, table) = (declared.def, declared.table);
    let mut names: Vec<String> = Vec::new();
    let fields = def.attributes.iter().flat_map(AttributeDef::names);
    let rest = seen.filter(|name| !entity::field::is_derived(def, table, name));
    let mut known = HashSet::new();
    for name in fields.chain(rest) {
        let is_primary = name == table.pk || table.sk == Some(name);
        if !is_primary && known.insert(name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The condition that the stored item equals the loaded one, attribute by attribute, and the number of these: for an
/// item without a version. Key fields are omitted, because other programs may not store them a second time.
pub(crate) fn all_as_loaded(
    key: &UntypedKey,
    before: &Attributes,
    after: &Attributes,
) -> Result<(Node, usize), CodecError> {
    let (declared, told) = (key.declared, key.told());
    // The derives and the planning number fields in the order of the declaration.
    let numbered: Vec<_> = declared.def.attributes.iter().enumerate().collect();
    let fields = Names::new(numbered.iter().map(|field| (field.1.stored, field)));
    let is_told = |name: &String| {
        let known = fields.get_named(name);
        known.is_some_and(|(_, known)| told.knows(known.field))
    };
    let seen = before.iter().chain(after).map(|(name, _)| &**name);
    let mut names = seen_attributes(declared, seen);
    // The condition on a renamed attribute already covers its former name.
    let renamed = declared.def.attributes.iter();
    let former: Vec<&str> = renamed.filter_map(AttributeDef::former_name).collect();
    names.retain(|name| {
        let is_expiry = declared.derived_ttl() == Some(&**name);
        !is_told(name) && !is_expiry && !former.contains(&&**name)
    });
    let compared = names.len();
    let held = Names::of_json(before);
    let guards = names.into_iter().map(|name| {
        let held = held.get_named(&name);
        match fields.get_named(&name) {
            Some((at, attribute)) => loaded_condition(declared, *at, attribute, held),
            // A `rest` contains attributes exactly as they are stored, so they are compared without conversion.
            None => Ok(match held {
                Some(json) => check::value_condition(name, json),
                None => Node::Missing(Place::of(name)),
            }),
        }
    });
    let guards: Result<Vec<Node>, CodecError> = guards.collect();
    Ok((Node::all(guards?), compared))
}

/// This number of comparisons takes less than half of the operators, so the other conditions have more of them.
const FEW: usize = 74;

/// Returns an error for a guard that compares more attributes than one condition supports, with the alternatives.
pub(crate) fn check_guard(
    declared: &EntityDeclaration,
    compared: usize,
    guard: &Node,
) -> Result<(), CodecError> {
    // So few comparisons leave more than half of the operators, so nothing is encoded only to count
    // them.
    if compared <= FEW {
        return Ok(());
    }
    let mut expression = Expression::default();
    guard.write_condition(expression.begin_parameter("ConditionExpression"))?;
    match expression.exceeded_limit() {
        None => Ok(()),
        Some((_, said)) => {
            let name = declared.def.type_name;
            let remedy = match declared.def.version {
                None => format!(
                    "give `{name}` a `#[dynamo(version)]`, which is compared instead, or change"
                ),
                Some(_) => format!(
                    "this item of `{name}` has no version yet, so write it once by `touch()` of its key, which gives it one, or change"
                ),
            };
            Err(CodecError::new(format!(
                "an item without a version is compared by each of its {compared} attributes, and {said}: {remedy} single fields by `update()` of the key, which compares none"
            )))
        }
    }
}
