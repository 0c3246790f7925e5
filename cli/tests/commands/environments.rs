//! Settings and demands by environment.

use dynamo_entity::prelude::*;
use dynamo_entity::schema::{Safeguard, TableSchema};
use dynamo_entity_cli::App;

use crate::place::{Outcome, Place};

#[derive(DynamoEntity)]
#[dynamo(table = "cities", key(pk = env))]
#[allow(dead_code)]
struct City {
    env: String,
}

#[derive(DynamoEntity)]
#[dynamo(table = "streets", key(pk = city, sk = env))]
#[allow(dead_code)]
struct Street {
    city: String,
    env: String,
}

fn production(table: TableSchema) -> TableSchema {
    let table = match table.name.as_str() {
        "cities" => table,
        _ => table.deletion_protection(true),
    };
    table
        .on_demand_maximum(400, 100)
        .demand(&[Safeguard::DeletionProtection, Safeguard::SpendCap])
}

pub fn app() -> App {
    App::new([City::schema(), Street::schema()])
        .environment("production", production)
        .environment("test", |table| table.tag("env", "test"))
        .environment("moved", |mut table| {
            table.name.push_str("-moved");
            table
        })
}

pub fn twice() -> App {
    app().environment("test", production)
}

pub fn an_environment_sets_and_demands(place: &Place) -> Outcome {
    let program = "environments";
    place.refused(
        program,
        &["--env", "moved", "lint"],
        &["the environment `moved` changes more of table `cities` than its settings"],
    )?;
    // Without an environment, nothing is demanded.
    let none = place.done(program, &["lint"])?;
    assert_eq!(none.notes, "no lints\n");
    assert!(
        place
            .done(program, &["--env", "test", "lint"])?
            .out
            .is_empty()
    );
    let lints = place.run(program, &["lint", "--env", "production", "--json"])?;
    assert_eq!(lints.code, 2, "{lints:?}");
    let lines = lints.rows()?;
    let found: Vec<_> = lines
        .iter()
        .map(|line| (&line["place"], &line["rule"]))
        .collect();
    assert_eq!(
        format!("{found:?}"),
        r#"[(String("City"), String("unprotected_table"))]"#
    );
    let export = ["--env", "production", "export", "cloudformation"];
    let template = place.done(program, &export)?.out;
    assert_eq!(
        template.matches("MaxReadRequestUnits").count(),
        2,
        "{template}"
    );
    assert_eq!(
        template.matches("DeletionProtectionEnabled").count(),
        1,
        "{template}"
    );
    let plain = place.done(program, &["export", "cloudformation"])?.out;
    assert!(!plain.contains("MaxReadRequestUnits"), "{plain}");
    // Documents show the settings that apply there, and no others.
    for format in ["markdown", "html"] {
        let limit = "at most 400 read and 100 write units";
        let shown = place
            .done(program, &["--env", "production", "export", format])?
            .out;
        assert_eq!(shown.matches(limit).count(), 2, "{format}: {shown}");
        assert_eq!(
            shown.matches("protected from deletion").count(),
            1,
            "{format}: {shown}"
        );
        let plain = place.done(program, &["export", format])?.out;
        assert!(!plain.contains(limit), "{format}: {plain}");
    }
    place.done(program, &["apply", "--yes"])?;
    assert_eq!(place.run(program, &["plan"])?.code, 0);
    let plan = place.run(program, &["plan", "--env", "production"])?;
    assert_eq!(plan.code, 2, "{plan:?}");
    let limit = "limit requests to 400 read units and 100 write units per second";
    let protect = "protect the table from being deleted";
    assert_eq!(plan.out.matches(limit).count(), 2, "{plan:?}");
    assert_eq!(plan.out.matches(protect).count(), 1, "{plan:?}");
    place.done(program, &["--env", "production", "apply", "--yes"])?;
    assert_eq!(
        place.run(program, &["plan", "--env", "production"])?.code,
        0
    );
    // A command without it takes nothing back.
    assert_eq!(place.run(program, &["plan"])?.code, 0);
    Ok(())
}

pub fn unknown_environments_are_refused(place: &Place) -> Outcome {
    let words = ["invalid value 'prod'", "production, test"];
    place.refused("environments", &["plan", "--env", "prod"], &words)?;
    place.refused("twice", &["lint"], &["two environments `test`"])?;
    // A program without environments has no such option.
    place.refused(
        "shop",
        &["plan", "--env", "test"],
        &["unexpected argument '--env'"],
    )?;
    let help = place
        .done("environments", &["query", "Street", "--help"])?
        .out;
    assert!(
        help.contains("--env <ENVIRONMENT>") && help.contains("--env-part"),
        "{help}"
    );
    Ok(())
}
