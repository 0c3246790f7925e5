//! Vector indexes in exports: in those that know them, and by name in those that do not.

use dynamo_entity::ErrorKind;
use dynamo_entity::export::{
    Athena, CloudFormation, DuckDb, Html, Markdown, Mermaid, Policy, Terraform, Workbench,
};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{DistanceFunction, TableSchema};
use serde_json::{Value as Json, json};

use crate::help_search::HelpText;
use crate::support::suite::Outcome;

fn properties(template: &str) -> Result<Json, serde_json::Error> {
    let template: Json = serde_json::from_str(template)?;
    Ok(template["Resources"]["HelpTextTable"]["Properties"].clone())
}

#[test]
fn every_export_tells_of_the_index() -> Outcome {
    let schema = HelpText::schema;
    let made = properties(&CloudFormation::new([schema()]).template()?)?;
    let index = json!([{
        "IndexName": "similar",
        "VectorAttribute": {"AttributeName": "embedding"},
        "Dimensions": 384,
        "DistanceFunction": "COSINE",
        "SearchSchema": [
            {"AttributeName": "shop", "SearchSchemaElementType": "HASH"},
            {"AttributeName": "topic", "SearchSchemaElementType": "INLINE_FILTER"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }]);
    assert_eq!(made["VectorIndexes"], index);
    let types = json!([
        {"AttributeName": "id", "AttributeType": "N"},
        {"AttributeName": "shop", "AttributeType": "S"},
        {"AttributeName": "topic", "AttributeType": "S"},
    ]);
    assert_eq!(made["AttributeDefinitions"], types);

    let terraform: Json = serde_json::from_str(&Terraform::new([schema()]).configuration()?)?;
    let table = &terraform["resource"]["aws_dynamodb_table"]["help-text"];
    let remark = table["//"].as_str().unwrap_or_default();
    assert!(remark.contains("db.plan(..) adds them: similar"), "{table}");
    assert_eq!(table["attribute"], json!([{"name": "id", "type": "N"}]));

    let workbench = Workbench::new([schema()]).model()?;
    assert!(
        workbench.contains("Indexes that models cannot show: `similar` of `help-text`."),
        "{workbench}"
    );
    let markdown = Markdown::new([schema()]).text();
    let expected = [
        "| `similar` | vector: `embedding` of 384 numbers by cosine | `shop` | `topic` | all attributes |",
        "| `HelpText::similar(vector, count).within(shop)` | vector index `similar` | `shop` | `topic` | the nearest |",
    ];
    for line in expected {
        assert!(markdown.contains(line), "{markdown}");
    }
    let page = Html::new([schema()]).document()?;
    for text in [
        "HelpText::similar(vector, count).within(shop)",
        "vectors of 384 numbers by cosine",
        "filters: topic",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // These are about items, in which a vector is a list of numbers.
    let mermaid = Mermaid::new([schema()]).diagram();
    assert!(mermaid.contains("embedding"), "{mermaid}");
    let athena = Athena::new([schema()])
        .location("help-text", "s3://bucket/a/AWSDynamoDB/1/data/")
        .statements()?
        .join("\n");
    assert!(athena.contains("embedding"), "{athena}");
    let duck = DuckDb::new([schema()])
        .files("help-text", "a/*.gz")
        .script()?;
    assert!(duck.contains("embedding"), "{duck}");
    Ok(())
}

#[test]
fn policies_allow_searches_of_the_index() -> Outcome {
    let policy = Policy::new([HelpText::schema()]).allow_pattern("HelpText.similar");
    let policy: Json = serde_json::from_str(
        &policy
            .region("eu-west-1")
            .account("111122223333")
            .document()?,
    )?;
    let statement = &policy["Statement"][0];
    assert_eq!(statement["Action"], json!(["dynamodb:SearchVectors"]));
    let resource = "arn:aws:dynamodb:eu-west-1:111122223333:table/help-text/index/similar";
    assert_eq!(statement["Resource"], json!([resource]));
    // The service ignores conditions about partitions in searches, so such a policy would promise too much.
    let limited = Policy::new([HelpText::schema()])
        .with_value("shop", "lamps")
        .allow_pattern("HelpText.similar");
    let refused = limited.document().unwrap_err();
    assert!(
        refused.to_string().contains("the search `similar`"),
        "{refused}"
    );
    Ok(())
}

/// The table without its index, or with others.
fn with_indexes(names: &[&str]) -> TableSchema {
    let mut schema = HelpText::schema();
    let index = schema.vector_indexes[0].clone();
    let index = |name: &&str| {
        let mut index = index.clone();
        index.name = (*name).to_owned();
        index
    };
    schema.vector_indexes = names.iter().map(index).collect();
    schema
}

fn index_names(template: &str) -> Result<Vec<String>, serde_json::Error> {
    let made = properties(template)?;
    let indexes = made["VectorIndexes"].as_array().into_iter().flatten();
    Ok(indexes
        .map(|index| index["IndexName"].as_str().unwrap_or_default().to_owned())
        .collect())
}

/// DynamoDB adds or removes one vector index at a time, and so does each template.
#[test]
fn numbered_templates_change_one_index_each() -> Outcome {
    let after = CloudFormation::new([with_indexes(&["kept", "new", "newer"])]);
    let steps = after.since([with_indexes(&["old", "kept", "older"])])?;
    let told: Vec<String> = steps.iter().map(|step| step.changes.join(", ")).collect();
    let expected = [
        "create vector index `new` of table `help-text`",
        "create vector index `newer` of table `help-text`",
        "delete vector index `old` of table `help-text`",
        "delete vector index `older` of table `help-text`",
    ];
    assert_eq!(told, expected);
    let names = steps
        .iter()
        .map(|step| index_names(&step.text))
        .collect::<Result<Vec<_>, _>>()?;
    let counts: Vec<usize> = names.iter().map(Vec::len).collect();
    assert_eq!(counts, [4, 5, 4, 3]);
    assert_eq!(steps[3].text, after.template()?);
    // Another order is no change.
    let same = CloudFormation::new([with_indexes(&["bbb", "aaa"])])
        .since([with_indexes(&["aaa", "bbb"])])?;
    assert!(same.is_empty());
    // A changed index needs another name, and six of them are too many.
    let mut other = with_indexes(&["kept"]);
    other.vector_indexes[0].distance = DistanceFunction::Euclidean;
    let refused = CloudFormation::new([other])
        .since([with_indexes(&["kept"])])
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SchemaMismatch);
    let text = refused.to_string();
    let expected = "by cosine, declared: vectors of 384 numbers in `embedding` by euclidean";
    assert!(text.contains(expected), "{text}");
    let many = CloudFormation::new([with_indexes(&["aaa", "bbb", "ccc"])])
        .since([with_indexes(&["xxx", "yyy", "zzz"])]);
    let refused = many.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("old and new indexes exist together"),
        "{refused}"
    );
    Ok(())
}
