//! Two writers.

use crate::tests;

tests![];
