//! The patterns of filters, as Lambda compares them with records.
//!
//! A pattern lists members of a record with their possible values, and all of them must match. `exists` works only for
//! members with a text, so an image exists if its partition key does. Like `changes_of`, filters prefer conditions on
//! images to the name of the event, because the documentation of Lambda guarantees only filters on `dynamodb`.
//!
//! ```text
//! view                  created              changed              removed
//! both images           new fits, old not    both fit             old fits, new not
//! NEW_IMAGE             INSERT, new fits     MODIFY, new fits     no new image, the key fits
//! OLD_IMAGE             no old, key fits     MODIFY, old fits     REMOVE, old fits
//! KEYS_ONLY             INSERT, key fits     MODIFY, key fits     REMOVE, key fits
//! ```

use super::followed::FollowedChange;
use crate::error::{Error, Result};
use crate::export::key_text::{FieldValues, KeyLimit, KeyReader};
use crate::export::word;
use crate::json::JsonTree;
use crate::schema::{IdentifyBy, KeyAttribute, StreamView, TableSchema, UNIQUE};

/// The requirements of a filter for a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RecordTest {
    event: Option<&'static str>,
    is_by_ttl: bool,
    new: ImageTest,
    old: ImageTest,
    pk: Option<KeyLimit>,
    sk: Option<KeyLimit>,
}

/// The requirement of a filter for an image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum ImageTest {
    #[default]
    Any,
    /// Is an item of one of these entities, by their stored names; any item if there are none.
    Fits(Vec<String>),
    /// Is missing, or no item of this entity.
    DiffersFrom(String),
    Missing,
}

/// The patterns for these changes, or, if only values are given, for all changes of all entities.
pub(super) fn record_patterns(
    table: &TableSchema,
    follows: &[(String, Vec<FollowedChange>)],
    values: &FieldValues,
) -> Result<Vec<String>> {
    let all = || {
        let entities = table.entities.iter();
        entities.map(|entity| (entity.name.clone(), FollowedChange::ALL.to_vec()))
    };
    let all: Vec<_> = match follows.is_empty() && !values.is_empty() {
        true => all().collect(),
        false => follows.to_vec(),
    };
    let mut tests: Vec<RecordTest> = Vec::new();
    for (name, changes) in &all {
        let entity = table
            .entity(name)
            .ok_or_else(|| unknown_entity(table, name))?;
        let reader = KeyReader {
            table,
            entity,
            values,
        };
        reader.check_values()?;
        for test in reader.record_tests(changes) {
            if !tests.iter_mut().any(|known| known.join(&test)) {
                tests.push(test);
            }
        }
    }
    let patterns = tests.iter().map(|test| test.record_pattern(table));
    let patterns: Vec<JsonTree> = patterns.collect();
    // A pattern without a condition passes every record, so no filter is needed.
    let is_empty =
        |pattern: &JsonTree| matches!(pattern, JsonTree::Object(members) if members.is_empty());
    Ok(match patterns.iter().any(is_empty) {
        true => Vec::new(),
        false => patterns.iter().map(JsonTree::to_line).collect(),
    })
}

#[cold]
fn unknown_entity(table: &TableSchema, name: &str) -> Error {
    let names = table.entities.iter();
    let names: Vec<String> = names.map(|known| format!("`{}`", known.name)).collect();
    Error::config(format!(
        "a consumer follows `{name}`, which is not an entity of table `{}`: it has {}",
        table.name,
        names.join(", ")
    ))
}

impl KeyReader<'_> {
    /// Rejects values that do not limit the key, because Lambda would send more records than intended.
    fn check_values(&self) -> Result<()> {
        let plain = KeyReader {
            values: &FieldValues::new(),
            ..*self
        };
        if self.values.is_empty() || self.key_limits() != plain.key_limits() {
            return Ok(());
        }
        let names: Vec<String> = self.values.keys().map(|name| format!("`{name}`")).collect();
        Err(Error::config(format!(
            "a consumer is limited to a value of {}, which limits the primary key of `{}` in no way: the field must be the \
             key, or a `String` in its template after parts that are known",
            names.join(", "),
            self.entity.name
        )))
    }

    /// The limits of the primary key.
    fn key_limits(&self) -> (Option<KeyLimit>, Option<KeyLimit>) {
        let sk = self.entity.sk.as_ref();
        (
            self.known_limit(&self.entity.pk),
            sk.and_then(|sk| self.known_limit(sk)),
        )
    }

    fn record_tests(&self, changes: &[FollowedChange]) -> Vec<RecordTest> {
        use FollowedChange::{Changed, Created, Removed, RemovedByTtl};

        let follows = |change| changes.contains(&change);
        let view = self.table.stream.unwrap_or(StreamView::KeysOnly);
        let (has_new, has_old) = match view {
            StreamView::KeysOnly => (false, false),
            StreamView::NewImage => (true, false),
            StreamView::OldImage => (false, true),
            StreamView::NewAndOldImages => (true, true),
        };
        // The images before and after the change, and the name of the event if no image determines the kind.
        let fits = || match self.entity.type_attribute {
            // The type is stored in another attribute than those of other entities, so the key alone is compared.
            Some(_) => ImageTest::Fits(Vec::new()),
            None => ImageTest::Fits(vec![self.entity.stored_name.clone()]),
        };
        let differs = || match self.table.type_attribute {
            Some(_) if self.entity.type_attribute.is_some() => ImageTest::Any,
            // An image of the same type may belong to another entity, which the type alone does not tell.
            Some(_) if !self.entity.constants.is_empty() => ImageTest::Any,
            Some(_) => ImageTest::DiffersFrom(self.entity.stored_name.clone()),
            None => ImageTest::Missing,
        };
        let mut tests = Vec::new();
        let mut test = |event, old, new, is_by_ttl| {
            let has_fitting = |image: &ImageTest| matches!(image, ImageTest::Fits(_));
            let is_by_image = has_fitting(&old) || has_fitting(&new);
            let (pk, sk) = match self.needs_no_key(is_by_image) {
                true => (None, None),
                false => self.key_limits(),
            };
            tests.push(RecordTest {
                event,
                is_by_ttl,
                new,
                old,
                pk,
                sk,
            });
        };
        let any = || ImageTest::Any;
        match (has_new, has_old) {
            (true, true) => {
                match (follows(Created), follows(Changed)) {
                    (true, true) => test(None, any(), fits(), false),
                    (true, false) => test(None, differs(), fits(), false),
                    (false, true) if !follows(Removed) => test(None, fits(), fits(), false),
                    (false, _) => {}
                }
                match (follows(Changed), follows(Removed)) {
                    (true, true) => test(None, fits(), any(), false),
                    (false, true) => test(None, fits(), differs(), false),
                    (_, false) => {}
                }
                if follows(RemovedByTtl) && !follows(Removed) {
                    test(None, fits(), differs(), true);
                }
            }
            (true, false) => {
                match (follows(Created), follows(Changed)) {
                    (true, true) => test(None, any(), fits(), false),
                    (true, false) => test(Some("INSERT"), any(), fits(), false),
                    (false, true) => test(Some("MODIFY"), any(), fits(), false),
                    (false, false) => {}
                }
                if follows(Removed) || follows(RemovedByTtl) {
                    test(None, any(), ImageTest::Missing, !follows(Removed));
                }
            }
            (false, true) => {
                if follows(Created) {
                    test(None, ImageTest::Missing, any(), false);
                }
                match (follows(Changed), follows(Removed)) {
                    (true, true) => test(None, fits(), any(), false),
                    (true, false) => test(Some("MODIFY"), fits(), any(), false),
                    (false, true) => test(Some("REMOVE"), fits(), any(), false),
                    (false, false) => {}
                }
                if follows(RemovedByTtl) && !follows(Removed) {
                    test(Some("REMOVE"), fits(), any(), true);
                }
            }
            (false, false) => {
                let is_any = [Created, Changed, Removed].into_iter().all(follows);
                if is_any {
                    test(None, any(), any(), false);
                    return tests;
                }
                let named = [
                    (Created, "INSERT"),
                    (Changed, "MODIFY"),
                    (Removed, "REMOVE"),
                ];
                for (change, event) in named {
                    if follows(change) {
                        test(Some(event), any(), any(), false);
                    }
                }
                if follows(RemovedByTtl) && !follows(Removed) {
                    test(Some("REMOVE"), any(), any(), true);
                }
            }
        }
        tests
    }

    /// Whether the entity is known without the key: by the type in an image, or because the table has only this entity.
    /// Values of fields need the key.
    fn needs_no_key(&self, is_by_image: bool) -> bool {
        let has_types = self.table.type_attribute.is_some();
        let is_alone = !has_types && self.table.entities.len() <= 1;
        // A type that several entities may have does not tell which of them the record is of.
        let is_by_image = is_by_image && self.table.identify_by != Some(IdentifyBy::Key);
        self.values.is_empty() && (is_alone || is_by_image && has_types)
    }
}

impl RecordTest {
    /// Also accepts the records of another test, if it differs only in the entities of one image. Returns whether it does.
    fn join(&mut self, other: &RecordTest) -> bool {
        let is_same_kind = (self.event, self.is_by_ttl) == (other.event, other.is_by_ttl);
        if !is_same_kind || (&self.pk, &self.sk) != (&other.pk, &other.sk) {
            return false;
        }
        match (self.new == other.new, self.old == other.old) {
            (true, true) => true,
            (false, true) => self.new.join(&other.new),
            (true, false) => self.old.join(&other.old),
            (false, false) => false,
        }
    }

    fn record_pattern(&self, table: &TableSchema) -> JsonTree {
        let keys = [(Some(&table.pk), &self.pk), (table.sk.as_ref(), &self.sk)];
        let keys = keys.into_iter().filter_map(|(key, limit)| {
            let key = key?;
            Some((
                &*key.name,
                Some(of_type(key, vec![limit.as_ref()?.limit_rule()])),
            ))
        });
        let keys: Vec<_> = keys.collect();
        let change = JsonTree::object_of([
            (
                "Keys",
                (!keys.is_empty()).then(|| JsonTree::object_of(keys)),
            ),
            ("NewImage", self.new.image_pattern(table)),
            ("OldImage", self.old.image_pattern(table)),
        ]);
        let is_empty = matches!(&change, JsonTree::Object(members) if members.is_empty());
        let by_ttl = || {
            JsonTree::object_of([
                ("type", Some(list_texts(["Service"]))),
                ("principalId", Some(list_texts(["dynamodb.amazonaws.com"]))),
            ])
        };
        JsonTree::object_of([
            ("eventName", self.event.map(|name| list_texts([name]))),
            ("userIdentity", self.is_by_ttl.then(by_ttl)),
            ("dynamodb", (!is_empty).then_some(change)),
        ])
    }
}

impl ImageTest {
    /// Also accepts the entities of another test of an image.
    fn join(&mut self, other: &ImageTest) -> bool {
        let (ImageTest::Fits(names), ImageTest::Fits(others)) = (self, other) else {
            return false;
        };
        if names.is_empty() || others.is_empty() {
            names.clear();
            return true;
        }
        for name in others {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        true
    }

    fn image_pattern(&self, table: &TableSchema) -> Option<JsonTree> {
        let pk = &table.pk;
        let kind = |rules| {
            let name = table.type_attribute.as_deref()?;
            Some((
                name,
                Some(JsonTree::object_of([("S", Some(JsonTree::List(rules)))])),
            ))
        };
        let is_there = |there| (&*pk.name, Some(of_type(pk, vec![exists_rule(there)])));
        let members: Vec<_> = match self {
            ImageTest::Any => return None,
            ImageTest::Missing => vec![is_there(false)],
            ImageTest::Fits(names) => {
                // An item of another program may have no type. The handler then finds its entity by the key.
                let has_types = !names.is_empty();
                let names = names.iter().map(JsonTree::from);
                let kind = kind(names.chain([exists_rule(false)]).collect()).filter(|_| has_types);
                let sentinel = || {
                    let has_rows_beside = table.entities.iter().any(|of| {
                        !of.large.is_empty() || of.uniques.iter().any(|unique| unique.row.is_none())
                    });
                    let owner = of_type(pk, vec![exists_rule(false)]);
                    let owner = JsonTree::object_of([(
                        "M",
                        Some(JsonTree::object_of([(&*pk.name, Some(owner))])),
                    )]);
                    has_rows_beside.then_some((UNIQUE, Some(owner)))
                };
                let kind = kind.or_else(sentinel);
                [is_there(true)].into_iter().chain(kind).collect()
            }
            ImageTest::DiffersFrom(name) => {
                let others = JsonTree::object_of([("anything-but", Some(list_texts([&**name])))]);
                kind(vec![others, exists_rule(false)]).into_iter().collect()
            }
        };
        Some(JsonTree::object_of(members))
    }
}

impl KeyLimit {
    fn limit_rule(&self) -> JsonTree {
        match self {
            KeyLimit::Exact(text) => text.into(),
            // Filters have no pattern for the end, so they pass more.
            KeyLimit::Beginning(text) | KeyLimit::Enclosed(text, _) => {
                JsonTree::object_of([("prefix", Some(text.into()))])
            }
        }
    }
}

fn exists_rule(is_there: bool) -> JsonTree {
    JsonTree::object_of([("exists", Some(is_there.into()))])
}

fn of_type(key: &KeyAttribute, rules: Vec<JsonTree>) -> JsonTree {
    JsonTree::object_of([(word::type_letter(key.ty), Some(JsonTree::List(rules)))])
}

fn list_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> JsonTree {
    JsonTree::List(texts.into_iter().map(JsonTree::from).collect())
}
