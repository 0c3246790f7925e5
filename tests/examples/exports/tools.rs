//! The tools of others, which scripts install: `CFN_LINT` is the command cfn-lint, `DUCKDB_PYTHON` a Python with DuckDB, `MOTO_URL` the address of a server of moto,
//! `POLICY_JUDGE` the program of `tests/judge`. A test that lacks one says so.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use dynamo_entity::{Item, Number, Value};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::suite::Outcome;

/// The command that has the tests in Python look.
pub const PYTHON_TOOLS: &str = "scripts/python-tools cargo test --test examples exports";

/// The value of a variable that this command sets; without it, the test is skipped.
pub fn tool(variable: &str, test: &str, script: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    if found.is_none() {
        eprintln!("SKIPPED {test}: {variable} is not set, run {script}");
    }
    found
}

/// Has cfn-lint look at all templates of a folder.
pub fn lint(cfn_lint: &str, folder: &Path) -> Outcome {
    let templates: Result<Vec<_>, _> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let output = Command::new(cfn_lint)
        .arg("--template")
        .args(templates?)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Has moto create a stack.
pub async fn create_stack(url: &str, name: &str, template: &str) -> Outcome {
    let host = url.trim_start_matches("http://");
    let body = format!(
        "Action=CreateStack&Version=2010-05-15&StackName={name}&TemplateBody={}",
        encoded(template)
    );
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/cloudformation/aws4_request, \
         SignedHeaders=host, Signature=0\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    assert!(answer.contains("<StackId>"), "{answer}");
    Ok(())
}

/// A text as the value of a form.
fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// An item as DynamoDB JSON.
pub fn tagged_item(item: &Item) -> Json {
    let members = item.iter();
    Json::Object(
        members
            .map(|(name, value)| (name.to_owned(), tagged(value)))
            .collect(),
    )
}

/// A value as DynamoDB JSON.
pub fn tagged(value: &Value) -> Json {
    let texts = |numbers: &BTreeSet<Number>| {
        let texts = numbers.iter().map(ToString::to_string);
        texts.collect::<Vec<String>>()
    };
    match value {
        Value::S(text) => json!({"S": text}),
        Value::N(number) => json!({"N": number.to_string()}),
        Value::Bool(value) => json!({"BOOL": value}),
        Value::Null => json!({"NULL": true}),
        Value::L(list) => json!({"L": list.iter().map(tagged).collect::<Vec<_>>()}),
        Value::M(item) => json!({"M": tagged_item(item)}),
        Value::Ss(set) => json!({"SS": set}),
        Value::Ns(set) => json!({"NS": texts(set)}),
        other => panic!("no example has {other:?}"),
    }
}
