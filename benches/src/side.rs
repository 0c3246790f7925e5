//! The sides that do the works: the library, and the raw SDK with maps made by hand or by serde_dynamo.

mod json;
mod library;
mod sdk;

use crate::work::Work;

/// Does works again and again. It returns how many rows or items it had, so that the compiler cannot remove
/// the work.
pub trait Side {
    /// Does a work once. Returns `None` if this side cannot do it.
    fn run(&mut self, work: Work) -> Option<usize>;

    /// Prepares what this many runs use up, so that the preparation is not measured.
    fn prepare(&mut self, _work: Work, _times: u32) {}
}

/// The names of the sides. The others are compared with the first one.
pub const NAMES: [&str; 3] = ["by-hand", "serde_dynamo", "library"];

pub fn named(name: &str, address: &str) -> Option<Box<dyn Side>> {
    match name {
        "by-hand" => Some(Box::new(sdk::Sdk::by_hand(address))),
        "serde_dynamo" => Some(Box::new(sdk::Sdk::by_serde(address))),
        "library" => Some(Box::new(library::Library::new(address))),
        _ => None,
    }
}

/// A runtime with one thread, so that all work is counted there.
fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime")
}
