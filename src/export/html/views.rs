//! The rows of the table and of each index, in the order in which DynamoDB returns them.

use std::cmp::Ordering;

use super::sample::Sample;
use crate::codec::{Item, Value};
use crate::schema::{IndexSchema, KeyAttribute, ProjectionSchema, TableSchema};

/// The table or an index, as rows in partitions.
pub(super) struct View<'v> {
    /// None if it is the table.
    pub(super) index: Option<&'v IndexSchema>,
    pub(super) partition: Vec<&'v KeyAttribute>,
    pub(super) sort: Vec<&'v KeyAttribute>,
    pub(super) rows: Vec<ViewRow<'v>>,
}

/// An item in a view.
pub(super) struct ViewRow<'v> {
    /// Its number among all items of the table.
    pub(super) number: usize,
    pub(super) entity: &'v str,
    pub(super) partition: Vec<&'v Value>,
    pub(super) sort: Vec<&'v Value>,
    /// The attributes that the view holds, without its keys.
    pub(super) attributes: Vec<(&'v str, &'v Value)>,
}

/// An item of a table: a sample, or an item that keeps its unique value.
pub(super) struct SampleRow<'s> {
    /// The name of the entity.
    pub(super) entity: &'s str,
    pub(super) item: Item,
    pub(super) is_sentinel: bool,
}

/// All items that the samples of a table are stored as.
pub(super) fn sample_rows(samples: &[Sample]) -> Vec<SampleRow<'_>> {
    let mut rows: Vec<SampleRow<'_>> = Vec::new();
    for sample in samples {
        rows.push(SampleRow {
            entity: &sample.entity,
            item: sample.item.clone(),
            is_sentinel: false,
        });
    }
    for sample in samples {
        for sentinel in &sample.placement.sentinels {
            // A sentinel is in no index, unless one of them has only attributes of the table's key.
            let mut item = sentinel.key.clone();
            let keys = sentinel.indexes.iter();
            for key in keys.filter_map(|index| index.place.as_ref().ok()) {
                item.extend(
                    key.iter()
                        .map(|(name, value)| (name.clone(), value.clone())),
                );
            }
            if !rows.iter().any(|known| known.item == item) {
                rows.push(SampleRow {
                    entity: &sample.entity,
                    item,
                    is_sentinel: true,
                });
            }
        }
    }
    rows
}

/// The views of a table: the table first, then its indexes.
pub(super) fn table_views<'v>(schema: &'v TableSchema, rows: &'v [SampleRow<'v>]) -> Vec<View<'v>> {
    let table = View::of_keys(
        schema,
        None,
        vec![&schema.pk],
        schema.sk.iter().collect(),
        rows,
    );
    let indexes = schema.indexes().map(|index| {
        let (pk, sk) = (index.pk.iter().collect(), index.sk.iter().collect());
        View::of_keys(schema, Some(index), pk, sk, rows)
    });
    std::iter::once(table).chain(indexes).collect()
}

impl<'v> View<'v> {
    fn of_keys(
        schema: &'v TableSchema,
        index: Option<&'v IndexSchema>,
        partition: Vec<&'v KeyAttribute>,
        sort: Vec<&'v KeyAttribute>,
        stored: &'v [SampleRow<'v>],
    ) -> Self {
        let rows = stored.iter().enumerate().filter_map(|(number, row)| {
            let values = |keys: &[&'v KeyAttribute]| -> Option<Vec<&'v Value>> {
                keys.iter().map(|key| row.item.get(&key.name)).collect()
            };
            Some(ViewRow {
                number,
                entity: row.entity,
                partition: values(&partition)?,
                sort: values(&sort)?,
                attributes: shown_attributes(schema, index, &partition, &sort, &row.item),
            })
        });
        let mut rows: Vec<ViewRow<'_>> = rows.collect();
        rows.sort_by(|one, other| {
            let partitions = compare_keys(&one.partition, &other.partition);
            partitions.then_with(|| compare_keys(&one.sort, &other.sort))
        });
        View {
            index,
            partition,
            sort,
            rows,
        }
    }
}

fn shown_attributes<'v>(
    schema: &TableSchema,
    index: Option<&IndexSchema>,
    partition: &[&KeyAttribute],
    sort: &[&KeyAttribute],
    item: &'v Item,
) -> Vec<(&'v str, &'v Value)> {
    let is_key = |name: &str| partition.iter().chain(sort).any(|key| key.name == name);
    let is_held = |name: &str| match index.map(|index| &index.projection) {
        None | Some(ProjectionSchema::All) => true,
        Some(ProjectionSchema::Keys) => schema.keys().any(|key| key.name == name),
        Some(ProjectionSchema::Include(names)) => {
            schema.keys().any(|key| key.name == name) || names.iter().any(|held| held == name)
        }
    };
    let held = item.iter().map(|(name, value)| (name.as_str(), value));
    held.filter(|(name, _)| is_held(name) && !is_key(name))
        .collect()
}

/// Key values in the order of DynamoDB: texts by their bytes, numbers by value.
fn compare_keys(one: &[&Value], other: &[&Value]) -> Ordering {
    let each = one.iter().zip(other).map(|values| match values {
        // DynamoDB compares the UTF-8 bytes.
        (Value::S(one), Value::S(other)) => one.as_bytes().cmp(other.as_bytes()),
        (Value::N(one), Value::N(other)) => one.cmp(other),
        (Value::B(one), Value::B(other)) => one.cmp(other),
        // All values of one key attribute have the same type, so this does not occur.
        _ => Ordering::Equal,
    });
    each.fold(Ordering::Equal, Ordering::then)
}

/// A value as a person reads it.
pub(super) fn show_value(value: &Value) -> String {
    let list =
        |open: &str, texts: Vec<String>, close: &str| format!("{open}{}{close}", texts.join(", "));
    match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::B(bytes) => base64_simd::STANDARD.encode_to_string(bytes),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::L(values) => list("[", values.iter().map(show_value).collect(), "]"),
        Value::M(item) => {
            let members = item
                .iter()
                .map(|(name, value)| format!("{name}: {}", show_value(value)));
            list("{", members.collect(), "}")
        }
        Value::Ss(texts) => list("{", texts.iter().cloned().collect(), "}"),
        Value::Ns(numbers) => list("{", numbers.iter().map(ToString::to_string).collect(), "}"),
        Value::Bs(set) => {
            let texts = set
                .iter()
                .map(|bytes| base64_simd::STANDARD.encode_to_string(bytes));
            list("{", texts.collect(), "}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_dynamodb() {
        let number = |text: &str| Value::N(text.parse().unwrap());
        let text = |text: &str| Value::S(text.into());
        for (less, more) in [
            (number("-2"), number("-1.5")),
            (number("9"), number("10")),
            (text("10"), text("9")),
            (text("Z"), text("a")),
            (text("\u{ffff}"), text("\u{10000}")),
        ] {
            assert_eq!(compare_keys(&[&less], &[&more]), Ordering::Less, "{less:?}");
            assert_eq!(
                compare_keys(&[&more], &[&less]),
                Ordering::Greater,
                "{less:?}"
            );
        }
        let (a, b) = (text("a"), text("b"));
        assert_eq!(compare_keys(&[&a, &b], &[&b, &a]), Ordering::Less);
    }
}
