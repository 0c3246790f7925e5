//! A model that has a lint beside one that has not.

use dynamo_entity::lint::LintRule;
use dynamo_entity::schema::TableSchema;

pub struct Case {
    pub rule: LintRule,
    /// The declaration that the lint names.
    pub place: &'static str,
    /// A model with this lint and no other.
    pub found: TableSchema,
    /// Its neighbour, without lints.
    pub clean: TableSchema,
}

/// `case! { RULE at PLACE; { declarations } Type; { declarations } Type }`: the model with the lint comes first.
macro_rules! case {
    (
        $rule:ident at $place:literal;
        { $($found:tt)* } $found_table:ident;
        { $($clean:tt)* } $clean_table:ident
    ) => {
        $crate::case::Case {
            rule: dynamo_entity::lint::LintRule::$rule,
            place: $place,
            found: {
                $crate::declared::declared! { $($found)* }
                $found_table::schema()
            },
            clean: {
                $crate::declared::declared! { $($clean)* }
                $clean_table::schema()
            },
        }
    };
}

pub(crate) use case;
