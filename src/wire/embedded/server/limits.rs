//! The limits of a server, so that no client takes its memory, or keeps it from answering others.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(super) struct ServerLimits {
    /// The number of connections at the same time. Further ones are told that the service is busy. Each is a file
    /// descriptor of the process, of which some systems allow 256.
    pub(super) connections: usize,
    /// The size of a body; DynamoDB has the same limit.
    pub(super) body_bytes: usize,
    /// The size of all bodies together that are in memory.
    pub(super) all_bytes: usize,
    /// The time for the headers of a request, and for the next request of a connection.
    pub(super) header_time: Duration,
    /// The time for a body.
    pub(super) body_time: Duration,
    /// The time in which a client must read some of its response.
    pub(super) write_time: Duration,
    /// The time in which requests are completed after the server was stopped.
    pub(super) stop_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        ServerLimits {
            connections: 128,
            body_bytes: 16 * 1024 * 1024,
            all_bytes: 64 * 1024 * 1024,
            header_time: Duration::from_secs(60),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(5),
        }
    }
}
