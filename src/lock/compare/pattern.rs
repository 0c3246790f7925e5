//! Access patterns: whether indexes hold the items that programs look for there.

use super::entity::{number_of, shards_aside_agree, shown, texts_agree, width_hint};
use super::meeting::met_in_index;
use super::pair::{CHECK_FILLED, DEPLOY, EntityPair, NOTHING, REFILL, REWRITE};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::stored::seen_type;
use crate::schema::{FieldSchema, KeyAttribute, KeySchema, KeyType, PatternSchema, Presence, Word};

/// The way of items to other keys of an index.
const NEW_INDEX: [&str; 5] = [
    "leave it as it is, and declare an access pattern beside it under a new name, in another index, with `filling`; deploy that \
     everywhere",
    REFILL,
    CHECK_FILLED,
    "remove `filling`, and deploy programs that query the new one",
    "then drop the old one",
];

impl EntityPair<'_> {
    pub(super) fn patterns(&self, changes: &mut Vec<StoredChange>) {
        let (old, new) = (self.old, self.new);
        let mut renamed = Vec::new();
        for was in &old.patterns {
            let name = &was.name;
            // The name of an access pattern is only Rust; the index is where its keys are stored.
            // Under one name in another index it is a new pattern and an old one that is gone.
            let same = new.pattern(name).filter(|is| is.index == was.index);
            if let Some(is) = same {
                self.pattern(name, was, is, changes);
                continue;
            }
            let is_heir = |is: &&PatternSchema| {
                let known = old.pattern(&is.name);
                let is_taken = known.is_some_and(|known| known.index == is.index);
                // A pattern can inherit only once.
                is_same_but_for_name(was, is) && !is_taken && !renamed.contains(&&is.name)
            };
            match new.patterns.iter().find(is_heir) {
                Some(heir) => {
                    let heir = &heir.name;
                    let what =
                        format!("the access pattern was called `{name}`, which is stored nowhere");
                    changes.push(self.change(ChangeClass::Free, heir, what, &[NOTHING]));
                    renamed.push(heir);
                }
                None => changes.push(self.pattern_gone(name, was)),
            }
        }
        for is in &new.patterns {
            let name = &is.name;
            let known = old.pattern(name);
            let is_known = known.is_some_and(|was| was.index == is.index);
            if !is_known && !renamed.contains(&name) {
                changes.push(self.pattern_appeared(name, is));
            }
        }
    }

    fn pattern_appeared(&self, name: &str, is: &PatternSchema) -> StoredChange {
        let met = met_in_index(self.tables.old, self.name, is);
        let create = "create the index if it is new, by `db.plan(..)` or `db.add_indexes(..)`, and wait until it is active";
        // The harm to running programs is checked first: `filling` does not avoid it.
        if !met.is_empty() {
            let what = format!(
                "the access pattern is new in `{}`, and its items may be there in partitions of `{}`: running programs do not know that, \
                 and treat them as errors",
                is.index,
                met.join("`, `")
            );
            return self.change(
                ChangeClass::BreaksRunning,
                name,
                what,
                &[
                    "deploy programs that know the access pattern of an index of its own instead, or with another beginning of \
                     the partition key",
                    "or stop all programs that read such partitions, and deploy; then write all items again",
                ],
            );
        }
        // A pattern with a condition is filled by a refill alone, since only this library evaluates
        // the condition.
        if is.when.is_some() || !is.keys().all(|key| self.is_there(key)) {
            if is.is_filling {
                return self.change(
                    ChangeClass::Free,
                    name,
                    "the access pattern is new and `filling`: new programs write its keys, and none queries it yet",
                    &[create, "deploy it everywhere", REFILL, CHECK_FILLED, "then remove `filling`"],
                );
            }
            return self.change(
                ChangeClass::FillFirst,
                name,
                "the access pattern is new, and existing items do not have its keys: they are found after they are filled, and the \
                 step with `filling` is skipped",
                &[
                    create,
                    "declare it with `filling`, so that every write keeps its keys and no query of it compiles, and deploy that everywhere",
                    REFILL,
                    CHECK_FILLED,
                    "then remove `filling`, and deploy the queries",
                ],
            );
        }
        // From here on the keys are attributes that items already have, so DynamoDB itself fills
        // the index when it is created, with the attributes as they are.
        if let Some((field, rejected)) = is.keys().find_map(|key| self.rejected_in(key)) {
            let what = format!(
                "the access pattern is new, on attributes that items have. Once the index exists, DynamoDB rejects a write with {rejected}, \
                 also one of a program that runs now; items that have that already are missing in the index"
            );
            let never = format!(
                "deploy programs that never write {rejected}, everywhere: an `Option` that is `None` has no attribute"
            );
            let fill = format!(
                "write another `{field}`, or none, into the items that have that: `update_each`"
            );
            let steps = [never.as_str(), &fill, create, DEPLOY];
            return self.change(ChangeClass::FillFirst, name, what, &steps);
        }
        if let Some(field) = is.keys().find_map(|key| self.retyped(key)) {
            let what = format!(
                "the access pattern is new, and existing items have `{field}` in another type: DynamoDB does not find them \
                 in the index until they are written again"
            );
            return self.change(
                ChangeClass::FillFirst,
                name,
                what,
                &[create, "deploy programs that write the new type and do not query the index, everywhere", REWRITE, "then query it"],
            );
        }
        let is_new = |key: &KeySchema| {
            let field = key.field();
            field.is_some_and(|field| self.old.attribute(field).is_none())
        };
        let what = match is.keys().any(is_new) {
            true => {
                "the access pattern is new, on an attribute that is new too: DynamoDB finds items once the attribute is written"
            }
            false => {
                "the access pattern is new, on attributes that items have: DynamoDB finds those that have them all"
            }
        };
        self.change(ChangeClass::Free, name, what, &[create, DEPLOY])
    }

    /// A field whose own attribute is the key, and which items store in another type than the key has.
    fn retyped<'k>(&self, key: &'k KeySchema) -> Option<&'k str> {
        let field = key.field()?;
        let was = self.old.attribute(field)?.stored?;
        (was.word() != key.ty.word()).then_some(field)
    }

    /// A field that programs may store in a way which DynamoDB rejects in a key, and that way. An attribute that is a key
    /// already is never stored so.
    fn rejected_in<'k>(&self, key: &'k KeySchema) -> Option<(&'k str, String)> {
        let field = key.field()?;
        let was = self.old.attribute(field)?;
        let head = self.tables.old;
        // An attribute that is already in the key of the table or of an index has been enforced by
        // DynamoDB all along.
        if head.key_types().contains_key(key.attribute.as_str()) {
            return None;
        }
        let attribute = KeyAttribute {
            name: key.attribute.clone(),
            ty: key.ty,
        };
        rejected(was, &attribute).map(|rejected| (field, rejected))
    }

    /// Whether items that exist have a key of an index, or are rightly without it.
    fn is_there(&self, key: &KeySchema) -> bool {
        match key.field() {
            Some(field) => {
                let had = self.old.attribute(field);
                let is = self.new.attribute(field);
                // A default exists only in the programs that read it. DynamoDB does not index an item that lacks the
                // attribute.
                is.is_some_and(|is| is.default.is_none() || had.is_some_and(|had| had.is_required))
            }
            None => {
                let always = self
                    .old
                    .patterns
                    .iter()
                    .filter(|pattern| pattern.when.is_none());
                // Only a pattern that every item is in has written its keys into every item.
                let always = always.filter(|pattern| {
                    let mut parts = pattern.keys().flat_map(KeySchema::parts);
                    parts.all(|part| {
                        matches!(
                            part.presence,
                            Presence::Always | Presence::First | Presence::Last
                        )
                    })
                });
                let mut written = self.old.keys().chain(always.flat_map(PatternSchema::keys));
                written.any(|written| texts_agree(written, key))
            }
        }
    }

    fn pattern_gone(&self, name: &str, was: &PatternSchema) -> StoredChange {
        // Bare attributes are written because they are fields, not because a pattern is declared.
        if was.keys().all(|key| key.field().is_some()) {
            return self.change(
                ChangeClass::Free,
                name,
                "the access pattern is no longer declared; its attributes are still written, so running programs find all rows that they \
                 query, as long as the index exists",
                &[DEPLOY],
            );
        }
        let what = format!(
            "the access pattern is no longer declared: new programs do not write its keys in `{}`, so running ones miss items, and so \
             does one that you roll back to",
            was.index
        );
        self.change(
            ChangeClass::BreaksRunning,
            name,
            what,
            &[
                "deploy programs that do not query it and still declare it, everywhere",
                "then drop the declaration, and deploy",
            ],
        )
    }

    fn pattern(
        &self,
        name: &str,
        was: &PatternSchema,
        is: &PatternSchema,
        changes: &mut Vec<StoredChange>,
    ) {
        if was == is {
            return;
        }
        let before = changes.len();
        changes.extend(self.filling(name, was, is));
        changes.extend(self.pattern_keys(name, was, is));
        changes.extend(self.shards(name, was, is));
        changes.extend(self.condition(name, was, is));
        // The difference was seen above, so something has to be reported; what remains is notation.
        if changes.len() == before {
            let what = "it is written in another way, and its keys are the same";
            changes.push(self.change(ChangeClass::Free, name, what, &[NOTHING]));
        }
    }

    /// The word `filling`, which says whether new programs may query the index.
    fn filling(&self, name: &str, was: &PatternSchema, is: &PatternSchema) -> Option<StoredChange> {
        match (was.is_filling, is.is_filling) {
            (false, true) => {
                let what = "it is `filling` now: new programs do not query it, and still write its keys";
                Some(self.change(ChangeClass::Free, name, what, &[DEPLOY]))
            }
            (true, false) => Some(self.change(
                ChangeClass::FillFirst,
                name,
                "it is no longer `filling`: new programs may query it, and do not find items without its keys",
                &[
                    "end all programs that run without this access pattern: they write items without its keys",
                    REFILL,
                    CHECK_FILLED,
                    DEPLOY,
                ],
            )),
            _ => None,
        }
    }

    fn pattern_keys(
        &self,
        name: &str,
        was: &PatternSchema,
        is: &PatternSchema,
    ) -> Option<StoredChange> {
        let pairs = || was.keys().zip(is.keys());
        let same_count = (was.pk.len(), was.sk.len()) == (is.pk.len(), is.sk.len());
        let differing = pairs().find(|(was, is)| !shards_aside_agree(was, is));
        if same_count && differing.is_none() {
            return self.presence(name, was, is);
        }
        if let Some(change) = differing.and_then(|(was, is)| self.number_beside(name, was, is)) {
            return Some(change);
        }
        let what = match differing {
            Some((was, is)) => format!(
                "its key `{}` was {} and is {}{}: existing items have the old keys, and are not found by the new ones \
                 until they are written again; running programs do not find what new ones write",
                is.attribute,
                shown(was),
                shown(is),
                width_hint(was, is)
            ),
            None => "the number of its keys is another one".to_owned(),
        };
        // Old programs write the old keys into the same attributes again and again, so no fill comes to an end.
        let (mildest, what) = match differing {
            Some(_) => (
                ChangeClass::BreaksRunning,
                format!(
                    "{what}. Old and new programs overwrite each other's keys, so another attribute is needed"
                ),
            ),
            None => (ChangeClass::FillFirst, what),
        };
        let met_now = met_in_index(self.tables.old, self.name, is);
        // Only entities that the old keys did not meet are new to the running programs.
        let met_before = met_in_index(self.tables.old, self.name, was);
        let (class, what) = match met_now.iter().find(|met| !met_before.contains(met)) {
            Some(met) => (
                ChangeClass::BreaksRunning,
                format!(
                    "{what}; they may be in partitions of `{met}` there, which running programs treat as errors"
                ),
            ),
            None => (mildest, what),
        };
        Some(self.change(class, name, what, &NEW_INDEX))
    }

    /// A key that was a field of its own, and is the number of another field. Both programs store and query the same numbers
    /// while the two fields are equal, so the index stays as it is.
    fn number_beside(&self, name: &str, was: &KeySchema, is: &KeySchema) -> Option<StoredChange> {
        let field = number_of(is)?;
        let is_own = was.field() == Some(&*is.attribute) && was.ty == is.ty;
        is_own.then(|| {
            let key = &is.attribute;
            let what = format!(
                "its key `{key}` was {} and is {}: items in which the two differ are errors in queries of new programs",
                shown(was),
                shown(is)
            );
            let both = format!(
                "declare `{field}` and `{key}` as fields, let every write store the same number in both, and deploy that everywhere"
            );
            let fill = format!(
                "write the number of `{key}` into `{field}` of the items in which it differs: `update_each`"
            );
            let then = format!("then declare `number({field})` without the field `{key}`, and deploy");
            self.change(ChangeClass::FillFirst, name, what, &[&both, &fill, &then])
        })
    }

    /// Items that were left out because a part was missing, and belong into the index now.
    fn presence(
        &self,
        name: &str,
        was: &PatternSchema,
        is: &PatternSchema,
    ) -> Option<StoredChange> {
        let parts = |pattern: &PatternSchema| {
            let parts = pattern.keys().flat_map(KeySchema::parts);
            parts.map(|part| part.presence).collect::<Vec<_>>()
        };
        let (was, is) = (parts(was), parts(is));
        let mut pairs = was.iter().zip(&is);
        let may_lack = [Presence::Optional, Presence::Text];
        // Only this direction leaves items out of the index. The other one keeps items in it that
        // no longer belong there, until their next write.
        let lets_in = pairs.any(|(was, is)| was != is && may_lack.contains(was));
        lets_in.then(|| {
            self.change(
                ChangeClass::FillFirst,
                name,
                "items without a part of its keys were not in the index, and now belong there: they are found after \
                 they are filled",
                &["deploy programs that do not rely on it, everywhere", REFILL, CHECK_FILLED, "then rely on it"],
            )
        })
    }

    fn shards(&self, name: &str, was: &PatternSchema, is: &PatternSchema) -> Option<StoredChange> {
        let numbers = |pattern: &PatternSchema| {
            let written = pattern.keys().filter_map(KeySchema::shards).max();
            let written = written.unwrap_or_default();
            (
                written,
                written.max(pattern.read_shards.unwrap_or_default()),
            )
        };
        let ((wrote, read), (writes, reads)) = (numbers(was), numbers(is));
        if (wrote, was.read_shards) == (writes, is.read_shards) {
            return None;
        }
        let what = format!(
            "it wrote {wrote} shards and read {read}, and writes {writes} and reads {reads}"
        );
        let has_shards = wrote > 0 && writes > 0;
        // Readers of both versions must cover the shards that writers of both versions use.
        if has_shards && reads >= read && read >= writes {
            let what = format!("{what}: old and new programs read all that is written");
            return Some(self.change(ChangeClass::Free, name, what, &[DEPLOY]));
        }
        let what = format!(
            "{what}: some programs do not read all shards that others write, or that contain items"
        );
        let steps: &[&str] = match has_shards {
            true => &[
                "first deploy `read_shards` with the greater number, everywhere, and leave `shards` as it is",
                "then change `shards`, leave `read_shards`, and deploy",
                "with fewer shards than before: write all items again, and only then read fewer",
            ],
            false => &NEW_INDEX,
        };
        let (class, what) = match has_shards {
            true => (ChangeClass::FillFirst, what),
            false => (
                ChangeClass::BreaksRunning,
                format!(
                    "{what}. Old and new programs overwrite each other's keys, so another attribute is needed"
                ),
            ),
        };
        Some(self.change(class, name, what, steps))
    }

    fn condition(
        &self,
        name: &str,
        was: &PatternSchema,
        is: &PatternSchema,
    ) -> Option<StoredChange> {
        if is_same_condition(was, is) {
            return None;
        }
        let what = match (&was.when, &is.when) {
            (None, Some(when)) => format!(
                "it holds items while `{when}`, and held all: existing ones stay in the index until they are written again"
            ),
            (Some(when), None) => format!(
                "it holds all items, and held them while `{when}`: the others are found after they are written again"
            ),
            (was, is) => {
                let shown = |when: &Option<String>| when.clone().unwrap_or_default();
                format!(
                    "it holds items while `{}`, and did while `{}`: existing items are in it by the old condition, until they \
                     are written again; if only names of Rust differ, this is safe",
                    shown(is),
                    shown(was)
                )
            }
        };
        let lets_more_in = match (&was.when, &is.when) {
            (_, None) => true,
            (None, Some(_)) => false,
            // Two conditions that were written as expressions of Rust cannot be compared; only
            // lists of values of the same fields can. In doubt the harmful direction is assumed.
            (Some(_), Some(_)) => holds_all(was, is),
        };
        if !lets_more_in {
            let what = format!("{what}; running programs miss the items in it that new ones omit");
            return Some(self.change(ChangeClass::BreaksRunning, name, what, &NEW_INDEX));
        }
        Some(self.change(
            ChangeClass::FillFirst,
            name,
            what,
            &[
                "deploy programs that do not rely on the new condition, everywhere: until then some write by the old one",
                REFILL,
                CHECK_FILLED,
                "then rely on it",
            ],
        ))
    }
}

/// Whether the second condition holds for all that the first one does: as far as it names the same field with more values.
fn holds_all(was: &PatternSchema, is: &PatternSchema) -> bool {
    let mut values = was.when_values.iter();
    !was.when_fields.is_empty()
        && was.when_fields == is.when_fields
        && values.all(|value| is.when_values.contains(value))
}

fn is_same_condition(was: &PatternSchema, is: &PatternSchema) -> bool {
    (&was.when, &was.when_fields, &was.when_values) == (&is.when, &is.when_fields, &is.when_values)
}

fn is_same_but_for_name(was: &PatternSchema, is: &PatternSchema) -> bool {
    let renamed = PatternSchema {
        name: is.name.clone(),
        ..was.clone()
    };
    renamed == *is
}

/// The ways of an attribute that DynamoDB rejects as soon as it is a key.
pub(super) fn rejected(was: &FieldSchema, key: &KeyAttribute) -> Option<String> {
    let name = &key.name;
    let empty = match key.ty {
        KeyType::N => None,
        KeyType::S | KeyType::B => {
            let seen = seen_type(was).unwrap_or_default();
            let may_be_empty =
                // An unknown type or a path to one of another crate may be empty too.
                ["", "String", "bytes", "Value"].contains(&seen) || seen.contains("::");
            may_be_empty.then(|| format!("an empty `{name}`"))
        }
    };
    let ty = key.ty.word();
    // A field that is stored in several types may write another one at any time.
    let is_other = was.stored.is_none_or(|stored| stored.word() != ty);
    let other = is_other.then(|| format!("a `{name}` that is not of the type {ty}"));
    let rejected: Vec<String> = empty.into_iter().chain(other).collect();
    (!rejected.is_empty()).then(|| rejected.join(" or "))
}
