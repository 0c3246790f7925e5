//! The permissions for the keys by which tables are encrypted. Only keys of the account need any.

use std::collections::{BTreeMap, BTreeSet};

use super::document::Statement;
use super::partitions::Partitions;
use super::permissions::Permissions;
use crate::schema::{Encryption, TableSchema};
use crate::table::USE_OWN_KEY;

const READ: [&str; 2] = ["kms:Decrypt", "kms:DescribeKey"];
const WRITE: [&str; 3] = ["kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"];

/// A statement for each set of actions. The service uses the key on behalf of the role, which therefore needs no right to
/// use it in another way.
///
/// `streams` are the tables whose streams the role reads, because DynamoDB encrypts a stream by the key of its table.
pub(super) fn key_statements(
    tables: &[TableSchema],
    allowed: &Permissions,
    streams: &BTreeSet<String>,
    (partition, region): (&str, &str),
) -> Vec<Statement> {
    let mut by_key: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
    for table in tables {
        let Some(Encryption::Key(arn)) = &table.settings.encryption else {
            continue;
        };
        if streams.contains(&table.name) {
            by_key.entry(arn).or_default().extend(READ);
        }
        let of_table = allowed.0.iter();
        let of_table = of_table.filter(|((name, _), _)| *name == table.name);
        for action in of_table.flat_map(|(_, actions)| actions.keys()) {
            let needed = by_key.entry(arn).or_default();
            needed.extend(
                key_actions(action)
                    .iter()
                    .flat_map(|actions| actions.iter()),
            );
        }
    }
    let mut statements: Vec<Statement> = Vec::new();
    for (arn, actions) in by_key
        .into_iter()
        .filter(|(_, actions)| !actions.is_empty())
    {
        let actions: Vec<&'static str> = actions.into_iter().collect();
        let mut known = statements.iter_mut();
        match known.find(|known| known.actions == actions) {
            Some(known) => known.resources.push(arn.to_owned()),
            None => statements.push(Statement {
                actions,
                resources: vec![arn.to_owned()],
                partitions: Partitions::any_partition(),
                via_service: services(partition, region),
            }),
        }
    }
    statements
}

/// The names of DynamoDB in `kms:ViaService`. The documentation of KMS has only the first form, and the endpoints in China
/// the second one, so both are allowed there.
fn services(partition: &str, region: &str) -> Vec<String> {
    let mut services = vec![format!("dynamodb.{region}.amazonaws.com")];
    if partition == "aws-cn" {
        services.push(format!("dynamodb.{region}.amazonaws.com.cn"));
    }
    services
}

/// The actions on the key of a table that an action on the table needs.
fn key_actions(action: &str) -> &'static [&'static [&'static str]] {
    match action {
        "GetItem" | "BatchGetItem" | "Query" | "Scan" | "ConditionCheckItem" => &[&READ],
        "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" => &[&READ, &WRITE],
        "CreateTable" => &[&USE_OWN_KEY],
        _ => &[],
    }
}
