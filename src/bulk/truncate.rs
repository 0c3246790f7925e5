//! `truncate`: empty tables, for tests.

use std::fmt;
use std::future::{IntoFuture, ready};

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::action;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::expr::Node;
use crate::plan::Steps;
use crate::query::Fetch;
use crate::schema::{Pattern, TableSchema};
use crate::table::check_declarations;
use crate::write::large::is_marker;

/// How many deletes are under way at once.
const CONCURRENCY: usize = 16;

/// The entity that errors name, because the entity of a row is not known here.
const WHOSE: &str = "Table";

static PATTERN: Pattern = Pattern::alone(WHOSE, "truncate");

/// Deletes all items of some tables; see [`Dynamo::truncate`].
#[must_use = "nothing is deleted until it is awaited"]
pub struct Truncate<'d> {
    db: &'d Dynamo,
    schemas: Vec<TableSchema>,
    is_meant: bool,
}

impl Dynamo {
    /// Deletes all items of these tables, and returns their number: for tests. The tables remain. So do the markers of objects that lists
    /// and blobs have stored outside of DynamoDB: a [sweep](crate::large::Sweep) deletes them with their objects after a day.
    ///
    /// It works only on an engine that is known to be on this machine: `embedded:..`, or an address such as
    /// `http://localhost:8000`. Anything else is an error, including your own SDK clients, unless you call
    /// [`even_on_aws`](Truncate::even_on_aws). If you drop the future before the end, some of the items are deleted.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "notes", key(pk = id))]
    /// # struct Note { id: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test");
    /// db.create_tables([Note::schema()]).await?;
    /// Note { id: "n1".into() }.put().send(&db).await?;
    /// assert_eq!(db.truncate([Note::schema()]).await?, 1);
    /// # Ok(()) }
    /// ```
    pub fn truncate(&self, schemas: impl IntoIterator<Item = TableSchema>) -> Truncate<'_> {
        Truncate::new(self, schemas.into_iter().collect())
    }
}

impl<'d> Truncate<'d> {
    pub(crate) fn new(db: &'d Dynamo, schemas: Vec<TableSchema>) -> Self {
        Truncate {
            db,
            schemas,
            is_meant: false,
        }
    }

    /// Deletes the items wherever these tables are: on AWS, on a server that others share, through your own SDK
    /// client. Nothing restores the items.
    pub fn even_on_aws(mut self) -> Self {
        self.is_meant = true;
        self
    }
}

impl<'d> IntoFuture for Truncate<'d> {
    type Output = Result<u64>;
    type IntoFuture = Steps<'d, Result<u64>>;

    fn into_future(self) -> Self::IntoFuture {
        let Truncate {
            db,
            schemas,
            is_meant,
        } = self;
        if !is_meant && !db.is_local() {
            let message = "`truncate` deletes every item, and this connection is not known to be to an engine on this machine: connect by `embedded:..` or to `http://localhost`, or write `.even_on_aws()` if you mean it";
            let refused = Error::new(ErrorKind::Config, Stage::Request, message);
            return Steps(Box::pin(ready(Err(refused))));
        }
        if let Err(refused) = check_declarations(&schemas) {
            return Steps(Box::pin(ready(Err(refused))));
        }
        Steps(Box::pin(async move {
            let mut deleted = 0;
            for schema in &schemas {
                deleted += empty(db, schema).await?;
            }
            Ok(deleted)
        }))
    }
}

/// The condition on the rows that are deleted: all, except the markers of objects outside of DynamoDB. Without its marker, no sweep would
/// find an object.
fn deleted_rows(schema: &TableSchema) -> Option<Node> {
    let has_large = schema
        .entities
        .iter()
        .any(|entity| !entity.large.is_empty());
    // Also if no value is declared `outside`, because one may have been.
    has_large.then(|| is_marker().not())
}

/// Deletes all items of a table, and returns how many there were.
async fn empty(db: &Dynamo, schema: &TableSchema) -> Result<u64> {
    let table = db.table_name(&schema.name);
    let keys = [Some(&schema.pk), schema.sk.as_ref()].into_iter().flatten();
    let names: Vec<&str> = keys.map(|key| &*key.name).collect();
    let mut keys = Fetch::for_rows(db.clone(), &PATTERN, &table, &names, deleted_rows(schema))
        .map_err(|fault| Error::encode(WHOSE, fault))?;
    let mut deleted = 0;
    while !keys.is_done() {
        let deletes = keys.next_rows().await?.into_iter().map(|key| {
            let write = action::delete(db, &PATTERN, table.clone(), key.row_json(), Node::all([]));
            async { write.into_quiet_plan()?.send_plan(db).await }
        });
        let deletes = stream::iter(deletes).buffer_unordered(CONCURRENCY);
        deleted += deletes.try_fold(0, async |count, ()| Ok(count + 1)).await?;
    }
    Ok(deleted)
}

impl fmt::Debug for Truncate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables: Vec<&str> = self.schemas.iter().map(|schema| &*schema.name).collect();
        write!(f, "Truncate({tables:?})")
    }
}
