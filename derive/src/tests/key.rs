//! Rules for keys.

use syn::parse_quote;

use super::entity_says;

#[test]
fn attribute_too_long() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                #[dynamo(rename = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
                pub id: String,
            }
        },
        &[
            "the name of a key attribute has at most 255 bytes, this one has 256; choose a shorter one",
        ],
    );
}

#[test]
fn default() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                #[dynamo(default)]
                pub id: String,
            }
        },
        &["`id` is a primary key attribute and never missing; remove `default`"],
    );
}

#[test]
fn field_twice() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = id))]
            pub struct Order {
                pub id: String,
            }
        },
        &["`id` is part of this key already; name it once"],
    );
}

#[test]
fn float() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "P#{price}"))]
            #[dynamo(lsi(by_weight, sk = "W#{weight}"))]
            pub struct Order {
                pub id: String,
                pub price: f64,
                pub weight: Option<f32>,
            }
        },
        &[
            r#""{price}": floats and decimals have no order as text; store an integer, such as cents, or write the bare field"#,
            r#""{weight}": floats and decimals have no order as text; store an integer, such as cents, or write the bare field"#,
        ],
    );
}

#[test]
fn list() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = [id, at]))]
            pub struct Order {
                pub id: String,
                pub at: u64,
            }
        },
        &["`pk` takes one field or one template here; lists are for a gsi"],
    );
}

#[test]
fn managed() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "V#{version}"))]
            pub struct Order {
                pub id: String,
                #[dynamo(version)]
                pub version: Version,
            }
        },
        &[
            "`version` is managed by the library and cannot be part of the primary key; use another field",
        ],
    );
}

#[test]
fn not_a_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = user.id, sk = 7))]
            pub struct Order {
                pub id: String,
            }
        },
        &[
            "only top-level fields can be key parts; write the name of one",
            r#"`sk` takes a field or a string; write `sk = field` or `sk = "TEXT#{field}"`"#,
        ],
    );
}

#[test]
fn option() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "AT#{at}"))]
            pub struct Order {
                pub id: Option<String>,
                pub at: std::option::Option<u64>,
            }
        },
        &[
            "`id` is an `Option`, but a primary key part is always there; remove the `Option`",
            "`at` is an `Option`, but a primary key part is always there; remove the `Option`",
        ],
    );
}

#[test]
fn rest() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "{rest}"))]
            pub struct Order {
                pub id: String,
                #[dynamo(rest)]
                pub rest: Item,
            }
        },
        &["`rest` collects unknown attributes and cannot be part of a key"],
    );
}

#[test]
fn serde() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = at))]
            pub struct Order {
                #[dynamo(serde)]
                pub id: String,
                #[dynamo(format = "epoch")]
                pub at: u64,
            }
        },
        &[
            "`id` is a key attribute and stored by its own type; remove `serde`, or use it in a template",
            "`at` is a key attribute and stored by its own type; remove `format`, or use it in a template",
        ],
    );
}

#[test]
fn skip() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id))]
            pub struct Order {
                #[dynamo(skip)]
                pub id: String,
            }
        },
        &[
            "`id` is a key attribute itself and has to be stored; remove `skip`, or use it in a template",
        ],
    );
}

#[test]
fn skip_index_only() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id), gsi(by_at, pk = "AT#{at}"))]
            pub struct Order {
                pub id: String,
                #[dynamo(skip)]
                pub at: u64,
            }
        },
        &["`at` cannot be read back, since the primary key does not hold it; remove `skip`"],
    );
}

#[test]
fn skip_lossy() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = "{at:date}"))]
            pub struct Order {
                pub id: String,
                #[dynamo(skip)]
                pub at: Timestamp,
            }
        },
        &[
            r#"`at` cannot be read back from "{at:date}", which holds less than the field; remove `skip`"#,
        ],
    );
}

#[test]
fn sort_field_is_verb() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = id, sk = page))]
            #[dynamo(lsi(by_limit, sk = "{limit}"))]
            pub struct Order {
                pub id: String,
                pub page: u32,
                pub limit: u32,
            }
        },
        &[
            "`page` is a verb of every query and cannot name a part of a sort key; rename the field and keep its attribute by `rename`",
            "`limit` is a verb of every query and cannot name a part of a sort key; rename the field and keep its attribute by `rename`",
        ],
    );
}

#[test]
fn formats_fit() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{name:08}", sk = "{at:date}"))]
            #[dynamo(lsi(by_done, sk = "{done:month}"))]
            pub struct Order {
                pub name: String,
                pub at: u64,
                pub done: Option<bool>,
                pub day: Day,
            }
        },
        &[
            r#""{name:08}": a width is for integers, and `name` is a `String`; write "{name}""#,
            r#""{at:date}": this format is for timestamps and dates, and `at` is a `u64`; write "{at}""#,
            r#""{done:month}": this format is for timestamps and dates, and `done` is a `bool`; write "{done}""#,
        ],
    );
}

#[test]
fn two_lossy_formats() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = "{at:month}", sk = "{at:date}"))]
            pub struct Order {
                pub at: Timestamp,
            }
        },
        &[
            r#""{at:date}" stands beside "{at:month}" in the primary key, and neither holds the whole field; use one format"#,
        ],
    );
}

#[test]
fn unknown_field() {
    entity_says(
        parse_quote! {
            #[dynamo(table = "orders", key(pk = idd))]
            pub struct Order {
                pub id: String,
            }
        },
        &["`idd`: no such field; did you mean `id`?"],
    );
}
