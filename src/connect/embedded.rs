//! The shortest connection to an engine in this process.

use crate::dynamo::Dynamo;
#[cfg(feature = "serve")]
use crate::error::{Error, Result};
use crate::wire::Wire;
use crate::wire::embedded::EmbeddedEngine;
#[cfg(feature = "serve")]
use crate::wire::embedded::ServeEngine;

impl EmbeddedEngine {
    /// Returns a connection to this engine without HTTP, signatures and the SDK, like [`Dynamo::connect`].
    /// `Dynamo::new(engine.client())` goes through the SDK, with all settings of that client.
    pub fn connect(&self) -> Dynamo {
        Dynamo::over_wire(Wire::direct(self.clone()))
    }
}

#[cfg(feature = "serve")]
impl Dynamo {
    /// Serves the database of this connection to other programs on this machine, by the protocol of DynamoDB; see
    /// [`EmbeddedEngine::serve`]. A file belongs to one process, so this is the way to look at the data of a service
    /// while it runs.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> dynamo_entity::Result<()> {
    /// use dynamo_entity::Dynamo;
    ///
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// let server = db.serve()?.port(0).start().await?;
    /// println!("{} {}", server.url(), server.access_key_id());
    /// # Ok(()) }
    /// ```
    ///
    /// Other programs see the full names of the tables, with the prefix. Fails with
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the connection leads to a server, or through an SDK client.
    pub fn serve(&self) -> Result<ServeEngine> {
        self.require_no_tenant("serve")?;
        let engine = self.engine().ok_or_else(|| {
            Error::config(
                "only an embedded database can be served: connect to `embedded:memory` or `embedded:PATH`, or call \
                 `serve` of the `EmbeddedEngine` below your SDK client",
            )
        })?;
        Ok(engine.serve())
    }
}
