//! A consumer of a stream, and alarms, as resources of Terraform.

use super::text::{escape_text, list_texts};
use crate::dynamo::TablePrefix;
use crate::error::Result;
use crate::export::alarms::{Alarm, AlarmSource, Metric};
use crate::export::consumer::{QUEUE_KEEPS, StreamConsumer};
use crate::export::naming;
use crate::json::JsonTree;

/// The mapping of a consumer.
pub(super) fn event_mapping(
    consumer: &StreamConsumer,
    table: &str,
    prefix: &TablePrefix,
) -> Result<(String, JsonTree)> {
    let name = naming::terraform_name(&consumer.name);
    let filters = consumer.filters()?;
    let filters = (!filters.is_empty()).then(|| {
        let filter =
            |pattern: &String| JsonTree::object_of([("pattern", Some(escape_text(pattern)))]);
        JsonTree::object_of([("filter", Some(JsonTree::list_of(&filters, filter)))])
    });
    let on_failure = consumer.has_queue.then(|| {
        let queue = JsonTree::Text(format!("${{aws_sqs_queue.{name}.arn}}"));
        let on_failure = JsonTree::object_of([("destination_arn", Some(queue))]);
        JsonTree::object_of([("on_failure", Some(on_failure))])
    });
    let stream = JsonTree::Text(format!("${{aws_dynamodb_table.{table}.stream_arn}}"));
    let function = consumer.function_name(|base| prefix.full_name(base));
    let number = |number: u32| Some(u64::from(number).into());
    let mapping = JsonTree::object_of([
        ("event_source_arn", Some(stream)),
        ("function_name", Some(escape_text(&function))),
        (
            "starting_position",
            Some(consumer.starting_position().into()),
        ),
        ("batch_size", number(consumer.batch)),
        (
            "maximum_batching_window_in_seconds",
            (consumer.window > 0).then(|| consumer.window.into()),
        ),
        ("parallelization_factor", number(consumer.parallel)),
        ("bisect_batch_on_function_error", Some(true.into())),
        ("maximum_retry_attempts", number(consumer.retries)),
        ("maximum_record_age_in_seconds", Some(consumer.age.into())),
        (
            "function_response_types",
            Some(JsonTree::List(vec!["ReportBatchItemFailures".into()])),
        ),
        ("destination_config", on_failure),
        ("filter_criteria", filters),
    ]);
    Ok((name, mapping))
}

/// The queue of failures, if the consumer has one.
pub(super) fn failure_queue(
    consumer: &StreamConsumer,
    prefix: &TablePrefix,
) -> Option<(String, JsonTree)> {
    let queue = consumer.queue_name(|base| prefix.full_name(base));
    let resource = JsonTree::object_of([
        ("name", Some(escape_text(&queue))),
        ("message_retention_seconds", Some(QUEUE_KEEPS.into())),
        ("sqs_managed_sse_enabled", Some(true.into())),
    ]);
    let name = naming::terraform_name(&consumer.name);
    consumer.has_queue.then_some((name, resource))
}

/// An alarm about the table or the consumer of this name.
pub(super) fn alarm_resource(alarm: &Alarm, base: &str, topics: &[String]) -> (String, JsonTree) {
    let (single, queries) = match &alarm.source {
        AlarmSource::Metric(metric) => (Some(metric), None),
        AlarmSource::Computed(expression, metrics) => {
            let result = JsonTree::object_of([
                ("id", Some("result".into())),
                ("expression", Some(escape_text(expression))),
                ("label", Some(escape_text(&alarm.description))),
                ("return_data", Some(true.into())),
            ]);
            let metrics = metrics
                .iter()
                .map(|(id, metric)| metric_query(alarm, id, metric));
            let queries = std::iter::once(result).chain(metrics).collect();
            (None, Some(JsonTree::List(queries)))
        }
    };
    let actions = || (!topics.is_empty()).then(|| list_texts(topics));
    let resource = JsonTree::object_of([
        ("alarm_name", Some(escape_text(&alarm.alarm_name()))),
        ("alarm_description", Some(escape_text(&alarm.description))),
        ("namespace", single.map(|metric| metric.namespace.into())),
        ("metric_name", single.map(|metric| metric.name.into())),
        ("dimensions", single.map(metric_dimensions)),
        ("statistic", single.map(|_| alarm.statistic.into())),
        ("period", single.map(|_| alarm.period.into())),
        ("metric_query", queries),
        ("evaluation_periods", Some(alarm.periods.into())),
        ("threshold", Some(alarm.threshold.into())),
        (
            "comparison_operator",
            Some("GreaterThanOrEqualToThreshold".into()),
        ),
        ("treat_missing_data", Some("notBreaching".into())),
        ("alarm_actions", actions()),
        ("ok_actions", actions()),
    ]);
    let words: Vec<&str> = alarm.words.iter().map(String::as_str).collect();
    (naming::terraform_alarm_name(base, &words), resource)
}

fn metric_query(alarm: &Alarm, id: &str, metric: &Metric) -> JsonTree {
    let of = JsonTree::object_of([
        ("namespace", Some(metric.namespace.into())),
        ("metric_name", Some(metric.name.into())),
        ("dimensions", Some(metric_dimensions(metric))),
        ("period", Some(alarm.period.into())),
        ("stat", Some(alarm.statistic.into())),
    ]);
    JsonTree::object_of([("id", Some(id.into())), ("metric", Some(of))])
}

fn metric_dimensions(metric: &Metric) -> JsonTree {
    let dimensions = metric.dimensions.iter();
    JsonTree::object_of(dimensions.map(|(name, value)| (*name, Some(escape_text(value)))))
}
