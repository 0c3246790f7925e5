//! Helpers that the integration tests share.
#![allow(dead_code)]

pub mod clock;
pub mod db;
pub mod declare;
pub mod engine;
pub mod faulty;
pub mod grammar;
pub mod model;
pub mod placed;
pub mod rewriting;
pub mod suite;
