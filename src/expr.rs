//! Expressions: all names go through `#n`, all values through `:v`, numbered as they appear.
//!
//! The same operation therefore always makes the same bytes, and no name can be a reserved word.

use crate::codec::{Fault, Writer};

/// An expression under construction, with its names and values.
#[derive(Debug, Default)]
pub(crate) struct Expression {
    text: String,
    names: Vec<&'static str>,
    values: Writer,
    value_count: usize,
}

impl Expression {
    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Text of the expression itself.
    pub(crate) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A name; the same name gets the same placeholder.
    pub(crate) fn name(&mut self, name: &'static str) -> &mut Self {
        let known = self.names.iter().position(|other| *other == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.text.push_str(&format!("#n{index}"));
        self
    }

    /// A value, written by `encode`.
    pub(crate) fn value(
        &mut self,
        encode: impl FnOnce(&mut Writer) -> Result<(), Fault>,
    ) -> Result<&mut Self, Fault> {
        let placeholder = format!(":v{}", self.value_count);
        self.value_count += 1;
        self.text.push_str(&placeholder);
        if self.value_count > 1 {
            self.values.raw(",");
        }
        self.values.quoted(&placeholder);
        self.values.raw(":");
        encode(&mut self.values)?;
        Ok(self)
    }

    /// Adds the expression to a request, under this parameter's name.
    pub(crate) fn write(&self, parameter: &str, body: &mut Writer) {
        if self.is_empty() {
            return;
        }
        self.write_text(parameter, body);
        self.write_placeholders(body);
    }

    /// Adds the text alone and forgets it: the next expression of the request shares names and values.
    pub(crate) fn take(&mut self, parameter: &str, body: &mut Writer) {
        if !self.is_empty() {
            self.write_text(parameter, body);
            self.text.clear();
        }
    }

    fn write_text(&self, parameter: &str, body: &mut Writer) {
        body.raw(",\"");
        body.raw(parameter);
        body.raw("\":");
        body.quoted(&self.text);
    }

    /// Adds names and values to a request.
    pub(crate) fn write_placeholders(&self, body: &mut Writer) {
        if self.names.is_empty() {
            return;
        }
        body.raw(",\"ExpressionAttributeNames\":{");
        for (index, name) in self.names.iter().enumerate() {
            body.raw(if index == 0 { "" } else { "," });
            body.raw(&format!("\"#n{index}\":"));
            body.quoted(name);
        }
        body.raw("}");
        if self.value_count > 0 {
            body.raw(",\"ExpressionAttributeValues\":{");
            body.raw_bytes(self.values.as_bytes());
            body.raw("}");
        }
    }
}
