//! Reads a list of policies with requests from the standard input, and says of each in a line whether it is allowed:
//!
//! ```text
//! [{"policy": {"Version": .., "Statement": [..]},
//!   "request": {"Principal": .., "Action": "dynamodb:Query", "Resource": "arn:..", "Context": {..}}}]
//! ```

use std::error::Error;

use iam_rs::{Decision, IAMPolicy, IAMRequest, evaluate_policy};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let questions: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    for mut question in questions {
        let policy: IAMPolicy = serde_json::from_value(question["policy"].take())?;
        let request: IAMRequest = serde_json::from_value(question["request"].take())?;
        let decision = evaluate_policy(&policy, &request).map_err(|error| error.to_string())?;
        println!("{}", if decision == Decision::Allow { "allowed" } else { "denied" });
    }
    Ok(())
}
