//! Declarations of entities and tables in short.

/// `entity Note(table = "notes", key(pk = id)) { id: String, .. }` is a struct with the derive and the attribute in
/// parentheses, which tests can compare and show. `projection` and `table` are written in the same way.
#[macro_export]
macro_rules! declare {
    () => {};
    ($(#[$meta:meta])* $vis:vis entity $name:ident($($options:tt)*) $fields:tt $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, dynamo_entity::DynamoEntity)]
        #[dynamo($($options)*)]
        $vis struct $name $fields
        $crate::declare! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis projection $name:ident($($options:tt)*) $fields:tt $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, dynamo_entity::DynamoProjection)]
        #[dynamo($($options)*)]
        $vis struct $name $fields
        $crate::declare! { $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis table $name:ident($($options:tt)*); $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(dynamo_entity::DynamoTable)]
        #[dynamo($($options)*)]
        $vis struct $name;
        $crate::declare! { $($rest)* }
    };
}
