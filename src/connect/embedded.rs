//! The shortest connection to an engine in this process.

use crate::dynamo::Dynamo;
use crate::wire::Wire;
use crate::wire::embedded::EmbeddedEngine;

impl EmbeddedEngine {
    /// Returns a connection to this engine without HTTP, signatures and the SDK, like [`Dynamo::connect`].
    /// `Dynamo::new(engine.client())` goes through the SDK, with all settings of that client.
    pub fn connect(&self) -> Dynamo {
        Dynamo::over_wire(Wire::direct(self.clone()))
    }
}
