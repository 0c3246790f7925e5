//! Asks the policy evaluator of `tests/judge`, a crate of others with its own dependencies. `scripts/policy-judge` builds it and
//! names it in `POLICY_JUDGE`; nothing is downloaded by a test.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use super::tools::tool;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// Whether a policy allows an action.
pub struct Question {
    pub policy: Json,
    /// The action of DynamoDB, or that of another service with its name.
    pub action: String,
    pub resource: String,
    /// The values of the partition keys that are asked for, by the condition key that has them.
    pub keys: Vec<(&'static str, Vec<String>)>,
    /// What the answer has to be.
    pub is_allowed: bool,
}

impl Question {
    fn json(&self) -> Json {
        let keys = self.keys.iter().filter(|(_, values)| !values.is_empty());
        let context: serde_json::Map<String, Json> = keys
            .map(|(key, values)| (format!("dynamodb:{key}"), json!(values)))
            .collect();
        let action = match self.action.contains(':') {
            true => self.action.clone(),
            false => format!("dynamodb:{}", self.action),
        };
        json!({
            "policy": self.policy,
            "request": {
                "Principal": {"AWS": "arn:aws:iam::111122223333:role/service"},
                "Action": action,
                "Resource": self.resource,
                "Context": context,
            },
        })
    }
}

/// Has all questions of a test answered, and compares the answers with what they have to be.
pub fn ask(test: &str, questions: &[Question]) -> Done<()> {
    assert!(!questions.is_empty());
    let script = "scripts/policy-judge cargo test --test examples exports::policies";
    let Some(judge) = tool("POLICY_JUDGE", test, script) else {
        return Ok(());
    };
    let mut judge = Command::new(judge)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let asked = Json::Array(questions.iter().map(Question::json).collect());
    let mut input = judge.stdin.take().ok_or("no input")?;
    let writing = std::thread::spawn(move || input.write_all(asked.to_string().as_bytes()));
    let output = judge.wait_with_output()?;
    writing.join().map_err(|_| "a panic")??;
    assert!(output.status.success(), "the judge failed");
    let answers = String::from_utf8(output.stdout)?;
    assert_eq!(answers.lines().count(), questions.len());
    for (question, answer) in questions.iter().zip(answers.lines()) {
        let wanted = if question.is_allowed {
            "allowed"
        } else {
            "denied"
        };
        let Question {
            action,
            resource,
            keys,
            ..
        } = question;
        assert_eq!(
            answer, wanted,
            "{action} of {resource} {keys:?} by {:#}",
            question.policy
        );
    }
    Ok(())
}
