//! What the library costs, beside the raw SDK and other libraries: instructions, allocations, time.
//!
//! `benches/run` measures and prints one table. The parts:
//!
//! - [`order`] is the item, [`work`] what is done with it, [`side`] who does it.
//! - [`event`] is a row of which there are many, to be merged from many shards.
//! - `bin/server` answers by heart over loopback HTTP, in a process of its own ([`server`]).
//! - `bin/client` does the works of one side, for callgrind to count, or for the clock.
//! - `bin/allocations` does the same and counts allocations.
//! - `bin/clock` and `bin/under_way` let a [`caller`] call, many times at once: what a core does in a second, and what
//!   memory a call holds.
//! - `bin/report` starts all of them, reads the counts ([`callgrind`]) and prints the table.

pub mod by_hand;
pub mod caller;
pub mod callgrind;
pub mod event;
pub mod gate;
pub mod identity;
pub mod measure;
pub mod order;
pub mod phases;
pub mod recorded;
pub mod server;
pub mod server_process;
pub mod side;
pub mod work;
