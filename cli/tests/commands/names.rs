//! Names as DynamoDB allows them, in commands and in shells.

use std::process::Command;

use dynamo_entity::schema::TableSchema;
use dynamo_entity_cli::App;

use crate::place::{Outcome, Place, said};

/// Tables whose names are the beginning of each other, and have what a name may have.
const TABLES: [&str; 4] = ["dots", "dots.v1", "-dash", "dots.v1.x-y_z"];

/// One letter of each kind that a name of an index may have, in all places.
const INDEXES: [&str; 10] = [
    "plain", "a.b", "...", ".at", "at.", "-ab", "--yes", "-.-", "v1.by", "x-y_z.i",
];

fn table(name: &str, indexes: &[&str]) -> TableSchema {
    let indexes: Vec<String> = indexes
        .iter()
        .enumerate()
        .map(|(at, index)| {
            format!(
                r#"{{"name":"{index}","pk":[{{"name":"a{at}","type":"S"}}],"projection":"all"}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"format":1,"name":"{name}","pk":{{"name":"pk","type":"S"}},"keys":"escaped","global_indexes":[{}],"settings":{{}}}}"#,
        indexes.join(",")
    );
    TableSchema::from_json(&text).expect("a schema")
}

/// The same tables without their indexes.
pub fn app() -> App {
    App::new(TABLES.map(|name| table(name, &[])))
}

/// `apply` takes the words that a plan prints, by way of a shell.
pub fn every_name_of_an_index_is_taken_as_it_is_printed(place: &Place) -> Outcome {
    place.typed(async |db| {
        db.create_tables(TABLES.map(|name| table(name, &INDEXES)))
            .await
    })?;
    let plan = place.run("names", &["plan"])?;
    let printed = plan.out.lines();
    let printed: Vec<&str> = printed
        .filter_map(|line| line.trim().strip_prefix("only if it is named: "))
        .collect();
    assert_eq!(printed.len(), TABLES.len() * INDEXES.len(), "{plan:?}");
    let json = place.run("names", &["plan", "--json"])?.rows()?;
    let steps = json[0]["tables"].as_array().ok_or("a list")?.iter();
    let steps = steps.flat_map(|table| table["steps"].as_array().into_iter().flatten());
    let deletes: Vec<_> = steps.map(|step| step["deletes"].clone()).collect();
    let dotted = serde_json::json!({"what": "index", "table": "dots", "index": "a.b"});
    assert!(deletes.contains(&dotted), "{deletes:?}");
    // One at a time first, so that a name that means another one is seen.
    for option in printed.iter().take(12) {
        let before = place.run("names", &["plan"])?.out.lines().count();
        let applied = by_shell(place, &format!("apply --yes --keep-rest {option}"))?;
        assert_eq!(applied.code, 0, "{option}: {applied:?}");
        let left = place.run("names", &["plan"])?.out;
        assert!(left.lines().count() < before, "{option}: {left}");
        assert!(!left.lines().any(|line| line.ends_with(option)), "{option}");
    }
    let applied = by_shell(place, &format!("apply --yes {}", printed.join(" ")))?;
    assert_eq!(applied.code, 0, "{applied:?}");
    assert_eq!(place.run("names", &["plan"])?.code, 0);
    Ok(())
}

/// Runs a command as a person does who copies it.
fn by_shell(place: &Place, arguments: &str) -> Outcome<crate::place::Said> {
    let program = std::env::current_exe()?;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!(
        "\"$0\" --url \"$1\" --prefix \"$2\" {arguments} </dev/null"
    ));
    shell
        .arg(program)
        .args([&place.url, &place.prefix])
        .env(crate::PROGRAM, "names")
        .env_remove("DYNAMO_URL");
    said(shell.output()?)
}

/// `dots.v1.by` may be index `v1.by` of one table and `by` of another.
pub fn a_name_that_means_two_indexes_is_refused(place: &Place) -> Outcome {
    let apply = |name: &'static str| ["apply", "--yes", "--allow-delete-index", name];
    place.refused("names", &apply("dots.v1.by"), &["write TABLE/INDEX"])?;
    place.refused("names", &apply("dots/"), &["write TABLE.INDEX"])?;
    place.refused("names", &apply("other/by"), &["write TABLE.INDEX"])?;
    for name in ["dots.by", "dots/v1.by", "dots.v1/by", "-dash.by"] {
        let said = place.run("names", &apply(name))?;
        assert!(!said.notes.contains("write TABLE"), "{name}: {said:?}");
    }
    Ok(())
}

/// An index whose key attribute has another type cannot be beside the old one, which is said before anybody is asked.
pub fn an_index_that_has_to_go_first_is_named(place: &Place) -> Outcome {
    let mut before = table("typed", &["one"]);
    before.global_indexes[0].pk[0].ty = dynamo_entity::schema::KeyType::N;
    place.typed(async |db| db.create_tables([before]).await)?;
    let plan = place.run("typed", &["plan"])?;
    let order: Vec<_> = plan
        .out
        .lines()
        .filter(|line| line.starts_with("  + ") || line.starts_with("  - "))
        .collect();
    assert_eq!(order, ["  - remove index `one`", "  + add index `two`"]);
    let words = ["nothing was changed", "--allow-delete-index typed.one"];
    place.refused("typed", &["apply", "--keep-rest"], &words)?;
    place.refused("typed", &["apply", "--yes"], &words)?;
    place.done(
        "typed",
        &["apply", "--yes", "--allow-delete-index", "typed.one"],
    )?;
    assert_eq!(place.run("typed", &["plan"])?.code, 0);
    Ok(())
}

/// A table whose index has an attribute of another type than the one that is there.
pub fn typed() -> App {
    App::new([table("typed", &["two"])])
}

/// The name of this program has a dash.
pub fn bash_completes_programs_with_dashes(place: &Place) -> Outcome {
    let program = std::env::current_exe()?;
    let name = program.file_name().and_then(|name| name.to_str());
    let name = name.ok_or("a name")?;
    assert!(name.contains('-'), "{name}");
    let script = place.done("shop", &["completions", "bash"])?.out;
    let script = place.file("completions.bash", &script)?;
    let complete = |words: &[&str]| -> Outcome<Vec<String>> {
        let mut bash = Command::new("bash");
        // Bash complains of a language that is not installed.
        bash.args(["--norc", "-c", COMPLETE, "bash", &script, name])
            .args(words)
            .env("LC_ALL", "C");
        let said = said(bash.output()?)?;
        assert_eq!((said.code, said.notes.as_str()), (0, ""), "{said:?}");
        Ok(said.out.split_whitespace().map(str::to_owned).collect())
    };
    for (words, wanted) in [
        (&["pl"][..], "plan"),
        (&["query", "Order.by"], "Order.by_status"),
        (&["query", "Acc"], "Account"),
        (&["query", "Order.by_status", "--pl"], "--placed-at"),
        (&["explain", "get", "Us"], "User"),
        (&["apply", "--allow-delete-i"], "--allow-delete-index"),
    ] {
        assert_eq!(complete(words)?, [wanted], "{words:?}");
    }
    Ok(())
}

/// Asks bash what it would write for the last word.
const COMPLETE: &str = r#"
source "$1"; shift
function=$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;
