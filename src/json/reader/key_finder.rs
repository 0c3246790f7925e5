//! Finds some attributes of an item while the item is read for another reason.

use std::cell::Cell;
use std::ops::Range;

use super::Reader;
use crate::json::CodecError;

/// The beginnings of the values of some attributes in a text.
///
/// The items of an answer usually have their attributes in one order. So names are counted, not compared: the previous
/// item tells how many names come before the next attribute that is looked for. If another name is found there, each
/// name is compared again.
#[derive(Debug)]
pub(crate) struct KeyFinder {
    attributes: Vec<Attribute>,
    /// How many of the attributes are read for their values. For the one behind them only its presence matters.
    values: usize,
    /// The number of the current item: places noted in earlier items do not count.
    item: Cell<usize>,
    /// How many attributes were found in this item.
    found: Cell<usize>,
    /// How many names were looked at since the last attribute was found.
    passed: Cell<u32>,
    is_order_known: Cell<bool>,
    /// How often the order has changed.
    turns: Cell<u32>,
}

#[derive(Debug)]
struct Attribute {
    name: &'static str,
    /// The number of the item in which the attribute was noted, and the place there.
    place: Cell<(usize, usize)>,
    /// The attribute at this position of the order; it may be another one than this.
    step: Cell<FinderStep>,
}

#[derive(Debug, Clone, Copy, Default)]
struct FinderStep {
    /// How many names to pass since the attribute before, including the attribute's own.
    names: u32,
    attribute: usize,
}

/// The number of names to pass if nothing is looked for.
pub(super) const NEVER: u32 = u32::MAX;

/// If the order changes more often than this, the answer is assumed to have none.
const MOST_TURNS: u32 = 3;

impl Attribute {
    fn of_name(name: &'static str) -> Self {
        Attribute {
            name,
            place: Cell::default(),
            step: Cell::default(),
        }
    }
}

impl KeyFinder {
    pub(crate) fn of_names(names: &[&'static str]) -> Self {
        let attributes = names.iter().map(|name| Attribute::of_name(name));
        KeyFinder {
            attributes: attributes.collect(),
            values: names.len(),
            item: Cell::new(1),
            found: Cell::new(0),
            passed: Cell::new(0),
            is_order_known: Cell::new(false),
            turns: Cell::new(0),
        }
    }

    /// Also finds out whether this attribute exists.
    pub(crate) fn with_attribute(mut self, name: &'static str) -> Self {
        self.attributes.push(Attribute::of_name(name));
        self
    }

    /// Whether the attribute given to [`with_attribute`](Self::with_attribute) exists.
    #[inline]
    pub(crate) fn has_beside(&self) -> bool {
        let beside = self.attributes.get(self.values);
        beside.is_some_and(|beside| self.place_of(beside).is_some())
    }

    /// Begins an item. Returns how many names to pass until one is looked at, that one included.
    #[inline]
    fn begin_search(&self) -> u32 {
        self.item.set(self.item.get() + 1);
        self.found.set(0);
        self.passed.set(0);
        match self.step_cell(0) {
            Some(step) if self.is_order_known.get() => step.get().names,
            Some(_) => 1,
            None => NEVER,
        }
    }

    #[inline(always)]
    fn step_cell(&self, number: usize) -> Option<&Cell<FinderStep>> {
        self.attributes.get(number).map(|attribute| &attribute.step)
    }

    /// Looks at a name. Returns how many names to pass until the next one is looked at.
    #[inline]
    fn look_at(&self, name: &str, place: usize) -> u32 {
        let step = self.step_cell(self.found.get());
        let expected = step.and_then(|step| self.attributes.get(step.get().attribute));
        // Servers return the attributes of one entity mostly in the same order. Once that is known,
        // most names are skipped by a count and need no comparison.
        let Some(attribute) = expected.filter(|_| self.is_order_known.get()) else {
            return self.find_out(name, place);
        };
        match is_same_if_short(attribute.name, name) {
            Some(true) => self.is_at(attribute, place),
            Some(false) => NEVER,
            None => self.look_at_long(attribute, name, place),
        }
    }

    #[inline(never)]
    fn look_at_long(&self, attribute: &Attribute, name: &str, place: usize) -> u32 {
        if attribute.name == name {
            self.is_at(attribute, place)
        } else {
            NEVER
        }
    }

    /// Notes that the next attribute of the order is at this place.
    #[inline(always)]
    fn is_at(&self, attribute: &Attribute, place: usize) -> u32 {
        attribute.place.set((self.item.get(), place));
        let found = self.found.get() + 1;
        self.found.set(found);
        self.step_cell(found).map_or(NEVER, |step| step.get().names)
    }

    /// Looks for a name among all attributes while their order is not known.
    #[cold]
    fn find_out(&self, name: &str, place: usize) -> u32 {
        let place = (self.item.get(), place);
        let step = self.step_cell(self.found.get());
        self.passed.set(self.passed.get() + 1);
        let attributes = self.attributes.iter().enumerate();
        for (attribute, it) in attributes.filter(|(_, it)| it.name == name) {
            let (before, _) = it.place.get();
            // A name that occurs twice in one item counts once.
            if let Some(step) = step.filter(|_| before != self.item.get()) {
                it.place.set(place);
                let names = self.passed.take();
                step.set(FinderStep { names, attribute });
                self.found.set(self.found.get() + 1);
            }
        }
        if self.is_complete() { NEVER } else { 1 }
    }

    #[inline]
    fn is_complete(&self) -> bool {
        self.found.get() == self.attributes.len()
    }

    /// Ends an item. Returns whether all attributes were found.
    #[inline]
    fn end_search(&self) -> bool {
        let is_complete = self.is_complete();
        if is_complete && !self.is_order_known.get() {
            // If the order has changed several times, it changes with each item, and learning it
            // again would cost more than it saves.
            self.is_order_known.set(self.turns.get() < MOST_TURNS);
        }
        is_complete
    }

    /// Makes the finder look at each name from now on. Returns whether the order was known until now.
    fn lose_order(&self) -> bool {
        let was_known = self.is_order_known.replace(false);
        self.turns.set(self.turns.get() + u32::from(was_known));
        was_known
    }

    /// The place of an attribute in this item.
    #[inline]
    fn place_of(&self, attribute: &Attribute) -> Option<usize> {
        let (item, place) = attribute.place.get();
        (item == self.item.get()).then_some(place)
    }

    /// The text from each value on, in the order of the names; `None` for a missing attribute.
    #[inline]
    pub(crate) fn texts_ahead<'r>(
        &self,
        body: &Reader<'r>,
    ) -> impl Iterator<Item = Option<&'r [u8]>> {
        let bytes = body.all_bytes();
        let attributes = self.attributes.get(..self.values).unwrap_or_default();
        let attributes = attributes.iter();
        attributes.map(move |attribute| bytes.get(self.place_of(attribute)?..))
    }

    /// A reader at the value of each attribute, in the order of the names.
    pub(crate) fn found_values<'r>(
        &'r self,
        body: &'r Reader<'r>,
    ) -> impl Iterator<Item = Result<(&'static str, Reader<'r>), CodecError>> {
        let attributes = self.attributes.get(..self.values).unwrap_or_default();
        attributes.iter().map(|attribute| {
            let missing = || CodecError::new("the key attribute is missing").at(attribute.name);
            let place = self.place_of(attribute).ok_or_else(missing)?;
            Ok((attribute.name, body.resume_at(place)))
        })
    }
}

/// Whether two names are the same; `None` if their length cannot be compared without a call.
#[inline(always)]
fn is_same_if_short(one: &str, other: &str) -> Option<bool> {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return Some(false);
    }
    match one.len() {
        2..=4 => Some(same_ends::<2>(one, other)),
        5..=8 => Some(same_ends::<4>(one, other)),
        9..=16 => Some(same_ends::<8>(one, other)),
        _ => None,
    }
}

#[inline(always)]
fn same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    one.first_chunk::<N>() == other.first_chunk() && one.last_chunk::<N>() == other.last_chunk()
}

impl<'a> Reader<'a> {
    /// Counts a name of the item or of a map in it; the value comes next.
    #[inline(always)]
    pub(super) fn pass_name(&mut self, name: &str) {
        // `NEVER` is `u32::MAX`, and no item has enough names to count it down to zero.
        self.until = self.until.wrapping_sub(1);
        if self.until == 0 {
            self.look_at(name);
        }
    }

    #[inline(never)]
    fn look_at(&mut self, name: &str) {
        let finder = self.finder.map(|finder| finder.look_at(name, self.at));
        self.until = finder.unwrap_or(NEVER);
    }

    /// Starts to look for the finder's attributes in the object that is opened next, but not in its lists and maps.
    #[inline]
    fn look_for(&mut self, finder: Option<&'a KeyFinder>) {
        self.finder = finder;
        self.until = NEVER;
        self.until_outside = finder.map_or(NEVER, KeyFinder::begin_search);
    }

    /// Steps over the next item, which `read` tries to read, and returns its place. The finder notes its attributes.
    pub(crate) fn item_as(
        &mut self,
        finder: Option<&'a KeyFinder>,
        read: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Result<Range<usize>, CodecError> {
        self.peek_byte();
        let start = self.clone();
        self.look_for(finder);
        let is_read = read(self).is_some();
        // `read` may fail at any depth, and the reader is used again after the failure.
        self.depth = start.depth;
        self.look_for(None);
        let begin = start.at;
        match finder {
            Some(finder) if is_read && finder.end_search() => {}
            Some(finder) => {
                if is_read {
                    finder.lose_order();
                }
                start.clone().find_keys(finder)?;
            }
            None => {}
        }
        if !is_read {
            *self = start;
            self.skip()?;
        }
        Ok(begin..self.at)
    }

    /// Notes those attributes of the next item that it has.
    pub(crate) fn find_keys(&mut self, finder: &'a KeyFinder) -> Result<(), CodecError> {
        let start = self.clone();
        self.search_keys(finder)?;
        if !finder.is_complete() && finder.lose_order() {
            *self = start;
            self.search_keys(finder)?;
        }
        Ok(())
    }

    fn search_keys(&mut self, finder: &'a KeyFinder) -> Result<(), CodecError> {
        self.look_for(Some(finder));
        let mut first = true;
        self.open_object()?;
        while !finder.is_complete() && self.next_name(&mut first)?.is_some() {
            self.skip()?;
        }
        finder.end_search();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::codec::{DynamoValue, Item, Value};
    use crate::json::Tag;

    fn read(reader: &mut Reader<'_>) -> Option<()> {
        Item::read_item(reader).ok().map(|_| ())
    }

    fn values(finder: &KeyFinder, reader: &Reader<'_>) -> Result<Vec<String>, CodecError> {
        let values = finder.found_values(reader);
        values
            .map(|value| Ok(value?.1.text()?.into_owned()))
            .collect()
    }

    /// An attribute of the same name in one of the item's maps is not noted.
    #[test]
    fn attributes_of_the_item_are_noted() {
        let items = r#"[{"m":{"M":{"b":{"S":"2"}}},"b":{"S":"1"},"l":{"L":[{"M":{"a":{"S":"3"}}}]},"a":{"S":"0"}}, {"b":{"S":"5"},"a":{"S":"4"}}]"#;
        let broken = items.replace(r#""l":{"L":["#, r#""l":{"X":["#);
        for json in [items, &broken] {
            let finder = KeyFinder::of_names(&["a", "b"]);
            let mut reader = Reader::new(json.as_bytes());
            let mut first = true;
            reader.open_array().unwrap();
            for expected in [["0", "1"], ["4", "5"]] {
                assert!(reader.next_element(&mut first).unwrap());
                let place = reader.item_as(Some(&finder), read).unwrap();
                let item = json.get(place).unwrap();
                assert!(item.starts_with('{') && item.ends_with("}}"));
                assert_eq!(values(&finder, &reader).unwrap(), expected);
            }
            assert!(!reader.next_element(&mut first).unwrap());
        }
        let finder = KeyFinder::of_names(&["a", "c"]);
        let reader = Reader::new(br#"{"a":{"S":"0"}}"#);
        reader.clone().find_keys(&finder).unwrap();
        assert_eq!(
            values(&finder, &reader)
                .unwrap_err()
                .dotted_path()
                .as_deref(),
            Some("c")
        );
    }

    /// Names of lengths that are compared in different ways.
    const NAMES: [&str; 6] = [
        "k",
        "sk",
        "when",
        "a_longer_name",
        "a_longer_namf",
        "a name of more than sixteen bytes",
    ];

    /// An item: names with values. Some values are maps with the same names, and some names are escaped.
    fn item() -> impl Strategy<Value = Vec<(usize, String)>> {
        let value = |name: usize| {
            let other = NAMES[(name + 1) % NAMES.len()];
            prop_oneof![
                "[a-z]{0,9}".prop_map(|text| format!(r#"{{"S":"{text}"}}"#)),
                Just(format!(
                    r#"{{"M":{{"{}":{{"S":"in"}},"{other}":{{"L":[{{"M":{{"k":{{"S":"in"}}}}}}]}}}}}}"#,
                    NAMES[name]
                )),
            ]
        };
        let order = prop_oneof![
            3 => Just((0..NAMES.len()).collect::<Vec<_>>()),
            1 => Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle(),
            1 => proptest::sample::subsequence((0..NAMES.len()).collect::<Vec<_>>(), 0..NAMES.len()),
        ];
        order.prop_flat_map(move |order| {
            let members = order
                .into_iter()
                .map(|name| (Just(name), value(name)).boxed());
            members.collect::<Vec<_>>()
        })
    }

    fn json(item: &[(usize, String)], is_escaped: bool) -> String {
        let member = |(name, value): &(usize, String)| match is_escaped {
            true => format!(
                " \"\\u{:04x}{}\" : {value}",
                NAMES[*name].as_bytes()[0],
                &NAMES[*name][1..]
            ),
            false => format!("\"{}\":{value}", NAMES[*name]),
        };
        let members: Vec<String> = item.iter().map(member).collect();
        format!("{{{}}}", members.join(","))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::random_cases(2_000)))]

        /// The order of the attributes does not matter, nor how the items are read.
        #[test]
        fn attributes_are_found_in_any_order(
            items in proptest::collection::vec((item(), 0..8u8), 0..12),
            wanted in proptest::sample::subsequence(NAMES.to_vec(), 0..4).prop_shuffle(),
        ) {
            let texts: Vec<String> = items.iter().map(|(item, how)| json(item, *how == 0)).collect();
            let text = format!("[{}]", texts.join(","));
            let finder = KeyFinder::of_names(&wanted);
            let mut reader = Reader::new(text.as_bytes());
            let mut first = true;
            reader.open_array().unwrap();
            for ((item, how), json) in items.iter().zip(&texts) {
                prop_assert!(reader.next_element(&mut first).unwrap());
                let read = |reader: &mut Reader<'_>| match how {
                    1 => None,
                    2 => reader.skip().ok(),
                    _ => read(reader),
                };
                let place = reader.item_as(Some(&finder), read).unwrap();
                prop_assert_eq!(&text[place], json.as_str());
                for (name, ahead) in wanted.iter().zip(finder.texts_ahead(&reader)) {
                    let value = item.iter().find(|(known, _)| NAMES[*known] == *name);
                    prop_assert_eq!(ahead.is_some(), value.is_some(), "{}", name);
                    let Some((ahead, (_, value))) = ahead.zip(value) else {
                        continue;
                    };
                    let is_it = ahead.trim_ascii_start().starts_with(value.as_bytes());
                    prop_assert!(is_it, "{}", name);
                }
            }
        }
    }

    fn pass_names(reader: &mut Reader<'_>) -> Result<(), CodecError> {
        let mut first = true;
        while reader.next_name(&mut first)?.is_some() {
            reader.skip()?;
        }
        Ok(())
    }

    /// A user's type may open what it does not close, or close what is not open.
    #[test]
    fn names_in_maps_are_not_those_of_the_item_however_they_are_read() {
        type Read = fn(&mut Reader<'_>) -> Result<(), CodecError>;
        let ways: [Read; 4] = [
            |reader| {
                reader.open_map()?;
                pass_names(reader)?;
                reader.close()
            },
            |reader| {
                reader.open(Tag::M)?;
                reader.open_object()?;
                pass_names(reader)?;
                reader.close()
            },
            |reader| {
                reader.open_map()?;
                pass_names(reader)?;
                reader.close_map()?;
                reader.leave_level();
                Ok(())
            },
            |reader| reader.skip(),
        ];
        let odd = r#"{"M":{"x":{"S":""},"b":{"S":"in"}}}"#;
        let item = |number: u8| {
            format!(
                r#"{{"odd":{odd},"m":{{"M":{{"b":{{"S":"in"}},"a":{{"S":"in"}}}}}},"a":{{"S":"a{number}"}},"b":{{"S":"b{number}"}}}}"#
            )
        };
        let text = format!("[{},{},{}]", item(0), item(1), item(2));
        for way in ways {
            let finder = KeyFinder::of_names(&["a", "b"]);
            let mut reader = Reader::new(text.as_bytes());
            let mut first = true;
            reader.open_array().unwrap();
            for number in 0..3 {
                assert!(reader.next_element(&mut first).unwrap());
                let read = |reader: &mut Reader<'_>| {
                    let mut first = true;
                    reader.open_object().ok()?;
                    while let Some(name) = reader.next_name(&mut first).ok()? {
                        match &*name {
                            "odd" => way(reader).ok()?,
                            _ => drop(Value::decode(reader).ok()?),
                        }
                    }
                    Some(())
                };
                reader.item_as(Some(&finder), read).unwrap();
                let found = values(&finder, &reader).unwrap();
                assert_eq!(found, [format!("a{number}"), format!("b{number}")]);
            }
        }
    }

    #[test]
    fn what_an_item_lacks_is_not_taken_from_the_one_before() {
        let finder = KeyFinder::of_names(&["a"]);
        let mut reader = Reader::new(br#"[{"a":{"S":"0"}},{"b":{"S":"1"}}]"#);
        let mut first = true;
        reader.open_array().unwrap();
        for is_there in [true, false] {
            assert!(reader.next_element(&mut first).unwrap());
            reader.item_as(Some(&finder), read).unwrap();
            assert_eq!(values(&finder, &reader).is_ok(), is_there);
        }
    }
}
