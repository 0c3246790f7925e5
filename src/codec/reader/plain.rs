//! Reads plain JSON, whose numbers are taken digit by digit.

use super::{MAX_DEPTH, Reader};
use crate::codec::{Fault, Item, Number, Value};

impl<'a> Reader<'a> {
    /// One object of plain JSON, which is all there is.
    pub(crate) fn plain_item(&mut self) -> Result<Item, Fault> {
        let item = self.plain_object(0)?;
        match self.peek() {
            None => Ok(item),
            Some(_) => Err(self.not_json("the end")),
        }
    }

    fn plain_value(&mut self, depth: usize) -> Result<Value, Fault> {
        Ok(match self.peek() {
            Some(b'"') => Value::S(self.plain_string()?),
            Some(b'{') => Value::M(self.plain_object(depth)?),
            Some(b'[') => Value::L(self.plain_array(depth)?),
            Some(b't' | b'f') => {
                let found = self.boolean_literal();
                Value::Bool(found.map_err(|_| self.not_json("a value"))?)
            }
            Some(b'n') if self.take_nothing() => Value::Null,
            _ => Value::N(self.plain_number()?),
        })
    }

    fn plain_object(&mut self, depth: usize) -> Result<Item, Fault> {
        deep_enough(depth)?;
        self.plain(b'{', "an object")?;
        let (mut item, mut first) = (Item::new(), true);
        while self.plain_another(&mut first, b'}')? {
            let name = self.plain_string()?;
            self.plain(b':', "`:`")?;
            let value = self.plain_value(depth + 1);
            let value = value.map_err(|fault| fault.at(name.as_str()))?;
            if item.contains(&name) {
                return Err(Fault::new("the attribute stands twice").at(name));
            }
            item.insert(name, value);
        }
        Ok(item)
    }

    fn plain_array(&mut self, depth: usize) -> Result<Vec<Value>, Fault> {
        deep_enough(depth)?;
        self.plain(b'[', "a list")?;
        let (mut list, mut first) = (Vec::new(), true);
        while self.plain_another(&mut first, b']')? {
            let value = self.plain_value(depth + 1);
            list.push(value.map_err(|fault| fault.at_index(list.len()))?);
        }
        Ok(list)
    }

    fn plain_number(&mut self) -> Result<Number, Fault> {
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = self.rest().iter().take_while(|byte| is_part(byte)).count();
        let text = self.text.get(self.at..self.at + length).unwrap_or_default();
        if !is_number(text) {
            return Err(self.not_json("a value"));
        }
        self.at += length;
        text.parse()
    }

    fn plain_string(&mut self) -> Result<String, Fault> {
        let found = self.string();
        found
            .map(String::from)
            .map_err(|_| self.not_json("a string"))
    }

    fn plain_another(&mut self, first: &mut bool, end: u8) -> Result<bool, Fault> {
        let found = self.another(first, end, "");
        found.map_err(|_| self.not_json("`,` or the end of a list or an object"))
    }

    fn plain(&mut self, byte: u8, wanted: &str) -> Result<(), Fault> {
        let found = self.expect(byte, wanted);
        found.map_err(|_| self.not_json(wanted))
    }

    #[cold]
    fn not_json(&self, wanted: &str) -> Fault {
        Fault::new(format!(
            "not JSON: {wanted} should stand at byte {}",
            self.at
        ))
    }
}

/// An item holds no more.
fn deep_enough(depth: usize) -> Result<(), Fault> {
    match depth > MAX_DEPTH {
        true => Err(Fault::new(format!(
            "lists and maps nest deeper than {MAX_DEPTH} levels"
        ))),
        false => Ok(()),
    }
}

/// JSON is stricter than [`Number`]: no `+7`, no `007`, no `.5` and no `5.`.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digit_at = |at: usize| unsigned.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let point = unsigned.find('.');
    digit_at(0)
        && !(unsigned.starts_with('0') && digit_at(1))
        && point.is_none_or(|at| digit_at(at + 1))
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
                .contains("not JSON: a value should stand at byte 5"),
            "{fault}"
        );
    }
}
