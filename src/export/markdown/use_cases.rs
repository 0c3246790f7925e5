//! The table of use cases.

use std::fmt::Write;

use super::grid::{Grid, escape_text, inline_code};
use super::{Markdown, show_template};
use crate::export::calls::{collection_templates, join_templates};
use crate::export::use_case::UseCase;
use crate::plan::Cost;
use crate::schema::TableSchema;

impl Markdown {
    /// The table of the use cases with a heading, and a list of the assumptions about their costs.
    pub(super) fn write_use_cases(&self) -> Option<String> {
        if self.use_cases.is_empty() {
            return None;
        }
        let costs: Vec<Option<Cost>> = self
            .use_cases
            .iter()
            .map(|case| case.cost(&self.schemas).ok())
            .collect();
        let rows = self.use_cases.iter().zip(&costs);
        let grid = Grid {
            heads: [
                "ID",
                "question",
                "call",
                "table",
                "key",
                "operation",
                "a day",
                "units",
                "a month",
            ],
            rows: rows
                .map(|(case, cost)| self.use_case_row(case, cost.as_ref()))
                .collect(),
        };
        let mut out = format!(
            "{} Use cases\n\n{}",
            "#".repeat(self.level),
            grid.grid_text()
        );
        if let Some(prices) = &self.prices {
            let total: f64 = self
                .use_cases
                .iter()
                .zip(&costs)
                .filter_map(|(case, cost)| Some(prices.of_month(cost.as_ref()?, case.per_day)))
                .sum();
            // Writing to a text never fails.
            let _ = write!(
                out,
                "\nAll use cases cost {} {} a month.\n",
                amount_text(total),
                escape_text(&prices.currency)
            );
        }
        let mut notes = String::new();
        for (case, cost) in self.use_cases.iter().zip(&costs) {
            let assumptions = cost.iter().flat_map(|cost| &cost.assumptions);
            let assumptions: Vec<String> = assumptions.map(ToString::to_string).collect();
            if !assumptions.is_empty() {
                let _ = writeln!(
                    notes,
                    "- {}: {}",
                    escape_text(&case.id),
                    assumptions.join("; ")
                );
            }
        }
        if !notes.is_empty() {
            let _ = write!(out, "\nThe costs assume:\n\n{notes}");
        }
        Some(out)
    }

    fn use_case_row(&self, case: &UseCase, cost: Option<&Cost>) -> [String; 9] {
        let explanation = &case.explanation;
        let call = explanation.pattern.map(|pattern| {
            let index = pattern
                .index
                .map(|index| format!(" of {}", inline_code(index)));
            format!(
                "{} {}{}",
                inline_code(pattern.entity),
                pattern.name,
                index.unwrap_or_default()
            )
        });
        let units = cost.map(|cost| {
            Cost {
                assumptions: Vec::new(),
                ..cost.clone()
            }
            .to_string()
        });
        let month = self.prices.as_ref().zip(cost);
        let month = month.map(|(prices, cost)| {
            format!(
                "{} {}",
                amount_text(prices.of_month(cost, case.per_day)),
                escape_text(&prices.currency)
            )
        });
        [
            escape_text(&case.id),
            escape_text(&case.question),
            call.unwrap_or_default(),
            inline_code(&self.prefix.full_name(&explanation.table)),
            self.key_of(case),
            explanation.operation.unwrap_or_default().to_owned(),
            case.per_day.to_string(),
            units.unwrap_or_else(|| "unknown".to_owned()),
            month.unwrap_or_default(),
        ]
    }

    /// The templates of the key by which the operation finds its items.
    fn key_of(&self, case: &UseCase) -> String {
        let (Some(pattern), table) = (case.explanation.pattern, &case.explanation.table) else {
            return String::new();
        };
        let schema = self.schemas.iter().find(|schema| schema.name == *table);
        let Some(schema) = schema else {
            return String::new();
        };
        let Some(entity) = schema.entity(pattern.entity) else {
            return self.key_of_collection(schema, pattern.entity);
        };
        let by_index = pattern.index.and_then(|index| {
            let mut patterns = entity.patterns.iter();
            patterns.find(|of| of.index == index && of.name == pattern.name)
        });
        let sort = by_index.map_or(entity.sk.as_slice(), |of| &of.sk);
        let keys = entity.partition_key(by_index).iter().chain(sort);
        let keys = keys.map(|key| inline_code(&join_templates([key])));
        keys.collect::<Vec<_>>().join(", ")
    }

    fn key_of_collection(&self, schema: &TableSchema, name: &str) -> String {
        let mut collections = schema.collections.iter();
        let collection = collections.find(|collection| collection.name == name);
        let templates = collection.map(|of| collection_templates(schema, of, show_template));
        let templates = templates.unwrap_or_default().into_iter();
        let templates = templates.filter(|text| !text.is_empty());
        templates.collect::<Vec<_>>().join(", ")
    }
}

/// An amount of money. A small one is not shown as nothing.
fn amount_text(amount: f64) -> String {
    match amount > 0.0 && amount < 0.005 {
        true => "<0.01".to_owned(),
        false => format!("{amount:.2}"),
    }
}
