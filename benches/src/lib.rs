//! What the library costs compared with the raw SDK and other libraries: instructions, allocations and time.
//!
//! `benches/run` measures and prints one table. The parts:
//!
//! - [`order`] is the item, [`work`] is what is done with it, and [`side`] is who does it.
//! - [`event`] is a row of an index. Many of them are merged from many shards.
//! - `bin/server` sends prepared answers over loopback HTTP, in a process of its own ([`server`]).
//! - `bin/client` does the works of one side, for callgrind or for the clock.
//! - `bin/allocations` does the same and counts allocations.
//! - `bin/clock` and `bin/under_way` let a [`caller`] make many calls at once. They measure the calls per second of a
//!   core and the memory that a call holds.
//! - `bin/growth` does works over inputs of growing size ([`growth`]).
//! - `bin/report` starts all of them, reads the counts ([`callgrind`]) and prints the table.

pub mod by_hand;
pub mod caller;
pub mod callgrind;
pub mod event;
pub mod flat;
pub mod gate;
pub mod growth;
pub mod identity;
pub mod measure;
pub mod order;
pub mod phases;
pub mod recorded;
pub mod server;
pub mod server_process;
pub mod side;
pub mod work;
