//! Attributes: whether programs can read what others wrote.

use super::entity::{is_in_key, is_whole_in_key, number_of};
use super::meeting::index_of;
use super::pair::{DEPLOY, DEPLOY_EVERYWHERE, EntityPair, NOTHING};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::rust_type::TypeChange;
use crate::lock::stored::{attributes, keeps_rest, seen_type, type_text};
use crate::schema::{ConstantSchema, EntitySchema, FieldRole, FieldSchema, PatternSchema, Word};

/// The way of a value to another attribute.
const BESIDE: [&str; 4] = [
    "declare a new one as an `Option`, under another name, and deploy programs that write both, everywhere",
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

fn when_missing(field: &FieldSchema) -> WhenMissing<'_> {
    match (field.is_required, &field.default) {
        (true, _) => WhenMissing::Unreadable,
        (false, Some(default)) => WhenMissing::Default(default),
        (false, None) => WhenMissing::Fine,
    }
}

fn tag(field: &FieldSchema) -> String {
    field
        .stored
        .map_or("several types".to_owned(), |tag| tag.word())
}

impl EntityPair<'_> {
    pub(super) fn attributes(&self, changes: &mut Vec<StoredChange>) {
        for (name, was) in attributes(&self.old.fields) {
            match self.new.attribute(name) {
                Some(is) if is == was => {}
                Some(is) => self.attribute(name, was, is, changes),
                // Every item still has it.
                None if is_constant(&self.new.constants, name) => {}
                None => changes.push(self.attribute_gone(name, was)),
            }
        }
        for (name, is) in attributes(&self.new.fields) {
            if self.old.attribute(name).is_none() && !is_constant(&self.old.constants, name) {
                changes.push(self.attribute_appeared(name, is));
            }
        }
    }

    fn attribute_appeared(&self, name: &str, is: &FieldSchema) -> StoredChange {
        // The order is that of the harm: the first rule that applies is reported, and the milder
        // ones would hide it.
        if is.is_required {
            return self.change(
                ChangeClass::BreaksRunning,
                name,
                "the attribute is new and required: existing items do not have it and cannot be read, and running programs \
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
                "the version is new: existing items get one with their next write, but running programs write without \
                 raising it, and their `put` removes it",
                &[
                    DEPLOY_EVERYWHERE,
                    "only then rely on it: until then a write of an old program may be overwritten unnoticed",
                ],
            );
        }
        if let Some(expiry) = &is.expiry {
            return self.expiry_appeared(name, expiry);
        }
        // An attribute in the key of an index puts the item into that index, even if its entity
        // declares no access pattern there. Fields inside a value are not attributes for DynamoDB.
        let index = index_of(self.tables.old, self.name, name).filter(|_| !self.is_value);
        if let Some((index, other)) = index {
            let what = format!(
                "the attribute is new, and a key of the index `{index}`, where running programs look for `{other}`: they read items \
                 with it as errors there, and DynamoDB rejects it if it is of another type"
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
        // The program that runs decides, so the `rest` of the old declaration is looked at.
        let meanwhile = match keeps_rest(&self.old.fields) {
            true => "running programs keep it",
            false => "running programs ignore it, and their `put` removes it; `update` keeps it",
        };
        let what = format!("the attribute is new and may be missing; {meanwhile}");
        self.change(ChangeClass::Free, name, what, &[DEPLOY])
    }

    /// The field whose number new programs write into an attribute, whenever running programs need it there.
    fn number_in(&self, name: &str, was: &FieldSchema) -> Option<&str> {
        let always = self.new.patterns.iter().filter(|it| it.when.is_none());
        let mut keys = always.flat_map(PatternSchema::keys);
        let field = keys.find_map(|key| number_of(key).filter(|_| key.attribute == name))?;
        let is_there = |field: &FieldSchema| field.is_required || !was.is_required;
        self.new
            .attribute(field)
            .is_some_and(is_there)
            .then_some(field)
    }

    fn attribute_gone(&self, name: &str, was: &FieldSchema) -> StoredChange {
        if let Some(field) = self.number_in(name, was) {
            let what = format!(
                "the attribute is no field any more, and every write stores the number of `{field}` in it"
            );
            return self.change(ChangeClass::Free, name, what, &[DEPLOY]);
        }
        let alike = self.successors(name, was);
        let renamed = match alike[..] {
            [] => String::new(),
            _ => format!(
                "; if it is `{}` now, `#[dynamo(rename = \"{name}\")]` on the field keeps what is stored, and \
                 `#[dynamo(was = \"{name}\")]` renames it in several deployments",
                alike.join("` or `")
            ),
        };
        let is_version = was.role == FieldRole::Version;
        // In both declarations: the old one wrote the value into the key, and the new one must
        // still read it from there.
        let is_in_key = [self.old, self.new]
            .iter()
            .all(|entity| is_whole_in_key(entity, name));
        let (class, what, steps): (_, _, &[&str]) = if was.is_required || is_version {
            let what = match is_version {
                true => {
                    "the version is no longer declared: running programs do not notice writes of new ones, and overwrite them"
                }
                false => {
                    "the attribute is no longer declared, and running programs cannot read items without it"
                }
            };
            let steps: &[&str] = &[
                "keep it declared, as an `Option` or with a `default`, let no program rely on it, and deploy that everywhere",
                "then drop it, and deploy",
            ];
            (ChangeClass::BreaksRunning, what, steps)
        } else if is_in_key {
            (
                ChangeClass::Free,
                "the attribute is no longer stored; the key holds the same value",
                &[DEPLOY],
            )
        // Here the new program is the one that writes the attribute back.
        } else if keeps_rest(&self.new.fields) {
            (
                ChangeClass::Free,
                "the attribute is no longer declared; what is stored goes into the `rest`",
                &[DEPLOY],
            )
        } else {
            (
                ChangeClass::BreaksRunning,
                "the attribute is no longer declared: each `put` of a new program removes it, also for \
                 running programs and for one that you roll back to",
                &[
                    "deploy programs that still declare it but do not use it, everywhere",
                    "then drop it, when it is no longer needed",
                ],
            )
        };
        self.change(class, name, format!("{what}{renamed}"), steps)
    }

    /// New attributes that may be the old one under another name.
    fn successors(&self, name: &str, was: &FieldSchema) -> Vec<&str> {
        let new = attributes(&self.new.fields).into_iter();
        let alike = new.filter(|(other, is)| {
            self.old.attribute(other).is_none()
                && *other != name
                && is.stored == was.stored
                && is.value_type == was.value_type
        });
        alike.map(|(other, _)| other).collect()
    }

    fn attribute(
        &self,
        name: &str,
        was: &FieldSchema,
        is: &FieldSchema,
        changes: &mut Vec<StoredChange>,
    ) {
        let compression = self.compression(name, was, is);
        let is_compressed = compression.is_some();
        changes.extend(compression);
        // Another type of DynamoDB makes each finer difference pointless: neither side can read the
        // other.
        if was.stored != is.stored && !is_compressed {
            changes.push(self.stored_type(name, was, is));
            return;
        }
        // `None` is read from NULL and from a missing attribute alike, so only programs outside of
        // this library may notice.
        if only_null(was, is) {
            let what = match writes_null(is) {
                true => "its None is written as NULL now, which every program reads as None",
                false => {
                    "its None is a missing attribute now, which every program of this library reads as None: other programs may require the NULL"
                }
            };
            changes.push(self.change(ChangeClass::Free, name, what, &[DEPLOY]));
            changes.extend(self.value_type(name, was, is));
        } else if was.form != is.form && !is_compressed {
            let form = |attribute: &FieldSchema| {
                let form = attribute.form.as_ref();
                form.map_or("that of its type".to_owned(), |form| format!("`{form}`"))
            };
            let what = format!(
                "its stored form was {} and is {}: each program misreads or rejects values that the other writes",
                form(was),
                form(is)
            );
            let class = self.in_key_or(name, ChangeClass::BreaksRunning);
            changes.push(self.change(class, name, what, &BESIDE));
        } else {
            // With the same form on both sides the types decide. Between different forms they say
            // nothing, so that case does not get here.
            changes.extend(self.value_type(name, was, is));
        }
        changes.extend(self.renaming(name, was, is));
        changes.extend(self.expiry(name, was, is));
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
        match is_in_key(self.old, name) || is_in_key(self.new, name) {
            true => ChangeClass::NeedsMove,
            false => class,
        }
    }

    fn stored_type(&self, name: &str, was: &FieldSchema, is: &FieldSchema) -> StoredChange {
        let what = format!(
            "it was stored as {} (`{}`) and is stored as {} (`{}`): old and new programs cannot read each other's values",
            tag(was),
            type_text(was),
            tag(is),
            type_text(is)
        );
        let class = self.in_key_or(name, ChangeClass::BreaksRunning);
        self.change(class, name, what, &BESIDE)
    }

    fn value_type(&self, name: &str, was: &FieldSchema, is: &FieldSchema) -> Option<StoredChange> {
        let types = format!(
            "its type was `{}` and is `{}`",
            type_text(was),
            type_text(is)
        );
        let change = match (seen_type(was), seen_type(is)) {
            (Some(was), Some(is)) => self.types.change(was, is),
            _ if was.value_type == is.value_type => return None,
            _ => TypeChange::Unknown,
        };
        Some(match change {
            // Types with a derived `DynamoValue` are compared once each, in `values`, by their content.
            TypeChange::Alike => return None,
            TypeChange::Wider => self.change(
                ChangeClass::Free,
                name,
                format!("{types}, a wider one: it reads all stored values, but running programs cannot read values beyond the old type"),
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
                format!("{types}; the check cannot know whether both are stored in the same way"),
                &[
                    "if each value is stored as it was, under another name of the type, this is safe",
                    "if the new type reads all that is stored, and old programs what it stores, this is safe too",
                    "else declare the new one beside it as an `Option`, under another name, write both, fill, read the new one, drop the old one",
                ],
            ),
        })
    }

    /// Two fields that change places by their stored names: each program reads the one as the other.
    fn rust_name(&self, name: &str, was: &FieldSchema, is: &FieldSchema) -> Option<StoredChange> {
        let (was, is) = (was.name.as_str(), is.name.as_str());
        if was == is {
            return None;
        }
        let has = |entity: &EntitySchema, name: &str| {
            let mut fields = attributes(&entity.fields).into_values();
            fields.any(|field| field.name == name)
        };
        // If no other attribute bore one of the two names, the field was only renamed in Rust.
        // Otherwise two fields may have exchanged their attributes, and programs would read the one
        // as the other.
        if !has(self.old, is) && !has(self.new, was) {
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
                "if the fields changed their names in Rust alone, and each attribute means what it meant, this is safe",
            ],
        ))
    }

    fn necessity(&self, name: &str, was: &FieldSchema, is: &FieldSchema) -> Option<StoredChange> {
        use WhenMissing::{Default, Fine, Unreadable};
        let (class, what, steps): (_, String, &[&str]) = match (when_missing(was), when_missing(is)) {
            (was, is) if was == is => return None,
            // The key is in each item, so old programs cannot meet an item without the value.
            (Unreadable, Fine) if is_whole_in_key(self.new, name) => {
                (ChangeClass::Free, "items without it can be read now, from their key".to_owned(), &[DEPLOY])
            }
            (Unreadable, Fine) => (
                ChangeClass::BreaksRunning,
                "it was required and may now be missing: running programs cannot read items that are written without it".to_owned(),
                &[
                    "deploy programs that can read items without it and still write it always, everywhere",
                    "then omit it",
                ],
            ),
            (Unreadable, Default(_)) => (
                ChangeClass::Free,
                "items without it can be read now, and it is still written always; do not `remove` it until no earlier program runs".to_owned(),
                &[DEPLOY],
            ),
            (_, Unreadable) => (
                ChangeClass::BreaksRunning,
                "it could be missing and is required now: items without it cannot be read, and running programs may write more of them".to_owned(),
                &[
                    "deploy programs that write it always and can still read items without it, everywhere",
                    "fill it where it is missing: `update_each`, until every item has it",
                    "then let it be required, and deploy",
                ],
            ),
            (Default(old), Default(new)) => (
                ChangeClass::FillFirst,
                format!("the meaning of a missing attribute was `{old}` and is `{new}`: old and new programs read such items differently"),
                &[
                    "if both are the same value, this is safe",
                    "else write the old default into all items without the attribute: `update_each`",
                    "then change the default, and deploy",
                ],
            ),
            (Fine, Default(new)) => (
                ChangeClass::FillFirst,
                format!(
                    "an item without it means `{new}` now, and was read without a value: old and new programs read such items differently{}",
                    self.not_in_index(name)
                ),
                &[
                    "if a missing attribute means the default to running programs too, and no index must contain such items, this is safe",
                    "else write the default into all items without the attribute, by programs that still declare it as it was: \
                     `update_each`",
                    "then declare the default, and deploy",
                ],
            ),
            (Default(old), Fine) => (
                ChangeClass::FillFirst,
                format!("an item without it is read without a value now, and meant `{old}`: old and new programs read such items differently"),
                &[
                    "write the old default into all items without the attribute: `update_each`",
                    DEPLOY_EVERYWHERE,
                    "only then omit it, because earlier programs read a missing attribute as the old default",
                ],
            ),
            // Equal pairs returned above; this arm only makes the match complete.
            (Fine, Fine) => return None,
        };
        Some(self.change(class, name, what, steps))
    }

    /// Says which index holds no item without the attribute, because that alone is a key of it.
    fn not_in_index(&self, name: &str) -> String {
        let mut patterns = self.new.patterns.iter();
        let found =
            patterns.find(|pattern| pattern.keys().any(|key| key.whole_field() == Some(name)));
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

/// Whether the None of a field is written as NULL.
fn writes_null(field: &FieldSchema) -> bool {
    matches!(field.form.as_deref(), Some("null" | "serde_null"))
}

/// Whether the forms differ only in the None.
fn only_null(was: &FieldSchema, is: &FieldSchema) -> bool {
    let without_null = |field: &FieldSchema| match field.form.as_deref() {
        Some("null") => None,
        Some("serde_null") => Some("serde".to_owned()),
        form => form.map(str::to_owned),
    };
    writes_null(was) != writes_null(is) && without_null(was) == without_null(is)
}

/// Whether an attribute is a constant of the entity.
fn is_constant(constants: &[ConstantSchema], name: &str) -> bool {
    constants.iter().any(|constant| constant.attribute == name)
}
