//! Some attributes of an item, found while it is read for another reason.

use std::cell::Cell;

use super::Reader;
use crate::codec::Fault;

/// Where the values of these attributes begin in a text.
#[derive(Debug)]
pub(crate) struct Noted {
    attributes: Vec<(&'static str, Cell<Option<usize>>)>,
}

impl Noted {
    pub(crate) fn of(names: &[&'static str]) -> Self {
        let attributes = names.iter().map(|name| (*name, Cell::new(None)));
        Noted {
            attributes: attributes.collect(),
        }
    }

    /// Nothing was found yet.
    pub(super) fn forget(&self) {
        for (_, place) in &self.attributes {
            place.set(None);
        }
    }

    #[inline]
    pub(super) fn note(&self, name: &str, place: usize) {
        for (wanted, found) in &self.attributes {
            if *wanted == name {
                found.set(Some(place));
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.attributes
            .iter()
            .all(|(_, place)| place.get().is_some())
    }

    /// A reader at the value of each attribute, in the order of the names.
    pub(crate) fn values<'r>(
        &'r self,
        body: &'r Reader<'r>,
    ) -> impl Iterator<Item = Result<(&'static str, Reader<'r>), Fault>> {
        self.attributes.iter().map(move |(name, place)| {
            let missing = || Fault::new("the key attribute is missing").at(*name);
            let at = place.get().ok_or_else(missing)?;
            Ok((
                *name,
                Reader {
                    at,
                    depth: 0,
                    noted: None,
                    ..body.clone()
                },
            ))
        })
    }
}

impl<'a> Reader<'a> {
    /// The bytes of the item ahead, stepping over it, and what it is read as, if it reads. On the way the attributes
    /// are noted.
    pub(crate) fn item_as<T>(
        &mut self,
        noted: Option<&'a Noted>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Result<(&'a [u8], Option<T>), Fault> {
        self.peek();
        let start = self.clone();
        noted.inspect(|noted| noted.forget());
        self.noted = noted;
        let value = read(self);
        self.noted = None;
        if let Some(value) = value {
            let json = self.bytes().get(start.at..self.at);
            return Ok((json.unwrap_or_default(), Some(value)));
        }
        *self = start;
        noted.map_or(Ok(()), |noted| self.clone().find(noted))?;
        Ok((self.raw_value()?, None))
    }

    /// Notes the attributes of the item ahead, as far as they are there.
    pub(crate) fn find(&mut self, noted: &'a Noted) -> Result<(), Fault> {
        noted.forget();
        self.noted = Some(noted);
        let mut first = true;
        self.open_object()?;
        while !noted.is_complete() && self.next_name(&mut first)?.is_some() {
            self.skip()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Item;

    fn read(reader: &mut Reader<'_>) -> Option<usize> {
        Some(Item::read(reader).ok()?.len())
    }

    fn values(noted: &Noted, reader: &Reader<'_>) -> Result<Vec<String>, Fault> {
        let values = noted.values(reader);
        values
            .map(|value| Ok(value?.1.text()?.into_owned()))
            .collect()
    }

    /// And not what a map in the item has under the same name.
    #[test]
    fn attributes_of_the_item_are_noted() {
        let items = r#"[{"m":{"M":{"b":{"S":"2"}}},"b":{"S":"1"},"l":{"L":[{"M":{"a":{"S":"3"}}}]},"a":{"S":"0"}}, {"b":{"S":"5"},"a":{"S":"4"}}]"#;
        let broken = items.replace(r#""l":{"L":["#, r#""l":{"X":["#);
        for (json, counts) in [(items, [Some(4), Some(2)]), (&broken, [None, Some(2)])] {
            let noted = Noted::of(&["a", "b"]);
            let mut reader = Reader::new(json.as_bytes());
            let mut first = true;
            reader.open_array().unwrap();
            for (count, expected) in counts.into_iter().zip([["0", "1"], ["4", "5"]]) {
                assert!(reader.next_element(&mut first).unwrap());
                let (item, found) = reader.item_as(Some(&noted), read).unwrap();
                assert!(item.starts_with(b"{") && item.ends_with(b"}}"));
                assert_eq!(found, count);
                assert_eq!(values(&noted, &reader).unwrap(), expected);
            }
            assert!(!reader.next_element(&mut first).unwrap());
        }
        let noted = Noted::of(&["a", "c"]);
        let reader = Reader::new(br#"{"a":{"S":"0"}}"#);
        reader.clone().find(&noted).unwrap();
        assert_eq!(
            values(&noted, &reader).unwrap_err().path().as_deref(),
            Some("c")
        );
    }
}
