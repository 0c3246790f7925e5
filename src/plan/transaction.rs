//! A planned transaction: its members, its request, and the meaning of its failure.

pub(super) mod limits;
pub(super) mod meaning;
pub(super) mod member;
pub(super) mod owner;
pub(super) mod refused;
pub(super) mod request;
