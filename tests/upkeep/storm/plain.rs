//! Writes of single rows that have no version.

use dynamo_entity::prelude::*;

use super::entities::{Plain, Row, Tally};
use super::judge::{Effect, Forecast, Id, Step};
use super::weather::Traffic;
use super::worker::Worker;

impl Worker {
    pub async fn plain(&mut self) -> Step {
        match self.rng.u32(0..16) {
            0 => self.create(false).await,
            1 => self.create(true).await,
            2..4 => self.put().await,
            4 => self.put_if_exists().await,
            5..7 => self.add().await,
            7..9 => self.add_idempotently().await,
            9 => self.set_repeatably().await,
            10 => self.modify().await,
            11 => self.upsert().await,
            12 => self.touch().await,
            13 => self.delete().await,
            14 => self.delete_if_exists().await,
            _ => self.raise_tally().await,
        }
    }

    /// An entity with new values, and the row that the model keeps for it.
    pub fn fresh(&mut self, number: u32) -> (Plain, Row) {
        let plain = Plain {
            worker: self.task,
            number,
            count: self.rng.u64(0..1_000),
            text: self.text(),
        };
        let row = Row::from(&plain);
        (plain, row)
    }

    /// The row with its count raised by one.
    fn raised(&self, id: Id) -> Option<Row> {
        let row = self.row(id)?;
        Some(Row {
            count: row.count + 1,
            ..row
        })
    }

    async fn create(&mut self, is_idempotent: bool) -> Step {
        let number = self.number();
        let (plain, row) = self.fresh(number);
        let id = Id::Plain(number);
        let forecast = match self.row(id) {
            None => Forecast::leaves(id, Some(row)),
            Some(_) => Forecast::refused(id, [ErrorKind::AlreadyExists]),
        };
        let (name, result) = if is_idempotent {
            self.expect("create, idempotent", Traffic::Transaction(1));
            (
                "create, idempotent",
                plain.create().idempotent().send(&self.weather.db).await,
            )
        } else if self.rng.bool() {
            self.expect("create, repeatable", Traffic::Writes);
            let result = plain.create().retry_safe().send(&self.weather.db).await;
            ("create, repeatable", result.map(drop))
        } else {
            self.expect("create", Traffic::Writes);
            (
                "create",
                plain.create().send(&self.weather.db).await.map(drop),
            )
        };
        self.judge(name, forecast, result).await.map(drop)
    }

    async fn put(&mut self) -> Step {
        let number = self.number();
        let (plain, row) = self.fresh(number);
        self.expect("put", Traffic::Writes);
        let result = plain.put().send(&self.weather.db).await;
        let forecast = Forecast::leaves(Id::Plain(number), Some(row)).resent();
        self.judge("put", forecast, result).await.map(drop)
    }

    async fn put_if_exists(&mut self) -> Step {
        let number = self.number();
        let (plain, row) = self.fresh(number);
        self.expect("put, if it exists", Traffic::Writes);
        let result = plain.put().if_exists().send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.row(id).map(|_| row));
        self.judge("put, if it exists", forecast, result)
            .await
            .map(drop)
    }

    async fn add(&mut self) -> Step {
        let number = self.number();
        self.expect("update", Traffic::Writes);
        let add = self.plain_key(number).update().apply(|p| p.count().add(1));
        let result = add.send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.raised(id));
        self.judge("update", forecast, result).await.map(drop)
    }

    async fn add_idempotently(&mut self) -> Step {
        let number = self.number();
        self.expect("update, idempotent", Traffic::Transaction(1));
        let add = self.plain_key(number).update().apply(|p| p.count().add(1));
        let result = add.idempotent().send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.raised(id));
        self.judge("update, idempotent", forecast, result)
            .await
            .map(drop)
    }

    async fn set_repeatably(&mut self) -> Step {
        let (number, text) = (self.number(), self.text());
        self.expect("update, repeatable", Traffic::Writes);
        let set = self
            .plain_key(number)
            .update()
            .apply(|p| p.text().set(text));
        let result = set.retry_safe().send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.row(id).map(|row| Row { text, ..row }));
        self.judge("update, repeatable", forecast, result)
            .await
            .map(drop)
    }

    async fn modify(&mut self) -> Step {
        let number = self.number();
        self.expect("modify", Traffic::Writes);
        let modify = self.plain_key(number).modify(|p| p.count += 1);
        let result = modify.send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.raised(id));
        self.judge("modify", forecast, result).await.map(drop)
    }

    async fn upsert(&mut self) -> Step {
        let number = self.number();
        let (_, row) = self.fresh(number);
        self.expect("upsert", Traffic::Writes);
        let upsert = self.plain_key(number).upsert();
        let upsert = upsert.apply(|p| (p.count().set(row.count), p.text().set(row.text)));
        let result = upsert.send(&self.weather.db).await;
        let id = Id::Plain(number);
        let mark = self.row(id).and_then(|row| row.mark);
        let forecast = Forecast::leaves(id, Some(Row { mark, ..row }));
        self.judge("upsert", forecast, result).await.map(drop)
    }

    async fn touch(&mut self) -> Step {
        let number = self.number();
        self.expect("touch", Traffic::Writes);
        let result = self.plain_key(number).touch().send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = Forecast::change(id, self.row(id));
        self.judge("touch", forecast, result).await.map(drop)
    }

    async fn delete(&mut self) -> Step {
        let number = self.number();
        self.expect("delete", Traffic::Writes);
        let result = self.plain_key(number).delete().send(&self.weather.db).await;
        let forecast = Forecast::leaves(Id::Plain(number), None).resent();
        self.judge("delete", forecast, result).await.map(drop)
    }

    async fn delete_if_exists(&mut self) -> Step {
        let number = self.number();
        self.expect("delete, if it exists", Traffic::Writes);
        let delete = self.plain_key(number).delete().if_exists();
        let result = delete.send(&self.weather.db).await;
        let id = Id::Plain(number);
        let forecast = match self.row(id) {
            Some(_) => Forecast::leaves(id, None),
            None => Forecast::refused(id, [ErrorKind::NotFound]),
        };
        self.judge("delete, if it exists", forecast, result)
            .await
            .map(drop)
    }

    /// Adds to the sum that all tasks share, while other tasks may add to it too.
    async fn raise_tally(&mut self) -> Step {
        let (name, result) = match self.rng.u32(0..3) {
            0 => {
                self.expect("shared sum, update", Traffic::Writes);
                let add = Tally::key(0).update().apply(|t| t.count().add(1));
                let result = add.send(&self.weather.db).await;
                ("shared sum, update", result.map(drop))
            }
            1 => {
                self.expect("shared sum, idempotent", Traffic::Transaction(1));
                let add = Tally::key(0).update().apply(|t| t.count().add(1));
                let result = add.idempotent().send(&self.weather.db).await;
                ("shared sum, idempotent", result)
            }
            _ => {
                self.expect("shared sum, modify", Traffic::Writes);
                let result = Tally::key(0).modify(|t| t.count += 1);
                (
                    "shared sum, modify",
                    result.send(&self.weather.db).await.map(drop),
                )
            }
        };
        // `modify` gives up if too many other writers come in between.
        let forecast = Forecast::all([]).or(ErrorKind::Conflict);
        let effect = self.judge(name, forecast, result).await?;
        self.raises(effect);
        Ok(())
    }

    pub fn raises(&self, effect: Effect) {
        match effect {
            Effect::Once => self.shared.raised(),
            Effect::Either => self.shared.perhaps_raised(),
            Effect::None => {}
        }
    }
}
