//! What is exported of the examples and of random tables, and what the tools that it is for say about it.

mod analytics;
mod consumers;
mod exported;
mod filters;
mod goldens;
mod judge;
mod page;
mod policies;
mod random;
mod stack;
mod templates;
mod terraform;
mod to_s3;
pub mod tools;
mod uniques;
mod use_cases;
mod vectors;
mod verbs;
