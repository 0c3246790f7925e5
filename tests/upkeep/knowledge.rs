//! Finds out by trial whether an update can know the index keys that it has to write. Many items that agree
//! in all known values are changed; the keys are known if one action per derived attribute is right for all
//! items.

use std::collections::BTreeMap;

use dynamo_entity::{Item, Value};
use fastrand::Rng;

use crate::model::{derived, fresh};
use crate::subject::{Move, Stamp, Subject};

/// How many items are tried. If they are too few, a correct refusal is reported as a needless one.
const TRIALS: u32 = 120;

/// What is known of an update before it is sent.
pub struct Attempt<'a, E> {
    pub no: u32,
    /// Parts whose value before the update is known, and the entity that holds the value.
    pub known: Vec<(&'static str, &'a E)>,
    pub moves: &'a [Move<E>],
    pub stamp: Option<&'a Stamp>,
    /// Whether the item may not exist yet.
    pub creates: bool,
    /// Whether the library refused the update. Only then the trial is worth its time.
    pub is_refused: bool,
}

impl<E: Subject> Attempt<'_, E> {
    /// Whether the library may refuse the update because it does not know enough.
    pub fn may_be_refused(&self) -> bool {
        if !self.is_refused {
            return false;
        }
        let mut rng = Rng::with_seed(u64::from(self.no));
        E::GROUPS
            .iter()
            .filter(|group| self.touches(group))
            .any(|group| self.is_undecided(group, &mut rng))
    }

    pub fn touches(&self, group: &[&str]) -> bool {
        let renewed = |field: &&str| self.stamp.is_some() && is_renewed::<E>(field);
        self.creates
            || group.iter().any(|field| {
                self.moves.iter().any(|change| change.field == *field) || renewed(field)
            })
    }

    fn is_undecided(&self, group: &[&'static str], rng: &mut Rng) -> bool {
        let computed = |field: &&&str| {
            let changed = self
                .moves
                .iter()
                .any(|change| change.field == **field && !change.known);
            changed || self.creates && is_created::<E>(field)
        };
        if group.iter().any(|field| computed(&field)) {
            return true;
        }
        // The old value of a field that the update changes says nothing about the new keys.
        let is_known = |field: &&str| self.known.iter().any(|(known, _)| known == field);
        let is_changed = |field: &&str| {
            let renewed = self.stamp.is_some() && is_renewed::<E>(field);
            renewed || self.moves.iter().any(|change| change.field == *field)
        };
        let unknown: Vec<_> = group
            .iter()
            .copied()
            .filter(|field| !is_known(field) || is_changed(field))
            .collect();
        let is_set = |field: &&&str| {
            let mut sets = self.moves.iter();
            sets.any(|change| change.field == **field && change.known)
        };
        if E::SHARES
            && group
                .iter()
                .any(|field| !is_known(field) && !is_set(&field))
        {
            return true;
        }
        let mut actions = Actions::default();
        for _ in 0..TRIALS {
            self.try_one(&unknown, rng, &mut actions);
            if actions.contradict(self.creates) {
                return true;
            }
        }
        false
    }

    fn try_one(&self, unknown: &[&str], rng: &mut Rng, actions: &mut Actions) {
        let mut old = E::random(&mut Rng::with_seed(0), self.no);
        for (field, holder) in &self.known {
            if E::PARTS.contains(field) {
                E::copy(field, holder, &mut old);
            }
        }
        for field in unknown {
            E::copy(field, &E::random(rng, self.no), &mut old);
        }
        let before = fresh(&old);
        let mut new = old;
        for change in self.moves {
            (change.apply)(&mut new, &before);
        }
        if let Some(stamp) = self.stamp {
            new.stamp(stamp);
        }
        actions.see(&derived::<E>(&before), &derived::<E>(&fresh(&new)));
    }
}

fn is_renewed<E: Subject>(field: &str) -> bool {
    is_one::<E>(field, [E::ENTITY.updated_at, E::ENTITY.updated_by])
}

fn is_created<E: Subject>(field: &str) -> bool {
    is_one::<E>(field, [E::ENTITY.created_at, E::ENTITY.created_by])
}

fn is_one<E: Subject>(field: &str, stored: [Option<&str>; 2]) -> bool {
    let mut known = E::ENTITY.attributes.iter();
    known.any(|known| known.field == field && stored.contains(&Some(known.stored)))
}

/// What the trials showed for each derived attribute.
#[derive(Default)]
struct Actions {
    seen: u32,
    attributes: BTreeMap<String, Seen>,
}

#[derive(Default)]
struct Seen {
    /// The values after the change, each with the number of items that had it.
    after: Vec<(Option<Value>, u32)>,
    changes: bool,
}

impl Actions {
    fn see(&mut self, before: &Item, after: &Item) {
        for name in before.iter().chain(after.iter()).map(|(name, _)| name) {
            self.attributes.entry(name.clone()).or_default();
        }
        for (name, seen) in &mut self.attributes {
            // An attribute that appears for the first time was absent in all items before.
            let known: u32 = seen.after.iter().map(|(_, times)| times).sum();
            if known < self.seen {
                seen.count(None, self.seen - known);
            }
            seen.count(after.get(name).cloned(), 1);
            seen.changes |= before.get(name) != after.get(name);
        }
        self.seen += 1;
    }

    /// Whether some attribute can neither stay as it is nor get one value that is right for all items.
    fn contradict(&self, creates: bool) -> bool {
        let contradicts = |seen: &Seen| (seen.changes || creates) && seen.after.len() > 1;
        self.attributes.values().any(contradicts)
    }
}

impl Seen {
    fn count(&mut self, value: Option<Value>, times: u32) {
        match self.after.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known += times,
            None => self.after.push((value, times)),
        }
    }
}
