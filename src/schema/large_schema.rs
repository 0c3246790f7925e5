//! Lists and blobs beside an item, as data.

use super::json_form::json_record;

json_record! {
    /// A list or a blob that is stored beside each item.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct LargeSchema {
        /// The name of the function.
        pub name: String => must,
        /// The name in the keys of the rows.
        pub stored: String => must,
        /// The stored type of the elements of a list, such as `Seat`; `None` for a blob.
        pub element: Option<String> => may,
        /// The same as it is written in Rust.
        pub rust_type: Option<String> => may,
        /// Whether the contents of its parts are objects outside of DynamoDB.
        pub outside: bool => may,
    }
}
