//! Structs of many fields, written by `build.rs`.

use dynamo_entity::prelude::*;

include!(concat!(env!("OUT_DIR"), "/wide.rs"));
