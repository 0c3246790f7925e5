//! The settings and calls of this library that avoid an error.

use std::fmt;

/// A setting or call of this library that avoids an error.
///
/// The text of an [`Error`](super::Error) ends with its remedies, as they are written in Rust. A program with options of its
/// own, for example a command line, shows [`reason`](super::Error::reason) instead, and the option that belongs to each
/// [remedy](super::Error::remedies).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// Create the table by [`create_tables`](crate::Dynamo::create_tables), or correct the connection.
    CreateTables,
    /// Create the table in the target of a copy by [`create_tables`](crate::Dynamo::create_tables), or correct the connection of the
    /// target.
    CreateTargetTables,
    /// Replace an item that was never loaded, by [`unchecked`](crate::write::Put::unchecked).
    Unchecked,
    /// Upgrade an item of an older shape, by [`modify`](crate::entity::Key::modify) or [`refill`](crate::BulkExt::refill).
    Upgrade,
    /// Give the key part before the TTL, or return expired rows by [`include_expired`](crate::QueryExt::include_expired).
    IncludeExpired,
    /// Drop attributes without a field, by `drop_unknown` of an [import](crate::transfer::Import::drop_unknown) or a
    /// [copy](crate::transfer::RowCopy::drop_unknown).
    DropUnknown,
    /// Store lines as they are, by [`as_is`](crate::transfer::Import::as_is).
    AsIs,
    /// Omit [`as_is`](crate::transfer::Import::as_is).
    NotAsIs,
    /// Import the line by its entity, by [`import`](crate::EntityExt::import).
    ImportEntity,
    /// Import all items of the table, by [`TableSchema::import`](crate::schema::TableSchema::import).
    ImportTable,
    /// Read the lines as DynamoDB JSON, by [`format`](crate::transfer::Import::format).
    DynamoJson,
    /// Read the lines as plain JSON, by [`format`](crate::transfer::Import::format).
    PlainJson,
    /// Accept a folder without some rows, by [`allow_missing_rows`](crate::transfer::Import::allow_missing_rows).
    AllowMissingRows,
    /// Replace stored items, by `replace` of an [import](crate::transfer::Import::replace) or a
    /// [copy](crate::transfer::RowCopy::replace).
    Replace,
    /// Copy or import each entity by its type instead of the whole table, because this checks unique values.
    ByEntity,
    /// Omit [`replace`](crate::transfer::RowCopy::replace), and copy into an empty table.
    DoNotReplace,
    /// Copy all items of the table, by [`scan_items`](crate::schema::TableSchema::scan_items), without pseudonyms.
    CopyTable,
    /// Use the same secret in each run, by [`Mask::with_secret`](crate::transfer::Mask::with_secret).
    WithSecret,
    /// Choose the value of a personal field, by [`Mask::by`](crate::transfer::Mask::by).
    ChooseValue,
    /// Let more rows fail, by `max_failures` of a job, an import or a copy.
    MaxFailures,
    /// Write the rows to a file as DynamoDB JSON, by [`export`](crate::ExportExt::export).
    ExportRows,
    /// Divide the policy, by [`documents`](crate::export::Policy::documents).
    Documents,
}

/// As it is written in Rust.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::CreateTables => {
                "create it with db.create_tables([..]), or check the prefix, the region and the account of this connection"
            }
            Remedy::CreateTargetTables => {
                "create it by `create_tables` of the target's connection, or check the prefix, the region and the account of that \
                 connection"
            }
            Remedy::Unchecked => "load it first, or write `.unchecked()` to replace it",
            Remedy::Upgrade => "upgrade it by `modify` or `refill`, then retry",
            Remedy::IncludeExpired => {
                "give that part, or include expired rows by `include_expired()`"
            }
            Remedy::DropUnknown => "drop such attributes by `.drop_unknown()`",
            Remedy::AsIs => "store lines unchanged by `.as_is()`",
            Remedy::NotAsIs => "remove `.as_is()`",
            Remedy::ImportEntity => "import such lines by their entity",
            Remedy::ImportTable => "import its table by `schema.import(..)`",
            Remedy::DynamoJson => "read it by `.format(RowFormat::DynamoJson)`",
            Remedy::PlainJson => "read it by `.format(RowFormat::Json)`",
            Remedy::AllowMissingRows => "export again, or accept this by `.allow_missing_rows()`",
            Remedy::Replace => "replace such items by `.replace()`",
            Remedy::ByEntity => "copy or import each entity by its type, because that checks unique values",
            Remedy::DoNotReplace => "copy into an empty table, without `.replace()`",
            Remedy::CopyTable => {
                "copy the whole table by `scan_items()` without `.masked(..)`, or wait until the old key is removed"
            }
            Remedy::WithSecret => "create the mask by `Mask::with_secret`",
            Remedy::ChooseValue => "return another value from `Mask::by`",
            Remedy::MaxFailures => "let more fail by `.max_failures(..)`",
            Remedy::ExportRows => {
                "write the same lines from every engine by `scan().export(..).format(RowFormat::DynamoJson)`"
            }
            Remedy::Documents => "divide it by `documents()`, or allow less",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::json::CodecError;

    #[test]
    fn a_query_that_cannot_omit_expired_rows_has_its_remedy() {
        let fault = CodecError::new("expired rows cannot be omitted");
        assert_eq!(Error::encode("Order", fault.clone()).remedies(), []);
        let error = Error::encode("Order", fault.needing_expired());
        assert_eq!(error.remedies(), [Remedy::IncludeExpired]);
        assert_eq!(error.reason(), "Order: expired rows cannot be omitted");
        assert!(error.to_string().contains("`include_expired()`"));
    }
}
