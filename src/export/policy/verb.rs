//! The requests of the operations of an entity.

use crate::schema::{EntitySchema, IdentifyBy, TableSchema};

/// An operation of an entity, for [`Policy::allow`](super::Policy::allow).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyVerb {
    name: &'static str,
    used: VerbUse,
    /// The actions on the table.
    own: &'static [&'static str],
    /// Additional actions for an entity with unique values.
    for_uniques: &'static [&'static str],
}

/// The entities that have an operation: append-only ones have few, and a batch cannot maintain unique values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum VerbUse {
    Reads,
    Rewrites,
    Batches,
    Any,
}

impl PolicyVerb {
    /// `get`: one item by its key.
    pub const GET: PolicyVerb = PolicyVerb::new("get", VerbUse::Reads, &["GetItem"], &[]);
    /// `get_many`, and `hydrate` of a query.
    pub const GET_MANY: PolicyVerb =
        PolicyVerb::new("get_many", VerbUse::Reads, &["BatchGetItem"], &[]);
    /// A part of [`batch_get`](crate::batch_get).
    pub const READ_TOGETHER: PolicyVerb =
        PolicyVerb::new("batch_get", VerbUse::Reads, &["BatchGetItem"], &[]);
    /// A part of a [`transact_get`](crate::transact_get).
    pub const SNAPSHOT: PolicyVerb =
        PolicyVerb::new("transact_get", VerbUse::Reads, &["GetItem"], &[]);
    /// `in_partition`: queries of the table.
    pub const IN_PARTITION: PolicyVerb =
        PolicyVerb::new("in_partition", VerbUse::Reads, &["Query"], &[]);
    /// `scan`, which reads the whole table. No other operation of a policy allows it.
    pub const SCAN: PolicyVerb = PolicyVerb::new("scan", VerbUse::Any, &["Scan"], &[]);
    /// `create`.
    pub const CREATE: PolicyVerb = PolicyVerb::new("create", VerbUse::Any, &["PutItem"], &[]);
    /// `put`.
    pub const PUT: PolicyVerb = PolicyVerb::new(
        "put",
        VerbUse::Rewrites,
        &["PutItem"],
        &["GetItem", "DeleteItem"],
    );
    /// `update`.
    pub const UPDATE: PolicyVerb = PolicyVerb::new(
        "update",
        VerbUse::Rewrites,
        &["UpdateItem"],
        &["GetItem", "PutItem", "DeleteItem"],
    );
    /// `upsert`.
    pub const UPSERT: PolicyVerb = PolicyVerb::new(
        "upsert",
        VerbUse::Rewrites,
        &["UpdateItem"],
        &["GetItem", "PutItem", "DeleteItem"],
    );
    /// `touch`.
    pub const TOUCH: PolicyVerb = PolicyVerb::new("touch", VerbUse::Rewrites, &["UpdateItem"], &[]);
    /// `modify` and `try_modify`.
    pub const MODIFY: PolicyVerb = PolicyVerb::new(
        "modify",
        VerbUse::Rewrites,
        &["GetItem", "UpdateItem"],
        &["PutItem", "DeleteItem"],
    );
    /// `delete`.
    pub const DELETE: PolicyVerb =
        PolicyVerb::new("delete", VerbUse::Rewrites, &["DeleteItem"], &["GetItem"]);
    /// `check` in a [`Transaction`](crate::Transaction), and updates there that change nothing.
    pub const CHECK: PolicyVerb =
        PolicyVerb::new("check", VerbUse::Any, &["ConditionCheckItem"], &[]);
    /// The needs of [`transact`](crate::transact()) in addition to its operations: its reads, and the checks of items
    /// that are only read.
    pub const TRANSACT: PolicyVerb = PolicyVerb::new(
        "transact",
        VerbUse::Any,
        &["GetItem", "ConditionCheckItem"],
        &[],
    );
    /// A part of a [`Batch`](crate::Batch). IAM cannot restrict it to puts or to deletes.
    pub const BATCH: PolicyVerb =
        PolicyVerb::new("batch", VerbUse::Batches, &["BatchWriteItem"], &[]);
    /// [`put_each`](crate::put_each) of puts and creates; other writes in it also need their own operations.
    pub const PUT_EACH: PolicyVerb = PolicyVerb::new(
        "put_each",
        VerbUse::Any,
        &["PutItem"],
        &["GetItem", "DeleteItem"],
    );
    /// `update_each`, in addition to its query.
    pub const UPDATE_EACH: PolicyVerb = PolicyVerb::new(
        "update_each",
        VerbUse::Rewrites,
        &["GetItem", "UpdateItem"],
        &["PutItem", "DeleteItem"],
    );
    /// `delete_each`, in addition to its query. `delete_each_unchecked` needs [`BATCH`](Self::BATCH) too.
    pub const DELETE_EACH: PolicyVerb = PolicyVerb::new(
        "delete_each",
        VerbUse::Rewrites,
        &["GetItem", "DeleteItem"],
        &["BatchGetItem"],
    );
    /// `transact_each`, in addition to its query and its operations.
    pub const TRANSACT_EACH: PolicyVerb = PolicyVerb::new(
        "transact_each",
        VerbUse::Any,
        &["GetItem", "ConditionCheckItem"],
        &[],
    );

    /// `refill`, in addition to its query. `unfilled` needs `GetItem` only for unique values.
    pub const REFILL: PolicyVerb = PolicyVerb::new(
        "refill",
        VerbUse::Any,
        &["GetItem", "UpdateItem"],
        &["PutItem", "DeleteItem", "ConditionCheckItem"],
    );

    /// `touch_each`, in addition to its query.
    pub const TOUCH_EACH: PolicyVerb = PolicyVerb::new(
        "touch_each",
        VerbUse::Rewrites,
        &["GetItem", "UpdateItem"],
        &[],
    );

    /// All operations.
    pub const ALL: [PolicyVerb; 22] = [
        PolicyVerb::GET,
        PolicyVerb::GET_MANY,
        PolicyVerb::READ_TOGETHER,
        PolicyVerb::SNAPSHOT,
        PolicyVerb::IN_PARTITION,
        PolicyVerb::SCAN,
        PolicyVerb::CREATE,
        PolicyVerb::PUT,
        PolicyVerb::UPDATE,
        PolicyVerb::UPSERT,
        PolicyVerb::TOUCH,
        PolicyVerb::MODIFY,
        PolicyVerb::DELETE,
        PolicyVerb::CHECK,
        PolicyVerb::TRANSACT,
        PolicyVerb::BATCH,
        PolicyVerb::PUT_EACH,
        PolicyVerb::UPDATE_EACH,
        PolicyVerb::DELETE_EACH,
        PolicyVerb::TRANSACT_EACH,
        PolicyVerb::REFILL,
        PolicyVerb::TOUCH_EACH,
    ];

    const fn new(
        name: &'static str,
        used: VerbUse,
        own: &'static [&'static str],
        for_uniques: &'static [&'static str],
    ) -> Self {
        PolicyVerb {
            name,
            used,
            own,
            for_uniques,
        }
    }

    /// The name in patterns, such as `get_many`.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<PolicyVerb> {
        PolicyVerb::ALL.into_iter().find(|verb| verb.name() == name)
    }

    pub(super) fn is_read(self) -> bool {
        self.used == VerbUse::Reads
    }

    /// Whether the entity has it.
    pub(super) fn fits_entity(self, entity: &EntitySchema, table: &TableSchema) -> bool {
        match self.used {
            VerbUse::Batches => {
                let is_alone = entity.uniques.is_empty()
                    && entity.large.is_empty()
                    && entity.second_key.is_none();
                // A batch checks no types.
                let is_typed = table.identify_by == Some(IdentifyBy::Type);
                !entity.append_only && is_alone && !is_typed
            }
            VerbUse::Rewrites => !entity.append_only,
            VerbUse::Reads | VerbUse::Any => true,
        }
    }

    /// The actions on the table.
    pub(super) fn needed_actions(self, entity: &EntitySchema) -> Vec<&'static str> {
        let for_uniques = match entity.uniques.is_empty() {
            true => &[][..],
            false => self.for_uniques,
        };
        // Each write reads both rows of an item, and writes both.
        let for_second_rows = match entity.second_key.is_some() && !self.is_read() {
            true => &["GetItem", "PutItem", "DeleteItem", "ConditionCheckItem"][..],
            false => &[],
        };
        // A delete reads the heads of lists and blobs, whose parts it deletes too.
        let for_large: &[&str] = match self.name == "delete" && !entity.large.is_empty() {
            true => &["GetItem"],
            false => &[],
        };
        let mut actions: Vec<_> = self.own.iter().chain(for_uniques).copied().collect();
        for action in for_second_rows.iter().chain(for_large) {
            if !actions.contains(action) {
                actions.push(action);
            }
        }
        actions
    }
}
