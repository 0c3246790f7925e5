//! The verbs under test, each with the outcome that the model expects.

use std::sync::Arc;

use dynamo_entity::EntityExt;
use dynamo_entity::expr::Change;
use dynamo_entity::{ErrorKind, Operation, Value};

use super::{Step, Verdict, World, is_refused};
use crate::knowledge::Attempt;
use crate::model::{Row, apply_all, differing, fresh, stored_name};
use crate::subject::{Created, Move, Stamp, Subject};

impl<E: Subject> World<'_, E> {
    /// Another program writes an item.
    pub(super) async fn plant(&mut self, no: u32) -> Step {
        let mut entity = E::random(&mut self.rng, no);
        let version = self.rng.u64(0..5);
        entity.stamp(&self.stamp(Some(version), Created::IfNone));
        let mut item = fresh(&entity);
        E::estrange(&mut self.rng, &mut item);
        self.say(format!("{no}: others write {item:?}"));
        self.db.plant::<E>(item.clone()).await;
        let row: Row<E> = Row::read(item);
        self.remember(no, row.entity.clone());
        self.rows.insert(no, row);
        Ok(())
    }

    pub(super) async fn create(&mut self, no: u32) -> Step {
        let entity = E::random(&mut self.rng, no);
        self.say(format!("{no}: create {entity:?}"));
        let result = entity.create().send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let verdict = match self.live(no) {
            Some(_) => Verdict::lost(ErrorKind::AlreadyExists),
            None => {
                let mut new = entity;
                new.stamp(&self.stamp(None, Created::Now));
                Verdict::leaves(Some(Row::of(&new)))
            }
        };
        self.judge(no, result.map(Some), verdict).await
    }

    /// Puts a new entity, or a loaded one that was changed in memory.
    pub(super) async fn put(&mut self, no: u32) -> Step {
        let mut entity = E::random(&mut self.rng, no);
        let (mut no, mut is_new) = (no, true);
        if !self.loaded.is_empty() && self.rng.bool() {
            let (loaded, mut old) = self.rng.choice(&self.loaded).cloned().ok_or("nothing")?;
            let item = fresh(&old);
            for change in self.moves(2).iter().filter(|change| change.known) {
                (change.apply)(&mut old, &item);
            }
            (no, entity, is_new) = (loaded, old, false);
        }
        self.say(format!("{no}: put {entity:?}"));
        let result = entity.put().send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let mut verdict = match E::version(&entity) {
            None => Verdict::leaves(None),
            Some(_) if is_new => match self.live(no) {
                Some(_) => Verdict::lost(ErrorKind::Conflict),
                None => Verdict::leaves(None),
            },
            Some(_) => match self.stored(no) {
                Some(row) if unchanged(row, &entity) => Verdict::leaves(None),
                _ if self.live(no).is_none() => Verdict::lost(ErrorKind::NotFound),
                _ => Verdict::lost(ErrorKind::Conflict),
            },
        };
        if verdict.ok.is_some() {
            let created = match E::version(&entity) {
                Some(_) if is_new => Created::Now,
                _ => Created::IfNone,
            };
            let number = E::version(&entity).and_then(|version| version.number());
            let mut new = entity;
            new.stamp(&self.stamp(number, created));
            verdict.ok = Some(Some(Row::of(&new)));
        }
        self.judge(no, result.map(Some), verdict).await
    }

    pub(super) async fn update_by_key(&mut self, no: u32) -> Step {
        let mut moves = self.moves(3);
        let other = E::random(&mut self.rng, no);
        let equalities = self.equalities(no, &other);
        self.say(format!(
            "{no}: update {:?} when {}",
            told(&moves),
            shown(&equalities)
        ));
        let mut update = other.key().update();
        for (field, of) in &equalities {
            update = update.when(|_| E::equals(field, of));
        }
        let update = update.apply(|_| changes(&mut moves));
        let result = update.send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let mut known: Vec<_> = E::KEY.iter().map(|field| (*field, &other)).collect();
        known.extend(equalities.iter().map(|(field, of)| (*field, of)));
        let verdict = self.updated(no, &moves, &equalities, &known, true);
        self.judge(no, result.map(Some), verdict).await
    }

    /// Updates an entity that was loaded earlier and may have been changed in memory since.
    pub(super) async fn update_loaded(&mut self) -> Step {
        let Some((no, mut entity)) = self.rng.choice(&self.loaded).cloned() else {
            return Ok(());
        };
        let is_reloaded = self.rng.u32(0..100) < 60;
        if let Some(row) = self.stored(no).filter(|_| is_reloaded) {
            entity = row.entity.clone();
        }
        let mut moves = self.moves(3);
        let is_checked = self.rng.u32(0..100) < 85;
        let is_edited = self.rng.u32(0..100) < 12;
        if is_edited {
            let part = self
                .rng
                .choice(E::PARTS)
                .copied()
                .filter(|part| !E::KEY.contains(part));
            if let Some(part) = part {
                E::copy(part, &E::random(&mut self.rng, no), &mut entity);
            }
        }
        let other = E::random(&mut self.rng, no);
        let equalities = match self.rng.u32(0..100) {
            0..20 => self.equalities(no, &other),
            _ => Vec::new(),
        };
        self.say(format!(
            "{no}: update (checked: {is_checked}) loaded {entity:?}: {:?} when {}",
            told(&moves),
            shown(&equalities)
        ));
        let mut update = entity.update();
        for (field, of) in &equalities {
            update = update.when(|_| E::equals(field, of));
        }
        if !is_checked {
            update = update.unchecked();
        }
        let update = update.apply(|_| changes(&mut moves));
        let result = update.send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let known: Vec<_> = E::PARTS
            .iter()
            .chain(E::KEY)
            .map(|field| (*field, &entity))
            .collect();
        let mut verdict = self.updated(no, &moves, &equalities, &known, false);
        let is_versioned = E::version(&entity).is_some() && is_checked;
        if let Some(row) = self.live(no) {
            if is_versioned && !unchanged(row, &entity) {
                (verdict.ok, verdict.lost) = (None, vec![ErrorKind::Conflict]);
            } else if !is_versioned && verdict.ok.is_some() && !moves.is_empty() {
                verdict = raised(row, verdict);
            }
            if self.may_conflict(row, &entity, &moves, &equalities) {
                verdict.lost.push(ErrorKind::Conflict);
            }
        }
        self.judge(no, result.map(Some), verdict).await
    }

    /// From an entity that was loaded at some time to another value of it.
    pub(super) async fn change_to(&mut self) -> Step {
        let Some((no, mut seen)) = self.rng.choice(&self.loaded).cloned() else {
            return Ok(());
        };
        let is_reloaded = self.rng.u32(0..100) < 70;
        if let Some(row) = self.stored(no).filter(|_| is_reloaded) {
            seen = row.entity.clone();
        }
        let mut next = seen.clone();
        apply_all(&mut next, &self.moves(4));
        // What a value says of managed fields is not heeded.
        next.stamp(&self.stamp(Some(70), Created::Now));
        self.say(format!("{no}: change {seen:?}\n  to {next:?}"));
        let changes = seen.changes_to(&next);
        let is_empty = changes.is_empty();
        let result = changes.send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        if differing(&seen, &next).is_empty() {
            if !is_empty || !self.http.calls().is_empty() {
                return Err("nothing changes, and it was sent".to_owned());
            }
            return match result {
                Ok(same) if same == seen => self.check_item(no).await,
                other => Err(format!("nothing changes, and it returned {other:?}")),
            };
        }
        let verdict = match self.live(no) {
            None => Verdict::lost(ErrorKind::NotFound),
            Some(row) => {
                let is_numbered = seen
                    .version()
                    .and_then(|version| version.number())
                    .is_some();
                let is_same = fresh(&row.entity) == fresh(&seen);
                let stamp = self.stamp(row.version(), Created::Kept);
                let mut verdict = Verdict::leaves(row.changed(&seen, &next, &stamp));
                if is_numbered && !unchanged(row, &seen) || !is_numbered && !is_same {
                    verdict = Verdict::lost(ErrorKind::Conflict);
                } else if !is_same {
                    // Others stored another item of the same version: only the parts that are used are compared.
                    verdict.lost.push(ErrorKind::Conflict);
                }
                verdict
            }
        };
        self.judge(no, result.map(Some), verdict).await
    }

    /// Whether a part that the update may rely on differs between the stored row and the loaded entity.
    fn may_conflict(
        &self,
        row: &Row<E>,
        entity: &E,
        moves: &[Move<E>],
        equalities: &[(&str, E)],
    ) -> bool {
        let (held, loaded) = (fresh(&row.entity), fresh(entity));
        let stamp = self.stamp(None, Created::Kept);
        let attempt = self.attempt(self.first, &[], moves, Some(&stamp));
        let touched = E::GROUPS.iter().filter(|group| attempt.touches(group));
        touched.flat_map(|group| group.iter()).any(|field| {
            let stored = stored_name::<E>(field);
            let is_set = moves.iter().any(|change| change.field == *field);
            let is_asked = equalities.iter().any(|(asked, _)| asked == field);
            !is_set && !is_asked && held.get(stored) != loaded.get(stored)
        })
    }

    fn attempt<'a>(
        &self,
        no: u32,
        known: &[(&'static str, &'a E)],
        moves: &'a [Move<E>],
        stamp: Option<&'a Stamp>,
    ) -> Attempt<'a, E> {
        Attempt {
            no,
            known: known.to_vec(),
            moves,
            stamp,
            creates: false,
            is_refused: self.is_refused,
        }
    }

    /// The verdict on an update of a live item.
    fn updated(
        &self,
        no: u32,
        moves: &[Move<E>],
        equalities: &[(&'static str, E)],
        known: &[(&'static str, &E)],
        by_key: bool,
    ) -> Verdict<E> {
        let version = self.stored(no).and_then(Row::version);
        let stamp = self.stamp(version, Created::Kept);
        let stamp = Some(&stamp).filter(|_| !moves.is_empty());
        let attempt = self.attempt(no, known, moves, stamp);
        let verdict = match self.live(no) {
            None => Verdict::lost(ErrorKind::NotFound),
            Some(_) if !self.holds(no, equalities) => Verdict::lost(ErrorKind::Conflict),
            Some(row) => match row.after(moves, stamp) {
                None => Verdict::lost(ErrorKind::Conflict),
                Some(new) => {
                    let mut verdict = Verdict::leaves(Some(new));
                    if by_key && stamp.is_some() {
                        verdict = raised(row, verdict);
                    }
                    if by_key && lacks_text(row, &attempt) {
                        verdict.lost.push(ErrorKind::Conflict);
                    }
                    verdict
                }
            },
        };
        Verdict {
            refused: attempt.may_be_refused(),
            ..verdict
        }
    }

    pub(super) async fn upsert(&mut self, no: u32) -> Step {
        let all = self.rng.u32(0..100) < 60;
        let other = E::random(&mut self.rng, no);
        let mut moves = E::moves(&mut self.rng);
        moves.retain(|change| {
            !change.nested && (all || self.rng.bool() || E::REQUIRED.contains(&change.field))
        });
        let equalities = match self.rng.u32(0..100) {
            0..30 => self.equalities(no, &other),
            _ => Vec::new(),
        };
        self.say(format!(
            "{no}: upsert {:?} when {}",
            told(&moves),
            shown(&equalities)
        ));
        let mut upsert = other.key().upsert();
        for (field, of) in &equalities {
            upsert = upsert.when(|_| E::equals(field, of));
        }
        let upsert = upsert.apply(|_| changes(&mut moves));
        let result = upsert.send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let version = self.stored(no).and_then(Row::version);
        let stamp = self.stamp(version, Created::IfNone);
        let mut known: Vec<_> = E::KEY.iter().map(|field| (*field, &other)).collect();
        known.extend(equalities.iter().map(|(field, of)| (*field, of)));
        let attempt = Attempt {
            creates: true,
            ..self.attempt(no, &known, &moves, Some(&stamp))
        };
        let is_set = |field: &&str| moves.iter().any(|change| change.field == *field);
        let lacks = !E::CAN_UPSERT || !E::REQUIRED.iter().all(is_set);
        let refused = lacks || attempt.may_be_refused();
        let verdict = match self.stored(no) {
            _ if lacks => Verdict::refused(),
            // An upsert never reports that the row is missing: a row that has expired is a conflict.
            Some(row) if !row.is_live(self.now()) => Verdict::lost(ErrorKind::Conflict),
            _ if !self.holds(no, &equalities) => Verdict::lost(ErrorKind::Conflict),
            Some(row) => match upserted(row, &moves, &stamp) {
                Some(new) => raised(row, Verdict::leaves(Some(new))),
                None => Verdict::lost(ErrorKind::Conflict),
            },
            None => match Row::made(no, &moves, &stamp) {
                Some(new) => Verdict::leaves(Some(new)),
                None => Verdict::lost(ErrorKind::Conflict),
            },
        };
        let verdict = Verdict { refused, ..verdict };
        self.judge(no, result.map(Some), verdict).await
    }

    pub(super) async fn modify(&mut self, no: u32) -> Step {
        let moves = Arc::new(self.moves(3));
        self.say(format!("{no}: modify {:?}", told(&moves)));
        let key = E::random(&mut self.rng, no).key();
        let verdict = match self.live(no) {
            None => Verdict::lost(ErrorKind::NotFound),
            Some(row) => {
                let stamp = self.stamp(row.version(), Created::Kept);
                Verdict::leaves(Some(row.modified(&moves, &stamp)))
            }
        };
        let change = {
            let moves = moves.clone();
            move |entity: &mut E| apply_all(entity, &moves)
        };
        let result = key.modify(change).send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        self.judge(no, result.map(Some), verdict).await
    }

    pub(super) async fn touch(&mut self, no: u32) -> Step {
        self.say(format!("{no}: touch"));
        let other = E::random(&mut self.rng, no);
        let result = other.key().touch().send(&self.connection()).await;
        self.is_refused = is_refused(&result);
        let known: Vec<_> = E::KEY.iter().map(|field| (*field, &other)).collect();
        let stamp = self.stamp(self.stored(no).and_then(Row::version), Created::Kept);
        let attempt = self.attempt(no, &known, &[], Some(&stamp));
        let refused = attempt.may_be_refused();
        let verdict = match self.live(no) {
            None => Verdict::lost(ErrorKind::NotFound),
            Some(row) => {
                let mut verdict = raised(row, Verdict::leaves(row.after(&[], Some(&stamp))));
                if lacks_text(row, &attempt) {
                    verdict.lost.push(ErrorKind::Conflict);
                }
                verdict
            }
        };
        let verdict = Verdict { refused, ..verdict };
        self.judge(no, result.map(Some), verdict).await
    }

    pub(super) async fn delete(&mut self, no: u32) -> Step {
        let key = E::random(&mut self.rng, no).key();
        let db = self.connection();
        if self.rng.bool() {
            self.say(format!("{no}: delete if it exists"));
            let verdict = match self.live(no) {
                Some(_) => Verdict::leaves(None),
                None => Verdict::lost(ErrorKind::NotFound),
            };
            let result = key.delete().if_exists().send(&db).await;
            return self.judge(no, result.map(|()| None), verdict).await;
        }
        let Some((no, entity)) = self.rng.choice(&self.loaded).cloned() else {
            return Ok(());
        };
        self.say(format!("{no}: delete {entity:?}"));
        let verdict = match self.stored(no) {
            _ if E::version(&entity).is_none() => Verdict::leaves(None),
            Some(row) if unchanged(row, &entity) => Verdict::leaves(None),
            _ if self.live(no).is_none() => Verdict::lost(ErrorKind::NotFound),
            _ => Verdict::lost(ErrorKind::Conflict),
        };
        let result = entity.delete().send(&db).await;
        self.judge(no, result.map(|()| None), verdict).await
    }

    pub(super) async fn get(&mut self, no: u32) -> Step {
        self.say(format!("{no}: get"));
        let key = E::random(&mut self.rng, no).key();
        let found = key.get().consistent().send(&self.connection()).await;
        let found = found.map_err(|error| error.to_string())?;
        let live = self.live(no).map(|row| row.entity.clone());
        if found != live {
            return Err(format!("read {found:?}\n instead of {live:?}"));
        }
        if let Some(found) = found {
            self.remember(no, found);
        }
        Ok(())
    }
}

/// Whether the stored item still has the version that was loaded.
fn unchanged<E: Subject>(row: &Row<E>, entity: &E) -> bool {
    let same = row.version() == entity.version().and_then(|version| version.number());
    same && (entity.version().is_none() || entity.created() == row.entity.created())
}

/// The service cannot raise a version that another program stored as NULL. That takes a loaded entity.
fn raised<E: Subject>(row: &Row<E>, verdict: Verdict<E>) -> Verdict<E> {
    let version = E::ENTITY.version.and_then(|version| row.item.get(version));
    match version {
        Some(Value::Null) => Verdict {
            refused: verdict.refused,
            ..Verdict::lost(ErrorKind::Rejected)
        },
        _ => verdict,
    }
}

/// Whether the stored item has an empty text where the update may rely on a text that is not empty.
fn lacks_text<E: Subject>(row: &Row<E>, attempt: &Attempt<'_, E>) -> bool {
    let stored = fresh(&row.entity);
    let touched = E::GROUPS.iter().filter(|group| attempt.touches(group));
    touched.flat_map(|group| group.iter()).any(|field| {
        let value = stored
            .get(stored_name::<E>(field))
            .and_then(|value| value.as_text());
        E::TEXTS.contains(field) && value == Some("")
    })
}

/// The row after an upsert of an existing row. Its time of creation stays if it has one.
fn upserted<E: Subject>(row: &Row<E>, moves: &[Move<E>], stamp: &Stamp) -> Option<Row<E>> {
    let kept = Stamp {
        created: Created::Kept,
        ..stamp.clone()
    };
    let mut new = row.after(moves, Some(&kept))?;
    let mut created = new.entity.clone();
    created.stamp(stamp);
    let created = fresh(&created);
    let def = &E::ENTITY;
    for name in [def.created_at, def.created_by].into_iter().flatten() {
        if let Some(value) = created.get(name).filter(|_| !new.item.contains(name)) {
            new.item.insert(name, value.clone());
        }
    }
    // The fields of the key are written too, because another program may have left them out.
    for field in E::KEY {
        let known = E::ENTITY
            .attributes
            .iter()
            .find(|known| known.field == *field);
        if let Some(known) = known
            && let Some(value) = created.get(known.stored)
        {
            new.item.insert(known.stored, value.clone());
        }
    }
    Some(Row::read(new.item))
}

/// Takes the library's changes out of the moves, to be sent.
fn changes<E>(moves: &mut [Move<E>]) -> Vec<Change<E>> {
    moves
        .iter_mut()
        .filter_map(|change| change.change.take())
        .collect()
}

fn told<E>(moves: &[Move<E>]) -> Vec<String> {
    moves.iter().map(|change| change.value.clone()).collect()
}

fn shown<E: Subject>(equalities: &[(&'static str, E)]) -> String {
    let shown = equalities.iter().map(|(field, of)| {
        let value = fresh(of);
        format!("{field} = {:?}", value.get(stored_name::<E>(field)))
    });
    shown.collect::<Vec<_>>().join(", ")
}
