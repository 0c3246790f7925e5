//! The protocols behind a change of a declaration, searched exhaustively.
//!
//! A protocol consists of a few atomic steps on one row, or on two rows and their sentinels. The search visits every
//! order of the steps of old programs, new programs and a job. A step of the job is one request, so a row may change
//! between the read and the write of the job, and the write may arrive late. The search also omits each guard once, and
//! must then find a history that breaks. `evolution` does the same with the library, on longer histories.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use crate::support::db::Db;
use crate::support::suite::Outcome;
use crate::tests;

mod fill;
mod moved_key;
mod rename;
mod sentinel;
mod shape;

tests![
    fills_hold_and_need_their_guards,
    renames_hold_and_need_their_guards,
    shapes_hold_and_need_their_guards,
    sentinels_hold_and_need_their_guards,
    moved_keys_hold_and_need_their_guards,
];

/// A state and the steps from it.
trait Protocol {
    type State: Clone + Eq + Hash;

    fn begin(&self) -> Self::State;

    /// Passes on each possible step, with its name.
    fn steps(&self, state: &Self::State, step: &mut dyn FnMut(String, Self::State));

    /// The law that a state breaks, if any.
    fn fault(&self, state: &Self::State) -> Option<String>;
}

/// The number of states, or the shortest history that breaks a law.
fn search<P: Protocol>(protocol: &P) -> Result<usize, String> {
    let begin = protocol.begin();
    // Each state, with its previous state and the step between them.
    let mut states = vec![(begin.clone(), None::<(usize, String)>)];
    let mut seen = HashSet::from([begin]);
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let state = states[at].0.clone();
        if let Some(fault) = protocol.fault(&state) {
            let mut history = vec![fault];
            let mut here = at;
            while let Some((before, step)) = &states[here].1 {
                history.push(step.clone());
                here = *before;
            }
            history.reverse();
            return Err(history.join(" ; "));
        }
        protocol.steps(&state, &mut |name, next| {
            if seen.insert(next.clone()) {
                states.push((next, Some((at, name))));
                queue.push_back(states.len() - 1);
            }
        });
    }
    Ok(states.len())
}

/// Fails unless the protocol is correct, and breaks without each of these guards.
fn holds_and_needs<P: Protocol>(
    name: &str,
    whole: &P,
    least: usize,
    without: impl IntoIterator<Item = (&'static str, P)>,
) -> Outcome {
    let states = search(whole)?;
    println!("{name}: {states} states");
    assert!(states >= least, "{name}: only {states} states");
    for (guard, protocol) in without {
        match search(&protocol) {
            Ok(_) => return Err(format!("{name} holds without: {guard}").into()),
            Err(history) => println!("{name} without {guard}: {history}"),
        }
    }
    Ok(())
}

async fn fills_hold_and_need_their_guards(_: Db) -> Outcome {
    for derives in [true, false] {
        let whole = fill::Fill::new(derives);
        let without = fill::Fill::without(derives);
        holds_and_needs("fill", &whole, 500, without)?;
    }
    Ok(())
}

async fn renames_hold_and_need_their_guards(_: Db) -> Outcome {
    let whole = rename::Rename::required();
    let without = rename::Rename::required_without();
    holds_and_needs("rename of a required field", &whole, 1000, without)?;
    let whole = rename::Rename::default();
    let without = rename::Rename::without();
    holds_and_needs("rename", &whole, 1000, without)
}

async fn shapes_hold_and_need_their_guards(_: Db) -> Outcome {
    for has_version in [false, true] {
        let whole = shape::Shape::new(has_version);
        let without = shape::Shape::without(has_version);
        holds_and_needs("shape", &whole, 1000, without)?;
    }
    let whole = shape::Shape::checked(true);
    let without = [("a higher version", shape::Shape::checked(false))];
    holds_and_needs("loaded rows", &whole, 50, without)
}

async fn sentinels_hold_and_need_their_guards(_: Db) -> Outcome {
    let whole = sentinel::Sentinels::default();
    let without = sentinel::Sentinels::without();
    holds_and_needs("sentinels", &whole, 500, without)
}

async fn moved_keys_hold_and_need_their_guards(_: Db) -> Outcome {
    let without = moved_key::MovedKey::without();
    holds_and_needs(
        "moved key",
        &moved_key::MovedKey::default(),
        10_000,
        without,
    )?;
    let whole = moved_key::MovedKey::rolled_back();
    holds_and_needs("moved key, rolled back", &whole, 1000, [])?;
    let without = moved_key::MovedKey::skipped_without();
    holds_and_needs(
        "moved key, unfilled",
        &moved_key::MovedKey::skipped(),
        1000,
        without,
    )
}
