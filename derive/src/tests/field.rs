//! Rules for fields.

use syn::parse_quote;

use super::entity_says;

#[test]
fn collides_with_derived() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "ORDER#{id}", sk = "INFO"))]
            #[dynamo(gsi(by_note, pk = "NOTE#{note}"))]
            pub struct Order {
                pub id: String,
                pub sk: String,
                #[dynamo(rename = "by_note_pk")]
                pub note: String,
            }
        },
        &[
            "the attribute `sk` holds the text of a key template; store `sk` under another name by `rename`",
            "the attribute `by_note_pk` holds the text of a key template; store `note` under another name by `rename`",
        ],
    );
}

#[test]
fn default_broken() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(default = 1 +)]
                pub n: u64,
                #[dynamo(default(1))]
                pub m: u64,
            }
        },
        &[
            "the value of `default` is cut off: expected an expression",
            "`default` is written `default` or `default = expression`",
        ],
    );
}

#[test]
fn format_unknown() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(format = "epoch_millis")]
                pub at: u64,
            }
        },
        &["`epoch_millis` is no stored form; did you mean `epoch_ms`?"],
    );
}

#[test]
fn managed_form() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(ttl, format = "epoch")]
                pub expires_at: u64,
            }
        },
        &["a `ttl` field has a stored form of its own; remove `format`"],
    );
}

#[test]
fn managed_serde() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(created_at, serde)]
                pub at: u64,
            }
        },
        &["a `created_at` field has a stored form of its own; remove `serde`"],
    );
}

#[test]
fn actor_form() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(created_by, serde)]
                pub author: String,
                #[dynamo(updated_by, format = "epoch")]
                pub editor: String,
                #[dynamo(updated_by)]
                pub other: String,
            }
        },
        &[
            "`updated_by` stands on the field `editor` already; one field can have it",
            "a `created_by` field has a stored form of its own; remove `serde`",
            "a `updated_by` field has a stored form of its own; remove `format`",
        ],
    );
}

#[test]
fn rest_renamed() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(rest, rename = "others")]
                pub rest: Item,
            }
        },
        &["a `rest` field has no attribute of its own; remove `rename`"],
    );
}

#[test]
fn role_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(version)]
                pub version: Version,
                #[dynamo(version)]
                pub revision: Version,
                #[dynamo(rest)]
                pub rest: Item,
                #[dynamo(rest)]
                pub more: Item,
            }
        },
        &[
            "`version` stands on the field `version` already; one field can have it",
            "`rest` stands on the field `rest` already; one field can have it",
        ],
    );
}

#[test]
fn serde_and_format() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(serde, format = "epoch")]
                pub at: u64,
            }
        },
        &["`serde` and `format` exclude each other; keep one"],
    );
}

#[test]
fn skip_renamed() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(skip, rename = "n")]
                pub note: String,
            }
        },
        &["a `skip` field has no attribute of its own; remove `rename`"],
    );
}

#[test]
fn stored_name_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(rename = "total")]
                pub sum: u64,
                pub total: u64,
            }
        },
        &["`total` is the stored name of `sum` already; give `total` another by `rename`"],
    );
}

#[test]
fn two_roles() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                pub id: String,
                #[dynamo(version, ttl)]
                pub version: Version,
            }
        },
        &["`ttl` and `version` exclude each other; a field has one role"],
    );
}

#[test]
fn value_option() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            #[dynamo(tag = "kind")]
            pub struct Order {
                pub id: String,
                #[dynamo(pk)]
                pub at: u64,
            }
        },
        &[
            "`tag` is no option of an entity; it belongs to a value",
            "`pk` is no option of a field of an entity; it belongs to a key",
        ],
    );
}
