//! Operations on many rows: batches, transactions, jobs, and reads.

use dynamo_entity::RetryBudget;
use dynamo_entity::bulk::BulkReport;
use dynamo_entity::prelude::*;

use super::entities::{Member, Plain, Row, Tally};
use super::judge::{Effect, Forecast, Id, Step};
use super::weather::Traffic;
use super::worker::{NUMBERS, Worker};

/// How many rows a job writes at the same time.
pub const WRITES: usize = 2;
/// The budget is small, so that some calls give up.
pub const BUDGET: RetryBudget = RetryBudget::rounds(3);

impl Worker {
    pub async fn many(&mut self) -> Step {
        match self.rng.u32(0..16) {
            0..2 => self.batch().await,
            2..4 => self.transaction().await,
            4 => self.put_each().await,
            5 => self.update_each().await,
            6 => self.delete_each().await,
            7 => self.get().await,
            8 => self.get_many().await,
            9 => self.transact_get().await,
            10 => self.query().await,
            11 => self.scan().await,
            12 | 13 => self.touch_each().await,
            _ => self.member_job().await,
        }
    }

    /// Puts and deletes rows in a batch. What the batch did not write is sent again without faults, and then
    /// all of it is done.
    async fn batch(&mut self) -> Step {
        let mut fresh: Vec<(Plain, Row)> = (0..NUMBERS).map(|number| self.fresh(number)).collect();
        self.rng.shuffle(&mut fresh);
        let puts = self.rng.usize(0..=fresh.len());
        let (put, others) = fresh.split_at(puts);
        let deleted = &others[..others.len() / 2];
        let after = put
            .iter()
            .map(|(plain, row)| (Id::Plain(plain.number), Some(*row)));
        let gone = deleted
            .iter()
            .map(|(plain, _)| (Id::Plain(plain.number), None));
        let after: Vec<_> = after.chain(gone).collect();
        let batch = Batch::new()
            .with_all(put.iter().map(|(plain, _)| plain.put()))
            .with_all(deleted.iter().map(|(plain, _)| plain.key().delete()))
            .budget(BUDGET);
        self.expect("batch", Traffic::Batch);
        let sent = batch.send(&self.weather.db).await;
        let report = sent.map_err(|error| format!("a batch without a report: {error}"))?;
        self.let_late_requests_arrive().await;
        self.seen.note("batch", &report.complete());
        let counts = (report.done as usize, report.left.len(), report.errors.len());
        self.say(format!("done, left, errors: {counts:?} of {}", after.len()));
        if counts.0 + counts.1 != after.len() || (self.is_calm() && counts.1 > 0) {
            return Err(format!("{counts:?} of {} writes: {report:?}", after.len()));
        }
        let mut done = 0;
        for (id, row) in &after {
            let found = self.stored(*id).await;
            if found != *row && found != self.row(*id) {
                return Err(format!("{id:?} is {found:?}, and was never to be"));
            }
            done += usize::from(found == *row);
        }
        if done < counts.0 {
            return Err(format!(
                "{done} writes took effect, and {} were acknowledged",
                counts.0
            ));
        }
        let rest = report.left.send(&self.db).await;
        let rest = rest.and_then(|report| report.complete());
        rest.map_err(|error| format!("what was left: {error}"))?;
        for (id, row) in &after {
            let found = self.stored(*id).await;
            if found != *row {
                return Err(format!("{id:?} is {found:?} instead of {row:?}, after all"));
            }
        }
        self.learn(after);
        Ok(())
    }

    /// A transaction over three tables, which does everything or nothing.
    async fn transaction(&mut self) -> Step {
        let raised = self.likely(Id::Plain, true);
        let created = self.likely(Id::Plain, false);
        let checked = self.likely(Id::Plain, true);
        if created == raised || checked == raised || checked == created {
            // A transaction takes only one operation per item.
            return Ok(());
        }
        let member = self.likely(Id::Member, true);
        let ids = [
            Id::Plain(raised),
            Id::Plain(created),
            Id::Member(member),
            Id::Plain(checked),
        ];
        let [raised_row, created_row, member_row, checked_row] = ids.map(|id| self.row(id));
        let (fresh, fresh_row) = self.fresh(created);
        let text = self.text();
        let fits = created_row.is_none() && checked_row.is_some();
        let forecast = match (raised_row, member_row) {
            (Some(raised), Some(member)) if fits => Forecast::all([
                (
                    ids[0],
                    Some(Row {
                        count: raised.count + 1,
                        ..raised
                    }),
                ),
                (ids[1], Some(fresh_row)),
                (
                    ids[2],
                    Some(Row {
                        text,
                        version: member.version.map(|version| version + 1),
                        ..member
                    }),
                ),
                (ids[3], checked_row),
            ]),
            _ => Forecast {
                about: ids.to_vec(),
                ..Forecast::refused(ids[0], [ErrorKind::NotFound, ErrorKind::AlreadyExists])
            },
        };
        self.expect("transaction", Traffic::Transaction(5));
        let transaction = Transaction::new()
            .with(self.plain_key(raised).update().apply(|p| p.count().add(1)))
            .with(fresh.create())
            .with(
                self.member_key(member)
                    .update()
                    .apply(|m| m.text().set(text)),
            )
            .with(self.plain_key(checked).check().if_exists())
            .with(Tally::key(0).update().apply(|t| t.count().add(1)));
        let result = transaction.send(&self.weather.db).await;
        let effect = self.judge("transaction", forecast, result).await?;
        self.raises(effect);
        Ok(())
    }

    /// A number whose row exists, or does not, as asked. After eight tries it takes any number.
    fn likely(&mut self, id: fn(u32) -> Id, is_there: bool) -> u32 {
        for _ in 0..8 {
            let number = self.number();
            if self.row(id(number)).is_some() == is_there {
                return number;
            }
        }
        self.number()
    }

    async fn put_each(&mut self) -> Step {
        let fresh: Vec<(Plain, Row)> = (0..NUMBERS).map(|number| self.fresh(number)).collect();
        let after = fresh
            .iter()
            .map(|(plain, row)| (Id::Plain(plain.number), Some(*row)))
            .collect();
        self.expect("put_each", Traffic::Writes);
        let creates = fresh.iter().map(|(plain, _)| plain.create());
        let result = put_each(creates)
            .budget(BUDGET)
            .concurrency(WRITES)
            .send(&self.weather.db)
            .await;
        self.judge_job("put_each", after, result).await
    }

    async fn update_each(&mut self) -> Step {
        let own = (0..NUMBERS).filter_map(|number| {
            let row = self.row(Id::Plain(number))?;
            Some((
                Id::Plain(number),
                Some(Row {
                    count: row.count + 1,
                    ..row
                }),
            ))
        });
        let after = own.collect();
        self.expect("update_each", Traffic::Writes);
        let job =
            Plain::in_partition(self.task).update_each(|p| p.update().apply(|p| p.count().add(1)));
        let result = job
            .budget(BUDGET)
            .concurrency(WRITES)
            .send(&self.weather.db)
            .await;
        self.judge_job("update_each", after, result).await
    }

    async fn delete_each(&mut self) -> Step {
        let own = (0..NUMBERS).filter(|number| self.row(Id::Plain(*number)).is_some());
        let after = own.map(|number| (Id::Plain(number), None)).collect();
        self.expect("delete_each", Traffic::Writes);
        let job = Plain::in_partition(self.task).delete_each();
        let result = job
            .budget(BUDGET)
            .concurrency(WRITES)
            .send(&self.weather.db)
            .await;
        self.judge_job("delete_each", after, result).await
    }

    /// Sends rows through the stream again: nothing but the mark of each changes, and all marks are of one run.
    async fn touch_each(&mut self) -> Step {
        let (name, id): (_, fn(u32) -> Id) = match self.rng.bool() {
            true => ("touch_each", Id::Plain),
            false => ("unique, touch_each", Id::Member),
        };
        self.expect(name, Traffic::Writes);
        let job = match name {
            "touch_each" => Plain::in_partition(self.task).consistent().touch_each(),
            _ => Member::in_partition(self.task).consistent().touch_each(),
        };
        let job = job.budget(BUDGET).concurrency(WRITES);
        let result = job.send(&self.weather.db).await;
        self.let_late_requests_arrive().await;
        let mut run = None;
        for id in (0..NUMBERS).map(id) {
            let mark = self.stored(id).await.and_then(|row| row.mark);
            if mark != self.row(id).and_then(|row| row.mark) {
                run = mark;
            }
        }
        let own = (0..NUMBERS).map(id).filter_map(|id| {
            let row = self.row(id)?;
            let mark = run.or(row.mark);
            Some((id, Some(Row { mark, ..row })))
        });
        let after = own.collect();
        self.judge_job(name, after, result).await
    }

    /// Each row is changed once or not at all. As many rows are changed as the report says, plus at most
    /// those of unknown outcome and those in doubt.
    pub async fn judge_job(
        &mut self,
        name: &'static str,
        after: Vec<(Id, Option<Row>)>,
        result: Result<BulkReport>,
    ) -> Step {
        let report = result.map_err(|error| format!("a job without a report: {error}"))?;
        self.let_late_requests_arrive().await;
        let unknown = report.errors().iter();
        let unknown = unknown
            .filter(|row| row.error().is_outcome_unknown())
            .count() as u64;
        self.say(format!("{report:?}"));
        let (written, stopped) = (report.written, report.stopped().is_some());
        let failed = report.failed;
        let in_doubt = report.in_doubt().len();
        self.seen.note(name, &report.complete());
        let mut found = Vec::new();
        let mut changed = 0;
        for (id, row) in &after {
            let stored = self.stored(*id).await;
            if stored != self.row(*id) {
                if stored != *row {
                    return Err(format!("{id:?} is {stored:?} instead of {row:?}"));
                }
                changed += 1;
            }
            found.push((*id, stored));
        }
        if in_doubt > WRITES || (in_doubt > 0 && !stopped) {
            return Err(format!("{in_doubt} rows in doubt"));
        }
        if !(written..=written + unknown + in_doubt as u64).contains(&changed) {
            return Err(format!(
                "{changed} rows are changed: {written} written, {unknown} unknown, {in_doubt} in doubt"
            ));
        }
        // A create of an existing row is refused with faults and without.
        let may_fail = name == "put_each" && after.iter().any(|(id, _)| self.row(*id).is_some());
        if self.is_calm() && (stopped || (failed > 0 && !may_fail)) {
            return Err("failed in calm weather".to_owned());
        }
        self.learn(found);
        Ok(())
    }

    fn plain_now(&self, number: u32) -> Option<Row> {
        self.row(Id::Plain(number)).map(Row::without_mark)
    }

    fn member_now(&self, number: u32) -> Option<Row> {
        self.row(Id::Member(number)).map(Row::without_mark)
    }

    /// A read that succeeded returned exactly the rows that are stored.
    async fn judge_read<T: PartialEq + std::fmt::Debug>(
        &mut self,
        name: &'static str,
        result: Result<T>,
        there: T,
    ) -> Step {
        let mut forecast = Forecast::all([]);
        if !self.is_calm() {
            // The answer may have been cut short.
            forecast = forecast.or(ErrorKind::Decode);
        }
        let read = result.as_ref().ok().is_none_or(|read| *read == there);
        if !read {
            return Err(format!("{name}: read {result:?}\n instead of {there:?}"));
        }
        match self.judge(name, forecast, result).await? {
            Effect::Either => Err(format!("{name}: a read of unknown outcome")),
            _ => Ok(()),
        }
    }

    async fn get(&mut self) -> Step {
        let number = self.number();
        self.expect("get", Traffic::Reads);
        let get = self.member_key(number).get().consistent();
        let result = get.send(&self.weather.db).await;
        let result = result.map(|found| found.as_ref().map(Row::from));
        self.judge_read("get", result, self.member_now(number))
            .await
    }

    async fn get_many(&mut self) -> Step {
        let numbers: Vec<u32> = (0..8).map(|_| self.number()).collect();
        let there = numbers
            .iter()
            .map(|number| self.plain_now(*number))
            .collect();
        let keys: Vec<_> = numbers
            .iter()
            .map(|number| self.plain_key(*number))
            .collect();
        self.expect("get_many", Traffic::Batch);
        let many = Plain::get_many(keys).consistent().budget(BUDGET);
        let result = many.send(&self.weather.db).await.map(|found| {
            let rows = found.iter().map(|plain| plain.as_ref().map(Row::from));
            rows.collect::<Vec<_>>()
        });
        self.judge_read("get_many", result, there).await
    }

    async fn transact_get(&mut self) -> Step {
        let (plain, member) = (self.number(), self.number());
        let there = (self.plain_now(plain), self.member_now(member));
        let reads = (self.plain_key(plain).get(), self.member_key(member).get());
        let rows = |(plain, member): (Option<Plain>, Option<Member>)| {
            (
                plain.as_ref().map(Row::from),
                member.as_ref().map(Row::from),
            )
        };
        if self.rng.bool() {
            self.expect("transact_get", Traffic::Transaction(2));
            let result = transact_get(reads).send(&self.weather.db).await;
            self.judge_read("transact_get", result.map(rows), there)
                .await
        } else {
            self.expect("batch_get", Traffic::Batch);
            let reads = (reads.0.consistent(), reads.1.consistent());
            let result = batch_get(reads).budget(BUDGET).send(&self.weather.db).await;
            self.judge_read("batch_get", result.map(rows), there).await
        }
    }

    async fn query(&mut self) -> Step {
        let there: Vec<Row> = (0..NUMBERS)
            .filter_map(|number| self.plain_now(number))
            .collect();
        let query = Plain::in_partition(self.task).consistent().page_size(2);
        if self.rng.bool() {
            self.expect("query, all", Traffic::Reads);
            let result = query.all(&self.weather.db).await;
            let result = result.map(|rows| rows.iter().map(Row::from).collect());
            return self.judge_read("query, all", result, there).await;
        }
        self.expect("query, pages", Traffic::Reads);
        let mut rows = Vec::new();
        let mut cursor = None;
        let result = loop {
            let page = query.clone().resume(cursor).limit(2).page(&self.weather.db);
            match page.await {
                Ok(page) => {
                    rows.extend(page.rows.iter().map(Row::from));
                    cursor = page.next;
                }
                Err(error) => break Err(error),
            }
            if cursor.is_none() {
                break Ok(rows);
            }
        };
        self.judge_read("query, pages", result, there).await
    }

    /// Scans a table that other tasks write to as a stream, often in segments. After an error it goes on from
    /// its cursor.
    async fn scan(&mut self) -> Step {
        let there: Vec<Row> = (0..NUMBERS)
            .filter_map(|number| self.member_now(number))
            .collect();
        self.expect("scan, stream", Traffic::Reads);
        let scan = Member::scan().consistent().page_size(7);
        let scan = match self.rng.usize(0..6) {
            0 => scan,
            segments => scan.segments(segments),
        };
        let mut stream = scan.clone().stream(&self.weather.db);
        let (mut rows, mut breaks) = (Vec::new(), 0);
        let result = loop {
            match stream.next().await {
                Some(Ok(member)) if member.worker == self.task => rows.push(member),
                Some(Ok(_)) => {}
                Some(Err(error)) if breaks == 3 => break Err(error),
                Some(Err(_)) => {
                    breaks += 1;
                    let place = stream.cursor().map_err(|error| error.to_string())?;
                    stream = scan.clone().resume(place).stream(&self.weather.db);
                }
                None => {
                    rows.sort_by_key(|member| member.number);
                    break Ok(rows.iter().map(Row::from).collect());
                }
            }
        };
        self.judge_read("scan, stream", result, there).await
    }
}
