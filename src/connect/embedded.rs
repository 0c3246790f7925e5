//! The shortest way to an engine in this process.

use crate::dynamo::Dynamo;
use crate::wire::Wire;
use crate::wire::embedded::EmbeddedEngine;

impl EmbeddedEngine {
    /// A connection to this engine, by the shortest way: past HTTP, signatures and the SDK, as
    /// [`Dynamo::connect`] makes it. `Dynamo::new(engine.client())` goes through the SDK, with all that
    /// was set there.
    pub fn connect(&self) -> Dynamo {
        Dynamo::over(Wire::direct(self.clone()))
    }
}
