//! Rows that other programs wrote: each is read and written as it is stored, or it is refused (law K8).
//!
//! ```text
//! cargo test --test foreign
//! scripts/dynamodb-local cargo test --test foreign
//! ```
//!
//! A row is written under the key that was read, so it never becomes two rows. Guards ask for values in the
//! stored spelling.

#[path = "../support/mod.rs"]
mod support;

mod by_attribute;
mod by_key;
mod by_type;
mod calendar;
mod constants;
mod decimals;
mod guards;
mod half_keys;
mod json_texts;
mod key_formats;
mod members;
mod null_fields;
mod nulls;
mod number_keys;
mod number_rows;
mod programs;
mod random;
mod separators;
mod spelling;
mod time_ranges;
mod unique_rows;

use libtest_mimic::Arguments;

use support::db::Mode;
use support::suite::trials;

fn main() {
    let arguments = Arguments::from_args();
    let mut all = trials("spelling", Mode::Raw, spelling::tests());
    all.extend(trials("calendar", Mode::Raw, calendar::tests()));
    all.extend(trials("constants", Mode::Raw, constants::tests()));
    all.extend(trials("by_attribute", Mode::Raw, by_attribute::tests()));
    all.extend(trials("by_key", Mode::Raw, by_key::tests()));
    all.extend(trials("by_type", Mode::Raw, by_type::tests()));
    all.extend(trials("by_type_silent", Mode::Silent, by_type::tests()));
    all.extend(trials("decimals", Mode::Raw, decimals::tests()));
    all.extend(trials("guards", Mode::Raw, guards::tests()));
    all.extend(trials("half_keys", Mode::Raw, half_keys::tests()));
    all.extend(trials("json_texts", Mode::Raw, json_texts::tests()));
    all.extend(trials("key_formats", Mode::Raw, key_formats::tests()));
    all.extend(trials("members", Mode::Raw, members::tests()));
    all.extend(trials("null_fields", Mode::Raw, null_fields::tests()));
    all.extend(trials("nulls", Mode::Raw, nulls::tests()));
    all.extend(trials("number_keys", Mode::Raw, number_keys::tests()));
    all.extend(trials("number_rows", Mode::Raw, number_rows::tests()));
    all.extend(trials("programs", Mode::Raw, programs::tests()));
    all.extend(trials("separators", Mode::Raw, separators::tests()));
    all.extend(trials("time_ranges", Mode::Raw, time_ranges::tests()));
    all.extend(trials("unique_rows", Mode::Raw, unique_rows::tests()));
    all.extend(trials("random", Mode::Raw, random::tests()));
    libtest_mimic::run(&arguments, all).exit();
}
