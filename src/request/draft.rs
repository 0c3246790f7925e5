//! An update or upsert before it is planned, and its planning.

use std::fmt;

use bytes::Bytes;

use super::call::{Outcome, Plan};
use super::check::{self, CONDITION, Expect, Loaded, Lost};
use super::upkeep::{self, Touched, Upkeep};
use crate::clock::Timestamp;
use crate::codec::{Fault, Name, Reader, Writer};
use crate::dynamo::Dynamo;
use crate::entity::{Created, DynamoEntity, DynamoTable, Key, Known, Stamp, State, Version};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::{
    Action, Change, Changes, Comparison, Condition, Expression, Node, Place, Term, Update,
    json as field_json,
};
use crate::schema::{AttributeDef, KeySource, Piece};
use crate::wire::{self, Request, Resend};

/// What the write is to do where no item is, and without changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Needs a live item; without changes it only looks.
    Update,
    /// Needs a live item, and renews what the library keeps.
    Touch,
    /// Makes the item.
    Upsert,
}

/// Changes of one item, and what is asked of it.
pub(super) struct Draft<E: DynamoEntity> {
    key: Key<E>,
    way: Way,
    changes: Vec<Change<E>>,
    condition: Node,
    /// Taken from the entity at once: the operation may outlive it.
    source: Result<Source, Fault>,
    resend: Resend,
}

/// Where the update comes from.
enum Source {
    Key,
    Entity {
        /// If it has a version.
        loaded: Option<Loaded>,
        /// The attributes of the entity, where keys of indexes are made of them.
        attributes: Vec<(String, Vec<u8>)>,
        checks_version: bool,
    },
}

impl<E: DynamoEntity> Draft<E> {
    pub(super) fn of_key(key: Key<E>, way: Way) -> Self {
        Draft {
            key,
            way,
            changes: Vec::new(),
            condition: Node::all([]),
            source: Ok(Source::Key),
            resend: Resend::UnlessAmbiguous,
        }
    }

    pub(super) fn of_entity(entity: &E) -> Self {
        Draft {
            source: source(entity),
            ..Draft::of_key(entity.key(), Way::Update)
        }
    }

    pub(super) fn apply(&mut self, changes: impl Changes<E>) {
        changes.add_to(&mut self.changes);
    }

    pub(super) fn when(&mut self, condition: Condition<E>) {
        let before = std::mem::replace(&mut self.condition, Node::all([]));
        self.condition = before.and(condition.into_node());
    }

    pub(super) fn leave_version(&mut self) {
        if let Ok(Source::Entity { checks_version, .. }) = &mut self.source {
            *checks_version = false;
        }
    }

    pub(super) fn repeatable(&mut self) {
        self.resend = Resend::Always;
    }

    /// An UpdateItem.
    pub(super) fn plan<Out>(
        self,
        db: &Dynamo,
        returns: &'static str,
        outcome: Outcome<Out>,
    ) -> Result<Plan<Out>> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let now = db.now();
        let resend = self.resend;
        let stamp = Stamp::write(1, now, Created::Now).by(db.actor());
        let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
        let mut body = Writer::for_request(512);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        body.raw(",\"Key\":{");
        self.key.write(&mut body)?;
        body.raw("}");
        let (expression, lost) = self.expression(now, &stamp)?;
        expression.check().map_err(fail)?;
        expression.write(&mut body);
        if expression.says(CONDITION) {
            body.raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
        }
        body.raw(",\"ReturnValues\":");
        body.quoted(returns);
        body.raw("}");
        Ok(Plan {
            request: Request {
                operation: wire::Operation::UpdateItem,
                table,
                body: Bytes::from(body.into_bytes()),
                resend,
            },
            entity: E::ENTITY.type_name,
            now,
            lost,
            outcome,
        })
    }

    /// The expressions of the request, and what it means if the condition fails.
    fn expression(self, now: Timestamp, stamp: &Stamp) -> Result<(Expression, Lost)> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        let source = self.source.map_err(fail)?;
        let mut update = Update::default();
        for change in self.changes {
            update.add(change).map_err(fail)?;
        }
        check_places::<E>(&update)?;
        let creates = self.way == Way::Upsert;
        let mut guards = update.take_guards();
        if !update.is_empty() || self.way != Way::Update {
            stamp_fields::<E>(&mut update, &source, creates, stamp).map_err(fail)?;
        }
        if creates {
            set_identity(&mut update, &self.key).map_err(fail)?;
            check_complete::<E>(&update)?;
        }
        let mut known = known::<E>(&source, &self.condition, &self.key).map_err(fail)?;
        let fields = tell_changes::<E>(&update, &mut known);
        let touched = Touched {
            fields: &fields,
            creates,
        };
        let upkeep = upkeep::plan::<E>(&touched, &known)?;
        let relied = relied_on::<E>(&upkeep, &source, &self.condition, &self.key, &fields);
        guards.extend(relied.map_err(fail)?);
        for (attribute, json) in upkeep.keys {
            update.set(attribute, json.map_or(Action::Remove, Action::Set));
        }
        let (expected, lost) = expected::<E>(&source, self.way, now)?;
        let asked = Node::all(guards.into_iter().chain([self.condition]));
        let (condition, lost) = check::with(expected, lost, asked);
        let mut expression = Expression::default();
        update.write(&mut expression);
        condition.write(expression.begin(CONDITION)).map_err(fail)?;
        Ok((expression, lost))
    }
}

/// What a loaded entity knows.
fn source<E: DynamoEntity>(entity: &E) -> Result<Source, Fault> {
    let attributes = if has_templates::<E>() {
        let mut writer = Writer::default();
        writer.raw("{");
        entity.encode(&Stamp::as_is(), &mut writer)?;
        writer.raw("}");
        split(writer.as_bytes())?
    } else {
        Vec::new()
    };
    Ok(Source::Entity {
        loaded: Loaded::of(entity)?,
        attributes,
        checks_version: true,
    })
}

fn has_templates<E: DynamoEntity>() -> bool {
    let is_template = |source: &KeySource| matches!(source, KeySource::Template(_));
    let keys = |index: &'static crate::schema::EntityIndexDef| index.pk.iter().chain(index.sk);
    E::ENTITY
        .indexes
        .iter()
        .flat_map(keys)
        .any(|key| is_template(&key.source))
}

/// The attributes of an item, name by name.
pub(super) fn split(item: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Fault> {
    let mut reader = Reader::new(item);
    let mut first = true;
    let mut attributes = Vec::new();
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        attributes.push((name.into_owned(), reader.raw_value()?.to_vec()));
    }
    Ok(attributes)
}

/// Refuses names that the library writes itself; a path of `rest` could lead there.
fn check_places<E: DynamoEntity>(update: &Update) -> Result<()> {
    let table = &<E::Table as DynamoTable>::TABLE;
    for (place, _) in update.actions() {
        let name = &**place.attribute();
        let is_key = name == table.pk || table.sk == Some(name);
        if is_key
            || crate::__private::is_derived(&E::ENTITY, table, name)
                && field_of::<E>(name).is_none()
        {
            let message = format!(
                "the attribute `{name}` is kept by the library and cannot be changed by an update"
            );
            return Err(refused::<E>(message));
        }
        if let Some(field) = field_of::<E>(name).filter(|_| place.is_of_rest()) {
            let message = format!(
                "the attribute `{name}` is the field `{field}`: change it by the path of the field, not by that of `rest`"
            );
            return Err(refused::<E>(message));
        }
    }
    Ok(())
}

/// Law W1: an upsert may make the item, so nothing that the entity cannot be read without may lack.
fn check_complete<E: DynamoEntity>(update: &Update) -> Result<()> {
    let lacks = |(at, attribute): &(usize, &AttributeDef)| {
        let sets = |(place, action): (&Place, &Action)| {
            *place.attribute() == attribute.stored && place.is_attribute() && action.makes_a_value()
        };
        !E::may_be_absent(*at) && !update.actions().any(sets)
    };
    let lacking: Vec<String> = E::ENTITY
        .attributes
        .iter()
        .enumerate()
        .filter(lacks)
        .map(|(_, attribute)| format!("`{}`", attribute.field))
        .collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let message = format!(
        "an upsert may create the item, and it could not be read without {}: set it in the same upsert, or use `update` for an item that is there",
        lacking.join(", ")
    );
    Err(refused::<E>(message))
}

fn refused<E: DynamoEntity>(message: String) -> Error {
    Error::new(ErrorKind::InvalidValue, Stage::Request, message).of(E::ENTITY.type_name)
}

/// The field of an attribute, and the other way round.
fn field_of<E: DynamoEntity>(attribute: &str) -> Option<&'static str> {
    let found = E::ENTITY
        .attributes
        .iter()
        .find(|known| known.stored == attribute);
    found.map(|known| known.field)
}

fn attribute_of<E: DynamoEntity>(field: &str) -> Option<(usize, &'static AttributeDef)> {
    let mut known = E::ENTITY.attributes.iter().enumerate();
    known.find(|(_, known)| known.field == field)
}

/// What a fresh write of an item holds beside its fields, for an upsert may be one: key attributes
/// are in the key, index keys come later.
fn set_identity<E: DynamoEntity>(update: &mut Update, key: &Key<E>) -> Result<(), Fault> {
    if let Some(attribute) = <E::Table as DynamoTable>::TABLE.type_attribute {
        let json = format!("{{\"S\":\"{}\"}}", E::ENTITY.stored_name);
        update.set(attribute, Action::Set(json.into_bytes()));
    }
    for (name, json) in split(&key.fields_json()?)? {
        let stored = E::ENTITY
            .attributes
            .iter()
            .find(|known| known.stored == name);
        if let Some(known) = stored {
            update.set(known.stored, Action::Set(json));
        }
    }
    Ok(())
}

/// Version and timestamps (law W7).
fn stamp_fields<E: DynamoEntity>(
    update: &mut Update,
    source: &Source,
    creates: bool,
    stamp: &Stamp,
) -> Result<(), Fault> {
    let json = |attribute| {
        field_json(|name: &Name, writer: &mut Writer| E::encode_now(attribute, stamp, name, writer))
    };
    let def = &E::ENTITY;
    if let Some(attribute) = def.version {
        update.set(attribute, next_version(source)?);
    }
    for attribute in [def.updated_at, def.updated_by].into_iter().flatten() {
        let action = json(attribute)?.map_or(Action::Remove, Action::Set);
        update.set(attribute, action);
    }
    let created = [def.created_at, def.created_by].into_iter().flatten();
    for attribute in created.filter(|_| creates) {
        if let Some(json) = json(attribute)? {
            update.set(attribute, Action::SetIfAbsent(json));
        }
    }
    Ok(())
}

/// The one after the loaded version; by key, the stored one is raised whatever it is.
fn next_version(source: &Source) -> Result<Action, Fault> {
    let number = |number: u64| format!("{{\"N\":\"{number}\"}}").into_bytes();
    Ok(match source {
        Source::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => Action::Set(number(loaded.version().next()?)),
        _ => Action::Add {
            start: number(0),
            delta: number(1),
            minus: false,
        },
    })
}

/// What is known before the changes: of the loaded entity, of equalities in the condition, of the key.
fn known<E: DynamoEntity>(source: &Source, condition: &Node, key: &Key<E>) -> Result<Known, Fault> {
    let mut known = Known::default();
    if let Source::Entity { attributes, .. } = source
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
fn tell_changes<E: DynamoEntity>(update: &Update, known: &mut Known) -> Vec<&'static str> {
    let mut fields = Vec::new();
    for (place, action) in update.actions() {
        let Some(field) = field_of::<E>(place.attribute()) else {
            continue;
        };
        match action {
            Action::Set(json) if place.is_attribute() => known.tell_json(field, json.clone()),
            Action::Remove if place.is_attribute() => known.tell_absent(field),
            _ => known.tell_computed(field),
        }
        fields.push(field);
    }
    fields
}

/// Asks the stored item for what the upkeep relied on, where nothing else guards it.
fn relied_on<E: DynamoEntity>(
    upkeep: &Upkeep,
    source: &Source,
    condition: &Node,
    key: &Key<E>,
    changed: &[&'static str],
) -> Result<Vec<Node>, Fault> {
    let mut guards = Vec::new();
    for (_, attribute) in upkeep
        .filled
        .iter()
        .filter_map(|field| attribute_of::<E>(field))
    {
        let size = Term::Size(Place::of(attribute.stored));
        let none = Term::Value(b"{\"N\":\"0\"}".to_vec());
        guards.push(Node::Compare(size, Comparison::Gt, none));
    }
    let Source::Entity { attributes, .. } = source else {
        return Ok(guards);
    };
    if source.is_versioned() {
        return Ok(guards);
    }
    let told = known::<E>(&Source::Key, condition, key)?;
    let mut asked: Vec<&str> = Vec::new();
    for field in &upkeep.used {
        if changed.contains(field) || told.knows(field) || asked.contains(field) {
            continue;
        }
        asked.push(field);
        if let Some((at, attribute)) = attribute_of::<E>(field) {
            let held = attributes.iter().find(|(name, _)| name == attribute.stored);
            guards.push(as_loaded::<E>(
                at,
                attribute,
                held.map(|(_, json)| &**json),
            )?);
        }
    }
    Ok(guards)
}

/// The stored attribute is what the loaded entity holds, however the row's writer spelt it: None is an
/// absent attribute or NULL, a default is an absent one too.
fn as_loaded<E: DynamoEntity>(
    at: usize,
    attribute: &AttributeDef,
    held: Option<&[u8]>,
) -> Result<Node, Fault> {
    let Some(json) = held else {
        return Ok(check::is_absent(attribute.stored));
    };
    let same = if is_time::<E>(attribute.field) {
        check::is_time(attribute.stored, json)
    } else {
        check::is_value(attribute.stored, json)
    };
    Ok(if E::default_json(at)?.as_deref() == Some(json) {
        Node::any([check::is_absent(attribute.stored), same])
    } else {
        same
    })
}

fn is_time<E: DynamoEntity>(field: &str) -> bool {
    let keys = E::ENTITY
        .indexes
        .iter()
        .flat_map(|index| index.pk.iter().chain(index.sk));
    keys.filter_map(|key| match key.source {
        KeySource::Template(pieces) => Some(pieces),
        KeySource::Field(_) => None,
    })
    .flatten()
    .any(|piece| matches!(piece, Piece::Part { field: part, is_time: true, .. } if *part == field))
}

impl Source {
    /// The version is checked, and with it everything that was loaded.
    fn is_versioned(&self) -> bool {
        matches!(
            self,
            Source::Entity {
                loaded: Some(_),
                checks_version: true,
                ..
            }
        )
    }
}

/// What the write expects to find, and what it means if that is not so.
fn expected<E: DynamoEntity>(source: &Source, way: Way, now: Timestamp) -> Result<(Node, Lost)> {
    let def = &E::ENTITY;
    if way == Way::Upsert {
        return Ok((check::is_live(def, now), Lost::upsert(def)));
    }
    match source {
        Source::Entity {
            loaded: Some(loaded),
            checks_version: true,
            ..
        } => {
            if matches!(loaded.version(), Version(State::New)) {
                let message =
                    "this entity was never stored, so there is nothing to update: `create` it";
                return Err(refused::<E>(message.to_owned()));
            }
            let (unchanged, lost) = check::condition(def, Expect::Loaded, Some(loaded), now);
            Ok((unchanged.and(check::is_live(def, now)), lost))
        }
        _ => Ok(check::condition(def, Expect::Exists, None, now)),
    }
}

/// The names of what is changed, never the values.
impl<E: DynamoEntity> fmt::Debug for Draft<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?}", self.key, self.changes)
    }
}
