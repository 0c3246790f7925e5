//! One description of an object for both ways: its members are listed once, and written or read by that list.

use std::collections::BTreeMap;

use super::word::Word;
use crate::codec::{Item, Value};
use crate::error::{Error, Result};
use crate::json::JsonTree;

/// Data that is an object in JSON.
pub(super) trait JsonRecord: Clone + Default {
    /// Passes each member, in the order in which people read them. Only reading changes or fails.
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()>;
}

/// Data with a form in JSON.
pub(super) trait JsonForm: Sized {
    fn tree(&self) -> JsonTree;

    fn read(value: &JsonPlace<'_>) -> Result<Self>;
}

/// The members of an object.
pub(super) enum JsonMembers<'j> {
    Written(Vec<(String, JsonTree)>),
    Read { item: &'j Item, path: String },
}

/// A value, and where it stands.
pub(super) struct JsonPlace<'j> {
    value: &'j Value,
    path: String,
}

#[cold]
pub(super) fn refused(what: &str) -> Error {
    Error::config(format!("this is not a schema of a table: {what}"))
}

impl<'j> JsonMembers<'j> {
    pub(super) fn written() -> Self {
        JsonMembers::Written(Vec::new())
    }

    pub(super) fn of(item: &'j Item) -> Self {
        let path = String::new();
        JsonMembers::Read { item, path }
    }

    pub(super) fn into_tree(self) -> JsonTree {
        match self {
            JsonMembers::Written(members) => JsonTree::Object(members),
            JsonMembers::Read { .. } => JsonTree::Object(Vec::new()),
        }
    }

    /// A member that is always there.
    pub(super) fn must<T: JsonForm>(&mut self, name: &str, value: &mut T) -> Result<()> {
        match self.pass(name, Some(&*value), T::tree, T::read)? {
            Some(read) => *value = read,
            None => self.check_written(name)?,
        }
        Ok(())
    }

    /// A member that is left out while it is empty or false.
    pub(super) fn filled<T>(&mut self, name: &str, value: &mut T) -> Result<()>
    where
        T: JsonForm + Default + PartialEq,
    {
        let filled = Some(&*value).filter(|value| **value != T::default());
        if let Some(read) = self.pass(name, filled, T::tree, T::read)? {
            *value = read;
        }
        Ok(())
    }

    /// A member that may be missing.
    pub(super) fn may<T: JsonForm>(&mut self, name: &str, value: &mut Option<T>) -> Result<()> {
        let read = self.pass(name, value.as_ref(), T::tree, T::read)?;
        self.replace(value, read);
        Ok(())
    }

    /// A member that is one word, and always there.
    pub(super) fn word<W: Word>(&mut self, name: &str, value: &mut W) -> Result<()> {
        match self.pass(name, Some(&*value), word_tree, read_word)? {
            Some(read) => *value = read,
            None => self.check_written(name)?,
        }
        Ok(())
    }

    /// A member that is one word, and may be missing.
    pub(super) fn may_word<W: Word>(&mut self, name: &str, value: &mut Option<W>) -> Result<()> {
        let read = self.pass(name, value.as_ref(), word_tree, read_word)?;
        self.replace(value, read);
        Ok(())
    }

    fn replace<T>(&self, value: &mut Option<T>, read: Option<T>) {
        // Only reading decides that a member is missing; in writing, nothing is read.
        if let JsonMembers::Read { .. } = self {
            *value = read;
        }
    }

    /// Writes the value if there is one, or reads the member if it is there.
    fn pass<T>(
        &mut self,
        name: &str,
        value: Option<&T>,
        tree: impl Fn(&T) -> JsonTree,
        read: impl Fn(&JsonPlace<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self {
            JsonMembers::Written(members) => {
                members.extend(value.map(|value| (name.to_owned(), tree(value))));
                Ok(None)
            }
            JsonMembers::Read { item, path } => {
                let path = match path.is_empty() {
                    true => name.to_owned(),
                    false => format!("{path}.{name}"),
                };
                let value = item.get(name);
                value
                    .map(|value| read(&JsonPlace { value, path }))
                    .transpose()
            }
        }
    }

    /// Fails if a member was to be read that is missing.
    pub(super) fn check_written(&self, name: &str) -> Result<()> {
        match self {
            JsonMembers::Written(_) => Ok(()),
            JsonMembers::Read { path, .. } if path.is_empty() => {
                Err(refused(&format!("it has no `{name}`")))
            }
            JsonMembers::Read { path, .. } => Err(refused(&format!("`{path}` has no `{name}`"))),
        }
    }
}

impl<'j> JsonPlace<'j> {
    pub(super) fn wrong(&self, expected: &str) -> Error {
        refused(&format!("`{}` is not {expected}", self.path))
    }

    pub(super) fn as_text(&self) -> Option<&'j str> {
        self.value.as_text()
    }

    pub(super) fn object(&self) -> Result<(JsonMembers<'j>, &'j Item)> {
        let path = self.path.clone();
        match self.value {
            Value::M(item) => Ok((JsonMembers::Read { item, path }, item)),
            _ => Err(self.wrong("an object")),
        }
    }
}

fn word_tree<W: Word>(word: &W) -> JsonTree {
    JsonTree::Text(word.word())
}

fn read_word<W: Word>(place: &JsonPlace<'_>) -> Result<W> {
    let word = W::of_word(&String::read(place)?);
    word.ok_or_else(|| place.wrong("a word that this version of dynamo-entity knows"))
}

impl<R: JsonRecord> JsonForm for R {
    fn tree(&self) -> JsonTree {
        let mut members = JsonMembers::written();
        drop(self.clone().members(&mut members));
        members.into_tree()
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let mut record = R::default();
        record.members(&mut place.object()?.0)?;
        Ok(record)
    }
}

impl JsonForm for String {
    fn tree(&self) -> JsonTree {
        self.into()
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let text = place.as_text();
        text.map(str::to_owned).ok_or_else(|| place.wrong("a text"))
    }
}

impl JsonForm for bool {
    fn tree(&self) -> JsonTree {
        (*self).into()
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        match place.value {
            Value::Bool(value) => Ok(*value),
            _ => Err(place.wrong("`true` or `false`")),
        }
    }
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl JsonForm for $number {
            fn tree(&self) -> JsonTree {
                u64::from(*self).into()
            }

            fn read(place: &JsonPlace<'_>) -> Result<Self> {
                let number = place.value.as_number();
                let number = number.and_then(|number| number.to_string().parse().ok());
                number.ok_or_else(|| place.wrong("a number of its range"))
            }
        }
    )*};
}

numbers! { u8 u16 u64 }

impl<T: JsonForm> JsonForm for Vec<T> {
    fn tree(&self) -> JsonTree {
        JsonTree::list_of(self, T::tree)
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let Value::L(values) = place.value else {
            return Err(place.wrong("a list"));
        };
        let elements = values.iter().enumerate().map(|(at, value)| JsonPlace {
            value,
            path: format!("{}[{at}]", place.path),
        });
        elements.map(|element| T::read(&element)).collect()
    }
}

impl JsonForm for BTreeMap<String, String> {
    fn tree(&self) -> JsonTree {
        JsonTree::object_of(
            self.iter()
                .map(|(name, text)| (name.as_str(), Some(text.into()))),
        )
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let (mut members, item) = place.object()?;
        let mut texts = BTreeMap::new();
        for (name, _) in item.iter() {
            let mut text = String::new();
            members.must(name, &mut text)?;
            texts.insert(name.clone(), text);
        }
        Ok(texts)
    }
}
