//! Some attributes of an item, found while it is read for another reason.

use std::cell::Cell;

use super::Reader;
use crate::codec::Fault;

/// Where the values of these attributes begin in a text.
#[derive(Debug)]
pub(crate) struct Noted {
    attributes: Vec<Attribute>,
    /// A bit for the length of each name, for most names have another.
    lengths: u64,
}

#[derive(Debug)]
struct Attribute {
    name: &'static str,
    /// What it ends with: names of keys that are equally long differ there, `pk` and `sk`.
    end: Option<[u8; 2]>,
    place: Cell<Option<usize>>,
}

impl Noted {
    pub(crate) fn of(names: &[&'static str]) -> Self {
        let attributes = names.iter().map(|name| Attribute {
            name,
            end: end(name),
            place: Cell::new(None),
        });
        Noted {
            attributes: attributes.collect(),
            lengths: names.iter().fold(0, |bits, name| bits | length_bit(name)),
        }
    }

    /// Nothing was found yet.
    pub(super) fn forget(&self) {
        for attribute in &self.attributes {
            attribute.place.set(None);
        }
    }

    /// A name with one of the lengths.
    #[inline]
    fn note(&self, name: &str, place: usize) {
        for attribute in &self.attributes {
            if attribute.end == end(name) && attribute.name == name {
                attribute.place.set(Some(place));
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.attributes
            .iter()
            .all(|attribute| attribute.place.get().is_some())
    }

    /// A reader at the value of each attribute, in the order of the names.
    pub(crate) fn values<'r>(
        &'r self,
        body: &'r Reader<'r>,
    ) -> impl Iterator<Item = Result<(&'static str, Reader<'r>), Fault>> {
        let attributes = self.attributes.iter();
        attributes.map(|attribute| match attribute.place.get() {
            Some(at) => Ok((attribute.name, body.there(at))),
            None => Err(Fault::new("the key attribute is missing").at(attribute.name)),
        })
    }
}

#[inline]
fn end(name: &str) -> Option<[u8; 2]> {
    name.as_bytes().last_chunk().copied()
}

#[inline]
const fn length_bit(name: &str) -> u64 {
    1 << (name.len() % 64)
}

impl<'a> Reader<'a> {
    /// Another one at this place.
    #[inline]
    fn there(&self, at: usize) -> Self {
        Reader {
            text: self.text,
            at,
            depth: 0,
            noted: None,
            lengths: 0,
        }
    }

    /// A name of the item or of a map in it, with its value ahead.
    #[inline(always)]
    pub(super) fn pass_name(&self, name: &str) {
        if self.lengths & length_bit(name) != 0
            && let Some(noted) = self.noted
        {
            noted.note(name, self.at);
        }
    }

    /// Notes these from now on, outside of lists and maps.
    fn look_for(&mut self, noted: Option<&'a Noted>) {
        self.noted = noted;
        self.look_on();
    }

    /// Attributes of the item come again.
    pub(super) fn look_on(&mut self) {
        self.lengths = self.noted.map_or(0, |noted| noted.lengths);
    }

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
        self.look_for(noted);
        let value = read(self);
        self.look_for(None);
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
        self.look_for(Some(noted));
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
