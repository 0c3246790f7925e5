//! Models with something about their unique values.

use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case! { NeedlessUnique at "User.by_id";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "TEAM#{team}", sk = "{id}"), unique(by_id, id, team))]
                struct User { team: String, id: u32 }
            } User;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "TEAM#{team}", sk = "{id}"), unique(by_id, id))]
                struct User { team: String, id: u32 }
            } User
        },
        case! { ImpliedUnique at "User.by_both";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(unique(by_email, email), unique(by_both, email, name))]
                struct User { id: u32, email: String, name: String }
            } User;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "users", key(pk = "ID#{id}"))]
                #[dynamo(unique(by_email, team, email), unique(by_name, team, name))]
                struct User { id: u32, team: String, email: String, name: String }
            } User
        },
        case! { FewUniqueValues at "Number.first";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "numbers", key(pk = "NUMBER#{number}"), unique(first, is_first, is_private))]
                struct Number { number: String, is_first: bool, is_private: bool }
            } Number;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "numbers", key(pk = "NUMBER#{number}"), unique(first, person, is_first))]
                struct Number { number: String, person: u32, is_first: bool }
            } Number
        },
        case! { ChangingUnique at "Task.current";
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = "ID#{id}"), unique(current, owner, state))]
                #[dynamo(gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))]
                struct Task { id: u32, list: String, owner: String, state: String }
            } Task;
            {
                #[derive(DynamoEntity)]
                #[dynamo(table = "tasks", key(pk = "ID#{id}"), unique(of_owner, owner, name))]
                #[dynamo(gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))]
                struct Task { id: u32, list: String, owner: String, name: String, state: String }
            } Task
        },
    ]
}
