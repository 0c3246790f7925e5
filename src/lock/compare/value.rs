//! Declared types of values: whether programs read in them what others wrote.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::MOVE_KEYS;
use super::{ChangeClass, EntityPair, NOTHING, StoredChange};
use crate::lock::rust_type::{RustType, TypeChange, is_among, type_change};
use crate::lock::stored::{
    StoredAttribute, StoredContent, StoredEntity, StoredFields, StoredKey, StoredPattern,
    StoredValue, StoredVariant, ValueKind,
};
use crate::schema::{KeyAttribute, KeyType};

/// The way of a value to another form.
const BESIDE: [&str; 4] = [
    "leave the type as it is, declare a new one and a new field of it as an `Option`, and deploy programs that write both, \
     everywhere",
    "fill the new field where it is missing: `update_each`",
    "deploy programs that read the new one and still write both, everywhere",
    "then drop the old one",
];

/// The declared types of an entity as they were and are.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredTypes<'m> {
    pub(super) old: &'m BTreeMap<String, StoredValue>,
    pub(super) new: &'m BTreeMap<String, StoredValue>,
}

impl<'m> DeclaredTypes<'m> {
    /// The meaning of a change from one type to another; the contents of declared types are compared on their own.
    pub(super) fn change(self, old: &str, new: &str) -> TypeChange {
        self.pairs(old, new).0
    }

    /// The same, and the declared types that are in the place of each other.
    fn pairs(self, old: &str, new: &str) -> (TypeChange, Vec<(&'m str, &'m str)>) {
        let mut pairs = Vec::new();
        let mut named =
            |old: &str, new: &str| match (self.old.get_key_value(old), self.new.get_key_value(new))
            {
                (Some((old, _)), Some((new, _))) => {
                    pairs.push((old.as_str(), new.as_str()));
                    Some(TypeChange::Alike)
                }
                (Some((_, was)), None) => Some(match was.is_among(new) {
                    true => TypeChange::Wider,
                    false => TypeChange::Unknown,
                }),
                (None, Some((_, is))) => Some(match is.is_among(old) {
                    true => TypeChange::Narrower,
                    false => TypeChange::Unknown,
                }),
                (None, None) => None,
            };
        let old = RustType::read(old, &|name: &str| self.old.contains_key(name));
        let new = RustType::read(new, &|name: &str| self.new.contains_key(name));
        let change = type_change(&old, &new, &mut named);
        (change, pairs)
    }

    /// Adds all declared types that a value may hold, each with that of the other side and the root where it was met.
    fn walk(
        self,
        root: &'m str,
        (old, new): (&'m str, &'m str),
        met: &mut BTreeMap<(&'m str, &'m str), BTreeSet<&'m str>>,
    ) {
        let mut open = vec![(old, new)];
        while let Some((old, new)) = open.pop() {
            for pair in self.pairs(old, new).1 {
                if !met.entry(pair).or_default().insert(root) {
                    continue;
                }
                let (Some(was), Some(is)) = (self.old.get(pair.0), self.new.get(pair.1)) else {
                    continue;
                };
                open.extend(was.pairs_within(is));
            }
        }
    }
}

impl StoredValue {
    /// Whether each value is one of this other type, and is stored alike.
    fn is_among(&self, other: &str) -> bool {
        match self.kind {
            ValueKind::Names => other == "String",
            ValueKind::Numbers => other == "u16" || is_among("u16", other),
            _ => false,
        }
    }

    /// The types of the content of both.
    fn pairs_within<'m>(&'m self, other: &'m StoredValue) -> Vec<(&'m str, &'m str)> {
        let mut pairs = Vec::new();
        if let (ValueKind::Wraps(was), ValueKind::Wraps(is)) = (&self.kind, &other.kind) {
            pairs.push((was.as_str(), is.as_str()));
        }
        pairs.extend(self.fields.pairs(&other.fields));
        for (stored, was) in &self.variants {
            let is = other.variants.get(stored);
            pairs.extend(is.into_iter().flat_map(|is| was.fields.pairs(&is.fields)));
        }
        pairs
    }
}

impl StoredFields {
    fn pairs<'m>(&'m self, other: &'m StoredFields) -> Vec<(&'m str, &'m str)> {
        let attributes = self.attributes.iter();
        let pairs = attributes.filter_map(|(name, was)| {
            let is = other.attributes.get(name)?;
            Some((was.seen_type()?, is.seen_type()?))
        });
        pairs.collect()
    }
}

impl ValueKind {
    fn shown(&self) -> &'static str {
        match self {
            ValueKind::Struct => "a struct",
            ValueKind::Wraps(_) => "a newtype",
            ValueKind::Names => "an enum that is stored as names",
            ValueKind::Numbers => "an enum that is stored as numbers",
            ValueKind::Tagged(_) => "an enum with data",
        }
    }
}

/// A declared type as it was and is, and the attributes that hold it.
struct ValuePair<'m> {
    old_name: &'m str,
    name: &'m str,
    old: &'m StoredValue,
    new: &'m StoredValue,
    roots: BTreeSet<&'m str>,
}

impl EntityPair<'_> {
    pub(super) fn values(&self, changes: &mut Vec<StoredChange>) {
        let mut met = BTreeMap::new();
        for (name, was) in &self.old.attributes {
            let is = self.new.attributes.get(name);
            let types = is.and_then(|is| Some((was.seen_type()?, is.seen_type()?)));
            if let Some(types) = types {
                self.types.walk(name, types, &mut met);
            }
        }
        for (name, was) in &self.old.key_only {
            if let Some(is) = self.new.key_only.get(name) {
                self.types.walk(name, (was, is), &mut met);
            }
        }
        for ((old_name, name), roots) in met {
            let (old, new) = (self.types.old.get(old_name), self.types.new.get(name));
            if let (Some(old), Some(new)) = (old, new) {
                let pair = ValuePair {
                    old_name,
                    name,
                    old,
                    new,
                    roots,
                };
                self.value(&pair, changes);
            }
        }
    }

    fn value(&self, pair: &ValuePair<'_>, changes: &mut Vec<StoredChange>) {
        let (was, is) = (pair.old, pair.new);
        if (pair.old_name, was) == (pair.name, is) {
            return;
        }
        let before = changes.len();
        changes.extend(self.kind(pair));
        self.fields(pair.name.to_owned(), &was.fields, &is.fields, changes);
        self.variants(pair, changes);
        if changes.len() > before {
            return;
        }
        if pair.old_name != pair.name {
            let what = format!(
                "the type was called `{}`, which is stored nowhere",
                pair.old_name
            );
            changes.push(self.change(ChangeClass::Free, pair.name, what, &[NOTHING]));
        }
    }

    fn kind(&self, pair: &ValuePair<'_>) -> Option<StoredChange> {
        let stored_in = pair.stored_in();
        let what = match (&pair.old.kind, &pair.new.kind) {
            (was, is) if was == is => return None,
            (ValueKind::Tagged(was), ValueKind::Tagged(is)) => format!(
                "its tag was `{was}` and is `{is}`: no program reads what the others write; {stored_in}"
            ),
            (ValueKind::Wraps(was), ValueKind::Wraps(is)) => {
                if self.types.change(was, is) == TypeChange::Alike {
                    return None;
                }
                format!(
                    "it held `{was}` and holds `{is}`; whether that stores the same is not known here; {stored_in}"
                )
            }
            (was, is) => format!(
                "it was {} and is {}: no program reads what the others write; {stored_in}",
                was.shown(),
                is.shown()
            ),
        };
        let class = self.class_of(pair);
        let steps: &[&str] = match class {
            ChangeClass::NeedsMove => &MOVE_KEYS,
            _ => &BESIDE,
        };
        Some(self.change(class, pair.name, what, steps))
    }

    /// The fields of a struct or of a variant, which are compared as attributes are.
    fn fields(
        &self,
        place: String,
        old: &StoredFields,
        new: &StoredFields,
        changes: &mut Vec<StoredChange>,
    ) {
        let [old, new] = [old, new].map(StoredEntity::of_fields);
        let fields = EntityPair {
            tables: self.tables,
            name: &format!("{}.{place}", self.name),
            old: &old,
            new: &new,
            types: self.types,
            is_value: true,
        };
        changes.extend(fields.guards());
        fields.attributes(changes);
    }

    fn variants(&self, pair: &ValuePair<'_>, changes: &mut Vec<StoredChange>) {
        let (old, new) = (&pair.old.variants, &pair.new.variants);
        for (stored, was) in old {
            match new.get(stored) {
                Some(is) => {
                    changes.extend(self.variant_name(pair, stored, was, is));
                    let place = format!("{}::{stored}", pair.name);
                    self.fields(place, &was.fields, &is.fields, changes);
                }
                None => changes.push(self.variant_gone(pair, stored, was)),
            }
        }
        let is_known = |name: &str| old.iter().any(|(stored, was)| was.called(stored) == name);
        for (stored, is) in new {
            // One that was stored in another way is told there.
            if old.contains_key(stored) || is_known(is.called(stored)) {
                continue;
            }
            let what = format!(
                "the variant `{stored}` is new: programs that run cannot read items that hold it; {}",
                pair.stored_in()
            );
            changes.push(self.change(
                ChangeClass::BreaksRunning,
                pair.name,
                what,
                &[
                    "deploy programs that know it and do not store it yet, everywhere",
                    "then store it",
                ],
            ));
        }
    }

    fn variant_name(
        &self,
        pair: &ValuePair<'_>,
        stored: &str,
        was: &StoredVariant,
        is: &StoredVariant,
    ) -> Option<StoredChange> {
        let (was, is) = (was.called(stored), is.called(stored));
        if was == is {
            return None;
        }
        let has = |variants: &BTreeMap<String, StoredVariant>, name: &str| {
            variants
                .iter()
                .any(|(stored, variant)| variant.called(stored) == name)
        };
        if !has(&pair.old.variants, is) && !has(&pair.new.variants, was) {
            let what = format!(
                "the variant that is stored as `{stored}` was called `{was}` and is called `{is}`, which is stored nowhere"
            );
            return Some(self.change(ChangeClass::Free, pair.name, what, &[NOTHING]));
        }
        let what = format!(
            "what is stored as `{stored}` was the variant `{was}` and is `{is}`: a `{was}` that one program stores is read as \
             `{is}` by the others; {}",
            self.kept_in(pair)
        );
        Some(self.variant_change(
            pair,
            what,
            "give the variants back what they were stored as",
        ))
    }

    fn variant_gone(
        &self,
        pair: &ValuePair<'_>,
        stored: &str,
        was: &StoredVariant,
    ) -> StoredChange {
        let called = was.called(stored);
        let mut variants = pair.new.variants.iter();
        let moved = variants.find(|(stored, is)| is.called(stored) == called);
        let kept_in = self.kept_in(pair);
        if let Some((now, _)) = moved {
            let what = format!(
                "the variant `{called}` was stored as `{stored}` and is stored as `{now}`: programs cannot read what the others \
                 write; {kept_in}"
            );
            return self.variant_change(pair, what, "give the variant back what it was stored as");
        }
        let is_new = |name: &&String| !pair.old.variants.contains_key(*name);
        let new: Vec<&str> = pair
            .new
            .variants
            .keys()
            .filter(is_new)
            .map(String::as_str)
            .collect();
        let renamed = match (&new[..], &pair.new.kind) {
            ([], _) => String::new(),
            (_, ValueKind::Numbers) => format!(
                "; if it is `{}` now, give it back the number `{stored}`",
                new.join("` or `")
            ),
            _ => format!(
                "; if it is `{}` now, `rename = \"{stored}\"` on the variant keeps what is stored",
                new.join("` or `")
            ),
        };
        let what = format!(
            "the variant `{stored}` is no longer declared, and new programs cannot read items that hold it{renamed}; {kept_in}"
        );
        self.variant_change(
            pair,
            what,
            "leave the variant declared, let nothing store it any more, and deploy that everywhere",
        )
    }

    /// A change of what a variant is stored as; the first step is what undoes or delays it.
    fn variant_change(&self, pair: &ValuePair<'_>, what: String, first: &str) -> StoredChange {
        let class = self.class_of(pair);
        let rest: &[&str] = match class {
            ChangeClass::NeedsMove => &MOVE_KEYS,
            _ => &[
                "write another value into the items that hold the old one: `update_each`",
                "then change the declaration, and deploy",
            ],
        };
        let steps: Vec<&str> = [first].into_iter().chain(rest.iter().copied()).collect();
        self.change(class, pair.name, what, &steps)
    }

    fn class_of(&self, pair: &ValuePair<'_>) -> ChangeClass {
        match pair.roots.iter().any(|root| self.is_in_a_key(root)) {
            true => ChangeClass::NeedsMove,
            false => ChangeClass::BreaksRunning,
        }
    }

    fn is_in_a_key(&self, name: &str) -> bool {
        self.old.is_in_key(name) || self.new.is_in_key(name)
    }

    /// The places of values of the type, and the consequence for keys.
    fn kept_in(&self, pair: &ValuePair<'_>) -> String {
        let has = |key: &StoredKey| pair.roots.iter().any(|root| key.has(root));
        let patterns = self.old.patterns.iter();
        let patterns = patterns.filter(|(_, pattern)| StoredPattern::keys(pattern).any(has));
        let patterns: Vec<&str> = patterns.map(|(name, _)| name.as_str()).collect();
        let uniques = self.old.uniques.values();
        let uniques = uniques.filter(|unique| {
            let mut parts = unique.parts.iter();
            parts.any(|part| pair.roots.contains(part.name.as_str()))
        });
        let uniques: Vec<&str> = uniques.map(|unique| unique.look_up.as_str()).collect();
        let mut text = pair.stored_in();
        if self.class_of(pair) == ChangeClass::NeedsMove {
            text += ", which is part of the primary key: items that are there have the old keys, and are rejected or not found";
        }
        if !patterns.is_empty() {
            let patterns = patterns.join("`, `");
            text +=
                &format!("; items have the old keys in `{patterns}` until they are written again");
        }
        if !uniques.is_empty() {
            let uniques = uniques.join("`, `");
            text += &format!(
                "; the unique values of `{uniques}` are kept under other keys, so old and new programs do not see each other's: \
                 declare another field with another `unique` beside it"
            );
        }
        text
    }
}

impl ValuePair<'_> {
    /// The attributes that hold it.
    fn stored_in(&self) -> String {
        let roots: Vec<&str> = self.roots.iter().copied().collect();
        format!("it is stored in `{}`", roots.join("`, `"))
    }
}

impl StoredVariant {
    /// Its name in Rust.
    fn called<'v>(&'v self, stored: &'v str) -> &'v str {
        self.rust_name.as_deref().unwrap_or(stored)
    }
}

impl StoredAttribute {
    /// The name of the field in Rust.
    pub(super) fn called<'a>(&'a self, attribute: &'a str) -> &'a str {
        self.rust_name.as_deref().unwrap_or(attribute)
    }
}

impl StoredEntity {
    /// Fields without keys.
    fn of_fields(fields: &StoredFields) -> Self {
        let attribute = KeyAttribute {
            name: String::new(),
            ty: KeyType::S,
        };
        StoredEntity {
            append_only: false,
            keeps_rest: fields.keeps_rest,
            pk: StoredKey {
                attribute,
                content: StoredContent::Bare(String::new()),
            },
            sk: None,
            attributes: fields.attributes.clone(),
            key_only: BTreeMap::new(),
            patterns: BTreeMap::new(),
            uniques: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }
}
