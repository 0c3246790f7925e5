//! Writes of rows with a version and a unique value. All tasks compete for some of the values.

use dynamo_entity::prelude::*;

use super::entities::{Member, Row};
use super::judge::{Forecast, Id, Step};
use super::weather::Traffic;
use super::worker::Worker;

/// All tasks compete for values from here on. Each value below belongs to one task.
const SHARED: u32 = 1_000_000;

impl Worker {
    pub async fn member(&mut self) -> Step {
        let number = self.number();
        let Some(row) = self.row(Id::Member(number)) else {
            return match self.rng.u32(0..8) {
                0 => self.change_what_is_not_there(number).await,
                _ => self.create_member(number).await,
            };
        };
        match self.rng.u32(0..9) {
            0 => self.create_member(number).await,
            1..3 => self.put_member(number, row).await,
            3..5 => self.update_member(number, row).await,
            5 => self.modify_member(number, row).await,
            6 => self.update_member_by_key(number, row).await,
            7 => self.write_what_is_outdated(number, row).await,
            _ => self.delete_member(number).await,
        }
    }

    fn badge(&mut self) -> Option<u32> {
        match self.rng.u32(0..5) {
            0 => None,
            1 | 2 => Some(SHARED + self.rng.u32(0..6)),
            _ => Some(self.task * 100 + self.rng.u32(0..5)),
        }
    }

    /// The forecast of a row that takes a value: it is refused if another row of the task has the value, and
    /// may be refused if a row of another task can have it.
    fn taking(&self, id: Id, row: Row) -> Forecast {
        let held = self.row(id).and_then(|row| row.badge);
        let mut others = self.world.iter().filter(|(other, _)| **other != id);
        let is_ours = row.badge.is_some() && others.any(|(_, other)| other.badge == row.badge);
        match row.badge {
            Some(_) if is_ours => Forecast::refused(id, [ErrorKind::UniqueViolation]),
            Some(badge) if badge >= SHARED && held != row.badge => {
                Forecast::leaves(id, Some(row)).or(ErrorKind::UniqueViolation)
            }
            _ => Forecast::leaves(id, Some(row)),
        }
    }

    async fn loaded(&self, number: u32) -> Result<Member, String> {
        let get = self.member_key(number).get().consistent().send(&self.db);
        let found = get.await.map_err(|error| error.to_string())?;
        found.ok_or_else(|| "the row is gone".to_owned())
    }

    async fn create_member(&mut self, number: u32) -> Step {
        let member = Member {
            worker: self.task,
            number,
            count: 0,
            text: self.text(),
            badge: self.badge(),
            version: Version::default(),
        };
        let id = Id::Member(number);
        let row = Row {
            version: Some(1),
            ..Row::from(&member)
        };
        let forecast = match self.row(id) {
            None => self.taking(id, row),
            Some(_) => {
                Forecast::refused(id, [ErrorKind::AlreadyExists, ErrorKind::UniqueViolation])
            }
        };
        self.expect("unique, create", Traffic::Transaction(0));
        let result = member.create().send(&self.weather.db).await;
        self.judge("unique, create", forecast, result)
            .await
            .map(drop)
    }

    async fn put_member(&mut self, number: u32, row: Row) -> Step {
        let mut member = self.loaded(number).await?;
        member.badge = self.badge();
        member.text = self.text();
        let row = Row {
            version: row.version.map(|version| version + 1),
            ..Row::from(&member)
        };
        let forecast = self.taking(Id::Member(number), row);
        self.expect("unique, put", Traffic::Transaction(0));
        let result = member.put().send(&self.weather.db).await;
        self.judge("unique, put", forecast, result).await.map(drop)
    }

    async fn update_member(&mut self, number: u32, row: Row) -> Step {
        let member = self.loaded(number).await?;
        let badge = self.badge();
        let row = Row {
            badge,
            count: row.count + 1,
            version: row.version.map(|version| version + 1),
            ..row
        };
        let forecast = self.taking(Id::Member(number), row);
        self.expect("unique, update", Traffic::Transaction(0));
        let update = member.update();
        let update = update.apply(|m| (m.badge().set_or_remove(badge), m.count().add(1)));
        let result = update.send(&self.weather.db).await;
        self.judge("unique, update", forecast, result)
            .await
            .map(drop)
    }

    async fn modify_member(&mut self, number: u32, row: Row) -> Step {
        let badge = self.badge();
        let row = Row {
            badge,
            count: row.count + 1,
            version: row.version.map(|version| version + 1),
            ..row
        };
        let forecast = self.taking(Id::Member(number), row);
        self.expect("unique, modify", Traffic::Transaction(0));
        let modify = self.member_key(number).modify(move |m| {
            m.badge = badge;
            m.count += 1;
        });
        let result = modify.send(&self.weather.db).await;
        self.judge("unique, modify", forecast, result)
            .await
            .map(drop)
    }

    /// Updates another field than the unique value, which takes a single write and no transaction.
    async fn update_member_by_key(&mut self, number: u32, row: Row) -> Step {
        let row = Row {
            count: row.count + 1,
            version: row.version.map(|version| version + 1),
            ..row
        };
        self.expect("version, update by key", Traffic::Writes);
        let update = self.member_key(number).update().apply(|m| m.count().add(1));
        let result = update.send(&self.weather.db).await;
        let forecast = Forecast::leaves(Id::Member(number), Some(row));
        self.judge("version, update by key", forecast, result)
            .await
            .map(drop)
    }

    /// Loads a row and writes it after another writer has changed it.
    async fn write_what_is_outdated(&mut self, number: u32, row: Row) -> Step {
        let mut member = self.loaded(number).await?;
        let key = self.member_key(number);
        let other = key
            .update()
            .apply(|m| m.count().add(1))
            .send(&self.db)
            .await;
        other.map_err(|error| error.to_string())?;
        let id = Id::Member(number);
        let newer = Row {
            count: row.count + 1,
            version: row.version.map(|version| version + 1),
            ..row
        };
        self.learn(vec![(id, Some(newer))]);
        member.text = self.text();
        let forecast = Forecast::refused(id, [ErrorKind::Conflict]);
        if self.rng.bool() {
            self.expect("outdated put", Traffic::Transaction(0));
            let result = member.put().send(&self.weather.db).await;
            self.judge("outdated put", forecast, result).await.map(drop)
        } else {
            self.expect("outdated delete", Traffic::Transaction(0));
            let result = member.delete().send(&self.weather.db).await;
            self.judge("outdated delete", forecast, result)
                .await
                .map(drop)
        }
    }

    async fn change_what_is_not_there(&mut self, number: u32) -> Step {
        let badge = self.badge();
        self.expect("unique, modify nothing", Traffic::Transaction(0));
        let modify = self.member_key(number).modify(move |m| m.badge = badge);
        let result = modify.send(&self.weather.db).await;
        let forecast = Forecast::refused(Id::Member(number), [ErrorKind::NotFound]);
        self.judge("unique, modify nothing", forecast, result)
            .await
            .map(drop)
    }

    async fn delete_member(&mut self, number: u32) -> Step {
        let forecast = Forecast::leaves(Id::Member(number), None);
        if self.rng.bool() {
            let member = self.loaded(number).await?;
            self.expect("unique, delete", Traffic::Transaction(0));
            let result = member.delete().send(&self.weather.db).await;
            self.judge("unique, delete", forecast, result)
                .await
                .map(drop)
        } else {
            self.expect("unique, delete by key", Traffic::Transaction(0));
            let result = self
                .member_key(number)
                .delete()
                .send(&self.weather.db)
                .await;
            self.judge("unique, delete by key", forecast, result)
                .await
                .map(drop)
        }
    }
}
