//! The four declarations of a renaming: which may follow which, and the steps that must not be skipped.

use dynamo_entity::lock::{self, ChangeClass};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

macro_rules! declaration {
    ($name:ident, $($option:tt)*) => {
        mod $name {
            use dynamo_entity::prelude::*;

            #[derive(DynamoEntity)]
            #[dynamo(table = "parcels", key(pk = "P#{id}"))]
            #[dynamo(gsi(by_state, pk = "STATE#{state}", sk = "{id}", when(state = ["new", "sent"])))]
            #[dynamo(unique(by_state_once, state, rename = "status"))]
            pub struct Parcel {
                pub id: u32,
                #[dynamo($($option)*)]
                pub state: String,
            }
        }
    };
}

declaration!(old, rename = "status");
declaration!(keeps, was("status", keep));
declaration!(both, was = "status");
declaration!(drops, was("status", drop));
declaration!(new, rename = "state");

fn class(before: TableSchema, after: TableSchema) -> (Option<ChangeClass>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [before]).expect("a file");
    let comparison = lock::compare(&path, [after]).expect("a comparison");
    assert!(comparison.changes().len() <= 1, "{comparison}");
    (comparison.class(), comparison.to_string())
}

#[test]
fn neighbours_follow_each_other() {
    use ChangeClass::{BreaksRunning, FillFirst, Free};
    let all = [
        old::Parcel::schema,
        both::Parcel::schema,
        drops::Parcel::schema,
        new::Parcel::schema,
    ];
    // From each declaration to each: None if nothing has changed, and no class for what is not the same attribute.
    let expected = [
        [None, Some(Free), Some(BreaksRunning)],
        [Some(Free), None, Some(Free)],
        [Some(BreaksRunning), Some(Free), None],
    ];
    for (before, row) in all.iter().zip(expected) {
        for (after, wanted) in all.iter().zip(row) {
            let (found, text) = class(before(), after());
            assert_eq!(found, wanted, "{text}");
        }
    }
    let [_, both, drops, new] = all.map(|schema| schema());
    let to_new = [(both.clone(), BreaksRunning), (drops.clone(), FillFirst)];
    for (before, wanted) in to_new {
        let (found, text) = class(before, new.clone());
        assert_eq!(found, Some(wanted), "{text}");
    }
    let keeps = keeps::Parcel::schema;
    for (before, after, wanted) in [
        (old::Parcel::schema(), keeps(), Free),
        (keeps(), old::Parcel::schema(), Free),
        (keeps(), both.clone(), FillFirst),
        (both.clone(), keeps(), Free),
        (keeps(), drops.clone(), BreaksRunning),
        (drops.clone(), keeps(), BreaksRunning),
        (keeps(), new.clone(), BreaksRunning),
        (new.clone(), keeps(), BreaksRunning),
    ] {
        let (found, text) = class(before, after);
        assert_eq!(found, Some(wanted), "{text}");
    }
    let (found, text) = class(new.clone(), both);
    assert_eq!(found, Some(BreaksRunning), "{text}");
    let (found, text) = class(new, drops);
    assert_eq!(found, Some(Free), "{text}");
}

#[test]
fn a_skipped_step_is_named() {
    for (before, after, says) in [
        (
            old::Parcel::schema(),
            drops::Parcel::schema(),
            "declare `#[dynamo(was = \"status\")]`, and deploy that everywhere",
        ),
        (
            both::Parcel::schema(),
            new::Parcel::schema(),
            "declare `#[dynamo(was(\"status\", drop))]`",
        ),
        (
            drops::Parcel::schema(),
            old::Parcel::schema(),
            "write all items again, so that each has `status`",
        ),
    ] {
        let (_, text) = class(before, after);
        assert!(text.contains(says), "{text}");
    }
}

/// Without the word it is another attribute, and the text names the word.
#[test]
fn a_rename_without_the_word_breaks_running_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dynamo.lock");
    lock::write(&path, [old::Parcel::schema()]).expect("a file");
    let comparison = lock::compare(&path, [new::Parcel::schema()]).expect("a comparison");
    assert!(comparison.class() >= Some(ChangeClass::BreaksRunning));
    assert!(
        comparison
            .to_string()
            .contains("`#[dynamo(was = \"status\")]`"),
        "{comparison}"
    );
}

/// An old program may remove the value under the old name, and the new name has to be read by no one meanwhile.
#[test]
fn a_value_that_may_be_missing_is_kept_first() {
    mod old {
        use dynamo_entity::prelude::*;

        #[derive(DynamoEntity)]
        #[dynamo(table = "notes", key(pk = id))]
        pub struct Note {
            pub id: u32,
            pub text: Option<String>,
        }
    }
    mod both {
        use dynamo_entity::prelude::*;

        #[derive(DynamoEntity)]
        #[dynamo(table = "notes", key(pk = id))]
        pub struct Note {
            pub id: u32,
            #[dynamo(was = "text")]
            pub body: Option<String>,
        }
    }
    let (found, text) = class(old::Note::schema(), both::Note::schema());
    assert_eq!(found, Some(ChangeClass::BreaksRunning), "{text}");
    assert!(text.contains("`#[dynamo(was(\"text\", keep))]`"), "{text}");
}
