//! Models with something about their unique values.

use dynamo_entity::prelude::*;

use crate::case::{Case, case};

pub fn cases() -> Vec<Case> {
    vec![
        case! { NeedlessUnique at "User.by_id";
            {
                entity User(table = "users", key(pk = "TEAM#{team}", sk = "{id}"), unique(by_id, id, team))
                    { team: String, id: u32 }
            } User;
            {
                entity User(table = "users", key(pk = "TEAM#{team}", sk = "{id}"), unique(by_id, id))
                    { team: String, id: u32 }
            } User
        },
        // Another program needs the rows that it writes.
        case! { NeedlessUnique at "User.by_id";
            {
                table App(name = "users", pk = "pk", entities(User));
                entity User(table = App, key(pk = "USER#{id}"), unique(by_id, id)) { id: u32 }
            } App;
            {
                table App(name = "users", pk = "pk", verbatim, entities(User));
                entity User(table = App, key(pk = "USER#{id}"), unique(by_id, pk = "ID#{id}")) { id: u32 }
            } App
        },
        case! { ImpliedUnique at "User.by_both";
            {
                entity User(table = "users", key(pk = "ID#{id}"), unique(by_email, email), unique(by_both, email, name))
                    { id: u32, email: String, name: String }
            } User;
            {
                entity User(table = "users", key(pk = "ID#{id}"), unique(by_email, team, email), unique(by_name, team, name))
                    { id: u32, team: String, email: String, name: String }
            } User
        },
        case! { FewUniqueValues at "Number.first";
            {
                entity Number(table = "numbers", key(pk = "NUMBER#{number}"), unique(first, is_first, is_private))
                    { number: String, is_first: bool, is_private: bool }
            } Number;
            {
                entity Number(table = "numbers", key(pk = "NUMBER#{number}"), unique(first, person, is_first))
                    { number: String, person: u32, is_first: bool }
            } Number
        },
        case! { ChangingUnique at "Task.current";
            {
                entity Task(table = "tasks", key(pk = "ID#{id}"), unique(current, owner, state), gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))
                    { id: u32, list: String, owner: String, state: String }
            } Task;
            {
                entity Task(table = "tasks", key(pk = "ID#{id}"), unique(of_owner, owner, name), gsi(open, pk = "{list}", sk = "{id}", when(state = ["new", "open"])))
                    { id: u32, list: String, owner: String, name: String, state: String }
            } Task
        },
    ]
}
