//! Exports to S3: they are started here, and DynamoDB runs them.

use aws_sdk_dynamodb::types::{
    ExportDescription, ExportFormat, ExportStatus, ExportType, ExportViewType, FilterSpecification,
    IncrementalExportSpecification, S3SseAlgorithm,
};
use aws_smithy_types::DateTime;

use super::send::sent;
use crate::clock::Timestamp;
use crate::codec::Item;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::wire::call::Wire;

/// An export, with texts that are not checked here.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExportOrder {
    pub(crate) table: String,
    pub(crate) table_arn: String,
    pub(crate) token: Option<String>,
    pub(crate) bucket: String,
    pub(crate) bucket_owner: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) encryption: Option<ExportEncryption>,
    pub(crate) is_ion: bool,
    pub(crate) time: Option<Timestamp>,
    pub(crate) window: Option<ExportWindow>,
    pub(crate) has_no_old_images: bool,
    pub(crate) filter: Option<ExportFilter>,
}

/// The encryption of the files, if it is not that of the bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExportEncryption {
    OfS3,
    Key(String),
}

/// The times of an incremental export: the end is not included. Without one, it is the latest time that DynamoDB has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExportWindow {
    pub(crate) from: Timestamp,
    pub(crate) to: Option<Timestamp>,
}

/// The members of a scan that select rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ExportFilter {
    pub(crate) expression: String,
    pub(crate) names: Vec<(String, String)>,
    /// The values by their placeholders.
    pub(crate) values: Item,
}

/// An export as DynamoDB describes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DescribedExport {
    pub(crate) arn: String,
    pub(crate) status: String,
    pub(crate) table_arn: Option<String>,
    pub(crate) bucket: Option<String>,
    pub(crate) manifest: Option<String>,
    pub(crate) is_incremental: bool,
    pub(crate) items: Option<u64>,
    pub(crate) billed_bytes: Option<u64>,
    pub(crate) failure_code: Option<String>,
    pub(crate) failure_message: Option<String>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) ended: Option<Timestamp>,
    /// The time of the exported state, or the end of the changes.
    pub(crate) state_time: Option<Timestamp>,
}

impl DescribedExport {
    pub(crate) fn is_failed(&self) -> bool {
        self.status == ExportStatus::Failed.as_str()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.status == ExportStatus::Completed.as_str()
    }
}

/// Starts an export.
pub(crate) async fn start_export(wire: &Wire, order: ExportOrder) -> Result<DescribedExport> {
    let format = match order.is_ion {
        true => ExportFormat::Ion,
        false => ExportFormat::DynamodbJson,
    };
    let (algorithm, key) = match order.encryption {
        None => (None, None),
        Some(ExportEncryption::OfS3) => (Some(S3SseAlgorithm::Aes256), None),
        Some(ExportEncryption::Key(key)) => (Some(S3SseAlgorithm::Kms), Some(key)),
    };
    let window = order.window.map(|window| {
        let view = match order.has_no_old_images {
            true => ExportViewType::NewImage,
            false => ExportViewType::NewAndOldImages,
        };
        IncrementalExportSpecification::builder()
            .export_from_time(DateTime::from_secs(window.from.seconds()))
            .set_export_to_time(window.to.map(|to| DateTime::from_secs(to.seconds())))
            .export_view_type(view)
            .build()
    });
    let kind = match window {
        Some(_) => ExportType::IncrementalExport,
        None => ExportType::FullExport,
    };
    let request = wire
        .client()
        .export_table_to_point_in_time()
        .table_arn(order.table_arn)
        .set_export_time(order.time.map(|time| DateTime::from_secs(time.seconds())))
        .set_client_token(order.token)
        .s3_bucket(order.bucket)
        .set_s3_bucket_owner(order.bucket_owner)
        .set_s3_prefix(order.prefix)
        .set_s3_sse_algorithm(algorithm)
        .set_s3_sse_kms_key_id(key)
        .export_format(format)
        .export_type(kind)
        .set_incremental_export_specification(window)
        .set_filter_specification(order.filter.map(filter_specification));
    let table = &order.table;
    let output = sent!(
        wire,
        ExportTableToPointInTime in export_table_to_point_in_time,
        request,
        table
    )?;
    described_export(output.export_description, table)
}

/// An export by its ARN.
pub(crate) async fn describe_export(wire: &Wire, arn: &str) -> Result<DescribedExport> {
    let request = wire.client().describe_export().export_arn(arn);
    // `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/export/ID`
    let table = arn.split('/').nth(1).unwrap_or(arn);
    let output = sent!(wire, DescribeExport in describe_export, request, table)?;
    described_export(output.export_description, table)
}

fn filter_specification(filter: ExportFilter) -> FilterSpecification {
    let values = (!filter.values.is_empty()).then(|| filter.values.into());
    FilterSpecification::builder()
        .filter_expression(filter.expression)
        .set_expression_attribute_names(Some(filter.names.into_iter().collect()))
        .set_expression_attribute_values(values)
        .build()
}

fn described_export(export: Option<ExportDescription>, table: &str) -> Result<DescribedExport> {
    let export = export.unwrap_or_else(|| ExportDescription::builder().build());
    let Some(arn) = export.export_arn else {
        let message = format!("the response about an export of table `{table}` has no ARN");
        return Err(Error::new(ErrorKind::Service, Stage::Service, message));
    };
    let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
    let time = |time: Option<DateTime>| Timestamp::from_unix(time?.secs(), 0);
    let window_end = export
        .incremental_export_specification
        .and_then(|window| window.export_to_time);
    Ok(DescribedExport {
        arn,
        status: export
            .export_status
            .map_or_else(String::new, |status| status.as_str().to_owned()),
        table_arn: export.table_arn,
        bucket: export.s3_bucket,
        manifest: export.export_manifest,
        is_incremental: export.export_type == Some(ExportType::IncrementalExport),
        items: count(export.item_count),
        billed_bytes: count(export.billed_size_bytes),
        failure_code: export.failure_code,
        failure_message: export.failure_message,
        started: time(export.start_time),
        ended: time(export.end_time),
        state_time: time(window_end.or(export.export_time)),
    })
}
