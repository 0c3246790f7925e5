//! A consumer of a stream, and alarms, as resources of a template.

use crate::dynamo::TablePrefix;
use crate::error::Result;
use crate::export::alarms::{Alarm, AlarmSource, Metric};
use crate::export::consumer::{QUEUE_KEEPS, StreamConsumer};
use crate::export::naming;
use crate::json::JsonTree;

/// The mapping, and the queue of failures.
pub(super) fn consumer_resources(
    consumer: &StreamConsumer,
    table: &str,
    prefix: &TablePrefix,
) -> Result<Vec<(String, JsonTree)>> {
    let named = |base: &str| prefix.full_name(base);
    let queue = naming::logical_id_of(&consumer.name, &[], "Failures");
    let mapping = naming::logical_id_of(&consumer.name, &[], "Stream");
    let filters = consumer.filters()?;
    let filters = (!filters.is_empty()).then(|| {
        let filter = |pattern: &String| JsonTree::object_of([("Pattern", Some(pattern.into()))]);
        JsonTree::object_of([("Filters", Some(JsonTree::list_of(&filters, filter)))])
    });
    let on_failure = consumer.has_queue.then(|| {
        let destination =
            JsonTree::object_of([("Destination", Some(get_attribute(&queue, "Arn")))]);
        JsonTree::object_of([("OnFailure", Some(destination))])
    });
    let number = |number: u32| Some(u64::from(number).into());
    let properties = JsonTree::object_of([
        ("EventSourceArn", Some(get_attribute(table, "StreamArn"))),
        (
            "FunctionName",
            Some((&consumer.function_name(named)).into()),
        ),
        (
            "StartingPosition",
            Some(consumer.starting_position().into()),
        ),
        ("BatchSize", number(consumer.batch)),
        (
            "MaximumBatchingWindowInSeconds",
            (consumer.window > 0).then(|| consumer.window.into()),
        ),
        ("ParallelizationFactor", number(consumer.parallel)),
        ("BisectBatchOnFunctionError", Some(true.into())),
        ("MaximumRetryAttempts", number(consumer.retries)),
        ("MaximumRecordAgeInSeconds", Some(consumer.age.into())),
        (
            "FunctionResponseTypes",
            Some(JsonTree::List(vec!["ReportBatchItemFailures".into()])),
        ),
        ("DestinationConfig", on_failure),
        ("FilterCriteria", filters),
    ]);
    let mut resources = Vec::new();
    if consumer.has_queue {
        let properties = JsonTree::object_of([
            ("QueueName", Some((&consumer.queue_name(named)).into())),
            ("MessageRetentionPeriod", Some(QUEUE_KEEPS.into())),
            ("SqsManagedSseEnabled", Some(true.into())),
        ]);
        resources.push((
            queue,
            JsonTree::object_of([
                ("Type", Some("AWS::SQS::Queue".into())),
                ("DeletionPolicy", Some("Delete".into())),
                ("UpdateReplacePolicy", Some("Delete".into())),
                ("Properties", Some(properties)),
            ]),
        ));
    }
    resources.push((
        mapping,
        resource_tree("AWS::Lambda::EventSourceMapping", properties),
    ));
    Ok(resources)
}

/// An alarm about the table or the consumer of this name.
pub(super) fn alarm_resource(alarm: &Alarm, base: &str, topics: &[String]) -> (String, JsonTree) {
    let words: Vec<&str> = alarm.words.iter().map(String::as_str).collect();
    let id = naming::logical_id_of(base, &words, "Alarm");
    let (single, queries) = match &alarm.source {
        AlarmSource::Metric(metric) => (Some(metric), None),
        AlarmSource::Computed(expression, metrics) => {
            let result = JsonTree::object_of([
                ("Id", Some("result".into())),
                ("Expression", Some(expression.into())),
                ("Label", Some((&alarm.description).into())),
                ("ReturnData", Some(true.into())),
            ]);
            let metrics = metrics
                .iter()
                .map(|(id, metric)| metric_query(alarm, id, metric));
            let queries = std::iter::once(result).chain(metrics).collect();
            (None, Some(JsonTree::List(queries)))
        }
    };
    let actions = || (!topics.is_empty()).then(|| JsonTree::list_of(topics, |topic| topic.into()));
    let properties = JsonTree::object_of([
        ("AlarmName", Some((&alarm.alarm_name()).into())),
        ("AlarmDescription", Some((&alarm.description).into())),
        ("Namespace", single.map(|metric| metric.namespace.into())),
        ("MetricName", single.map(|metric| metric.name.into())),
        ("Dimensions", single.map(metric_dimensions)),
        ("Statistic", single.map(|_| alarm.statistic.into())),
        ("Period", single.map(|_| alarm.period.into())),
        ("Metrics", queries),
        ("EvaluationPeriods", Some(alarm.periods.into())),
        ("Threshold", Some(alarm.threshold.into())),
        (
            "ComparisonOperator",
            Some("GreaterThanOrEqualToThreshold".into()),
        ),
        ("TreatMissingData", Some("notBreaching".into())),
        ("AlarmActions", actions()),
        ("OKActions", actions()),
    ]);
    (id, resource_tree("AWS::CloudWatch::Alarm", properties))
}

fn metric_query(alarm: &Alarm, id: &str, metric: &Metric) -> JsonTree {
    let of = JsonTree::object_of([
        ("Namespace", Some(metric.namespace.into())),
        ("MetricName", Some(metric.name.into())),
        ("Dimensions", Some(metric_dimensions(metric))),
    ]);
    let values = JsonTree::object_of([
        ("Metric", Some(of)),
        ("Period", Some(alarm.period.into())),
        ("Stat", Some(alarm.statistic.into())),
    ]);
    JsonTree::object_of([
        ("Id", Some(id.into())),
        ("MetricStat", Some(values)),
        ("ReturnData", Some(false.into())),
    ])
}

fn metric_dimensions(metric: &Metric) -> JsonTree {
    JsonTree::list_of(&metric.dimensions, |(name, value)| {
        JsonTree::object_of([
            ("Name", Some((*name).into())),
            ("Value", Some(value.into())),
        ])
    })
}

fn get_attribute(resource: &str, attribute: &str) -> JsonTree {
    let parts = JsonTree::List(vec![resource.into(), attribute.into()]);
    JsonTree::object_of([("Fn::GetAtt", Some(parts))])
}

fn resource_tree(ty: &str, properties: JsonTree) -> JsonTree {
    JsonTree::object_of([("Type", Some(ty.into())), ("Properties", Some(properties))])
}
