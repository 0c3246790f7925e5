//! Policies from a recorded run.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Policy;
use super::partitions::Partitions;
use crate::dynamo::TablePrefix;
use crate::error::ErrorKind;
use crate::observe::RequestEvent;

/// A table's full name, an index and an action.
type Recorded = (String, Option<String>, &'static str);

/// An observer that records the actions of requests, with their tables and indexes, and creates a [`Policy`] from them:
/// run the tests of a service with it, and the role needs that policy.
///
/// A request that the connection of a tenant rejects is not recorded, because it was not sent.
/// Operations that no test calls are missing, so review the policy before you use it. Clones share their records.
///
/// ```
/// use dynamo_entity::export::PolicyRecorder;
/// use dynamo_entity::prelude::*;
///
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = id))]
/// struct Order { id: u32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let recorder = PolicyRecorder::default();
/// let db = Dynamo::connect("embedded:memory").await?.with_prefix("test").with_observer(recorder.observer());
/// db.create_tables([Order::schema()]).await?;
/// Order { id: 1 }.create().send(&db).await?;
///
/// let policy = recorder.policy("test").prefix("prod-shop").document()?;
/// assert!(policy.contains(r#""dynamodb:PutItem""#) && !policy.contains("GetItem"));
/// assert!(policy.contains(":table/prod-shop-orders"));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct PolicyRecorder(Arc<Mutex<BTreeSet<Recorded>>>);

impl PolicyRecorder {
    /// The observer, for [`with_observer`](crate::Dynamo::with_observer).
    pub fn observer(&self) -> impl Fn(&RequestEvent<'_>) + Send + Sync + 'static + use<> {
        let recorder = self.clone();
        move |seen| {
            // The gate rejected such a request, so the role does not need its actions.
            if (seen.error).is_some_and(|error| error.kind() == ErrorKind::OutsideTenant) {
                return;
            }
            let mut recorded = recorder.lock_recorded();
            for asked in seen.actions() {
                let index = asked.index.map(|index| index.into_owned());
                recorded.insert((asked.table.into_owned(), index, asked.action));
            }
        }
    }

    /// The policy of the recorded actions, on connections with this prefix, so that you can set
    /// [another one](Policy::prefix). It contains no `Scan`: [`scanned`](Self::scanned) shows whether one is missing.
    pub fn policy(&self, prefix: &str) -> Policy {
        // A scan may come from a test that looks at the whole table, so the policy has it only on request.
        self.policy_of(prefix, |action| action != "Scan")
    }

    /// The same, with `Scan` of the tables that were scanned.
    pub fn policy_with_scans(&self, prefix: &str) -> Policy {
        self.policy_of(prefix, |_| true)
    }

    /// The full names of the tables that were scanned.
    pub fn scanned(&self) -> Vec<String> {
        let recorded = self.lock_recorded();
        let scanned = recorded.iter().filter(|(_, _, action)| *action == "Scan");
        scanned.map(|(table, _, _)| table.clone()).collect()
    }

    fn policy_of(&self, prefix: &str, is_asked: impl Fn(&str) -> bool) -> Policy {
        let prefix = TablePrefix::new(prefix.to_owned());
        let mut policy = Policy::new([]);
        for (table, index, action) in &*self.lock_recorded() {
            let table = table.strip_prefix(prefix.prefix_text()).unwrap_or(table);
            if is_asked(action) {
                let any = Partitions::any_partition();
                policy
                    .recorded
                    .add_permission(table, index.as_deref(), action, any);
            }
        }
        policy
    }

    fn lock_recorded(&self) -> MutexGuard<'_, BTreeSet<Recorded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for PolicyRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&*self.lock_recorded()).finish()
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::codec::Item;
    use crate::dynamo::Dynamo;
    use crate::plan::Operation;
    use crate::schema::{KeyAttribute, KeyType, TableSchema};

    #[tokio::test]
    async fn rejected_requests_are_not_recorded() {
        let pk = KeyAttribute {
            name: "pk".into(),
            ty: KeyType::S,
        };
        let schema = TableSchema {
            tenant: Some("org".into()),
            ..TableSchema::bare("shop".into(), pk)
        };
        let recorder = PolicyRecorder::default();
        let db = Dynamo::connect("embedded:memory").await.unwrap();
        let db = db
            .with_observer(recorder.observer())
            .with_tenant_tables([schema])
            .unwrap();
        let put = || Item::in_table("shop").put(Item::new());
        let acme = db.for_tenant("acme").unwrap();
        assert!(put().send(&acme).await.is_err());
        assert!(recorder.lock_recorded().is_empty());
        // This one was sent, although there is no such table.
        assert!(put().send(&db).await.is_err());
        assert_eq!(recorder.lock_recorded().len(), 1);
    }
}
