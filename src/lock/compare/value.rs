//! Declared types of values: whether programs read in them what others wrote.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::{MOVE_KEYS, has, is_in_key};
use super::pair::{DeclaredTypes, EntityPair, NOTHING};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::rust_type::{TypeChange, is_among, type_change};
use crate::lock::stored::{attributes, key_only, seen_type};
use crate::schema::{
    EntitySchema, FieldSchema, KeySchema, StoredType, ValueContent, ValueSchema, VariantSchema,
};

/// The way of a value to another form.
const BESIDE: [&str; 4] = [
    "leave the type as it is, declare a new one and a new field of it as an `Option`, and deploy programs that write both, \
     everywhere",
    "fill the new field where it is missing: `update_each`",
    "deploy programs that read the new one and still write both, everywhere",
    "then drop the old one",
];

impl<'m> DeclaredTypes<'m> {
    /// The meaning of a change from one type to another; the contents of declared types are compared on their own.
    pub(super) fn change(self, old: &str, new: &str) -> TypeChange {
        self.pairs(old, new).0
    }

    /// The same, and the declared types that are in the place of each other.
    fn pairs(self, old: &str, new: &str) -> (TypeChange, Vec<(&'m str, &'m str)>) {
        let mut pairs = Vec::new();
        let mut named = |old: &str, new: &str| match (named(self.old, old), named(self.new, new)) {
            (Some(was), Some(is)) => {
                pairs.push((was.name.as_str(), is.name.as_str()));
                Some(TypeChange::Alike)
            }
            (Some(was), None) => Some(match value_is_among(was, new) {
                true => TypeChange::Wider,
                false => TypeChange::Unknown,
            }),
            (None, Some(is)) => Some(match value_is_among(is, old) {
                true => TypeChange::Narrower,
                false => TypeChange::Unknown,
            }),
            (None, None) => None,
        };
        let old = StoredType::read(old, &|name: &str| is_named(self.old, name));
        let new = StoredType::read(new, &|name: &str| is_named(self.new, name));
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
                // Types may contain themselves, directly or through others. A pair that this
                // attribute has already reached ends the walk there.
                if !met.entry(pair).or_default().insert(root) {
                    continue;
                }
                let (Some(was), Some(is)) = (named(self.old, pair.0), named(self.new, pair.1))
                else {
                    continue;
                };
                open.extend(pairs_within(&was.content, &is.content));
            }
        }
    }
}

fn named<'m>(values: &'m [ValueSchema], name: &str) -> Option<&'m ValueSchema> {
    values.iter().find(|value| value.name == name)
}

fn is_named(values: &[ValueSchema], name: &str) -> bool {
    named(values, name).is_some()
}

/// Whether each value is one of this other type, and is stored alike.
fn value_is_among(value: &ValueSchema, other: &str) -> bool {
    match value.content {
        ValueContent::Names(_) => other == "String",
        // Numbers of variants have the range of `u16`.
        ValueContent::Numbers(_) => other == "u16" || is_among("u16", other),
        _ => false,
    }
}

/// The types of the content of both.
fn pairs_within<'m>(old: &'m ValueContent, new: &'m ValueContent) -> Vec<(&'m str, &'m str)> {
    let mut pairs = Vec::new();
    if let (ValueContent::Newtype(was), ValueContent::Newtype(is)) = (old, new) {
        pairs.push((was.as_str(), is.as_str()));
    }
    pairs.extend(field_pairs(old.fields(), new.fields()));
    for was in old.variants() {
        // Variants correspond by the name that is stored, as readers match them.
        if let Some(is) = variant_of(new, &was.stored) {
            pairs.extend(field_pairs(&was.fields, &is.fields));
        }
    }
    pairs
}

fn field_pairs<'m>(old: &'m [FieldSchema], new: &'m [FieldSchema]) -> Vec<(&'m str, &'m str)> {
    let new = attributes(new);
    let pairs = attributes(old).into_iter().filter_map(|(name, was)| {
        let is = new.get(name)?;
        Some((seen_type(was)?, seen_type(is)?))
    });
    pairs.collect()
}

fn variant_of<'m>(content: &'m ValueContent, stored: &str) -> Option<&'m VariantSchema> {
    let mut variants = content.variants().iter();
    variants.find(|variant| variant.stored == stored)
}

fn shown(content: &ValueContent) -> &'static str {
    match content {
        ValueContent::Struct(_) => "a struct",
        ValueContent::Newtype(_) => "a newtype",
        ValueContent::Names(_) => "an enum that is stored as names",
        ValueContent::Numbers(_) => "an enum that is stored as numbers",
        ValueContent::Tagged { .. } => "an enum with data",
    }
}

/// A declared type as it was and is, and the attributes that hold it.
struct ValuePair<'m> {
    old: &'m ValueSchema,
    new: &'m ValueSchema,
    roots: BTreeSet<&'m str>,
}

impl EntityPair<'_> {
    pub(super) fn values(&self, changes: &mut Vec<StoredChange>) {
        let mut met = BTreeMap::new();
        for (name, was) in attributes(&self.old.fields) {
            let is = self.new.attribute(name);
            let types = is.and_then(|is| Some((seen_type(was)?, seen_type(is)?)));
            if let Some(types) = types {
                self.types.walk(name, types, &mut met);
            }
        }
        for was in &self.old.large {
            let mut large = self.new.large.iter();
            let is = large.find(|is| is.stored == was.stored);
            let types = is.and_then(|is| Some((was.element.as_deref()?, is.element.as_deref()?)));
            if let Some(types) = types {
                self.types.walk(&was.stored, types, &mut met);
            }
        }
        // Values that are only parts of keys change the texts of those keys.
        let new_key_only = key_only(&self.new.fields);
        for (name, was) in key_only(&self.old.fields) {
            if let Some(is) = new_key_only.get(name) {
                self.types.walk(name, (was, is), &mut met);
            }
        }
        // Each pair of types is reported once, with all attributes that reach it.
        for ((old_name, name), roots) in met {
            let (old, new) = (named(self.types.old, old_name), named(self.types.new, name));
            if let (Some(old), Some(new)) = (old, new) {
                self.value(&ValuePair { old, new, roots }, changes);
            }
        }
    }

    fn value(&self, pair: &ValuePair<'_>, changes: &mut Vec<StoredChange>) {
        let (was, is) = (pair.old, pair.new);
        if was == is {
            return;
        }
        let before = changes.len();
        changes.extend(self.kind(pair));
        let (old, new) = (was.content.fields(), is.content.fields());
        self.fields(is.name.clone(), old, new, changes);
        self.variants(pair, changes);
        if changes.len() > before {
            return;
        }
        if was.name != is.name {
            let what = format!(
                "the type was called `{}`, which is stored nowhere",
                was.name
            );
            changes.push(self.change(ChangeClass::Free, &pair.new.name, what, &[NOTHING]));
        }
    }

    fn kind(&self, pair: &ValuePair<'_>) -> Option<StoredChange> {
        let stored_in = pair.stored_in();
        let what = match (&pair.old.content, &pair.new.content) {
            (ValueContent::Tagged { tag: was, .. }, ValueContent::Tagged { tag: is, .. }) => {
                if was == is {
                    return None;
                }
                format!(
                    "its tag was `{was}` and is `{is}`: no program reads what the others write; {stored_in}"
                )
            }
            (ValueContent::Newtype(was), ValueContent::Newtype(is)) => {
                // A declared type within is compared by its own pair.
                if was == is || self.types.change(was, is) == TypeChange::Alike {
                    return None;
                }
                format!(
                    "it contained `{was}` and contains `{is}`; the check cannot know whether both are stored in the same way; {stored_in}"
                )
            }
            (was, is) if shown(was) == shown(is) => return None,
            (was, is) => format!(
                "it was {} and is {}: no program reads what the others write; {stored_in}",
                shown(was),
                shown(is)
            ),
        };
        let class = self.class_of(pair);
        let steps: &[&str] = match class {
            ChangeClass::NeedsMove => &MOVE_KEYS,
            _ => &BESIDE,
        };
        Some(self.change(class, &pair.new.name, what, steps))
    }

    /// The fields of a struct or of a variant, which are compared as attributes are.
    fn fields(
        &self,
        place: String,
        old: &[FieldSchema],
        new: &[FieldSchema],
        changes: &mut Vec<StoredChange>,
    ) {
        let [old, new] = [old, new].map(|fields| EntitySchema {
            fields: fields.to_vec(),
            ..EntitySchema::default()
        });
        let fields = EntityPair {
            tables: self.tables,
            name: &format!("{}.{place}", self.name),
            old: &old,
            new: &new,
            types: self.types,
            is_value: true,
            // Fields of values have no `was`: only attributes of items can be renamed in steps.
            renamed: &[],
        };
        changes.extend(fields.guards());
        fields.attributes(changes);
    }

    fn variants(&self, pair: &ValuePair<'_>, changes: &mut Vec<StoredChange>) {
        let (old, new) = (&pair.old.content, &pair.new.content);
        for was in old.variants() {
            match variant_of(new, &was.stored) {
                Some(is) => {
                    changes.extend(self.variant_name(pair, was, is));
                    let place = format!("{}::{}", pair.new.name, was.stored);
                    self.fields(place, &was.fields, &is.fields, changes);
                }
                None => changes.push(self.variant_gone(pair, was)),
            }
        }
        for is in new.variants() {
            let stored = &is.stored;
            // A variant that was stored under another name has already been reported under its old one.
            if variant_of(old, stored).is_some() || has_variant(old, &is.name) {
                continue;
            }
            let what = format!(
                "the variant `{stored}` is new: running programs cannot read items that hold it; {}",
                pair.stored_in()
            );
            changes.push(self.change(
                ChangeClass::BreaksRunning,
                &pair.new.name,
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
        was: &VariantSchema,
        is: &VariantSchema,
    ) -> Option<StoredChange> {
        let (stored, was, is) = (&was.stored, &was.name, &is.name);
        if was == is {
            return None;
        }
        if !has_variant(&pair.old.content, is) && !has_variant(&pair.new.content, was) {
            let what = format!(
                "the variant that is stored as `{stored}` was called `{was}` and is called `{is}`, which is stored nowhere"
            );
            return Some(self.change(ChangeClass::Free, &pair.new.name, what, &[NOTHING]));
        }
        let what = format!(
            "the stored `{stored}` was the variant `{was}` and is `{is}`: a `{was}` that one program stores is read as \
             `{is}` by the others; {}",
            self.kept_in(pair)
        );
        Some(self.variant_change(pair, what, "give the variants their stored names back"))
    }

    fn variant_gone(&self, pair: &ValuePair<'_>, was: &VariantSchema) -> StoredChange {
        let (stored, called) = (&was.stored, &was.name);
        let mut variants = pair.new.content.variants().iter();
        let moved = variants.find(|is| is.name == *called);
        let kept_in = self.kept_in(pair);
        if let Some(now) = moved {
            let now = &now.stored;
            let what = format!(
                "the variant `{called}` was stored as `{stored}` and is stored as `{now}`: programs cannot read what the others \
                 write; {kept_in}"
            );
            return self.variant_change(pair, what, "give the variant its stored name back");
        }
        // Only a variant that is new can be the old one under another name.
        let is_new = |is: &&VariantSchema| variant_of(&pair.old.content, &is.stored).is_none();
        let new = pair.new.content.variants().iter().filter(is_new);
        let new: Vec<&str> = new.map(|is| is.stored.as_str()).collect();
        let renamed = match (&new[..], &pair.new.content) {
            ([], _) => String::new(),
            (_, ValueContent::Numbers(_)) => format!(
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
            "leave the variant declared, store it no longer, and deploy that everywhere",
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
        self.change(class, &pair.new.name, what, &steps)
    }

    fn class_of(&self, pair: &ValuePair<'_>) -> ChangeClass {
        match pair.roots.iter().any(|root| self.is_in_a_key(root)) {
            true => ChangeClass::NeedsMove,
            false => ChangeClass::BreaksRunning,
        }
    }

    fn is_in_a_key(&self, name: &str) -> bool {
        is_in_key(self.old, name) || is_in_key(self.new, name)
    }

    /// The places of values of the type, and the consequence for keys.
    fn kept_in(&self, pair: &ValuePair<'_>) -> String {
        let holds = |key: &KeySchema| pair.roots.iter().any(|root| has(key, root));
        let patterns = self.old.patterns.iter();
        let patterns = patterns.filter(|pattern| pattern.keys().any(holds));
        let patterns: Vec<&str> = patterns.map(|pattern| pattern.name.as_str()).collect();
        let uniques = self.old.uniques.iter();
        let uniques = uniques.filter(|unique| {
            let mut parts = unique.parts.iter();
            parts.any(|part| pair.roots.contains(part.field.as_str()))
        });
        let uniques: Vec<&str> = uniques.map(|unique| unique.name.as_str()).collect();
        let mut text = pair.stored_in();
        if self.class_of(pair) == ChangeClass::NeedsMove {
            text += ", which is part of the primary key: existing items have the old keys, and are rejected or not found";
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
                 declare a second field with another `unique`"
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

fn has_variant(content: &ValueContent, name: &str) -> bool {
    content
        .variants()
        .iter()
        .any(|variant| variant.name == name)
}
