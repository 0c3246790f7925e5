//! A primary key as JSON.

use std::fmt;

use super::point::KeyPoint;
use crate::json::{CodecError, KeyFinder, Reader, Writer};
use crate::schema::TableDef;

/// The key attributes in the order of the table, as entries of a JSON object. Each value has only one format here, so
/// equal keys are equal bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct KeyJson(Vec<u8>);

impl KeyJson {
    /// The key that was just written, which need not be parsed again.
    pub(crate) fn from_writer(entries: Writer) -> Self {
        KeyJson(entries.into_bytes())
    }

    /// The key of an object that contains its attributes and perhaps others.
    pub(crate) fn of_object(object: &[u8], names: &[&'static str]) -> Result<Self, CodecError> {
        let finder = KeyFinder::of_names(names);
        let reader = Reader::new(object);
        reader.clone().find_keys(&finder)?;
        let mut key = Writer::default();
        write_noted(&finder, &reader, &mut key)?;
        Ok(KeyJson(key.into_bytes()))
    }

    /// The key of an item of this table, as an object. `None` if the item has no such key.
    pub(crate) fn object_in(table: &TableDef, item: &[u8]) -> Option<Vec<u8>> {
        let names: Vec<_> = table.key_names().collect();
        KeyJson::of_object(item, &names)
            .ok()
            .map(KeyJson::into_object)
    }

    /// The key as an object.
    fn into_object(self) -> Vec<u8> {
        [b"{", self.as_bytes(), b"}"].concat()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Writes the entries of a key whose attributes the finder has recorded.
pub(crate) fn write_noted(
    finder: &KeyFinder,
    body: &Reader<'_>,
    key: &mut Writer,
) -> Result<(), CodecError> {
    for attribute in finder.found_values(body) {
        let (name, mut value) = attribute?;
        key.dynamic_name(name);
        // The text as it was received, which is the usual case, needs no decoding. Another text of the same value is
        // decoded and encoded again, so that equal keys have equal bytes.
        match value.usual_key() {
            Some(written) => key.raw_bytes(written),
            None => KeyPoint::read_point(&mut value)?.write_point(key),
        }
    }
    Ok(())
}

/// Values are not shown.
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

    /// The same object as another program might spell it.
    fn spelt(json: &str) -> String {
        let escaped = |text: char| match text {
            text if text.is_ascii() => text.to_string(),
            text => text
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        };
        // What is replaced includes the type, because a text may hold `:{` too.
        let json: String = json.chars().map(escaped).collect();
        ["S", "N", "B", "M"].iter().fold(json, |json, ty| {
            json.replace(&format!("\":{{\"{ty}\":"), &format!("\" : {{\"{ty}\":"))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::random_cases(2_000)))]

        /// A key that was just written need not be read again, because its bytes are those that reading it gives.
        #[test]
        fn equal_keys_are_equal_bytes(pk in point(), sk in point()) {
            let mut written = Writer::default();
            for (name, point) in [("pk", &pk), ("s\"k", &sk)] {
                written.dynamic_name(name);
                point.write_point(&mut written);
            }
            let names = ["pk", "s\"k"];
            let json = String::from_utf8(written.as_bytes().to_vec()).expect("JSON");
            let written = KeyJson::from_writer(written);
            let (pk, sk) = json.split_at(json.find(",\"s").expect("a sort key"));
            let others = [
                format!("{{{json}}}"),
                format!("{{\"a\":{{\"M\":{{\"pk\":{{\"S\":\"x\"}}}}}},{json}}}"),
                format!("{{{},{pk}}}", &sk[1..]),
                spelt(&format!("{{{json}}}")),
            ];
            for other in others {
                prop_assert!(KeyJson::of_object(other.as_bytes(), &names).expect("a key") == written, "{}", other);
            }
        }
    }

    #[test]
    fn numbers_are_equal_by_value() {
        let key = |digits: &str| {
            KeyJson::of_object(
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
        assert!(KeyJson::of_object(b"{\"m\":{\"N\":\"1\"}}", &["n"]).is_err());
    }
}
