//! Rules for an entity as a whole.

use syn::parse_quote;

use super::entity_says;

#[test]
fn generic() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order<'a, T> {
                pub id: String,
                pub note: &'a str,
                pub body: T,
            }
        },
        &[
            "an entity takes no parameters, because its keys and rows are named in constants; write a struct for each type",
        ],
    );
}

#[test]
fn is_enum() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub enum Order {
                Open { id: String },
            }
        },
        &["`Order` is an enum; an entity is a struct with named fields"],
    );
}

#[test]
fn is_tuple() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order(pub String);
        },
        &["`Order` is a tuple struct; an entity is a struct with named fields"],
    );
}

#[test]
fn missing_key() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders")]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            r#"`Order` lacks its key; write `#[dynamo(key(pk = field))]` or `#[dynamo(key(pk = "TEXT#{field}", sk = ..))]`"#,
        ],
    );
}

#[test]
fn missing_pk() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(sk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &[r#"`key` lacks its `pk`; write `key(pk = field)` or `key(pk = "TEXT#{field}")`"#],
    );
}

#[test]
fn missing_table() {
    entity_says(
        parse_quote! {
            #[dynamo(key(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            r#"`Order` lacks its table; write `#[dynamo(table = Shop)]` for a shared one or `#[dynamo(table = "name")]` for its own"#,
        ],
    );
}

#[test]
fn rename_all_unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename_all = "snake-case")]
            pub struct Order {
                pub id: String,
            }
        },
        &["`snake-case` is no case of `rename_all`; did you mean `snake_case`?"],
    );
}

#[test]
fn rename_empty() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(rename = "")]
            pub struct Order {
                pub id: String,
            }
        },
        &["`rename` is empty; a stored name has at least one letter"],
    );
}

#[test]
fn stream_unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(stream = new_images)]
            pub struct Order {
                pub id: String,
            }
        },
        &["`new_images` is no stream view; did you mean `new_image`?"],
    );
}

#[test]
fn table_name() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "my orders", key(pk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`my orders`: the name of a table holds letters, digits, `_`, `.` and `-` only, not ` `; choose another",
        ],
    );
}

#[test]
fn table_options_on_shared() {
    entity_says(
        parse_quote! {
            #[dynamo(table = Shop, key(pk = id), stream = new_image, verbatim)]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "`stream` describes a shared table; write it on the table",
            "`verbatim` describes a shared table; write it on the table",
        ],
    );
}

#[test]
fn verbatim_delimiter() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id), verbatim(delimiter = "::"))]
            pub struct Order {
                pub id: String,
            }
        },
        &["`::` is no delimiter; write one ASCII punctuation character, such as `:`"],
    );
}

#[test]
fn without_fields() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order;
        },
        &["`Order` is a struct without fields; an entity is a struct with named fields"],
    );
}
