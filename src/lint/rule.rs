//! The list of all rules.

use std::fmt;

use super::finding::Findings;
use super::{attributes, indexes, partitions, replicas, safeguards, sort_keys, uniques, vectors};
use crate::schema::TableSchema;

/// Looks for one thing in a model.
pub(super) type LintCheck = fn(&TableSchema, &mut Findings);

/// Finds nothing: which `allow` is not needed is known once all else is found.
fn found_later(_: &TableSchema, _: &mut Findings) {}

/// Each rule with its name, its summary and what looks for it, so that no rule lacks any of them.
macro_rules! rules {
    ($($rule:ident, $name:literal, $check:path, $summary:literal;)*) => {
        /// The subject of a lint. The guide has [a section for each](crate::guide::lints).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LintRule {
            $(
                #[doc = concat!("`", $name, "`: ", $summary, ".")]
                $rule,
            )*
        }

        impl LintRule {
            /// All rules, in the order of the guide.
            pub const ALL: &'static [LintRule] = &[$(LintRule::$rule),*];

            /// The name, as `allow(..)` takes it.
            pub const fn name(self) -> &'static str {
                match self { $(LintRule::$rule => $name),* }
            }

            /// Its subject, in one line.
            pub const fn summary(self) -> &'static str {
                match self { $(LintRule::$rule => $summary),* }
            }

            /// The rule of this name.
            pub fn from_name(name: &str) -> Option<LintRule> {
                match name { $($name => Some(LintRule::$rule),)* _ => None }
            }

            pub(super) fn check(self) -> LintCheck {
                match self { $(LintRule::$rule => $check),* }
            }
        }
    };
}

/// Its name.
impl fmt::Display for LintRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

rules! {
    ConstantPartition, "constant_partition", partitions::constant_partition,
        "a partition key that is the same in every item, without shards";
    FewPartitions, "few_partitions", partitions::few_partitions,
        "a partition key with a handful of values, without shards";
    TimePartition, "time_partition", partitions::time_partition,
        "a partition key that is a day or a month, so that all current writes go to one partition";
    MomentPartition, "moment_partition", partitions::moment_partition,
        "a partition key that is a point in time, so that no query finds a range of them";
    ManyShards, "many_shards", partitions::many_shards,
        "more than 100 shards, each of which every read queries";
    ExtraReadShards, "extra_read_shards", partitions::extra_read_shards,
        "reads query more shards than writes fill, which is meant for a change of their number";
    OneCounter, "one_counter", partitions::one_counter,
        "an entity of one item with a number, which all writers change";
    UnneededTypeChecks, "unneeded_type_checks", partitions::unneeded_type_checks,
        "`identify_by = type` on a table whose entities cannot have the same keys";
    ConstantSortKey, "constant_sort_key", sort_keys::constant_sort_key,
        "a sort key that is the same in all items of a table or an index";
    RepeatedPart, "repeated_part", sort_keys::repeated_part,
        "a part of a sort key that the partition key already contains";
    PinnedPart, "pinned_part", sort_keys::pinned_part,
        "a part of a sort key that `when` limits to one value";
    FlagSortKey, "flag_sort_key", sort_keys::flag_sort_key,
        "a sort key of an index that is only a `bool`";
    VanishingRows, "vanishing_rows", sort_keys::vanishing_rows,
        "an `Option` in a sort key of an index, so that no query returns items without it";
    MovingRows, "moving_rows", sort_keys::moving_rows,
        "an index key that every write changes";
    LongKey, "long_key", sort_keys::long_key,
        "a key made of so many texts that it may be longer than DynamoDB allows";
    FloatKey, "float_key", sort_keys::float_key,
        "a float by which items or partitions are found";
    SameQuestion, "same_question", indexes::same_question,
        "two indexes that serve the same query";
    RepeatsTable, "repeats_table", indexes::repeats_table,
        "an index that serves the same queries as the table";
    IndexOfUnique, "index_of_unique", indexes::index_of_unique,
        "an index that finds the same item as the look-up of a unique value";
    OneRowPartitions, "one_row_partitions", indexes::one_row_partitions,
        "an index whose partitions contain one item each, which its key finds";
    EmptyIndex, "empty_index", indexes::empty_index,
        "an index that never contains an item";
    UnaskedIndex, "unasked_index", indexes::unasked_index,
        "an index of a table that no access pattern queries";
    ManyIndexes, "many_indexes", indexes::many_indexes,
        "more than 15 global indexes, of at most 20";
    LocalIndex, "local_index", indexes::local_index,
        "a local index, which limits each partition to 10 GB for ever";
    ListedEverything, "listed_everything", indexes::listed_everything,
        "an index that lists all attributes instead of `project = all`";
    ManyCopies, "many_copies", indexes::many_copies,
        "an attribute without bound that three or more indexes copy";
    JoinedKey, "joined_key", indexes::joined_key,
        "an index key that joins fields by `#` and could have them as key attributes of their own";
    IndexOfSentinels, "index_of_sentinels", indexes::index_of_sentinels,
        "an index by the TTL alone, which also contains the items that store unique values";
    HiddenVectors, "hidden_vectors", vectors::hidden_vectors,
        "an `Option` as the partition of a vector index, so that no search finds items without it";
    SharedVectors, "shared_vectors", vectors::shared_vectors,
        "an attribute of a vector index that another entity of the table stores too";
    CopiedVectors, "copied_vectors", vectors::copied_vectors,
        "an index that holds a copy of a large vector in each row";
    GrowingAttribute, "growing_attribute", attributes::growing_attribute,
        "a list, set or map without bound in an item that many change";
    Unversioned, "unversioned", attributes::unversioned,
        "the actor or time of the last write is kept, but nothing prevents one write from overwriting another";
    StrayTtl, "stray_ttl", attributes::stray_ttl,
        "an attribute that happens to have the name of the TTL of the table";
    LongName, "long_name", attributes::long_name,
        "a stored name longer than 30 bytes, which every item pays for";
    LongConstant, "long_constant", attributes::long_constant,
        "more than 30 bytes of constant text in a key";
    NeedlessUnique, "needless_unique", uniques::needless_unique,
        "a unique value that contains the primary key";
    ImpliedUnique, "implied_unique", uniques::implied_unique,
        "a unique value that contains another one";
    FewUniqueValues, "few_unique_values", uniques::few_unique_values,
        "a unique value of `bool`s alone";
    ChangingUnique, "changing_unique", uniques::changing_unique,
        "a unique value of a field that changes often";
    EventualReplicas, "eventual_replicas", replicas::eventual_replicas,
        "a unique value or a version in a global table that checks conditions in each region by itself";
    StrongReplicas, "strong_replicas", replicas::strong_replicas,
        "a unique value, a TTL or a local index, which strongly consistent global tables do not have";
    UnprotectedTable, "unprotected_table", safeguards::unprotected_table,
        "a table without deletion protection, in an environment that demands it";
    UnrecoverableTable, "unrecoverable_table", safeguards::unrecoverable_table,
        "a table without point-in-time recovery, in an environment that demands it";
    NoSpendCap, "no_spend_cap", safeguards::no_spend_cap,
        "a table without a limit of the costs of requests, in an environment that demands it";
    UnusedAllow, "unused_allow", found_later,
        "an `allow` of a lint that finds nothing";
}
