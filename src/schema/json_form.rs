//! One description of an object for both ways: its members are listed once, and written or read by that list.

use std::collections::{BTreeMap, BTreeSet};

use crate::codec::{Item, Value};
use crate::error::{Error, Result};
use crate::json::JsonTree;

/// Data that is an object in JSON.
pub(crate) trait JsonRecord: Clone + Default {
    /// Passes each member, in the order in which people read them. Only reading changes or fails.
    fn members(&mut self, members: &mut JsonMembers<'_>) -> Result<()>;
}

/// Declares a struct and its members in JSON, in their order: those that `must` exist, and those that `may` be missing.
/// A member has the name of its field, unless another name is given. A field with neither word is not a member.
macro_rules! json_record {
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* $vis:vis $field:ident: $ty:ty $(=> $how:ident $(($member:literal))?)?,)*
    })*) => {$(
        $(#[$meta])*
        pub struct $name {
            $($(#[$of_field])* $vis $field: $ty,)*
        }

        impl $crate::schema::json_form::JsonRecord for $name {
            fn members(
                &mut self,
                members: &mut $crate::schema::json_form::JsonMembers<'_>,
            ) -> $crate::error::Result<()> {
                $($(members.$how([$($member,)? stringify!($field)][0], &mut self.$field)?;)?)*
                Ok(())
            }
        }
    )*};
}
pub(in crate::schema) use json_record;

/// Data with a form in JSON.
pub(crate) trait JsonForm: Sized {
    fn tree(&self) -> JsonTree;

    fn read(value: &JsonPlace<'_>) -> Result<Self>;
}

/// The members of an object.
pub(crate) enum JsonMembers<'j> {
    Written(Vec<(String, JsonTree)>),
    Read { item: &'j Item, path: String },
}

/// A value, and where it stands.
pub(crate) struct JsonPlace<'j> {
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
    pub(crate) fn must<T: JsonForm>(&mut self, name: &str, value: &mut T) -> Result<()> {
        match self.pass(name, Some(&*value))? {
            Some(read) => *value = read,
            None => self.check_written(name)?,
        }
        Ok(())
    }

    /// A member that is omitted if it is None, empty, false or the usual word.
    pub(crate) fn may<T>(&mut self, name: &str, value: &mut T) -> Result<()>
    where
        T: JsonForm + Default + PartialEq,
    {
        let unusual = Some(&*value).filter(|value| **value != T::default());
        let read = self.pass(name, unusual)?;
        // Only reading decides that a member is missing; in writing, nothing is read.
        if let JsonMembers::Read { .. } = self {
            *value = read.unwrap_or_default();
        }
        Ok(())
    }

    /// Writes the value if there is one, or reads the member if it is there.
    fn pass<T: JsonForm>(&mut self, name: &str, value: Option<&T>) -> Result<Option<T>> {
        match self {
            JsonMembers::Written(members) => {
                members.extend(value.map(|value| (name.to_owned(), value.tree())));
                Ok(None)
            }
            JsonMembers::Read { item, path } => {
                let path = match path.is_empty() {
                    true => name.to_owned(),
                    false => format!("{path}.{name}"),
                };
                let value = item.get(name);
                value
                    .map(|value| T::read(&JsonPlace { value, path }))
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
    pub(crate) fn wrong(&self, expected: &str) -> Error {
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
                number.ok_or_else(|| place.wrong("a number in its range"))
            }
        }
    )*};
}

numbers! { u8 u16 u64 }

/// Only a value that exists is a member.
impl<T: JsonForm> JsonForm for Option<T> {
    fn tree(&self) -> JsonTree {
        let none = || JsonTree::Object(Vec::new());
        self.as_ref().map_or_else(none, T::tree)
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        T::read(place).map(Some)
    }
}

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

impl<T: JsonForm + Ord> JsonForm for BTreeSet<T> {
    fn tree(&self) -> JsonTree {
        JsonTree::List(self.iter().map(T::tree).collect())
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        Vec::read(place).map(|values: Vec<T>| values.into_iter().collect())
    }
}

impl<T: JsonForm + Default> JsonForm for BTreeMap<String, T> {
    fn tree(&self) -> JsonTree {
        JsonTree::object_of(
            self.iter()
                .map(|(name, value)| (name.as_str(), Some(value.tree()))),
        )
    }

    fn read(place: &JsonPlace<'_>) -> Result<Self> {
        let (mut members, item) = place.object()?;
        let mut values = BTreeMap::new();
        for (name, _) in item.iter() {
            let mut value = T::default();
            members.must(name, &mut value)?;
            values.insert(name.clone(), value);
        }
        Ok(values)
    }
}
