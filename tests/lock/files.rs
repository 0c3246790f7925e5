//! What the check makes of files: missing, of another format, half merged, written anew.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use dynamo_entity::error::ErrorKind;
use dynamo_entity::lock::{self, ChangeClass};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;

#[derive(DynamoTable)]
#[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
#[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
struct Shop;

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "INFO"))]
struct User {
    user: String,
    name: Option<String>,
}

#[derive(DynamoEntity)]
#[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number:08}"))]
#[dynamo(gsi(by_status, on = gsi1, pk = "STATUS#{status}", sk = "{number}", shards = 4, when(paid = true)))]
#[dynamo(rename_all = "camelCase")]
struct Order {
    user: String,
    number: u32,
    status: String,
    paid: bool,
    #[dynamo(default)]
    line_count: u64,
    #[dynamo(version)]
    version: Version,
}

fn schemas() -> [TableSchema; 1] {
    [Shop::schema()]
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("dynamo.lock")
    }

    /// A file with this text, and what comparing it says.
    fn refusal(&self, text: &str) -> String {
        fs::write(self.file(), text).unwrap();
        let error = lock::compare(self.file(), schemas()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let message = error.to_string();
        assert!(message.contains("dynamo.lock"), "{message}");
        message
    }
}

/// One fact a line, to be read in a review. Whoever changes this text raises the number of the format, unless it only says
/// what no version before could say.
#[test]
fn the_text_is_one_fact_a_line() {
    let expected = "\
dynamo-entity lock file, format 2
# What is stored, as of the last review of it. It is compared with the declarations by `lock::check` in a test.
# `DYNAMO_LOCK=write cargo test` writes it; commit it with the code, and let nobody else write it.

table shop
  entity Order
  entity User
  pk pk S
  sk sk S
  type _type
  keys escaped
  global gsi1
    pk gsi1pk S
    sk gsi1sk S
    holds all
  sum SUM

entity Order of shop
  pk pk S \"USER#{user}\"
    part user variable
  sk sk S \"ORDER#{number:08}\"
    part number fixed:8 format 08
  attribute lineCount N optional \"u64\" default \"Default::default()\" called line_count
  attribute number N optional \"u32\"
  attribute paid BOOL required \"bool\"
  attribute status S required \"String\"
  attribute user S optional \"String\"
  attribute version N optional \"u64\" role version
  pattern by_status in gsi1
    pk gsi1pk S \"STATUS#{status}\"
      part status variable text
      shards 4
    sk gsi1sk S \"{number}\"
      part number fixed:10
    read_shards 4
    when paid
      value \"true\"
  sum SUM

entity User of shop
  pk pk S \"USER#{user}\"
    part user variable
  sk sk S \"INFO\"
  attribute name S optional \"String\"
  attribute user S optional \"String\"
  sum SUM

end
";
    let text = lock::text(schemas()).unwrap();
    let without_sums = text.lines().map(|line| match line.starts_with("  sum ") {
        true => "  sum SUM\n".to_owned(),
        false => format!("{line}\n"),
    });
    assert_eq!(without_sums.collect::<String>(), expected);
}

#[test]
fn a_missing_file_says_how_to_write_it() {
    let folder = Folder::new();
    let error = lock::compare(folder.file(), schemas()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("does not exist"), "{message}");
    assert!(
        message.contains("`DYNAMO_LOCK=write cargo test` writes it"),
        "{message}"
    );
}

#[test]
fn a_file_is_written_once() {
    let folder = Folder::new();
    assert!(lock::write(folder.file(), schemas()).unwrap());
    assert!(!lock::write(folder.file(), schemas()).unwrap());
    assert!(lock::compare(folder.file(), schemas()).unwrap().is_same());
    assert_eq!(
        fs::read_to_string(folder.file()).unwrap(),
        lock::text(schemas()).unwrap()
    );
    // A checkout of Windows is neither a change nor a reason to write.
    let windows = lock::text(schemas()).unwrap().replace('\n', "\r\n");
    fs::write(folder.file(), &windows).unwrap();
    assert!(lock::compare(folder.file(), schemas()).unwrap().is_same());
    assert!(!lock::write(folder.file(), schemas()).unwrap());
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), windows);
    let entries = fs::read_dir(folder.0.path()).unwrap().count();
    assert_eq!(entries, 1, "nothing else stays in the folder");
}

#[test]
fn a_newer_format_is_refused_and_kept() {
    let folder = Folder::new();
    let newer = lock::text(schemas())
        .unwrap()
        .replace("format 2", "format 3");
    let message = folder.refusal(&newer);
    assert!(
        message.contains("format 3") && message.contains("Update dynamo-entity"),
        "{message}"
    );
    let error = lock::write(folder.file(), schemas())
        .unwrap_err()
        .to_string();
    assert!(error.contains("format 3"), "{error}");
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), newer);
}

/// The first format had no types of values, so there is nothing to compare with; whoever updates has to be told what to do.
#[test]
fn the_first_format_is_told_and_replaced() {
    let folder = Folder::new();
    let older = lock::text(schemas())
        .unwrap()
        .replace("format 2", "format 1");
    let message = folder.refusal(&older);
    for words in [
        "it has format 1, of an earlier version",
        "the test passes with the version that wrote the file",
        "`DYNAMO_LOCK=write cargo test`",
    ] {
        assert!(message.contains(words), "{message}");
    }
    assert!(lock::write(folder.file(), schemas()).unwrap());
    assert!(lock::compare(folder.file(), schemas()).unwrap().is_same());
}

#[derive(DynamoEntity)]
#[dynamo(table = "odd", key(pk = id))]
#[dynamo(gsi(open, pk = "A#=", sk = "{id}", when(state = "a, b\n# = \"c\"")))]
struct Odd {
    id: u32,
    #[dynamo(rename = "#state = \n\"\\", default = "a, #b = \"\n\"".to_owned())]
    state: String,
    #[dynamo(rename = "a,b")]
    one: Odds,
    #[dynamo(rename = "called")]
    two: u8,
}

#[derive(DynamoValue)]
enum Odds {
    #[dynamo(rename = " called x")]
    One,
    #[dynamo(rename = "# \"=\n")]
    Two,
}

/// Names, defaults and conditions may hold whatever the file itself is written with.
#[test]
fn odd_names_are_read_back() {
    let folder = Folder::new();
    assert!(lock::write(folder.file(), [Odd::schema()]).unwrap());
    let found = lock::compare(folder.file(), [Odd::schema()]).unwrap();
    assert!(
        found.is_same(),
        "{found}\n{}",
        lock::text([Odd::schema()]).unwrap()
    );
}

#[test]
fn marks_of_a_merge_are_told() {
    let folder = Folder::new();
    let text = lock::text(schemas()).unwrap();
    let marked = text.replace(
        "  attribute paid",
        "<<<<<<< ours\n  attribute paid BOOL optional \"bool\"\n=======\n>>>>>>> theirs\n  attribute paid",
    );
    let message = folder.refusal(&marked);
    assert!(message.contains("a merge is not finished"), "{message}");
    assert!(message.contains("git checkout --ours"), "{message}");
    // The merged code is what counts: the file is written for it.
    assert!(lock::write(folder.file(), schemas()).unwrap());
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), text);
}

#[test]
fn a_wrong_merge_is_told() {
    let folder = Folder::new();
    let text = lock::text(schemas()).unwrap();
    for (from, to, expected) in [
        (
            "BOOL required",
            "BOOL optional",
            "the lines of `entity Order of shop` do not give the sum",
        ),
        (
            "  attribute paid BOOL required \"bool\"\n",
            "",
            "do not give the sum",
        ),
        (
            "  entity User\n",
            "",
            "no block `table shop` lists this entity",
        ),
        (
            "  entity User\n",
            "  entity Tag\n  entity User\n",
            "the block `entity Tag of shop` is missing",
        ),
        (
            "  entity User\n",
            "  entity User\n  entity User\n",
            "or one occurs twice",
        ),
        ("\nend\n", "\n", "the file is truncated"),
        ("\nend\n", "\nend\ntable a\n", "there is text after `end`"),
        (
            "dynamo-entity lock file, format 2",
            "# nothing",
            "it is not `dynamo-entity lock file, format 2`",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let message = folder.refusal(&changed);
        assert!(message.contains(expected), "{message}");
        assert!(
            message.contains("edited by hand or merged wrongly"),
            "{message}"
        );
    }
    let block = text.find("entity User of shop").unwrap();
    let twice = text.replace("\nend\n", &format!("\n{}", &text[block..]));
    let message = folder.refusal(&twice);
    assert!(
        message.contains("`entity User of shop` occurs twice"),
        "{message}"
    );
}

#[test]
fn tables_are_given_once() {
    let folder = Folder::new();
    let error = lock::write(folder.file(), [Shop::schema(), Shop::schema()]).unwrap_err();
    assert!(
        error.to_string().contains("give each table once"),
        "{error}"
    );
    assert!(!folder.file().exists());
}

/// Run by the test below, in a process with other variables.
#[test]
fn checked_in_a_process_of_its_own() {
    let Some(path) = env::var_os("LOCK_FILE_OF_TEST") else {
        return;
    };
    let mut changed = Shop::schema();
    changed.ttl = Some("until".to_owned());
    changed.entities[0].append_only = true;
    lock::check(path, [changed]);
}

/// What the check does with this value of the variable: whether it succeeds, and what it says.
fn checked(folder: &Folder, variable: Option<&str>) -> (bool, String) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "files::checked_in_a_process_of_its_own"]);
    command
        .env("LOCK_FILE_OF_TEST", folder.file())
        .env_remove("DYNAMO_LOCK");
    command.envs(variable.map(|value| ("DYNAMO_LOCK", value)));
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn the_check_is_an_assertion_with_all_changes() {
    let folder = Folder::new();
    let (succeeded, said) = checked(&folder, None);
    assert!(!succeeded && said.contains("does not exist"), "{said}");

    lock::write(folder.file(), schemas()).unwrap();
    let (succeeded, said) = checked(&folder, Some(""));
    assert!(!succeeded, "{said}");
    for words in [
        "tests/lock/files.rs", // the place of the call
        "2 changes",
        "table shop: free",
        "User (table shop): free",
        "`DYNAMO_LOCK=write cargo test` writes the file",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(
        fs::read_to_string(folder.file()).unwrap(),
        lock::text(schemas()).unwrap()
    );

    let (succeeded, said) = checked(&folder, Some("wirte"));
    assert!(
        !succeeded && said.contains("the only value is `write`"),
        "{said}"
    );
}

#[test]
fn the_check_writes_when_it_is_told_to() {
    let folder = Folder::new();
    lock::write(folder.file(), schemas()).unwrap();
    let (succeeded, said) = checked(&folder, Some("write"));
    // Though the test succeeds, it says what it did.
    assert!(
        succeeded && said.contains("wrote the lock file") && said.contains("expire by `until`"),
        "{said}"
    );
    let (succeeded, said) = checked(&folder, None);
    assert!(succeeded && !said.contains("wrote"), "{said}");
    let (succeeded, said) = checked(&folder, Some("write"));
    assert!(succeeded && !said.contains("wrote"), "{said}");

    fs::remove_file(folder.file()).unwrap();
    let (succeeded, said) = checked(&folder, Some("write"));
    assert!(succeeded && said.contains("it is new: commit it"), "{said}");
    assert!(checked(&folder, None).0);

    fs::write(folder.file(), "dynamo-entity lock file, format 7\n").unwrap();
    let (succeeded, said) = checked(&folder, Some("write"));
    assert!(
        !succeeded && said.contains("Update dynamo-entity"),
        "{said}"
    );
}

/// Tests run in the folder of their package or in another one; the file is found all the same.
#[test]
fn a_relative_path_begins_in_the_folder_of_the_package() {
    let found = lock::compare("examples/blog.lock", []).unwrap();
    assert!(
        found
            .changes()
            .iter()
            .all(|change| change.table() == "blog"),
        "{found}"
    );
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([
        "--exact",
        "files::a_relative_path_begins_in_the_folder_of_the_package",
    ]);
    if env::var_os("OTHER_FOLDER").is_none() {
        let output = command
            .env("OTHER_FOLDER", "1")
            .current_dir(env::temp_dir())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn changes_are_sorted_by_their_class() {
    let folder = Folder::new();
    lock::write(folder.file(), schemas()).unwrap();
    let mut changed = Shop::schema();
    changed.pk.name = "key".to_owned();
    changed.stream = None;
    changed.ttl = Some("until".to_owned());
    let found = lock::compare(folder.file(), [changed]).unwrap();
    let classes: Vec<ChangeClass> = found
        .changes()
        .iter()
        .map(|change| change.class())
        .collect();
    assert!(classes.is_sorted_by(|one, next| one >= next), "{found}");
    assert_eq!(found.class(), Some(ChangeClass::NeedsMove));
    assert!(
        ChangeClass::Free < ChangeClass::FillFirst
            && ChangeClass::BreaksRunning < ChangeClass::NeedsMove
    );
}
