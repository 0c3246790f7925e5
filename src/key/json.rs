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
