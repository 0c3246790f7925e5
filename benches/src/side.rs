//! Those who do the work: the library, and the raw SDK with maps made by hand or by serde_dynamo.

mod json;
mod library;
mod sdk;

use crate::work::Work;

/// Does a work over and over. The number of rows or items it had in hand keeps the compiler honest.
pub trait Side {
    /// Once; `None` for what this side cannot do.
    fn run(&mut self, work: Work) -> Option<usize>;

    /// Lays ready what so many runs use up, so that it is not measured.
    fn prepare(&mut self, _work: Work, _times: u32) {}
}

/// The sides by their names; the first is the one that the others are compared with.
pub const NAMES: [&str; 3] = ["by-hand", "serde_dynamo", "library"];

pub fn named(name: &str, address: &str) -> Option<Box<dyn Side>> {
    match name {
        "by-hand" => Some(Box::new(sdk::Sdk::by_hand(address))),
        "serde_dynamo" => Some(Box::new(sdk::Sdk::by_serde(address))),
        "library" => Some(Box::new(library::Library::new(address))),
        _ => None,
    }
}

/// One thread, so that all of the work is counted where it is done.
fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime")
}
