//! Attributes: whether programs can read what others wrote.

use std::collections::BTreeMap;

use super::meeting::index_of;
use super::{ChangeClass, DEPLOY, DEPLOY_EVERYWHERE, EntityPair, NOTHING, StoredChange};
use crate::lock::rust_type::TypeChange;
use crate::lock::stored::StoredAttribute;
use crate::schema::{FieldRole, Word};

/// The way of a value to another attribute.
const BESIDE: [&str; 4] = [
    "declare the new one beside it as an `Option`, under another name, and deploy programs that write both, everywhere",
    "fill it where it is missing: `update_each`",
    "deploy programs that read the new one and still write both, everywhere",
    "then drop the old one",
];

/// The meaning of an item without the attribute.
#[derive(PartialEq, Eq)]
enum WhenMissing<'a> {
    Unreadable,
    Default(&'a str),
    /// None, an empty set, or what the key says.
    Fine,
}

impl StoredAttribute {
    fn when_missing(&self) -> WhenMissing<'_> {
        match (self.is_required, &self.default) {
            (true, _) => WhenMissing::Unreadable,
            (false, Some(default)) => WhenMissing::Default(default),
            (false, None) => WhenMissing::Fine,
        }
    }

    fn tag(&self) -> String {
        self.stored
            .map_or("several types".to_owned(), |tag| tag.word())
    }
}

impl EntityPair<'_> {
    pub(super) fn attributes(&self, changes: &mut Vec<StoredChange>) {
        for (name, was) in &self.old.attributes {
            match self.new.attributes.get(name) {
                Some(is) if is == was => {}
                Some(is) => self.attribute(name, was, is, changes),
                None => changes.push(self.attribute_gone(name, was)),
            }
        }
        for (name, is) in &self.new.attributes {
            if !self.old.attributes.contains_key(name) {
                changes.push(self.attribute_appeared(name, is));
            }
        }
    }

    fn attribute_appeared(&self, name: &str, is: &StoredAttribute) -> StoredChange {
        if is.is_required {
            return self.change(
                ChangeClass::BreaksRunning,
                name,
                "the attribute is new and required: items that are there lack it and cannot be read, and programs that run \
                 write more of them",
                &[
                    "declare it as an `Option` or with a `default`, and deploy that everywhere",
                    "fill it where it is missing: `update_each`",
                    "then let it be required, and deploy",
                ],
            );
        }
        if is.role == FieldRole::Version {
            return self.change(
                ChangeClass::FillFirst,
                name,
                "the version is new: items that are there get one with their next write, but programs that run write without \
                 raising it, and their `put` takes it away",
                &[
                    DEPLOY_EVERYWHERE,
                    "only then rely on it: until then a write of an old program may be overwritten unnoticed",
                ],
            );
        }
        let index = index_of(self.tables.old, self.name, name).filter(|_| !self.is_value);
        if let Some((index, other)) = index {
            let what = format!(
                "the attribute is new, and a key of the index `{index}`, where programs that run look for `{other}`: they read items \
                 with it as errors there, and DynamoDB refuses it if it is of another type"
            );
            return self.change(
                ChangeClass::BreaksRunning,
                name,
                what,
                &[
                    "give the attribute another name, by `rename`",
                    "or deploy programs that know it and do not write it yet, everywhere, and then those that write it",
                ],
            );
        }
        let meanwhile = match self.old.keeps_rest {
            true => "programs that run keep it",
            false => {
                "programs that run read past it, and their `put` takes it away; `update` keeps it"
            }
        };
        let what = format!("the attribute is new and may be missing; {meanwhile}");
        self.change(ChangeClass::Free, name, what, &[DEPLOY])
    }

    fn attribute_gone(&self, name: &str, was: &StoredAttribute) -> StoredChange {
        let alike: Vec<&str> = self.successors(name, was).collect();
        let renamed = match alike[..] {
            [] => String::new(),
            _ => format!(
                "; if it is `{}` now, `#[dynamo(rename = \"{name}\")]` on the field keeps what is stored",
                alike.join("` or `")
            ),
        };
        let is_version = was.role == FieldRole::Version;
        let is_in_key = self.old.is_whole_in_key(name) && self.new.is_whole_in_key(name);
        let (class, what, steps): (_, _, &[&str]) = if was.is_required || is_version {
            let what = match is_version {
                true => {
                    "the version is no longer declared: programs that run do not notice writes of new ones, and overwrite them"
                }
                false => {
                    "the attribute is no longer declared, and programs that run cannot read items without it"
                }
            };
            let steps: &[&str] = &[
                "keep it declared, as an `Option` or with a `default`, let nothing rely on it, and deploy that everywhere",
                "then drop it, and deploy",
            ];
            (ChangeClass::BreaksRunning, what, steps)
        } else if is_in_key {
            (
                ChangeClass::Free,
                "the attribute is no longer stored; the key says the same",
                &[DEPLOY],
            )
        } else if self.new.keeps_rest {
            (
                ChangeClass::Free,
                "the attribute is no longer declared; what is stored goes into the `rest`",
                &[DEPLOY],
            )
        } else {
            (
                ChangeClass::BreaksRunning,
                "the attribute is no longer declared: each `put` of a new program takes it away, also from programs that \
                 run or that one goes back to",
                &[
                    "deploy programs that still declare it and do not use it, everywhere",
                    "then drop it, when nothing of it is needed any more",
                ],
            )
        };
        self.change(class, name, format!("{what}{renamed}"), steps)
    }

    /// New attributes that may be the old one under another name.
    fn successors(&self, name: &str, was: &StoredAttribute) -> impl Iterator<Item = &str> {
        let old = &self.old.attributes;
        let new = self.new.attributes.iter();
        let (stored, is_alike) = (was.stored, was.value_type.clone());
        let name = name.to_owned();
        let new = new.filter(move |(other, is)| {
            !old.contains_key(*other)
                && **other != name
                && is.stored == stored
                && is.value_type == is_alike
        });
        new.map(|(other, _)| other.as_str())
    }

    fn attribute(
        &self,
        name: &str,
        was: &StoredAttribute,
        is: &StoredAttribute,
        changes: &mut Vec<StoredChange>,
    ) {
        if was.stored != is.stored {
            changes.push(self.stored_type(name, was, is));
            return;
        }
        if was.form != is.form {
            let form = |attribute: &StoredAttribute| {
                let form = attribute.form.as_ref();
                form.map_or("that of its type".to_owned(), |form| format!("`{form}`"))
            };
            let what = format!(
                "its stored form was {} and is {}: what one program writes the other misreads or refuses",
                form(was),
                form(is)
            );
            let class = self.in_key_or(name, ChangeClass::BreaksRunning);
            changes.push(self.change(class, name, what, &BESIDE));
        } else {
            changes.extend(self.value_type(name, was, is));
        }
        changes.extend(self.rust_name(name, was, is));
        if was.role != is.role {
            let what = format!(
                "it was {} and is {}: programs keep it in different ways",
                role(was.role),
                role(is.role)
            );
            changes.push(self.change(
                ChangeClass::BreaksRunning,
                name,
                what,
                &[
                    "declare another attribute for the new purpose, as an `Option`",
                    DEPLOY_EVERYWHERE,
                    "then drop the old one",
                ],
            ));
        }
        changes.extend(self.necessity(name, was, is));
    }

    fn in_key_or(&self, name: &str, class: ChangeClass) -> ChangeClass {
        match self.old.is_in_key(name) || self.new.is_in_key(name) {
            true => ChangeClass::NeedsMove,
            false => class,
        }
    }

    fn stored_type(&self, name: &str, was: &StoredAttribute, is: &StoredAttribute) -> StoredChange {
        let what = format!(
            "it was stored as {} (`{}`) and is stored as {} (`{}`): no program reads what the other kind writes",
            was.tag(),
            was.value_type,
            is.tag(),
            is.value_type
        );
        let class = self.in_key_or(name, ChangeClass::BreaksRunning);
        self.change(class, name, what, &BESIDE)
    }

    fn value_type(
        &self,
        name: &str,
        was: &StoredAttribute,
        is: &StoredAttribute,
    ) -> Option<StoredChange> {
        let types = format!(
            "its type was `{}` and is `{}`",
            was.value_type, is.value_type
        );
        let change = match (was.seen_type(), is.seen_type()) {
            (Some(was), Some(is)) => self.types.change(was, is),
            _ if was.value_type == is.value_type => return None,
            _ => TypeChange::Unknown,
        };
        Some(match change {
            // Declared types are compared on their own, by what they hold.
            TypeChange::Alike => return None,
            TypeChange::Wider => self.change(
                ChangeClass::Free,
                name,
                format!("{types}, a wider one: it reads all that is there, and programs that run cannot read what is beyond the old one"),
                &[DEPLOY_EVERYWHERE, "store values beyond the old type then"],
            ),
            TypeChange::Narrower => self.change(
                ChangeClass::BreaksRunning,
                name,
                format!("{types}, a narrower one: stored values beyond it cannot be read"),
                &[
                    "deploy programs that store nothing beyond the narrower type, everywhere",
                    "look for stored values beyond it, and change them",
                    "then declare the narrower type",
                ],
            ),
            TypeChange::Unknown => self.change(
                self.in_key_or(name, ChangeClass::BreaksRunning),
                name,
                format!("{types}; whether that stores the same is not known here"),
                &[
                    "if each value is stored as it was, under another name of the type, this is free",
                    "if the new type reads all that is stored, and old programs what it stores, this is free too",
                    "else declare the new one beside it as an `Option`, under another name, write both, fill, read the new one, drop the old one",
                ],
            ),
        })
    }

    /// Two fields that change places by their stored names: each program reads the one as the other.
    fn rust_name(
        &self,
        name: &str,
        was: &StoredAttribute,
        is: &StoredAttribute,
    ) -> Option<StoredChange> {
        let (was, is) = (was.called(name), is.called(name));
        if was == is {
            return None;
        }
        let has = |attributes: &BTreeMap<String, StoredAttribute>, field: &str| {
            let mut attributes = attributes.iter();
            attributes.any(|(attribute, stored)| stored.called(attribute) == field)
        };
        if !has(&self.old.attributes, is) && !has(&self.new.attributes, was) {
            let what = format!(
                "its field was called `{was}` and is called `{is}`, which is stored nowhere"
            );
            return Some(self.change(ChangeClass::Free, name, what, &[NOTHING]));
        }
        let what = format!(
            "it was the field `{was}` and is the field `{is}`, and one of them is stored under another name too: a `{was}` that one \
             program stores is read as `{is}` by the others"
        );
        Some(self.change(
            self.in_key_or(name, ChangeClass::BreaksRunning),
            name,
            what,
            &[
                "give each field back its stored name: `rename`",
                "if the fields changed their names in Rust alone, and each attribute means what it meant, this is free",
            ],
        ))
    }

    fn necessity(
        &self,
        name: &str,
        was: &StoredAttribute,
        is: &StoredAttribute,
    ) -> Option<StoredChange> {
        use WhenMissing::{Default, Fine, Unreadable};
        let (class, what, steps): (_, String, &[&str]) = match (was.when_missing(), is.when_missing()) {
            (was, is) if was == is => return None,
            (Unreadable, Fine) if self.new.is_whole_in_key(name) => {
                (ChangeClass::Free, "items without it can be read now, from their key".to_owned(), &[DEPLOY])
            }
            (Unreadable, Fine) => (
                ChangeClass::BreaksRunning,
                "it was required and may be missing now: programs that run cannot read items that are written without it".to_owned(),
                &[
                    "deploy programs that can read items without it and still write it always, everywhere",
                    "then leave it away",
                ],
            ),
            (Unreadable, Default(_)) => (
                ChangeClass::Free,
                "items without it can be read now, and it is still written always; a `remove` of it waits until no program of before runs".to_owned(),
                &[DEPLOY],
            ),
            (_, Unreadable) => (
                ChangeClass::BreaksRunning,
                "it could be missing and is required now: items without it cannot be read, and programs that run may write more of them".to_owned(),
                &[
                    "deploy programs that write it always and can still read items without it, everywhere",
                    "fill it where it is missing: `update_each`, until no item lacks it",
                    "then let it be required, and deploy",
                ],
            ),
            (Default(old), Default(new)) => (
                ChangeClass::FillFirst,
                format!("what an item without it means was `{old}` and is `{new}`: programs read such items in two ways"),
                &[
                    "if both are one value, this is free",
                    "else write the old default into all items without the attribute: `update_each`",
                    "then change the default, and deploy",
                ],
            ),
            (Fine, Default(new)) => (
                ChangeClass::FillFirst,
                format!(
                    "an item without it means `{new}` now, and was read without a value: programs read such items in two ways{}",
                    self.not_in_index(name)
                ),
                &[
                    "if a missing one means the default to programs that run too, and no index has to have such items, this is free",
                    "else write the default into all items without the attribute, by programs that still declare it as it was: \
                     `update_each`",
                    "then declare the default, and deploy",
                ],
            ),
            (Default(old), Fine) => (
                ChangeClass::FillFirst,
                format!("an item without it is read without a value now, and meant `{old}`: programs read such items in two ways"),
                &[
                    "write the old default into all items without the attribute: `update_each`",
                    DEPLOY_EVERYWHERE,
                    "only then leave it away: to programs of before a missing one is the old default",
                ],
            ),
            (Fine, Fine) => return None,
        };
        Some(self.change(class, name, what, steps))
    }

    /// Says which index holds no item without the attribute, because that alone is a key of it.
    fn not_in_index(&self, name: &str) -> String {
        let mut patterns = self.new.patterns.values();
        let found = patterns.find(|pattern| pattern.keys().any(|key| key.is_bare(name)));
        found.map_or_else(String::new, |pattern| {
            format!(
                ", and do not find them in the index `{}`, which has no item without it",
                pattern.index
            )
        })
    }
}

fn role(role: FieldRole) -> String {
    match role {
        FieldRole::Attribute => "an attribute like any other".to_owned(),
        role => format!("`{}`", role.word()),
    }
}
