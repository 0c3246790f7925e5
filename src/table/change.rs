//! The changes of a table, with their permissions, risks and durations.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::schema::{Billing, Encryption, OnDemandMaximum, StreamView, TableClass, WarmThroughput};

/// One change of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableChange {
    /// The table is created, with its indexes, its stream and its settings.
    CreateTable,
    /// Deletion protection is enabled, or disabled.
    SetProtection(bool),
    /// The table can be restored to any second of this many days.
    SetRecovery(u8),
    /// The table can be restored to any second of this many days only, which are fewer than before.
    ShortenRecovery(u8),
    /// The table and its global indexes are billed in this way.
    SetBilling(Billing),
    /// The table is of this class.
    SetClass(TableClass),
    /// The table, or its global index of this name, has this maximum on demand.
    SetOnDemandMaximum {
        /// The index, None for the table itself.
        index: Option<String>,
        /// The maximum.
        maximum: OnDemandMaximum,
    },
    /// The table, or its global index of this name, can serve at least these units at once.
    RaiseWarmThroughput {
        /// The index, None for the table itself.
        index: Option<String>,
        /// The declared units. If the table has more of one kind, that kind stays as it is.
        units: WarmThroughput,
    },
    /// The table is encrypted by this key.
    SetEncryption(Encryption),
    /// A global index of this name is added and filled.
    AddIndex(String),
    /// The stream ends.
    RemoveStream,
    /// A stream with this view begins.
    AddStream(StreamView),
    /// Items no longer expire by this attribute.
    RemoveTtl(String),
    /// Items expire by this attribute.
    AddTtl(String),
    /// The table gets these tags, in addition to those of others.
    SetTags(BTreeMap<String, String>),
    /// The global index of this name is removed.
    RemoveIndex(String),
    /// DynamoDB cannot make this change: the text contains the difference and the remedy. The step is never executed.
    Replace(String),
    /// A declared setting needs another one that the table does not have: the text contains both, and the remedy. The step
    /// is never executed.
    Unfit(String),
}

/// The kind of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// An addition.
    Add,
    /// A change of something that exists.
    Alter,
    /// A removal.
    Remove,
    /// A difference that cannot be changed, and remains.
    Replace,
}

/// The loss that a change causes. The caller must name it to apply the plan. Tables have their declared names, without
/// a prefix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Deletion {
    /// A global index, which a program of an older release may still read.
    Index {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// A stream, at the end of which consumers stop; a new one begins empty.
    Stream {
        /// The table.
        table: String,
    },
    /// The protection from being deleted.
    Protection {
        /// The table.
        table: String,
    },
    /// The backup for restoring the table to an earlier day.
    Recovery {
        /// The table.
        table: String,
    },
    /// The expiry of items: DynamoDB no longer deletes them.
    Ttl {
        /// The table.
        table: String,
    },
}

impl Deletion {
    /// This index of this table.
    pub fn index(table: impl Into<String>, index: impl Into<String>) -> Self {
        Deletion::Index {
            table: table.into(),
            index: index.into(),
        }
    }

    /// The stream of this table.
    pub fn stream(table: impl Into<String>) -> Self {
        Deletion::Stream {
            table: table.into(),
        }
    }

    /// The backup for restoring this table to an earlier day.
    pub fn recovery(table: impl Into<String>) -> Self {
        Deletion::Recovery {
            table: table.into(),
        }
    }

    /// The expiry of the items of this table.
    pub fn ttl(table: impl Into<String>) -> Self {
        Deletion::Ttl {
            table: table.into(),
        }
    }

    /// The protection of this table.
    pub fn protection(table: impl Into<String>) -> Self {
        Deletion::Protection {
            table: table.into(),
        }
    }
}

/// As the program writes it.
impl fmt::Display for Deletion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deletion::Index { table, index } => write!(f, "Deletion::index({table:?}, {index:?})"),
            Deletion::Stream { table } => write!(f, "Deletion::stream({table:?})"),
            Deletion::Recovery { table } => write!(f, "Deletion::recovery({table:?})"),
            Deletion::Ttl { table } => write!(f, "Deletion::ttl({table:?})"),
            Deletion::Protection { table } => write!(f, "Deletion::protection({table:?})"),
        }
    }
}

/// The rough duration of a change on AWS; engines on your machine are done at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RoughTime {
    /// Seconds.
    Seconds,
    /// Some minutes.
    Minutes,
    /// Minutes for a few items, hours for many.
    ByItems {
        /// About how many there are; the service counts every six hours.
        items: u64,
        /// About how large they are together.
        bytes: u64,
    },
    /// Up to an hour, during which DynamoDB accepts no other change of the same kind.
    UpToAnHour,
    /// The step is never executed.
    Never,
}

impl fmt::Display for RoughTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoughTime::Seconds => f.write_str("seconds"),
            RoughTime::Minutes => f.write_str("minutes"),
            RoughTime::ByItems { items, bytes } => {
                write!(
                    f,
                    "minutes, longer for many items: about {items} ({bytes} bytes)"
                )
            }
            RoughTime::UpToAnHour => f.write_str("up to an hour"),
            RoughTime::Never => f.write_str("never done"),
        }
    }
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanStep {
    /// The full name of the table.
    pub table: String,
    /// The change.
    pub change: TableChange,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The loss, which must be [allowed](super::deploy::PlanApplication::allow).
    pub deletes: Option<Deletion>,
    /// The losses of earlier steps that this step requires.
    pub after: Vec<Deletion>,
    /// The actions that a policy has to allow.
    pub needs: Vec<&'static str>,
    /// Its possible side effects.
    pub risk: Option<&'static str>,
    /// Its rough duration.
    pub takes: RoughTime,
    /// The settings that a new table has from its creation. Those that need a request of their own are steps.
    pub with: Vec<TableChange>,
}

/// The progress of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepState {
    /// It begins.
    Begins,
    /// It is in progress, or has to wait for another change of the table. This state is reported repeatedly.
    Waits,
    /// It is done, by this process or another.
    Done,
    /// The server does not support the property, so nothing was changed.
    Unknown,
}

/// The actions on a key that the service needs of the caller when a table begins to be encrypted by it.
pub(crate) const USE_OWN_KEY: [&str; 6] = [
    "kms:CreateGrant",
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey*",
    "kms:ReEncrypt*",
];

const UPDATE_BY_OWN_KEY: &[&str] = {
    let [grant, decrypt, describe, encrypt, generate, again] = USE_OWN_KEY;
    &[
        "dynamodb:UpdateTable",
        grant,
        decrypt,
        describe,
        encrypt,
        generate,
        again,
    ]
};

impl TableChange {
    /// Its kind.
    pub fn kind(&self) -> ChangeKind {
        match self {
            TableChange::CreateTable
            | TableChange::AddIndex(_)
            | TableChange::AddStream(_)
            | TableChange::AddTtl(_) => ChangeKind::Add,
            TableChange::SetProtection(_)
            | TableChange::SetRecovery(_)
            | TableChange::ShortenRecovery(_)
            | TableChange::SetBilling(_)
            | TableChange::SetClass(_)
            | TableChange::SetOnDemandMaximum { .. }
            | TableChange::RaiseWarmThroughput { .. }
            | TableChange::SetEncryption(_)
            | TableChange::SetTags(_) => ChangeKind::Alter,
            TableChange::RemoveStream | TableChange::RemoveTtl(_) | TableChange::RemoveIndex(_) => {
                ChangeKind::Remove
            }
            TableChange::Replace(_) | TableChange::Unfit(_) => ChangeKind::Replace,
        }
    }

    /// Its loss.
    pub(super) fn own_deletion(&self, table: &str) -> Option<Deletion> {
        match self {
            TableChange::RemoveIndex(index) => Some(Deletion::index(table, index)),
            TableChange::RemoveStream => Some(Deletion::stream(table)),
            TableChange::RemoveTtl(_) => Some(Deletion::ttl(table)),
            TableChange::ShortenRecovery(_) => Some(Deletion::recovery(table)),
            TableChange::SetProtection(false) => Some(Deletion::protection(table)),
            _ => None,
        }
    }

    /// The actions that a policy has to allow.
    pub(super) fn needed_actions(&self) -> &'static [&'static str] {
        match self {
            TableChange::CreateTable => &["dynamodb:CreateTable"],
            TableChange::SetRecovery(_) | TableChange::ShortenRecovery(_) => {
                &["dynamodb:UpdateContinuousBackups"]
            }
            TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => &["dynamodb:UpdateTimeToLive"],
            TableChange::SetTags(_) => &["dynamodb:TagResource"],
            TableChange::SetEncryption(Encryption::Key(_)) => UPDATE_BY_OWN_KEY,
            TableChange::Replace(_) | TableChange::Unfit(_) => &[],
            _ => &["dynamodb:UpdateTable"],
        }
    }

    /// Its possible side effects.
    pub(super) fn change_risk(&self) -> Option<&'static str> {
        Some(match self {
            TableChange::AddIndex(_) => {
                "filling it reads and writes all items; one with a key attribute of another type stays out of it"
            }
            TableChange::RemoveIndex(_) => {
                "a program that reads it fails; to restore it, DynamoDB has to fill it again"
            }
            TableChange::RemoveStream => {
                "consumers stop at the end of this stream, and find the next one only by its new name"
            }
            TableChange::AddTtl(_) => "items that are past it already are deleted",
            TableChange::RemoveTtl(_) => "items are kept until a program deletes them",
            TableChange::ShortenRecovery(_) => {
                "the table can no longer be restored to the days before"
            }
            TableChange::SetProtection(false) => "anybody with the permission can delete the table",
            TableChange::SetBilling(Billing::OnDemand) => {
                "DynamoDB accepts this change four times in 24 hours"
            }
            TableChange::SetBilling(_) => {
                "requests beyond the units are throttled; tools that scale the units begin with these"
            }
            TableChange::SetClass(_) => "DynamoDB accepts this change twice in 30 days",
            TableChange::SetOnDemandMaximum {
                maximum: OnDemandMaximum::Unlimited,
                ..
            } => "the costs of requests have no limit but the quotas of the account",
            TableChange::SetOnDemandMaximum { .. } => {
                "requests beyond it are throttled, writes of the table also by the maximum of an index"
            }
            TableChange::RaiseWarmThroughput { .. } => {
                "DynamoDB charges once for each unit that is added, and the units can never be decreased again"
            }
            TableChange::SetEncryption(Encryption::Key(_)) => {
                "without the key, nobody can read the table: programs need permission for it; DynamoDB accepts few changes of \
                 the key in a day"
            }
            TableChange::SetEncryption(_) => "DynamoDB accepts few changes of the key in a day",
            _ => return None,
        })
    }

    pub(super) fn rough_time(&self, (items, bytes): (u64, u64)) -> RoughTime {
        match self {
            TableChange::AddIndex(_) | TableChange::RaiseWarmThroughput { .. } => {
                RoughTime::ByItems { items, bytes }
            }
            TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => RoughTime::UpToAnHour,
            TableChange::SetBilling(_)
            | TableChange::SetClass(_)
            | TableChange::SetEncryption(_)
            | TableChange::RemoveIndex(_) => RoughTime::Minutes,
            TableChange::Replace(_) | TableChange::Unfit(_) => RoughTime::Never,
            _ => RoughTime::Seconds,
        }
    }

    /// A limit of the service for this change over hours or days, for which an application does not wait.
    pub(super) fn lasting_limit(&self) -> Option<&'static str> {
        match self {
            TableChange::SetClass(_) => {
                Some("DynamoDB accepts two changes of the class in 30 days")
            }
            TableChange::SetEncryption(_) => Some(
                "DynamoDB accepts four changes of the key in 24 hours, and one more after six hours without a change",
            ),
            TableChange::SetBilling(Billing::OnDemand) => {
                Some("it takes four switches to billing by requests in 24 hours")
            }
            TableChange::SetBilling(_) => Some(
                "it takes few decreases of units in a day, and has quotas for the units of a table and of an account",
            ),
            TableChange::SetOnDemandMaximum { .. } | TableChange::RaiseWarmThroughput { .. } => {
                Some(
                    "the account has quotas for the units of a table, by default 40000 read units and 40000 write units",
                )
            }
            _ => None,
        }
    }

    /// How long the service may reject it for a reason that passes.
    pub(super) fn wait_limit(&self) -> Duration {
        match self {
            TableChange::AddTtl(_) | TableChange::RemoveTtl(_) => Duration::from_secs(70 * 60),
            _ => Duration::from_secs(5 * 60),
        }
    }
}

/// The contents of a stream, in words.
pub(super) fn view_text(view: StreamView) -> &'static str {
    match view {
        StreamView::KeysOnly => "keys",
        StreamView::NewImage => "new images",
        StreamView::OldImage => "old images",
        StreamView::NewAndOldImages => "new and old images",
    }
}

fn index_text(index: Option<&str>) -> String {
    index.map_or_else(String::new, |name| format!(" of index `{name}`"))
}

impl fmt::Display for TableChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableChange::CreateTable => f.write_str("create the table"),
            TableChange::SetProtection(true) => f.write_str("protect the table from being deleted"),
            TableChange::SetProtection(false) => f.write_str("protect the table no longer"),
            TableChange::SetRecovery(days) => write!(f, "keep {days} days for recovery"),
            TableChange::ShortenRecovery(days) => {
                write!(f, "keep no more than {days} days for recovery")
            }
            TableChange::SetBilling(billing) => match billing.units() {
                None => f.write_str("bill by requests"),
                Some((reads, writes)) => {
                    write!(f, "bill {reads} read units and {writes} write units")
                }
            },
            TableChange::SetClass(TableClass::Standard) => f.write_str("take the standard class"),
            TableChange::SetClass(TableClass::InfrequentAccess) => {
                f.write_str("take the class for infrequent access")
            }
            TableChange::SetOnDemandMaximum { index, maximum } => {
                let of = index_text(index.as_deref());
                match maximum {
                    OnDemandMaximum::Unlimited => {
                        write!(f, "limit requests{of} no longer")
                    }
                    OnDemandMaximum::Units { reads, writes } => write!(
                        f,
                        "limit requests{of} to {reads} read units and {writes} write units per second"
                    ),
                }
            }
            TableChange::RaiseWarmThroughput { index, units } => write!(
                f,
                "raise the warm throughput{} to {} read units and {} write units per second",
                index_text(index.as_deref()),
                units.reads,
                units.writes
            ),
            TableChange::SetEncryption(encryption) => {
                write!(f, "encrypt the table by {encryption}")
            }
            TableChange::AddIndex(name) => write!(f, "add index `{name}`"),
            TableChange::RemoveIndex(name) => write!(f, "remove index `{name}`"),
            TableChange::AddStream(view) => write!(f, "begin a stream of {}", view_text(*view)),
            TableChange::RemoveStream => f.write_str("end the stream"),
            TableChange::AddTtl(attribute) => write!(f, "have items expire by `{attribute}`"),
            TableChange::RemoveTtl(attribute) => {
                write!(f, "have items expire no longer by `{attribute}`")
            }
            TableChange::SetTags(tags) => {
                let tags: Vec<String> = tags
                    .iter()
                    .map(|(name, value)| format!("{name}={value:?}"))
                    .collect();
                write!(f, "label it {}", tags.join(", "))
            }
            TableChange::Replace(says) | TableChange::Unfit(says) => f.write_str(says),
        }
    }
}
