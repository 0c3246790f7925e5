//! Maintains the derived keys of indexes in a partial update (laws W2 and W3).
//!
//! An update names a few fields, and a key of an index may contain more. The *known* values of the future item
//! decide: the primary key, the new values, equalities of the condition, a loaded entity. The update is rejected
//! before anything is sent if they do not determine the attributes that a fresh write of the whole entity would
//! store.

use crate::entity::{EntityDeclaration, Known};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::Writer;
use crate::path::Place;
use crate::schema::{EntityIndexDef, KeyDef, KeySource, Piece, Presence};

/// The changes of an update in addition to its own.
#[derive(Debug, Default)]
pub(crate) struct IndexMaintenance {
    /// Derived attributes and their changes.
    pub(crate) keys: Vec<(&'static str, KeyChange)>,
    /// Fields whose value was used.
    pub(crate) used: Vec<&'static str>,
    /// Text fields that were assumed not to be empty in the stored item.
    pub(crate) filled: Vec<&'static str>,
    /// Places whose stored value a key gets, if they have one.
    pub(crate) copied: Vec<Place>,
}

/// The change of a derived attribute.
#[derive(Debug)]
pub(crate) enum KeyChange {
    /// It gets this value, DynamoDB JSON.
    Set(Vec<u8>),
    /// It is the number of a field, which DynamoDB computes. The key gets the same action.
    AsField(&'static str),
    Remove,
}

/// The effect of an update on the fields.
#[derive(Debug)]
pub(crate) struct Touched<'t> {
    /// Fields that change.
    pub(crate) fields: &'t [&'static str],
    /// Whether the item may not exist yet, so that every index has to be written.
    pub(crate) creates: bool,
}

/// The keys of an index that exist together, in a run-time plan: its texts, or one number.
struct Index {
    /// The number that the derive gives it.
    number: usize,
    def: &'static EntityIndexDef,
    keys: Vec<IndexKeyAttribute>,
}

/// A derived key attribute of an index.
struct IndexKeyAttribute {
    /// The number that the derive gives it.
    number: usize,
    attribute: &'static str,
    parts: Vec<Part>,
}

#[derive(Clone, Copy)]
struct Part {
    /// The number that the derive gives it.
    number: usize,
    field: &'static str,
    presence: Presence,
    /// Whether the key is the number of the field.
    is_number: bool,
}

impl Part {
    /// Whether the key gets the action of the field. Every computation results in a number, so the part exists.
    fn is_computed(&self, known: &Known) -> bool {
        self.is_number && known.is_computed(self.field)
    }
}

/// Plans the maintenance of all indexes.
pub(crate) fn plan(
    declared: &EntityDeclaration,
    touched: &Touched<'_>,
    known: &Known,
) -> Result<IndexMaintenance> {
    let mut maintenance = IndexMaintenance::default();
    for group in groups(declared) {
        if !group.iter().any(|index| index.is_touched(touched)) {
            continue;
        }
        match &*group {
            [index] => index.plan(declared, touched, known, &mut maintenance)?,
            sharing => plan_sharing(declared, sharing, touched, known, &mut maintenance)?,
        }
    }
    Ok(maintenance)
}

/// The entity's indexes with derived keys; those that share an attribute are together.
fn groups(declared: &EntityDeclaration) -> Vec<Vec<Index>> {
    let mut groups: Vec<Vec<Index>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for def in declared.def.indexes {
        if seen.contains(&def.index) {
            continue;
        }
        seen.push(def.index);
        for index in Index::of(declared, seen.len() - 1, def) {
            join_groups(&mut groups, index);
        }
    }
    groups
}

/// Adds an index to the groups.
fn join_groups(groups: &mut Vec<Vec<Index>>, index: Index) {
    // An index may share attributes with several groups that had nothing in common before. It joins them into one.
    let shares = |other: &Index| index.keys.iter().any(|key| other.writes(key.attribute));
    let (mut together, apart): (Vec<_>, Vec<_>) = std::mem::take(groups)
        .into_iter()
        .partition(|group| group.iter().any(shares));
    let mut group: Vec<Index> = together.drain(..).flatten().collect();
    group.push(index);
    *groups = apart;
    groups.push(group);
}

/// Plans indexes that share an attribute. The first complete one writes the attribute, so everything must be known.
fn plan_sharing(
    declared: &EntityDeclaration,
    group: &[Index],
    touched: &Touched<'_>,
    known: &Known,
    maintenance: &mut IndexMaintenance,
) -> Result<()> {
    let mut complete = Vec::new();
    for index in group {
        let state = index.state(declared, known)?;
        let is_complete = match state {
            IndexMembership::Incomplete => false,
            IndexMembership::Complete => true,
            // For a shared attribute, it must be known of every index whether it writes it:
            // otherwise a removal could destroy the key of another one.
            IndexMembership::Unknown => return Err(index.refuse(declared, touched, known)),
        };
        maintenance.used.extend(index.fields());
        complete.push(is_complete);
    }
    // A fresh write of the item writes shared attributes in the order of the declaration, and the first complete index
    // wins. This must have the same result.
    let mut written: Vec<&str> = Vec::new();
    for (index, _) in group
        .iter()
        .zip(&complete)
        .filter(|(_, complete)| **complete)
    {
        for key in index
            .keys
            .iter()
            .filter(|key| !written.contains(&key.attribute))
        {
            let change = index.change_of(declared, key, known)?;
            maintenance.keys.push((key.attribute, change));
        }
        written.extend(index.keys.iter().map(|key| key.attribute));
    }
    // Without a removal, the item would remain in an index under a key that it no longer has.
    for key in group.iter().flat_map(|index| &index.keys) {
        if !written.contains(&key.attribute) {
            written.push(key.attribute);
            maintenance.keys.push((key.attribute, KeyChange::Remove));
        }
    }
    Ok(())
}

/// Whether an item will be in an index.
enum IndexMembership {
    Incomplete,
    Complete,
    /// A deciding value is not known.
    Unknown,
}

impl Index {
    /// Keys that are fields themselves change with their fields, so nothing is maintained for them.
    fn of(declared: &EntityDeclaration, number: usize, def: &'static EntityIndexDef) -> Vec<Index> {
        let table = declared.table;
        let mut parts = 0..;
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        for (number, key) in def.pk.iter().chain(def.sk).enumerate() {
            let parts = parts_of(key, &mut parts);
            // An attribute of the table's primary key never changes, even if an index uses it as a key.
            let is_primary = key.attribute == table.pk || table.sk == Some(key.attribute);
            if !key.is_derived() || is_primary {
                continue;
            }
            let is_number = matches!(key.source, KeySource::Number { .. });
            let key = IndexKeyAttribute {
                number,
                attribute: key.attribute,
                parts,
            };
            match is_number {
                // Other programs write each number by itself. A missing text does not remove it, and the texts remain without it.
                true => numbers.push(vec![key]),
                false => texts.push(key),
            }
        }
        let texts = Some(texts).filter(|texts| !texts.is_empty());
        let keys = texts.into_iter().chain(numbers);
        keys.map(|keys| Index { number, def, keys }).collect()
    }

    fn writes(&self, attribute: &str) -> bool {
        self.keys.iter().any(|key| key.attribute == attribute)
    }

    fn parts(&self) -> impl Iterator<Item = Part> {
        self.keys.iter().flat_map(|key| key.parts.iter().copied())
    }

    /// The fields that decide whether the item is in the index.
    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.parts()
            .map(|part| part.field)
            .chain(self.decisive().iter().copied())
    }

    /// The fields that the `when` of the index reads.
    fn decisive(&self) -> &'static [&'static str] {
        self.def.when.map_or(&[], |when| when.fields)
    }

    fn is_touched(&self, touched: &Touched<'_>) -> bool {
        touched.creates || self.fields().any(|field| touched.fields.contains(&field))
    }

    fn state(&self, declared: &EntityDeclaration, known: &Known) -> Result<IndexMembership> {
        let fail = |fault| Error::encode(declared.def.type_name, fault);
        let mut unknown = false;
        let holds = (declared.index_holds)(self.number, known).map_err(fail)?;
        let mut answers = vec![holds];
        for part in self.parts().filter(|part| !part.is_computed(known)) {
            let there = (declared.index_part_is_there)(self.number, part.number, known);
            answers.push(there.map_err(fail)?);
        }
        // One part that is certainly missing decides, even if other parts are unknown: the item is not in the index.
        for answer in answers {
            match answer {
                Some(false) => return Ok(IndexMembership::Incomplete),
                Some(true) => {}
                None => unknown = true,
            }
        }
        Ok(if unknown {
            IndexMembership::Unknown
        } else {
            IndexMembership::Complete
        })
    }

    fn plan(
        &self,
        declared: &EntityDeclaration,
        touched: &Touched<'_>,
        known: &Known,
        maintenance: &mut IndexMaintenance,
    ) -> Result<()> {
        match self.state(declared, known)? {
            // All derived keys are removed, because a fresh write of the whole entity would store none of them.
            IndexMembership::Incomplete => {
                maintenance.used.extend(self.fields());
                maintenance.keys.extend(
                    self.keys
                        .iter()
                        .map(|key| (key.attribute, KeyChange::Remove)),
                );
            }
            IndexMembership::Complete => {
                maintenance.used.extend(self.fields());
                for key in &self.keys {
                    let change = self.change_of(declared, key, known)?;
                    maintenance.keys.push((key.attribute, change));
                }
            }
            IndexMembership::Unknown => self.plan_partly(declared, touched, known, maintenance)?,
        }
        Ok(())
    }

    /// Writes the keys that change and does not touch the others, if it is certain that the item is in the index and
    /// stays there.
    fn plan_partly(
        &self,
        declared: &EntityDeclaration,
        touched: &Touched<'_>,
        known: &Known,
        maintenance: &mut IndexMaintenance,
    ) -> Result<()> {
        let changes = |field: &str| touched.fields.contains(&field);
        let may_enter = self.parts().any(|part| {
            part.presence == Presence::Optional && (changes(part.field) || !known.knows(part.field))
        });
        let mut decisive = self.decisive().iter();
        let depends = decisive.any(|field| changes(field) || !known.knows(field));
        let concerned = |key: &&IndexKeyAttribute| key.parts.iter().any(|part| changes(part.field));
        let is_open = |part: &Part| !known.knows(part.field) && !part.is_computed(known);
        let lacks = |key: &IndexKeyAttribute| key.parts.iter().any(is_open);
        // A new item has no stored keys that could remain unchanged.
        if touched.creates || may_enter || depends || self.keys.iter().filter(concerned).any(lacks)
        {
            return Err(self.refuse(declared, touched, known));
        }
        for key in self.keys.iter().filter(concerned) {
            maintenance
                .used
                .extend(key.parts.iter().map(|part| part.field));
            let change = self.change_of(declared, key, known)?;
            maintenance.keys.push((key.attribute, change));
        }
        // The plan also relies on the known optional parts and on `when`, so they are guarded. Whether an unknown text
        // is empty is checked by a condition on the stored item.
        let relied = self
            .parts()
            .filter(|part| part.presence == Presence::Optional);
        maintenance.used.extend(relied.map(|part| part.field));
        maintenance.used.extend(self.decisive());
        let text = self.parts().filter(|part| {
            part.presence == Presence::Text && (changes(part.field) || !known.knows(part.field))
        });
        maintenance.filled.extend(text.map(|part| part.field));
        Ok(())
    }

    /// The change of a derived key whose parts are known, or computed.
    fn change_of(
        &self,
        declared: &EntityDeclaration,
        key: &IndexKeyAttribute,
        known: &Known,
    ) -> Result<KeyChange> {
        match &*key.parts {
            [part] if part.is_computed(known) => Ok(KeyChange::AsField(part.field)),
            _ => self.write(declared, key, known).map(KeyChange::Set),
        }
    }

    /// The value of a derived key.
    fn write(
        &self,
        declared: &EntityDeclaration,
        key: &IndexKeyAttribute,
        known: &Known,
    ) -> Result<Vec<u8>> {
        let mut writer = Writer::for_request(64);
        let written = (declared.write_index_key)(self.number, key.number, known, &mut writer);
        written.map_err(|fault| Error::encode(declared.def.type_name, fault))?;
        // The derive writes the name and the value, because items need both. An update expression needs only the value.
        let mut name = Writer::default();
        name.dynamic_name(key.attribute);
        let mut json = writer.into_bytes();
        json.drain(..name.len().min(json.len()));
        Ok(json)
    }

    /// The unknown fields without which the keys cannot be maintained. These are all of them, if the item may have to
    /// enter the index; otherwise those that may be absent, and the other parts of the keys that change.
    fn needed(&self, touched: &Touched<'_>, known: &Known) -> Vec<&'static str> {
        let changes = |field: &str| touched.fields.contains(&field);
        let is_optional = |part: &Part| part.presence == Presence::Optional;
        let decides = |field: &&'static str| self.decisive().contains(field);
        let enters = self
            .parts()
            .any(|part| is_optional(&part) && changes(part.field))
            || self.decisive().iter().any(|field| changes(field));
        let concerned = self
            .keys
            .iter()
            .filter(|key| key.parts.iter().any(|part| changes(part.field)));
        let concerned: Vec<&str> = concerned
            .flat_map(|key| key.parts.iter().map(|part| part.field))
            .collect();
        let optional: Vec<&str> = self
            .parts()
            .filter(is_optional)
            .map(|part| part.field)
            .collect();
        let is_needed = |field: &&'static str| {
            touched.creates
                || enters
                || decides(field)
                || optional.contains(field)
                || concerned.contains(field)
        };
        // The key that is the number of a computed field needs no value of it.
        let needs_value = |field: &str| {
            let mut uses = self.parts().filter(|part| part.field == field);
            self.decisive().contains(&field) || uses.any(|part| !part.is_computed(known))
        };
        let unknown: Vec<_> = self
            .fields()
            .filter(|field| !known.knows(field) && needs_value(field))
            .collect();
        let needed: Vec<_> = unknown.iter().copied().filter(is_needed).collect();
        // For indexes that share an attribute, every part must be known.
        if needed.is_empty() { unknown } else { needed }
    }

    fn refuse(&self, declared: &EntityDeclaration, touched: &Touched<'_>, known: &Known) -> Error {
        let mut missing: Vec<&str> = Vec::new();
        for field in self.needed(touched, known) {
            if !missing.contains(&field) {
                missing.push(field);
            }
        }
        let ways = match &*missing {
            [field] => format!("`.when(|it| it.{field}().eq(..))`, or `.missing()`"),
            _ => "`.eq(..)` or `.missing()` of each in `.when(..)`".to_owned(),
        };
        let computed: Vec<_> = missing
            .iter()
            .filter(|field| touched.fields.contains(field))
            .collect();
        let missing = missing
            .iter()
            .map(|field| format!("`{field}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = if touched.creates {
            format!(
                "an upsert may create the item, and the keys of the index `{}` need {missing}: set or remove it in the same upsert",
                self.def.name
            )
        } else if computed.is_empty() {
            format!(
                "this update changes the keys of the index `{}`, and they also need {missing}: give it by {ways}, update a loaded entity, or use `modify`",
                self.def.name
            )
        } else {
            format!(
                "the keys of the index `{}` need the new value of {missing}: `set` it to a value, or use `modify`",
                self.def.name
            )
        };
        Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(declared.def.type_name)
    }
}

fn parts_of(key: &KeyDef, numbers: &mut impl Iterator<Item = usize>) -> Vec<Part> {
    let (number, pieces) = match key.source {
        KeySource::Field(_) => return Vec::new(),
        KeySource::Number { field, presence } => (Some((field, presence, true)), &[][..]),
        KeySource::Template(pieces) => (None, pieces),
    };
    let parts = pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(_) | Piece::Shard(_) => None,
        Piece::Part {
            field, presence, ..
        } => Some((*field, *presence, false)),
    });
    let parts = number.into_iter().chain(parts).zip(numbers);
    let part = |((field, presence, is_number), number)| Part {
        number,
        field,
        presence,
        is_number,
    };
    parts.map(part).collect()
}
