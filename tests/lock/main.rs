//! The lock file: what changes of a declaration mean, and what the check makes of files.

mod changes;
mod files;
mod fill;
