//! Unique values: whether all programs keep them under the same keys.

use super::pair::{CHECK_FILLED, DEPLOY, DEPLOY_EVERYWHERE, EntityPair, NOTHING, REFILL};
use crate::json::Tag;
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::rust_type::TypeChange;
use crate::lock::stored::type_text;
use crate::schema::{EntitySchema, PartSchema, UniqueSchema, Width};

/// The way of old items to their values.
const FILL: &str = "fill with a program that has the new declaration: `db fill {entity}`, or `scan().refill()`; each item takes its values, what two items have is \
     reported with both keys, and values that no item has any more are released";
/// The way of old items to their rows.
const FILL_ROWS: &str = "fill with a program that has the new declaration: `db fill {entity}`, or `scan().refill()`; missing rows are created";
/// The way of unique values to other keys.
const BESIDE: [&str; 4] = [
    "leave it as it is, and declare a second `unique` with a new `rename`, of another field if the type of this one changes; \
     deploy that everywhere",
    FILL,
    "deploy programs that look up by the new one, everywhere",
    "then drop the old one",
];

impl EntityPair<'_> {
    pub(super) fn uniques(&self, changes: &mut Vec<StoredChange>) {
        for was in &self.old.uniques {
            let stored = &was.stored;
            // The stored name is in the keys of the sentinels, and the name of the look-up is only
            // Rust.
            match kept_by(self.new, stored) {
                Some(is) => self.unique(was, is, changes),
                None if was.row.is_some() => changes.push(self.change(
                    ChangeClass::BreaksRunning,
                    &was.name,
                    format!(
                        "the rows of another program `{stored}` are no longer declared: new programs neither create nor delete them, so \
                         values stay taken, and two items may have one value"
                    ),
                    &[
                        "if the other program still writes these rows, keep the declaration",
                        "else declare a `unique` of this library beside it, and fill that, if the value is still unique",
                        "then drop the declaration; the rows remain: delete them by a script",
                    ],
                )),
                None => changes.push(self.change(
                    ChangeClass::BreaksRunning,
                    &was.name,
                    format!(
                        "the unique value `{stored}` is no longer declared: new programs neither take nor release values, so \
                         running programs find outdated values, and values stay taken"
                    ),
                    &[
                        "if only its attributes got other names, `rename` in `unique(..)` keeps its keys",
                        "else deploy programs that do not look up by it and still declare it, everywhere",
                        "then drop the declaration; the items that stored its values remain: delete them by a script",
                    ],
                )),
            }
        }
        for is in &self.new.uniques {
            if kept_by(self.old, &is.stored).is_none() {
                changes.push(self.unique_appeared(is));
            }
        }
    }

    fn unique_appeared(&self, is: &UniqueSchema) -> StoredChange {
        if is.row.is_some() {
            return self.change(
                ChangeClass::FillFirst,
                &is.name,
                "the rows of another program are new here: running programs of this library neither create nor delete them, and items \
                 that these programs wrote have none",
                &[
                    "compare the values of all items: the rows do not name their items, so a fill does not detect two items with one value",
                    DEPLOY_EVERYWHERE,
                    FILL_ROWS,
                    "then rely on it: no two items share a value",
                ],
            );
        }
        if is.is_filling {
            return self.change(
                ChangeClass::Free,
                &is.name,
                "the unique value is new and `filling`: new programs take and release values, and none looks them up yet",
                &[DEPLOY_EVERYWHERE, FILL, CHECK_FILLED, "then remove `filling`"],
            );
        }
        self.change(
            ChangeClass::FillFirst,
            &is.name,
            "the unique value is new: existing items have not taken theirs, and running programs neither take nor \
             release any",
            &[
                "declare it with `filling`, so that every write keeps the values and no look-up of it compiles, and deploy that everywhere",
                FILL,
                CHECK_FILLED,
                "then remove `filling`, and rely on it: look-ups, and that no two items share a value",
            ],
        )
    }

    /// The word `filling`, which says whether new programs may look the values up.
    fn unique_filling(&self, was: &UniqueSchema, is: &UniqueSchema) -> Option<StoredChange> {
        let name = &is.name;
        match (was.is_filling, is.is_filling) {
            (false, true) => {
                let what = "it is `filling` now: new programs do not look it up, and still keep its values";
                Some(self.change(ChangeClass::Free, name, what, &[DEPLOY]))
            }
            (true, false) => Some(self.change(
                ChangeClass::FillFirst,
                name,
                "it is no longer `filling`: new programs may look it up, and do not find items that have not taken their values",
                &[
                    "end all programs that run without this unique value: they neither take nor release values",
                    REFILL,
                    CHECK_FILLED,
                    DEPLOY,
                ],
            )),
            _ => None,
        }
    }

    fn unique(&self, was: &UniqueSchema, is: &UniqueSchema, changes: &mut Vec<StoredChange>) {
        let name = &is.name;
        changes.extend(self.unique_filling(was, is));
        let constants =
            |unique: &UniqueSchema| unique.row.as_ref().map(|row| row.constants.clone());
        if constants(was) != constants(is) {
            let what = "new rows have other constants: every program compares the keys of the rows alone, so both kinds store values; \
                        the other program may tell its rows by these attributes"
                .to_owned();
            changes.push(self.change(ChangeClass::Free, name, what, &[DEPLOY]));
        }
        if was.name != *name {
            let what = format!(
                "the look-up was called `{}`, which is stored nowhere",
                was.name
            );
            changes.push(self.change(ChangeClass::Free, name, what, &[NOTHING]));
        }
        // With other fields the parts cannot be compared one by one.
        if fields(was) != fields(is) {
            let what = format!(
                "its values were of `{}` and are of `{}`: old and new programs keep them under different keys, and do not see each other's; if `rename` \
                 keeps them and only the attributes have other names, this is safe",
                fields(was).join("`, `"),
                fields(is).join("`, `")
            );
            changes.push(self.change(ChangeClass::BreaksRunning, name, what, &BESIDE));
            return;
        }
        for (was, is) in was.parts.iter().zip(&is.parts) {
            changes.extend(match was.width == is.width {
                true => self.unique_field(name, &is.field),
                // A width changes the text only where values are padded to it.
                false if self.is_one_text(was, is) => self.unique_field(name, &is.field),
                false => Some(self.unique_width(name, was, is)),
            });
        }
    }

    /// Whether both are texts as they are, one of them of a type whose texts have one length, such as a UUID.
    fn is_one_text(&self, was: &PartSchema, is: &PartSchema) -> bool {
        let types = self
            .old
            .attribute(&was.field)
            .zip(self.new.attribute(&is.field));
        let is_known = types.is_some_and(|(was, is)| {
            self.types.change(type_text(was), type_text(is)) != TypeChange::Unknown
        });
        // A number with a fraction has any width too, and its text differs from that of a padded integer.
        let is_text = types
            .is_some_and(|(was, is)| [was, is].iter().all(|field| field.stored == Some(Tag::S)));
        is_known && is_text && [was.width, is.width].contains(&Width::Variable)
    }

    /// The text of a number in the key has as many digits as its type.
    fn unique_width(&self, name: &str, was: &PartSchema, is: &PartSchema) -> StoredChange {
        let what = format!(
            "`{}` was {} in the keys of its values and is {}: old and new programs keep one value under different keys, and \
             two items may have it",
            is.field,
            width(was.width),
            width(is.width)
        );
        self.change(ChangeClass::BreaksRunning, name, what, &BESIDE)
    }

    /// The text of a value in the key goes by its type.
    fn unique_field(&self, name: &str, field: &str) -> Option<StoredChange> {
        let (was, is) = (self.old.attribute(field)?, self.new.attribute(field)?);
        if self.types.change(type_text(was), type_text(is)) == TypeChange::Unknown {
            let what = format!(
                "the type of `{field}` was `{}` and is `{}`, which may be another text in the keys of its values. If all texts are \
                 the same, this is safe",
                type_text(was),
                type_text(is)
            );
            return Some(self.change(ChangeClass::BreaksRunning, name, what, &BESIDE));
        }
        let lacked = !was.is_required && was.default != is.default;
        // A missing attribute takes no unique value. With a default it means a value, which two
        // items may share.
        (lacked && is.default.is_some()).then(|| {
            let what = format!(
                "items without `{field}` have its default now, and have not taken that value"
            );
            self.change(
                ChangeClass::FillFirst,
                name,
                what,
                &[DEPLOY_EVERYWHERE, FILL, "then rely on it"],
            )
        })
    }
}

fn kept_by<'m>(entity: &'m EntitySchema, stored: &str) -> Option<&'m UniqueSchema> {
    entity.uniques.iter().find(|unique| unique.stored == stored)
}

fn fields(unique: &UniqueSchema) -> Vec<&str> {
    let parts = unique.parts.iter();
    parts.map(|part| part.field.as_str()).collect()
}

fn width(width: Width) -> String {
    match width {
        Width::Variable | Width::Decimal => "of any length".to_owned(),
        Width::Fixed(count) => format!("{count} characters long"),
        Width::Digits(count) => format!("at most {count} digits long"),
        Width::Signed(count) => format!("{count} digits and a sign long"),
    }
}
