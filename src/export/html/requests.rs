//! The access patterns: the call in Rust, the request that it sends for a sample, and the cost of that.

use super::sample::Sample;
use super::samples::value_texts;
use crate::codec::{Item, Value};
use crate::dynamo::Dynamo;
use crate::error::Result;
use crate::export::calls::{
    collection_templates, join_templates, show_call, show_search, show_template,
};
use crate::plan::{Explanation, Operation};
use crate::query::{DynamicEntity, DynamicQuery, QueryExt};
use crate::schema::{
    CollectionSchema, EntitySchema, KeySchema, PatternSchema, TableSchema, VectorSearchSchema, Word,
};

/// The rows of a query whose cost is shown.
pub(super) const ROWS: u64 = 10;

/// An access pattern as it is shown.
pub(super) struct ShownPattern {
    pub(super) call: String,
    /// None if it reads the table.
    pub(super) index: Option<String>,
    pub(super) partition: String,
    pub(super) sort: String,
    /// The rows, or the condition of the index.
    pub(super) about: Vec<String>,
    pub(super) request: Option<ShownRequest>,
}

/// A request for the values of a sample.
pub(super) struct ShownRequest {
    pub(super) operation: &'static str,
    pub(super) bodies: Vec<String>,
    pub(super) cost: String,
}

/// The connection and the model that requests are made with.
pub(super) struct Requests<'r> {
    pub(super) db: &'r Dynamo,
    pub(super) schema: &'r TableSchema,
    pub(super) samples: &'r [Sample],
}

impl Requests<'_> {
    pub(super) fn shown_patterns(&self) -> Vec<ShownPattern> {
        let mut patterns = Vec::new();
        for entity in &self.schema.entities {
            patterns.push(self.by_key(entity));
            if entity.sk.is_some() {
                patterns.push(self.in_partition(entity));
            }
            let others = entity.patterns.iter();
            patterns.extend(others.map(|pattern| self.by_index(entity, pattern)));
            let searches = entity.searches.iter();
            patterns.extend(searches.map(|search| self.search(entity, search)));
        }
        let collections = self.schema.collections.iter();
        patterns.extend(collections.map(|of| collection_pattern(self.schema, of)));
        patterns
    }

    fn by_key(&self, entity: &EntitySchema) -> ShownPattern {
        let keys: Vec<&KeySchema> = entity.keys().collect();
        let request = self.entity_sample(entity).and_then(|sample| {
            let key = sample.placement.key.clone();
            let get = Item::in_table(&self.schema.name).get(key);
            self.show_request(
                get.explain(self.db),
                std::slice::from_ref(&sample.item),
                sample.item.size(),
            )
        });
        ShownPattern {
            call: format!("{}.get()", show_call(&entity.name, "key", &keys)),
            index: None,
            partition: join_templates([&entity.pk]),
            sort: join_templates(&entity.sk),
            about: vec!["one item".to_owned()],
            request,
        }
    }

    fn in_partition(&self, entity: &EntitySchema) -> ShownPattern {
        let keys = [&entity.pk];
        let request = self.explain_query(entity, &keys, DynamicEntity::in_partition_of);
        ShownPattern {
            call: show_call(&entity.name, "in_partition", &keys),
            index: None,
            partition: join_templates(keys),
            sort: join_templates(&entity.sk),
            about: Vec::new(),
            request,
        }
    }

    /// A search has no request here, because samples have no vectors that mean something.
    fn search(&self, entity: &EntitySchema, search: &VectorSearchSchema) -> ShownPattern {
        let vectors = self.schema.vector_index(&search.index).map(|index| {
            let distance = index.distance.word().replace('_', " ");
            format!("vectors of {} numbers by {distance}", index.dimensions)
        });
        let filters =
            (!search.filters.is_empty()).then(|| format!("filters: {}", search.filters.join(", ")));
        ShownPattern {
            call: show_search(entity, search),
            index: Some(search.index.clone()),
            partition: search.within.clone().unwrap_or_default(),
            sort: String::new(),
            about: vectors.into_iter().chain(filters).collect(),
            request: None,
        }
    }

    fn by_index(&self, entity: &EntitySchema, pattern: &PatternSchema) -> ShownPattern {
        let keys: Vec<&KeySchema> = entity.partition_key(Some(pattern)).iter().collect();
        let request = self.explain_query(entity, &keys, |dynamic, texts| {
            dynamic.query(&pattern.name, texts.iter().copied())
        });
        let when = pattern.when.as_ref().map(|when| format!("only if {when}"));
        let rows = (!pattern.has_whole_rows).then(|| "rows are keys".to_owned());
        let filling = pattern
            .is_filling
            .then(|| "filling: not to be queried yet".to_owned());
        ShownPattern {
            call: show_call(&entity.name, &pattern.name, &keys),
            index: Some(pattern.index.clone()),
            partition: join_templates(keys),
            sort: join_templates(&pattern.sk),
            about: when.into_iter().chain(rows).chain(filling).collect(),
            request,
        }
    }

    /// The query of a partition that a sample is in.
    fn explain_query(
        &self,
        entity: &EntitySchema,
        keys: &[&KeySchema],
        begin: impl Fn(&DynamicEntity, &[&str]) -> Result<DynamicQuery>,
    ) -> Option<ShownRequest> {
        let dynamic = self.schema.dynamic(&entity.name).ok()?;
        let fields = keys.iter().flat_map(|key| key.fields());
        let fields: Vec<&str> = fields.collect();
        let mut samples = self.samples.iter().filter(|of| of.entity == entity.name);
        samples.find_map(|sample| {
            let given: Option<Vec<Vec<String>>> = fields
                .iter()
                .map(|field| {
                    let value = sample
                        .field_value(entity, field)
                        // An item without the value is not in this index, so it is no sample of a
                        // query there.
                        .filter(|value| **value != Value::Null);
                    value.map(|value| value_texts(value, sample.variation))
                })
                .collect();
            let query = first_accepted(&given?, |texts| begin(&dynamic, texts).ok())?;
            self.show_request(query.explain(self.db), &[], sample.item.size())
        })
    }

    fn show_request(
        &self,
        explained: Result<Explanation>,
        stored: &[Item],
        size: usize,
    ) -> Option<ShownRequest> {
        let explained = explained.ok()?;
        let estimate = self.db.estimate([self.schema.clone()]);
        let estimate = estimate.item_size(size).rows(ROWS);
        let estimate = stored
            .iter()
            .fold(estimate, |estimate, item| estimate.stored(item.clone()));
        Some(ShownRequest {
            operation: explained.operation?,
            cost: estimate.of(&explained).ok()?.to_string(),
            bodies: explained
                .requests
                .iter()
                .map(|body| break_lines(body))
                .collect(),
        })
    }

    /// The cost of a new item like the first sample.
    pub(super) fn cost_of_put(&self, entity: &EntitySchema) -> Option<String> {
        let sample = self.entity_sample(entity)?;
        let put = Item::in_table(&self.schema.name).put(sample.item.clone());
        let estimate = self.db.estimate([self.schema.clone()]).otherwise_empty();
        let cost = estimate.of(&put.explain(self.db).ok()?).ok()?;
        Some(cost.to_string())
    }

    fn entity_sample(&self, entity: &EntitySchema) -> Option<&Sample> {
        self.samples
            .iter()
            .find(|sample| sample.entity == entity.name)
    }
}

impl DynamicEntity {
    fn in_partition_of(&self, texts: &[&str]) -> Result<DynamicQuery> {
        self.in_partition(texts.iter().copied())
    }
}

/// The first combination that is accepted of texts for each part.
fn first_accepted<T>(given: &[Vec<String>], accept: impl Fn(&[&str]) -> Option<T>) -> Option<T> {
    let count = given
        .iter()
        .try_fold(1_usize, |count, texts| count.checked_mul(texts.len()))?;
    // The number counts through all combinations, like the digits of a clock. The limit keeps the
    // page from taking long for a key of many parts.
    (0..count.min(300)).find_map(|number| {
        let mut left = number;
        let texts = given.iter().map(|texts| {
            let text = texts.get(left.checked_rem(texts.len())?);
            left /= texts.len();
            text.map(String::as_str)
        });
        accept(&texts.collect::<Option<Vec<_>>>()?)
    })
}

fn collection_pattern(schema: &TableSchema, collection: &CollectionSchema) -> ShownPattern {
    let call = match &collection.partition {
        Some(parts) => format!("{}::in_partition({})", collection.name, parts.join(", ")),
        None => format!("{}::scan()", collection.name),
    };
    let [partition, sort] = collection_templates(schema, collection, show_template);
    ShownPattern {
        call,
        index: collection.index.clone(),
        partition,
        sort,
        about: vec![collection.entities.join(", ")],
        request: None,
    }
}

/// JSON in one line, as a line for each member of the outer object.
fn break_lines(json: &str) -> String {
    let (mut out, mut depth, mut in_text, mut is_escaped) = (String::new(), 0_usize, false, false);
    for character in json.chars() {
        if in_text {
            out.push(character);
            (in_text, is_escaped) = match (is_escaped, character) {
                (false, '"') => (false, false),
                (escaped, character) => (true, !escaped && character == '\\'),
            };
            continue;
        }
        match character {
            '"' => in_text = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (character, depth) {
            ('}', 0) => out.push_str("\n}"),
            ('{', 1) | (',', 1) => {
                out.push(character);
                out.push_str("\n  ");
            }
            (',' | ':', _) => {
                out.push(character);
                out.push(' ');
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_lines() {
        let json = r#"{"TableName":"a,\"{b","Key":{"pk":{"S":"x\\"},"sk":{"N":"1"}}}"#;
        let expected = "{\n  \"TableName\": \"a,\\\"{b\",\n  \"Key\": {\"pk\": {\"S\": \"x\\\\\"}, \"sk\": {\"N\": \"1\"}}\n}";
        assert_eq!(break_lines(json), expected);
    }
}
