//! Expressions under construction: texts that share their names and values.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::codec::Item;
use crate::json::{CodecError, Writer};
use crate::path::{Place, PlaceStep};

/// The expressions of one request.
#[derive(Debug, Default)]
pub(crate) struct Expression {
    /// Parameters and their texts, in the order of their first use.
    texts: Vec<ExpressionText>,
    names: Vec<Cow<'static, str>>,
    /// The positions of names, once there are many of them.
    positions: HashMap<Cow<'static, str>, usize>,
    values: Writer,
    value_count: usize,
}

/// The text of one parameter.
#[derive(Debug)]
struct ExpressionText {
    parameter: &'static str,
    text: String,
    operators: usize,
}

/// DynamoDB's limits: for the text of one parameter, for its operators, and for the values of one request.
const MAX_TEXT: usize = 4 * 1024;
const MAX_OPERATORS: usize = 300;
const MAX_VALUES: usize = 2 * 1024 * 1024;

/// Up to this many names are compared one by one.
const FEW: usize = 16;

/// Most texts are shorter.
const USUAL_TEXT: usize = 120;

/// Most requests need less for all of their values.
const USUAL_VALUES: usize = 160;

impl Expression {
    /// Begins the text of a parameter, such as `ConditionExpression`.
    pub(crate) fn begin_parameter(&mut self, parameter: &'static str) -> &mut Self {
        self.texts.push(ExpressionText {
            parameter,
            text: String::with_capacity(USUAL_TEXT),
            operators: 0,
        });
        self
    }

    /// Whether this parameter has any text.
    pub(crate) fn has_parameter(&self, parameter: &str) -> bool {
        self.texts
            .iter()
            .any(|of| of.parameter == parameter && !of.text.is_empty())
    }

    /// Whether no parameter has any text.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.iter().all(|of| of.text.is_empty())
    }

    /// Adds text of the expression itself.
    pub(crate) fn push_text(&mut self, text: &str) -> &mut Self {
        if let Some(current) = self.texts.last_mut() {
            current.text.push_str(text);
        }
        self
    }

    /// Adds one of the operators and functions that DynamoDB counts.
    pub(crate) fn push_operator(&mut self, text: &str) -> &mut Self {
        if let Some(current) = self.texts.last_mut() {
            current.operators += 1;
        }
        self.push_text(text)
    }

    /// Adds a name; the same name gets the same placeholder.
    pub(crate) fn push_name(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        let name = name.into();
        let index = self.name_position(&name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.push_text("#n").push_number(index)
    }

    fn name_position(&mut self, name: &str) -> Option<usize> {
        if self.names.len() <= FEW {
            return self.names.iter().position(|other| other == name);
        }
        for at in self.positions.len()..self.names.len() {
            self.positions.insert(self.names[at].clone(), at);
        }
        self.positions.get(name).copied()
    }

    /// Adds names, as a projection lists them.
    pub(crate) fn push_names<N: Into<Cow<'static, str>>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> &mut Self {
        for (at, name) in names.into_iter().enumerate() {
            self.push_text(if at == 0 { "" } else { ", " })
                .push_name(name);
        }
        self
    }

    fn push_number(&mut self, number: usize) -> &mut Self {
        self.push_text(itoa::Buffer::new().format(number))
    }

    /// Adds a path into an attribute: `#n0.#n1[2]`.
    pub(crate) fn push_place(&mut self, place: &Place) -> &mut Self {
        self.push_name(place.attribute_name().clone());
        for step in place.path_steps() {
            match step {
                PlaceStep::Name(name) => self.push_text(".").push_name(name.clone()),
                PlaceStep::Index(index) => self
                    .push_text("[")
                    .push_text(&index.to_string())
                    .push_text("]"),
            };
        }
        self
    }

    /// Adds a value, written by `encode`.
    pub(crate) fn push_value(
        &mut self,
        encode: impl FnOnce(&mut Writer) -> Result<(), CodecError>,
    ) -> Result<&mut Self, CodecError> {
        let number = self.value_count;
        self.value_count += 1;
        if number == 0 {
            self.values.output_bytes().reserve(USUAL_VALUES);
        }
        self.push_text(":v").push_number(number);
        self.values
            .push_raw(if number == 0 { "\":v" } else { ",\":v" });
        self.values.push_raw(itoa::Buffer::new().format(number));
        self.values.push_raw("\":");
        encode(&mut self.values)?;
        Ok(self)
    }

    /// Adds a value that is DynamoDB JSON already.
    pub(crate) fn push_json(&mut self, json: &[u8]) -> &mut Self {
        // This closure never fails.
        let _ = self.push_value(|writer| {
            writer.raw_bytes(json);
            Ok(())
        });
        self
    }

    /// The first text, with names instead of placeholders.
    pub(crate) fn readable_text(&self) -> String {
        let text = self.texts.first().map_or("", |of| &of.text);
        let mut pieces = text.split("#n");
        let mut shown = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = piece.split_at(digits);
            let name = number.parse().ok().and_then(|at: usize| self.names.get(at));
            shown.push_str(name.map_or("#n", |name| name));
            shown.push_str(rest);
        }
        shown
    }

    /// The part of a text that is too large, with its parameter.
    pub(crate) fn exceeded_limit(&self) -> Option<(&'static str, String)> {
        self.texts.iter().find_map(|of| {
            let (parameter, length) = (of.parameter, of.text.len());
            let said = if of.operators > MAX_OPERATORS {
                let operators = of.operators;
                format!(
                    "the {parameter} has {operators} operators and functions; DynamoDB allows {MAX_OPERATORS}"
                )
            } else if length > MAX_TEXT {
                format!("the {parameter} has {length} bytes; DynamoDB allows {MAX_TEXT}")
            } else {
                return None;
            };
            Some((parameter, said))
        })
    }

    /// Returns an error for expressions that are too large for DynamoDB.
    pub(crate) fn check_limits(&self) -> Result<(), CodecError> {
        if let Some((parameter, said)) = self.exceeded_limit() {
            return Err(CodecError::new(format!(
                "{said}: {}",
                limit_remedy(parameter)
            )));
        }
        // A value is never larger than its JSON.
        if self.values.len() > MAX_VALUES {
            let size = self.size_of_values()?;
            if size > MAX_VALUES {
                return Err(CodecError::new(format!(
                    "the values of the expressions have {size} bytes; DynamoDB allows {MAX_VALUES} (2 MB): split it into several requests"
                )));
            }
        }
        Ok(())
    }

    /// The size of the values as the service counts it, with their placeholders.
    fn size_of_values(&self) -> Result<usize, CodecError> {
        let object = [b"{", self.values.as_bytes(), b"}"].concat();
        Ok(Item::from_dynamo_json(&object)?.size())
    }

    /// The text of a parameter.
    pub(crate) fn text_of(&self, parameter: &str) -> &str {
        let mut texts = self.texts.iter();
        let found = texts.find(|of| of.parameter == parameter);
        found.map_or("", |of| &of.text)
    }

    /// The placeholders of names, each with its name.
    pub(crate) fn named_placeholders(&self) -> Vec<(String, String)> {
        let names = self.names.iter().enumerate();
        names
            .map(|(index, name)| (format!("#n{index}"), name.to_string()))
            .collect()
    }

    /// The values by their placeholders, as an object of JSON.
    pub(crate) fn values_object(&self) -> Vec<u8> {
        let mut object = b"{".to_vec();
        object.extend_from_slice(self.values.as_bytes());
        object.push(b'}');
        object
    }

    /// Adds the expressions to a request.
    pub(crate) fn write_members(&self, body: &mut Writer) {
        if self.is_empty() {
            return;
        }
        for of in self.texts.iter().filter(|of| !of.text.is_empty()) {
            body.push_raw(",\"");
            body.push_raw(of.parameter);
            body.push_raw("\":");
            body.push_quoted(&of.text);
        }
        body.push_raw(",\"ExpressionAttributeNames\":{");
        for (index, name) in self.names.iter().enumerate() {
            body.push_raw(if index == 0 { "\"#n" } else { ",\"#n" });
            body.push_raw(itoa::Buffer::new().format(index));
            body.push_raw("\":");
            body.push_quoted(name);
        }
        body.push_raw("}");
        if self.value_count > 0 {
            body.push_raw(",\"ExpressionAttributeValues\":{");
            body.raw_bytes(self.values.as_bytes());
            body.push_raw("}");
        }
    }
}

/// The remedy for an expression that is too large.
fn limit_remedy(parameter: &str) -> &'static str {
    match parameter {
        "UpdateExpression" => {
            "split it into several updates, set a whole map or list instead of its parts, or `put` the entity"
        }
        "FilterExpression" => {
            "use fewer conditions in the filter, and check the rest of each row in Rust"
        }
        "ProjectionExpression" => "read fewer fields, or whole items",
        _ => "compare fewer things, such as a version, or a whole map or list instead of its parts",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_its_own_limits_and_a_remedy() {
        let remedies = [
            ("UpdateExpression", "several updates"),
            ("ConditionExpression", "a version"),
            ("FilterExpression", "in Rust"),
            ("ProjectionExpression", "fewer fields"),
        ];
        let mut full = Expression::default();
        for (parameter, _) in remedies {
            full.begin_parameter(parameter);
            for _ in 0..MAX_OPERATORS {
                full.push_operator("a AND");
            }
        }
        assert!(full.check_limits().is_ok());
        for (parameter, remedy) in remedies {
            for (excess, says) in [(MAX_OPERATORS + 1, "301 operators"), (1, "4097 bytes")] {
                let mut expression = Expression::default();
                expression.begin_parameter(parameter);
                for _ in 0..excess {
                    expression.push_operator("");
                }
                if excess == 1 {
                    expression.push_text(&"a".repeat(MAX_TEXT + 1));
                }
                let said = expression.check_limits().unwrap_err().to_string();
                assert!(said.contains(says) && said.contains(remedy), "{said}");
                assert!(said.contains(parameter), "{said}");
            }
        }
    }
}
