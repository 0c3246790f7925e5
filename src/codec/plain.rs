//! Reads plain JSON into items.

use super::{Item, Value};
use crate::json::{CodecError, MAX_DEPTH, Reader};

impl Reader<'_> {
    /// Reads one object of plain JSON, behind which nothing may follow.
    pub(crate) fn plain_item(&mut self) -> Result<Item, CodecError> {
        self.plain_item_within(MAX_DEPTH)
    }

    /// The same for JSON in which a value may take several levels.
    pub(crate) fn plain_item_within(&mut self, levels: usize) -> Result<Item, CodecError> {
        let item = self.plain_object(levels + 1)?;
        match self.peek_byte() {
            None => Ok(item),
            Some(_) => Err(self.not_json("the end")),
        }
    }

    /// Reads one value of plain JSON, behind which nothing may follow.
    pub(crate) fn plain_value_within(&mut self, levels: usize) -> Result<Value, CodecError> {
        let value = self.plain_value(levels)?;
        match self.peek_byte() {
            None => Ok(value),
            Some(_) => Err(self.not_json("the end")),
        }
    }

    fn plain_value(&mut self, left: usize) -> Result<Value, CodecError> {
        Ok(match self.peek_byte() {
            Some(b'"') => Value::S(self.plain_string()?),
            Some(b'{') => Value::M(self.plain_object(left)?),
            Some(b'[') => Value::L(self.plain_array(left)?),
            Some(b't' | b'f') => {
                let found = self.boolean_literal();
                Value::Bool(found.map_err(|_| self.not_json("a value"))?)
            }
            Some(b'n') if self.take_nothing() => Value::Null,
            _ => Value::N(self.plain_number()?),
        })
    }

    fn plain_object(&mut self, left: usize) -> Result<Item, CodecError> {
        let left = level_within(left)?;
        self.read_plain(b'{', "an object")?;
        let (mut item, mut first) = (Item::new(), true);
        while self.plain_another(&mut first, b'}')? {
            let name = self.plain_string()?;
            self.read_plain(b':', "`:`")?;
            let value = self.plain_value(left);
            let value = value.map_err(|fault| fault.at(name.as_str()))?;
            if item.contains(&name) {
                return Err(CodecError::new("the attribute occurs twice").at(name));
            }
            item.insert(name, value);
        }
        Ok(item)
    }

    fn plain_array(&mut self, left: usize) -> Result<Vec<Value>, CodecError> {
        let left = level_within(left)?;
        self.read_plain(b'[', "a list")?;
        let (mut list, mut first) = (Vec::new(), true);
        while self.plain_another(&mut first, b']')? {
            let value = self.plain_value(left);
            list.push(value.map_err(|fault| fault.at_index(list.len()))?);
        }
        Ok(list)
    }
}

/// The levels left within a list or a map. DynamoDB rejects items that nest deeper.
fn level_within(left: usize) -> Result<usize, CodecError> {
    left.checked_sub(1).ok_or_else(|| {
        CodecError::new(format!(
            "lists and maps nest deeper than {MAX_DEPTH} levels"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<String> {
        let item = Item::from_json(&format!(" {{ \"n\" : {text} }} ")).ok()?;
        item.get("n")?.as_number().map(ToString::to_string)
    }

    #[test]
    fn numbers_are_taken_digit_by_digit() {
        for (text, kept) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("18446744073709551617", "18446744073709551617"),
            (
                "99999999999999999999999999999999999999",
                "99999999999999999999999999999999999999",
            ),
            (
                "0.1000000000000000000000000000000000001",
                "0.1000000000000000000000000000000000001",
            ),
            ("9007199254740993.0", "9007199254740993"),
            ("1.5E-7", "0.00000015"),
        ] {
            assert_eq!(number(text).as_deref(), Some(kept), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let long = "1".repeat(39);
        for text in [
            "",
            "+7",
            "007",
            "-01",
            ".5",
            "5.",
            "1.e3",
            "1e",
            "-",
            "--1",
            "1 2",
            "NaN",
            "nul",
            "tru",
            "'a'",
            "\"a",
            "[1",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,\"a\":1}",
            "1e126",
            &long,
            "1}{",
        ] {
            assert_eq!(
                Item::from_json(&format!("{{\"n\":{text}}}")).ok(),
                None,
                "{text}"
            );
        }
        for whole in ["", "[]", "7", "{} {}", "{"] {
            assert!(Item::from_json(whole).is_err(), "{whole}");
        }
        let deep =
            |levels: usize| format!("{{\"n\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(Item::from_json(&deep(32)).is_ok());
        assert!(Item::from_json(&deep(33)).is_err());
    }

    #[test]
    fn a_fault_names_the_place() {
        let fault = Item::from_json(r#"{"a":[1,{"b":1e999}]}"#).unwrap_err();
        assert_eq!(fault.attribute(), Some("a[1].b"));
        let fault = Item::from_json(r#"{"a":tru}"#).unwrap_err();
        assert!(
            fault
                .to_string()
                .contains("not JSON: a value is expected at byte 5"),
            "{fault}"
        );
    }
}
