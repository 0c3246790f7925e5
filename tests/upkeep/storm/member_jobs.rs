//! Jobs on rows with a version and a unique value. Each write of such a row is a transaction.

use dynamo_entity::Bulk;
use dynamo_entity::bulk::BulkReport;
use dynamo_entity::prelude::*;

use super::entities::{Member, Row};
use super::judge::{Id, Step};
use super::many::{BUDGET, WRITES};
use super::weather::Traffic;
use super::worker::{NUMBERS, Worker};

impl Worker {
    pub async fn member_job(&mut self) -> Step {
        match self.rng.u32(0..3) {
            0 => self.update_members().await,
            1 => self.put_members().await,
            _ => self.delete_members().await,
        }
    }

    /// The rows of the task with new values, which no other write uses.
    fn renewed(&mut self) -> Vec<(u32, Row)> {
        let turn = 20 + 10 * self.rng.u32(0..3);
        let first = self.task * 100 + turn;
        let rows = (0..NUMBERS).filter_map(|number| {
            let row = self.row(Id::Member(number))?;
            let renewed = Row {
                badge: Some(first + number),
                count: row.count + 1,
                version: row.version.map(|version| version + 1),
                ..row
            };
            Some((number, renewed))
        });
        rows.collect()
    }

    async fn update_members(&mut self) -> Step {
        let after = self.renewed();
        let badge_of = |number| {
            let row = after.iter().find(|(known, _)| *known == number);
            row.and_then(|(_, row)| row.badge).unwrap_or_default()
        };
        self.expect("unique, update_each", Traffic::Transaction(0));
        let job = Member::in_partition(self.task)
            .consistent()
            .update_each(|m| {
                let badge = badge_of(m.number);
                m.update()
                    .apply(|m| (m.badge().set(badge), m.count().add(1)))
            });
        let result = self.run_job(job).await;
        let after = after.into_iter();
        let after = after.map(|(number, row)| (Id::Member(number), Some(row)));
        self.judge_job("unique, update_each", after.collect(), result)
            .await
    }

    async fn put_members(&mut self) -> Step {
        let mut members = Vec::new();
        let mut after = Vec::new();
        for (number, row) in self.renewed() {
            let loaded = Member::key(self.task, number).get().consistent();
            let loaded = loaded
                .send(&self.db)
                .await
                .map_err(|error| error.to_string())?;
            members.push(Member {
                badge: row.badge,
                count: row.count,
                ..loaded.ok_or("the row is gone")?
            });
            after.push((Id::Member(number), Some(row.without_mark())));
        }
        self.expect("unique, put_each", Traffic::Transaction(0));
        let job = put_each(members.iter().map(Member::put));
        let result = self.run_job(job).await;
        self.judge_job("unique, put_each", after, result).await
    }

    async fn delete_members(&mut self) -> Step {
        let own = (0..NUMBERS).filter(|number| self.row(Id::Member(*number)).is_some());
        let after = own.map(|number| (Id::Member(number), None)).collect();
        self.expect("unique, delete_each", Traffic::Transaction(0));
        let job = Member::in_partition(self.task).consistent().delete_each();
        let result = self.run_job(job).await;
        self.judge_job("unique, delete_each", after, result).await
    }

    async fn run_job(&self, job: Bulk<'_>) -> Result<BulkReport> {
        let job = job.budget(BUDGET).concurrency(WRITES);
        job.send(&self.weather.db).await
    }
}
