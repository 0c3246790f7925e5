//! The message about something that cannot be unique points at its own word.

use dynamo_entity::prelude::*;

#[derive(DynamoEntity)]
#[dynamo(table = "users", key(pk = "USER#{id}"))]
#[dynamo(gsi(by_team, pk = "TEAM#{team}"))]
#[dynamo(unique(by_nothing), unique(by_mail, e_mail), unique(by_form, team = "team"))]
#[dynamo(unique(key, email), unique(by_team, team))]
#[dynamo(unique(by_version, version), unique(by_code, code), unique(by_shown, shown))]
#[dynamo(unique(by_handle, team, team), unique(by_e_mail, email), unique(of_mail, email))]
#[dynamo(unique(by_name, email, rename = "email"), unique(unnamed, email, rename = ""))]
pub struct User {
    pub id: u32,
    pub email: String,
    pub team: String,
    #[dynamo(version)]
    pub version: Version,
    #[dynamo(default)]
    pub code: u32,
    #[dynamo(skip)]
    pub shown: bool,
}

fn main() {}
