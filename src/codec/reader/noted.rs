//! Some attributes of an item, found while it is read for another reason.

use std::cell::Cell;
use std::ops::Range;

use super::Reader;
use crate::codec::Fault;

/// Where the values of these attributes begin in a text.
#[derive(Debug)]
pub(crate) struct Noted {
    attributes: Vec<Attribute>,
    /// How many items were begun: what was noted in those before does not count.
    item: Cell<usize>,
    /// A bit for the length of each name, for most names have another.
    lengths: u64,
}

#[derive(Debug)]
struct Attribute {
    name: &'static str,
    end: u16,
    /// In which item it was noted, and where.
    place: Cell<(usize, usize)>,
}

impl Noted {
    pub(crate) fn of(names: &[&'static str]) -> Self {
        let attributes = names.iter().map(|name| Attribute {
            name,
            end: end(name),
            place: Cell::default(),
        });
        Noted {
            attributes: attributes.collect(),
            item: Cell::new(1),
            lengths: names.iter().fold(0, |bits, name| bits | length_bit(name)),
        }
    }

    /// Nothing was found yet.
    #[inline]
    pub(super) fn forget(&self) {
        self.item.set(self.item.get() + 1);
    }

    /// A name with one of the lengths.
    #[inline]
    fn note(&self, name: &str, place: usize) {
        let end = end(name);
        for attribute in &self.attributes {
            if attribute.end == end && attribute.name == name {
                attribute.place.set((self.item.get(), place));
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.places().all(|(_, place)| place.is_some())
    }

    /// Where each stands, in the order of the names.
    #[inline]
    fn places(&self) -> impl Iterator<Item = (&'static str, Option<usize>)> {
        self.attributes.iter().map(|attribute| {
            let (item, place) = attribute.place.get();
            let is_noted = item == self.item.get();
            (attribute.name, is_noted.then_some(place))
        })
    }

    /// The bytes from each value on, in the order of the names; nothing where one is missing.
    #[inline]
    pub(crate) fn ahead<'r>(&self, body: &Reader<'r>) -> impl Iterator<Item = &'r [u8]> {
        let bytes = body.bytes();
        let ahead = move |place: Option<usize>| bytes.get(place?..);
        self.places()
            .map(move |(_, place)| ahead(place).unwrap_or_default())
    }

    /// A reader at the value of each attribute, in the order of the names.
    pub(crate) fn values<'r>(
        &'r self,
        body: &'r Reader<'r>,
    ) -> impl Iterator<Item = Result<(&'static str, Reader<'r>), Fault>> {
        self.places().map(|(name, place)| match place {
            Some(at) => Ok((name, body.there(at))),
            None => Err(Fault::new("the key attribute is missing").at(name)),
        })
    }
}

/// What it ends with: names of keys that are equally long differ there, `pk` and `sk`.
#[inline(always)]
fn end(name: &str) -> u16 {
    let end = name.as_bytes().last_chunk();
    end.map_or(0, |end| u16::from_ne_bytes(*end))
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

    /// The place of the item ahead, stepping over it by reading it, if it reads. On the way the attributes are noted.
    pub(crate) fn item_as(
        &mut self,
        noted: Option<&'a Noted>,
        read: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Result<Range<usize>, Fault> {
        self.peek();
        let start = self.clone();
        noted.inspect(|noted| noted.forget());
        self.look_for(noted);
        let is_read = read(self).is_some();
        self.look_for(None);
        let begin = start.at;
        if !is_read {
            *self = start;
            noted.map_or(Ok(()), |noted| self.clone().find(noted))?;
            self.skip()?;
        }
        Ok(begin..self.at)
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

    #[test]
    fn what_an_item_lacks_is_not_taken_from_the_one_before() {
        let noted = Noted::of(&["a"]);
        let mut reader = Reader::new(br#"[{"a":{"S":"0"}},{"b":{"S":"1"}}]"#);
        let mut first = true;
        reader.open_array().unwrap();
        for is_there in [true, false] {
            assert!(reader.next_element(&mut first).unwrap());
            reader.item_as(Some(&noted), read).unwrap();
            assert_eq!(values(&noted, &reader).is_ok(), is_there);
        }
    }
}
