//! The shortest connection to an engine in this process.

use crate::dynamo::Dynamo;
use crate::wire::Wire;
use crate::wire::embedded::EmbeddedEngine;

impl EmbeddedEngine {
    /// A connection to this engine without HTTP, signatures and the SDK, like the one that
    /// [`Dynamo::connect`] makes. `Dynamo::new(engine.client())` goes through the SDK, with all settings
    /// of that client.
    pub fn connect(&self) -> Dynamo {
        Dynamo::over(Wire::direct(self.clone()))
    }
}
