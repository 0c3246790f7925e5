//! Copies to another table: they are equal, resume after any request, and masked ones contain nothing personal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use dynamo_entity::bulk::FileCheckpoint;
use dynamo_entity::prelude::*;
use dynamo_entity::testing::Faults;
use dynamo_entity::transfer::{CopyReport, Mask};
use dynamo_entity::{Timestamp, Value};

use super::{Depot, Note, Part, assert_same, every_item, note, part};
use crate::support::db::Db;
use crate::support::faulty::Fault;
use crate::support::suite::Outcome;
use crate::tests;

tests![
    a_copied_entity_is_equal(Depot),
    a_copied_table_is_equal(Depot),
    a_copy_resumes_after_any_request(Depot),
    items_in_the_way_are_kept(Depot),
    both_tables_are_checked(Depot),
    a_masked_copy_has_nothing_personal(Clinic),
    a_masked_copy_resumes_with_its_secret(Clinic),
    what_cannot_be_masked_is_not_copied(Clinic),
];

/// Another engine, or another prefix on the same server, with the same tables.
async fn target(db: &Db, number: usize) -> Result<Dynamo> {
    let other = match number.is_multiple_of(2) {
        true => Dynamo::connect("embedded:memory").await?,
        false => (**db)
            .clone()
            .with_prefix(format!("{}-{number}", db.prefix())),
    };
    other
        .create_tables([Depot::schema(), Clinic::schema()])
        .await?;
    Ok(other)
}

fn is_unique_value(item: &Item) -> bool {
    item.contains("$unique")
}

async fn fill(db: &Dynamo, random: &mut fastrand::Rng, count: u32) -> Result<()> {
    let parts: Vec<Part> = (0..count).map(|number| part(random, number)).collect();
    put_each(parts.iter().map(Part::create))
        .send(db)
        .await?
        .complete()?;
    let notes: Vec<Note> = (0..count).map(note).collect();
    put_each(notes.iter().map(Note::create))
        .send(db)
        .await?
        .complete()?;
    // An attribute of a newer program, a version that is not the first one, and an item of none of the entities.
    if let Some(mut item) = every_item(db)
        .await?
        .into_iter()
        .find(|item| item.contains("serial"))
    {
        item.insert("version", 7);
        Item::in_table("depot").put(item).send(db).await?;
    }
    let stranger = Item::from_iter([
        ("pk", Value::from("X#1")),
        ("sk", "X".into()),
        ("n", 1.into()),
    ]);
    Item::in_table("depot").put(stranger).send(db).await
}

async fn a_copied_entity_is_equal(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    fill(&db, &mut random, 40).await?;
    let all = every_item(&db).await?;
    let parts = all
        .iter()
        .filter(|item| item.contains("serial") || is_unique_value(item));
    let parts: Vec<Item> = parts.cloned().collect();
    for number in 0..2 {
        let other = target(&db, number).await?;
        let copy = || {
            Part::scan()
                .segments(1 + 2 * number)
                .consistent()
                .page_size(7)
                .copy_to(&other)
        };
        let mut told = 0;
        let report = copy()
            .on_progress(|counts| told = counts.read)
            .send(&db)
            .await?;
        let counts = report.complete()?;
        assert_eq!(
            (told, counts.read, counts.written),
            (40, 40, 40),
            "seed {seed}"
        );
        assert_eq!(
            counts.left_out, 81,
            "seed {seed}: notes, unique values, and another item"
        );
        assert_same(&every_item(&other).await?, &parts, seed);
        let again = copy().send(&db).await?.complete()?;
        assert_eq!((again.written, again.unchanged), (0, 40), "seed {seed}");
        let replaced = copy().replace().send(&db).await?.complete()?;
        assert_eq!(replaced.written, 40);
        assert_same(&every_item(&other).await?, &parts, seed);
        let all = Part::scan().consistent().all(&other).await?;
        let first = all.into_iter().next().expect("a part");
        let found = Part::by_serial(&first.serial).send(&other).await?;
        assert_eq!(found, Some(first), "seed {seed}");
        // And back.
        let back = target(&db, 2 * number + 3).await?;
        Part::scan().copy_to(&back).send(&other).await?.complete()?;
        assert_same(&every_item(&back).await?, &parts, seed);
    }
    Ok(())
}

async fn a_copied_table_is_equal(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    fill(&db, &mut fastrand::Rng::with_seed(seed), 40).await?;
    let all = every_item(&db).await?;
    for number in 0..2 {
        let names: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let seen = names.clone();
        let other = target(&db, number).await?.with_observer(move |event| {
            if event.operation == "PutItem" {
                let name = event.pattern.name.to_owned();
                seen.lock().expect("a lock").insert(name);
            }
        });
        let copy = || -> Result<_> {
            let items = Depot::schema().scan_items()?.segments(3).consistent();
            Ok(items.page_size(9).copy_to(&other))
        };
        let counts = copy()?.send(&db).await?.complete()?;
        assert_eq!(
            (counts.written, counts.left_out),
            (all.len() as u64, 0),
            "seed {seed}"
        );
        assert_same(&every_item(&other).await?, &all, seed);
        let again = copy()?.send(&db).await?.complete()?;
        assert_eq!(again.unchanged, all.len() as u64);
        let names: Vec<String> = names.lock().expect("a lock").iter().cloned().collect();
        assert_eq!(names, ["copy"], "its requests are those of a copy");
    }
    Ok(())
}

/// Each item has its unique value, and each unique value its item.
async fn assert_in_step(db: &Dynamo) -> Result<()> {
    let items = every_item(db).await?;
    let parts = items.iter().filter(|item| item.contains("serial")).count();
    assert_eq!(
        2 * parts,
        items.len(),
        "an item without its value, or the reverse"
    );
    Ok(())
}

async fn a_copy_resumes_after_any_request(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let parts: Vec<Part> = (0..7).map(|number| part(&mut random, number)).collect();
    put_each(parts.iter().map(Part::create))
        .send(&db)
        .await?
        .complete()?;
    let before = every_item(&db).await?;
    let denied = || Fault::refuse("AccessDeniedException");
    for requests in 0.. {
        let is_source = requests % 2 == 0;
        let other = target(&db, 0).await?;
        let folder = tempfile::tempdir()?;
        let copy = |other: &Dynamo| {
            Part::scan()
                .consistent()
                .page_size(3)
                .copy_to(other)
                .concurrency(2)
                .checkpoint(FileCheckpoint::new(folder.path().join("copy")))
        };
        let last = match random.u8(..4) {
            0 => denied(),
            1 => Fault::Lose,
            2 => Fault::Io,
            _ => Fault::throttle(),
        };
        let plan = std::iter::repeat_n(Fault::Pass, requests / 2);
        let plan: Vec<Fault> = plan
            .chain([last])
            .chain((0..40).map(|_| denied()))
            .collect();
        let sent: Result<CopyReport> = match is_source {
            true => copy(&other).send(&db.faulty(plan).0).await,
            false => {
                let faults = Faults::new(plan);
                copy(&other.with_faults(&faults)?).send(&db).await
            }
        };
        assert_in_step(&other).await?;
        let was_stopped = sent
            .as_ref()
            .map_or(true, |report| report.stopped().is_some());
        if let Ok(report) = &sent {
            let reported = report.errors().len() as u64;
            assert_eq!(reported, report.failed + report.existing, "seed {seed}");
        }
        let report = copy(&other).send(&db).await?;
        if report.failed + report.existing > 0 {
            // A row that DynamoDB had rejected is not tried again with a checkpoint.
            let again = Part::scan().copy_to(&other).send(&db).await?;
            again.complete()?;
        }
        assert_same(&every_item(&other).await?, &before, seed);
        if !was_stopped && requests > 20 {
            return Ok(());
        }
        assert!(requests < 80, "seed {seed}: it never ended");
    }
    Ok(())
}

async fn items_in_the_way_are_kept(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(7);
    let parts: Vec<Part> = (0..3).map(|number| part(&mut random, number)).collect();
    put_each(parts.iter().map(Part::create))
        .send(&db)
        .await?
        .complete()?;
    let other = target(&db, 0).await?;
    let changed = Part {
        serial: "other".into(),
        ..parts[0].clone()
    };
    changed.create().send(&other).await?;
    let thief = Part {
        number: 99,
        ..parts[1].clone()
    };
    thief.create().send(&other).await?;
    let before = every_item(&other).await?;
    let report = Part::scan().copy_to(&other).send(&db).await?;
    assert_eq!(
        (report.read, report.written, report.existing, report.failed),
        (3, 1, 1, 1)
    );
    let mut kinds: Vec<ErrorKind> = report
        .errors()
        .iter()
        .map(|row| row.error().kind())
        .collect();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(
        kinds,
        [ErrorKind::AlreadyExists, ErrorKind::UniqueViolation]
    );
    let text = report.errors()[0].to_string();
    assert!(
        text.starts_with("a row with the key `pk`, `sk`: "),
        "{text}"
    );
    let after = every_item(&other).await?;
    assert!(
        before.iter().all(|item| after.contains(item)),
        "nothing is lost"
    );
    let error = report.complete().expect_err("rows failed");
    assert!(kinds.contains(&error.kind()));
    // The replaced item releases its value.
    let report = Part::scan().copy_to(&other).replace().send(&db).await?;
    assert_eq!((report.written, report.failed), (2, 1), "{report:?}");
    assert_eq!(Part::by_serial("other").send(&other).await?, None);
    let report = Part::scan()
        .copy_to(&other)
        .max_failures(0)
        .send(&db)
        .await?;
    assert_eq!(
        report.stopped().map(|error| error.kind()),
        Some(ErrorKind::RowsFailed)
    );
    Ok(())
}

async fn both_tables_are_checked(db: Db) -> Outcome {
    note(1).create().send(&db).await?;
    let copy = |other: &Dynamo| Note::scan().copy_to(other);
    let kind = |sent: Result<CopyReport>| sent.map(|_| ()).expect_err("an error").kind();
    assert_eq!(kind(copy(&db).send(&db).await), ErrorKind::Config);
    // Another client of the same server.
    let same = copy(&db.of_another_process()).send(&db).await;
    let text = same.map(|_| ()).expect_err("the same table").to_string();
    assert!(text.contains("are the same table"), "{text}");
    let empty = Dynamo::connect("embedded:memory").await?;
    let missing = copy(&empty)
        .send(&db)
        .await
        .map(|_| ())
        .expect_err("no table");
    assert_eq!(missing.kind(), ErrorKind::TableNotFound);
    assert!(missing.to_string().contains("create_tables"), "{missing}");

    #[derive(DynamoEntity)]
    #[dynamo(table = "depot", key(pk = pk, sk = number))]
    #[allow(dead_code)]
    struct Other {
        pk: String,
        number: u32,
    }
    empty.create_tables([Other::schema()]).await?;
    let other = copy(&empty)
        .send(&db)
        .await
        .map(|_| ())
        .expect_err("other keys");
    assert_eq!(other.kind(), ErrorKind::SchemaMismatch);
    assert!(other.to_string().contains("`number` (N)"), "{other}");
    assert_eq!(
        empty
            .client()
            .scan()
            .table_name("depot")
            .send()
            .await?
            .count(),
        0
    );
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub(super) struct Contact {
    #[dynamo(personal)]
    street: String,
    zip: String,
}

#[derive(Debug, Clone, PartialEq, DynamoValue)]
pub(super) enum Source {
    Walk,
    Doctor {
        #[dynamo(personal)]
        name: String,
        code: u8,
    },
    Pair(String, Contact),
}

#[derive(Debug, Clone, Copy, PartialEq, DynamoValue)]
pub(super) enum Sex {
    F,
    M,
    X,
}

crate::declare! {
    pub(super) table Clinic(name = "clinic", pk = "pk", sk = "sk", entities(Patient, Visit),
        gsi(gsi1, pk = "g1pk", sk = "g1sk"));
    pub(super) entity Patient(table = Clinic, key(pk = "P#{email}", sk = "PATIENT"),
        gsi(by_name, on = gsi1, pk = "N#{name}", sk = "{number:05}"), unique(by_phone, phone))
        { #[dynamo(personal)] pub(super) email: String, #[dynamo(personal)] pub(super) name: String,
          #[dynamo(personal)] pub(super) phone: String, pub(super) number: u32,
          #[dynamo(personal)] pub(super) born: Timestamp, #[dynamo(personal)] pub(super) age: u8,
          #[dynamo(personal)] pub(super) sex: Sex, pub(super) contacts: Vec<Contact>,
          pub(super) by_kind: BTreeMap<String, Contact>, pub(super) source: Option<Source>,
          #[dynamo(personal)] pub(super) notes: BTreeMap<String, Vec<String>>,
          #[dynamo(personal)] pub(super) tags: BTreeSet<String>, #[dynamo(personal)] pub(super) photo: Vec<u8>,
          #[dynamo(personal)] pub(super) any: Option<Value>, pub(super) plan: String,
          #[dynamo(version)] pub(super) version: Version, #[dynamo(ttl)] pub(super) expires_at: Option<Timestamp> }
    pub(super) entity Visit(table = Clinic, key(pk = "P#{email}", sk = "VISIT#{day:05}"))
        { #[dynamo(personal)] pub(super) email: String, pub(super) day: u32,
          #[dynamo(personal, rest)] pub(super) rest: Item }
}

/// A word that occurs nowhere else.
fn word(random: &mut fastrand::Rng, words: &mut Vec<String>) -> String {
    let word: String = (0..12).map(|_| random.lowercase()).collect();
    words.push(word.clone());
    word
}

fn patient(random: &mut fastrand::Rng, words: &mut Vec<String>, number: u32) -> Patient {
    let contact = |random: &mut fastrand::Rng, words: &mut Vec<String>| Contact {
        street: word(random, words),
        zip: "10115".into(),
    };
    let phone = format!("+49 {}", random.u64(100_000_000_000..999_999_999_999));
    words.push(phone[4..].to_owned());
    Patient {
        email: format!("{}@mail.org", word(random, words)),
        name: format!("{} {}", word(random, words), word(random, words)),
        phone,
        number,
        born: Timestamp::from_unix(random.i64(0..1_500_000_000), 5_000).expect("a time"),
        age: random.u8(..),
        sex: [Sex::F, Sex::M, Sex::X][random.usize(..3)],
        contacts: (0..random.usize(..3))
            .map(|_| contact(random, words))
            .collect(),
        by_kind: (0..random.usize(..3))
            .map(|at| (format!("kind {at}"), contact(random, words)))
            .collect(),
        source: match random.u8(..4) {
            0 => None,
            1 => Some(Source::Walk),
            2 => Some(Source::Doctor {
                name: word(random, words),
                code: 7,
            }),
            _ => Some(Source::Pair("plain".into(), contact(random, words))),
        },
        notes: (0..random.usize(..3))
            .map(|_| {
                (
                    word(random, words),
                    vec![word(random, words), String::new()],
                )
            })
            .collect(),
        tags: (0..random.usize(..3))
            .map(|_| word(random, words))
            .collect(),
        photo: (0..random.usize(4..40)).map(|_| random.u8(..)).collect(),
        any: random.bool().then(|| {
            let map = Item::from_iter([
                ("field", Value::from(word(random, words))),
                ("none", Value::Null),
            ]);
            Value::L(vec![Value::M(map), Value::from(12), Value::Bool(true)])
        }),
        plan: "free plan".into(),
        version: Version::default(),
        expires_at: random
            .bool()
            .then(|| Timestamp::from_unix(4_000_000_000, 0).expect("a time")),
    }
}

async fn admit(db: &Dynamo, random: &mut fastrand::Rng, count: u32) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for number in 0..count {
        let patient = patient(random, &mut words, number);
        let rest = Item::from_iter([("remark", Value::from(word(random, &mut words)))]);
        Visit {
            email: patient.email.clone(),
            day: 3,
            rest,
        }
        .create()
        .send(db)
        .await?;
        patient.create().send(db).await?;
    }
    Ok(words)
}

async fn clinic(db: &Dynamo) -> Result<Vec<Item>> {
    Clinic::schema().scan_items()?.consistent().all(db).await
}

fn mask() -> Result<Mask> {
    Mask::with_secret("8f1d7c02b95e4a6e")
}

async fn a_masked_copy_has_nothing_personal(db: Db) -> Outcome {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let words = admit(&db, &mut random, 25).await?;
    let stranger = Item::from_iter([
        ("pk", Value::from("X")),
        ("sk", "Y".into()),
        ("name", "Zed Z".into()),
    ]);
    Item::in_table("clinic")
        .put(stranger.clone())
        .send(&db)
        .await?;
    for number in 0..2 {
        let other = target(&db, number).await?;
        let copy = || -> Result<_> {
            let items = Clinic::schema().scan_items()?.segments(2);
            let copy = items.copy_to(&other).masked(mask()?);
            Ok(copy.entity::<Patient>().entity::<Visit>())
        };
        let counts = copy()?.send(&db).await?.complete()?;
        assert_eq!(
            (counts.read, counts.written, counts.left_out),
            (50, 50, 26),
            "seed {seed}"
        );
        let items = clinic(&other).await?;
        assert_eq!(items.len(), 75, "with the unique values");
        let bytes = serde_json::to_string(&items)?;
        for word in &words {
            assert!(!bytes.contains(word.as_str()), "seed {seed}: {word}");
        }
        let (before, after) = (
            Patient::scan().all(&db).await?,
            Patient::scan().all(&other).await?,
        );
        let by_number = |patients: &[Patient]| -> BTreeMap<u32, Patient> {
            patients
                .iter()
                .map(|patient| (patient.number, patient.clone()))
                .collect()
        };
        let (before, after) = (by_number(&before), by_number(&after));
        assert_eq!(before.len(), after.len(), "seed {seed}");
        for (number, old) in &before {
            let new = &after[number];
            assert_eq!(
                (&new.version, &new.expires_at, &new.plan),
                (&old.version, &old.expires_at, &old.plan)
            );
            assert_eq!(
                (new.contacts.len(), new.tags.len(), new.notes.len()),
                (old.contacts.len(), old.tags.len(), old.notes.len())
            );
            assert_eq!(
                new.contacts.first().map(|c| &c.zip),
                old.contacts.first().map(|c| &c.zip)
            );
            assert_ne!(new.born, old.born, "seed {seed}");
            assert_ne!(new.photo, old.photo, "seed {seed}");
            let number_in = |any: &Option<Value>| match any {
                Some(Value::L(list)) => list.get(1).cloned(),
                _ => None,
            };
            let numbers = (number_in(&old.any), number_in(&new.any));
            assert!(
                numbers.0.is_none() || numbers.0 != numbers.1,
                "seed {seed}: {numbers:?}"
            );
            let found = Patient::by_phone(&new.phone).send(&other).await?;
            assert_eq!(found.as_ref(), Some(new), "by its unique value");
            let rows = Patient::by_name(&new.name).all(&other).await?;
            assert!(rows.contains(new), "by its index");
            let visit = Visit::key(&new.email, 3).get().send(&other).await?;
            assert!(visit.is_some(), "seed {seed}: equal values stay equal");
        }
        // Values with few possibilities stay as they are in some rows, and not in all.
        let differs = |differs: fn(&Patient, &Patient) -> bool| {
            let mut all = before.iter();
            all.any(|(number, old)| differs(old, &after[number]))
        };
        assert!(differs(|old, new| old.age != new.age), "seed {seed}");
        assert!(differs(|old, new| old.sex != new.sex), "seed {seed}");
        let again = copy()?.send(&db).await?.complete()?;
        assert_eq!((again.unchanged, again.written), (50, 0), "the same secret");
        let with = copy()?.copy_others().send(&db).await?.complete()?;
        assert_eq!((with.written, with.left_out), (1, 25));
        // One entity by itself.
        let single = target(&db, 2).await?;
        Visit::scan()
            .copy_to(&single)
            .masked(mask()?)
            .send(&db)
            .await?
            .complete()?;
        let visits: Vec<Item> = clinic(&single).await?;
        assert!(
            visits.iter().all(|visit| items.contains(visit)),
            "seed {seed}"
        );
    }
    Ok(())
}

async fn a_masked_copy_resumes_with_its_secret(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(3);
    admit(&db, &mut random, 6).await?;
    let other = target(&db, 0).await?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("copy");
    let copy = |mask| {
        let copy = Patient::scan().copy_to(&other).masked(mask);
        copy.checkpoint(FileCheckpoint::new(&path))
    };
    let faults = Faults::new(
        (0..3)
            .map(|_| Fault::Pass)
            .chain((0..20).map(|_| Fault::refuse("AccessDeniedException"))),
    );
    let (faulty, _) = db.faulty([Fault::Pass, Fault::Pass]);
    let broken = Patient::scan()
        .copy_to(&other.with_faults(&faults)?)
        .masked(mask()?)
        .checkpoint(FileCheckpoint::new(&path));
    let report = broken.concurrency(1).send(&faulty).await?;
    assert!(report.stopped().is_some() && report.read < 6, "{report:?}");
    let report = copy(mask()?).send(&db).await?;
    assert_eq!(report.complete()?.read, 6);
    let saved = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
    assert!(
        !saved.contains("8f1d7c02b95e4a6e"),
        "the secret is not saved"
    );
    let kind = |sent: Result<CopyReport>| sent.map(|_| ()).expect_err("an error").kind();
    let other_secret = copy(Mask::with_secret("0000000000000000")?).send(&db).await;
    assert_eq!(kind(other_secret), ErrorKind::Checkpoint);
    let unmasked = Patient::scan()
        .copy_to(&other)
        .checkpoint(FileCheckpoint::new(&path));
    assert_eq!(kind(unmasked.send(&db).await), ErrorKind::Checkpoint);
    assert_eq!(
        kind(copy(Mask::random()?).send(&db).await),
        ErrorKind::Config
    );
    assert!(copy(mask()?).send(&db).await?.was_finished());
    assert_eq!(
        Mask::with_secret("short").expect_err("too short").kind(),
        ErrorKind::Config
    );
    Ok(())
}

async fn what_cannot_be_masked_is_not_copied(db: Db) -> Outcome {
    let mut random = fastrand::Rng::with_seed(5);
    admit(&db, &mut random, 4).await?;
    let other = target(&db, 0).await?;
    let kind = |sent: Result<CopyReport>| sent.map(|_| ()).expect_err("an error").kind();
    let items = || Clinic::schema().scan_items();
    let one = items()?.copy_to(&other).masked(mask()?).entity::<Patient>();
    assert_eq!(
        kind(one.send(&db).await),
        ErrorKind::Config,
        "an entity is missing"
    );
    let stranger = items()?.copy_to(&other).masked(mask()?).entity::<Note>();
    assert_eq!(kind(stranger.send(&db).await), ErrorKind::Config);
    let replaced = Patient::scan().copy_to(&other).masked(mask()?).replace();
    assert_eq!(
        kind(replaced.send(&db).await),
        ErrorKind::Config,
        "a personal key"
    );
    // Settings without an effect.
    let rows = || Patient::scan().copy_to(&other);
    for (copy, words) in [
        (rows().drop_unknown(), "`.drop_unknown()` is for masked"),
        (rows().copy_others(), "`.copy_others()` is for masked"),
        (rows().entity::<Visit>(), "`.entity::<..>()` is for masked"),
        (
            rows().masked(mask()?).entity::<Visit>(),
            "this is a copy of one entity",
        ),
        (
            rows().masked(mask()?).copy_others(),
            "this is a copy of one entity",
        ),
        (
            items()?.copy_to(&other).entity::<Patient>(),
            "`.entity::<..>()` is for masked",
        ),
    ] {
        let error = copy.send(&db).await.map(|_| ()).expect_err("an error");
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(words), "{words}: {error}");
    }

    // All rows get one key.
    let same = mask()?.by(|field, _| (field.path() == "email").then(|| "one@example.com".into()));
    let report = Patient::scan()
        .copy_to(&other)
        .masked(same)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.existing), (1, 3), "{report:?}");
    // A value of another type.
    let wrong = mask()?.by(|field, _| (field.path() == "age").then(|| "old".into()));
    let report = Patient::scan()
        .copy_to(&other)
        .masked(wrong)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (0, 4), "{report:?}");
    let paths = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = paths.clone();
    let told = mask()?.by(move |field, _| {
        let mut seen = seen.lock().expect("a lock");
        seen.insert(format!("{} {}", field.entity(), field.path()));
        None
    });
    let clean = target(&db, 0).await?;
    Visit::scan()
        .copy_to(&clean)
        .masked(told)
        .send(&db)
        .await?
        .complete()?;
    let seen: Vec<String> = paths.lock().expect("a lock").iter().cloned().collect();
    assert_eq!(seen, ["Visit email", "Visit rest"]);

    // An attribute that no field has, and a row that cannot be read.
    let mut rows = clinic(&db)
        .await?
        .into_iter()
        .filter(|item| item.contains("plan"));
    let (mut unknown, mut broken) = (rows.next().expect("a row"), rows.next().expect("a row"));
    unknown.insert("nickname", "Annie Unknown");
    Item::in_table("clinic").put(unknown).send(&db).await?;
    broken.insert("age", "not a number");
    Item::in_table("clinic").put(broken).send(&db).await?;
    let report = Patient::scan()
        .copy_to(&clean)
        .masked(mask()?)
        .send(&db)
        .await?;
    assert_eq!((report.written, report.failed), (2, 2), "{report:?}");
    let dropped = Patient::scan()
        .copy_to(&clean)
        .masked(mask()?)
        .drop_unknown()
        .send(&db)
        .await?;
    assert_eq!(
        (dropped.written, dropped.unchanged, dropped.failed),
        (1, 2, 1)
    );
    let bytes = serde_json::to_string(&clinic(&clean).await?)?;
    assert!(!bytes.contains("Annie") && !bytes.contains("not a number"));
    Ok(())
}
