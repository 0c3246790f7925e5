//! An update or upsert before it is planned, and its planning.

pub(crate) mod builder;
pub(crate) mod complete;
pub(crate) mod expiry;
mod guard;
pub(crate) mod kind;
mod reserve;

use crate::write::draft::complete::{refused, stamp_fields};
use crate::write::draft::expiry::derive_expiry;
use crate::write::draft::kind::UpdateKind;
use std::fmt;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{
    Created, DynamoEntity, EntityDeclaration, HasDeclaration, Key, Known, ManagedValues,
    UntypedEntity, UntypedKey, encode_present,
};
use crate::error::Result;
use crate::expr::{Changes, Node, UntypedChange, UpdateAction, UpdateActions};
use crate::json::CodecError;
use crate::path::Place;
use crate::plan::{ConditionFailure, Returned, check};
use crate::schema::{FieldModel, Pattern};
use crate::write::difference::{all_as_loaded, at_places, check_guard, differences, merged};
use crate::write::knowledge::source;
use crate::write::members::{at_members, fields_with_maps};
use crate::write::{
    Edit, EvaluatedUpdate, IndexMaintenance, Intent, KeyChange, Main, Rewrite, ShapeFunctions,
    Touched, UniqueChanges, UpdateOrigin, WritePlan, attribute_of, index_maintenance, known, split,
    tell_changes, unique,
};
use complete::{check_complete, check_places, fields_with_null, set_identity, set_nulls};
use guard::{expected, relied_on};
use reserve::reserve;

/// Changes of one item, with their conditions.
pub(crate) struct UpdateDraft {
    declared: &'static EntityDeclaration,
    pattern: &'static Pattern,
    key: Result<UntypedKey, CodecError>,
    /// The fields that the key contains whole, as an object, if the write may create the item.
    key_fields: Result<Vec<u8>, CodecError>,
    way: UpdateKind,
    /// The fields of the entity if a write that may create the item has to store NULL in some.
    fields: &'static [FieldModel],
    changes: Vec<UntypedChange>,
    condition: Node,
    /// It is taken from the entity at once, because the operation may outlive the entity.
    source: Result<UpdateOrigin, CodecError>,
    /// The entity that was compared with another one, if the changes come from that.
    compared: Option<ComparedEntity>,
    /// None for an entity without older shapes.
    shapes: Option<ShapeFunctions>,
}

/// A loaded entity of which the changes are the differences to another value.
struct ComparedEntity {
    /// The item.
    seen: Vec<u8>,
    /// The condition for the changes: without a version, that the item still equals the compared one.
    guard: Node,
    /// The number of attributes in that condition.
    compared: usize,
}

impl UpdateDraft {
    pub(crate) fn of_key<E: DynamoEntity>(
        key: &Key<E>,
        way: UpdateKind,
        shapes: Option<ShapeFunctions>,
    ) -> Self {
        let fields = match way {
            // Only an upsert may create the item, and then fields that are also part of the key
            // must be stored.
            UpdateKind::Upsert => key.fields_json(),
            UpdateKind::Update | UpdateKind::Touch => Ok(Vec::new()),
        };
        UpdateDraft::new(
            E::DECLARATION,
            way.pattern::<E>(),
            way,
            key.to_untyped(),
            fields,
            shapes,
        )
    }

    fn new(
        declared: &'static EntityDeclaration,
        pattern: &'static Pattern,
        way: UpdateKind,
        key: Result<UntypedKey, CodecError>,
        key_fields: Result<Vec<u8>, CodecError>,
        shapes: Option<ShapeFunctions>,
    ) -> Self {
        UpdateDraft {
            declared,
            pattern,
            key,
            key_fields,
            way,
            fields: &[],
            changes: Vec::new(),
            condition: Node::all([]),
            source: Ok(UpdateOrigin::Key),
            compared: None,
            shapes,
        }
    }

    /// An upsert.
    pub(crate) fn of_upsert<E: DynamoEntity>(key: &Key<E>, shapes: Option<ShapeFunctions>) -> Self {
        UpdateDraft {
            fields: const { fields_with_null(E::MODEL.fields) },
            ..UpdateDraft::of_key(key, UpdateKind::Upsert, shapes)
        }
    }

    pub(crate) fn of_entity<E: DynamoEntity>(entity: &E, shapes: Option<ShapeFunctions>) -> Self {
        UpdateDraft {
            source: source(entity),
            ..UpdateDraft::of_key(&Key::of(entity), UpdateKind::Update, shapes)
        }
    }

    /// The changes from one value of an entity to another.
    pub(crate) fn of_difference<E: DynamoEntity>(
        seen: &E,
        next: &E,
        shapes: Option<ShapeFunctions>,
    ) -> Self {
        let mut draft = UpdateDraft::of_entity(seen, shapes);
        let fields = const { fields_with_maps(E::MODEL.fields) };
        draft.compare((seen, next), fields);
        draft
    }

    fn compare(
        &mut self,
        values: (&dyn UntypedEntity, &dyn UntypedEntity),
        fields: &'static [FieldModel],
    ) {
        if let Err(fault) = self.try_compare(values, fields) {
            self.source = Err(fault);
        }
    }

    fn try_compare(
        &mut self,
        (seen, next): (&dyn UntypedEntity, &dyn UntypedEntity),
        fields: &'static [FieldModel],
    ) -> Result<(), CodecError> {
        let next_key = next.untyped_key().ok();
        // Compared as bytes, because a key has exactly one encoding.
        if next_key.as_ref().map(UntypedKey::json) != self.key_json() {
            return Err(CodecError::new(
                "the two values have different keys, so they are two items: create the one and delete the other",
            ));
        }
        let Ok(key) = &self.key else {
            return Ok(());
        };
        let (item, next) = (encode_present(seen)?, encode_present(next)?);
        let before = split(&item)?;
        let after = merged(self.declared, &before, split(&next)?);
        let changes = at_places(self.declared, differences(&before, &after));
        let changes = at_members((self.declared, fields), &before, changes).into_iter();
        let changes = changes.map(|(place, action)| UntypedChange::of_value(place, action));
        self.changes.extend(changes);
        let numbered = self.source.as_ref().ok().and_then(UpdateOrigin::numbered);
        let (guard, compared) = match numbered {
            // The version detects every other write, so the attributes need not be compared.
            Some(_) => (Node::all([]), 0),
            None => all_as_loaded(key, &before, &after)?,
        };
        self.compared = Some(ComparedEntity {
            seen: item,
            guard,
            compared,
        });
        Ok(())
    }

    pub(crate) fn apply<E: DynamoEntity>(&mut self, changes: impl Changes<E>) {
        changes.add_to(&mut self.changes);
    }

    /// The key in this library's format; none if it cannot be written.
    pub(crate) fn key_json(&self) -> Option<&[u8]> {
        self.key.as_ref().ok().map(UntypedKey::json)
    }

    /// The key in this library's format.
    pub(crate) fn item_key(&self) -> Result<Vec<u8>, CodecError> {
        let key = self.key.as_ref().map_err(Clone::clone)?;
        Ok(key.json().to_vec())
    }

    /// Whether nothing would be written: at most the item would be checked. A draft with an error does not count,
    /// because the error would be lost.
    pub(crate) fn is_look(&self) -> bool {
        let is_sound = self.key.is_ok() && self.source.is_ok();
        self.way == UpdateKind::Update && self.changes.is_empty() && is_sound
    }

    /// Adds a condition.
    pub(crate) fn asking(&mut self, node: Node) {
        self.condition.narrow(node);
    }

    pub(crate) fn leave_version(&mut self) {
        if let Ok(UpdateOrigin::Entity { checks_version, .. }) = &mut self.source {
            *checks_version = false;
        }
    }

    /// Plans the write as far as it can be without reading.
    pub(crate) fn prepare(self, db: &Dynamo, returned: Returned) -> Result<WritePlan> {
        let now = db.now();
        let stamp = ManagedValues::write(1, now, Created::Now).by(db.current_actor());
        let Some(shapes) = self.shapes else {
            return self.edit(now, &stamp)?.prepare(db, returned);
        };
        let evaluated = Some(Box::new(self.evaluated(shapes, now)?));
        let plan = match self.declared.def.writes_older_shape() {
            // While the older shape is written, no expression can name the newer attributes, so
            // every update reads first.
            true => self.edit_of_nothing()?.prepare(db, returned)?,
            false => self.edit(now, &stamp)?.prepare(db, returned)?,
        };
        Ok(WritePlan { evaluated, ..plan })
    }

    /// The changes and conditions, for an item that is stored in an older shape.
    fn evaluated(&self, shapes: ShapeFunctions, now: Timestamp) -> Result<EvaluatedUpdate> {
        let declared = self.declared;
        let fail = |fault: &CodecError| declared.unwritten(fault.clone());
        if self.way == UpdateKind::Upsert && declared.def.writes_older_shape() {
            let message = "an upsert may create the item, and `writes` stores the shape before: use `create` or `put` with the whole entity";
            return Err(refused(declared, message.to_owned()));
        }
        let source = self.source.as_ref().map_err(fail)?;
        let mut update = UpdateActions::default();
        for change in &self.changes {
            let added = update.add_change(change.clone());
            added.map_err(|fault| declared.unwritten(fault))?;
        }
        check_places(declared, &update)?;
        let compared = self.compared.as_ref().filter(|_| !update.is_empty());
        let guards = update.take_guards().into_iter();
        let guards = guards.chain(compared.map(|of| of.guard.clone()));
        Ok(EvaluatedUpdate {
            pattern: self.pattern,
            key: self
                .key
                .clone()
                .map_err(|fault| declared.unwritten(fault))?,
            asked: Node::all(guards.chain([self.condition.clone()])),
            update,
            expected: expected(declared, source, self.way, now)?.0,
            shapes,
        })
    }

    /// A write that cannot be sent, because the changes are those of another shape than the one that is written.
    fn edit_of_nothing(self) -> Result<PlannedUpdate> {
        let declared = self.declared;
        let message = "an update changes attributes of the newer shape, and `writes` stores the shape before, so the item is read first: \
                       that is no part of a transaction or a job; use `modify`, or `transact`";
        let asked = Node::Faulty(CodecError::new(message));
        Ok(PlannedUpdate {
            edit: Edit {
                pattern: self.pattern,
                key: self.key.map_err(|fault| declared.unwritten(fault))?,
                update: UpdateActions::default(),
                asked: (asked, ConditionFailure::NEVER),
                unique_changes: UniqueChanges::default(),
            },
            now: Timestamp::EPOCH,
            must_read: false,
            returns_old: false,
            same: None,
        })
    }

    /// All changes and conditions.
    fn edit(self, now: Timestamp, stamp: &ManagedValues) -> Result<PlannedUpdate> {
        let declared = self.declared;
        let fail = |fault| declared.unwritten(fault);
        let (source, key) = (self.source.map_err(fail)?, self.key.map_err(fail)?);
        let mut update = UpdateActions::default();
        for change in self.changes {
            update.add_change(change).map_err(fail)?;
        }
        // This precedes the managed attributes, which the caller must not change but the library
        // adds next.
        check_places(declared, &update)?;
        let creates = self.way == UpdateKind::Upsert;
        let mut guards = update.take_guards();
        // Two equal values leave nothing to write. However, a condition of the caller is checked nevertheless.
        let (mut same, mut compared) = (None, 0);
        if let Some(of) = self.compared {
            match update.is_empty() {
                true if self.condition.is_always() => same = Some(of.seen),
                true => {}
                false => {
                    compared = of.compared;
                    guards.push(of.guard);
                }
            }
        }
        if !update.is_empty() || self.way != UpdateKind::Update {
            stamp_fields(declared, &mut update, &source, creates, stamp).map_err(fail)?;
        }
        if creates {
            let key_fields = self.key_fields.map_err(fail)?;
            set_identity(declared, &mut update, &key_fields).map_err(fail)?;
        }
        // The expiry comes after the managed times, because it may be derived from one of them, and
        // before the keys of indexes, which may contain it.
        derive_expiry(declared, &mut update, &key, creates)?;
        if creates {
            check_complete(declared, &update)?;
        }
        let known = known(&source, &self.condition, &key);
        // Index keys come last: they are computed from the values that all changes before have
        // left.
        let (maintenance, changed) = keep_up(declared, &mut update, known, creates)?;
        let relied = relied_on(&maintenance, &source, &self.condition, &key, &changed);
        guards.extend(relied.map_err(fail)?);
        if creates {
            // For indexes and unique values, NULL is the same as a missing attribute, so they do not
            // have to know of it.
            set_nulls(declared, self.fields, &mut update);
        }
        let touches = changed
            .iter()
            .any(|field| unique::depends_on(declared, field));
        let mut unique_changes = UniqueChanges::default();
        // An upsert may meet an item or none, so its values before are unknown, and the item is
        // read when it is sent.
        if touches && !creates {
            let (relied, reserved) = reserve(&update, &source, &self.condition, &key, &changed)?;
            guards.push(relied);
            unique_changes = reserved;
        }
        let (expected, condition_failure) = expected(declared, &source, self.way, now)?;
        // The shape is required even without a condition of the caller: the changed attributes may
        // mean something else in another shape.
        let asked = check::in_shape((expected, condition_failure));
        let asked = check::with_condition(
            asked.0,
            asked.1,
            Node::all(guards.into_iter().chain([self.condition])),
        );
        let asked = match touches && !creates {
            true => (asked.0, asked.1.or_unique_values()),
            false => asked,
        };
        check_guard(declared, compared, &asked.0).map_err(fail)?;
        let must_read = declared.has_two_rows(false) && !update.is_empty();
        Ok(PlannedUpdate {
            edit: Edit {
                pattern: self.pattern,
                key,
                update,
                asked,
                unique_changes,
            },
            now,
            must_read: must_read || touches && creates,
            returns_old: must_read,
            same,
        })
    }
}

/// An update that is planned, except for the values that have to be read first.
struct PlannedUpdate {
    edit: Edit,
    now: Timestamp,
    /// Whether the item may exist with unknown unique values.
    must_read: bool,
    /// Whether the whole item must be unchanged, because it is also stored under another key.
    returns_old: bool,
    /// The item, if it is known that nothing changes and no condition is checked.
    same: Option<Vec<u8>>,
}

impl PlannedUpdate {
    fn prepare(self, db: &Dynamo, returned: Returned) -> Result<WritePlan> {
        if !self.must_read {
            let (planned_write, key) = self.edit.planned_write(db, self.now)?;
            return Ok(WritePlan {
                key: Some(key),
                same: self.same,
                ..WritePlan::new(Intent::Ready(planned_write), returned)
            });
        }
        let rewrite = Rewrite {
            pattern: self.edit.pattern,
            key: self.edit.key,
            main: Main::Update(self.edit.update),
            asked: self.edit.asked,
            now: self.now,
            returns_old: self.returns_old,
        };
        Ok(WritePlan::new(Intent::Reading(rewrite), returned))
    }
}

/// Adds the keys of indexes to an update. Returns the fields that were used, and those that change.
pub(crate) fn keep_up(
    declared: &EntityDeclaration,
    update: &mut UpdateActions,
    mut known: Known,
    creates: bool,
) -> Result<(IndexMaintenance, Vec<&'static str>)> {
    let fields = tell_changes(declared, update, &mut known);
    let touched = Touched {
        fields: &fields,
        creates,
    };
    let mut maintenance = index_maintenance::plan(declared, &touched, &known)?;
    for (attribute, change) in maintenance.keys.drain(..) {
        let action = match change {
            KeyChange::Set(json) => UpdateAction::Set(json),
            KeyChange::Remove => UpdateAction::Remove,
            KeyChange::AsField(field) => {
                let (place, action) = computation(declared, update, field)?;
                // `if_not_exists` gives the key the stored value, and NULL is no number.
                if matches!(action, UpdateAction::SetIfAbsent(_)) {
                    maintenance.copied.push(place.clone());
                }
                UpdateAction::Same {
                    place,
                    action: Box::new(action),
                }
            }
        };
        update.set_action(attribute, action);
    }
    Ok((maintenance, fields))
}

/// The place of a field that the update computes, and the action there.
fn computation(
    declared: &EntityDeclaration,
    update: &UpdateActions,
    field: &str,
) -> Result<(Place, UpdateAction)> {
    let attribute = attribute_of(declared, field);
    let mut changes = update.place_actions();
    let computed = attribute.and_then(|(_, attribute)| {
        changes.find(|(place, _)| *place.attribute_name() == attribute.stored)
    });
    let (place, action) = computed.ok_or_else(|| {
        refused(
            declared,
            format!("no change of this update computes `{field}`"),
        )
    })?;
    Ok((place.clone(), action.clone()))
}

/// Prints the names of the changed attributes, never the values.
impl fmt::Debug for UpdateDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Ok(key) => write!(f, "{key:?}, {:?}", self.changes),
            Err(fault) => {
                let name = self.declared.def.type_name;
                write!(f, "Key<{name}>(invalid: {fault}), {:?}", self.changes)
            }
        }
    }
}
