//! Different ways to write the same JSON.

use serde_json::Value as Json;

/// The form in which an answer is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    Plain,
    /// White space stands wherever JSON allows it.
    Spaced,
    /// Every character of every string is escaped.
    Escaped,
    /// The members of objects come in reverse order.
    Reversed,
    /// Unknown members stand before and behind the known ones.
    Extended,
    /// Absent members are written as null.
    Nulls,
    /// All of the above together.
    Odd,
}

impl Form {
    pub const ALL: [Form; 6] = [
        Form::Spaced,
        Form::Escaped,
        Form::Reversed,
        Form::Extended,
        Form::Nulls,
        Form::Odd,
    ];

    pub fn write(self, json: &Json) -> String {
        let mut text = String::new();
        self.value(json, 0, &mut text);
        self.space(&mut text);
        text
    }

    fn is(self, form: Form) -> bool {
        self == form || self == Form::Odd
    }

    fn space(self, text: &mut String) {
        if self.is(Form::Spaced) {
            text.push_str(" \r\n\t ");
        }
    }

    fn token(self, token: &str, text: &mut String) {
        self.space(text);
        text.push_str(token);
    }

    fn value(self, json: &Json, depth: usize, text: &mut String) {
        match json {
            Json::Object(members) => {
                self.token("{", text);
                let mut members: Vec<_> = members.iter().collect();
                if self.is(Form::Reversed) {
                    members.reverse();
                }
                let mut comma = "";
                if depth == 0 && self.is(Form::Extended) {
                    self.token(UNKNOWN, text);
                    comma = ",";
                }
                for (name, value) in members {
                    self.token(comma, text);
                    match depth {
                        // The SDK does not recognize the top-level names if they are escaped.
                        0 => self.token(&Json::from(name.as_str()).to_string(), text),
                        _ => self.string(name, text),
                    }
                    self.token(":", text);
                    match name.as_str() {
                        // The SDK does not accept escapes in binary values either.
                        "B" | "BS" => Form::Plain.value(value, depth + 1, text),
                        _ => self.value(value, depth + 1, text),
                    }
                    comma = ",";
                }
                if depth == 0 && self.is(Form::Extended) {
                    self.token(comma, text);
                    text.push_str(&UNKNOWN.replace("Unknown", "Other"));
                    comma = ",";
                }
                if depth == 0 && self.is(Form::Nulls) {
                    for name in NULLS {
                        if json.get(name).is_none() {
                            self.token(comma, text);
                            self.string(name, text);
                            self.token(":", text);
                            self.token("null", text);
                            comma = ",";
                        }
                    }
                }
                self.token("}", text);
            }
            Json::Array(elements) => {
                self.token("[", text);
                for (at, element) in elements.iter().enumerate() {
                    self.token(if at == 0 { "" } else { "," }, text);
                    self.value(element, depth + 1, text);
                }
                self.token("]", text);
            }
            Json::String(string) => self.string(string, text),
            other => self.token(&other.to_string(), text),
        }
    }

    fn string(self, string: &str, text: &mut String) {
        if !self.is(Form::Escaped) {
            return self.token(&Json::from(string).to_string(), text);
        }
        self.token("\"", text);
        for (at, unit) in string.encode_utf16().enumerate() {
            text.push_str(&match at % 2 {
                0 => format!("\\u{unit:04x}"),
                _ => format!("\\u{unit:04X}"),
            });
        }
        text.push('"');
    }
}

const UNKNOWN: &str = r#""Unknown" : {"Item":{"id":{"S":"x"}},"a":[1,-2.5E+3,{"b":"}\"]\\"},[[]],{},null,true,false,""]}"#;
/// The top-level members that answers of any operation may have.
const NULLS: [&str; 7] = [
    "Attributes",
    "ConsumedCapacity",
    "Item",
    "ItemCollectionMetrics",
    "LastEvaluatedKey",
    "UnprocessedItems",
    "UnprocessedKeys",
];

/// Changes some bytes of a body at random.
pub fn damage(body: &mut Vec<u8>, seed: u64) {
    const BYTES: &[u8] = b"{}[]\":,\\0 9eSNLMu\x00\xff\xc3";
    let mut state = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(body.len() as u64);
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..1 + random(3) {
        let at = random(body.len() + 1);
        let byte = BYTES[random(BYTES.len())];
        match random(3) {
            0 => body.insert(at, byte),
            _ if at == body.len() => {}
            1 => body[at] = byte,
            _ => drop(body.remove(at)),
        }
    }
}
