//! What can be wrong with one `#[dynamo(..)]`.

use syn::parse_quote;

use super::entity_says;

#[test]
fn belongs_elsewhere() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(version)]
            #[dynamo(type_attribute = "_t")]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`version` is no option of an entity; it belongs to a field of an entity",
            "`type_attribute` is no option of an entity; it belongs to a table",
        ],
    );
}

#[test]
fn comma_missing_between() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders" key(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &["a comma is missing before this"],
    );
}

#[test]
fn missing_comma() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename = "order" rename_all = "camelCase")]
            pub struct Order {
                pub id: String,
            }
        },
        &["a comma is missing before this"],
    );
}

#[test]
fn misspelt_is_not_missing() {
    entity_says(
        parse_quote! {
            #[dynamo(tabel = "orders", kye(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`tabel` is no option of an entity; did you mean `table`?",
            "`kye` is no option of an entity; did you mean `key`?",
        ],
    );
}

#[test]
fn several_mistakes() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename_all = "camelcase", sream = new_image)]
            pub struct Order {
                pub id: String,
                #[dynamo(rename = "")]
                pub note: String,
                #[dynamo(skip, ttl)]
                pub at: u64,
            }
        },
        &[
            "`sream` is no option of an entity; did you mean `stream`?",
            "`camelcase` is no case of `rename_all`; did you mean `camelCase`?",
            "`rename` is empty; a stored name has at least one letter",
            "`ttl` and `skip` exclude each other; a field has one role",
        ],
    );
}

#[test]
fn twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename = "order")]
            #[dynamo(rename = "Order")]
            pub struct Order {
                pub id: String,
            }
        },
        &["`rename` is given twice; keep one"],
    );
}

#[test]
fn unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(renam = "order")]
            pub struct Order {
                pub id: String,
            }
        },
        &["`renam` is no option of an entity; did you mean `rename`?"],
    );
}

#[test]
fn unknown_on_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(defualt)]
                pub note: String,
            }
        },
        &["`defualt` is no option of a field of an entity; did you mean `default`?"],
    );
}

#[test]
fn value_missing() {
    entity_says(
        parse_quote! {
            #[dynamo(table = , key(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &["`table =` lacks its value"],
    );
}

#[test]
fn without_list() {
    entity_says(
        parse_quote! {
            #[dynamo]
            #[dynamo = "orders"]
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "the options stand in parentheses; write `#[dynamo(..)]`",
            "the options stand in parentheses; write `#[dynamo(..)]`",
        ],
    );
}

#[test]
fn wrong_shape() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename = order)]
            pub struct Order {
                pub id: String,
                #[dynamo(version = 1)]
                pub version: Version,
            }
        },
        &[
            r#"`rename` is written `rename = "stored name"`"#,
            "`version` stands alone; it takes no value",
        ],
    );
}
