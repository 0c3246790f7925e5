//! The lints that `allow(..)` silences, and each `allow(..)` that is not needed.

use super::finding::LintPlace;
use super::found::Lint;
use super::rule::LintRule;
use crate::schema::{AllowSchema, EntitySchema, TableSchema};

/// An `allow` of a rule that this version knows.
struct Allowed<'s> {
    /// None if it is that of the table.
    entity: Option<&'s EntitySchema>,
    /// The part of the declaration, if it is not the whole.
    of: Option<&'s str>,
    rule: LintRule,
}

impl Allowed<'_> {
    fn covers(&self, lint: &Lint) -> bool {
        let is_there = match self.entity {
            Some(entity) => lint.place.entity() == Some(&entity.name),
            None => self.of.is_none() || lint.place.entity().is_none(),
        };
        let is_part = self.of.is_none() || self.of == lint.place.member();
        self.rule == lint.rule && is_there && is_part
    }

    /// Its place in the declaration.
    fn place(&self, table: &TableSchema) -> LintPlace {
        let table = table.name.clone();
        let (entity, name) = match (self.entity, self.of) {
            (None, None) => return LintPlace::Table { table },
            (None, Some(index)) => {
                let index = index.to_owned();
                return LintPlace::Index { table, index };
            }
            (Some(entity), None) => {
                let entity = entity.name.clone();
                return LintPlace::Entity { entity };
            }
            (Some(entity), Some(name)) => (entity, name.to_owned()),
        };
        let is_unique = entity.uniques.iter().any(|unique| unique.name == name);
        let is_search = entity.searches.iter().any(|search| search.name == name);
        let is_pattern = is_search || entity.pattern(&name).is_some();
        let entity = entity.name.clone();
        match (is_pattern, is_unique) {
            (true, _) => LintPlace::Pattern {
                entity,
                pattern: name,
            },
            (_, true) => LintPlace::Unique {
                entity,
                unique: name,
            },
            _ => LintPlace::Field {
                entity,
                field: name,
            },
        }
    }
}

/// The remaining lints, and the `allow`s that cover none of them. An `allow(unused_allow)` may be unused itself.
pub(super) fn without_allowed(table: &TableSchema, mut found: Vec<Lint>) -> Vec<Lint> {
    let all: Vec<Allowed<'_>> = allowed(table).collect();
    let unused = all.iter().filter(|allowed| {
        // The settings differ between environments, and the declaration is one.
        let depends_on_settings = matches!(
            allowed.rule,
            LintRule::EventualReplicas
                | LintRule::StrongReplicas
                | LintRule::UnprotectedTable
                | LintRule::UnrecoverableTable
                | LintRule::NoSpendCap
        );
        let is_checked = allowed.rule != LintRule::UnusedAllow && !depends_on_settings;
        is_checked && !found.iter().any(|lint| allowed.covers(lint))
    });
    let unused: Vec<Lint> = unused.map(|allowed| unused_allow(table, allowed)).collect();
    found.extend(unused);
    found.retain(|lint| !all.iter().any(|allowed| allowed.covers(lint)));
    found
}

/// The rules that are allowed, with where that stands.
fn allowed(table: &TableSchema) -> impl Iterator<Item = Allowed<'_>> {
    let of_table = table.allows.iter().map(|allow| (None, allow));
    let entities = table.entities.iter();
    let of_entities =
        entities.flat_map(|entity| entity.allows.iter().map(move |allow| (Some(entity), allow)));
    let all = of_table.chain(of_entities);
    all.filter_map(|(entity, allow): (_, &AllowSchema)| {
        Some(Allowed {
            entity,
            of: allow.of.as_deref(),
            rule: LintRule::from_name(&allow.rule)?,
        })
    })
}

fn unused_allow(table: &TableSchema, allowed: &Allowed<'_>) -> Lint {
    Lint {
        rule: LintRule::UnusedAllow,
        place: allowed.place(table),
        message: format!(
            "`allow({})` is unnecessary: that lint finds nothing there",
            allowed.rule.name()
        ),
        fix: "remove it".to_owned(),
    }
}
