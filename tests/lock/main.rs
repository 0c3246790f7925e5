//! The lock file: what changes of a declaration mean, and what the check makes of files.

mod changes;
#[path = "../support/declared.rs"]
mod declared;
mod files;
mod fill;
mod renaming;
mod second_key;
mod shape;
