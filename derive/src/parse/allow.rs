//! Reads `allow(..)`: the lints that a declaration allows.

use crate::diag::{Diag, did_you_mean};
use crate::parse::attribute;
use crate::parse::option::{Given, Opt};
use crate::parse::options::Options;

/// The names of all lints. The library has them too, and a test of it compares both lists.
const LINTS: [&str; 46] = [
    "constant_partition",
    "few_partitions",
    "time_partition",
    "moment_partition",
    "many_shards",
    "extra_read_shards",
    "one_counter",
    "unneeded_type_checks",
    "constant_sort_key",
    "repeated_part",
    "pinned_part",
    "flag_sort_key",
    "vanishing_rows",
    "moving_rows",
    "long_key",
    "float_key",
    "same_question",
    "repeats_table",
    "index_of_unique",
    "one_row_partitions",
    "empty_index",
    "unasked_index",
    "many_indexes",
    "local_index",
    "listed_everything",
    "many_copies",
    "joined_key",
    "index_of_sentinels",
    "hidden_vectors",
    "shared_vectors",
    "copied_vectors",
    "growing_attribute",
    "unversioned",
    "stray_ttl",
    "long_name",
    "long_constant",
    "needless_unique",
    "implied_unique",
    "few_unique_values",
    "changing_unique",
    "eventual_replicas",
    "strong_replicas",
    "unprotected_table",
    "unrecoverable_table",
    "no_spend_cap",
    "unused_allow",
];

/// Takes all `allow(..)` of one place.
pub(crate) fn take(options: &mut Options, diag: &Diag) -> Vec<String> {
    let mut allows = Vec::new();
    for opt in options.take_all(&["allow"]) {
        read(opt, &mut allows, diag);
    }
    allows
}

/// Rule: `allow(..)` names lints, each once.
pub(crate) fn read(mut opt: Opt, allows: &mut Vec<String>, diag: &Diag) {
    opt.usage = USAGE;
    let span = opt.name.span();
    let Some(list) = opt.group(diag) else { return };
    if list.tokens().is_empty() {
        diag.at(span, format!("`allow` names the lints; write `{USAGE}`"));
    }
    for word in attribute::options(list.tokens(), diag) {
        let (name, span) = (word.name.to_string(), word.name.span());
        match word.given {
            Given::Broken => {}
            Given::Flag if !LINTS.contains(&name.as_str()) => {
                let near = did_you_mean(&name, LINTS);
                let all = match near.is_empty() {
                    true => "; `dynamo_entity::lint::LintRule` lists all of them",
                    false => "",
                };
                diag.at(span, format!("`{name}` is no lint{near}{all}"));
            }
            Given::Flag if allows.contains(&name) => {
                diag.at(span, format!("`{name}` is allowed twice; keep one"));
            }
            Given::Flag => allows.push(name),
            _ => diag.at(
                span,
                format!(
                    "`allow` takes names alone; write `allow({name})`, and the reason in a comment"
                ),
            ),
        }
    }
}

const USAGE: &str = "allow(constant_partition)";
