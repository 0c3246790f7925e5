//! A primary key as the JSON that names it.

use std::fmt;

use super::point::KeyPoint;
use crate::codec::{Fault, Noted, Reader, Writer};

/// The key attributes in the order of the table, as entries of a JSON object, each value in the one way in which this
/// library writes it: equal keys are equal bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct KeyJson(Vec<u8>);

impl KeyJson {
    /// Of what was written by a key, so that nothing has to be read again.
    pub(crate) fn written(entries: Writer) -> Self {
        KeyJson(entries.into_bytes())
    }

    /// Of an object that holds them, among others perhaps.
    pub(crate) fn of(object: &[u8], names: &[&'static str]) -> Result<Self, Fault> {
        let noted = Noted::of(names);
        let reader = Reader::new(object);
        reader.clone().find(&noted)?;
        let mut key = Writer::default();
        write_noted(&noted, &reader, &mut key)?;
        Ok(KeyJson(key.into_bytes()))
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Writes the entries of a key whose attributes were noted.
pub(crate) fn write_noted(noted: &Noted, body: &Reader<'_>, key: &mut Writer) -> Result<(), Fault> {
    for attribute in noted.values(body) {
        let (name, mut value) = attribute?;
        key.dynamic_name(name);
        match value.usual_key() {
            Some(written) => key.raw_bytes(written),
            None => KeyPoint::read(&mut value)?.write(key),
        }
    }
    Ok(())
}

/// Values stay out.
impl fmt::Debug for KeyJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyJson")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = KeyPoint> {
        prop_oneof![
            any::<String>().prop_map(KeyPoint::S),
            any::<i64>().prop_map(|number| KeyPoint::N(number.into())),
            "-?[0-9]{1,20}(\\.[0-9]{1,18})?"
                .prop_map(|text| KeyPoint::N(text.parse().expect("a number"))),
            any::<Vec<u8>>().prop_map(KeyPoint::B),
        ]
    }

    /// The same object as another might write it.
    fn spelt(json: &str) -> String {
        let escaped = |text: char| match text {
            text if text.is_ascii() => text.to_string(),
            text => text
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        };
        json.chars()
            .map(escaped)
            .collect::<String>()
            .replace("\":{\"", "\" : {\"")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// So what a key wrote need not be read again.
        #[test]
        fn equal_keys_are_equal_bytes(pk in point(), sk in point()) {
            let mut written = Writer::default();
            for (name, point) in [("pk", &pk), ("s\"k", &sk)] {
                written.dynamic_name(name);
                point.write(&mut written);
            }
            let names = ["pk", "s\"k"];
            let json = String::from_utf8(written.as_bytes().to_vec()).expect("JSON");
            let written = KeyJson::written(written);
            let (pk, sk) = json.split_at(json.find(",\"s").expect("a sort key"));
            let others = [
                format!("{{{json}}}"),
                format!("{{\"a\":{{\"M\":{{\"pk\":{{\"S\":\"x\"}}}}}},{json}}}"),
                format!("{{{},{pk}}}", &sk[1..]),
                spelt(&format!("{{{json}}}")),
            ];
            for other in others {
                prop_assert!(KeyJson::of(other.as_bytes(), &names).expect("a key") == written, "{}", other);
            }
        }
    }

    #[test]
    fn numbers_are_equal_by_value() {
        let key = |digits: &str| {
            KeyJson::of(
                format!("{{\"n\":{{\"N\":\"{digits}\"}}}}").as_bytes(),
                &["n"],
            )
            .expect("a key")
        };
        for (digits, same) in [
            ("1000", "1E3"),
            ("1", "1.0"),
            ("0", "-0"),
            ("7", "007"),
            ("-7", "-07"),
            ("0", "000"),
        ] {
            assert!(key(digits) == key(same), "{digits}, {same}");
        }
        assert!(KeyJson::of(b"{\"m\":{\"N\":\"1\"}}", &["n"]).is_err());
    }
}
