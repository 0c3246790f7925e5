//! What the verbs of an entity send.

use crate::schema::EntitySchema;

/// A verb of an entity, for [`Policy::allow`](super::Policy::allow).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PolicyVerb {
    /// `get`: one item by its key.
    Get,
    /// `get_many`, and `hydrate` of a query.
    GetMany,
    /// A part of [`read_together`](crate::read_together).
    ReadTogether,
    /// A part of a [`snapshot`](crate::snapshot).
    Snapshot,
    /// `in_partition`: queries of the table.
    InPartition,
    /// `scan`, which reads the whole table. No other word of a policy allows it.
    Scan,
    /// `create`.
    Create,
    /// `put`.
    Put,
    /// `update`.
    Update,
    /// `upsert`.
    Upsert,
    /// `touch`.
    Touch,
    /// `modify` and `try_modify`.
    Modify,
    /// `delete`.
    Delete,
    /// `check` in a [`Transaction`](crate::Transaction), and updates there that change nothing.
    Check,
    /// What [`transact`](crate::transact()) needs besides the verbs in it: its reads, and the check of what is only read.
    Transact,
    /// A part of a [`Batch`](crate::Batch). It cannot be limited to puts or to deletes.
    Batch,
    /// [`put_each`](crate::put_each) of puts and creates; other writes in it need their own verbs besides.
    PutEach,
    /// `update_each`, besides its query.
    UpdateEach,
    /// `delete_each`, besides its query.
    DeleteEach,
    /// `transact_each`, besides its query and the verbs in it.
    TransactEach,
}

impl PolicyVerb {
    /// All of them.
    pub const ALL: [PolicyVerb; 20] = [
        PolicyVerb::Get,
        PolicyVerb::GetMany,
        PolicyVerb::ReadTogether,
        PolicyVerb::Snapshot,
        PolicyVerb::InPartition,
        PolicyVerb::Scan,
        PolicyVerb::Create,
        PolicyVerb::Put,
        PolicyVerb::Update,
        PolicyVerb::Upsert,
        PolicyVerb::Touch,
        PolicyVerb::Modify,
        PolicyVerb::Delete,
        PolicyVerb::Check,
        PolicyVerb::Transact,
        PolicyVerb::Batch,
        PolicyVerb::PutEach,
        PolicyVerb::UpdateEach,
        PolicyVerb::DeleteEach,
        PolicyVerb::TransactEach,
    ];

    /// The name that patterns have, such as `get_many`.
    pub const fn name(self) -> &'static str {
        match self {
            PolicyVerb::Get => "get",
            PolicyVerb::GetMany => "get_many",
            PolicyVerb::ReadTogether => "read_together",
            PolicyVerb::Snapshot => "snapshot",
            PolicyVerb::InPartition => "in_partition",
            PolicyVerb::Scan => "scan",
            PolicyVerb::Create => "create",
            PolicyVerb::Put => "put",
            PolicyVerb::Update => "update",
            PolicyVerb::Upsert => "upsert",
            PolicyVerb::Touch => "touch",
            PolicyVerb::Modify => "modify",
            PolicyVerb::Delete => "delete",
            PolicyVerb::Check => "check",
            PolicyVerb::Transact => "transact",
            PolicyVerb::Batch => "batch",
            PolicyVerb::PutEach => "put_each",
            PolicyVerb::UpdateEach => "update_each",
            PolicyVerb::DeleteEach => "delete_each",
            PolicyVerb::TransactEach => "transact_each",
        }
    }

    /// The verb of this name.
    pub fn from_name(name: &str) -> Option<PolicyVerb> {
        PolicyVerb::ALL.into_iter().find(|verb| verb.name() == name)
    }

    pub(super) const fn reads(self) -> bool {
        matches!(
            self,
            PolicyVerb::Get
                | PolicyVerb::GetMany
                | PolicyVerb::ReadTogether
                | PolicyVerb::Snapshot
                | PolicyVerb::InPartition
        )
    }

    /// Whether the entity has it: what is only added has few, and a batch can keep no unique values.
    pub(super) fn fits(self, entity: &EntitySchema) -> bool {
        use PolicyVerb::{
            Batch, Delete, DeleteEach, Modify, Put, Touch, Update, UpdateEach, Upsert,
        };
        match self {
            Batch => !entity.append_only && entity.uniques.is_empty(),
            Put | Update | Upsert | Touch | Modify | Delete | UpdateEach | DeleteEach => {
                !entity.append_only
            }
            _ => true,
        }
    }

    /// The actions on the table.
    pub(super) fn actions(self, entity: &EntitySchema) -> Vec<&'static str> {
        let (own, for_uniques): (&[&str], &[&str]) = match self {
            PolicyVerb::Get | PolicyVerb::Snapshot => (&["GetItem"], &[]),
            PolicyVerb::GetMany | PolicyVerb::ReadTogether => (&["BatchGetItem"], &[]),
            PolicyVerb::InPartition => (&["Query"], &[]),
            PolicyVerb::Scan => (&["Scan"], &[]),
            PolicyVerb::Create => (&["PutItem"], &[]),
            PolicyVerb::Put => (&["PutItem"], &["GetItem", "DeleteItem"]),
            PolicyVerb::Update | PolicyVerb::Upsert => {
                (&["UpdateItem"], &["GetItem", "PutItem", "DeleteItem"])
            }
            PolicyVerb::Touch => (&["UpdateItem"], &[]),
            PolicyVerb::Modify => (&["GetItem", "UpdateItem"], &["PutItem", "DeleteItem"]),
            PolicyVerb::Delete => (&["DeleteItem"], &["GetItem"]),
            PolicyVerb::Check => (&["ConditionCheckItem"], &[]),
            PolicyVerb::Transact => (&["GetItem", "ConditionCheckItem"], &[]),
            PolicyVerb::Batch => (&["BatchWriteItem"], &[]),
            PolicyVerb::PutEach => (&["PutItem"], &["GetItem", "DeleteItem"]),
            PolicyVerb::UpdateEach => (&["GetItem", "UpdateItem"], &["PutItem", "DeleteItem"]),
            PolicyVerb::DeleteEach => (&["GetItem", "DeleteItem"], &["BatchGetItem"]),
            PolicyVerb::TransactEach => (&["GetItem", "ConditionCheckItem"], &[]),
        };
        let for_uniques = match entity.uniques.is_empty() {
            true => &[][..],
            false => for_uniques,
        };
        own.iter().chain(for_uniques).copied().collect()
    }
}
