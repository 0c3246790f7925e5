//! The actions that a policy permits.

use std::collections::BTreeMap;

use super::document::Statement;
use super::partitions::Partitions;

/// The permitted actions, by table and index.
#[derive(Debug, Clone, Default)]
pub(super) struct Permissions(
    pub(super) BTreeMap<(String, Option<String>), BTreeMap<&'static str, Partitions>>,
);

impl Permissions {
    /// Allows an action, on these partitions if they are known.
    pub(super) fn add_permission(
        &mut self,
        table: &str,
        index: Option<&str>,
        action: &'static str,
        partitions: Partitions,
    ) {
        let place = (table.to_owned(), index.map(str::to_owned));
        let actions = self.0.entry(place).or_default();
        let all = match actions.remove(action) {
            Some(known) => known.union_with(&partitions),
            None => partitions,
        };
        actions.insert(action, all);
    }

    pub(super) fn extend(&mut self, other: Permissions) {
        for ((table, index), actions) in other.0 {
            for (action, partitions) in actions {
                self.add_permission(&table, index.as_deref(), action, partitions);
            }
        }
    }

    pub(super) fn forget_partitions(&mut self) {
        let actions = self.0.values_mut();
        actions
            .flat_map(BTreeMap::values_mut)
            .for_each(|partitions| *partitions = Partitions::any_partition());
    }

    /// An action on items that reaches all partitions, of which table or index. Two grants together may be wider than each.
    pub(super) fn unlimited_items(&self) -> Option<String> {
        self.0.iter().find_map(|((table, index), actions)| {
            let mut items = actions.iter().filter(|(action, _)| is_of_items(action));
            let (action, _) = items.find(|(_, partitions)| partitions.is_any())?;
            let of = index.as_ref().map(|index| format!(" of index `{index}`"));
            Some(format!(
                "`{action}`{} of table `{table}`",
                of.unwrap_or_default()
            ))
        })
    }

    pub(super) fn with_table_names(self, name: impl Fn(&str) -> String) -> Self {
        let mut named = Permissions::default();
        for ((table, index), actions) in self.0 {
            for (action, partitions) in actions {
                named.add_permission(&name(&table), index.as_deref(), action, partitions);
            }
        }
        named
    }

    /// A statement for each set of actions, with all resources that have it.
    pub(super) fn policy_statements(
        &self,
        arn: impl Fn(&str, Option<&str>) -> String,
    ) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        for ((table, index), actions) in &self.0 {
            let resource = arn(table, index.as_deref());
            let mut sets: BTreeMap<&Partitions, Vec<&'static str>> = BTreeMap::new();
            for (action, partitions) in actions {
                sets.entry(partitions).or_default().push(action);
            }
            for (partitions, actions) in sets {
                let mut known = statements.iter_mut();
                match known.find(|known| known.is_about(&actions, partitions)) {
                    Some(known) => known.resources.push(resource.clone()),
                    None => statements.push(Statement {
                        actions,
                        resources: vec![resource.clone()],
                        partitions: partitions.clone(),
                        via_service: Vec::new(),
                    }),
                }
            }
        }
        statements
    }
}

/// Whether an action reads or writes items, and not the table itself.
fn is_of_items(action: &str) -> bool {
    action.ends_with("Item") || matches!(action, "Query" | "Scan")
}
