//! Parses condition expressions by DynamoDB's grammar. Comparisons and functions bind tightest, then NOT, AND
//! and OR.

use std::collections::HashMap;

use dynamo_entity::aws_sdk_dynamodb::primitives::Blob;
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value as Json;

use super::model::{Cond, Path, Step, Term};

/// An expression with the names and values of its placeholders.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub text: String,
    pub names: HashMap<String, String>,
    pub values: HashMap<String, AttributeValue>,
}

impl Written {
    /// The expression that a parameter of a request holds.
    pub fn of(request: &Json, parameter: &str) -> Option<Written> {
        let text = request.get(parameter)?.as_str()?.to_owned();
        let entries = |name: &str| request[name].as_object().into_iter().flatten();
        Some(Written {
            text,
            names: entries("ExpressionAttributeNames")
                .map(|(key, name)| (key.clone(), name.as_str().expect("a name").to_owned()))
                .collect(),
            values: entries("ExpressionAttributeValues")
                .map(|(key, value)| (key.clone(), attribute(value)))
                .collect(),
        })
    }

    pub fn read(&self) -> Option<Cond> {
        self.read_text(&self.text)
    }

    fn read_text(&self, text: &str) -> Option<Cond> {
        let mut parser = Parser {
            written: self,
            tokens: tokens(text),
            at: 0,
        };
        let cond = parser.or()?;
        (parser.at == parser.tokens.len()).then(|| cond.flat())
    }

    /// Whether all grouping parentheses are needed: without any pair of them, the text means something else.
    pub fn is_minimal(&self) -> bool {
        let meant = self.read();
        grouping(&self.text).into_iter().all(|(open, close)| {
            let mut without = self.text.clone();
            without.replace_range(close..=close, "");
            without.replace_range(open..=open, "");
            self.read_text(&without) != meant
        })
    }
}

/// Parses an attribute value from DynamoDB JSON.
pub fn attribute(json: &Json) -> AttributeValue {
    let (tag, value) = json
        .as_object()
        .and_then(|object| object.iter().next())
        .expect("a value");
    let text = || value.as_str().expect("text").to_owned();
    let list = || value.as_array().expect("a list").iter();
    let texts = || {
        list()
            .map(|text| text.as_str().expect("text").to_owned())
            .collect()
    };
    let blob = |text: &str| Blob::new(base64_simd::STANDARD.decode_to_vec(text).expect("base64"));
    match tag.as_str() {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "B" => AttributeValue::B(blob(&text())),
        "BOOL" => AttributeValue::Bool(value.as_bool().expect("a bool")),
        "NULL" => AttributeValue::Null(true),
        "SS" => AttributeValue::Ss(texts()),
        "NS" => AttributeValue::Ns(texts()),
        "BS" => AttributeValue::Bs(
            list()
                .map(|text| blob(text.as_str().expect("text")))
                .collect(),
        ),
        "L" => AttributeValue::L(list().map(attribute).collect()),
        "M" => {
            let entries = value.as_object().expect("a map").iter();
            AttributeValue::M(
                entries
                    .map(|(name, value)| (name.clone(), attribute(value)))
                    .collect(),
            )
        }
        other => panic!("no type of DynamoDB: {other}"),
    }
}

/// The positions of all pairs of parentheses that belong neither to a call nor to a list.
fn grouping(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, char) in text.char_indices() {
        match char {
            '(' => {
                let before = &text[..at];
                let is_call = before.ends_with(|char: char| char.is_ascii_lowercase());
                open.push((at, !is_call && !before.ends_with(" IN ")));
            }
            ')' => {
                let (start, groups) = open.pop().expect("balanced parentheses");
                if groups {
                    pairs.push((start, at));
                }
            }
            _ => {}
        }
    }
    pairs
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    for char in text.chars() {
        let is_sign = "(),.[]".contains(char);
        if is_sign || char == ' ' {
            tokens.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            tokens.extend(is_sign.then(|| char.to_string()));
        } else {
            word.push(char);
        }
    }
    tokens.extend((!word.is_empty()).then_some(word));
    tokens
}

struct Parser<'w> {
    written: &'w Written,
    tokens: Vec<String>,
    at: usize,
}

const CALLS: [&str; 5] = [
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "begins_with",
    "contains",
];

impl Parser<'_> {
    fn next(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> Option<()> {
        (self.next() == Some(token)).then(|| self.at += 1)
    }

    fn or(&mut self) -> Option<Cond> {
        let mut any = vec![self.and()?];
        while self.take("OR").is_some() {
            any.push(self.and()?);
        }
        Some(Cond::Or(any))
    }

    fn and(&mut self) -> Option<Cond> {
        let mut all = vec![self.not()?];
        while self.take("AND").is_some() {
            all.push(self.not()?);
        }
        Some(Cond::And(all))
    }

    fn not(&mut self) -> Option<Cond> {
        if self.take("NOT").is_some() {
            return Some(Cond::Not(Box::new(self.not()?)));
        }
        if self.take("(").is_some() {
            let inner = self.or()?;
            self.take(")")?;
            return Some(inner);
        }
        let call = CALLS.into_iter().find(|call| self.next() == Some(call));
        match call {
            Some(call) => self.call(call),
            None => self.comparison(),
        }
    }

    fn call(&mut self, name: &'static str) -> Option<Cond> {
        self.at += 1;
        self.take("(")?;
        let path = self.path()?;
        let value = match self.take(",") {
            Some(()) => Some(self.value()?),
            None => None,
        };
        self.take(")")?;
        Some(Cond::Call(name, path, value))
    }

    fn comparison(&mut self) -> Option<Cond> {
        let left = self.term()?;
        if self.take("BETWEEN").is_some() {
            let low = self.term()?;
            self.take("AND")?;
            return Some(Cond::Between(left, low, self.term()?));
        }
        if self.take("IN").is_some() {
            self.take("(")?;
            let mut values = vec![self.term()?];
            while self.take(",").is_some() {
                values.push(self.term()?);
            }
            self.take(")")?;
            return Some(Cond::In(left, values));
        }
        let signs = ["=", "<>", "<=", ">=", "<", ">"];
        let by = signs.into_iter().find(|sign| self.next() == Some(sign))?;
        self.at += 1;
        Some(Cond::Compare(left, by, self.term()?))
    }

    fn term(&mut self) -> Option<Term> {
        if self.take("size").is_some() {
            self.take("(")?;
            let path = self.path()?;
            self.take(")")?;
            return Some(Term::Size(path));
        }
        if self.next()?.starts_with(':') {
            return self.value().map(Term::Value);
        }
        self.path().map(Term::At)
    }

    fn value(&mut self) -> Option<AttributeValue> {
        let value = self.written.values.get(self.next()?)?.clone();
        self.at += 1;
        Some(value)
    }

    fn path(&mut self) -> Option<Path> {
        let mut path = vec![self.name()?];
        loop {
            if self.take(".").is_some() {
                path.push(self.name()?);
            } else if self.take("[").is_some() {
                path.push(Step::Index(self.next()?.parse().ok()?));
                self.at += 1;
                self.take("]")?;
            } else {
                return Some(path);
            }
        }
    }

    fn name(&mut self) -> Option<Step> {
        let name = self.written.names.get(self.next()?)?.clone();
        self.at += 1;
        Some(Step::Name(name))
    }
}
