//! Whether tables can be used, as an answer in types: what was looked at, and what was found.

use std::error::Error as StdError;
use std::fmt;

use super::replicas::ReplicationFinding;
use crate::error::{Error, ErrorKind, Remedy};

/// The checks of [`Dynamo::ready`](crate::Dynamo::ready), by the operation that they send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Look {
    /// Whether the table and its indexes exist, are active and match their declarations.
    DescribeTable,
    /// Whether items expire as declared.
    DescribeTimeToLive,
    /// Whether an item can be read: a strongly consistent read of a key that no item has.
    GetItem,
    /// Whether a partition of the table can be queried, if the table has a sort key.
    Query,
    /// Whether each declared index can be queried.
    QueryIndexes,
}

impl Look {
    pub(super) const ALL: [Look; 5] = [
        Look::DescribeTable,
        Look::DescribeTimeToLive,
        Look::GetItem,
        Look::Query,
        Look::QueryIndexes,
    ];

    /// The action that a policy has to allow.
    pub(super) fn action_name(self) -> &'static str {
        match self {
            Look::DescribeTable => "DescribeTable",
            Look::DescribeTimeToLive => "DescribeTimeToLive",
            Look::GetItem => "GetItem",
            Look::Query | Look::QueryIndexes => "Query",
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Look::QueryIndexes => f.write_str("Query of indexes"),
            look => f.write_str(look.action_name()),
        }
    }
}

/// Whether tables can be used; see [`Dynamo::ready`](crate::Dynamo::ready).
///
/// It displays as a line for each finding and one for each table that is ready. The lines name tables, indexes and
/// actions, and no values.
#[derive(Debug)]
#[non_exhaustive]
pub struct Readiness {
    /// The tables, in the order in which they were requested.
    pub tables: Vec<TableReadiness>,
}

impl Readiness {
    /// Whether nothing was found to be wrong.
    pub fn is_ready(&self) -> bool {
        self.tables.iter().all(TableReadiness::is_ready)
    }

    /// The findings about all tables.
    pub fn findings(&self) -> impl Iterator<Item = &ReadinessFinding> {
        self.tables.iter().flat_map(|table| &table.findings)
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, table) in self.tables.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "\n" })?;
            table.fmt(f)?;
        }
        Ok(())
    }
}

/// Whether one table can be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableReadiness {
    /// Its full name.
    pub table: String,
    /// The findings; empty if there are none.
    pub findings: Vec<ReadinessFinding>,
    /// The checks that succeeded. Anything that is neither here nor in a finding was not checked. Writes are never
    /// checked, and neither are indexes or a sort key that the table does not have.
    pub proven: Vec<Look>,
}

impl TableReadiness {
    /// Whether nothing was found to be wrong.
    pub fn is_ready(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether its description is another than the declared one.
    pub(super) fn has_differences(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| matches!(finding, ReadinessFinding::Differs(_)))
    }

    /// Adds a finding, unless it is about the whole table and another request has found the same.
    pub(super) fn add_finding(&mut self, finding: ReadinessFinding) {
        let same = |other: &ReadinessFinding| {
            std::mem::discriminant(other) == std::mem::discriminant(&finding)
        };
        if !(finding.is_of_the_table() && self.findings.iter().any(same)) {
            self.findings.push(finding);
        }
    }
}

impl fmt::Display for TableReadiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TableReadiness {
            table,
            findings,
            proven,
        } = self;
        if findings.is_empty() {
            let proven: Vec<String> = proven.iter().map(Look::to_string).collect();
            return write!(f, "{table}: ready ({})", proven.join(", "));
        }
        for (at, finding) in findings.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{table}: {finding}")?;
        }
        Ok(())
    }
}

/// The reason why a table is not ready.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadinessFinding {
    /// The table does not exist in the region and the account of this connection, with its prefix.
    Missing,
    /// The table is being created or deleted, or cannot be used: the status is DynamoDB's.
    NotActive {
        /// For example `CREATING`.
        status: String,
    },
    /// A declared index does not exist.
    IndexMissing {
        /// Its name.
        index: String,
    },
    /// A declared index is being added, with its rows or without, or removed.
    IndexNotActive {
        /// Its name.
        index: String,
    },
    /// DynamoDB rejected a query of an index: the index does not exist, is being filled, or has another key. Its
    /// description would show which, but was not read.
    IndexRefused {
        /// Its name.
        index: String,
        /// The message of the service.
        error: Error,
    },
    /// The table differs from its declaration: the differences and their remedies.
    Differs(String),
    /// The credentials are valid, but are not allowed to do this.
    Denied {
        /// The action that a policy would have to allow, such as `DescribeTable`.
        action: &'static str,
        /// The index, if it is one that was queried.
        index: Option<String>,
        /// The message of the service.
        error: Error,
    },
    /// It is a global table that differs from its declaration, or in which a part of the model does not hold.
    Replicated(ReplicationFinding),
    /// Credentials are missing, expired, or not those of an account.
    Credentials(Error),
    /// DynamoDB rejected a request because of load.
    Throttled(Error),
    /// There was no connection, no response arrived in time, or DynamoDB failed.
    Unreachable(Error),
    /// Something else, such as two declarations of one table.
    Failed(Error),
}

impl ReadinessFinding {
    /// The meaning of the failure of this check.
    pub(super) fn of_failed_look(look: Look, index: Option<&str>, error: Error) -> Self {
        let index = index.map(str::to_owned);
        match (error.kind(), error.code()) {
            (ErrorKind::IndexNotFound | ErrorKind::Rejected, _) if index.is_some() => {
                let index = index.unwrap_or_default();
                ReadinessFinding::IndexRefused { index, error }
            }
            (ErrorKind::TableNotFound, _) => ReadinessFinding::Missing,
            (ErrorKind::AccessDenied, Some("AccessDenied" | "AccessDeniedException")) => {
                let action = look.action_name();
                ReadinessFinding::Denied {
                    action,
                    index,
                    error,
                }
            }
            // A response without a code comes from another server than DynamoDB, for example a proxy.
            (ErrorKind::AccessDenied, None) if error.source().is_none() => {
                ReadinessFinding::Failed(error)
            }
            (ErrorKind::AccessDenied, _) => ReadinessFinding::Credentials(error),
            (ErrorKind::Throttled, _) => ReadinessFinding::Throttled(error),
            (ErrorKind::Unavailable, _) => ReadinessFinding::Unreachable(error),
            _ => ReadinessFinding::Failed(error),
        }
    }

    /// The error of DynamoDB or of the connection, if the finding has one.
    pub fn error(&self) -> Option<&Error> {
        match self {
            ReadinessFinding::IndexRefused { error, .. }
            | ReadinessFinding::Denied { error, .. }
            | ReadinessFinding::Credentials(error)
            | ReadinessFinding::Throttled(error)
            | ReadinessFinding::Unreachable(error)
            | ReadinessFinding::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Whether every request to the table would find it again.
    fn is_of_the_table(&self) -> bool {
        matches!(
            self,
            ReadinessFinding::Missing
                | ReadinessFinding::Credentials(_)
                | ReadinessFinding::Throttled(_)
                | ReadinessFinding::Unreachable(_)
        )
    }
}

impl fmt::Display for ReadinessFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadinessFinding::Missing => {
                write!(f, "this table does not exist: {}", Remedy::CreateTables)
            }
            ReadinessFinding::NotActive { status } => write!(f, "its status is {status}"),
            ReadinessFinding::IndexMissing { index } => write!(
                f,
                "index `{index}` is missing: a global one is added with db.add_indexes([..]), a local one needs a new \
                 table"
            ),
            ReadinessFinding::IndexNotActive { index } => {
                write!(f, "index `{index}` is being added or removed")
            }
            ReadinessFinding::IndexRefused { index, error } => write!(
                f,
                "index `{index}` cannot be queried: it is missing, being filled, or has another key: {error}"
            ),
            ReadinessFinding::Differs(how) => f.write_str(how),
            ReadinessFinding::Replicated(finding) => finding.fmt(f),
            ReadinessFinding::Denied {
                action,
                index,
                error,
            } => {
                let of = index.as_ref().map(|index| format!(" of index `{index}`"));
                let of = of.unwrap_or_default();
                write!(f, "dynamodb:{action}{of} is not allowed: {error}")
            }
            ReadinessFinding::Credentials(error)
            | ReadinessFinding::Throttled(error)
            | ReadinessFinding::Unreachable(error)
            | ReadinessFinding::Failed(error) => error.fmt(f),
        }
    }
}
