//! Creating tables, adding indexes and switching TTL on, without ever changing an existing table otherwise.
//!
//! ```text
//! schemas -> declared, limits (nothing is sent that must fail)
//!         -> describe -> there:  compare, every difference in one error
//!                     -> absent: create, wait, compare what came of it
//!         -> TTL, which the service takes only for a table that is there
//! ```

mod change;
mod compare;
mod converge;
mod creation;
mod declared;
pub mod deploy;
mod found;
mod goals;
mod index_changes;
mod index_room;
mod limits;
mod polling;
mod readiness;
pub mod ready;
mod replicas;
mod settle;
mod setup;
mod steps;
#[cfg(test)]
mod tests;
mod throughput;
mod vectors;

#[cfg(feature = "export")]
pub(crate) use change::USE_OWN_KEY;
#[cfg(feature = "export")]
pub(crate) use compare::list_obstacles as obstacles_to_change;
pub(crate) use declared::check_schemas as check_declarations;
#[cfg(feature = "export")]
pub(crate) use declared::named_by;
#[cfg(feature = "export")]
pub(crate) use vectors::list_vector_differences as differences_of_vectors;
