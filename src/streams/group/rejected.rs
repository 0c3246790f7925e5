//! The errors of groups that a worker cannot join, or no longer.

use std::collections::BTreeSet;

use super::lease::StreamGroup;
use crate::error::{Error, ErrorKind, Stage};

#[cold]
pub(super) fn other_entities(group: &StreamGroup, entities: &BTreeSet<String>) -> Error {
    let message = format!(
        "group `{}` handles changes of {:?}, but this consumer handles changes of {entities:?}: give each consumer of a \
         table its own name. If the group shall handle more entities, deploy all workers with them; if it shall handle \
         fewer, call `.with_fewer_entities()`",
        group.group, group.entities
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

#[cold]
pub(super) fn other_stream(group: &str, old: &str, arn: &str) -> Error {
    let reason = match (table_of(old), table_of(arn)) {
        (Some(one), Some(other)) if one != other => format!(
            "it belongs to the consumers of table `{one}`. Give each consumer its own name"
        ),
        _ => "the stream was switched off and on again, or the table was created again. To read the new stream, stop \
              all workers and call `StreamGroup::forget`; changes of the old stream that were not handled are lost"
            .to_owned(),
    };
    let message = format!(
        "group `{group}` reads the stream `{old}`, but the table has the stream `{arn}`: {reason}"
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

/// The name of the table of a stream.
fn table_of(arn: &str) -> Option<&str> {
    let (_, table) = arn.split_once(":table/")?;
    table.split_once('/').map(|(table, _)| table)
}

#[cold]
pub(super) fn ended_stream(group: &str, arn: &str) -> Error {
    let message = format!(
        "the stream `{arn}` of group `{group}` is switched off, and all of its changes were handled"
    );
    Error::new(ErrorKind::Config, Stage::Request, message)
}

#[cold]
pub(super) fn too_many_operations(count: usize) -> Error {
    let message = format!(
        "the writes of a change are {count} operations, but a transaction has at most 100, and one of them saves the place"
    );
    Error::new(ErrorKind::TooLarge, Stage::Request, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_another_table_is_named() {
        let arn = |table: &str| format!("arn:aws:dynamodb:eu-west-1:1:table/{table}/stream/2026");
        let error = other_stream("mails", &arn("orders"), &arn("users"));
        assert!(
            error.to_string().contains("consumers of table `orders`"),
            "{error}"
        );
        assert!(!error.to_string().contains("forget"), "{error}");
        let error = other_stream("mails", &arn("orders"), &(arn("orders") + "-1"));
        assert!(error.to_string().contains("StreamGroup::forget"), "{error}");
    }
}
