//! The exports of all examples, as they are committed.
//!
//! `GOLDEN=overwrite cargo test --test examples exports` writes `tests/golden/exports/*` anew.

use std::path::Path;

use dynamo_entity::DynamoTable;
use dynamo_entity::export::{
    CloudFormation, ExportFormat, Markdown, Mermaid, Terraform, Workbench,
};
use dynamo_entity::schema::TableSchema;

use crate::schemas::all;
use crate::support::suite::Outcome;

/// Compares a text with the one that is committed.
pub fn check(file: &str, text: &str) -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/exports");
    let file = folder.join(file);
    if std::env::var_os("GOLDEN").is_some_and(|what| what == "overwrite") {
        std::fs::create_dir_all(file.parent().unwrap_or(&folder))?;
        std::fs::write(&file, text)?;
    }
    assert_eq!(std::fs::read_to_string(&file)?, text, "{file:?}");
    Ok(())
}

#[test]
fn exports_are_written_as_they_were() -> Outcome {
    check(
        "tables.template.json",
        &CloudFormation::new(all()?).prefix("shop").template()?,
    )?;
    check(
        "tables.tf.json",
        &Terraform::new(all()?).prefix("shop").configuration()?,
    )?;
    let standalone = Terraform::new(all()?).standalone_indexes().disposable();
    check("standalone.tf.json", &standalone.configuration()?)?;
    let model = Workbench::new(all()?)
        .name("Examples")
        .author("Tests")
        .description("All of them.");
    check("tables.workbench.json", &model.model()?)?;
    check("tables.mmd", &Mermaid::new(all()?).diagram())?;
    check("tables.md", &Markdown::new(all()?).prefix("shop").text())
}

/// A schema that was read from JSON says as much as the declaration.
#[test]
fn schemas_from_json_do_as_well() -> Outcome {
    for schema in all()? {
        let read = TableSchema::from_json(&schema.to_json())?;
        // The samples of a page need the code of the entities.
        let others = ExportFormat::ALL.into_iter();
        for format in others.filter(|format| *format != ExportFormat::Html) {
            let texts = [&schema, &read].map(|schema| format.write([schema.clone()], "p"));
            let [declared, read] = texts;
            assert_eq!(declared?, read?, "{format} of {}", schema.name);
        }
    }
    Ok(())
}

#[test]
fn formats_have_names() {
    for format in ExportFormat::ALL {
        assert_eq!(
            format.to_string().parse::<ExportFormat>().ok(),
            Some(format)
        );
    }
    let refused = "yaml".parse::<ExportFormat>().unwrap_err().to_string();
    assert!(
        refused.contains("cloudformation, terraform, workbench, iam, markdown, html, mermaid"),
        "{refused}"
    );
}

/// Every line of a table of Markdown has as many cells as its head, whatever was declared.
#[test]
fn tables_of_markdown_are_whole() -> Outcome {
    let mut schema = crate::orders::Order::schema();
    let order = schema.entities.first_mut().expect("an order");
    order.doc = "Bars | and\nlines".into();
    let field = order.fields.first_mut().expect("a field");
    field.doc = "either | or\n\nor `both`".into();
    field.rust_type = "Option<fn() -> A | B>".into();
    let mut schemas = all()?;
    schemas.push(schema);
    let text = Markdown::new(schemas).text();
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        if let [above, line] = pair
            && above.starts_with('|')
            && line.starts_with('|')
        {
            assert_eq!(cells(above), cells(line), "{above}\n{line}");
        }
    }
    assert!(text.contains("either \\| or or `both`"), "{text}");
    Ok(())
}
