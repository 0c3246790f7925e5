//! What the verbs of an entity send.

use crate::schema::EntitySchema;

/// A verb of an entity, for [`Policy::allow`](super::Policy::allow).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verb {
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

impl Verb {
    /// All of them.
    pub const ALL: [Verb; 20] = [
        Verb::Get,
        Verb::GetMany,
        Verb::ReadTogether,
        Verb::Snapshot,
        Verb::InPartition,
        Verb::Scan,
        Verb::Create,
        Verb::Put,
        Verb::Update,
        Verb::Upsert,
        Verb::Touch,
        Verb::Modify,
        Verb::Delete,
        Verb::Check,
        Verb::Transact,
        Verb::Batch,
        Verb::PutEach,
        Verb::UpdateEach,
        Verb::DeleteEach,
        Verb::TransactEach,
    ];

    /// The name that patterns have, such as `get_many`.
    pub const fn name(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::GetMany => "get_many",
            Verb::ReadTogether => "read_together",
            Verb::Snapshot => "snapshot",
            Verb::InPartition => "in_partition",
            Verb::Scan => "scan",
            Verb::Create => "create",
            Verb::Put => "put",
            Verb::Update => "update",
            Verb::Upsert => "upsert",
            Verb::Touch => "touch",
            Verb::Modify => "modify",
            Verb::Delete => "delete",
            Verb::Check => "check",
            Verb::Transact => "transact",
            Verb::Batch => "batch",
            Verb::PutEach => "put_each",
            Verb::UpdateEach => "update_each",
            Verb::DeleteEach => "delete_each",
            Verb::TransactEach => "transact_each",
        }
    }

    /// The verb of this name.
    pub fn from_name(name: &str) -> Option<Verb> {
        Verb::ALL.into_iter().find(|verb| verb.name() == name)
    }

    pub(super) const fn reads(self) -> bool {
        matches!(
            self,
            Verb::Get | Verb::GetMany | Verb::ReadTogether | Verb::Snapshot | Verb::InPartition
        )
    }

    /// Whether the entity has it: what is only added has few, and a batch can keep no unique values.
    pub(super) fn fits(self, entity: &EntitySchema) -> bool {
        use Verb::{Batch, Delete, DeleteEach, Modify, Put, Touch, Update, UpdateEach, Upsert};
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
            Verb::Get | Verb::Snapshot => (&["GetItem"], &[]),
            Verb::GetMany | Verb::ReadTogether => (&["BatchGetItem"], &[]),
            Verb::InPartition => (&["Query"], &[]),
            Verb::Scan => (&["Scan"], &[]),
            Verb::Create => (&["PutItem"], &[]),
            Verb::Put => (&["PutItem"], &["GetItem", "DeleteItem"]),
            Verb::Update | Verb::Upsert => (&["UpdateItem"], &["GetItem", "PutItem", "DeleteItem"]),
            Verb::Touch => (&["UpdateItem"], &[]),
            Verb::Modify => (&["GetItem", "UpdateItem"], &["PutItem", "DeleteItem"]),
            Verb::Delete => (&["DeleteItem"], &["GetItem"]),
            Verb::Check => (&["ConditionCheckItem"], &[]),
            Verb::Transact => (&["GetItem", "ConditionCheckItem"], &[]),
            Verb::Batch => (&["BatchWriteItem"], &[]),
            Verb::PutEach => (&["PutItem"], &["GetItem", "DeleteItem"]),
            Verb::UpdateEach => (&["GetItem", "UpdateItem"], &["PutItem", "DeleteItem"]),
            Verb::DeleteEach => (&["GetItem", "DeleteItem"], &["BatchGetItem"]),
            Verb::TransactEach => (&["GetItem", "ConditionCheckItem"], &[]),
        };
        let for_uniques = match entity.uniques.is_empty() {
            true => &[][..],
            false => for_uniques,
        };
        own.iter().chain(for_uniques).copied().collect()
    }
}
