//! Declarations in short, for tables of tests.

/// `table Shop(..);` and `entity Order(..) { .. }` are what the derives take, with the attribute in parentheses.
/// `entity Order { .. }` is in the table `orders` with the key `id`. All other items are as in any module.
macro_rules! declared {
    () => {};
    (table $name:ident($($options:tt)*); $($rest:tt)*) => {
        #[derive(dynamo_entity::DynamoTable)]
        #[dynamo($($options)*)]
        struct $name;
        $crate::declared::declared! { $($rest)* }
    };
    (entity $name:ident($($options:tt)*) $fields:tt $($rest:tt)*) => {
        #[derive(dynamo_entity::DynamoEntity)]
        #[dynamo($($options)*)]
        struct $name $fields
        $crate::declared::declared! { $($rest)* }
    };
    (entity Order $fields:tt $($rest:tt)*) => {
        $crate::declared::declared! { entity Order(table = "orders", key(pk = id)) $fields $($rest)* }
    };
    ($item:item $($rest:tt)*) => {
        $item
        $crate::declared::declared! { $($rest)* }
    };
}

pub(crate) use declared;
