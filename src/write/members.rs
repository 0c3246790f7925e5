//! The changes of members of nested structs. A member that does not change is not written, so a NULL or an unknown
//! member that another program stores in the same map stays.

use crate::entity::EntityDeclaration;
use crate::expr::UpdateAction;
use crate::json::{Names, Tag, object_members};
use crate::path::Place;
use crate::schema::{FieldModel, FieldRole, KeyDef, ShapeModel, TypeModel, TypeOf};
use crate::write::difference::Attributes;
use crate::write::unique::depends_on;

/// The maximum number of members that one update changes. An expression has 4 KB, and a change of a member takes up to 20
/// bytes.
const MOST_MEMBERS: usize = 64;

/// The fields of an entity if one of them is a map, otherwise none. Therefore a program holds no model of an entity without
/// one.
pub(crate) const fn fields_with_maps(fields: &'static [FieldModel]) -> &'static [FieldModel] {
    let mut at = 0;
    while at < fields.len() {
        if matches!(fields[at].stored, Some(Tag::M)) {
            return fields;
        }
        at += 1;
    }
    &[]
}

type MemberChange = (Place, UpdateAction);

/// Replaces the changes of whole structs by the changes of their members. Enums, lists and maps are set as a whole, because
/// their entries do not mean the same before and after.
pub(crate) fn at_members(
    (declared, fields): (&EntityDeclaration, &'static [FieldModel]),
    before: &Attributes,
    changes: impl Iterator<Item = MemberChange>,
) -> Vec<MemberChange> {
    let mut left = MOST_MEMBERS;
    let mut all = Vec::new();
    for (place, action) in changes {
        match members_of(declared, fields, before, (&place, &action)) {
            Some(members) if members.len() <= left => {
                left -= members.len();
                all.extend(members);
            }
            _ => all.push((place, action)),
        }
    }
    all
}

/// The changes of the members of an attribute, if it may be changed by them.
fn members_of(
    declared: &EntityDeclaration,
    fields: &'static [FieldModel],
    before: &Attributes,
    (place, action): (&Place, &UpdateAction),
) -> Option<Vec<MemberChange>> {
    let UpdateAction::Set(new) = action else {
        return None;
    };
    let new = map_of(new)?;
    let mut held = before.iter();
    let old = map_of(&held.find(|(name, _)| name == place.attribute_name())?.1)?;
    let field = field_of(fields, place.attribute_name())?;
    if is_decisive(declared, field.name) {
        return None;
    }
    let mut members = Vec::new();
    add_members(place, (old, new), field.value_type?, &mut members)?;
    // The same members in another order are no changes of members.
    (!members.is_empty()).then_some(members)
}

/// Adds the changes between two maps; `None` if they are no struct whose members can be changed one by one.
fn add_members(
    place: &Place,
    (old, new): (&[u8], &[u8]),
    ty: TypeOf,
    changes: &mut Vec<MemberChange>,
) -> Option<()> {
    let fields = struct_fields(ty)?;
    let (old, new) = (object_members(old).ok()?, object_members(new).ok()?);
    let (before, after) = (Names::of_members(&old), Names::of_members(&new));
    for (name, json) in &new {
        let stored = before.get_named(name);
        if stored == Some(json) {
            continue;
        }
        let field = field_of(fields, name);
        let at = match field {
            Some(field) => place.entry(field.attribute),
            None => place.entry(name.clone().into_owned()),
        };
        let nested = field.and_then(|field| {
            let maps = (map_of(stored?)?, map_of(json)?);
            let mut nested = Vec::new();
            add_members(&at, maps, field.value_type?, &mut nested)?;
            Some(nested)
        });
        match nested {
            Some(nested) => changes.extend(nested),
            None => changes.push((at, UpdateAction::Set(json.to_vec()))),
        }
    }
    let gone = old.iter().filter(|(name, _)| !after.has_name(name));
    changes.extend(gone.map(|(name, _)| {
        let at = place.entry(name.clone().into_owned());
        (at, UpdateAction::Remove)
    }));
    Some(())
}

/// The fields of a struct.
fn struct_fields(ty: TypeOf) -> Option<&'static [FieldModel]> {
    let TypeModel::Declared { value } = ty().model else {
        return None;
    };
    match value.shape {
        ShapeModel::Newtype { inner } => struct_fields(inner),
        ShapeModel::Struct { fields } => Some(fields),
        _ => None,
    }
}

/// The field of a name, if its value is stored as a map whenever it is read as one. With a default, the map may be missing,
/// a compressed or foreign value is no map, and a part of a renamed field cannot be changed under both names.
fn field_of(fields: &'static [FieldModel], name: &str) -> Option<&'static FieldModel> {
    let field = fields.iter().find(|field| field.attribute == name)?;
    let is_own = matches!(field.form, "" | "null");
    let is_simple =
        field.role == FieldRole::Attribute && field.default.is_empty() && field.former.is_empty();
    (is_own && is_simple).then_some(field)
}

/// Whether a key, a unique value or the expiry depends on the field, so that its whole value must be known.
fn is_decisive(declared: &EntityDeclaration, field: &str) -> bool {
    let def = declared.def;
    let mut tests = def.indexes.iter().filter_map(|index| index.when);
    def.index_keys()
        .flat_map(KeyDef::fields)
        .any(|part| part == field)
        || tests.any(|when| when.fields.contains(&field))
        || def.expiry.is_some_and(|expiry| expiry.source == field)
        || depends_on(declared, field)
}

/// The object within `{"M":{..}}`, as this library encodes it.
fn map_of(json: &[u8]) -> Option<&[u8]> {
    json.strip_prefix(b"{\"M\":")?.strip_suffix(b"}")
}
