//! Statements, and the documents that they fit into.

use std::collections::BTreeMap;

use super::partitions::Partitions;
use crate::error::{Error, Result};
use crate::json::JsonTree;

/// How many characters a managed policy may have, not counting white space.
pub(super) const LONGEST: usize = 6144;

/// Actions that are allowed on resources.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// Those of DynamoDB without the name of the service.
    pub(super) actions: Vec<&'static str>,
    pub(super) resources: Vec<String>,
    pub(super) partitions: Partitions,
    /// The service that must send the requests on behalf of the role, as IAM names it.
    pub(super) via_service: Vec<String>,
}

impl Statement {
    pub(super) fn is_about(&self, actions: &[&str], partitions: &Partitions) -> bool {
        self.actions == actions && self.partitions == *partitions
    }

    fn statement_tree(&self) -> JsonTree {
        let actions = self
            .actions
            .iter()
            .map(|action| match action.contains(':') {
                true => (*action).to_owned(),
                false => format!("dynamodb:{action}"),
            });
        let actions: Vec<String> = actions.collect();
        JsonTree::object_of([
            ("Effect", Some("Allow".into())),
            (
                "Action",
                Some(list_texts(actions.iter().map(String::as_str))),
            ),
            (
                "Resource",
                Some(list_texts(self.resources.iter().map(String::as_str))),
            ),
            ("Condition", self.condition_tree()),
        ])
    }

    fn condition_tree(&self) -> Option<JsonTree> {
        let services = match &*self.via_service {
            [] => None,
            [only] => Some(only.as_str().into()),
            several => Some(list_texts(several.iter().map(String::as_str))),
        };
        if let Some(services) = services {
            let via = JsonTree::object_of([("kms:ViaService", Some(services))]);
            return Some(JsonTree::object_of([("StringLike", Some(via))]));
        }
        if self.partitions.is_any() {
            return None;
        }
        let mut conditions: BTreeMap<&str, Vec<(&str, Option<JsonTree>)>> = BTreeMap::new();
        for (key, operator, values) in self.partitions.condition_limits() {
            let values = list_texts(values.iter().map(String::as_str));
            let limits = conditions.entry(operator).or_default();
            limits.push((key.condition_name(), Some(values)));
            // `ForAllValues` also holds for a request that has no such key at all, so `Null` requires the key.
            let present = conditions.entry("Null").or_default();
            present.push((key.condition_name(), Some("false".into())));
        }
        let conditions = conditions.into_iter();
        Some(JsonTree::object_of(conditions.map(|(operator, keys)| {
            (operator, Some(JsonTree::object_of(keys)))
        })))
    }

    /// Two statements, each about a half of the resources; None if there is one resource only.
    fn split_statement(&self) -> Option<[Statement; 2]> {
        let (one, other) = self.resources.split_at_checked(self.resources.len() / 2)?;
        (!one.is_empty()).then(|| {
            [one, other].map(|resources| Statement {
                resources: resources.to_vec(),
                ..self.clone()
            })
        })
    }
}

/// The documents, each as full as it may be.
pub(super) fn write_documents(statements: Vec<Statement>) -> Result<Vec<String>> {
    let mut waiting = statements;
    // It is used as a stack, because a half that does not fit is put back in front.
    waiting.reverse();
    let mut documents = Vec::new();
    let mut open: Vec<Statement> = Vec::new();
    while let Some(statement) = waiting.pop() {
        open.push(statement);
        if document_size(&write_document(&open)) <= LONGEST {
            continue;
        }
        let Some(last) = open.pop() else { continue };
        if !open.is_empty() {
            documents.push(write_document(&open));
            open.clear();
            waiting.push(last);
        } else if let Some([one, other]) = last.split_statement() {
            waiting.push(other);
            waiting.push(one);
        } else {
            return Err(Error::config(format!(
                "a statement about one table has more than {LONGEST} characters: remove `leading_keys()`"
            )));
        }
    }
    if !open.is_empty() {
        documents.push(write_document(&open));
    }
    Ok(documents)
}

fn write_document(statements: &[Statement]) -> String {
    let tree = JsonTree::object_of([
        ("Version", Some("2012-10-17".into())),
        (
            "Statement",
            Some(JsonTree::list_of(statements, Statement::statement_tree)),
        ),
    ]);
    tree.to_text()
}

fn document_size(document: &str) -> usize {
    document.chars().filter(|c| !c.is_whitespace()).count()
}

/// Texts as a list.
fn list_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> JsonTree {
    JsonTree::List(texts.into_iter().map(JsonTree::from).collect())
}
