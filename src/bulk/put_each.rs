//! `put_each`: a job of given writes.

use super::job::Bulk;
use super::put::SingleWrite;

/// Sends many writes, several at a time, each with its own condition, which a batch cannot have.
///
/// Each write is a separate request, and the [report](super::BulkReport) contains its result: a lost race fails only
/// that write, with its error, the current item and its position in the input. Writes of one item are done one after
/// the other, in the given order: one begins when the one before is done or has failed. Writes of other items
/// continue concurrently.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "users", key(pk = id))]
/// # struct User { id: String, name: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([User::schema()]).await?;
/// let users: Vec<User> = (0..100)
///     .map(|number| User { id: format!("u{number:03}"), name: "Ann".into() })
///     .collect();
/// users[7].create().send(&db).await?;
///
/// let report = put_each(users.iter().map(|user| user.create())).concurrency(16).send(&db).await?;
/// assert_eq!((report.written, report.failed), (99, 1));
/// let failed = &report.errors()[0];
/// assert_eq!(failed.index(), Some(7));
/// assert!(failed.error().is_already_exists());
/// # Ok(()) }
/// ```
pub fn put_each<'j, W, I>(writes: I) -> Bulk<'j>
where
    W: SingleWrite + 'j,
    I: IntoIterator<Item = W>,
    I::IntoIter: Send + 'j,
{
    Bulk::of_writes(writes.into_iter().fuse())
}
