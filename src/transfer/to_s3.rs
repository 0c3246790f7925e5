//! Exports to S3, which DynamoDB runs itself: the request, and the checks before it is sent.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::ops::Range;
use std::pin::Pin;
use std::time::Duration;

use super::export::ExportedRow;
use super::s3_status::S3ExportStatus;
use crate::clock::{Moment, Timestamp};
use crate::codec::Item;
use crate::dynamo::Dynamo;
use crate::entity::DynamoEntity;
use crate::error::{Error, ErrorKind, Remedy, Result, Stage};
use crate::expr::{Condition, Expression, Node};
use crate::query::{Query, QueryExt, WholeTable};
use crate::schema::TableSchema;
use crate::wire::table::{
    self as service, ExportEncryption, ExportFilter, ExportOrder, ExportWindow,
};

/// The shortest and the longest time of an incremental export.
const WINDOWS: Range<Duration> = Duration::from_secs(15 * 60)..Duration::from_secs(24 * 3_600);
/// The limits of the service for names in S3, in bytes.
const LONGEST_BUCKET: usize = 255;
const LONGEST_PREFIX: usize = 1_024;
/// The longest time that point-in-time recovery keeps.
const RECOVERY: Duration = Duration::from_secs(35 * 86_400);

impl Dynamo {
    /// Starts an export of a table to S3, which DynamoDB runs itself: it consumes no read units and does not slow the
    /// table down. See [the guide](crate::guide::analytics) for the files and for engines that query them.
    ///
    /// It needs point-in-time recovery of the table, and the permissions `dynamodb:ExportTableToPointInTime`,
    /// `dynamodb:DescribeTable` and `s3:PutObject`. No local engine has the operation.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = id))]
    /// struct Order { id: u32, total: u64 }
    ///
    /// # async fn run(db: Dynamo) -> Result<()> {
    /// let export = db
    ///     .export_to_s3(Order::schema())
    ///     .bucket("shop-exports")
    ///     .only::<Order>(|o| o.total().ge(100))
    ///     .await?;
    /// let done = db.s3_export(&export.arn).wait().await?;
    /// println!("{:?} items in {:?}", done.items, done.data_folder());
    /// # Ok(()) }
    /// ```
    pub fn export_to_s3(&self, schema: TableSchema) -> S3Export {
        S3Export {
            db: self.clone(),
            schema,
            order: ExportOrder::default(),
            rows: Vec::new(),
            time: None,
            has_two_times: false,
        }
    }
}

/// An export to S3 that is not started yet: await it; see [`Dynamo::export_to_s3`].
#[must_use = "nothing is started until it is awaited"]
pub struct S3Export {
    db: Dynamo,
    schema: TableSchema,
    order: ExportOrder,
    /// The conditions for the exported rows; none if all are exported.
    rows: Vec<RowCondition>,
    time: Option<ExportTime>,
    /// Whether a second time replaced the first one.
    has_two_times: bool,
}

/// The rows of a scan.
struct RowCondition {
    table: &'static str,
    entity: &'static str,
    /// The condition, or the reason why the scan has none.
    node: Result<Node>,
}

#[derive(Debug, Clone, Copy)]
enum ExportTime {
    At(Timestamp),
    Changes(Timestamp, Option<Timestamp>),
}

impl S3Export {
    /// The bucket, which must exist.
    pub fn bucket(mut self, name: impl Into<String>) -> Self {
        self.order.bucket = name.into();
        self
    }

    /// The account of the bucket, if it is another one.
    pub fn bucket_owner(mut self, account: impl Into<String>) -> Self {
        self.order.bucket_owner = Some(account.into());
        self
    }

    /// The prefix of the files: they begin with `PREFIX/AWSDynamoDB/ID/`. Slashes around it are removed, as in the
    /// policy of `allow_export_to_s3`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        let trimmed = prefix.trim_matches('/');
        self.order.prefix = (!trimmed.is_empty()).then(|| trimmed.to_owned());
        self
    }

    /// Encrypts the files with the key of S3 (`AES256`).
    pub fn s3_key(mut self) -> Self {
        self.order.encryption = Some(ExportEncryption::OfS3);
        self
    }

    /// Encrypts the files with this key of KMS.
    pub fn kms_key(mut self, id: impl Into<String>) -> Self {
        self.order.encryption = Some(ExportEncryption::Key(id.into()));
        self
    }

    /// Writes Amazon Ion instead of DynamoDB JSON. This library does not read it.
    pub fn ion(mut self) -> Self {
        self.order.is_ion = true;
        self
    }

    /// Exports the table as it was at this time, within the days that point-in-time recovery keeps; by default, as it
    /// is now. Fractions of a second are dropped. The latest time of point-in-time recovery is usually five minutes ago, and
    /// DynamoDB rejects a later one.
    pub fn at(self, time: impl Moment) -> Self {
        self.with_time(ExportTime::At(time.to_timestamp()))
    }

    fn with_time(mut self, time: ExportTime) -> Self {
        self.has_two_times |= self.time.is_some();
        self.time = Some(time);
        self
    }

    /// Exports only the items that changed in this time, of 15 minutes to 24 hours: an incremental export. The end is
    /// not included, so that the next export can begin with it. It must be some minutes ago, as for [`at`](Self::at).
    ///
    /// The files have the state of an item at the begin and at the end, not each change in between: an item that was
    /// created and deleted in this time is not in them.
    pub fn changes(self, time: Range<impl Moment>) -> Self {
        let (from, to) = (time.start.to_timestamp(), time.end.to_timestamp());
        self.with_time(ExportTime::Changes(from, Some(to)))
    }

    /// Exports only the items that changed since this time, until the latest time that point-in-time recovery has, which
    /// is usually five minutes ago. The next export begins with [`state_time`](S3ExportStatus::state_time) of this one.
    /// The time is at most 24 hours ago, and see [`changes`](Self::changes) for the files.
    pub fn changes_since(self, from: impl Moment) -> Self {
        self.with_time(ExportTime::Changes(from.to_timestamp(), None))
    }

    /// Omits the states before the changes from an incremental export. Without [`changes`](Self::changes) it is an error.
    pub fn without_old(mut self) -> Self {
        self.order.has_no_old_images = true;
        self
    }

    /// Exports only items of this entity for which the condition holds. If you call it again, for the same entity or for
    /// others, items of each call are exported. Expired items are included, as in a table.
    ///
    /// DynamoDB evaluates the condition on attributes as they are stored. It has the limits of a filter of a scan, and
    /// may name key attributes. The filter of an incremental export is evaluated on the last state of an item, so an item
    /// that no longer fulfils the condition is not in the export.
    pub fn only<E: DynamoEntity>(self, condition: impl FnOnce(E::Paths) -> Condition<E>) -> Self {
        self.rows(
            Query::<E, WholeTable>::whole_table()
                .include_expired()
                .filter(condition),
        )
    }

    /// Exports only the rows of a scan, such as `Order::scan()`, that of a collection, or that of an entity by its
    /// [name](TableSchema::dynamic). The same scan omits expired items unless you call
    /// [`include_expired`](QueryExt::include_expired). It then contains the present time, so a repeated request with the
    /// same [`token`](Self::token) differs. A scan with a limit or a position is an error.
    pub fn rows<Kind, Q>(mut self, scan: Q) -> Self
    where
        Q: QueryExt<Reach = WholeTable>,
        Q::Row: ExportedRow<Kind>,
    {
        let scan: Query<_, WholeTable> = scan.query();
        let selection = scan.into_selection();
        let options = &selection.options;
        let is_limited = options.limit.is_some()
            || options.max_scanned.is_some()
            || options.resume.is_some()
            || options.projection.is_some()
            || options.hydration.is_some();
        self.rows.push(RowCondition {
            table: selection.query_source().table.name,
            entity: selection.entity_name(),
            node: match is_limited {
                false => selection.export_condition(self.db.now()),
                true => Err(Error::config(
                    "an export to S3 has no limit, no position and no projection: remove them from the scan",
                )),
            },
        });
        self
    }

    /// A token by which DynamoDB recognizes a repeated request for eight hours: it returns the export that the first
    /// request started. By default, each call of the library has its own. An empty token and a token with `$` are errors.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.order.token = Some(token.into());
        self
    }

    async fn start(mut self) -> Result<S3ExportStatus> {
        self.check_order()?;
        let times = check_times(self.time, self.db.now())?;
        self.order.time = times.0;
        self.order.window = times.1.map(|(from, to)| ExportWindow { from, to });
        self.order.filter = self.filter()?;
        let wire = self.db.table_wire()?;
        let name = self.db.table_name(&self.schema.name);
        let described = service::describe_table(wire, &name).await?;
        let Some(described) = described else {
            let message = format!("table `{name}` does not exist");
            return Err(Error::new(ErrorKind::TableNotFound, Stage::Schema, message));
        };
        self.order.table_arn = described.arn.unwrap_or_else(|| name.clone());
        self.order.table = name.clone();
        let has_token = self.order.token.is_some();
        let started = service::start_export(wire, self.order).await;
        started
            .map(S3ExportStatus::of_described)
            .map_err(|error| explained_start(error, &name, has_token))
    }

    /// Rejects settings that DynamoDB would reject, and those that it would ignore.
    fn check_order(&self) -> Result<()> {
        let order = &self.order;
        let is_token = |token: &str| !token.is_empty() && !token.contains('$');
        let prefix = order.prefix.as_deref().unwrap_or_default();
        let mistake = if order.bucket.is_empty() {
            "an export to S3 has no bucket: call `.bucket(..)`"
        } else if order.bucket.len() > LONGEST_BUCKET {
            "the name of the bucket has more than 255 bytes"
        } else if prefix.len() > LONGEST_PREFIX {
            "the prefix of an export has more than 1024 bytes"
        } else if !order.token.as_deref().is_none_or(is_token) {
            "the token of an export is empty or contains `$`"
        } else if self.has_two_times {
            "an export to S3 has one time: call either `.at(..)` or `.changes(..)`, and only once"
        } else if order.has_no_old_images && !matches!(self.time, Some(ExportTime::Changes(..))) {
            "only an incremental export has old states: call `.changes(..)`, or remove `.without_old()`"
        } else {
            return Ok(());
        };
        Err(Error::config(mistake))
    }

    /// The filter of all conditions; None if every item is exported.
    fn filter(&mut self) -> Result<Option<ExportFilter>> {
        let mut nodes = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            if row.table != self.schema.name {
                let (table, other) = (&self.schema.name, row.table);
                let message = format!(
                    "the export is of table `{table}`, and this condition of table `{other}`"
                );
                return Err(Error::config(message).of(row.entity));
            }
            nodes.push(row.node?);
        }
        if nodes.is_empty() {
            return Ok(None);
        }
        let node = Node::any(nodes);
        if node.is_never() {
            return Err(Error::config(
                "the conditions of an export hold for no item",
            ));
        }
        let fail = |fault| {
            Error::new(
                ErrorKind::InvalidValue,
                Stage::Request,
                "the filter of an export",
            )
            .with_source(fault)
        };
        let mut expression = Expression::default();
        node.write_condition(expression.begin_parameter("FilterExpression"))
            .map_err(fail)?;
        expression.check_limits().map_err(fail)?;
        if expression.is_empty() {
            return Ok(None);
        }
        Ok(Some(ExportFilter {
            names: expression.named_placeholders(),
            values: Item::from_dynamo_json(&expression.values_object()).map_err(fail)?,
            expression: expression.text_of("FilterExpression").to_owned(),
        }))
    }
}

impl IntoFuture for S3Export {
    type Output = Result<S3ExportStatus>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.start())
    }
}

/// Names the table.
impl fmt::Debug for S3Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Export({})", self.schema.name)
    }
}

type CheckedTimes = (Option<Timestamp>, Option<(Timestamp, Option<Timestamp>)>);

/// The time of a full export, or those of an incremental one. DynamoDB rejects the others, some of them only after
/// minutes.
fn check_times(time: Option<ExportTime>, now: Timestamp) -> Result<CheckedTimes> {
    let past = |time: Timestamp, name: &str| {
        let age = i128::from(now.seconds()) - i128::from(time.seconds());
        match age {
            ..0 => Err(Error::config(format!(
                "the {name} of an export is in the future"
            ))),
            age if age > i128::from(RECOVERY.as_secs()) => Err(Error::config(format!(
                "the {name} of an export is more than 35 days ago, and DynamoDB keeps no earlier state"
            ))),
            _ => Ok(()),
        }
    };
    match time {
        None => Ok((None, None)),
        Some(ExportTime::At(at)) => {
            past(at, "time")?;
            Ok((Some(at), None))
        }
        Some(ExportTime::Changes(from, end)) => {
            let to = end.unwrap_or(now);
            past(from, "begin")?;
            past(to, "end")?;
            let seconds = to.seconds() - from.seconds();
            let is_window = u64::try_from(seconds).is_ok_and(|seconds| {
                (WINDOWS.start.as_secs()..=WINDOWS.end.as_secs()).contains(&seconds)
            });
            match is_window {
                true => Ok((None, Some((from, end)))),
                false => Err(Error::config(format!(
                    "an incremental export of {seconds} seconds: DynamoDB accepts 15 minutes to 24 hours"
                ))),
            }
        }
    }
}

/// Adds the remedy to a rejection.
fn explained_start(error: Error, table: &str, has_token: bool) -> Error {
    let remedy = match error.code() {
        Some("UnknownOperationException") => {
            "this server has no exports to S3, which only DynamoDB of AWS runs".to_owned()
        }
        Some("PointInTimeRecoveryUnavailableException") => format!(
            "table `{table}` has no point-in-time recovery, which an export to S3 reads: declare it by \
             `.point_in_time_recovery(35)` and apply the plan, or enable it in the console"
        ),
        Some("ExportConflictException") if has_token => {
            "the token belongs to another export of the last eight hours, or there is a conflict in the bucket: pass another \
             token, or try again later"
                .to_owned()
        }
        Some("ExportConflictException") => {
            "a conflict in the bucket, for example with another export: pass another prefix, or try again later"
                .to_owned()
        }
        Some("InvalidExportTimeException") => {
            "point-in-time recovery does not keep this time: it was enabled later, keeps fewer days, or has not yet reached a \
             time of the last minutes".to_owned()
        }
        _ => return error,
    };
    let (kind, message) = (error.kind(), format!("{remedy} ({error})"));
    let is_unknown = error.code() == Some("UnknownOperationException");
    let way_out = is_unknown.then_some(Remedy::ExportRows);
    error.with_kind(kind, message).with_remedies(way_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(seconds, 999_999_999).expect("a time")
    }

    #[test]
    fn windows_are_checked_to_the_second() {
        let now = at(100 * 86_400);
        let check = |before: i64, length: i64| {
            let from = now.seconds() - before;
            let end = Some(at(from + length));
            check_times(Some(ExportTime::Changes(at(from), end)), now)
        };
        let day = 86_400;
        for (before, length, is_right) in [
            (day, 900, true),
            (day, 899, false),
            (day, day, true),
            (2 * day, day + 1, false),
            (day, -900, false),
            (day, 0, false),
            (900, 900, true),
            (899, 900, false),
            (35 * day, day, true),
            (35 * day + 1, day, false),
        ] {
            let checked = check(before, length);
            assert_eq!(checked.is_ok(), is_right, "{before} {length}: {checked:?}");
            if let Err(error) = checked {
                assert_eq!(error.kind(), ErrorKind::Config);
            }
        }
        let full = |seconds| check_times(Some(ExportTime::At(at(seconds))), now).is_ok();
        assert!(
            full(now.seconds()) && !full(now.seconds() + 1) && !full(i64::MIN) && !full(i64::MAX)
        );
        assert!(check(i64::MAX / 4, 900).is_err());
    }
}
