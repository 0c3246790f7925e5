//! Texts of Terraform.

use crate::json::JsonTree;

/// A text in which Terraform finds nothing to replace.
pub(super) fn escape_text(text: &str) -> JsonTree {
    JsonTree::Text(text.replace("${", "$${").replace("%{", "%%{"))
}

pub(super) fn list_texts(names: &[String]) -> JsonTree {
    JsonTree::list_of(names, |name| escape_text(name))
}
