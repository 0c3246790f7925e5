//! Permissions for exports to S3, which are not about items.

use super::Policy;
use super::document::Statement;
use super::leading_keys::unlimited_error;
use super::partitions::Partitions;
use crate::error::{Error, Result};

/// An export of a table that a policy allows.
#[derive(Debug, Clone)]
pub(super) struct AllowedExport {
    table: String,
    /// The bucket and the prefix of the files.
    files: String,
}

impl Policy {
    /// Allows [`export_to_s3`](crate::Dynamo::export_to_s3) of a table, and waiting for its end: to a bucket, or to a
    /// prefix in it as `bucket/prefix`. If the files are encrypted by a key of KMS, the role also needs
    /// `kms:GenerateDataKey` and `kms:Decrypt` for the key.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use dynamo_entity::export::Policy;
    /// # #[derive(DynamoEntity)]
    /// # #[dynamo(table = "orders", key(pk = id))]
    /// # struct Order { id: u32 }
    /// # fn main() -> Result<()> {
    /// let analyst = Policy::new([Order::schema()]).allow_export_to_s3("orders", "shop-exports/orders");
    /// let document = analyst.document()?;
    /// assert!(document.contains("dynamodb:ExportTableToPointInTime"));
    /// assert!(document.contains("arn:aws:s3:::shop-exports/orders/AWSDynamoDB/*"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn allow_export_to_s3(mut self, table: &str, files: &str) -> Self {
        self.exports.push(AllowedExport {
            table: table.to_owned(),
            files: files.trim_matches('/').to_owned(),
        });
        self
    }

    /// The statements of exports to S3.
    pub(super) fn of_exports(&self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        for export in &self.exports {
            let name = &export.table;
            if !self.values.is_empty() {
                return Err(unlimited_error(
                    &format!("an export of `{name}`"),
                    &self.values,
                ));
            }
            if !self.schemas.iter().any(|schema| schema.name == *name) {
                return Err(Error::config(format!(
                    "the policy allows exports of table `{name}`, which is not among its tables"
                )));
            }
            // A star would be a wildcard of IAM, and no name of a bucket has one.
            if export.files.is_empty() || export.files.contains(['*', '?', '$']) {
                return Err(Error::config(format!(
                    "`{}` is no bucket or prefix of S3",
                    export.files
                )));
            }
            let table = format!(
                "arn:{}:dynamodb:{}:{}:table/{}",
                self.partition,
                self.region,
                self.account,
                self.prefix.full_name(name)
            );
            let files = format!("arn:{}:s3:::{}/AWSDynamoDB/*", self.partition, export.files);
            let allowed = [
                (
                    vec!["DescribeTable", "ExportTableToPointInTime"],
                    table.clone(),
                ),
                (vec!["DescribeExport"], format!("{table}/export/*")),
                (
                    vec!["s3:AbortMultipartUpload", "s3:PutObject", "s3:PutObjectAcl"],
                    files,
                ),
            ];
            statements.extend(allowed.map(|(actions, resource)| Statement {
                actions,
                resources: vec![resource],
                partitions: Partitions::any_partition(),
                via_service: Vec::new(),
            }));
        }
        Ok(statements)
    }
}
