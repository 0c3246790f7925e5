//! The formats by their names, for command lines.

use std::fmt;
use std::str::FromStr;

use super::{CloudFormation, Html, Markdown, Mermaid, Policy, Terraform, Workbench};
use crate::error::{Error, Result};
use crate::schema::TableSchema;

/// A format, by the name that a command line knows.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # use dynamo_entity::export::ExportFormat;
/// # #[derive(DynamoEntity)]
/// # #[dynamo(table = "orders", key(pk = id))]
/// # struct Order { id: u32 }
/// # fn main() -> Result<()> {
/// let format: ExportFormat = "terraform".parse()?;
/// let text = format.write([Order::schema()], "prod-shop")?;
/// assert!(text.contains("prod-shop-orders"));
/// assert_eq!(format.file_name(), "tables.tf.json");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// [`CloudFormation::template`].
    CloudFormation,
    /// [`Terraform::configuration`].
    Terraform,
    /// [`Workbench::model`].
    Workbench,
    /// [`Policy::document`] of all declared operations, without `Scan`.
    Iam,
    /// [`Markdown::text`].
    Markdown,
    /// [`Html::document`].
    Html,
    /// [`Mermaid::diagram`].
    Mermaid,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [ExportFormat; 7] = [
        ExportFormat::CloudFormation,
        ExportFormat::Terraform,
        ExportFormat::Workbench,
        ExportFormat::Iam,
        ExportFormat::Markdown,
        ExportFormat::Html,
        ExportFormat::Mermaid,
    ];

    /// `cloudformation`, `terraform`, `workbench`, `iam`, `markdown`, `html` or `mermaid`.
    pub const fn name(self) -> &'static str {
        match self {
            ExportFormat::CloudFormation => "cloudformation",
            ExportFormat::Terraform => "terraform",
            ExportFormat::Workbench => "workbench",
            ExportFormat::Iam => "iam",
            ExportFormat::Markdown => "markdown",
            ExportFormat::Html => "html",
            ExportFormat::Mermaid => "mermaid",
        }
    }

    /// The name of a file for it.
    pub const fn file_name(self) -> &'static str {
        match self {
            ExportFormat::CloudFormation => "tables.template.json",
            ExportFormat::Terraform => "tables.tf.json",
            ExportFormat::Workbench => "tables.workbench.json",
            ExportFormat::Iam => "policy.json",
            ExportFormat::Markdown => "tables.md",
            ExportFormat::Html => "tables.html",
            ExportFormat::Mermaid => "tables.mmd",
        }
    }

    /// Writes the tables in this format, with default settings.
    pub fn write(
        self,
        schemas: impl IntoIterator<Item = TableSchema>,
        prefix: &str,
    ) -> Result<String> {
        match self {
            ExportFormat::CloudFormation => CloudFormation::new(schemas).prefix(prefix).template(),
            ExportFormat::Terraform => Terraform::new(schemas).prefix(prefix).configuration(),
            ExportFormat::Workbench => Workbench::new(schemas).prefix(prefix).model(),
            ExportFormat::Iam => Policy::new(schemas).prefix(prefix).allow_all().document(),
            ExportFormat::Markdown => Ok(Markdown::new(schemas).prefix(prefix).text()),
            ExportFormat::Html => Html::new(schemas).prefix(prefix).document(),
            ExportFormat::Mermaid => Ok(Mermaid::new(schemas).diagram()),
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ExportFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut formats = ExportFormat::ALL.into_iter();
        formats.find(|format| format.name() == name).ok_or_else(|| {
            let names = ExportFormat::ALL.map(ExportFormat::name).join(", ");
            Error::config(format!("`{name}` is not an export format: {names}"))
        })
    }
}
