//! Attributes that get another name: the deployments in their order, and the steps that must not be skipped.
//!
//! A declaration is in one of five states: the old name, both names of which the old one is read, both names, the new name
//! with the old one dropped, and the new name alone. Programs of neighbouring states may run at the same time, and no others.

use super::pair::{DEPLOY_EVERYWHERE, EntityPair};
use crate::lock::change::{ChangeClass, StoredChange};
use crate::lock::stored::attributes;
use crate::schema::{EntitySchema, FieldSchema, FormerUse, KeyContent, KeySchema, PieceSchema};

/// The attributes that have another name now, each with its old and its new name. One of the two declarations has both.
pub(super) fn renamed(old: &EntitySchema, new: &EntitySchema) -> Vec<(String, String)> {
    let (before, after) = (attributes(&old.fields), attributes(&new.fields));
    // An attribute that is itself in the middle of a renaming is no start of another one;
    // `renaming` reports that chain.
    let is_plain = |field: Option<&&FieldSchema>| field.is_some_and(|field| field.former.is_none());
    let forth = after.iter().filter_map(|(name, field)| {
        let former = field.former.as_deref()?;
        let is_new = !before.contains_key(name) && !after.contains_key(former);
        (is_new && is_plain(before.get(former))).then(|| (former.to_owned(), (*name).to_owned()))
    });
    // A rollback of the first step: the old declaration has the former name, and the new one has
    // only that.
    let back = before.iter().filter_map(|(name, field)| {
        let former = field.former.as_deref()?;
        let is_gone = !after.contains_key(name) && !before.contains_key(former);
        (is_gone && is_plain(after.get(former))).then(|| ((*name).to_owned(), former.to_owned()))
    });
    let mut renamed: Vec<(String, String)> = Vec::new();
    for (was, is) in forth.chain(back) {
        // Two fields may both claim one former name. The first one keeps it, so that no attribute
        // is compared twice.
        if !renamed.iter().any(|(other, _)| *other == was) {
            renamed.push((was, is));
        }
    }
    renamed
}

/// The old declaration with the new names, so that keys made of these attributes count as the same.
pub(super) fn with_new_names(
    old: &EntitySchema,
    new: &EntitySchema,
    renamed: &[(String, String)],
) -> EntitySchema {
    let mut entity = old.clone();
    let rename = |name: &mut String| {
        if let Some((_, is)) = renamed.iter().find(|(was, _)| was == name) {
            name.clone_from(is);
        }
    };
    let is = attributes(&new.fields);
    for field in &mut entity.fields {
        if let Some(expiry) = &mut field.expiry {
            rename(&mut expiry.source);
        }
        let Some(attribute) = &mut field.attribute else {
            continue;
        };
        if renamed.iter().any(|(was, _)| was == attribute) {
            rename(attribute);
            // The field in Rust usually gets the new name together with its attribute. That is stored nowhere and would
            // only be reported a second time.
            if let Some(is) = is.get(attribute.as_str()) {
                field.name.clone_from(&is.name);
            }
        }
    }
    let keys_of_patterns = entity.patterns.iter_mut().flat_map(|pattern| {
        pattern.when_fields.iter_mut().for_each(rename);
        if let [field] = &pattern.when_fields[..] {
            // The text of the condition contains the name too, and texts are what is compared.
            pattern.when = pattern
                .when
                .take()
                .map(|_| crate::lock::stored::condition_text(field, &pattern.when_values));
        }
        pattern.pk.iter_mut().chain(&mut pattern.sk)
    });
    let keys = [&mut entity.pk].into_iter().chain(&mut entity.sk);
    for key in keys.chain(keys_of_patterns) {
        rename_parts(key, &rename);
    }
    for part in entity
        .uniques
        .iter_mut()
        .flat_map(|unique| &mut unique.parts)
    {
        rename(&mut part.field);
    }
    let rows = entity
        .uniques
        .iter_mut()
        .filter_map(|unique| unique.row.as_mut());
    for key in rows.flat_map(|row| [&mut row.pk].into_iter().chain(&mut row.sk)) {
        rename_parts(key, &rename);
    }
    entity
}

fn rename_parts(key: &mut KeySchema, rename: &impl Fn(&mut String)) {
    match &mut key.content {
        KeyContent::Field(_) => {}
        KeyContent::Number(field) => rename(field),
        KeyContent::Template(pieces) => {
            for piece in pieces {
                if let PieceSchema::Part(part) = piece {
                    rename(&mut part.field);
                }
            }
        }
    }
}

impl EntityPair<'_> {
    /// The change of the names under which an attribute is stored.
    pub(super) fn renaming(
        &self,
        name: &str,
        was: &FieldSchema,
        is: &FieldSchema,
    ) -> Option<StoredChange> {
        if was.former == is.former && was.former_use == is.former_use {
            return None;
        }
        let renamed = self.renamed.iter().find(|(_, is)| is == name);
        // Only an attribute that may be missing can be removed alone by a program that knows the
        // former name. That decides which steps may be skipped.
        let may_be_removed = !was.is_required || !is.is_required;
        let (class, what, steps) = match (&was.former, &is.former, renamed) {
            (None, Some(former), Some(_)) => begun(former, is.former_use, may_be_removed),
            (Some(_), None, Some((new, _))) => undone(new, name, was.former_use, may_be_removed),
            (Some(before), Some(former), _) if before == former => {
                moved_on(former, was.former_use, is.former_use)
            }
            (Some(former), None, None) => ended(former, was.former_use),
            (None, Some(former), None) => resumed(former, is.former_use),
            (before, Some(former), _) => (
                ChangeClass::BreaksRunning,
                format!(
                    "it was `{}` before and is said to have been `{former}`: what other programs store there is not read",
                    before.as_deref().unwrap_or_default()
                ),
                vec![
                    "complete one renaming before the next one".to_owned(),
                    "then declare the next one".to_owned(),
                ],
            ),
            (_, None, _) => return None,
        };
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        Some(self.change(class, name, what, &steps))
    }
}

type RenamingText = (ChangeClass, String, Vec<String>);

fn everywhere() -> Vec<String> {
    vec![DEPLOY_EVERYWHERE.to_owned()]
}

fn keeping(former: &str) -> String {
    format!("declare `#[dynamo(was(\"{former}\", keep))]`, and deploy that everywhere")
}

fn both(former: &str) -> String {
    format!("declare `#[dynamo(was = \"{former}\")]`, and deploy that everywhere")
}

fn dropping(former: &str) -> String {
    format!(
        "when no program runs that knows `{former}` alone, declare `#[dynamo(was(\"{former}\", drop))]`, and deploy that everywhere"
    )
}

fn filling(former: &str) -> String {
    format!(
        "remove `{former}` from the items that still have it: `db fill {{entity}}`, or `scan().refill()`, until `db check --filled {{entity}}` finds nothing left"
    )
}

/// Removes new names that are older than the absence of the former one.
fn rewriting() -> String {
    "let the program that is deployed write the items that differ: `db fill {entity}`, or `scan().refill()`, until `db check --filled {entity}` finds nothing left"
        .to_owned()
}

fn last() -> String {
    "then remove the word".to_owned()
}

/// The old name alone, then another one.
fn begun(former: &str, usage: FormerUse, may_be_removed: bool) -> RenamingText {
    let mut steps = match (usage, may_be_removed) {
        (FormerUse::Alone, _) => vec![DEPLOY_EVERYWHERE.to_owned(), rewriting(), both(former)],
        (FormerUse::First, false) => everywhere(),
        (FormerUse::Dropped, false) => vec![both(former)],
        (_, true) => vec![keeping(former), rewriting(), both(former)],
    };
    steps.extend([dropping(former), filling(former), last()]);
    let (class, what) = match (usage, may_be_removed) {
        (FormerUse::Dropped, _) => (
            ChangeClass::BreaksRunning,
            format!(
                "a step of the renaming is skipped: writes remove `{former}`, and programs that run know no other name, so they no longer find the value"
            ),
        ),
        (FormerUse::First, true) => (
            ChangeClass::BreaksRunning,
            format!(
                "a step of the renaming is skipped: programs that run may remove `{former}` alone, and then the value under the new name would count again"
            ),
        ),
        (FormerUse::First, false) | (FormerUse::Alone, _) => (
            ChangeClass::Free,
            format!(
                "it is being renamed from `{former}`: each write stores both names, and values that running programs write as `{former}` take precedence"
            ),
        ),
    };
    (class, what, steps)
}

/// Back to the old name alone.
fn undone(new: &str, former: &str, usage: FormerUse, may_be_removed: bool) -> RenamingText {
    let what = match (usage, may_be_removed) {
        (FormerUse::Dropped, _) => format!(
            "it is only called `{former}` again, and programs that run store `{new}` and remove `{former}`: what they write is not found"
        ),
        (FormerUse::First, true) => format!(
            "it is only called `{former}` again, and if this program removes that, running programs still find `{new}`"
        ),
        (FormerUse::First, false) | (FormerUse::Alone, _) => {
            let what = format!(
                "its renaming to `{new}` is taken back; programs that run store `{former}` too, as long as none of them removed it"
            );
            return (ChangeClass::Free, what, everywhere());
        }
    };
    let mut steps = vec![
        both(former),
        format!("write all items again, so that each has `{former}`"),
    ];
    if may_be_removed {
        steps.push(keeping(former));
    }
    steps.push("then go back to the old name".to_owned());
    (ChangeClass::BreaksRunning, what, steps)
}

/// From one part of the former name to another.
fn moved_on(former: &str, was: FormerUse, is: FormerUse) -> RenamingText {
    match (was, is) {
        (FormerUse::Alone, FormerUse::Dropped) => (
            ChangeClass::BreaksRunning,
            format!(
                "a step of the renaming is skipped: programs that run read `{former}` alone, and writes remove it"
            ),
            vec![both(former), dropping(former), filling(former), last()],
        ),
        (FormerUse::Dropped, FormerUse::Alone) => (
            ChangeClass::BreaksRunning,
            format!("`{former}` is read alone again, and programs that run remove it"),
            vec![
                both(former),
                format!("write all items again, so that each has `{former}`"),
                keeping(former),
            ],
        ),
        (_, FormerUse::Dropped) => (
            ChangeClass::Free,
            format!(
                "writes remove `{former}`; programs that store both names still find each value, and programs that know `{former}` alone do not"
            ),
            vec![
                format!(
                    "make sure that no program that knows only `{former}` runs any more: after this, you cannot go back to one"
                ),
                DEPLOY_EVERYWHERE.to_owned(),
                filling(former),
                last(),
            ],
        ),
        (FormerUse::Alone, FormerUse::First) => (
            ChangeClass::FillFirst,
            format!(
                "the new name is read where `{former}` is missing, and items from which an old program removed `{former}` still have it"
            ),
            vec![
                format!("make sure that no program runs any more that knows `{former}` alone"),
                rewriting(),
                "then deploy".to_owned(),
            ],
        ),
        (_, FormerUse::First) => (
            ChangeClass::Free,
            format!("writes store `{former}` again, beside the new name"),
            everywhere(),
        ),
        (_, FormerUse::Alone) => (
            ChangeClass::Free,
            format!("`{former}` is read alone again, and each write still stores both names"),
            everywhere(),
        ),
    }
}

/// The word is gone.
fn ended(former: &str, usage: FormerUse) -> RenamingText {
    if usage == FormerUse::Dropped {
        let what = format!(
            "`{former}` is no longer read: an item that still has it is read by its new name, which it may lack, or which is older"
        );
        let steps = vec![
            filling(former),
            format!("then remove the word, when no item has `{former}` any more, and deploy"),
        ];
        return (ChangeClass::FillFirst, what, steps);
    }
    let what = format!(
        "a step of the renaming is skipped: programs that run prefer `{former}`, so they do not see what new ones write under the new name alone"
    );
    let next = (usage == FormerUse::Alone).then(|| both(former));
    let steps = next
        .into_iter()
        .chain([dropping(former), filling(former), last()]);
    (ChangeClass::BreaksRunning, what, steps.collect())
}

/// The word is back, for an attribute that had no other name.
fn resumed(former: &str, usage: FormerUse) -> RenamingText {
    if usage == FormerUse::Dropped {
        let what =
            format!("items that still have `{former}` are read by that name, and writes remove it");
        return (ChangeClass::Free, what, everywhere());
    }
    let what = format!(
        "writes store `{former}` too and prefer it when they read, and programs that run write the new name alone: what they write is not seen"
    );
    let steps = vec![
        format!("declare `#[dynamo(was(\"{former}\", drop))]` first, and deploy that everywhere"),
        "then declare the former name without `drop`".to_owned(),
    ];
    (ChangeClass::BreaksRunning, what, steps)
}
