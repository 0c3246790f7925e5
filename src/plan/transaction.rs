//! A transaction that is planned: its members, its request, and what its refusal means.

pub(super) mod limits;
pub(super) mod meaning;
pub(super) mod member;
pub(super) mod owner;
pub(super) mod refused;
pub(super) mod request;
