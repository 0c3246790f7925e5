//! The purpose of a request: a constant, so that it costs a pointer on a connection without an observer.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

#[cfg(feature = "vectors")]
use super::VectorDef;
use super::{EntityDef, EntityIndexDef};

/// The purpose of a request: the entity, its operation or access pattern, and the index.
///
/// All requests of an operation have the pattern of that operation: retries, the reads before a write, and those for
/// unique values. Names are those of the program, never values.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// #[derive(DynamoEntity)]
/// #[dynamo(table = "orders", key(pk = id), gsi(by_status, on = gsi1, pk = "{status}", sk = "{id}"))]
/// struct Order { id: String, status: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// let put = Order { id: "o1".into(), status: "PAID".into() }.put().explain(&db)?.pattern.unwrap();
/// assert_eq!((put.to_string(), put.index), ("Order.put".to_owned(), None));
///
/// let paid = Order::by_status("PAID").explain(&db)?.pattern.unwrap();
/// assert_eq!((paid.entity, paid.name, paid.index), ("Order", "by_status", Some("gsi1")));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Pattern {
    /// The entity or the collection; `several` where a request writes or reads several entities together.
    pub entity: &'static str,
    /// The verb, such as `put`, or the function of the access pattern, such as `by_status`.
    pub name: &'static str,
    /// The index that is read.
    pub index: Option<&'static str>,
    /// How the key of a partition is found in a request.
    pub(crate) partition: PartitionName,
    /// How many attributes the key of a partition has, where partitions are queried.
    pub(crate) parts: usize,
    /// Module path and name of the entity, for two may have one name; empty if there is none.
    id: &'static str,
    /// The patterns of requests that combine operations of the same entity.
    joint: Option<&'static JointPatterns>,
}

/// The attribute that is the partition key of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PartitionName {
    Named(&'static str),
    /// It depends on the table, and it comes first in the keys that the library writes.
    First,
    /// Keys come as the program gives them.
    Unknown,
}

impl PartitionName {
    pub(crate) fn named(self) -> Option<&'static str> {
        match self {
            PartitionName::Named(name) => Some(name),
            PartitionName::First | PartitionName::Unknown => None,
        }
    }
}

/// The patterns of requests that are several operations of one entity, or one of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointPatterns {
    pub(crate) batch: Pattern,
    pub(crate) transact: Pattern,
    pub(crate) batch_get: Pattern,
    pub(crate) transact_get: Pattern,
    pub(crate) put_each: Pattern,
    /// A scan of an entity that is known by its name.
    pub(crate) scan: Pattern,
    pub(crate) update_each: Pattern,
    pub(crate) delete_each: Pattern,
    pub(crate) transact_each: Pattern,
    pub(crate) refill: Pattern,
    pub(crate) touch_each: Pattern,
}

/// The name of an entity or a collection, and the ID that distinguishes it from others of that name.
pub(crate) type PatternOwner = (&'static str, &'static str);

/// One of the joint patterns.
pub(crate) type JointVerb = fn(&'static JointPatterns) -> &'static Pattern;

/// Those of requests about several entities.
pub(crate) static SEVERAL: JointPatterns = JointPatterns::of(("several", ""), PartitionName::First);

impl JointPatterns {
    pub(crate) const fn of(entity: PatternOwner, partition: PartitionName) -> Self {
        JointPatterns {
            batch: Pattern::part(entity, "batch", partition),
            transact: Pattern::part(entity, "transact", partition),
            batch_get: Pattern::part(entity, "batch_get", partition),
            transact_get: Pattern::part(entity, "transact_get", partition),
            put_each: Pattern::part(entity, "put_each", partition),
            scan: Pattern::part(entity, "scan", partition),
            update_each: Pattern::part(entity, "update_each", partition),
            delete_each: Pattern::part(entity, "delete_each", partition),
            transact_each: Pattern::part(entity, "transact_each", partition),
            refill: Pattern::part(entity, "refill", partition),
            touch_each: Pattern::part(entity, "touch_each", partition),
        }
    }
}

impl Pattern {
    /// One that is no part of another, and has no entity with patterns of its own.
    pub(crate) const fn alone(entity: &'static str, name: &'static str) -> Self {
        Pattern {
            entity,
            name,
            index: None,
            partition: PartitionName::Unknown,
            parts: 1,
            id: "",
            joint: None,
        }
    }

    const fn part(
        (entity, id): PatternOwner,
        name: &'static str,
        partition: PartitionName,
    ) -> Self {
        Pattern {
            partition,
            id,
            ..Pattern::alone(entity, name)
        }
    }

    /// A verb of an entity.
    pub(crate) const fn verb(
        entity: &EntityDef,
        name: &'static str,
        joint: &'static JointPatterns,
    ) -> Self {
        Pattern {
            partition: PartitionName::Named(entity.pk.attribute),
            id: entity.id,
            joint: Some(joint),
            ..Pattern::alone(entity.type_name, name)
        }
    }

    /// An access pattern of the entity or the collection with this name.
    pub(crate) const fn access(
        (entity, id): PatternOwner,
        pk: &'static str,
        (name, index): (&'static str, Option<&EntityIndexDef>),
        joint: &'static JointPatterns,
    ) -> Self {
        Pattern {
            index: match index {
                Some(index) => Some(index.index),
                None => None,
            },
            partition: PartitionName::Named(pk),
            parts: match index {
                // A local index has the partitions of its table.
                Some(index) if !index.pk.is_empty() => index.pk.len(),
                _ => 1,
            },
            id,
            joint: Some(joint),
            ..Pattern::alone(entity, name)
        }
    }

    /// The search of a vector index.
    #[cfg(feature = "vectors")]
    pub(crate) const fn search(
        entity: &EntityDef,
        index: &VectorDef,
        joint: &'static JointPatterns,
    ) -> Self {
        Pattern {
            index: Some(index.index),
            ..Pattern::verb(entity, index.name, joint)
        }
    }

    /// The pattern of a request of several such parts: the operation of their entity, if all have one.
    pub(crate) fn of_all(
        patterns: impl IntoIterator<Item = &'static Pattern>,
        verb: JointVerb,
    ) -> &'static Pattern {
        let mut patterns = patterns.into_iter();
        let first = patterns.next();
        let Some(first) = first else {
            return verb(&SEVERAL);
        };
        // Also by the id: two tables may have entities of one name.
        match patterns.all(|other| (other.entity, other.id) == (first.entity, first.id)) {
            true => first.with(verb),
            false => verb(&SEVERAL),
        }
    }

    /// Another operation of the same entity. A pattern that already combines several operations does not change.
    pub(crate) fn with(&'static self, verb: JointVerb) -> &'static Pattern {
        self.joint.map_or(self, verb)
    }

    fn names(
        &self,
    ) -> (
        &'static str,
        &'static str,
        Option<&'static str>,
        &'static str,
    ) {
        (self.entity, self.name, self.index, self.id)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.names() == other.names()
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.names().hash(state);
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        self.names().cmp(&other.names())
    }
}

/// `Order.by_status`
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.entity, self.name)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({self}")?;
        if let Some(index) = self.index {
            write!(f, " in {index}")?;
        }
        f.write_str(")")
    }
}
