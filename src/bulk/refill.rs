//! The refill of a row: the difference between what is stored and what a fresh put of the same entity would store.
//!
//! Values are derived from fields, so the write takes effect only while those fields are the ones that were read. Then it
//! is right whenever it arrives, also twice and also late. It also requires that the item exists: a condition of absences
//! alone holds for an item that has expired in the meantime, and the update would create a new one.

use std::collections::BTreeSet;

use super::action::{Decide, key_of};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::second_row::SecondKey;
use crate::entity::shape::has_shape;
use crate::entity::{
    self, DynamoEntity, EntityDeclaration, HasDeclaration as _, UntypedEntity, encode_as_is,
};
use crate::error::{Error, Result};
use crate::expr::{Node, UpdateAction, UpdateActions};
use crate::json::{Names, is_null, object_members};
use crate::path::Place;
use crate::plan::{ConditionFailure, Meaning, WriteRequest, WriteVerb, check};
use crate::schema::{AttributeDef, KeySource, Pattern};
use crate::write::{
    PlannedWrite, ReadUniqueValues, attribute_of, is_of_other_shape, refused, row_as_read_without,
    stored_values, upgraded,
};

/// The maximum number of attributes that the write of an upgraded row compares. DynamoDB allows 300 operators, and each
/// takes one and an AND or OR.
const MOST_COMPARED: usize = 120;

/// Whether a refill writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefillMode {
    Write,
    /// Only the rows that differ are counted.
    Count,
}

/// How rows are refilled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refill {
    pub(super) mode: RefillMode,
    /// `None` if a row has no other items.
    pub(super) beside: Option<Beside>,
}

/// The items that belong to a row. An entity with unique values cannot have rows under another key too.
#[derive(Debug, Clone, Copy)]
pub(super) enum Beside {
    /// The sentinels of its unique values.
    Values(ReadUniqueValues),
    /// Its row under another key.
    OtherRow(SecondKey),
}

impl Refill {
    pub(super) fn of<E: DynamoEntity>(mode: RefillMode) -> Self {
        let has_uniques = !E::ENTITY.uniques.is_empty();
        let beside = match has_uniques {
            true => Some(Beside::Values(stored_values::<E>)),
            false => E::SECOND_KEY.map(Beside::OtherRow),
        };
        Refill { mode, beside }
    }
}

/// Compares each row with a fresh put of it. A row with unique values is checked if nothing else is to be done, because
/// its sentinels are compared later.
pub(super) fn decide<'j, E: DynamoEntity>(pattern: &'static Pattern) -> Decide<'j> {
    Box::new(move |db, item, claim| {
        let entity: E = entity::read(item)?;
        // A row of an older shape is compared by no single attribute: its attributes may have other
        // meanings.
        if is_of_other_shape(E::DECLARATION, item)? {
            refuse_older_writer(E::DECLARATION)?;
            return upgrade(&entity, item, claim, pattern, db).map(Some);
        }
        let difference = Difference::of(&entity, item)?;
        difference.write(item, claim, pattern, db)
    })
}

/// A program that writes the shape before upgrades nothing, and items of that shape are compared by no declaration that it
/// has.
fn refuse_older_writer(declared: &EntityDeclaration) -> Result<()> {
    let Some(shape) = declared
        .def
        .shape
        .filter(|shape| shape.writes < shape.number)
    else {
        return Ok(());
    };
    let message = format!(
        "this program writes shape {}: remove `writes` first, and refill when every program writes shape {}",
        shape.writes, shape.number
    );
    Err(refused(declared, message))
}

/// Writes a row of an older shape in the present one. Unlike other writes of a refill it raises the version, because a
/// program that has loaded the row must not change attributes that mean something else now.
fn upgrade(
    entity: &dyn UntypedEntity,
    item: &[u8],
    claim: Node,
    pattern: &'static Pattern,
    db: &Dynamo,
) -> Result<PlannedWrite> {
    let declared = entity.declaration();
    let key = entity
        .untyped_key()
        .map_err(|fault| declared.unwritten(fault))?;
    let edit = upgraded(db, (pattern, &key), item, entity)?;
    let (mut planned, _) = edit.planned_write(db, db.now())?;
    let write = planned.main();
    // Conditions of missing attributes alone also hold for an item that has expired meanwhile, and
    // the update would create it again.
    write.add_condition(Node::Exists(Place::of(declared.table.pk)).and(claim));
    write.add_condition(same_row(declared, item)?);
    write.meaning = Meaning::Row(ConditionFailure::NEVER.or_condition());
    Ok(planned)
}

/// The condition that the row has not changed since it was read, if its version alone does not show that. A row that
/// was deleted and created again has version 1 again, and the scan may have read the first one long before. If the row
/// has more attributes than a condition can compare, only the version is compared. Without a version, the upgrade itself
/// compares each attribute.
fn same_row(declared: &EntityDeclaration, item: &[u8]) -> Result<Node> {
    let def = declared.def;
    let members = object_members(item).map_err(|fault| Error::decode(def.type_name, fault))?;
    let held = Names::of_members(&members);
    let has = |name: Option<&str>| name.is_some_and(|name| held.has_name(name));
    let known = def.attributes.iter().map(|attribute| attribute.stored);
    let older = def.older_shapes().flat_map(|older| older.attributes);
    let known = known.chain(older.flat_map(AttributeDef::names));
    let absent: BTreeSet<&str> = known.filter(|name| !held.has_name(name)).collect();
    let is_enough = !has(def.version) || has(def.created_at);
    if is_enough || members.len() + absent.len() > MOST_COMPARED {
        return Ok(Node::all([]));
    }
    row_as_read_without(def, item, absent)
}

/// The attributes of an item that a fresh put would store otherwise.
struct Difference {
    declared: &'static EntityDeclaration,
    changes: Vec<(&'static str, UpdateAction)>,
    /// The condition that the attributes of which the changes are made are as they were read.
    guards: Vec<Node>,
}

impl Difference {
    fn of(entity: &dyn UntypedEntity, item: &[u8]) -> Result<Self> {
        let declared = entity.declaration();
        let fresh = encode_as_is(entity).map_err(|fault| declared.unwritten(fault))?;
        let fail = |fault| Error::decode(declared.def.type_name, fault);
        let (stored, fresh) = (
            object_members(item).map_err(fail)?,
            object_members(&fresh).map_err(fail)?,
        );
        let rows = RowSides {
            declared,
            stored: Names::of_members(&stored),
            fresh: Names::of_members(&fresh),
        };
        let mut difference = Difference {
            declared,
            changes: Vec::new(),
            guards: Vec::new(),
        };
        rows.fields(&mut difference);
        rows.derived(&mut difference);
        Ok(difference)
    }

    /// The write of the difference, if there is one. It changes neither the version nor the time of the last write, because
    /// the entity is the same.
    fn write(
        self,
        item: &[u8],
        claim: Node,
        pattern: &'static Pattern,
        db: &Dynamo,
    ) -> Result<Option<PlannedWrite>> {
        let def = self.declared.def;
        let is_alone = def.uniques.is_empty() && def.second_key.is_none();
        let verb = match self.changes.is_empty() {
            true if is_alone => return Ok(None),
            // The row itself is right, but its sentinels or its other row still have to be compared,
            // and their transaction then checks the row.
            true => WriteVerb::Check,
            false => WriteVerb::Update,
        };
        let table = self.declared.table;
        let names: Vec<_> = table.key_names().collect();
        let key = key_of(item, &names)?;
        let exists = Node::Exists(Place::of(table.pk));
        let exists = exists.and(has_shape(self.declared.def.written_shape().unwrap_or(1)));
        let condition = exists.and(Node::all(self.guards)).and(claim);
        let asked = (
            condition,
            Meaning::Row(ConditionFailure::NEVER.or_condition()),
        );
        let name = db.table_name(table.name);
        let mut write = WriteRequest::new(verb, name, 512, pattern, db.now(), asked);
        write.at_key(&key);
        write.entity = self.declared.def.type_name;
        let mut update = UpdateActions::default();
        for (attribute, action) in self.changes {
            update.set_action(attribute, action);
        }
        write.encode_change(update)?;
        Ok(Some(PlannedWrite::Alone(write)))
    }
}

/// The attributes as they are stored, and as a put would store them.
struct RowSides<'r> {
    declared: &'static EntityDeclaration,
    stored: Names<'r, [u8]>,
    fresh: Names<'r, [u8]>,
}

impl RowSides<'_> {
    /// Fields that the item lacks, and that a put would store: defaults, and fields that older programs kept only in keys.
    /// A value that is present is left as it is stored, in whatever format. Managed fields say when and by whom the item
    /// was written, which no later program knows.
    fn fields(&self, difference: &mut Difference) {
        let (def, table) = (self.declared.def, self.declared.table);
        let managed = def.managed();
        for field in def.attributes {
            let name = field.stored;
            let is_key = name == table.pk || table.sk == Some(name);
            let stored = self.stored.get_named(name);
            if field.former.is_some() {
                self.renamed(field, difference);
                continue;
            }
            if self.declared.derived_ttl() == Some(name) {
                self.expiry(name, difference);
                continue;
            }
            let is_held = stored.is_some_and(|json| !is_null(json));
            if is_key || managed.contains(&Some(name)) || is_held {
                continue;
            }
            // NULL is no value, unless a put would store it again.
            let fresh = self.fresh.get_named(name);
            if let Some(json) = fresh.filter(|json| stored.is_none() || !is_null(json)) {
                let set = UpdateAction::Set(json.to_vec());
                difference.changes.push((name, set));
                difference.guards.push(self.as_stored(name));
            }
        }
    }

    /// A derived expiry. Its source decides, whatever is stored.
    fn expiry(&self, ttl: &'static str, difference: &mut Difference) {
        let action = match (self.stored.get_named(ttl), self.fresh.get_named(ttl)) {
            (Some(stored), Some(fresh)) if is_same(stored, fresh) => return,
            (None, None) => return,
            (_, Some(fresh)) => UpdateAction::Set(fresh.to_vec()),
            (Some(_), None) => UpdateAction::Remove,
        };
        difference.changes.push((ttl, action));
        let source = self.declared.def.expiry.map(|expiry| expiry.source);
        let source = source.and_then(|field| attribute_of(self.declared, field));
        let table = self.declared.table;
        let names = source.into_iter().flat_map(|(_, known)| known.names());
        let names = names.filter(|name| *name != table.pk && table.sk != Some(*name));
        difference
            .guards
            .extend(names.map(|name| self.as_stored(name)));
    }

    /// Both names of a field that is being renamed. The value is the one that is read, and each name is guarded, because an
    /// older program may write one of them in the meantime.
    fn renamed(&self, field: &AttributeDef, difference: &mut Difference) {
        let before = difference.changes.len();
        for name in field.names() {
            let action = match (self.stored.get_named(name), self.fresh.get_named(name)) {
                (Some(stored), Some(fresh)) if is_same(stored, fresh) => continue,
                (None, None) => continue,
                (_, Some(fresh)) => UpdateAction::Set(fresh.to_vec()),
                (Some(_), None) => UpdateAction::Remove,
            };
            difference.changes.push((name, action));
        }
        if difference.changes.len() > before {
            let guards = field.names().map(|name| self.as_stored(name));
            difference.guards.extend(guards);
        }
    }

    /// The keys of indexes, and the type.
    fn derived(&self, difference: &mut Difference) {
        let before = difference.changes.len();
        for name in self.derived_attributes() {
            let fresh = self.fresh.get_named(name);
            let fresh = fresh.map(|fresh| self.number_as_stored(name, fresh));
            let action = match (self.stored.get_named(name), fresh) {
                (Some(stored), Some(fresh)) if is_same(stored, fresh) => continue,
                (None, None) => continue,
                (_, Some(fresh)) => UpdateAction::Set(fresh.to_vec()),
                (Some(_), None) => UpdateAction::Remove,
            };
            // The type and the constants are not derived from fields, so only their own stored values can be guarded.
            let mut constants = self.declared.def.constant_names();
            if self.declared.def.type_attribute_in(self.declared.table) == Some(name)
                || constants.any(|constant| constant == name)
            {
                difference.guards.push(self.as_stored(name));
            }
            difference.changes.push((name, action));
        }
        if difference.changes.len() == before {
            return;
        }
        // Indexes may share an attribute, so the fields of all keys are guarded together.
        for field in self.deciding_fields() {
            for name in field.names() {
                let is_changed = difference.changes.iter().any(|(set, _)| *set == name);
                // A changed attribute already has the condition that its stored value is unchanged.
                if !is_changed {
                    difference.guards.push(self.as_stored(name));
                }
            }
        }
    }

    /// The value of a derived attribute. For a `number(..)`, it is the stored number, because the type of the field may round it.
    fn number_as_stored<'v>(&'v self, name: &str, fresh: &'v [u8]) -> &'v [u8] {
        let keys = self.declared.def.index_keys();
        let mut numbers = keys.filter_map(|key| match key.source {
            KeySource::Number { field, .. } if key.attribute == name => {
                Some(attribute_of(self.declared, field)?.1)
            }
            _ => None,
        });
        // Indexes may share an attribute. Both names of a renamed field get the value that is read.
        let source = numbers.find(|field| {
            let own = self.fresh.get_named(field.stored);
            field.former.is_none() && own.is_some_and(|own| is_same(own, fresh))
        });
        let stored = source.and_then(|field| self.stored.get_named(field.stored));
        stored.filter(|json| !is_null(json)).unwrap_or(fresh)
    }

    /// The attributes that are made of fields.
    fn derived_attributes(&self) -> Vec<&'static str> {
        let (def, table) = (self.declared.def, self.declared.table);
        let derived = def.index_keys().filter(|key| key.is_derived());
        let names = def.type_attribute_in(table).into_iter();
        let mut names: Vec<&'static str> = names.chain(def.constant_names()).collect();
        for key in derived {
            let name = key.attribute;
            let is_primary = name == table.pk || table.sk == Some(name);
            if !is_primary && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The fields that decide the keys of indexes, each once.
    fn deciding_fields(&self) -> Vec<&'static AttributeDef> {
        let table = self.declared.table;
        let mut fields: Vec<&'static AttributeDef> = Vec::new();
        for index in self.declared.def.indexes {
            let parts = index.keys().flat_map(crate::schema::KeyDef::fields);
            let when = index.when.map_or(&[][..], |when| when.fields);
            for field in parts.chain(when.iter().copied()) {
                let field = self.declared.deciding(field);
                let Some((_, known)) = attribute_of(self.declared, field) else {
                    continue;
                };
                let is_primary = known.stored == table.pk || table.sk == Some(known.stored);
                if !is_primary && !fields.iter().any(|one| one.stored == known.stored) {
                    fields.push(known);
                }
            }
        }
        fields
    }

    /// The condition that the attribute is as it was read.
    fn as_stored(&self, name: &'static str) -> Node {
        match self.stored.get_named(name) {
            Some(json) => check::value_condition(name, json),
            None => Node::Missing(Place::of(name)),
        }
    }
}

/// Whether two values are the same; another program may have written one of them in another format.
pub(super) fn is_same(stored: &[u8], fresh: &[u8]) -> bool {
    let read = |json: &[u8]| Item::from_dynamo_json(&[b"{\"v\":", json, b"}"].concat()).ok();
    stored == fresh || read(stored).is_some_and(|stored| read(fresh) == Some(stored))
}
